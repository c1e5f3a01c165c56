"""The output of a staging task, without Spark: files of rows by table and shape, stored messages, and facts."""

from __future__ import annotations

from decimal import Decimal
from pathlib import Path
from typing import Any

import fsspec
import pyarrow as pa
import pytest
from pyarrow import parquet

from sync.staged_histories import (
    ACCOUNTS,
    KEY,
    PROTOCOLS,
    START,
    TABLES,
    account,
    batch_of,
    change,
    history,
    messages,
    read,
    staged,
    task,
)
from tidewire.events import Column, Ddl, Event, RowChange, Watermark
from tidewire.mysql import ColumnFlag, ColumnType
from tidewire.runtime.errors import OptionError
from tidewire.spark.sync.changed_rows import NO_KEY, key_text
from tidewire.spark.sync.changelog import StateError
from tidewire.spark.sync.mixed import MANY
from tidewire.spark.sync.shapes import Shape
from tidewire.spark.sync.staged_files import LETTERS, MESSAGES, ROWS, StagedFiles, full, holds, shown
from tidewire.spark.sync.staging import known_by, staging_options
from tidewire.spark.sync.wanted import Wanted

CANAL = "canal-json"
EVERY = pytest.mark.parametrize("name", list(PROTOCOLS))


def row(table: str, kind: str, ts: int, rank: int, **values: Any) -> dict[str, Any]:
    return {**values, "_change_type": kind, "_commit_version": START + ts, "_commit_rank": rank}


PAIRS_STAGED = [
    *(row("pairs", "insert", 10, 3, a=n, b="x", n=n) for n in range(3)),
    # two keys that were swapped: both are deleted before both are there again
    row("pairs", "delete", 22, 0, a=0, b="x", n=None),
    row("pairs", "delete", 22, 0, a=1, b="x", n=None),
    row("pairs", "update_postimage", 22, 2, a=0, b="x", n=1),
    row("pairs", "update_postimage", 22, 2, a=1, b="x", n=0),
    row("pairs", "delete", 23, 0, a=2, b="x", n=None),
    row("pairs", "update_postimage", 23, 2, a=2, b="y", n=2),
]


@EVERY
def test_every_protocol_gives_the_same_rows(name: str, tmp_path: Path) -> None:
    keys, values = messages(history(), name)
    facts = staged(task(tmp_path, PROTOCOLS[name][0]), batch_of(keys, values, "topic", 3))
    assert read(tmp_path, facts, "shop.pairs") == PAIRS_STAGED
    found = read(tmp_path, facts, "shop.accounts")
    whole = {"opened", "data", "balance", "owner", "id"}
    assert [(one["_commit_version"] - START, one["_change_type"], one["id"]) for one in found] == [
        *((1 + n, "insert", n) for n in range(6)),
        (20, "update_postimage", 1),
        (21, "delete", 2),
        (21, "update_postimage", 100),
        (24, "delete", 3),
        (24, "insert", 3),
    ]
    assert found[6]["balance"] == Decimal("7.00")
    assert found[6]["owner"] is None
    assert str(found[6]["opened"]) == "2024-02-29 10:00:00"
    assert found[6]["data"] == b"\0"
    assert {name: found[7][name] for name in whole - {"id"}} == dict.fromkeys(whole - {"id"})
    assert [(one.table, one.rows, one.lo - START, one.hi - START, one.late) for one in sorted(facts.rows)] == [
        ("shop.accounts", 11, 1, 24, 0),
        ("shop.pairs", 9, 10, 23, 0),
    ]
    assert facts.watermarks == {"topic": {3: START + 30}}
    assert [(one.table, one.ts, one.topic, one.partition) for one in facts.statements] == [
        ("accounts", START, "topic", 3),
        ("pairs", START, "topic", 3),
    ]
    assert all(one.query.startswith("CREATE TABLE") for one in facts.statements)
    assert (facts.messages, facts.dead, facts.unmergeable, facts.waiting) == (len(values), [], {}, [])


def test_a_shape_says_names_types_and_keys_and_is_read_from_its_text(tmp_path: Path) -> None:
    facts = staged(task(tmp_path, CANAL), batch_of(*messages(history(), CANAL)))
    shape = Shape.parse(next(one.shape for one in facts.rows if one.table == "shop.accounts"))
    assert [tuple(column) for column in shape.columns] == [
        ("id", "bigint", "bigint", True),
        ("owner", "string", "varchar(20)", False),
        ("balance", "decimal(12,2)", "decimal(12,2)", False),
        ("opened", "timestamp_ntz", "datetime", False),
        ("data", "binary", "blob", False),
    ]
    assert Shape.parse(shape.text()) == shape
    assert [one.name for one in shape.struct()] == ["id", "owner", "balance", "opened", "data"]


def test_names_are_those_that_nobody_has_had(tmp_path: Path) -> None:
    """A task that is run again writes other files: what the first one left is named by nobody."""
    batch = batch_of(*messages(history(), CANAL))
    first, second = (staged(task(tmp_path, CANAL), batch) for _ in range(2))
    assert not {one.path for one in first.rows} & {one.path for one in second.rows}
    assert read(tmp_path, first, "shop.pairs") == read(tmp_path, second, "shop.pairs")


def test_late_rows_are_staged_and_counted(tmp_path: Path) -> None:
    facts = staged(task(tmp_path, CANAL, resolved=START + 21), batch_of(*messages(history(), CANAL)))
    assert {one.table: (one.rows, one.late) for one in facts.rows} == {"shop.accounts": (11, 7), "shop.pairs": (9, 3)}
    again = staged(task(tmp_path, CANAL, resolved=START + 21, few=99), batch_of(*messages(history(), CANAL)))
    assert {one.table: one.late for one in again.rows} == {"shop.accounts": 6 + 1, "shop.pairs": 3}


@pytest.mark.parametrize(
    ("wanted", "tables"),
    [
        (Wanted(), {"shop.accounts", "shop.pairs"}),
        (Wanted(("SHOP.a*",)), {"shop.accounts"}),
        (Wanted(("*.*",), ("shop.PAIRS",)), {"shop.accounts"}),
        (Wanted(("other.*",)), set()),
        (Wanted(("pairs",)), {"shop.pairs"}),
    ],
)
@pytest.mark.parametrize("few", [0, 99])
def test_tables_that_are_not_wanted_are_not_staged(wanted: Wanted, tables: set[str], few: int, tmp_path: Path) -> None:
    facts = staged(task(tmp_path, CANAL, wanted=wanted, few=few), batch_of(*messages(history(), CANAL)))
    assert {one.table for one in facts.rows} == tables
    assert facts.watermarks


def test_names_in_patterns_stand_in_backquotes_where_they_have_dots() -> None:
    assert ("shop", "weird.name") in Wanted(("Shop.`weird.name`",))
    assert ("we`ird.shop", "t") in Wanted(("`we``ird.shop`.*",))
    assert ("weird.shop", "t") not in Wanted(("shop.t",))
    assert Wanted(("shop.`a.*`",)).named("shop.`a.b`")


@EVERY
def test_tables_with_few_rows_stay_messages_in_one_file(name: str, tmp_path: Path) -> None:
    facts = staged(task(tmp_path, PROTOCOLS[name][0], few=99), batch_of(*messages(history(), name)))
    (path,) = {one.path for one in facts.rows}
    assert holds(path) == MESSAGES
    assert {
        one.table: (one.lo - START, one.hi - START) for one in facts.rows if Shape.parse(one.shape).columns[2:]
    } == {
        "shop.accounts": (1, 24),
        "shop.pairs": (10, 23),
    }
    kept = parquet.read_table(tmp_path / path)
    assert kept.column_names == ["table", "first_ts", "last_ts", "key", "value", "origin"]
    places = list(zip(kept.column("table").to_pylist(), kept.column("origin").to_pylist(), strict=True))
    assert len(set(places)) == len(places), "a message is there once for a table"


def test_some_tables_are_rows_and_others_messages(tmp_path: Path) -> None:
    facts = staged(task(tmp_path, CANAL, few=10), batch_of(*messages(history(), CANAL)))
    assert {one.table: holds(one.path) for one in facts.rows} == {"shop.accounts": ROWS, "shop.pairs": MESSAGES}


def test_a_message_with_rows_of_two_tables_is_kept_for_those_with_few(tmp_path: Path) -> None:
    """Craft has many rows in a message, here of tables with many rows and with few."""
    facts = staged(task(tmp_path, "craft", few=10), batch_of(*messages(history(), "craft")))
    kinds = {one.table: holds(one.path) for one in facts.rows}
    assert kinds == {"shop.accounts": ROWS, "shop.pairs": MESSAGES}


def test_a_thousand_tables_are_one_file(tmp_path: Path) -> None:
    columns = (Column("id", ColumnType.BIGINT, KEY, "bigint"), Column("v", ColumnType.INT, 0, "int"))
    events: list[Any] = [
        RowChange("insert", START + at, schema="s", table=f"t{at % 1000}", new={"id": at, "v": 1}, columns=columns)
        for at in range(2000)
    ]
    events += [
        RowChange("insert", START + at, schema="s", table="large", new={"id": at, "v": 1}, columns=columns)
        for at in range(300)
    ]
    for few in (200, None):
        facts = staged(task(tmp_path, CANAL, few=few), batch_of(*messages(events, CANAL)))
        assert len(facts.rows) == 1001
        assert sorted({holds(one.path) for one in facts.rows}) == [MESSAGES, ROWS]
        assert len({one.path for one in facts.rows}) == 2
        assert sum(one.rows for one in facts.rows) == 2300


def test_a_few_tables_have_files_of_their_own_however_few_their_rows_are(tmp_path: Path) -> None:
    """Messages would be decoded once more when each of them is applied."""
    columns = (Column("id", ColumnType.BIGINT, KEY, "bigint"), Column("v", ColumnType.INT, 0, "int"))
    events: list[Any] = [
        RowChange("insert", START + at, schema="s", table=f"t{at % MANY}", new={"id": at, "v": 1}, columns=columns)
        for at in range(2 * MANY)
    ]
    facts = staged(task(tmp_path, CANAL, few=None), batch_of(*messages(events, CANAL)))
    assert [holds(one.path) for one in facts.rows] == [ROWS] * MANY
    assert {one.rows for one in facts.rows} == {2}


def test_batches_are_decoded_together(tmp_path: Path) -> None:
    keys, values = messages(history(), CANAL)
    parts = [batch_of([key], [value]) for key, value in zip(keys, values, strict=True)]
    together = staged(task(tmp_path, CANAL), *parts)
    apart = staged(task(tmp_path, CANAL, batch_bytes=1), *parts)
    # a delete that is alone in its batch has the shape of its key
    assert (len(together.rows), len(apart.rows)) == (2, 3)
    for facts in (together, apart):
        assert read(tmp_path, facts, "shop.pairs") == PAIRS_STAGED


# ---- decimals


def decimals(values: list[str | None], said: str) -> list[Any]:
    columns = (
        Column("id", ColumnType.BIGINT, KEY, "bigint"),
        Column("d", ColumnType.DECIMAL, ColumnFlag.NULLABLE, said),
    )
    return [
        RowChange("insert", START + at, schema="s", table="t", new={"id": at, "d": value}, columns=columns)
        for at, value in enumerate(values)
    ]


@pytest.mark.parametrize(
    ("values", "kind"),
    [
        (["1.50", "-20.25", None], "decimal(38,2)"),
        (["0", "123"], "decimal(38,0)"),
        (["0." + "0" * 29 + "1"], "decimal(38,30)"),
        (["9" * 35 + "." + "9" * 30], "string"),
    ],
)
def test_decimals_whose_scale_nobody_says(values: list[str | None], kind: str, tmp_path: Path) -> None:
    facts = staged(task(tmp_path, "craft"), batch_of(*messages(decimals(values, "decimal"), "craft")))
    (one,) = facts.rows
    assert Shape.parse(one.shape).columns[1].type == kind
    given = [None if value is None else value if kind == "string" else Decimal(value) for value in values]
    assert [found["d"] for found in read(tmp_path, facts, "s.t")] == given
    assert facts.dead == []


def test_a_scale_that_grows_is_another_shape(tmp_path: Path) -> None:
    batches = [batch_of(*messages(decimals([value], "decimal"), "craft")) for value in ("1.5", "1.25", "7.5")]
    facts = staged(task(tmp_path, "craft", batch_bytes=1), *batches)
    assert sorted((Shape.parse(one.shape).columns[1].type, one.rows) for one in facts.rows) == [
        ("decimal(38,1)", 1),
        ("decimal(38,2)", 2),
    ]


# ---- what cannot be staged as rows


@pytest.mark.parametrize("few", [0, 99])
def test_a_value_that_does_not_fit_fails_its_row_alone(few: int, tmp_path: Path) -> None:
    events = history()
    events[3] = change("insert", 2, "accounts", account(1, opened="0000-00-00 00:00:00"))
    facts = staged(task(tmp_path, CANAL, few=few), batch_of(*messages(events, CANAL), topic="x", partition=5))
    (letter,) = facts.dead
    assert (letter.table, letter.key, letter.ts) == ("shop.accounts", '["1"]', START + 2)
    assert (letter.topic, letter.partition, letter.offset) == ("x", 5, 3)
    assert "'opened': '0000-00-00 00:00:00' is not a day of the calendar" in letter.reason
    kept = parquet.read_table(tmp_path / letter.path).to_pylist()
    assert b"0000-00-00" in kept[0]["value"]
    assert {name: kept[0][name] for name in ("table", "row_key", "commit_ts", "topic", "partition", "offset")} == {
        "table": "shop.accounts",
        "row_key": '["1"]',
        "commit_ts": START + 2,
        "topic": "x",
        "partition": 5,
        "offset": 3,
    }
    # the table's other rows are rows, also where it has few of them
    assert [one["id"] for one in read(tmp_path, facts, "shop.accounts") if one["_commit_rank"] == 3] == [
        0,
        2,
        3,
        4,
        5,
        3,
    ]


def test_a_policy_that_was_chosen_makes_values_null(tmp_path: Path) -> None:
    events = [change("insert", 1, "accounts", account(1, opened="0000-00-00 00:00:00"))]
    facts = staged(task(tmp_path, CANAL, {"zeroDate": "null"}), batch_of(*messages(events, CANAL)))
    assert facts.dead == []
    assert read(tmp_path, facts, "shop.accounts")[0]["opened"] is None


@pytest.mark.parametrize("few", [0, 99])
def test_other_columns_of_deletes_do_not_matter(few: int, tmp_path: Path) -> None:
    events = [change("delete", 1, "accounts", None, account(1, opened="0000-00-00 00:00:00"))]
    facts = staged(task(tmp_path, CANAL, few=few), batch_of(*messages(events, CANAL)))
    assert facts.dead == []
    (found,) = read(tmp_path, facts, "shop.accounts") if few == 0 else [{"id": 1, "_change_type": "delete"}]
    assert (found["id"], found["_change_type"]) == (1, "delete")


@pytest.mark.parametrize("name", ["canal-json", "craft, keys of deletes", "open-protocol"])
def test_deletes_are_not_among_rows_of_columns_that_a_statement_changed(name: str, tmp_path: Path) -> None:
    """Such rows are applied before the statement, and the deletes behind it."""
    renamed = (*TABLES["pairs"][:2], Column("m", ColumnType.BIGINT, ColumnFlag.NULLABLE, "bigint"))
    events: list[Event] = [change("insert", n, "pairs", {"a": n, "b": "x", "n": n}) for n in range(3)]
    events.append(Ddl(START + 10, "shop", "pairs", 28, "ALTER TABLE pairs RENAME COLUMN n TO m"))
    events.append(change("delete", 20, "pairs", None, {"a": 0, "b": "x", "m": 0}, columns=renamed))
    facts = staged(task(tmp_path, PROTOCOLS[name][0]), batch_of(*messages(events, name)))
    assert sorted((one.rows, one.lo - START, one.hi - START) for one in facts.rows) == [(1, 20, 20), (3, 0, 2)]
    assert all("n" not in one.shape.split('"') for one in facts.rows if one.hi > START + 10)


def test_messages_that_cannot_be_read_are_kept_with_their_bytes(tmp_path: Path) -> None:
    keys, values = messages(history(), CANAL)
    values[4] = b'{"half of'
    facts = staged(task(tmp_path, CANAL), batch_of(keys, values, "x"))
    (letter,) = facts.dead
    assert (letter.table, letter.key, letter.ts, letter.offset) == ("", "", 0, 4)
    assert holds(letter.path) == LETTERS
    (kept,) = parquet.read_table(tmp_path / letter.path).to_pylist()
    assert (kept["value"], kept["topic"], kept["offset"]) == (b'{"half of', "x", 4)
    assert kept["reason"].startswith(letter.reason)
    assert sum(one.rows for one in facts.rows) == 19


@pytest.mark.parametrize("few", [0, 99])
def test_rows_without_commit_ts_are_no_rows(few: int, tmp_path: Path) -> None:
    plain = messages(history(), CANAL, enable_tidb_extension=False)
    facts = staged(task(tmp_path, CANAL, few=few), batch_of(*plain))
    assert facts.rows == []
    assert {letter.table for letter in facts.dead} == {"shop.accounts", "shop.pairs", ""}
    assert all("no commit ts" in letter.reason for letter in facts.dead)
    assert next(letter.key for letter in facts.dead if letter.table == "shop.pairs") == '["0","x"]'


@pytest.mark.parametrize("few", [0, 99])
def test_tables_without_keys_are_marked(few: int, tmp_path: Path) -> None:
    columns = tuple(column._replace(flags=column.flags & ~KEY) for column in ACCOUNTS)
    events = [
        change("insert", 5, "accounts", account(1), columns=columns),
        change("delete", 6, "accounts", None, account(1), columns=columns),
    ]
    facts = staged(task(tmp_path, CANAL, few=few), batch_of(*messages(events, CANAL)))
    assert facts.unmergeable == {"shop.accounts": (START + 5, NO_KEY)}
    assert sum(one.rows for one in facts.rows) == 2
    if few == 0:
        # what is deleted is known by all of it
        assert [one["owner"] for one in read(tmp_path, facts, "shop.accounts")] == ["o1", "o1"]


@pytest.mark.parametrize("few", [0, 99])
def test_rows_that_are_a_part_are_marked_and_whole_ones_beside_them_are_not(few: int, tmp_path: Path) -> None:
    """Of a row that is too large for a message TiCDC sends the handle key alone."""
    events = [change("insert", 1 + n, "accounts", account(n)) for n in range(3)]
    keys, values = messages([events[0], events[2], change("delete", 9, "accounts", None, account(0))], CANAL)
    part = (
        b'{"id":0,"database":"shop","table":"accounts","pkNames":["id"],"isDdl":false,"type":"INSERT","es":1,"ts":1,'
        + (
            b'"sql":"","sqlType":{"id":-5},"mysqlType":{"id":"bigint"},"data":[{"id":"1"}],"old":null,'
            b'"_tidb":{"commitTs":%d,"onlyHandleKey":true}}' % (START + 2)
        )
    )
    facts = staged(task(tmp_path, CANAL, few=few), batch_of([*keys, None], [*values, part]))
    ((table, (ts, lacks)),) = facts.unmergeable.items()
    assert (table, ts) == ("shop.accounts", START + 2)
    assert "handle key columns only" in lacks
    by_lack = {bool(Shape.parse(one.shape).lacks): one.rows for one in facts.rows}
    assert by_lack == {False: 3, True: 1}


def test_a_table_that_no_frame_can_have_stays_messages_and_is_marked(tmp_path: Path) -> None:
    columns = (Column("id", ColumnType.BIGINT, KEY, "bigint"), Column("_commit_rank", ColumnType.INT, 0, "int"))
    events = [RowChange("insert", START + 1, schema="s", table="t", new={"id": 1, "_commit_rank": 2}, columns=columns)]
    facts = staged(task(tmp_path, CANAL), batch_of(*messages([*events, Watermark(START + 2)], CANAL)))
    (one,) = facts.rows
    assert (one.table, holds(one.path), one.rows) == ("s.t", MESSAGES, 1)
    assert facts.unmergeable["s.t"][0] == START + 1
    assert "'_commit_rank' has the name of a column that Tidewire adds" in facts.unmergeable["s.t"][1]


def test_a_commit_ts_that_bigint_cannot_hold_is_a_dead_letter(tmp_path: Path) -> None:
    events = [RowChange("insert", (1 << 63) + 5, schema="shop", table="accounts", new=account(1), columns=ACCOUNTS)]
    facts = staged(task(tmp_path, CANAL, few=99), batch_of(*messages(events, CANAL)))
    (letter,) = facts.dead
    assert "more than BIGINT holds" in letter.reason
    assert (letter.table, letter.key, facts.rows) == ("shop.accounts", '["1"]', [])


# ---- descriptions


def test_rows_wait_for_descriptions_that_another_partition_has(tmp_path: Path) -> None:
    keys, values = messages(history(), "simple")
    one = task(tmp_path, "simple")
    first = staged(one, batch_of(keys[:2], values[:2], partition=0))
    assert sorted(first.descriptions) == ["shop.accounts@7", "shop.pairs@7"]
    second = staged(one, batch_of(keys[2:], values[2:], partition=1))
    assert (second.rows, second.dead, len(second.waiting)) == ([], [], 1)
    kept = parquet.read_table(tmp_path / second.waiting[0])
    assert kept.column_names == ["key", "value", "topic", "partition", "offset"]
    assert kept.num_rows == len(values) - 3
    batch = kept.combine_chunks().to_batches()[0]
    again = staged(task(tmp_path, "simple", tables=known_by(first.descriptions), again=True), batch)
    assert read(tmp_path, again, "shop.pairs") == PAIRS_STAGED
    assert (again.dead, again.descriptions) == ([], {})
    lost = staged(task(tmp_path, "simple", again=True), batch)
    assert {letter.table for letter in lost.dead} == {"shop.accounts", "shop.pairs"}


def test_rows_that_are_read_by_the_time_stay_messages(tmp_path: Path) -> None:
    """Without schema blocks the description that holds at the commit ts counts, and it may be in another partition."""
    found = messages(history(), "debezium", debezium_disable_schema=True)
    facts = staged(task(tmp_path, "debezium"), batch_of(*found))
    assert {holds(one.path) for one in facts.rows} == {MESSAGES}
    assert len(facts.descriptions) == 2


# ---- keys and options


@pytest.mark.parametrize(
    ("values", "text"),
    [
        ([1, "x"], '["1","x"]'),
        ([Decimal("1.50"), b"\xff"], '["1.5","ff"]'),
        ([Decimal("-0"), Decimal("100")], '["-0","100"]'),
        ([None, 1], ""),
        ([], ""),
    ],
)
def test_texts_of_keys(values: list[Any], text: str) -> None:
    assert key_text([f"k{at}" for at in range(len(values))], values) == text


def test_keys_are_in_the_order_of_their_names() -> None:
    assert key_text(["B", "a"], [1, 2]) == key_text(["a", "b"], [2, 1]) == '["2","1"]'


@pytest.mark.parametrize("name", ["mode", "KEEP", "misfitColumn", "rescuedDataColumn", "time", "json"])
def test_options_for_frames_are_refused(name: str) -> None:
    with pytest.raises(OptionError, match="tables are kept current without it"):
        staging_options(CANAL, {name: "x"}, "UTC")


def test_options_of_staging() -> None:
    assert staging_options(CANAL, None, "UTC").zero_date == "error"
    assert staging_options(CANAL, {"zeroDate": "null"}, "Asia/Tokyo").zero_date == "null"


def test_facts_are_small_whatever_the_rows(tmp_path: Path) -> None:
    events = [change("insert", n, "accounts", account(n)) for n in range(1, 400)]
    one = task(tmp_path, CANAL)
    (out,) = one(iter([batch_of(*messages(events, CANAL))]))
    assert isinstance(out, pa.RecordBatch)
    assert out.num_rows < 5
    assert out.nbytes < 2000


# ---- where files lie


def test_files_are_written_to_any_storage_that_fsspec_knows() -> None:
    one = StagedFiles("memory://state/shop", "b1")
    path = one.write(ROWS, pa.table({"a": [1, 2]}))
    one.done()
    assert path.startswith("staged/b1/rows-")
    with fsspec.open(f"memory://state/shop/{path}", "rb") as file:
        assert parquet.read_table(file).column("a").to_pylist() == [1, 2]
    assert full("s3://bucket/state/", path) == f"s3://bucket/state/{path}"
    assert full("state", path) == str(Path("state").absolute() / path)


def test_a_storage_that_cannot_be_written_is_told(tmp_path: Path) -> None:
    (tmp_path / "staged").write_text("a file")
    with pytest.raises(StateError, match=r"staged/b1/rows-.* cannot be written \(.*\): make room or give access"):
        staged(task(tmp_path, CANAL), batch_of(*messages(history(), CANAL)))


def test_what_is_shown_of_an_address_has_no_password() -> None:
    assert shown("s3://key:secret@bucket/state?token=x") == "s3://bucket/state"
    assert shown("/lake/state") == "/lake/state"
