"""What a registered schema says of Debezium's rows, read a second time and naively: FACTS.md, and Debezium's words.

What a declared type is (`varchar`, `enum('a')`), it asks `tidewire.mysql`.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any, NamedTuple

from avro.schema_twin import Labels
from avro.types_twin import Type, record_of
from json_twin import ForeignError, MalformedError, encodable, need

from tidewire.mysql import ColumnFlag, declared
from tidewire.runtime.column_types import quoted_text

MOST_DIGITS = 65
INTS = {"tinyint": 1, "smallint": 2, "mediumint": 9, "int": 3, "bigint": 8}
TEXTS = (15, 253, 254, 249, 250, 251, 252)
CODES = {
    "year": 13, "bit": 16, "float": 4, "double": 5, "decimal": 246, "enum": 247, "set": 248, "json": 245,
    "vector": 225, "date": 10, "datetime": 12, "time": 11, "timestamp": 7, **INTS,
}  # fmt: skip
_TIME, _DATA = "io.debezium.time.", "io.debezium.data."
TIMES = {
    "Date": ("int", "date", "date", "days"), "Timestamp": ("long", "datetime", "datetime", "millis"),
    "MicroTimestamp": ("long", "datetime", "datetime(6)", "micros"),
    "NanoTimestamp": ("long", "datetime", "datetime(6)", "nanos"),
    "MicroTime": ("long", "time", "time", "micros of a day"), "NanoTime": ("long", "time", "time", "nanos of a day"),
    "ZonedTimestamp": ("string", "timestamp", "timestamp", "zoned"), "IsoDate": ("string", "date", "date", "iso"),
    "IsoTime": ("string", "time", "time", "iso"), "IsoTimestamp": ("string", "datetime", "datetime", "iso"),
    "Year": ("int", "year", "year", "number"),
}  # fmt: skip
"""By Kafka Connect's name: the type of Avro, the one of MySQL, the declared one that it stands for, and the form."""
NAMED = {
    "Bits": ("bytes", "bit", "bit", "bits"), "Enum": ("string", "enum", "enum", "label"),
    "EnumSet": ("string", "set", "set", "labels"), "Json": ("string", "json", "json", "text"),
    "TiDBVectorFloat32": ("string", "vector", "vector", "text"),
}  # fmt: skip
DECIMAL = "org.apache.kafka.connect.data.Decimal"


class Way(NamedTuple):
    """How values of columns are written."""

    kinds: tuple[str, ...]
    """The types of MySQL, of texts and bytes too; behind integers ` unsigned` where they have no sign."""
    stands_for: str
    form: str


def _ways(type: Type) -> list[Way]:
    """The ways in which a type may be meant, the most likely one first."""
    words = type.words
    said = words.get("logicalType"), words.get("connect.name"), words.get("connect.type")
    logical, name, small = said
    if (type.name, *said) == ("bytes", "decimal", DECIMAL, None):
        return [Way(("decimal",), "decimal", "decimal")]
    if logical is not None:
        return []
    if (type.name, name, small) == ("int", None, "int16"):
        return [
            Way(("smallint", "tinyint"), "smallint", "number"),
            Way(("tinyint unsigned",), "tinyint unsigned", "natural"),
        ]
    if small is not None:
        return []
    if name is not None:
        short = name[len(_TIME) :] if isinstance(name, str) and name in {_TIME + one for one in TIMES} else None
        found = TIMES.get(short or "") or (NAMED.get(name[len(_DATA) :]) if _is_data(name) else None)
        return [Way((found[1],), found[2], found[3])] if found is not None and found[0] == type.name else []
    match type.name:
        case "int":
            unsigned = ("mediumint unsigned", "smallint unsigned")
            return [Way(("int", "mediumint"), "int", "number"), Way(unsigned, "mediumint unsigned", "natural")]
        case "long":
            return [
                Way(("bigint",), "bigint", "number"),
                Way(("int unsigned",), "int unsigned", "natural"),
                Way(("bigint unsigned",), "bigint unsigned", "wrapped"),
            ]
        case "boolean":
            return [Way(("bit",), "bit(1)", "flag")]
        case "float":
            return [Way(("float",), "float", "number")]
        case "double":
            return [Way(("double",), "double", "number"), Way(("float",), "float", "number")]
        case "string":
            others = [Way(("decimal",), "decimal", "text"), Way(("bigint unsigned",), "bigint unsigned", "digits")]
            return [Way(("text",), "longtext", "text"), *others]
        case "bytes":
            return [Way(("bytes",), "longblob", "number")]
    return []


def _is_data(name: Any) -> bool:
    return isinstance(name, str) and name.startswith(_DATA)


class ColumnSchema(NamedTuple):
    """A column."""

    name: str
    type: Type
    """Of Avro."""
    form: str
    code: int
    flags: int
    declared: str
    exact: bool
    scale: int = 0
    labels: Labels | None = None


class ImageSchema(NamedTuple):
    """A row image."""

    null: int | None
    columns: tuple[ColumnSchema, ...]


class PlainField(NamedTuple):
    """A field that is no column; `told` whether it says something of the event."""

    name: str
    type: Type
    told: bool


class SourceSchema(NamedTuple):
    """Where the event comes from."""

    null: int | None
    fields: tuple[PlainField, ...]


class RowSchema(NamedTuple):
    """The envelope of a row: images by their names, the source, and other fields, in their order."""

    fields: tuple[tuple[str, Any], ...]

    @property
    def columns(self) -> list[ColumnSchema]:
        """Those of all images."""
        return [column for _, one in self.fields if isinstance(one, ImageSchema) for column in one.columns]


TOLD = {"op": "string", "ts_ms": "long"}
TEXTS_OF_SOURCE = ("connector", "db", "table", "schema", "collection")
TOLD_OF_SOURCE = {"ts_ms": "long", "commit_ts": "long", **dict.fromkeys(TEXTS_OF_SOURCE, "string")}


@lru_cache(1024)
def row_of(text: str) -> RowSchema | Type:
    """The record that a schema of values says; a type where it is of no row.

    Raises:
        MalformedError: messages cannot be read by it.
    """
    _, _, found = record_of(text)
    assert found.fields is not None
    if not {"before", "after"} & {name for name, _, _ in found.fields}:
        return found
    fields: list[tuple[str, Any]] = []
    for name, one, _ in found.fields:
        if name in ("before", "after", "source"):
            need(one.name == "record" and one.fields is not None, "a record")
            fields.append((name, _source(one) if name == "source" else ImageSchema(one.null, _columns(one))))
        else:
            fields.append((name, _plain(name, one, TOLD)))
    return RowSchema(tuple(fields))


@lru_cache(1024)
def key_of(text: str) -> tuple[Type, tuple[ColumnSchema, ...]]:
    """The record that a schema of keys says, and its columns."""
    _, _, found = record_of(text)
    return found, _columns(found)


def _source(type: Type) -> SourceSchema:
    return SourceSchema(type.null, tuple(_plain(name, one, TOLD_OF_SOURCE) for name, one, _ in type.fields or ()))


def _plain(name: str, type: Type, told: dict[str, str]) -> PlainField:
    """A field that is no column. What a type has parameters of is one, and says nothing of the event."""
    if name not in told or "connect.parameters" in type.words:
        return PlainField(name, type, False)
    need(type.name in (("int", "long") if told[name] == "long" else ("string",)), "type of a field")
    return PlainField(name, type, True)


def called(name: str, words: dict[str, Any]) -> str:
    """What Kafka Connect calls a field."""
    said = words.get("connect.field")
    return said if isinstance(said, str) and said and encodable(said) else name


def _columns(type: Type) -> tuple[ColumnSchema, ...]:
    found = tuple(_column(called(name, words), one, words) for name, one, words in type.fields or ())
    need(len({one.name for one in found}) == len(found), "one column twice")
    return found


def _kind(code: int, flags: int) -> str:
    """The type of MySQL as ways have it."""
    name = next((name for name, one in CODES.items() if one == code), "")
    if name in INTS:
        return name + " unsigned" * bool(flags & ColumnFlag.UNSIGNED)
    if code in TEXTS:
        return "bytes" if flags & ColumnFlag.BINARY else "text"
    return name


def _declared(text: str) -> tuple[int, int]:
    try:
        found = declared(text)
    except ValueError:
        need(False, "declared type")
        raise
    return found.type, found.flags


def _column(name: str, type: Type, words: dict[str, Any]) -> ColumnSchema:
    try:
        return _known(name, type, words)
    except MalformedError as error:
        raise ForeignError(str(error)) from None


def _known(name: str, type: Type, words: dict[str, Any]) -> ColumnSchema:
    exact = words.get("tidb_type")
    ways = _ways(type)
    if isinstance(exact, str):
        kind = _kind(*_declared(exact))
        ways = [one for one in ways if kind in one.kinds]
    need(bool(ways), "no column")
    way, parameters = ways[0], type.words.get("connect.parameters", {})
    need(isinstance(parameters, dict), "parameters")
    text = exact if isinstance(exact, str) else way.stands_for
    scale, labels = 0, None
    if way.form == "decimal":
        precision, scale = type.words.get("precision"), type.words.get("scale", 0)
        need(all(one.__class__ is int and one >= 0 for one in (precision, scale)) and scale <= MOST_DIGITS, "digits")
        assert isinstance(precision, int)
        need(0 < precision >= scale, "digits")
        text += f"({precision},{scale})" if precision <= MOST_DIGITS and scale <= 30 else ""
    elif way.form in ("label", "labels"):
        need("allowed" in parameters, "labels")
        listed = parameters["allowed"] or ""
        need(isinstance(listed, str) and encodable(listed), "labels")
        labels = Labels(listed)
        text += f"({','.join(map(quoted_text, labels.texts))})"
    elif way.form == "bits" and "length" in parameters:
        length = parameters["length"]
        need(isinstance(length, str) and length.isdecimal() and len(length) <= 3, "length")
        text += f"({int(length)})"
    elif way.stands_for.startswith(f"{text}("):
        text = way.stands_for
    code, flags = _declared(text)
    return ColumnSchema(name, type, way.form, code, flags, text, isinstance(exact, str), scale, labels)
