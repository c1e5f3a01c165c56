"""`--tables`: rows whose messages do not describe their columns, read with files of SQL and of saved descriptions."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

import tidewire
from tidewire.cli.main import app
from tidewire.cli.tables import save_tables
from tidewire.tables import TableStore

pytestmark = pytest.mark.codec

RUN = CliRunner()
SQL = "CREATE TABLE shop.orders (id INT PRIMARY KEY, price DECIMAL(10,2), name VARCHAR(20));"
STRING = ["-o", "decimal-handling-mode=string"]


def body(number: int, table: str = "orders") -> dict[str, Any]:
    source = {"version": "3.6.3.Final", "connector": "mysql", "name": "n", "ts_ms": 1767323058000, "snapshot": "false"}
    place = {"db": "shop", "table": table, "server_id": 1, "file": "f", "pos": number, "row": 0}
    row = {"id": number, "price": "9.90", "name": "ann"}
    return {"before": None, "after": row, "source": {**source, **place}, "op": "c", "ts_ms": 1767323058001}


def line(number: int, table: str = "orders") -> str:
    return json.dumps({"key": json.dumps({"id": number}), "value": json.dumps(body(number, table))})


@pytest.fixture
def messages(tmp_path: Path) -> str:
    path = tmp_path / "topic.jsonl"
    path.write_text("".join(line(number) + "\n" for number in range(3)))
    return str(path)


@pytest.fixture
def sql(tmp_path: Path) -> str:
    path = tmp_path / "tables.sql"
    path.write_text(f"-- a dump\nUSE shop;\n{SQL.replace('shop.', '')}\n")
    return str(path)


def test_rows_are_decoded_by_sql(messages: str, sql: str) -> None:
    done = RUN.invoke(app, ["decode", messages, "--tables", sql, *STRING])
    assert done.exit_code == 0, done.stderr
    found = [json.loads(text) for text in done.stdout.splitlines()]
    assert [one["new"] for one in found] == [{"id": at, "price": "9.90", "name": "ann"} for at in range(3)]
    assert [one["key"] for one in found] == [["id"]] * 3


@pytest.mark.parametrize("packed", [False, True])
def test_saved_descriptions_do_the_same(messages: str, packed: bool, tmp_path: Path) -> None:
    store = TableStore()
    store.add_sql(SQL)
    path = tmp_path / "saved"
    save_tables(store, path)
    if packed:
        path.write_bytes(gzip.compress(path.read_bytes()))
    done = RUN.invoke(app, ["decode", messages, "--tables", str(path), *STRING])
    assert done.exit_code == 0, done.stderr
    assert len(done.stdout.splitlines()) == 3


def test_a_table_that_nothing_describes_is_said_once(tmp_path: Path) -> None:
    path = tmp_path / "topic.jsonl"
    path.write_text("".join(line(at, "orders" if at % 2 else "items") + "\n" for at in range(9)))
    done = RUN.invoke(app, ["decode", "debezium", str(path)])
    assert done.exit_code == 1
    missing = "is not described"
    remedy = "give its CREATE TABLE with --tables FILE, or the message that describes it before this one"
    assert done.stderr.splitlines() == [
        f"tidewire: {path}:1: the table `shop`.`items` {missing}: {remedy}",
        f"tidewire: {path}:2: the table `shop`.`orders` {missing}: {remedy}",
        f"tidewire: 4 more messages: the table `shop`.`items` {missing}",
        f"tidewire: 3 more messages: the table `shop`.`orders` {missing}",
        "tidewire: 9 messages could not be decoded",
    ]


def test_other_commands_take_it_too(messages: str, sql: str, tmp_path: Path) -> None:
    found = RUN.invoke(app, ["detect", messages, "--tables", sql, *STRING])
    assert "3 of 3 messages can be read as debezium" in " ".join(found.stdout.split())
    shown = RUN.invoke(app, ["schema", "table", messages, "--tables", sql, *STRING])
    assert "price decimal(10,2)" in shown.stdout
    dissected = RUN.invoke(app, ["dissect", "debezium", messages, "-m", "0", "--tables", sql, *STRING])
    assert dissected.stderr == ""
    without = RUN.invoke(app, ["dissect", "debezium", messages, "-m", "0", "-m", "1", *STRING])
    assert without.stderr.count("is not described: give its CREATE TABLE with --tables FILE") == 1
    assert without.exit_code == 0
    made = RUN.invoke(app, ["transcode", "debezium", "canal-json", messages, "--tables", sql, "-s", STRING[1]])
    assert made.exit_code == 0, made.stderr
    out = tmp_path / "orders.parquet"
    command = ["decode", messages, "--tables", sql, *STRING, "--table", "shop.orders", "--to", "parquet"]
    written = RUN.invoke(app, [*command, "--out", str(out)])
    assert written.exit_code == 0, written.stderr


def test_encode_takes_the_types_of_columns_from_it(sql: str) -> None:
    event = {"op": "insert", "table": "shop.orders", "commit_ts": 470607536966860800}
    row = {"id": 1, "price": "9.90", "name": "ann"}
    text = json.dumps({**event, "new": row}) + "\n"
    plain = RUN.invoke(app, ["encode", "craft"], input=text)
    assert "1 row came in the short form, which has no types" in plain.stderr
    told = RUN.invoke(app, ["encode", "craft", "--tables", sql], input=text)
    assert (told.exit_code, "short form" in told.stderr) == (0, False)
    back = RUN.invoke(app, ["decode", "craft", "--exact"], input=told.stdout)
    columns = json.loads(back.stdout)["columns"]
    assert [(one["name"], one["type"]) for one in columns] == [("id", 3), ("price", 246), ("name", 15)]
    assert columns[0]["flags"] & 0x2


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        (b"", "a CREATE TABLE is expected in this text"),
        (b"CREATE TABLE orders (id INT);", "does not say of which database `orders` is: put USE, such as USE shop;"),
        (b"CREATE TABLE shop.orders (id NOTHING AT ALL)", "line 1"),
        (b"\xff\xfe\x00C", "not UTF-8 at byte 0"),
        (b'{"op":"insert"}\n', "no `kind`"),
        (b'{"kind":"watermark","commit_ts":5}\n', "describe no table"),
        (gzip.compress(SQL.encode() * 40, mtime=0)[:60], "is cut off or damaged here"),
        (SQL.encode() + SQL.replace("INT", "BIGINT").encode(), "shop.orders"),
    ],
)
def test_files_that_describe_nothing(content: bytes, sentence: str, messages: str, tmp_path: Path) -> None:
    path = tmp_path / "wrong"
    path.write_bytes(content)
    done = RUN.invoke(app, ["decode", messages, "--tables", str(path)])
    assert (done.exit_code, done.stdout) == (2, "")
    (said,) = done.stderr.splitlines()
    assert said.startswith(f"tidewire: --tables: {path}")
    assert sentence in said, said


def test_a_file_that_is_not_there(messages: str) -> None:
    done = RUN.invoke(app, ["decode", messages, "--tables", "nothing.sql"])
    assert done.exit_code == 2
    assert done.stderr == "tidewire: nothing.sql: No such file or directory\n"


def test_modes_are_given_to_detection(messages: str, sql: str) -> None:
    store = TableStore()
    store.add_sql(SQL)
    values = [json.dumps(body(at)).encode() for at in range(3)]
    keys = [b'{"id":%d}' % at for at in range(3)]
    assert tidewire.detect(values, keys, tables=store).read == 0
    known = {"decimal-handling-mode": "string"}
    assert tidewire.detect(values, keys, known=known, tables=store).read == 3
    rows = tidewire.read_table(list(zip(keys, values, strict=True)), "shop.orders", options=known, tables=store)
    assert rows["id"].to_pylist() == [0, 1, 2]
    wrong = RUN.invoke(app, ["detect", messages, "-o", "decimal-handling=string"])
    assert "no protocol has such an option; did you mean decimal-handling-mode?" in wrong.stderr
