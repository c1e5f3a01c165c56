"""Regressions found by the fuzzer and the differential test."""

from __future__ import annotations

import json
from typing import Any

import pytest
from fuzz.engine import resident
from manual.pages import manual, said

from tidewire import avro
from tidewire.messages.registry import MemorySchemas, RegisteredSchema
from tidewire.runtime.errors import DecodeError
from tidewire.runtime.registered import plan_store

pytestmark = pytest.mark.codec


def event_of(body: bytes, *fields: dict[str, Any]) -> Any:
    """The event of a record."""
    text = json.dumps({"type": "record", "name": "t", "namespace": "default.d", "fields": fields})
    schemas = MemorySchemas([RegisteredSchema(1, "s", 1, text)])
    (event,) = avro.decode(b"\0\0\0\0\1" + body, schemas=schemas)
    return event


def test_a_field_of_the_event_that_is_an_int_has_32_bits() -> None:
    field = {"name": "_tidb_commit_ts", "type": "int"}
    assert event_of(b"\x0e", field).commit_ts == 7
    with pytest.raises(DecodeError, match=r"_tidb_commit_ts.*4294967295"):
        event_of(b"\xfe\xff\xff\xff\x1f", field)


def labelled(word: str, allowed: str, value: bytes) -> Any:
    """The number that is read of labels."""
    kind = {"type": "string", "connect.parameters": {"tidb_type": word, "allowed": allowed}}
    return event_of(bytes((2 * len(value),)) + value, {"name": "a", "type": kind}).new["a"]


def test_labels_that_have_lost_quotes_in_a_schema_are_found() -> None:
    """TiCDC lists a label of two quotes as one, and writes it as it is (EscapeEnumAndSetOptions)."""
    assert labelled("SET", "x,',y", b"'',y") == 6
    assert labelled("ENUM", "x,',y", b"''") == 2
    assert labelled("ENUM", "x,',y", b"'") == 2


@pytest.mark.parametrize("word", ["ENUM", "SET"])
def test_two_labels_that_are_listed_alike_are_not_guessed(word: str) -> None:
    for value in (b"'", b"''"):
        with pytest.raises(DecodeError, match="one of two labels of the column that are listed alike"):
            labelled(word, "',x,'", value)
    assert labelled(word, "',x,'", b"x") == 2


def held(*schemas: list[dict[str, Any]]) -> MemorySchemas:
    """A registry with records of these fields, whose ids are counted from 1."""
    texts = [{"type": "record", "name": "t", "namespace": "default.d", "fields": fields} for fields in schemas]
    return MemorySchemas(RegisteredSchema(k, f"s{k}", 1, json.dumps(text)) for k, text in enumerate(texts, 1))


def test_a_message_of_some_bytes_takes_up_no_wide_layout() -> None:
    """Of a row that is cut off, however many columns its schema has and whatever keys are beside it."""
    wide = [{"name": f"c{k}", "type": "int"} for k in range(20_000)]
    keys = [[{"name": f"c{k}", "type": "int"}] for k in range(600)]
    decoder = avro.Decoder(schemas=held(wide, *keys))
    named = [b"\0" + k.to_bytes(4, "big") + b"\0" for k in range(2, 602)]
    value = b"\0\0\0\0\1" + bytes(60)
    decoder.decode([value], named[:1])
    before = resident()
    columns = decoder.decode([value] * len(named), named)
    assert resident() - before < 150 << 20
    assert {(error.field, error.offset) for error in columns.errors} == {("c60", 65)}
    assert (len(columns.errors), columns.num_events) == (600, 0)


def test_plans_of_schemas_are_forgotten_when_they_become_too_much(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = []

    class Counted(MemorySchemas):
        def schema(self, id: Any) -> str:
            asked.append(id)
            return super().schema(id)

    known = Counted(held(*([{"name": f"c{k}", "type": "int"}] for k in range(9))).schemas)
    values = [b"\0\0\0\0" + bytes((id, 2 * id)) for id in (1, 2, 1, 3, 4, 5, 6, 7, 8, 9, 1, 2)]
    size = len(known.schema(1))
    for most, times in [(100 * size, 9), (2 * size, 11)]:
        monkeypatch.setattr(plan_store, "MOST_TEXT", most)
        asked.clear()
        columns = avro.Decoder(schemas=known).decode(values)
        assert columns.errors == []
        assert [layout.arrays[0].to_pylist()[0] for layout in columns.layouts][:2] == [1, 2]
        assert columns.num_events == len(values)
        assert len(asked) == times
    monkeypatch.setattr(plan_store, "MOST_COLUMNS", 3)
    asked.clear()
    decoder = avro.Decoder(schemas=known)
    for _ in range(3):
        assert decoder.decode(values).num_events == len(values)
    assert len(asked) >= 18


def test_plans_that_are_used_are_not_forgotten(monkeypatch: pytest.MonkeyPatch) -> None:
    """Two generations of three plans each: one that others come between again and again is made once."""
    remembered = f"the {plan_store.MOST_PLANS:,} schemas that it used last"
    assert remembered in said(manual("avro"))
    assert f"as many as have {plan_store.MOST_TEXT >> 20} MiB of text" in said(manual("avro"))
    asked: list[Any] = []

    class Counted(MemorySchemas):
        def schema(self, id: Any) -> str:
            asked.append(id)
            return super().schema(id)

    monkeypatch.setattr(plan_store, "MOST_PLANS", 2)
    known = Counted(held(*([{"name": f"c{k}", "type": "int"}] for k in range(40))).schemas)
    decoder = avro.Decoder(schemas=known)
    for id in range(2, 41):
        found = decoder.decode([b"\0\0\0\0" + bytes((one, 2 * one)) for one in (1, id)])
        assert [layout.arrays[0].to_pylist()[0] for layout in found.layouts] == [1, id]
    assert asked == list(range(1, 41))
    decoder.decode([b"\0\0\0\0\2\2"])
    assert asked[40:] == [2], "the plan of long ago is gone"
