"""Single-message calls with the same store reuse their decoder, and see additions to the store."""

from __future__ import annotations

import pytest
from timed import fastest

import tidewire.runtime
from tidewire import simple
from tidewire.events import Bootstrap, RowChange
from tidewire.runtime.errors import MissingTableError
from tidewire.tables import TableStore

pytestmark = pytest.mark.codec

SQL = "CREATE TABLE s.t (id INT PRIMARY KEY, v VARCHAR(9))"


def row(version: int, value: str = "a") -> bytes:
    (table,) = TableStore().add_sql(SQL, version=version)
    change = RowChange("insert", 5, "s", "t", {"id": 1, "v": value}, columns=table.row_columns(), table_version=version)
    return simple.encode([change])[0].value or b""


def described(version: int, sql: str = SQL) -> bytes:
    (table,) = TableStore().add_sql(sql, version=version)
    return simple.encode([Bootstrap(0, "s", "t", table_after=table)])[0].value or b""


def test_what_is_added_between_calls_is_seen() -> None:
    store, other = TableStore(), TableStore()
    for version in (1, 2):
        for _ in range(2):
            with pytest.raises(MissingTableError):
                simple.decode(row(version), tables=store)
        simple.decode(described(version), tables=store)
        (event,) = simple.decode(row(version), tables=store)
        assert isinstance(event, RowChange)
        assert dict(event.new or {}) == {"id": 1, "v": "a"}
    with pytest.raises(MissingTableError):
        simple.decode(row(1), tables=other)
    other.add_sql(SQL.replace("VARCHAR", "VARBINARY"), version=1)
    (event,) = simple.decode(row(1, "YQ=="), tables=other)
    assert isinstance(event, RowChange)
    assert dict(event.new or {}) == {"id": 1, "v": b"a"}
    (event,) = simple.decode(row(1, "YQ=="), tables=store)
    assert isinstance(event, RowChange)
    assert dict(event.new or {}) == {"id": 1, "v": "YQ=="}


def test_without_a_store_a_call_knows_what_its_messages_say() -> None:
    assert len(simple.decode_batch([described(1), row(1)])) == 2
    with pytest.raises(MissingTableError):
        simple.decode(row(1))


def test_options_are_looked_at() -> None:
    store = TableStore()
    store.add_sql(SQL, version=1)
    bad = row(1).replace(b'"v":"a"', b'"v":"\xff"')
    found = simple.decode_batch([bad], None, simple.Options(invalid_text="bytes"), tables=store)
    assert not found.errors
    assert simple.decode_batch([bad], tables=store).errors
    assert not simple.decode_batch([bad], None, simple.Options(invalid_text="bytes"), tables=store).errors


def test_a_call_costs_microseconds_of_the_processor() -> None:
    store = TableStore()
    store.add_sql(SQL, version=1)
    message = row(1)
    simple.decode(message, tables=store)

    def hundred() -> None:
        for _ in range(100):
            simple.decode(message, tables=store)

    assert fastest(hundred) < 100 * (60e-6 if tidewire.runtime.compiled else 5e-3)


@pytest.mark.parametrize("behind", [b"x", b"{}"])
def test_nothing_is_learned_of_a_message_that_does_not_end(behind: bytes) -> None:
    decoder = simple.Decoder()
    assert len(decoder.decode([described(1) + behind]).errors) == 1
    assert not len(decoder.tables)
    assert not decoder.decode([described(1)]).errors
    assert len(decoder.tables) == 1
