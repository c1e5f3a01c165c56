"""The model of messages that are statements: `rest`, and the classes that producers give them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from ..model import Located, Word


@dataclass(frozen=True, kw_only=True, eq=False)
class Rest(Located):
    """All other texts: they are what a field of the events, `names`, can be, and the events are of this kind."""

    event: Word
    names: Word
    when: Word | None
    unclassed: tuple[Word, ...]
    """DDL types that have no class of their own here, whatever mysql_types.yaml says."""
    classed: Mapping[Word, Mapping[Word, Word]]
    """By producer the DDL types to which it gives another class than mysql_types.yaml, and which."""

    def exceptions(self, general: str) -> Iterator[tuple[Word | None, str, list[Word]]]:
        """The DDL types whose class is another one than mysql_types.yaml says: the producer, None for all of them, the
        class, and the types.

        Args:
            general: the class of those that have none of their own.
        """
        if self.unclassed:
            yield None, general, list(self.unclassed)
        for who, types in self.classed.items():
            classes: dict[str, list[Word]] = {}
            for name, cls in types.items():
                classes.setdefault(str(cls), []).append(name)
            for cls_name, names in classes.items():
                yield who, cls_name, names
