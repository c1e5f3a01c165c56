"""Tables as they are decoded from record messages: with names that Avro allows, without what records omit."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from pyspark.sql.types import StructField, StructType

from tidewire.reading.tables import same
from tidewire.runtime.connect.blocks import adjusted

if TYPE_CHECKING:
    from tidewire.messages.conformance_facts import RecordFacts
    from tidewire.runtime.batch import TableName

Name = tuple[str, str]
"""Schema and table."""
Image = Mapping[str, Any]
"""A row image by column; names that begin with `_` are not columns of the table."""

KEY_ALONE, NO_TIME, NO_BEFORE, ONE_NAME = "key-alone", "no-commit-ts", "no-row-before", "one-name-twice"
SILENCES: Mapping[str, str] = {
    KEY_ALONE: "The message of a deleted row is its key, which has no other columns.",
    NO_TIME: "A key does not say when its row was deleted.",
    NO_BEFORE: "An update has the new row only.",
    ONE_NAME: "Two columns have one name when it is made one that Avro allows: such rows are refused.",
}
"""Facts about rows that records may omit, each with a sentence for the report."""


class ToldTable(NamedTuple):
    """A table under its names in messages."""

    name: Name
    schema: StructType
    """The columns, as many and in the same order as in the table."""


def spelled_names(found: Sequence[Mapping[Name, StructType]]) -> dict[TableName, Name]:
    """The names of the tables that occur in messages of several protocols, keyed by their comparison form.

    A name that is the Avro form of another table's name is dropped, unless one protocol has both.
    """
    spelled = {same(name): name for one in reversed(found) for name in one}
    keys = [{same(name) for name in one} for one in found]
    for key, (schema, table) in list(spelled.items()):
        allowed = same((adjusted(schema), adjusted(table)))
        if allowed != key and all(key not in one for one in keys if allowed in one):
            spelled.pop(allowed, None)
    return spelled


def told_table(name: Name, schema: StructType, own: Mapping[Name, StructType]) -> ToldTable:
    """A table under the name that a protocol uses: its own, or the Avro form.

    Args:
        own: the tables found in the protocol's messages.
    """
    found = {same(each): (each, columns) for each, columns in own.items()}
    spelled = (adjusted(name[0]), adjusted(name[1]))
    told, columns = found.get(same(name)) or found.get(same(spelled)) or (name, schema)
    known = {same(("", each)) for each in columns.names}
    fields = [
        StructField(_told_column(each.name, known), each.dataType, each.nullable, each.metadata) for each in schema
    ]
    return ToldTable(told, StructType(fields))


def _told_column(name: str, known: set[TableName]) -> str:
    """The name of a column in messages whose columns have these names."""
    spelled = adjusted(name)
    return spelled if same(("", name)) not in known and same(("", spelled)) in known else name


def told_images(
    images: Sequence[Image], schema: StructType, facts: RecordFacts, options: Mapping[str, Any]
) -> tuple[list[Image], Counter[str], Counter[str]]:
    """The row images of a table, reduced to what records carry.

    Args:
        images: the complete row images.
        schema: of the table; the column metadata marks the key.
        facts: what records carry.
        options: of the messages, with the producer.

    Returns:
        The reduced images, sorted as by `in_order`; then how many values, and how many images, are not carried, by the
        names in `SILENCES` and in the protocol's spec.
    """
    keys = {field.name for field in schema if field.metadata["handle_key"]}
    twice = len({adjusted(field.name) for field in schema}) < len(schema)
    has_before = facts.told(facts.before, options)
    is_timed = facts.told(facts.deleted, options) and options["producer"] in facts.deleted_by
    told: list[Image] = []
    values: Counter[str] = Counter()
    lost: Counter[str] = Counter()
    for image in images:
        change = image["_change_type"]
        if has_before or change in ("insert", "update_postimage"):
            if twice:
                lost[ONE_NAME] += 1
            else:
                told.append(image)
        elif change == "update_preimage":
            lost[NO_BEFORE] += 1
        elif not keys:
            lost[facts.keyless] += 1
        else:
            left_out = {name: None for name in schema.names if name not in keys}
            values[KEY_ALONE] += sum(image[name] is not None for name in left_out)
            if not is_timed:
                left_out |= {"_commit_version": None, "_commit_timestamp": None}
                values[NO_TIME] += 1
            told.append({**image, **left_out})
    return in_order(told), +values, +lost


def in_order(images: Sequence[Image]) -> list[Image]:
    """Row images sorted by their values alone."""
    return sorted(images, key=lambda image: [str(value) for value in image.values()])
