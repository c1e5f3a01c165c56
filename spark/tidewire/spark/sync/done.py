"""What the steps of a table came to."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from tidewire.spark.sync.changelog import Position


class Done(NamedTuple):
    """The result of the steps of one table.

    Attributes:
        position: the position in its newest commit; None if there is no such table.
        rows: how many staged rows were read for it.
        failure: why a step was refused, so that the table has to wait; empty if none was.
        notes: sentences for the user.
        seconds: the time of all steps.
        refused: the commit ts of the refused statement; 0 if something else was refused.
    """

    position: Position | None
    rows: int
    failure: str = ""
    notes: Sequence[str] = ()
    seconds: float = 0.0
    refused: int = 0
