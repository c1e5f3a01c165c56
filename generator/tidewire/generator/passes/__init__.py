"""The passes that check the common part of protocols. The docstring of each file lists its rules.

`SHARED_PASSES` check the shared files. `STAGES` check a protocol's meaning, whatever its containers; a plug-in adds
passes over its own words to each stage.
"""

from __future__ import annotations

from collections.abc import Callable

from ..model import Spec
from ..problems import Problem
from ..schema_types.passes import schema_type_lines, schema_type_links
from . import (
    carriers,
    cases,
    gathered,
    images,
    large,
    options,
    protocol_links,
    protocol_names,
    shared_events,
    shared_mysql_types,
    shared_primitives,
    values,
)
from .common import CommonContext

SHARED_PASSES: tuple[Callable[[Spec], list[Problem]], ...] = (
    shared_primitives.check,
    shared_events.check,
    shared_mysql_types.check,
)

LINKS, STRUCTURE, CASES, MEANING = range(4)
"""The stages: names refer to something; parts fit together; which events exist; everything else. A stage relies on
earlier ones and runs only if they found nothing.
"""

STAGES: dict[int, tuple[Callable[[CommonContext], list[Problem]], ...]] = {
    LINKS: (protocol_names.check, protocol_links.check, schema_type_links.check),
    STRUCTURE: (schema_type_lines.check,),
    CASES: (cases.check,),
    MEANING: (
        carriers.check,
        gathered.check,
        images.check,
        large.check,
        options.check,
        values.check,
    ),
}
