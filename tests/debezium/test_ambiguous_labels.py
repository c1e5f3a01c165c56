"""Label lists in which a backslash before a comma may escape the comma or end a label."""

from __future__ import annotations

import warnings
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from debezium.blocks import ID, KEY, NAME, field, message
from tidewire import debezium
from tidewire.events import Column, RowChange
from tidewire.mysql import ColumnFlag, declared
from tidewire.runtime.connect.types import listed
from tidewire.runtime.connect.unknown import UnknownTypeWarning
from tidewire.runtime.errors import EncodeError
from tidewire.runtime.label_lists import doubted, read_otherwise, split_labels
from tidewire.tables import TableStore

pytestmark = pytest.mark.codec

TS = 1 << 40
LABELS = st.lists(st.text(st.sampled_from("ab\\,"), max_size=3), min_size=1, max_size=4, unique=True)


def tables(declaration: str) -> TableStore:
    found = TableStore()
    found.add_sql(f"create table s.t (id int primary key, v {declaration})", version=TS - 1)
    return found


def read(value: Any, allowed: str, known: TableStore | None, tidb_type: str | None, name: str = "Enum") -> Any:
    said = field("string", f"{NAME}data.{name}", tidb_type, allowed=allowed)
    (event,) = debezium.decode(message({"id": 1, "v": value}, [ID, said]), KEY, tables=known)
    assert isinstance(event, RowChange)
    assert event.new is not None
    return event.new["v"]


@pytest.mark.parametrize("tidb_type", [None, "enum"])
def test_without_a_description_it_is_said(tidb_type: str | None) -> None:
    with pytest.warns(UnknownTypeWarning, match="; a description of the table decides.*enum.'a,b','c'") as said:
        assert [read(value, "a\\,b,c", None, tidb_type) for value in ("c", "a,b")] == [2, 1]
    assert len(said) == 1


@pytest.mark.parametrize("tidb_type", [None, "enum"])
def test_with_a_description_it_says(tidb_type: str | None) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for value, number in (("a\\", 1), ("b", 2), ("c", 3)):
            assert read(value, "a\\,b,c", tables(r"enum('a\\','b','c')"), tidb_type) == number
        assert read("c", "a\\,b,c", tables("enum('a,b','c')"), tidb_type) == 2
        assert read("b", "a,b", None, tidb_type) == 2
    with pytest.warns(UnknownTypeWarning, match="a description of the table"):
        read("c", "d\\,b,c", tables("int"), tidb_type)


@pytest.mark.parametrize("tidb_type", [None, "set"])
def test_labels_of_a_set_have_no_commas(tidb_type: str | None) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for value, number in (("b", 2), ("a\\", 1), ("a\\,b", 3), ("a\\,c", 5), ("", 0)):
            assert read(value, "a\\,b,c", None, tidb_type, "EnumSet") == number


def event(declaration: str, number: int) -> RowChange:
    column = Column("v", declared(declaration).type, ColumnFlag.NULLABLE, declaration)
    return RowChange("insert", TS, "s", "t", columns=(column,), new={"v": number})


@pytest.mark.parametrize("declaration", [r"enum('a\\','b','c')", r"enum('x','a\\,b')"])
def test_labels_that_a_reader_of_their_list_would_not_find_are_not_listed(declaration: str) -> None:
    for number in (1, 2):
        sent = event(declaration, number)
        with pytest.raises(
            EncodeError, match=r"'v': its label .* has a backslash in front of a comma.* without labels"
        ):
            debezium.encode([sent])
        (bare,) = debezium.encode([sent], debezium.Options.from_strings({"debezium-disable-schema": "true"}))
        (again,) = debezium.decode(bare.value, bare.key, tables=tables(declaration))
        assert isinstance(again, RowChange)
        assert again.new is not None
        assert again.new["v"] == number


@pytest.mark.filterwarnings("ignore::tidewire.runtime.connect.unknown.UnknownTypeWarning")
@pytest.mark.parametrize(
    "declaration", ["enum('a','c,d')", r"enum('a\\b','a\\')", "enum('it''s','x')", r"set('a\\','b')"]
)
def test_labels_that_are_read_again_are_listed(declaration: str) -> None:
    for number in (1, 2):
        (sent,) = debezium.encode([event(declaration, number)])
        (again,) = debezium.decode(sent.value, sent.key)
        assert isinstance(again, RowChange)
        assert again.new == {"v": number}


def test_the_empty_label_of_a_set_is_written_only_beside_others() -> None:
    for number in (0, 2, 3):
        (sent,) = debezium.encode([event("set('','b')", number)])
        (again,) = debezium.decode(sent.value, sent.key)
        assert isinstance(again, RowChange)
        assert again.new == {"v": number}
    with pytest.raises(EncodeError, match="its only label is the empty one"):
        debezium.encode([event("set('','b')", 1)])


@given(LABELS)
def test_labels_are_read_again_or_refused(labels: list[str]) -> None:
    said = listed(labels)
    assert (read_otherwise(labels, said) is None) == (split_labels(said, True) == tuple(labels))


@given(LABELS)
def test_labels_of_which_nothing_is_said_are_those_that_are_listed(labels: list[str]) -> None:
    said = listed(labels)
    if doubted(said, True) is None:
        assert split_labels(said, True) == tuple(labels)
    assert split_labels(",".join(labels), False) == tuple(",".join(labels).split(","))
