"""The result for a message does not depend on other messages in the batch or their order."""

from __future__ import annotations

import json
from collections.abc import Callable
from itertools import product
from typing import Any

import pytest
from debezium import blocks
from debezium_avro.envelopes import SOURCE, known
from debezium_avro.recordings import framed
from debezium_avro.test_unknown_types_of_records import envelope, record, typed
from hypothesis import given
from hypothesis import strategies as st

from tidewire import avro, debezium, debezium_avro
from tidewire.events import Events
from tidewire.tables import TableStore

pytestmark = [
    pytest.mark.codec,
    pytest.mark.filterwarnings("ignore::tidewire.runtime.connect.unknown.UnknownTypeWarning"),
]

DECLARED = ("int", "enum('x','y')", r"enum('a\\','b','c')", "enum('a,b','c')", "varchar(9)", "date", "decimal(9,3)")
"""What a column has been, each from a time on."""
LISTS = ("x,y", "a\\,b,c", "y,x")
VALUES: tuple[Any, ...] = ("x", "c", "a,b", "", None)
Sent = tuple[bytes | None, bytes | None]


def tables() -> TableStore:
    found = TableStore()
    for version, declaration in enumerate(DECLARED, 1):
        for table in ("t", "u"):
            found.add_sql(f"create table d.{table} (id int primary key, v {declaration})", version=version << 30)
    return found


def enum(allowed: str, tidb: str | None = None) -> dict[str, Any]:
    parameters = {"allowed": allowed} | ({} if tidb is None else {"tidb_type": tidb})
    return typed("string", None if tidb else "io.debezium.data.Enum", **{"connect.parameters": parameters})


TYPES = [["null", enum(one)] for one in LISTS] + ["int", "string", typed("string", "com.example.Text")]
TIMED = {**SOURCE, "fields": [*SOURCE["fields"], {"name": "commit_ts", "type": "long"}]}
ENVELOPES = [envelope(one) for one in TYPES]
for schema in ENVELOPES:
    schema["fields"][2] = {"name": "source", "type": TIMED}
RECORDS = [
    record(("id", "int"), ("v", one), name="t") | {"namespace": "default.d"}
    for one in ([["null", enum(listed, "ENUM")] for listed in LISTS] + ["int", "string", ["int", "string"]])
]


def of_envelopes() -> list[Sent]:
    found: list[Sent] = []
    for (number, (schema, type)), value, table, at in product(
        enumerate(zip(ENVELOPES, TYPES, strict=True), 1), (*VALUES, 5), "tu", (1, 3, 4, 7)
    ):
        if (type == "int") != (value == 5) or (value is None and not isinstance(type, list)):
            continue
        source = {"version": "3", "snapshot": "false", "db": "d", "table": table, "server_id": 1, "more": {}}
        row = {"before": None, "after": {"id": 1, "v": value}, "op": "c", "ts_ms": 1}
        text = framed(1, schema, {**row, "source": {**source, "ts_ms": 5, "commit_ts": at << 30}})
        found.append((b"\0" + number.to_bytes(4, "big") + text[5:], None))
    return found + [(one[0][:-3], None) for one in found[::9] if one[0] is not None] + [(b"\0\0\0\0\1\2\x90", None)]


def of_records() -> list[Sent]:
    found: list[Sent] = []
    for (number, schema), value in product(enumerate(RECORDS, 1), (*VALUES, 5)):
        try:
            text = framed(1, schema, {"id": 1, "v": value})
        except Exception:  # another type's value
            continue
        found.append((b"\0" + number.to_bytes(4, "big") + text[5:], None))
        found.append((found[-1][0], b"\0" + number.to_bytes(4, "big") + text[5:]))
    return found + [(one[0][:-1], None) for one in found[::5] if one[0] is not None] + [(None, found[0][0])]


def of_blocks() -> list[Sent]:
    found: list[Sent] = []
    strange = {"type": "string", "name": "com.example.Text", "optional": True, "field": "v"}
    fields = [blocks.field("string", blocks.NAME + "data.Enum", allowed=one) for one in LISTS]
    for said, value, table, at in product([*fields, blocks.field("int32"), strange], (*VALUES, 5), "tu", (1, 3, 4, 7)):
        text = blocks.message({"id": 1, "v": value}, [blocks.ID, said], table=table, commit_ts=at << 30)
        found.append((text.replace(b'"db":"s"', b'"db":"d"'), (blocks.KEY, None)[at == 1]))
    bare = [(json.dumps(json.loads(value or b"")["payload"]).encode(), key) for value, key in found[::7]]
    return found + bare + [(value[:-2], key) for value, key in found[::9] if value is not None]


def plain(columns: Any) -> dict[int, Any]:
    """What became of each message of a batch."""
    found: dict[int, Any] = {}
    event: Any
    for event, number in zip(Events(columns), columns.events["message"].to_pylist(), strict=True):
        layout = [None if one is None else one.columns for one in (event.new, event.old)]
        found[number] = (event, event.types_from, layout)
    for error in columns.errors:
        found[error.message] = (error.field, error.offset, error.code, error.detail)
    return found


CASES: dict[str, tuple[list[Sent], Callable[[], Any]]] = {
    "debezium-avro": (of_envelopes(), lambda: debezium_avro.Decoder(schemas=known(*ENVELOPES), tables=tables())),
    "debezium-avro alone": (of_envelopes(), lambda: debezium_avro.Decoder(schemas=known(*ENVELOPES))),
    "avro": (of_records(), lambda: avro.Decoder(schemas=known(*RECORDS), tables=tables())),
    "avro alone": (of_records(), lambda: avro.Decoder(schemas=known(*RECORDS))),
    "debezium": (of_blocks(), lambda: debezium.Decoder(tables=tables())),
    "debezium alone": (of_blocks(), lambda: debezium.Decoder()),
}
ALONE: dict[tuple[str, int], Any] = {}
"""What became of messages that a new decoder read by themselves."""


def alone(case: str, place: int) -> Any:
    sent, decoder = CASES[case]
    if (case, place) not in ALONE:
        value, key = sent[place]
        ALONE[case, place] = plain(decoder().attempt([value], [key])).get(0)
    return ALONE[case, place]


@pytest.mark.parametrize("case", CASES)
@given(data=st.data())
def test_a_message_is_what_it_is_by_itself(case: str, data: Any) -> None:
    sent, decoder = CASES[case]
    places = st.lists(st.integers(0, len(sent) - 1), min_size=1, max_size=12)
    own = decoder()
    for batch in data.draw(st.lists(places, min_size=1, max_size=4)):
        found = plain(own.attempt([sent[one][0] for one in batch], [sent[one][1] for one in batch]))
        for number, place in enumerate(batch):
            assert found.get(number) == alone(case, place), sent[place]
