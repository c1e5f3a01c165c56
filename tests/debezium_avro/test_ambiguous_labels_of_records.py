"""Labels with backslashes in record schemas: a description resolves them, and no number is guessed."""

from __future__ import annotations

from typing import Any

import pytest

from tidewire import avro, debezium_avro
from tidewire.events import Column, RowChange
from tidewire.messages.registry import MemorySchemas
from tidewire.mysql import ColumnFlag, declared
from tidewire.runtime.connect.unknown import UnknownTypeWarning
from tidewire.runtime.errors import EncodeError
from tidewire.tables import TableStore

from .envelopes import known
from .recordings import framed
from .test_unknown_types_of_records import envelope, message, record, typed

pytestmark = pytest.mark.codec

DECLARED = r"enum('a\\','b','c')"


def enum(allowed: str, name: str = "Enum", tidb: str | None = None) -> dict[str, Any]:
    parameters = {"allowed": allowed} | ({} if tidb is None else {"tidb_type": tidb})
    return typed("string", None if tidb else f"io.debezium.data.{name}", **{"connect.parameters": parameters})


def tables(*declarations: str) -> TableStore:
    found = TableStore()
    for version, declaration in enumerate(declarations, 1):
        found.add_sql(f"create table d.t (id int, v {declaration})", version=version)
    return found


def of_record(value: Any, allowed: str, store: TableStore | None = None, word: str = "ENUM") -> Any:
    """What Avro's own rows say."""
    schema = record(("id", "int"), ("v", ["null", enum(allowed, tidb=word)]), name="t") | {"namespace": "default.d"}
    (event,) = avro.decode(framed(1, schema, {"id": 1, "v": value}), schemas=known(schema), tables=store)
    assert isinstance(event, RowChange)
    assert event.new is not None
    return event.new["v"]


def of_envelope(value: Any, allowed: str, store: TableStore | None = None, word: str = "ENUM") -> Any:
    """What Debezium's rows in Avro say."""
    schema = envelope(["null", enum(allowed, {"ENUM": "Enum", "SET": "EnumSet"}[word])])
    (event,) = debezium_avro.decode(message(schema, value), schemas=known(schema), tables=store)
    assert isinstance(event, RowChange)
    assert event.new is not None
    return event.new["v"]


@pytest.mark.parametrize("read", [of_record, of_envelope])
def test_without_a_description_it_is_said(read: Any) -> None:
    with pytest.warns(UnknownTypeWarning, match="; a description of the table decides.*enum.'a,b','c'") as said:
        assert [read(value, "a\\,b,c") for value in (None, "a,b", "c")] == [None, 1, 2]
    assert len(said) == 1


@pytest.mark.parametrize("read", [of_record, of_envelope])
def test_with_a_description_it_says(read: Any) -> None:
    assert [read(value, "a\\,b,c", tables(DECLARED)) for value in ("a\\", "b", "c")] == [1, 2, 3]
    assert read("c", "a\\,b,c", tables("enum('a,b','c')")) == 2


def test_a_schema_is_of_the_version_whose_labels_are_listed_so() -> None:
    assert of_record("c", "a\\,b,c", tables("enum('a,b','c')", "enum('x')")) == 2
    assert of_record("c", "a\\,b,c", tables(DECLARED, "enum('x')")) == 3
    with pytest.warns(UnknownTypeWarning, match="a description of the table"):
        of_record("c", "a\\,b,c", tables("enum('a,b','c')", DECLARED))


@pytest.mark.parametrize("read", [of_record, of_envelope])
def test_labels_of_a_set_have_no_commas(read: Any) -> None:
    for value, number in (("b", 2), ("a\\", 1), ("a\\,b", 3), ("", 0)):
        assert read(value, "a\\,b,c", word="SET") == number


def test_a_description_that_comes_later_counts_from_then_on() -> None:
    schema = record(("id", "int"), ("v", enum("a\\,b,c", tidb="ENUM")), name="t") | {"namespace": "default.d"}
    value = framed(1, schema, {"id": 1, "v": "c"})
    store = TableStore()
    decoder = avro.Decoder(schemas=known(schema), tables=store)
    with pytest.warns(UnknownTypeWarning):
        assert decoder.attempt([value]).layouts[0].arrays[1].to_pylist() == [2]
    store.add_sql(f"create table d.t (id int, v {DECLARED})", version=1)
    found = decoder.attempt([value])
    assert found.errors == []
    assert found.layouts[0].arrays[1].to_pylist() == [3]


REFUSED = "'v': its label .* has a backslash in front of a comma.* without labels"


@pytest.mark.filterwarnings("ignore::tidewire.runtime.connect.unknown.UnknownTypeWarning")
@pytest.mark.parametrize("codec", [avro, debezium_avro])
@pytest.mark.parametrize(
    ("declaration", "number", "refused"),
    [
        (DECLARED, 1, REFUSED),
        (DECLARED, 3, REFUSED),
        ("set('','b')", 1, "its only label is the empty one"),
        ("set('','b')", 3, None),
        ("enum('a','c,d')", 2, None),
        (r"set('a\\','b')", 3, None),
    ],
)
def test_labels_that_a_reader_of_their_list_would_not_find_are_not_listed(
    codec: Any, declaration: str, number: int, refused: str | None
) -> None:
    columns = (
        Column("id", 3, ColumnFlag.HANDLE_KEY | ColumnFlag.PRIMARY_KEY, "int"),
        Column("v", declared(declaration).type, ColumnFlag.NULLABLE, declaration),
    )
    event = RowChange("insert", 1 << 40, "s", "t", columns=columns, new={"id": 1, "v": number})
    schemas = MemorySchemas()
    if refused is not None:
        with pytest.raises(EncodeError, match=refused):
            codec.encode([event], schemas=schemas)
        return
    (sent,) = codec.encode([event], schemas=schemas)
    (again,) = codec.decode(sent.value, sent.key, schemas=schemas)
    assert isinstance(again, RowChange)
    assert again.new == {"id": 1, "v": number}
