"""The model of messages with statements: `rest`, and the statement classes that producers use."""

from __future__ import annotations

from dataclasses import dataclass

from ..model import Located, Word


@dataclass(frozen=True, kw_only=True, eq=False)
class Rest(Located):
    """All texts that belong to no case: the possible values of the event field `names`. The events are of this kind."""

    event: Word
    names: Word
    when: Word | None
    classed: tuple[tuple[Word | None, Word, tuple[Word, ...]], ...]
    """The DDL types with another class than in mysql_types.yaml: the producer (None for all), the class, the types."""
