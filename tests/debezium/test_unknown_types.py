"""Columns of unknown types: only what is unknown is lost, and each is reported once."""

from __future__ import annotations

import base64
import json
import warnings
from typing import Any

import pytest

from debezium.blocks import ID, KEY, NAME, Field, field, message
from tidewire import debezium
from tidewire.events import RowChange
from tidewire.mysql import ColumnFlag
from tidewire.runtime.connect import unknown
from tidewire.runtime.connect.unknown import UnknownTypeWarning
from tidewire.tables import ColumnDescription, TableDescription, TableStore

pytestmark = pytest.mark.codec


def nested(type: str, name: str | None = None, **more: Any) -> Field:
    found: Field = {"type": type, "optional": True, **more, "field": "v"}
    return found if name is None else {**found, "name": name, "version": 1}


def read(value: object, said: Field, **options: Any) -> Any:
    """The event of a row with such a column."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UnknownTypeWarning)
        found = debezium.decode_batch([message({"id": 1, "v": value}, [ID, said])], [KEY], **options)
    assert not found.errors, found.errors
    (event,) = found
    assert isinstance(event, RowChange)
    assert event.new is not None
    assert event.new["id"] == 1
    return event


FLOATS: dict[str, Any] = {"items": {"type": "float", "optional": False}}
DOUBLES: dict[str, Any] = {"items": {"type": "double", "optional": False}}
STRUCT: dict[str, Any] = {"fields": [{"type": "int32", "optional": True, "field": "a"}]}


@pytest.mark.parametrize(
    ("said", "value", "read_as", "type"),
    [
        (
            nested("string", "com.example.debezium.datetime.string"),
            "2023-01-01 08:00:00",
            "2023-01-01 08:00:00",
            "longtext",
        ),
        (nested("int64", "com.example.Money"), -5, -5, "bigint"),
        (nested("int32", "com.example.Small"), 7, 7, "int"),
        (nested("int16", "com.example.Small"), 7, 7, "smallint"),
        (nested("int8", "com.example.Small"), -7, -7, "tinyint"),
        (nested("int8"), -7, -7, "tinyint"),
        (nested("boolean", "com.example.Yes"), True, 1, "bit(1)"),
        (nested("double", "com.example.Real"), 0.1, 0.1, "double"),
        (nested("float", "com.example.Real"), 0.5, 0.5, "float"),
        (nested("bytes", "com.example.Bytes"), "AAE=", b"\0\1", "longblob"),
        (nested("string", "io.debezium.data.Xml"), "<a/>", "<a/>", "longtext"),
        (nested("string", "io.debezium.data.Uuid"), "0-1", "0-1", "longtext"),
        (nested("string", "io.debezium.time.ZonedTime"), "01:02:03Z", "01:02:03Z", "longtext"),
        (nested("int64", "io.debezium.time.MicroDuration"), 5, 5, "bigint"),
        (nested("int32", "io.debezium.time.Time"), 3723004, "01:02:03.004", "time"),
        (
            nested("array", "io.debezium.data.FloatVector", **FLOATS),
            [1.0, 2.5, -3.25, 0.1],
            "[1,2.5,-3.25,0.1]",
            "vector",
        ),
        (nested("array", "io.debezium.data.FloatVector", **FLOATS), [], "[]", "vector"),
        (
            nested("array", "io.debezium.data.DoubleVector", **DOUBLES),
            [1.0, 0.30000000000000004],
            "[1,0.30000000000000004]",
            "vector",
        ),
        (nested("array", **FLOATS), [1.0, 2], "[1.0, 2]", "json"),
        (nested("array", "com.example.List", **FLOATS), [[1], {"a": '\u00e9"'}], '[[1], {"a": "\\u00e9\\""}]', "json"),
        (nested("map"), {"a": None}, '{"a": null}', "json"),
        (nested("struct", "com.example.Struct", **STRUCT), {"a": 1}, '{"a": 1}', "json"),
        (nested("struct", "io.debezium.data.VariableScaleDecimal"), {"scale": 2, "value": "MDk="}, "123.45", "decimal"),
        (nested("uint128"), 5, "5", "unspecified"),
        (nested("uint128", "com.example.Big"), "5", "5", "unspecified"),
        ({"type": 7, "optional": True, "field": "v"}, {"a": [1]}, '{"a": [1]}', "unspecified"),
        ({"optional": True, "field": "v"}, "x", "x", "unspecified"),
        # what says of itself what cannot be
        (field("int32", None, "zzz"), 7, 7, "int"),
        (field("string", None, "bigint"), "7", "7", "longtext"),
        ({**field("int32", None, "int"), "parameters": [1]}, 7, 7, "int"),
        ({**field("string", "io.debezium.data.Enum"), "parameters": {"allowed": 5}}, "a", "a", "longtext"),
        (
            {**field("bytes", "org.apache.kafka.connect.data.Decimal"), "parameters": {"scale": "-3"}},
            "AAE=",
            b"\0\1",
            "longblob",
        ),
        ({**field("bytes", "io.debezium.data.Bits"), "parameters": {"length": "many"}}, "AAE=", b"\0\1", "longblob"),
        (field("string", "io.debezium.data.Enum"), "a", "a", "longtext"),
        (field("string", "io.debezium.data.EnumSet", "set"), "a,b", "a,b", "longtext"),
        # a name of a type that TiDB does not have says nothing against the others
        (field("int32", "io.debezium.time.Date", "zzz"), 1, "1970-01-02", "date"),
    ],
)
def test_a_column_of_an_unknown_type_is_read_by_its_connect_type(
    said: Field, value: object, read_as: object, type: str
) -> None:
    event = read(value, said)
    assert event.new["v"] == read_as
    assert event.types_from == "connect"
    told = {one.name: one for one in debezium_columns(message({"id": 1, "v": value}, [ID, said]))}
    assert told["v"].mysql_type in (type, None if type == "unspecified" else type)
    assert read(None, said).new == {"id": 1, "v": None}


def debezium_columns(value: bytes) -> list[Any]:
    """The columns of the layout that a message leaves."""
    (layout,) = debezium.Decoder().decode([value], [KEY]).layouts
    return list(layout.columns)


@pytest.mark.parametrize(
    ("said", "value"),
    [
        (nested("array", "io.debezium.data.FloatVector", **FLOATS), [1, "x"]),
        (nested("array", "io.debezium.data.FloatVector", **FLOATS), [1, None]),
        (nested("array", "io.debezium.data.FloatVector", **FLOATS), {"a": 1}),
        (nested("array", "io.debezium.data.FloatVector", **FLOATS), [1e300]),
        (nested("array", "io.debezium.data.DoubleVector", **DOUBLES), "[1, 1" + "0" * 400 + "]"),
        (nested("struct", "io.debezium.data.VariableScaleDecimal"), {"scale": 2}),
        (nested("struct", "io.debezium.data.VariableScaleDecimal"), {"scale": 1000000000, "value": "MDk="}),
        (nested("struct", "io.debezium.data.VariableScaleDecimal"), {"scale": 2, "value": ""}),
        (nested("struct", "io.debezium.data.VariableScaleDecimal"), {"scale": 2, "value": "A" * 44}),
        (nested("struct", "io.debezium.data.VariableScaleDecimal"), {"scale": 2, "value": "A"}),
        (nested("struct", "io.debezium.data.VariableScaleDecimal"), [2, "MDk="]),
    ],
)
def test_a_value_that_is_none_of_its_known_type_is_an_error(said: Field, value: object) -> None:
    text = f'{{"id":1,"v":{value if isinstance(value, str) and value[0] == "[" else json.dumps(value)}}}'
    found = debezium.decode_batch([message(text, [ID, said])], [KEY])
    (error,) = found.errors
    assert error.field == "after/v"


@pytest.mark.parametrize(
    ("number", "scale", "text"),
    [
        (12345, 2, "123.45"),
        (-12345, 2, "-123.45"),
        (5, 3, "0.005"),
        (-5, 3, "-0.005"),
        (0, 2, "0.00"),
        (0, -2, "0"),
        (12, -3, "12000"),
        (-(10**65) + 1, 30, "-" + "9" * 35 + "." + "9" * 30),
        (7, 0, "7"),
    ],
)
def test_a_decimal_has_the_digits_that_its_scale_says(number: int, scale: int, text: str) -> None:
    image = base64.b64encode(number.to_bytes(28, "big", signed=True)).decode()
    value = {"value": image, "scale": scale}
    assert read(value, nested("struct", "io.debezium.data.VariableScaleDecimal")).new["v"] == text


def test_a_description_says_more() -> None:
    described = TableDescription(
        "s", "t", [ColumnDescription("id", "int"), ColumnDescription("v", "varchar", length=20)]
    )
    tables = TableStore([described])
    assert read("a", nested("string", "com.example.Text"), tables=tables).types_from == "described"
    labels = TableStore(
        [
            TableDescription(
                "s", "t", [ColumnDescription("id", "int"), ColumnDescription("v", "enum", labels=("a", "b"))]
            )
        ]
    )
    enum = read("b", field("string", "io.debezium.data.Enum"), tables=labels)
    assert (enum.new["v"], enum.types_from) == (2, "described")
    # a text is no DATETIME of a description
    assert read("a", nested("string", "com.example.Text"), tables=TableStore()).types_from == "connect"
    # TiDB's name of the type is none that is known
    assert read("a", field("string", None, "zzz"), tables=tables).types_from == "described"


def test_columns_of_the_key_are_known_whatever_their_types() -> None:
    parts = [{"type": "int32", "optional": False, "field": "id"}, nested("struct", "com.example.Struct", **STRUCT)]
    block = {"type": "struct", "fields": parts, "optional": False, "name": "x.Key"}
    key = json.dumps({"schema": block, "payload": {"id": 1, "v": {"a": 1}}}).encode()
    found = debezium.Decoder().decode([message({"id": 1, "v": {"a": 1}}, [ID, parts[1]])], [key])
    assert not found.errors
    (layout,) = found.layouts
    handle = ColumnFlag.HANDLE_KEY
    assert [bool(one.flags & handle) for one in layout.columns] == [True, True]


def warned(values: list[bytes], decoder: debezium.Decoder) -> list[str]:
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        assert not decoder.decode(values, [KEY] * len(values)).errors
    return [str(one.message) for one in said]


def test_it_is_named_once() -> None:
    strange = nested("string", "com.example.Text")
    values = [message({"id": 1, "v": "x"}, [ID, strange], table=table) for table in "abab"]
    decoder = debezium.Decoder()
    assert warned(values, decoder) == [
        f"debezium: s.{table}: column 'v' is string named 'com.example.Text', which is none of the types that are "
        "known: it is read as longtext"
        for table in "ab"
    ]
    assert warned(values, decoder) == warned(values, debezium.Decoder()) == []
    other = nested("string", "com.example.Other")
    assert len(warned([message({"id": 1, "v": "x"}, [ID, other], table="a")], decoder)) == 1


def test_known_types_are_not_named() -> None:
    known = [ID, nested("array", "io.debezium.data.FloatVector", **FLOATS)]
    assert warned([message({"id": 1, "v": [1.5]}, known)], debezium.Decoder()) == []
    assert warned([message({"id": 1, "v": 1}, [ID, field("int32")])], debezium.Decoder()) == []


def test_so_many_are_named_at_most(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(unknown, "MOST_SAID", 3)
    columns = [ID, *({"type": "string", "name": "X", "field": f"c{k}"} for k in range(9))]
    row = {"id": 1} | {f"c{k}": "" for k in range(9)}
    assert len(warned([message(row, columns)], debezium.Decoder())) == 3


FITTING: dict[str, Any] = {
    "int32": 5,
    "int64": 5,
    "string": "x",
    "bytes": "eA==",
    "boolean": True,
    "double": -1.5,
    "struct": {"a": 1},
    "array": [1, 2],
    "map": {"a": 1},
}
ANYTHING: tuple[Any, ...] = (None, True, 5, -1.5, "x", [1, 2], {"a": 1}, [], {}, "\u2028", 1e300, 10**22)


@pytest.mark.parametrize("name", [None, "com.acme.Foo", f"{NAME}data.Enum", 5, ["x"]])
@pytest.mark.parametrize("type", [*FITTING, "union", "uint128", "", None, 5, ["null", "int"], {"type": "int32"}])
def test_no_type_costs_a_row(type: Any, name: Any) -> None:
    more = {"struct": STRUCT, "array": {"items": {"type": "int32"}}}.get(type if isinstance(type, str) else "", {})
    for value in (FITTING[type],) if isinstance(type, str) and type in FITTING else ANYTHING:
        said: Any = {"type": type, "field": "v", **more} | ({} if name is None else {"name": name})
        assert read(value, said).new["id"] == 1


NO_OPTION_READS = ("int8", "int16", "int32", "int64", "float", "double", "boolean", "bytes", "struct", "array", "map")
MISFITS: tuple[Any, ...] = (True, 5, -1.5, "x y", "12", [1], {"a": 1}, 2**70, "\u2028", 10**400)


def events_of(messages: list[bytes]) -> list[RowChange]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UnknownTypeWarning)
        found = debezium.decode_batch(messages, [KEY] * len(messages))
    assert not found.errors, found.errors
    return [one for one in found if isinstance(one, RowChange)]


@pytest.mark.parametrize("type", NO_OPTION_READS)
def test_a_value_that_is_none_of_the_type_of_an_unknown_column_is_its_text(type: str) -> None:
    """The rows before and behind it are read as they are without it, and so are all others of its own row."""
    said = nested(type, "com.acme.Foo", **({"struct": STRUCT, "array": {"items": {"type": "int32"}}}.get(type, {})))
    fitting = FITTING.get(type, 1)
    other = nested("int64", "com.acme.Bar") | {"field": "w"}
    (usual,) = events_of([message({"id": 1, "v": fitting, "w": 7}, [ID, said, other])])
    for value in MISFITS:
        rows = [{"id": 1, "v": one, "w": 7} for one in (fitting, value, fitting, value, fitting)]
        found = events_of([message(row, [ID, said, other]) for row in rows])
        assert [found[0], found[2], found[4]] == [usual] * 3
        assert found[1] == found[3] == events_of([message(rows[1], [ID, said, other])])[0]
        assert (found[1].new or {})["w"] == 7
        if found[1].columns[1].mysql_type == "unspecified":
            text = value if isinstance(value, str) else json.dumps(value)
            assert (found[1].new or {})["v"] == text


def test_many_values_that_are_none_of_their_types() -> None:
    columns = [ID, *(nested("int64", "com.acme.Foo") | {"field": f"c{k}"} for k in range(300))]
    row = {"id": 1} | {f"c{k}": f"no number {k}" for k in range(300)}
    (event,) = events_of([message(row, columns)])
    assert event.new == row
    assert {one.mysql_type for one in event.columns[1:]} == {"unspecified"}


def test_the_value_of_a_known_type_that_it_cannot_have_is_an_error_beside_an_unknown_one() -> None:
    said = nested("int64", "com.acme.Foo")
    values = [message({"id": "x", "v": "y"}, [ID, said]), message({"id": 1, "v": "y"}, [ID, said])]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UnknownTypeWarning)
        found = debezium.decode_batch(values, [KEY, KEY])
    assert [str(one) for one in found.errors] == [str(debezium.decode_batch(values[:1], [KEY]).errors[0])]
    assert "after/id" in str(found.errors[0])
    (event,) = found
    assert isinstance(event, RowChange)
    assert event.new == {"id": 1, "v": "y"}


def test_what_is_read_as_text_is_warned_of() -> None:
    said = nested("int64", "com.acme.Foo")
    texts = warned([message({"id": 1, "v": "y"}, [ID, said])], debezium.Decoder())
    assert any("column 'v' is 'int64' in the schema block, and a value of it is not" in one for one in texts)
