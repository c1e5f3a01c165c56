"""Columns of which no field of a record can be made, in the protocols whose schemas are registered."""

from __future__ import annotations

from typing import Any

import pytest

from tidewire import avro, debezium_avro
from tidewire.events import RowChange
from tidewire.messages.registry import MemorySchemas
from tidewire.mysql import ColumnFlag
from tidewire.runtime.batch import Column
from tidewire.runtime.errors import EncodeError
from tidewire.tables import TableStore

pytestmark = pytest.mark.codec

KEY = int(ColumnFlag.HANDLE_KEY | ColumnFlag.PRIMARY_KEY)
CODECS = (avro, debezium_avro)


def refused(codec: Any, names: tuple[str, ...], table: str = "t", tables: TableStore | None = None) -> EncodeError:
    """The error of a row, which is the same in a batch, and registers no schema of such a row."""
    columns = [Column(name, 3, 0 if at else KEY) for at, name in enumerate(names)]
    event = RowChange("insert", 1, "d", table, dict.fromkeys(names, 1), columns=columns)
    good = RowChange("insert", 1, "d", "good", {"id": 1}, columns=[Column("id", 3, KEY)])
    schemas = MemorySchemas()
    with pytest.raises(EncodeError) as caught:
        codec.encode([event], tables=tables, schemas=schemas)
    assert not any(one.subject.endswith("-value") for one in schemas.schemas)
    with pytest.raises(EncodeError) as again:
        codec.encode([good, event], tables=tables, schemas=schemas)
    assert again.value.reason == caught.value.reason
    return caught.value


@pytest.mark.parametrize("codec", CODECS)
@pytest.mark.parametrize("names", [("id", ""), ("", "x"), ("",)])
def test_a_column_without_a_name_is_refused_before_a_schema_is_registered(codec: Any, names: tuple[str, ...]) -> None:
    error = refused(codec, names)
    assert error.column == ""
    assert "its name is empty, and a field of a record has one: rename it" in str(error)


@pytest.mark.parametrize("codec", CODECS)
def test_a_table_without_a_name_is_refused(codec: Any) -> None:
    assert "insert needs a table" in str(refused(codec, ("id",), ""))


@pytest.mark.parametrize("codec", CODECS)
@pytest.mark.parametrize("names", [("id", "a-b", "a b"), ("1a", "_1a"), ("id", "ü", "_")])
def test_columns_that_are_called_alike_in_a_schema_are_refused(codec: Any, names: tuple[str, ...]) -> None:
    error = refused(codec, names)
    assert error.column == names[-1]
    assert f"as that of column {names[-2]!r}: rename one of them" in str(error)


@pytest.mark.parametrize("codec", CODECS)
def test_names_without_an_end_are_shortened(codec: Any) -> None:
    error = refused(codec, ("n" * 100_000 + "-", "n" * 100_000 + " "))
    assert len(error.reason) < 600
    assert len(str(error)) < 1000
