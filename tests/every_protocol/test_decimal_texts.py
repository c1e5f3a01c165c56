"""DECIMAL values have one canonical text in events and messages."""

from __future__ import annotations

import importlib
import json
import pickle
import time
from decimal import Context
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from json_twin import MalformedError
from json_twin import decimal as slowly

from tidewire import canal_json, craft, debezium, open_protocol
from tidewire.events import Column, Events, RowChange
from tidewire.messages.registry import MemorySchemas
from tidewire.mysql import ColumnFlag, ColumnType
from tidewire.runtime.arrow.decimal_texts import DECIMAL_TYPE, MOST_DIGITS, spelled
from tidewire.runtime.batch import Layout
from tidewire.runtime.errors import DecodeError, EncodeError
from tidewire.tables import TableStore

pytestmark = pytest.mark.codec

ONE_SPELLING = {
    "0E-10": "0.0000000000",
    "1.2E-9": "0.0000000012",
    "1.2e-09": "0.0000000012",
    "-1.20E+1": "-12.0",
    "1e3": "1000",
    "1E+64": "1" + "0" * 64,
    "0e999999999": "0",
    "+5": "5",
    ".5": "0.5",
    "5.": "5",
    "-.0": "0.0",
    "-.50": "-0.50",
    "-0": "0",
    "-0.000": "0.000",
    "007": "7",
    "-007.10": "-7.10",
    "00": "0",
    " 5 ": "5",
    "\t-5\r\n": "-5",
}
USUAL = ["0", "0.00", "-0.01", "5", "-5", "1.50", "10", "9" * 65, f"{'9' * 35}.{'9' * 30}", "9" * 100]
NONE = ["", ".", "-", "+", "e5", "1e", "1.2.3", "abc", "NaN", "Infinity", "0x10", "1_0", "--5", "5 5", "5e1.5"]
TOO_MANY = ["1E999999999", "1e65", "-1E-66", "0E-66", "1E-999999999999999999999", "+" + "9" * 66]
COLUMNS = (
    Column("id", ColumnType.INT, ColumnFlag.HANDLE_KEY | ColumnFlag.PRIMARY_KEY, "int"),
    Column("d", ColumnType.DECIMAL, ColumnFlag.NULLABLE, "decimal(20,10)"),
)
CODECS = ("canal-json", "craft", "debezium", "open-protocol", "avro", "debezium-avro")


def module_of(protocol: str) -> Any:
    return importlib.import_module("tidewire." + protocol.replace("-", "_"))


def row(value: str | bytes | None, **more: Any) -> RowChange:
    return RowChange("insert", 1 << 40, "s", "t", new={"id": 1, "d": value}, columns=COLUMNS, sent_ms=5, **more)


# ---- the kernel


def test_the_code_of_the_type() -> None:
    assert DECIMAL_TYPE == ColumnType.DECIMAL


@pytest.mark.parametrize(("text", "right"), [*ONE_SPELLING.items(), *zip(USUAL, USUAL, strict=True)])
def test_a_number_has_one_spelling(text: str, right: str) -> None:
    assert spelled(text.encode()) == right.encode()
    assert slowly(text) == right


@pytest.mark.parametrize("text", NONE)
def test_what_is_no_number_has_none(text: str) -> None:
    assert spelled(text.encode()) is None


@pytest.mark.parametrize("text", TOO_MANY)
def test_too_many_digits_are_refused_at_once(text: str) -> None:
    before = time.process_time()
    with pytest.raises(ValueError, match=f"more digits than a DECIMAL, which has {MOST_DIGITS}"):
        spelled(text.encode())
    assert time.process_time() - before < 1
    with pytest.raises(MalformedError):
        slowly(text)


@given(st.from_regex(r"\A ?[-+]?[0-9]{0,40}\.?[0-9]{0,40}([eE][-+]?[0-9]{1,3})? ?\Z"))
def test_it_is_the_same_number(text: str) -> None:
    try:
        found: Any = (spelled(text.encode()) or text.encode()).decode()
    except ValueError:
        found = None
    try:
        wanted = slowly(text)
    except MalformedError:
        wanted = None
    usual = found == text
    assert found == wanted or (usual and wanted is None) or (found is None and wanted == text)
    if found is not None and found != text:
        exact = Context(prec=400)
        assert exact.create_decimal(found) == exact.create_decimal(text.strip())


# ---- decoders


def canal(value: Any) -> bytes:
    said = {
        "id": 0, "database": "s", "table": "t", "pkNames": ["id"], "isDdl": False, "type": "INSERT", "es": 1, "ts": 1,
        "sql": "", "sqlType": {"id": 4, "d": 3}, "mysqlType": {"id": "int", "d": "decimal(20,10)"},
        "data": [{"id": "1", "d": value}], "old": None,
    }  # fmt: skip
    return json.dumps(said).encode()


def opened(value: Any) -> tuple[bytes, bytes]:
    (sent,) = open_protocol.encode([row("1.50")])
    assert sent.key is not None
    assert sent.value is not None
    body = sent.value[8:].replace(b'"1.50"', json.dumps(value).encode())
    return sent.key, len(body).to_bytes(8, "big") + body


def test_canals_own_numbers() -> None:
    bare = canal("X").replace(b'"X"', b"1.20E-3")
    assert values(canal_json.decode_batch([bare])) == ["0.00120"]


def values(columns: Any) -> list[Any]:
    assert columns.errors == []
    return [event.new["d"] for event in columns]


@pytest.mark.parametrize("times", [1, 5])
def test_texts_of_canal_json(times: int) -> None:
    sent = [canal(text) for text in (*ONE_SPELLING, *USUAL)] * times
    assert values(canal_json.decode_batch(sent)) == [*ONE_SPELLING.values(), *USUAL] * times
    for one, right in zip(sent, [*ONE_SPELLING.values(), *USUAL], strict=False):
        (event,) = canal_json.decode(one)
        assert isinstance(event, RowChange)
        assert event.new is not None
        assert event.new["d"] == right


@pytest.mark.parametrize("text", NONE)
def test_a_text_that_is_no_number_costs_its_message(text: str) -> None:
    sent = [canal("1.5"), canal(text), canal(None), canal("2E1"), b"{", canal(text)]
    found = canal_json.decode_batch(sent)
    assert [event.new["d"] for event in found if isinstance(event, RowChange) and event.new] == ["1.5", None, "20"]
    assert [error.message for error in found.errors] == [1, 4, 5]
    assert str(found.errors[0]) == (
        f"canal-json d: {text!r} is no DECIMAL: a number is expected, such as -12.50 (offset 0)"
    )
    with pytest.raises(DecodeError, match="is no DECIMAL: a number is expected"):
        canal_json.decode(canal(text))


@pytest.mark.parametrize("protocol", [*CODECS, "simple"])
@pytest.mark.parametrize("damaged", [b"EOQ=AAA", b"1.2.3.4", b"nothing"])
def test_of_every_protocol_that_carries_text(protocol: str, damaged: bytes) -> None:
    """In batches and alone; its neighbours are read."""
    codec = module_of(protocol)
    options = codec.Options(**{"avro_decimal_handling_mode": "string"} if "avro" in protocol else {})
    given: dict[str, Any] = {"schemas": MemorySchemas(), "tables": described()} if "avro" in protocol else {}
    changes: list[Any] = [row("1234567"), row("7654321")]
    if protocol == "simple":
        given = {"tables": versioned()}
        changes = [row("1234567", table_version=5), row("7654321", table_version=5)]
    if protocol == "debezium":
        options, given = codec.Options(decimal_handling_mode="string"), {"tables": described()}
        sent = [json.dumps(envelope(text)).encode() for text in ("1234567", "7654321")]
        keys: list[Any] = [None, None]
    else:
        made = [codec.encode([one], options, **given)[-1] for one in changes]
        sent, keys = [one.value for one in made], [one.key for one in made]
    assert b"1234567" in sent[0]
    bad = sent[0].replace(b"1234567", damaged)
    known = dict(given)
    columns = codec.decode_batch([sent[0], bad, sent[1]], [keys[0], keys[0], keys[1]], options, **known)
    assert [event.new["d"] for event in columns] == ["1234567", "7654321"]
    (error,) = columns.errors
    assert (error.message, error.code) == (1, "value")
    assert f"d: {damaged.decode()!r} is no DECIMAL: a number is expected, such as -12.50" in str(error)
    with pytest.raises(DecodeError, match="is no DECIMAL: a number is expected"):
        codec.decode(bad, keys[0], options, **known)


def versioned() -> TableStore:
    store = TableStore()
    store.add_sql("create table t (id int primary key, d decimal(20,10))", "s", 5)
    return store


@pytest.mark.parametrize("text", TOO_MANY)
def test_a_decimal_that_is_none_costs_its_message(text: str) -> None:
    sent = [canal("1.5"), canal(text), canal(None), canal("2E1"), b"{", canal(text)]
    found = canal_json.decode_batch(sent)
    assert [event.new["d"] for event in found if isinstance(event, RowChange) and event.new] == ["1.5", None, "20"]
    assert [error.message for error in found.errors] == [1, 4, 5]
    assert "canal-json d: " in str(found.errors[0])
    assert "is no DECIMAL: it has more digits than a DECIMAL, which has 65 at most" in str(found.errors[0])
    assert len(str(found.errors[0])) < 300
    with pytest.raises(DecodeError, match="more digits"):
        canal_json.decode(canal(text))


def test_old_images_too() -> None:
    said = json.loads(canal("+5"))
    said.update(type="UPDATE", old=[{"d": "1E2"}])
    (event,) = canal_json.decode(json.dumps(said).encode())
    assert isinstance(event, RowChange)
    assert (dict(event.new or {}), dict(event.old or {})) == ({"id": 1, "d": "5"}, {"d": "100"})


def test_texts_of_open_protocol() -> None:
    sent = [opened(text) for text in (*ONE_SPELLING, *USUAL)]
    found = open_protocol.decode_batch([value for _, value in sent], [key for key, _ in sent])
    assert values(found) == [*ONE_SPELLING.values(), *USUAL]


def test_texts_of_craft() -> None:
    (sent,) = craft.encode([row("1234567")])
    assert sent.value is not None
    for text, right in (("1.2E-04", "0.00012"), ("+123456", "123456"), ("-000.50", "-0.50"), ("1234567", "1234567")):
        assert values(craft.decode_batch([sent.value.replace(b"1234567", text.encode())])) == [right]


def test_texts_of_debezium_with_a_description() -> None:
    """`decimal.handling.mode=string`."""
    found = []
    for text in (*ONE_SPELLING, *USUAL):
        found.append(json.dumps(envelope(text)).encode())
    options = debezium.Options(decimal_handling_mode="string")
    columns = debezium.decode_batch(found, None, options, tables=described())
    assert values(columns) == [*ONE_SPELLING.values(), *USUAL]


def envelope(text: str) -> dict[str, Any]:
    source = {"db": "s", "table": "t", "ts_ms": 1, "name": "n", "connector": "mysql", "snapshot": "false"}
    return {"payload": {"before": None, "after": {"id": 1, "d": text}, "op": "c", "ts_ms": 1, "source": source}}


def described() -> TableStore:
    store = TableStore()
    store.add_sql("create table t (id int primary key, d decimal(20,10))", "s")
    return store


# ---- encoders


@pytest.mark.parametrize("protocol", CODECS)
def test_encoders_write_no_other_spelling(protocol: str) -> None:
    codec = module_of(protocol)
    string = {"avro_decimal_handling_mode": "string"} if "avro" in protocol else {}
    for options in ({}, string):
        given: dict[str, Any] = {}
        if "avro" in protocol:
            given = {"schemas": MemorySchemas(), "tables": described()}
        chosen = codec.Options(**options)
        for text, right in ONE_SPELLING.items():
            if len(right) > 20 and not string:
                continue
            (sent,) = codec.encode([row(text)], chosen, **given)
            again = codec.encode([row(right)], chosen, **given)
            assert (sent.key, sent.value) == (again[0].key, again[0].value), text


@pytest.mark.parametrize("protocol", ["canal-json", "craft", "open-protocol"])
def test_encoders_refuse_what_no_decimal_is(protocol: str) -> None:
    codec = module_of(protocol)
    with pytest.raises(EncodeError, match="more digits than a DECIMAL") as caught:
        codec.encode([row("1"), row("1E999999999")])
    assert (caught.value.event, caught.value.column) == (1, "d")
    for text in NONE:
        with pytest.raises(EncodeError, match="is no DECIMAL: a number is expected") as caught:
            codec.encode([row("1"), row(text)])
        assert (caught.value.event, caught.value.column) == (1, "d")


def test_a_number_is_not_written_through_a_double_that_has_other_digits_than_any_decimal() -> None:
    """A double of 65 nines has 66 digits, and all of them: what reads it writes it again."""
    options = debezium.Options(enable_tidb_extension=True)
    columns = (COLUMNS[0], Column("d", ColumnType.DECIMAL, ColumnFlag.NULLABLE, "decimal(65,0)"))

    def change(text: str) -> RowChange:
        return RowChange("insert", 1 << 40, "s", "t", new={"id": 1, "d": text}, columns=columns, sent_ms=5)

    for text in ("1" + "0" * 65, "-1" + "0" * 64):
        (sent,) = debezium.encode([change(text)], options)
        assert values(debezium.decode_batch([sent.value or b""], None, options)) == [text]
    (sent,) = debezium.encode([change("9" * 65)], options)
    assert values(debezium.decode_batch([sent.value or b""], None, options)) == ["1" + "0" * 65]
    for text in ("9" * 66, "-" + "1" * 66, "0." + "1" * 65, "1" * 40 + "." + "2" * 26, "9" * 130, "1" + "0" * 64 + "1"):
        with pytest.raises(EncodeError, match="it has more digits than a DECIMAL, which has 65 at most") as caught:
            debezium.encode([change("1"), change(text)], options)
        assert (caught.value.event, caught.value.column) == (1, "d")


def test_bytes_too() -> None:
    (sent,) = canal_json.encode([row(b"+5")])
    assert sent.value is not None
    assert b'"d":"5"' in sent.value


@pytest.mark.parametrize("protocol", ["canal-json", "craft", "open-protocol"])
def test_columns_of_others(protocol: str) -> None:
    """Layouts that anybody has made of Arrow arrays."""
    codec = module_of(protocol)
    columns = Events.of([row("1"), row("2")]).columns
    layout = columns.layouts[0]
    arrays = [layout.arrays[0], pa.array(["0E-2", "+7"])]
    other = columns.with_columns({}, [Layout(layout.table, layout.columns, arrays, 2)])
    sent = codec.Encoder().encode(other).to_pydict()["value"]
    right = codec.Encoder().encode(Events.of([row("0.00"), row("7")]).columns).to_pydict()["value"]
    assert sent == right
    assert other.layouts[0].arrays[1].to_pylist() == ["0E-2", "+7"]
    wrong = columns.with_columns({}, [Layout(layout.table, layout.columns, [arrays[0], pa.array(["1", "1E99"])], 2)])
    with pytest.raises(EncodeError, match="more digits than a DECIMAL") as caught:
        codec.Encoder().encode(wrong)
    assert caught.value.event == 1


def test_an_empty_text_and_a_long_one_of_spaces_are_no_numbers() -> None:
    assert spelled(b"") is None
    assert spelled(b" " * 400_000 + b"x") is None  # in time that grows with its length: each space is looked at once


def test_a_message_whose_only_decimal_is_empty_is_an_error() -> None:
    message = {
        "id": 0, "database": "s", "table": "t", "pkNames": [], "isDdl": False, "type": "INSERT", "es": 1, "ts": 2,
        "sql": "", "sqlType": {"d": 3}, "mysqlType": {"d": "decimal(20,10)"}, "old": None, "data": [{"d": ""}],
    }  # fmt: skip
    with pytest.raises(DecodeError, match="'' is no DECIMAL"):
        canal_json.decode(json.dumps(message).encode())


@pytest.mark.parametrize("protocol", ["canal-json", "craft"])
def test_an_error_of_a_decimal_knows_what_else_its_message_has(protocol: str) -> None:
    module = module_of(protocol)
    made = module.Encoder().encode(Events.of([row("12.50")]).columns)
    values = [(one or b"").replace(b"12.50", b"a sum") for one in made.column("value").to_pylist()]
    (error,) = module.Decoder().attempt(values, made.column("key").to_pylist()).errors
    other = pickle.loads(pickle.dumps(error))
    assert (str(other), other.rest) == (str(error), None)
    for one in (error, error.with_detail("it is wrong", "craft")):
        events, number = one.rest
        assert events.events.column("message").to_pylist() == [number]
        layout, at = events.images(0)[0]
        assert {c.name: array[at].as_py() for c, array in zip(layout.columns, layout.arrays, strict=True)} == {
            "id": 1,
            "d": None,
        }
