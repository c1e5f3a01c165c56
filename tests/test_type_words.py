"""People read the names of types as statements have them: LONGTEXT is not called LONGBLOB."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pyarrow as pa
import pytest

from tidewire import avro
from tidewire.events import Column, RowChange
from tidewire.messages.registry import MemorySchemas
from tidewire.mysql import ColumnFlag, ColumnType
from tidewire.reading.infer import _facts
from tidewire.reading.typed import converter
from tidewire.reading.types import SchemaError, target_type
from tidewire.runtime.errors import EncodeError

BINARY = ColumnFlag.BINARY
WORDS = [
    (ColumnType.TINYBLOB, 0, "TINYTEXT"),
    (ColumnType.TINYBLOB, BINARY, "TINYBLOB"),
    (ColumnType.BLOB, 0, "TEXT"),
    (ColumnType.BLOB, BINARY, "BLOB"),
    (ColumnType.MEDIUMBLOB, 0, "MEDIUMTEXT"),
    (ColumnType.MEDIUMBLOB, BINARY, "MEDIUMBLOB"),
    (ColumnType.LONGBLOB, 0, "LONGTEXT"),
    (ColumnType.LONGBLOB, BINARY, "LONGBLOB"),
    (ColumnType.CHAR, 0, "CHAR"),
    (ColumnType.CHAR, BINARY, "BINARY"),
    (ColumnType.VARCHAR, 0, "VARCHAR"),
    (ColumnType.VARCHAR, BINARY, "VARBINARY"),
    (ColumnType.BIGINT, ColumnFlag.UNSIGNED | BINARY, "BIGINT"),
    (ColumnType.UNSPECIFIED, 0, "UNSPECIFIED"),
    (99, 0, "type 99"),
]


@pytest.mark.parametrize(("type", "flags", "word"), [one for one in WORDS if one[0] != ColumnType.UNSPECIFIED])
def test_errors_of_schemas_in_spark(type: int, flags: int, word: str) -> None:
    stored = pa.uint64() if type == ColumnType.BIGINT else pa.binary() if flags & BINARY else pa.utf8()
    with pytest.raises(SchemaError, match=f"column 'c': {word} values"):
        converter(Column("c", type, flags), stored, target_type(pa.date32()), "UTC")


@pytest.mark.parametrize(("type", "flags", "word"), WORDS)
def test_the_metadata_of_fields(type: int, flags: int, word: str) -> None:
    row: Any = SimpleNamespace(type=type, flags=int(flags), mysql_type=None)
    assert _facts(row)["tidb_type"] == (str(type) if type == 99 else word.lower())


def test_a_type_that_is_not_written() -> None:
    column = Column("c", ColumnType.GEOMETRY, 0)
    with pytest.raises(EncodeError, match=r"no values of type 255 \(geometry\)"):
        avro.encode([RowChange("insert", 1, "s", "t", new={"c": b""}, columns=[column])], schemas=MemorySchemas())
