"""Kafka Connect's words in record schemas (`schemas.connect`): the version of a record, TiDB's name of a column type,
and how NULL in a column with a default is written.
"""

from __future__ import annotations

from collections.abc import Iterator

from ...problems import Problem, problem, quoted
from .context import RegisteredContext


def check(context: RegisteredContext) -> list[Problem]:
    """The problems of this pass."""
    return list(_of_others(context)) if context.protocol.schemas.connect is None else []


def _of_others(context: RegisteredContext) -> Iterator[Problem]:
    """Reports words for Kafka Connect's schemas in a protocol that does not have them."""
    for record in context.protocol.records.values():
        if record.version is not None:
            text = f"the version of {quoted(record.part)} is of schemas of Kafka Connect"
            yield problem(record.at("version"), text, "Remove it.")
    said = context.protocol.schema_types
    for word in () if said is None else ("exact", "source"):
        if said is not None and word in said.words:
            text = f"{word}: is of schemas of Kafka Connect"
            yield problem(said.at(word), text, "Say parameters: in the types instead.")
