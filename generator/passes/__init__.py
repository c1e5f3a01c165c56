"""The passes over what every protocol has. One file each; the docstring of the file lists its rules.

`SHARED_PASSES` look at the shared files. `STAGES` look at what a protocol means, whatever its containers; a plug-in
adds passes over their words to each stage.
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
"""The stages: names refer to something; parts hold together; which events there are; all else. A stage can rely on what
those before it found right, so it is only asked when they found nothing."""

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
