"""The passes over what every wire has. One file each; the docstring of the file lists its rules.

Those over the shared files are listed here, in order. Those over a protocol stand in the lists of its wire, in
`binary.passes` and `json.passes`, among the wire's own.
"""

from __future__ import annotations

from collections.abc import Callable

from ..model import Spec
from ..problems import Problem
from . import shared_events, shared_mysql_types, shared_primitives

SHARED_PASSES: tuple[Callable[[Spec], list[Problem]], ...] = (
    shared_primitives.check,
    shared_events.check,
    shared_mysql_types.check,
)
