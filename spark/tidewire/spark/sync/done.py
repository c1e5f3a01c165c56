"""The result of the steps of a table."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from tidewire.spark.sync.changelog import Position

NATIVE, MERGE = "native", "merge"


class Engine(NamedTuple):
    """What merges changes into a table.

    Attributes:
        name: `NATIVE`: the workers; `MERGE`: Spark's MERGE statement.
        why: why MERGE was used; empty if the user chose it.
    """

    name: str
    why: str = ""


class Done(NamedTuple):
    """The result of the steps of one table.

    Attributes:
        position: the position in its newest commit; None if there is no such table.
        rows: how many staged rows were read for it.
        failure: why a step was refused, so that the table has to wait; empty if none was.
        notes: sentences for the user.
        seconds: the time of all steps.
        refused: the commit ts of the refused statement; 0 if something else was refused.
        found: the table's name in the target and its version after its last step, if workers merged that; None if the
            table was not asked for them.
        engine: what merged the last changes; None if there were none.
    """

    position: Position | None
    rows: int
    failure: str = ""
    notes: Sequence[str] = ()
    seconds: float = 0.0
    refused: int = 0
    found: tuple[str, int] | None = None
    engine: Engine | None = None
