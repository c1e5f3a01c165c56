"""The model of messages with statements: `rest`, and the statement classes that producers use."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from ..model import Located, Word


@dataclass(frozen=True, kw_only=True, eq=False)
class Rest(Located):
    """All texts that belong to no case: the possible values of the event field `names`. The events are of this kind."""

    event: Word
    names: Word
    when: Word | None
    unclassed: tuple[Word, ...]
    """DDL types without a class of their own in this protocol, although mysql_types.yaml gives them one."""
    classed: Mapping[Word, Mapping[Word, Word]]
    """By producer, the DDL types with another class than in mysql_types.yaml, and that class."""

    def exceptions(self, general: str) -> Iterator[tuple[Word | None, str, list[Word]]]:
        """The DDL types whose class differs from mysql_types.yaml: the producer (None for all), the class, and the
        types.

        Args:
            general: the class of types without a class of their own.
        """
        if self.unclassed:
            yield None, general, list(self.unclassed)
        for who, types in self.classed.items():
            classes: dict[str, list[Word]] = {}
            for name, cls in types.items():
                classes.setdefault(str(cls), []).append(name)
            for cls_name, names in classes.items():
                yield who, cls_name, names
