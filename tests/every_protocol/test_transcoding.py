"""Recorded messages of each protocol as messages of each other one, and back: what is lost has a name, what is refused
a reason, and nothing else is another.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from functools import cache
from itertools import permutations
from pathlib import Path
from typing import Any, NamedTuple

import pytest
import recorded

import tidewire
from tidewire.events import Ddl, Event, Events, RowChange, Watermark
from tidewire.messages.delivery.transcoding import Report
from tidewire.messages.registry import MemorySchemas, SavedSchemas
from tidewire.mysql import ColumnFlag, ColumnType
from tidewire.runtime.batch import Column

pytestmark = [pytest.mark.codec, pytest.mark.once]

UNDECLARED, COMPATIBLE = ("craft", "open-protocol"), "content-compatible"
"""Protocols whose rows say no declared types, which this option writes."""
NAMELESS = "updated-only"
"""Streams of Open Protocol in which the new producer loses names of columns."""
PACKED = ("lz4", "snappy", "claim", "handle-key")


def named(*names: str, what: str = "field") -> set[tuple[str, str]]:
    return {(what, name) for name in names}


TABLES = named("table_id", "table_version", "table_after", "table_before")
CHECKSUMS = named("checksum", "checksum_before", "checksum_version", "checksum_corrupted")
TYPES = named("type", "mysql_type", what="column")
FLAGS = named("binary", "generated", "multiple_key", "primary_key", "unique_key", "unsigned", what="flag")
ORDER = named("new", "old", what="columns")
STATEMENT = {("table", "of a statement")}


class Target(NamedTuple):
    """What becomes of events of other protocols."""

    lost: set[tuple[str, str]]
    """What it does not carry."""
    refused: tuple[str, ...]
    """What the reasons hold for which it refuses events."""
    most: Mapping[str, str] = {}
    """The options that say the most."""
    exact: bool = True
    """Whether its rows are those that were read, where nothing is refused."""


NO_TIME, NO_OLD, DAMAGED = "needs commit_ts", "needs a row image `old`", "float-overwritten"
NO_BOOTSTRAP, NO_DDL_TYPE = "cannot carry a bootstrap event", "ddl needs ddl_type or ddl_class"
NO_COLUMNS, NOT_TOLD = "its row image `", "which DDL type it has is not to be told"
NO_SCHEMA = "is none that a schema can have"  # a default that is an expression
TARGETS = {
    "craft": Target(
        named("commit_ms", "sent_ms", "start_ts", "row_id", "row_key", "time_zone", "types_from", "ddl_class")
        | named("handle_key_only", "claim_check", "mysql_type")
        | TABLES
        | CHECKSUMS
        | {("column", "mysql_type")}
        | ORDER,
        (NO_TIME, NO_OLD, NO_BOOTSTRAP, NO_DDL_TYPE, NO_COLUMNS, DAMAGED, NOT_TOLD, "a row image without columns"),
    ),
    "canal-json": Target(
        named("sent_ms", "start_ts", "row_id", "partition_id", "time_zone", "types_from", "ddl_type")
        | TABLES
        | CHECKSUMS
        | {("column", "mysql_type"), ("column", "type")}
        | STATEMENT
        | FLAGS
        | named("handle_key", "nullable", what="flag")
        | ORDER,
        (NO_TIME, NO_OLD, NO_BOOTSTRAP, NO_DDL_TYPE, NO_COLUMNS, DAMAGED, "column "),
        {"enable-tidb-extension": "true", "content-compatible": "true"},
        exact=False,
    ),
    "open-protocol": Target(
        named("commit_ms", "sent_ms", "start_ts", "row_key", "time_zone", "types_from", "ddl_class")
        | TABLES
        | CHECKSUMS
        | {("column", "mysql_type")}
        | STATEMENT
        | ORDER,
        (NO_TIME, NO_OLD, NO_BOOTSTRAP, NO_DDL_TYPE, NO_COLUMNS, DAMAGED, NOT_TOLD),
    ),
    "simple": Target(
        named("ddl_type", "partition_id", "row_id", "start_ts", "types_from", "time_zone")
        | named("table_after", "table_before")
        | STATEMENT
        | ORDER
        | {("column", "mysql_type")}
        | named("multiple_key", "unique_key", "generated", "binary", "handle_key", "nullable", "unsigned", what="flag"),
        (
            *(NO_TIME, NO_DDL_TYPE, DAMAGED, "column ", NO_OLD, NO_COLUMNS, "it has no checksum_before"),
            "only a part of its columns is here, and no description of its table is known that has the others",
        ),
    ),
    "debezium": Target(
        {("value", "of a column"), ("kind", "watermark"), ("kind", "ddl")}  # decimals are numbers; foreign keys, TTL
        | named("ddl_class", "ddl_type", "partition_id", "row_id", "time_zone", "types_from")
        | TABLES
        | CHECKSUMS
        | TYPES
        | FLAGS,
        (
            *("of the column", "the column has 0 labels", "a BIT(1) is 0 or 1", NO_TIME, NO_OLD, DAMAGED),
            *(NO_BOOTSTRAP, NO_SCHEMA),
            "has something else than up to 3 digits behind its seconds",
        ),
        {"enable-tidb-extension": "true"},
        exact=False,
    ),
    "avro": Target(
        named("partition_id", "row_id", "sent_ms", "start_ts", "time_zone", "types_from", "ddl_class", "commit_ms")
        | TABLES
        | CHECKSUMS
        | TYPES
        | FLAGS
        | named("handle_key", what="flag")  # the new architecture's keys have the columns of the primary key only
        | STATEMENT  # names in schemas have letters, digits and underlines
        | ORDER,
        (
            "describe its table (tables=)",  # labels, digits and lengths that rows do not say
            "has other columns than the other one",  # an update with the columns that changed
            *(NO_OLD, NO_BOOTSTRAP, NO_TIME, DAMAGED, "the invalid value of an ENUM", "rename one of them"),
            NOT_TOLD,
            NO_SCHEMA,
        ),
        {"enable-tidb-extension": "true", "avro-enable-watermark": "true", "avro-include-before-value": "true"}
        | {"producer": "ticdc"},
        exact=False,
    ),
    "debezium-avro": Target(
        named("partition_id", "row_id", "start_ts", "time_zone", "types_from", "ddl_class", "ddl_type")
        | TABLES
        | CHECKSUMS
        | TYPES
        | FLAGS
        | {("flag", "nullable"), ("value", "of a column"), ("kind", "ddl")},
        (
            *("describe its table (tables=)", "the column has 0 labels", "labels of the column", "a BIT(1) is 0 or 1"),
            *("has other columns than the other one", NO_OLD, NO_TIME, NO_BOOTSTRAP, "rename one of them"),
            *("more than a long of Avro has room for", "has something else than up to 3 digits"),
        ),
        {"enable-tidb-extension": "true", "avro-enable-watermark": "true"},
        exact=False,
    ),
}
PAIRS = list(permutations(TARGETS, 2))
DERIVED = ("craft", "canal-json", "open-protocol", "simple")
"""Protocols whose statements say what they are, which Debezium's do not."""
EVERY = 5
"""One stream of so many is taken for each pair, always another one."""


def lost(report: Report) -> set[tuple[str, str]]:
    """What is lost, whatever column or table it is of."""
    general = {"value": "of a column", "table": "of a statement"}
    return {(one.what, general.get(one.what, one.name)) for one in report.losses}


@cache
def streams(protocol: str) -> list[Path]:
    """Those with whole messages."""
    return [one for one in recorded.streams(protocol) if not any(word in one.name for word in PACKED)]


def registry_of(stream: Path, source: str) -> MemorySchemas:
    """The schemas that the messages of a stream name, and room for those of others."""
    path = str(stream.with_suffix(".registry.json"))
    return MemorySchemas(SavedSchemas(path).schemas if source in recorded.REGISTERED else ())


def options_of(source: str, target: str) -> dict[str, str]:
    """Those of a target that say the most."""
    undeclared = source in UNDECLARED
    return {name: value for name, value in TARGETS[target].most.items() if not (undeclared and name == COMPATIBLE)}


def rows(module: Any, values: Any, keys: Any, **given: Any) -> list[tuple[Any, ...]]:
    """What rows say, whatever order their columns are in."""
    found = module.decode_batch(values, keys, module.Options(invalid_text="bytes"), **given)
    assert not found.errors
    return [
        (one.kind, one.commit_ts, one.schema, one.table, *(dict(side or {}) for side in (one.new, one.old)))
        for one in found
        if isinstance(one, RowChange)
    ]


@pytest.mark.parametrize(("source", "target"), PAIRS, ids=map(" to ".join, PAIRS))
def test_recorded_messages_there_and_back(source: str, target: str) -> None:
    wanted = TARGETS[target]
    modules: dict[str, Any] = {name: tidewire.protocols()[name].load() for name in (source, target)}
    written = whole = derived = 0
    first = PAIRS.index((source, target)) % EVERY
    for stream in streams(source)[first::EVERY]:
        sent = list(recorded.sent(stream))
        values, keys = [one.value for one in sent], [one.key for one in sent]
        registry = registry_of(stream, source)
        given: dict[str, Any] = {"schemas": registry} if {source, target} & {*recorded.REGISTERED} else {}
        text = {"invalid-text": "bytes"}
        there, report = tidewire.transcode(values, source, target, text, options_of(source, target), keys, **given)
        assert not report.errors or recorded.option_set(stream) == NAMELESS, stream
        assert lost(report) <= wanted.lost, (stream, lost(report) - wanted.lost)
        reasons = Counter(one.reason for one in report.refused)
        assert [one for one in reasons if not any(why in one for why in wanted.refused)] == [], stream
        silent = sum(count for one, count in report.losses.items() if one.what == "kind" and "no message" in one.detail)
        events = sum(there.column("events").to_pylist())
        assert events + len(report.refused) + silent == report.events, stream
        found, found_keys, options = there.column("value"), there.column("key"), options_of(target, source)
        again, back = tidewire.transcode(found, target, source, text, options, found_keys, **given)
        assert back.errors == [], stream
        assert again.num_rows or back.refused or not back.events
        written += events
        derived += sum(report.derived.values())
        if wanted.exact and not report.errors and not {one.kind for one in report.refused} - {"ddl", "bootstrap"}:
            whole += 1
            own = given if source in recorded.REGISTERED else {}
            assert rows(modules[target], found, found_keys) == rows(modules[source], values, keys, **own), stream
    assert written > 40
    assert derived > 20 or source != "debezium" or target not in DERIVED
    assert whole > 2 or not wanted.exact or source == "avro"


ID = Column("id", ColumnType.BIGINT, int(ColumnFlag.HANDLE_KEY | ColumnFlag.PRIMARY_KEY), "bigint")
NAME = Column("name", ColumnType.VARCHAR, int(ColumnFlag.NULLABLE), "varchar(20)")
NEW, OLD, TS = {"id": 1, "name": "b"}, {"id": 1, "name": None}, 470607536966860800
HAPPENED: list[Event] = [
    RowChange("insert", TS, "s", "t", NEW, columns=[ID, NAME], sent_ms=1),
    RowChange("update", TS, "s", "t", NEW, OLD, columns=[ID, NAME], sent_ms=1),
    RowChange("delete", TS, "s", "t", None, OLD, columns=[ID, NAME], sent_ms=1),
    Ddl(TS, "s", "t", 3, "create table t (id bigint primary key, name varchar(20))", sent_ms=1),
    Watermark(TS, sent_ms=1),
]
OF_DDL, DECLARED = ("field", "ddl_type"), ("column", "mysql_type")
ITSELF: dict[str, tuple[set[tuple[str, str]], set[tuple[str, str]]]] = {
    "craft": ({DECLARED, ("field", "sent_ms")}, set()),
    "canal-json": ({OF_DDL, ("columns", "old"), ("flag", "nullable")}, set()),
    "open-protocol": ({DECLARED, ("field", "sent_ms")}, set()),
    "simple": ({OF_DDL, *STATEMENT}, set()),
    "debezium": ({OF_DDL, DECLARED, ("flag", "primary_key")}, {OF_DDL}),
    "avro": ({DECLARED, ("flag", "primary_key"), ("column", "type"), ("field", "sent_ms")}, set()),
    "debezium-avro": (
        {OF_DDL, DECLARED, ("flag", "nullable"), ("flag", "primary_key")},
        {OF_DDL},  # a reader tells it from the statement
    ),
}
"""What a protocol loses of these events, and of what it wrote itself."""


@pytest.mark.parametrize("name", TARGETS)
def test_a_protocol_to_itself_loses_nothing_with_the_options_that_say_the_most(name: str) -> None:
    given: dict[str, Any] = {"schemas": MemorySchemas()} if name in recorded.REGISTERED else {}
    options = dict(TARGETS[name].most)
    first, report = tidewire.transcode(Events.of(HAPPENED).columns, name, name, None, options, **given)
    assert (report.refused, sum(first.column("events").to_pylist())) == ([], len(HAPPENED))
    values, keys = first.column("value"), first.column("key")
    again, second = tidewire.transcode(values, name, name, None, options, keys, **given)
    assert (lost(report), lost(second)) == ITSELF[name]
    assert second.errors == []
    assert again.select(["key", "value"]) == first.select(["key", "value"])
