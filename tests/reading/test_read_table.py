"""`tidewire.read_table` and `tidewire.rows`: typed rows of one table as Arrow, without Spark."""

from __future__ import annotations

import base64
import gzip
import json
import re
import subprocess
import sys
import tracemalloc
import warnings
from collections.abc import Iterator
from datetime import UTC, datetime
from decimal import Decimal
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

import tidewire
from tidewire import canal_json, craft, open_protocol
from tidewire.events import Column, RowChange
from tidewire.messages.by_protocol import UnknownProtocolError
from tidewire.mysql import ColumnFlag, ColumnType
from tidewire.reading.files.streams import InputError
from tidewire.reading.images import METADATA
from tidewire.reading.message_batch import MalformedError
from tidewire.reading.row_batches import ReadingWarning
from tidewire.reading.types import SchemaError
from tidewire.runtime.errors import OptionError

pytestmark = pytest.mark.codec

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
TS = 470607536966860800
COLUMNS = [
    Column("id", ColumnType.BIGINT, ColumnFlag.HANDLE_KEY),
    Column("name", ColumnType.VARCHAR, ColumnFlag.NULLABLE),
    Column("at", ColumnType.TIMESTAMP, ColumnFlag.NULLABLE),
]
MILLISECOND = 1 << 18


def change(number: int, table: str = "orders", at: int = 0, **more: Any) -> RowChange:
    new = {"id": number, "name": f"n{number}", "at": "2026-01-01 08:00:00", **more}
    return RowChange("insert", TS + at * MILLISECOND, "shop", table, new=new, columns=COLUMNS)


def messages(changes: list[RowChange], module: Any = craft) -> list[tuple[bytes | None, bytes | None]]:
    options = craft.Options(max_batch_size=1) if module is craft else module.Options()
    return [(one.key, one.value) for one in module.encode(changes, options)]


def kinds(found: list[warnings.WarningMessage]) -> list[str]:
    return [str(one.message) for one in found if issubclass(one.category, ReadingWarning)]


@pytest.mark.parametrize("module", [craft, open_protocol, canal_json])
def test_rows_have_the_types_and_columns_of_spark(module: Any) -> None:
    rows = tidewire.read_table(messages([change(1), change(2, at=1)], module), "shop.orders", timezone="Asia/Shanghai")
    assert sorted(rows.column_names[:3]) == ["at", "id", "name"]
    assert rows.column_names[3:] == [*METADATA.names, "_corrupt_record"]
    assert rows.schema.field("id").type == pa.int64()
    assert rows.schema.field("at").type == pa.timestamp("us", "UTC")
    assert rows.column("id").to_pylist() == [1, 2]
    assert rows.column("at")[0].as_py() == datetime(2026, 1, 1, tzinfo=UTC)
    assert rows.column("_change_type").to_pylist() == ["insert"] * 2
    assert rows.column("_corrupt_record").null_count == 2


@pytest.mark.parametrize("path", sorted(EXAMPLES.glob("*_topic.jsonl.gz")), ids=lambda path: path.name)
def test_every_protocol_is_told_and_gives_the_same_rows(path: Path) -> None:
    registry = path.with_name(path.name.replace(".jsonl.gz", ".registry.json"))
    options = {"schema-registry": str(registry)} if registry.exists() else {}
    rows = tidewire.read_table(path, "test.k_comp", options=options)
    craft_rows = tidewire.read_table(EXAMPLES / "craft_topic.jsonl.gz", "test.k_comp")
    names = ["a", "b", "c", "v", *METADATA.names]
    if path.name == "avro_topic.jsonl.gz":  # which has no old images
        new = [one for one in craft_rows.to_pylist() if one["_change_type"] in ("insert", "update_postimage")]
        assert [one["v"] for one in rows.to_pylist()][: len(new)] == [one["v"] for one in new]
        return
    assert rows.select(names).to_pylist() == craft_rows.select(names).to_pylist()


def test_rows_are_in_the_order_of_events_wherever_they_lay() -> None:
    late, early = change(1, at=5), change(2)
    update = RowChange("update", TS + MILLISECOND, "shop", "orders", new={"id": 2}, old={"id": 2}, columns=COLUMNS[:1])
    again = RowChange("insert", TS + 2 * MILLISECOND, "shop", "orders", new={"id": 2}, columns=COLUMNS[:1])
    gone = RowChange("delete", TS + 2 * MILLISECOND, "shop", "orders", old={"id": 2}, columns=COLUMNS[:1])
    rows = tidewire.read_table(messages([late, again, gone, update, early]), "shop.orders", timezone="UTC")
    found = rows.column("_change_type").to_pylist()
    assert found == ["insert", "update_preimage", "update_postimage", "delete", "insert", "insert"]
    assert rows.column("id").to_pylist() == [2, 2, 2, 2, 2, 1]


def test_without_a_commit_ts_rows_stay_in_the_order_of_the_messages() -> None:
    bodies: list[dict[str, Any]] = [
        {"type": "INSERT", "es": 5, "data": [{"id": "1"}]},
        {"type": "DELETE", "es": 5, "data": [{"id": "1"}]},
        {"type": "INSERT", "es": 4, "data": [{"id": "2"}]},
    ]
    same = {"database": "shop", "table": "orders", "pkNames": ["id"], "mysqlType": {"id": "int"}, "sqlType": {"id": 4}}
    values = [json.dumps({**same, **one, "isDdl": False, "ts": 1, "id": 0, "old": None, "sql": ""}) for one in bodies]
    rows = tidewire.read_table([value.encode() for value in values], "shop.orders", "canal-json")
    assert rows.column("_commit_version").null_count == 3
    assert list(zip(rows["_change_type"].to_pylist(), rows["id"].to_pylist(), strict=True)) == [
        ("insert", 1),
        ("delete", 1),
        ("insert", 2),
    ]


def test_a_table_that_is_not_there_names_those_that_are() -> None:
    given = messages([change(1), change(2, "customers")])
    with pytest.raises(SchemaError, match=r"no change of table shop\.order is in .* Did you mean shop\.orders\?"):
        tidewire.read_table(given, "shop.order")
    with pytest.raises(SchemaError, match=r"no change of table order is in .* Did you mean shop\.orders\?"):
        tidewire.read_table(given, "order")


def test_of_tables_that_differ_in_case_the_one_that_is_spelled_so() -> None:
    given = messages([change(1, "orders"), change(2, "Orders"), change(3, "orders")])
    with pytest.warns(ReadingWarning, match=r"beside shop\.orders there are changes of shop\.Orders"):
        assert tidewire.read_table(given, "shop.orders", timezone="UTC")["id"].to_pylist() == [1, 3]
    with pytest.warns(ReadingWarning):
        assert tidewire.read_table(given, "shop.Orders", timezone="UTC")["id"].to_pylist() == [2]
    with pytest.raises(SchemaError, match=r"2 that differ in case only, shop\.Orders, shop\.orders: name the one"):
        tidewire.read_table(given, "shop.ORDERS")
    assert tidewire.read_table(given[:1], "SHOP.ORDERS", timezone="UTC").num_rows == 1


@pytest.mark.parametrize("name", ["shop.orders", "orders"])
def test_a_given_schema_changes_nothing_of_which_table_it_is(name: str) -> None:
    given = messages([change(1, "orders"), change(2, "Orders"), change(3, "orders")])
    schema = pa.schema([("id", pa.int64())])
    with pytest.warns(ReadingWarning, match=r"beside shop\.orders .* shop\.Orders, .*: they were not"):
        found = tidewire.read_table(given, name, schema=schema, timezone="UTC")
    assert found["id"].to_pylist() == [1, 3]
    with pytest.raises(SchemaError, match=r"2 that differ in case only"):
        tidewire.read_table(given, "shop.ORDERS", schema=schema)
    with pytest.warns(ReadingWarning, match=r"shop\.Orders and shop\.orders are one table for TiDB, and rows of both"):
        batches = list(tidewire.rows(iter([given]), "shop.orders", "craft", schema=schema, timezone="UTC"))
    assert [one for batch in batches for one in batch["id"].to_pylist()] == [1, 2, 3]


def test_a_table_without_its_schema() -> None:
    given = messages([change(1), change(2, "customers"), change(3, "weird.name")])
    assert tidewire.read_table(given, "orders", timezone="UTC")["id"].to_pylist() == [1]
    assert tidewire.read_table(given, "`weird.name`", timezone="UTC")["id"].to_pylist() == [3]
    assert tidewire.read_table(given, "CUSTOMERS", timezone="UTC")["id"].to_pylist() == [2]
    other = RowChange("insert", TS, "test", "orders", new={"id": 4}, columns=COLUMNS[:1])
    more = messages([change(1), other, change(3, "weird.name")])
    with pytest.raises(SchemaError, match=r"there are 2 of that name, shop\.orders, test\.orders: name the one"):
        tidewire.read_table(more, "orders")
    with pytest.raises(SchemaError, match=r"there are changes of shop\.`weird\.name`, shop\.orders, test\.orders"):
        tidewire.read_table(more, "b1")
    with pytest.raises(SchemaError, match=r"of messages that can be read once only a table is named with its schema"):
        next(tidewire.rows(iter([given]), "orders", "craft", schema=pa.schema([("id", pa.int64())])))
    with pytest.raises(SchemaError, match=r"a name with a dot stands in backquotes, shop\.`weird\.name`"):
        tidewire.read_table(given, "shop.weird.name")


def test_a_wrong_time_zone() -> None:
    with pytest.raises(OptionError, match=r"'Asia/Shanghia' is not known; did you mean Asia/Shanghai\?"):
        tidewire.read_table(messages([change(1)]), "shop.orders", timezone="Asia/Shanghia")
    with pytest.raises(OptionError, match="timezone is given twice"):
        tidewire.read_table(messages([change(1)]), "shop.orders", timezone="UTC", options={"TimeZone": "UTC"})


def test_a_time_zone_that_nobody_says_is_said_once() -> None:
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always")
        tidewire.read_table(messages([change(1), change(2)]), "shop.orders")
        tidewire.read_table(messages([change(1)]), "shop.orders", timezone="+08:00")
    assert [one.split(":")[0] for one in kinds(found)] == [
        "shop.orders has TIMESTAMP columns, and neither its messages nor `timezone` say the time zone of the changefeed"
    ]


def test_a_time_zone_that_messages_say_is_used() -> None:
    path = EXAMPLES / "simple_topic.jsonl.gz"
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always")
        told = tidewire.read_table(path, "test.times")
        given = tidewire.read_table(path, "test.times", timezone="Asia/Shanghai")
        wrong = tidewire.read_table(path, "test.times", timezone="UTC")
    assert told.equals(given)
    assert not told.equals(wrong)
    (said,) = kinds(found)
    assert "say that TIMESTAMP values are in Asia/Shanghai; they were read as in UTC: leave timezone out" in said


def test_messages_that_cannot_be_read_keep_their_bytes(tmp_path: Path) -> None:
    good = messages([change(1), change(2)])
    broken = [good[0], (good[1][0], (good[1][1] or b"")[:-1])]
    with pytest.warns(ReadingWarning, match=r"1 of 2 messages could not be read; column _corrupt_record has"):
        rows = tidewire.read_table(broken, "shop.orders", timezone="UTC")
    assert rows["id"].to_pylist() == [1, None]
    assert rows["_corrupt_record"][1]["value"].as_py() == broken[1][1]
    with pytest.warns(ReadingWarning, match="1 of 2 messages could not be read. The"):
        rows = tidewire.read_table(broken, "shop.orders", timezone="UTC", options={"mode": "dropmalformed"})
    assert rows["id"].to_pylist() == [1]
    with pytest.raises(MalformedError, match="message 1: "):
        tidewire.read_table(broken, "shop.orders", timezone="UTC", options={"mode": "failfast"})


def test_values_that_their_column_cannot_hold() -> None:
    schema = pa.schema([("id", pa.int8()), ("name", pa.utf8())])
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always")
        rows = tidewire.read_table(messages([change(1), change(300)]), "shop.orders", schema=schema)
    assert rows["id"].to_pylist() == [1, None]
    assert "does not fit TINYINT" in rows["_corrupt_record"][1]["reason"].as_py()
    values, columns = kinds(found)
    assert values.startswith("1 rows of shop.orders have a value that its column cannot hold")
    assert columns == "rows of shop.orders have columns that the schema lacks: at"
    with pytest.raises(SchemaError, match="column 'id': uint8 is not a type that changes are decoded to; there"):
        tidewire.read_table(messages([change(1)]), "shop.orders", schema=pa.schema([("id", pa.uint8())]))


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        (b"", "there is no message to read: .*: there is nothing in it"),
        (b"\n\n", "there is no message to read"),
        (b"PAR1 and nothing more", "there is no message to read: .*parquet that cannot be read"),
        (b"name,age\nann,5\n", "^the messages look like CSV, and like none of the protocols: .* begins with 'name,age"),
        (gzip.compress(b"x" * 100, mtime=0)[:20], "there is no message to read: .*is cut off or damaged here"),
    ],
)
def test_files_without_messages(content: bytes, sentence: str, tmp_path: Path) -> None:
    path = tmp_path / "dump"
    path.write_bytes(content)
    with pytest.raises(InputError, match=sentence):
        tidewire.read_table(path, "shop.orders")
    with pytest.raises(InputError, match=sentence):
        list(tidewire.rows(str(path), "shop.orders"))


def test_half_a_file_gives_what_is_in_the_half(tmp_path: Path) -> None:
    whole = (EXAMPLES / "craft_topic.jsonl.gz").read_bytes()
    half = tmp_path / "half.jsonl.gz"
    half.write_bytes(whole[: len(whole) // 2])
    with pytest.warns(ReadingWarning, match=r"of [0-9]+ messages could not be read.*half\.jsonl\.gz:[0-9]+: "):
        rows = tidewire.read_table(half, "test.strs", timezone="UTC")
    assert rows["_change_type"].to_pylist().count(None) == 1
    assert rows.num_rows > 2
    assert "the file ends in the middle of this line" in str(rows["_corrupt_record"].to_pylist())


def test_messages_of_two_protocols(tmp_path: Path) -> None:
    given = [*messages([change(one) for one in range(4)]), *messages([change(9)], canal_json)]
    with pytest.warns(ReadingWarning, match="1 of 5 messages could not be read"):
        rows = tidewire.read_table(given, "shop.orders", "craft", timezone="UTC")
    assert rows["id"].to_pylist() == [0, 1, 2, 3, None]
    with pytest.raises(UnknownProtocolError, match="did you mean craft"):
        tidewire.read_table(given, "shop.orders", "krafft")


def test_every_way_to_give_a_message() -> None:
    ((key, value),) = messages([change(7)])

    class Confluent:
        def __init__(self, error: Any = None) -> None:
            self._error = error

        def error(self) -> Any:
            return self._error

        def value(self) -> bytes | None:
            return value

        def key(self) -> bytes | None:
            return key

        def topic(self) -> str:
            return "orders"

        def partition(self) -> int:
            return 3

        def offset(self) -> int:
            return 1 << 40

        def timestamp(self) -> tuple[int, int]:
            return (1, 1767225600000)

    class End:
        def code(self) -> int:
            return -191

    class Broken:
        def code(self) -> int:
            return -187

        def __str__(self) -> str:
            return "all brokers are down"

    options = {"keep": "topic, partition, offset AS at_offset, timestamp AS kafka_time"}
    given: list[Any] = [Confluent(), Confluent(End()), {"value": value, "topic": "orders"}, value, (key, value)]
    rows = tidewire.read_table(given, "shop.orders", "craft", options=options, timezone="UTC")
    assert rows["topic"].to_pylist() == ["orders", "orders", None, None]
    assert rows["at_offset"].to_pylist() == [1 << 40, None, None, None]
    assert rows["kafka_time"][0].as_py() == datetime(2026, 1, 1, tzinfo=UTC)
    arrow = pa.table({"value": pa.array([value, value], pa.large_binary()), "Offset": [4, 5]})
    kept = tidewire.read_table(arrow, "shop.orders", "craft", options={"keep": "offset"}, timezone="UTC")
    assert kept["offset"].to_pylist() == [4, 5]
    with pytest.raises(InputError, match="the consumer gave an error in place of message 0: all brokers are down"):
        tidewire.read_table([Confluent(Broken())], "shop.orders", "craft")
    for wrong in (5, None, [5], [{"no": "value"}], b"bytes", [(1, 2)]):
        with pytest.raises(InputError):
            tidewire.read_table(wrong, "shop.orders", "craft")
    with pytest.raises(SchemaError, match=r"keep: messages have key, value, .* and no "):
        tidewire.read_table([value], "shop.orders", "craft", options={"keep": "headers"})


def test_rows_of_a_consumer_come_as_they_are_polled() -> None:
    given = messages([change(one) for one in range(5)])
    schema = tidewire.read_table(given[:1], "shop.orders", timezone="UTC").schema
    polled: list[int] = []

    def poll() -> Iterator[Any]:
        for at, one in enumerate(given):
            polled.append(at)
            yield one
            if at == 1:
                yield None

    batches = tidewire.rows(poll(), "shop.orders", "craft", schema=schema, timezone="UTC")
    assert next(batches)["id"].to_pylist() == [0, 1]
    assert polled == [0, 1]
    assert [one["id"].to_pylist() for one in batches] == [[2, 3, 4]]
    lists = tidewire.rows(iter([given[:2], [], given[2:]]), "shop.orders", schema=schema, timezone="UTC")
    assert [one["id"].to_pylist() for one in lists] == [[0, 1], [2, 3, 4]]
    with pytest.raises(SchemaError, match=r"read once only .* give one, such as schema=tidewire\.read_table"):
        tidewire.rows(iter(given), "shop.orders", "craft")


def test_a_consumer_is_warned_where_it_is_met() -> None:
    given = messages([change(1), change(2)])
    schema = pa.schema([("id", pa.int64()), ("name", pa.utf8()), ("at", pa.utf8())])
    batches = tidewire.rows(iter([[b"x"], given, [b"y"]]), "shop.orders", "craft", schema=schema)
    with pytest.warns(ReadingWarning, match="1 of 1 messages could not be read"):
        assert next(batches)["id"].to_pylist() == [None]
    with warnings.catch_warnings():
        warnings.simplefilter("error", ReadingWarning)
        assert [one.num_rows for one in batches] == [2, 1]


def test_a_schema_that_is_given_types_what_messages_do_not() -> None:
    row = {"id": "7", "price": "12.50", "pic": "\u00ff"}
    body = {"data": [row], "database": "shop", "table": "orders", "pkNames": ["id"], "type": "INSERT", "es": 1}
    schema = pa.schema([("id", pa.int64()), ("price", pa.decimal128(10, 2)), ("pic", pa.binary())])
    rows = tidewire.read_table([json.dumps(body).encode()], "shop.orders", "canal-json", schema=schema)
    assert rows.select(["id", "price", "pic"]).to_pylist() == [{"id": 7, "price": Decimal("12.50"), "pic": b"\xff"}]


def test_misfits_in_a_column_of_their_own() -> None:
    path, schema = EXAMPLES / "craft_topic.jsonl.gz", pa.schema([("id", pa.int32()), ("bu", pa.int64())])
    options = {"misfitColumn": "_misfit"}
    with pytest.warns(ReadingWarning, match="column _misfit says why"):
        rows = tidewire.read_table(path, "test.ints", schema=schema, options=options)
    assert rows.column_names[-2:] == ["_misfit", "_corrupt_record"]
    assert rows["_corrupt_record"].null_count == rows.num_rows
    (first, *_) = rows["_misfit"].drop_null().to_pylist()
    assert first == (
        "test.ints, column 'bu': '18446744073709551615' does not fit BIGINT; declare a wider type, or STRING"
    )
    again = tidewire.read_table([b"no craft"], "test.ints", "craft", schema=rows.schema, options=options)
    assert again.schema.names == rows.schema.names
    assert (again["_misfit"].null_count, again["_corrupt_record"].null_count) == (1, 0)


def test_options_are_those_of_spark() -> None:
    path = EXAMPLES / "craft_topic.jsonl.gz"
    options = {"zeroDate": "string", "time": "interval", "columnNameOfCorruptRecord": "broken"}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        rows = tidewire.read_table(path, "test.times", options=options, timezone="Asia/Shanghai")
        plain = tidewire.read_table(path, "test.times", timezone="Asia/Shanghai")
    assert rows.column_names[-1] == "broken"
    changed = {one.name for one, other in zip(rows.schema, plain.schema, strict=True) if one.type != other.type}
    assert changed
    for wrong in ({"rescuedDataColumn": "r"}, {"schemaLocation": "x"}, {"json": "variant"}, {"mood": "x"}):
        with pytest.raises(OptionError, match="is no option to read craft"):
            tidewire.read_table(path, "test.times", options=wrong)


@pytest.mark.once
def test_rows_of_a_long_file_take_no_more_memory_than_those_of_a_short_one(tmp_path: Path) -> None:
    def peak(count: int) -> int:
        path = tmp_path / f"{count}.lines"
        (line,) = [one[1] or b"" for one in messages([change(1, name="x" * 1000)], canal_json)]
        with path.open("wb") as out:
            for _ in range(count):
                out.write(line + b"\n")
        tracemalloc.start()
        found = sum(one.num_rows for one in tidewire.rows(path, "shop.orders", "canal-json", timezone="UTC"))
        used: int = tracemalloc.get_traced_memory()[1] + pa.total_allocated_bytes()
        tracemalloc.stop()
        assert found == count
        return used

    short = peak(2_000)
    assert peak(8_000) < short * 1.5


def test_neither_spark_nor_the_command_line_is_imported() -> None:
    script = (
        "import sys, tidewire; "
        f"tidewire.read_table({str(EXAMPLES / 'craft_topic.jsonl.gz')!r}, 'test.k_comp'); "
        "print({'pyspark', 'typer', 'rich', 'pandas', 'tidewire.spark', 'tidewire.cli'} & sys.modules.keys())"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "set()"


def test_a_table_without_its_description_is_said_to_lack_it() -> None:
    """It is there, and its rows are what could not be read; another table is not."""
    lines = gzip.decompress((EXAMPLES / "simple_topic.jsonl.gz").read_bytes()).splitlines()
    values = [base64.b64decode(json.loads(line)["value"]) for line in lines]
    rows = [(None, value) for value in values if json.loads(value)["type"] in ("INSERT", "UPDATE", "DELETE")]
    for name in ("shop.orders", "SHOP.ORDERS", "orders"):
        with pytest.raises(SchemaError) as caught:
            tidewire.read_table(rows, name)
        assert str(caught.value).startswith(
            f"table {name} is not described, without which its rows cannot be read: give its CREATE TABLE, such as "
        )
    with pytest.raises(SchemaError) as caught:
        tidewire.read_table(rows, "shop.nosuch")
    assert str(caught.value).startswith(f"{len(rows)} of {len(rows)} messages could not be read, the first: message 0")
    assert "no change of table shop.nosuch is in these messages" in str(caught.value)


@pytest.mark.parametrize("form", ["jsonl", "jsonl.gz", "json"])
def test_a_table_may_be_in_the_half_of_a_file_that_is_missing(form: str, tmp_path: Path) -> None:
    path = tmp_path / f"half.{form}"
    lines = gzip.decompress((EXAMPLES / "canal_json_topic.jsonl.gz").read_bytes()).splitlines(keepends=True)[:60]
    if form == "json":
        path.write_bytes(b"[" + b",".join(lines)[:-20])
    elif form == "jsonl":
        path.write_bytes(b"".join(lines)[:-20])
    else:
        path.write_bytes(gzip.compress(b"".join(lines))[:-3000])
    with warnings.catch_warnings(action="ignore"), pytest.raises(SchemaError) as caught:
        tidewire.read_table(path, "test.k_comp")
    cut = "the array is cut off" if form == "json" else "the file ends in the middle of this line; the "
    before, _, rest = str(caught.value).partition("; no change of table test.k_comp is in these messages")
    assert before.startswith(f"{path}:")
    assert cut in before
    assert re.search(r"the \d+ messages before it were read", before)
    assert rest
