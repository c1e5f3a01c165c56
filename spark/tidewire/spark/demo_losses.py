"""Compares tables decoded from several protocols: whether they differ only by what a protocol's messages lose."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from tidewire.mysql import declared
from tidewire.spark.demo_told import SILENCES, Image, told_images

if TYPE_CHECKING:
    from pyspark.sql.types import StructType

    from tidewire.messages.protocol_facts import ProtocolFacts


class LostImages(NamedTuple):
    """What row images lack or have with a different value: counts by the names in the protocol's spec and in
    `SILENCES`.
    """

    values: Counter[str]
    images: Counter[str]

    @property
    def any(self) -> bool:
        """Whether anything is lost."""
        return bool(self.values or self.images)


def reasons(facts: ProtocolFacts) -> dict[str, str]:
    """The sentences about what a protocol loses, by name."""
    return {**SILENCES, **facts.reasons}


def differences(
    expected: Sequence[Image],
    found: Sequence[Image],
    schema: StructType,
    facts: ProtocolFacts,
    options: Mapping[str, Any],
) -> LostImages | None:
    """The losses that explain how the row images of a table differ from those of another protocol. None if no loss or
    defect listed in `facts`, and no omission of its records, explains the difference.

    Dates that do not exist are NULL in Spark, whatever the protocol.

    Args:
        expected: row images of the other protocol.
        found: row images of this protocol.
        schema: of the table, with the declared types.
        options: of its messages, with the producer.
    """
    lost = LostImages(Counter(), Counter())
    if facts.told is not None:
        expected, *silent = told_images(expected, schema, facts.told, options)
        lost = LostImages(*silent)
    types = {one.name: declared(one.metadata["mysql_type"]).type for one in schema if "mysql_type" in one.metadata}
    pairs: defaultdict[tuple[Any, ...], tuple[list[Image], list[Image]]] = defaultdict(lambda: ([], []))
    for side, images in enumerate((expected, found)):
        for image in images:
            pairs[tuple(value for name, value in image.items() if name.startswith("_"))][side].append(image)
    for wanted, got in pairs.values():
        if got and len(wanted) == len(got):
            names = [name for one, other in zip(wanted, got, strict=True) for name in _values(one, other, types, facts)]
            counted = lost.values
        else:
            names = [_refused(one, types, facts) for one in wanted] if not got else [None]
            counted = lost.images
        if None in names:
            return None
        counted.update(str(name) for name in names)
    return lost


def _values(wanted: Image, got: Image, types: Mapping[str, int], facts: ProtocolFacts) -> list[str | None]:
    """For each value that differs, the name of the loss that explains it, or None."""
    return [
        next(
            (
                known
                for known, one in facts.losses.items()
                if types.get(name) in one.types and one.nulls == (value is None)
            ),
            None,
        )
        for name, value in wanted.items()
        if value != got.get(name)
    ]


def _refused(wanted: Image, types: Mapping[str, int], facts: ProtocolFacts) -> str | None:
    """The name of the defect because of which a row has no message; None if there is none."""
    empty = {types.get(name) for name, value in wanted.items() if value is None}
    return next((name for name, one in facts.defects.items() if one.refused and empty.intersection(one.types)), None)
