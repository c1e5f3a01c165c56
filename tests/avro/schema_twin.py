"""A second, naive reader of registered schemas: the record, its columns, and other fields."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from typing import Any, NamedTuple

from json_twin import ForeignError, MalformedError, encodable, need

from avro.types_twin import Type, record_of
from tidewire.mysql import declared
from tidewire.runtime.column_types import quoted_text

NULLABLE, MOST_DIGITS = 64, 65
FORMS: dict[str, dict[str, tuple[str, str]]] = {
    "INT": {"int": ("as it is", "int")},
    "INT UNSIGNED": {"int": ("unsigned", "mediumint unsigned"), "long": ("unsigned", "int unsigned")},
    "BIGINT": {"long": ("as it is", "bigint")},
    "BIGINT UNSIGNED": {"long": ("wrapped", "bigint unsigned"), "string": ("digits", "bigint unsigned")},
    "YEAR": {"int": ("as it is", "year")},
    "BIT": {"bytes": ("bits", "bit")},
    "FLOAT": {"float": ("as it is", "float")},
    "DOUBLE": {"double": ("as it is", "double")},
    "DECIMAL": {"string": ("text", "decimal"), "decimal": ("decimal", "decimal")},
    "TEXT": {"string": ("text", "longtext")},
    "BLOB": {"bytes": ("as it is", "longblob")},
    "ENUM": {"string": ("label", "enum")},
    "SET": {"string": ("labels", "set")},
    **{
        word: {"string": ("text", text)}
        for word, text in {
            "JSON": "json", "DATE": "date", "DATETIME": "datetime", "TIMESTAMP": "timestamp", "TIME": "time",
            "TiDBVECTORFloat32": "vector",
        }.items()
    },
}  # fmt: skip
"""By what `tidb_type` says and the type of Avro: how values are read, and the declared type (facts: 4.4)."""
OTHERS = {
    "int": ("as it is", "int"), "long": ("as it is", "bigint"), "float": ("as it is", "float"),
    "double": ("as it is", "double"), "boolean": ("flag", "tinyint(1)"), "bytes": ("as it is", "longblob"),
    "decimal": ("decimal", "decimal"), "string": ("text", "longtext"),
    "number of a decimal": ("number", "bigint unsigned"),
    "date": ("days", "date"), "time-millis": ("millis of a day", "time"), "time-micros": ("micros of a day", "time"),
    "timestamp-millis": ("millis", "datetime"), "timestamp-micros": ("micros", "datetime(6)"),
    "local-timestamp-millis": ("millis", "datetime"), "local-timestamp-micros": ("micros", "datetime(6)"),
}  # fmt: skip
"""The same where nothing says TiDB's type."""
LOGICAL = {
    ("bytes", "decimal"), ("int", "date"), ("int", "time-millis"), ("long", "time-micros"),
    ("long", "timestamp-millis"), ("long", "timestamp-micros"),
    ("long", "local-timestamp-millis"), ("long", "local-timestamp-micros"),
}  # fmt: skip
"""The types of Avro and the logical types that columns have."""
EXTENSION = {
    "_tidb_op": "string", "_tidb_commit_ts": "number", "_tidb_commit_physical_time": "number",
    "_tidb_row_level_checksum": "string", "_tidb_corrupted": "boolean", "_tidb_checksum_version": "number",
}  # fmt: skip
BEFORE = "_ticdc_before"


class Labels:
    """The labels of a column, as a schema lists them: commas with backslashes before them, quotes lost."""

    def __init__(self, listed: str) -> None:
        self.texts = list(_parted(listed))

    def label(self, text: str) -> int:
        """The number of a label; nothing is 0 unless it is a label."""
        if text == "" and "" not in self.texts:
            return 0
        return self._place(text, self.texts) + 1

    def labels(self, text: str) -> int:
        """The bits of labels."""
        if text == "":
            return 0
        whole = self._found(text, self.texts[:64])
        if whole is not None:
            return 1 << whole
        found = 0
        for one in text.split(","):
            found |= 1 << self._place(one, self.texts[:64])
        return found

    def _place(self, text: str, texts: list[str]) -> int:
        """The place of a label, which may have lost quotes where it is listed."""
        found = self._found(text, texts)
        if found is None:
            found = self._found(text.replace("\\'", "'").replace("''", "'"), texts)
        need(found is not None, "label")
        assert found is not None
        return found

    def _found(self, text: str, texts: list[str]) -> int | None:
        """The place of a label as it is listed, or with escapes; None where it is none, or not told from another."""
        sure = [one if "'" not in one or self.texts.count(one) == 1 else None for one in texts]
        if text in sure:
            return sure.index(text)
        for place, one in enumerate(sure):
            if one is not None and text in _spelled(one):
                return place
        return None


def _spelled(label: str) -> tuple[str, ...]:
    commas = label.replace(",", "\\,")
    slashes = label.replace("\\", "\\\\")
    return (slashes.replace(",", "\\,"), commas, slashes, label.replace("\\\\", "\\"))


def _parted(listed: str) -> Iterator[str]:
    """The labels of a list."""
    label, letters = "", iter(listed)
    for letter in letters:
        if letter == ",":
            yield label
            label = ""
        elif letter == "\\":
            behind = next(letters, "")
            label += behind if behind == "," else letter + behind
        else:
            label += letter
    yield label


class ColumnSchema(NamedTuple):
    """A column."""

    name: str
    primitive: str
    null: int | None
    """Which of two branches is null; None: it is no union. So it is with others."""
    form: str
    type: int
    flags: int
    declared: str
    exact: bool
    scale: int = 0
    numbers: Any = None


class Scalar(NamedTuple):
    """A field that says something of the event."""

    name: str
    primitive: str
    null: int | None


class RecordSchema(NamedTuple):
    """A record, or the record in it."""

    database: str | None
    table: str
    null: int | None
    fields: tuple[Any, ...]

    @property
    def columns(self) -> list[ColumnSchema]:
        """Those of its fields that are columns."""
        return [one for one in self.fields if isinstance(one, ColumnSchema)]

    @property
    def types_from(self) -> str | None:
        """By what types are known that the schema does not say in TiDB's words, those of the row before among them."""
        inner = (column for one in self.fields if isinstance(one, RecordSchema) for column in one.columns)
        return None if all(one.exact for one in (*self.columns, *inner)) else "record"


@lru_cache(1024)
def schema_of(text: str, key: bool) -> RecordSchema:
    """The record that a schema says.

    Args:
        text: of the schema.
        key: whether it is that of keys, which have columns only.

    Raises:
        MalformedError: rows cannot be read by it.
    """
    space, name, found = record_of(text)
    database = space.rpartition(".")[2] if "." in space else None
    return _row(found, database, name, None, not key, not key)


def _row(type: Type, database: str | None, table: str, null: int | None, scalars: bool, before: bool) -> RecordSchema:
    fields: list[Any] = []
    need(type.fields is not None, "a record in itself")
    for name, one, _ in type.fields or ():
        if before and name == BEFORE and one.name == "record":
            fields.append(_row(one, database, table, one.null, False, False))
        elif scalars and name in EXTENSION and "connect.parameters" not in one.words:
            wanted = EXTENSION[name]
            need(one.name in (("int", "long") if wanted == "number" else (wanted,)), "type of a field")
            fields.append(Scalar(name, one.name, one.null))
        else:
            need(not any(isinstance(other, RecordSchema) for other in fields), "behind the row before")
            fields.append(_column(name, one))
    return RecordSchema(database, table, null, tuple(fields))


def _column(name: str, type: Type) -> ColumnSchema:
    try:
        return _known(name, type)
    except MalformedError as error:
        raise ForeignError(str(error)) from None


def _known(name: str, type: Type) -> ColumnSchema:
    parameters = type.words.get("connect.parameters", {})
    need(isinstance(parameters, dict), "parameters")
    logical = type.words.get("logicalType")
    kind = type.name
    if logical is not None:
        kind = logical if isinstance(logical, str) and (type.name, logical) in LOGICAL else "?"
    if kind == "decimal" and type.words.keys() <= {"type", "logicalType", "precision", "scale"}:
        constant = type.words.get("precision") in (8, 64) and type.words.get("scale", 0) == 0
        kind = "number of a decimal" if constant else kind
    word = parameters.get("tidb_type")
    by_word = FORMS.get(word, {}) if isinstance(word, str) else {}
    found = by_word.get(kind) or (OTHERS.get(kind) if word is None else None)
    need(found is not None, "no column")
    assert found is not None
    form, text = found
    exact = kind in by_word
    scale, numbers = 0, None
    if kind == "decimal":
        precision: Any = type.words.get("precision")
        scale = type.words.get("scale", 0)
        need(precision.__class__ is int and scale.__class__ is int and 0 <= scale <= MOST_DIGITS, "digits")
        need(scale <= precision and precision > 0, "digits")
        text += f"({precision},{scale})" if precision <= MOST_DIGITS and scale <= 30 else ""
    if form in ("label", "labels"):
        need("allowed" in parameters, "labels")
        listed = parameters["allowed"] or ""
        need(isinstance(listed, str) and encodable(listed), "labels")
        numbers = Labels(listed)
        text += f"({','.join(map(quoted_text, numbers.texts))})"
    if form == "bits" and "length" in parameters:
        length = parameters["length"]
        need(isinstance(length, str) and length.isdigit() and len(length) <= 3, "length")
        text += f"({int(length)})"
    try:
        told = declared(text)
    except ValueError:
        raise MalformedError("declared type") from None
    flags = told.flags | (NULLABLE if type.null is not None else 0)
    return ColumnSchema(name, type.name, type.null, form, told.type, flags, text, exact, scale, numbers)
