"""Tables that no message describes: valid values of `tables`, and errors about tables without a description."""

from __future__ import annotations

import json
import warnings
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest
from commands import tidewire as command

import tidewire
from tidewire.reading.files.streams import InputError
from tidewire.reading.types import SchemaError
from tidewire.runtime.errors import ArgumentError
from tidewire.tables import TableStore

pytestmark = pytest.mark.codec

SQL = "USE shop; CREATE TABLE `orders2` (`id` int PRIMARY KEY, `price` decimal(10,2));"


def change(table: str = "orders2") -> tuple[bytes, bytes]:
    source = {"connector": "mysql", "db": "shop", "table": table, "ts_ms": 1767323058000}
    body = {"before": None, "after": {"id": 1, "price": "9.90"}, "source": source, "op": "c", "ts_ms": 1767323058001}
    return b'{"id":1}', json.dumps(body).encode()


OPTIONS = {"decimal-handling-mode": "string"}


@pytest.mark.parametrize("name", ["orders2.sql", "orders2.sql.gz"])
@pytest.mark.parametrize("listed", [False, True])
def test_a_file_of_sql_describes_tables(name: str, listed: bool, tmp_path: Path) -> None:
    import gzip

    path = tmp_path / name
    path.write_bytes(gzip.compress(SQL.encode()) if name.endswith("gz") else SQL.encode())
    given: Any = [str(path)] if listed else path
    rows = tidewire.read_table([change()], "shop.orders2", "debezium", options=OPTIONS, tables=given)
    assert [str(one) for one in rows["price"].to_pylist()] == ["9.90"]
    batches = tidewire.rows([change()], "orders2", "debezium", options=OPTIONS, tables=str(path))
    assert [one.num_rows for one in batches] == [1]


def test_files_that_describe_nothing(tmp_path: Path) -> None:
    def read(given: Any) -> None:
        tidewire.read_table([change()], "shop.orders2", "debezium", options=OPTIONS, tables=given)

    with pytest.raises(InputError, match=r"tables: orders3\.sql: No such file or directory"):
        read("orders3.sql")
    (tmp_path / "bare.sql").write_text("CREATE TABLE orders2 (id int)")
    with pytest.raises(InputError, match=r"bare\.sql: it does not say of which database `orders2` is: put USE"):
        read(tmp_path / "bare.sql")
    (tmp_path / "events.jsonl").write_text('{"kind": "bootstrap"}')
    with pytest.raises(InputError, match=r"a file of events; tidewire\.cli\.tables\.load_tables reads it"):
        read(tmp_path / "events.jsonl")
    (tmp_path / "latin").write_bytes(b"CREATE TABLE \xe9")
    with pytest.raises(InputError, match=r"latin: not UTF-8 at byte 13"):
        read(tmp_path / "latin")
    with pytest.raises(InputError, match=r"the path of a file of SQL or a TableStore is expected, not 5"):
        read(5)
    with pytest.raises(ArgumentError, match=r"a TableDescription is expected, not 5"):
        read([5])


@pytest.mark.parametrize("name", ["orders2.sql", "dumps/orders2.SQL", "./schema.ddl", "a.sql.gz"])
def test_the_name_of_a_file_is_no_sql(name: str) -> None:
    with pytest.raises(ArgumentError) as caught:
        TableStore().add_sql(name)
    assert f"'{name}' is the name of a file, and no SQL" in str(caught.value)
    assert f"Path('{name}').read_text()" in str(caught.value)
    assert f"tables='{name}'" in str(caught.value)


@pytest.mark.parametrize("given", ["orders2.sql", Path("orders2.sql"), b"orders2.sql"])
def test_a_store_is_of_descriptions_and_of_no_file(given: Any) -> None:
    for take in (TableStore, lambda tables: tidewire.detect([change()[1]], tables=tables)):
        with pytest.raises(ArgumentError, match=r"a list of TableDescription is expected, not .*sql.*; add_sql adds"):
            take(given)


def test_who_reads_is_told_how_a_table_is_described(tmp_path: Path) -> None:
    with pytest.raises(SchemaError, match=r"give its CREATE TABLE, such as tables='orders\.sql' or, with a TableStore"):
        tidewire.read_table([change()], "shop.orders2", "debezium", options=OPTIONS)
    (tmp_path / "orders2.sql").write_text(SQL)
    lines = [{"key": key.decode(), "value": value.decode()} for key, value in (change(), change("orders3"))]
    (tmp_path / "in.jsonl").write_text("".join(json.dumps(one) + "\n" for one in lines))
    out = tmp_path / "out.parquet"
    done = command(
        *("decode", "debezium", tmp_path / "in.jsonl", "--tables", tmp_path / "orders2.sql", "--table", "shop.orders2"),
        *("--to", "parquet", "--out", out, "-o", "decimal-handling-mode=string"),
    )
    assert done.exit_code == 1
    assert "give its CREATE TABLE with --tables FILE, or the message that describes it" in done.stderr
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always")
        rows = tidewire.read_table(
            tmp_path / "in.jsonl", "shop.orders2", "debezium", options=OPTIONS, tables=tmp_path / "orders2.sql"
        )
    assert rows.num_rows == pq.read_table(out).num_rows == 2
    assert "tables='orders.sql'" in str(found[0].message)
