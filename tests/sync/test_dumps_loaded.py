"""Tables that begin with the rows of a dump, and go on with the changes after it."""

from __future__ import annotations

import gzip
import re
import shutil
import tracemalloc
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from pyspark.sql import DataFrame

from sync.dumpling import Dumped, write_dump
from sync.staged_histories import START, change
from sync.test_verified_tables import EVERY, NAMES, ROWS, every_row
from sync.topic import Topic
from sync.verified_types import describe
from tidewire.events import Event, Watermark
from tidewire.reading.database.dump import Dump
from tidewire.reading.database.dumped_text import DumpError
from tidewire.reading.options import ReadOptions
from tidewire.spark.sync.changelog import Action, Manifest, Source, Staged, StateError, Statement
from tidewire.spark.sync.dump_rows import LoadTask, table_of
from tidewire.spark.sync.dumped import found_dump
from tidewire.spark.sync.exact import snapshot as exact_snapshot
from tidewire.spark.sync.how_far import Waiting, ask
from tidewire.spark.sync.loading import loaded
from tidewire.spark.sync.publish import snapshot
from tidewire.spark.sync.retained import CLOCKS_APART, Begin, check_since
from tidewire.spark.sync.row_versions import scd2

SQL = "CREATE TABLE `orders` (`id` int NOT NULL, `n` int, `note` varchar(20), PRIMARY KEY (`id`))"
TYPES = {"id": "int", "n": "int", "note": "varchar"}
COLUMNS = describe(SQL).row_columns()
AFTER = [(0, 0, "dumped"), (1, 10, "dumped"), (7, 7, "changed")]
"""The rows of the dump of 20, after the changes of `changes`."""


def order(kind: str, ts: int, number: int, n: int | None = None, columns: Any = COLUMNS, **more: Any) -> Event:
    row = {"id": number, "n": n, "note": "changed", **more}
    old = row if kind != "insert" else None
    return change(kind, ts, "orders", None if kind == "delete" else row, old, columns=columns)


def dumped(tmp: Path, ts: int, rows: int = 3, kind: str = "csv", how: str = "") -> Path:
    cells = [[str(at).encode(), b"%d" % (at * 10), b"dumped"] for at in range(rows)]
    return write_dump(tmp / f"dump-{ts}", START + ts, {"shop.orders": Dumped(SQL, TYPES, cells)}, kind, how)


def changes(topic: Topic) -> DataFrame:
    """Changes before and after a dump of 20, up to 30."""
    events = [
        Watermark(START + 5),
        order("insert", 8, 0, 1),
        order("insert", 20, 1, 1),
        order("insert", 21, 7, 7),
        order("delete", 22, 2),
        Watermark(START + 30),
    ]
    return topic.frame(events).persist()


class Noted:
    """Runs batches, and keeps their notes."""

    def __init__(self, topic: Topic, **more: Any) -> None:
        self.topic = topic
        self.more = more
        self.notes: list[str] = []

    def sync(self, frame: DataFrame, **more: Any) -> Any:
        return self.topic.sync(frame, **{**self.more, **more}, said=lambda one: self.notes.extend(one.manifest.notes))


FORMATS = [("parquet", "csv", ""), ("iceberg", "sql", "zst"), ("delta", "csv", "gz")]


@pytest.mark.parametrize(("format", "kind", "how"), FORMATS)
def test_a_table_begins_with_a_dump_and_goes_on(topic: Topic, format: str, kind: str, how: str) -> None:
    """Also where the process dies while it is loaded, whatever was done then; nobody sees a part of it."""
    lake = {"iceberg": "ice.dumped_{schema}.{table}"}.get(format, f"{topic.tmp}/lake/{{schema}}/{{table}}")
    more = {"into": f"{format}:{lake}"}
    if format == "delta":
        more["history"] = f"delta:{topic.tmp}/lake/{{schema}}/{{table}}_changes"
    first = changes(topic)
    topic.sync(first, **more, tables="shop.nothing").once()
    at = found_dump(str(dumped(topic.tmp, 20, 3, kind, how)))
    topic.sync(first, **more).ask("add", "shop.orders", at)

    class Died(Exception):
        pass

    def dies(made: Callable[..., Any]) -> Callable[..., Any]:
        def found(*of: Any) -> Any:
            made(*of)
            raise Died

        return found

    table = type(topic.sync(first, **more)._batches.steps._tables().table("shop.orders", "x/0"))
    for name in ("create", "append"):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(table, name, dies(getattr(table, name)))
            with pytest.raises(Died):
                topic.sync(first.union(topic.frame([Watermark(START + 40)])), **more).once()
        assert "shop.orders" not in snapshot(topic.spark, topic.state)
    frame = first.union(topic.frame([order("update", 44, 0, 44), Watermark(START + 50)]))
    found = topic.sync(frame, **more).once()
    assert (found.parked, found.notes, found.asked) == ({}, (), ())
    assert topic.rows("shop.orders") == [(0, 44, "changed"), *AFTER[1:]]
    assert "shop.orders" not in snapshot(topic.spark, topic.state, START + 30)
    if format == "delta":
        history = topic.spark.read.format("delta").load(f"{topic.tmp}/lake/shop/orders_changes")
        rows = {(one.id, one._change_type, one._commit_version - START) for one in history.collect()}
        first_rows = {(number, "insert", 20) for number in range(3)}
        assert rows == first_rows | {(7, "insert", 21), (2, "delete", 22), (0, "update_postimage", 44)}
        inexact = exact_snapshot(topic.spark, topic.state, START + 46, exact=True).inexact
        assert f"it began with a dump of {START + 20}, and is known from the" in inexact["shop.orders"]
        versions = partial(scd2, topic.spark, topic.state, "shop.orders")
        assert versions(as_of=START + 20).count() == 3
        with pytest.raises(StateError, match=f"a dump of {START + 20}, so that its rows at {START + 19} are not known"):
            versions(as_of=START + 19)


def test_a_synchronisation_begins_with_dumps(topic: Topic) -> None:
    """They are asked for before it starts; a table waits until the topic is beyond its dump, and is not seen before."""
    at = found_dump(str(dumped(topic.tmp, 40)), start_ts=START + 40)
    noted = Noted(topic)
    ask(topic.state, "add", "shop.orders", lambda _: True, at)
    first = topic.frame([order("insert", 44, 7, 7), Watermark(START + 38)]).persist()
    found = noted.sync(first).once()
    assert found.asked == (Waiting("add", "shop.orders", START + 40),)
    assert found.tables == {}
    second = topic.frame([order("delete", 46, 2), Watermark(START + 45)]).persist()
    found = noted.sync(first.union(second)).once()
    assert (found.asked, found.parked, found.notes) == ((), {}, ())
    found = noted.sync(first.union(second).union(topic.frame([Watermark(START + 50)]))).once()
    assert (noted.notes, set(found.tables)) == ([], {"shop.orders"})
    assert topic.rows("shop.orders") == AFTER


def test_a_table_may_be_asked_for_in_any_case(topic: Topic) -> None:
    """Names in messages are those of the database; there is one table, whatever the user wrote."""
    sql = SQL.replace("`orders`", "`Orders`")
    place = write_dump(topic.tmp / "dump", START + 20, {"shop.Orders": Dumped(sql, TYPES, [[b"1", b"1", b"dumped"]])})

    def both(kind: str, ts: int, number: int) -> list[Event]:
        row = {"id": number, "n": ts, "note": "changed"}
        old = None if kind == "insert" else row
        return [change(kind, ts, name, row, old, columns=COLUMNS) for name in ("Orders", "Lines")]

    first = [Watermark(START + 5), *both("insert", 8, 1), Watermark(START + 30)]
    frame = topic.frame(first).persist()
    topic.sync(frame, tables="shop.nothing").once()
    frame = frame.union(topic.frame([*both("update", 34, 1), Watermark(START + 40)])).persist()
    running = topic.sync(frame)
    running.ask("add", "shop.orders", found_dump(str(place)))
    running.ask("add", "SHOP.LINES")
    assert set(running.once().tables) == {"shop.Orders", "shop.Lines"}
    with pytest.raises(StateError, match=r"table shop\.Lines is kept already"):
        running.ask("add", "shop.lines")
    running.ask("reset", "shop.lines")
    frame = frame.union(topic.frame([*both("insert", 44, 2), Watermark(START + 50)]))
    found = topic.sync(frame).once()
    assert (set(found.tables), found.parked) == ({"shop.Orders", "shop.Lines"}, {})
    for name in found.tables:
        assert topic.rows(name) == [(1, 34, "changed"), (2, 44, "changed")]


def test_a_table_that_is_gone_by_now_is_refused() -> None:
    """Under that name there is nothing after the dump."""
    drop, rename = Action("DropTable"), Action("RenameTable", (("old", "shop.t"), ("new", "shop.u")))
    for action in (drop, rename):
        staged = Staged(1, statements=(Statement(25, "shop.t", (action,)),))
        for load in ("a dump", ""):
            with pytest.raises(StateError, match=r"table shop\.t was dropped or renamed at 25, and no table has"):
                loaded("1", "shop.t", staged, 30, since=21, load=load)


def test_types_of_a_dump_are_those_of_the_topic(topic: Topic) -> None:
    """No message of the table is in the topic."""
    cells = [every_row(at)[0] for at in range(ROWS)]
    place = write_dump(topic.tmp / "dump", START + 20, {"shop.every": Dumped(EVERY, {"id": "int", **NAMES}, cells)})
    columns = describe(EVERY).row_columns()
    rows = [change("insert", 1, "copied", every_row(at)[1], columns=columns) for at in range(ROWS)]
    frame = topic.frame([*rows, Watermark(START + 10), Watermark(START + 30)]).persist()
    options = {"timezone": "UTC"}
    topic.sync(frame, options=options, tables="shop.copied").once()
    with pytest.raises(DumpError, match=r"column \w+ has TIMESTAMP values, .* say it with --timezone"):
        topic.sync(frame, options=options).ask("add", "shop.every", found_dump(str(place)))
    running = topic.sync(frame.union(topic.frame([Watermark(START + 40)])), options=options)
    running.ask("add", "shop.every", found_dump(str(place), timezone="+00:00"))
    found = running.once()
    assert (found.parked, found.notes) == ({}, ())
    lake = snapshot(topic.spark, topic.state)
    assert lake["shop.every"].schema == lake["shop.copied"].schema
    assert lake["shop.every"].exceptAll(lake["shop.copied"]).isEmpty()
    assert lake["shop.every"].count() == ROWS


def test_a_table_is_made_anew_from_a_dump(topic: Topic) -> None:
    """The topic does not have its first messages any more."""
    topic.sync(topic.frame([order("insert", 1, 0, 1), Watermark(START + 10)])).once()
    marks = Watermark(START + 15), Watermark(START + 16)
    later = topic.frame([*marks, order("insert", 21, 7, 7), order("delete", 22, 2), Watermark(START + 30)]).persist()
    topic.sync(later).once()
    noted = Noted(topic)
    at = found_dump(str(dumped(topic.tmp, 20)))
    noted.sync(later).ask("reset", "shop.orders", at)
    noted.sync(later).once()
    (note,) = noted.notes
    assert "nothing tells that those before it were sent before the dump; make a newer dump" in note
    # messages have the times at which they were sent: the first one that is there is older than the dump
    before = (START + 20 >> 18) - CLOCKS_APART - 3
    sent = later.union(topic.frame([Watermark(START + 40)])).selectExpr(
        "*", f"timestamp_millis({before} + offset) as timestamp"
    )
    noted.sync(sent).ask("reset", "shop.orders", at)
    found = noted.sync(sent).once()
    assert (noted.notes, found.parked) == ([note], {})
    assert topic.rows("shop.orders") == AFTER
    assert topic.rows("shop.orders", START + 30) == [(0, 1, "changed"), (7, 7, "changed")]


def test_rows_of_a_history_are_inserts_of_the_dump(topic: Topic) -> None:
    first = changes(topic)
    topic.sync(first, tables="shop.nothing").once()
    kept = {"shop.*": {"mode": "history"}}
    running = topic.sync(first.union(topic.frame([Watermark(START + 40)])), tables=kept)
    running.ask("add", "shop.orders", found_dump(str(dumped(topic.tmp, 20))))
    assert running.once().parked == {}
    there = snapshot(topic.spark, topic.state)["shop.orders"].collect()
    rows = {(one.id, one._change_type, one._commit_version - START, one._commit_rank) for one in there}
    assert rows == {*((at, "insert", 20, 3) for at in range(3)), (7, "insert", 21, 3), (2, "delete", 22, 0)}


def packed(place: Path, number: int, text: bytes) -> None:
    (place / f"shop.orders.{number:09d}.csv.gz").write_bytes(gzip.compress(text))


def cut(place: Path) -> None:
    path = place / "shop.orders.000000000.csv.gz"
    path.write_bytes(path.read_bytes()[:-20])


DAMAGED: list[tuple[Callable[[Path], None], str]] = [
    (cut, r"shop\.orders\.000000000\.csv\.gz, line \d: the file is cut off or damaged"),
    (
        partial(packed, number=1, text=b'"id","n","note"\r\n9,1,"a"\r\n10,many,"b"\r\n'),
        r"shop\.orders\.000000001\.csv\.gz, row 2 from line 2 on: column 'n': 'many' is no value of INT",
    ),
    (partial(packed, number=1, text=b'"id","n"\r\n2,1\r\n'), r"rows have no column 'note': they have id, n"),
    (
        partial(packed, number=9, text=b'"id","n","note"\r\n2,1,"a"\r\n'),
        r"has rows with the same key \(id\): two dumps may be in the folder",
    ),
]


def test_what_is_wrong_with_a_dump_has_its_table_wait(topic: Topic) -> None:
    """With the file and the line; nothing of the table is seen. When it is mended the table goes on."""
    frame = changes(topic)
    topic.sync(frame, tables="shop.nothing").once()
    for at, (damage, says) in enumerate(DAMAGED):
        place = dumped(topic.tmp, 20, 3, "csv", "gz")
        damage(place)
        frame = frame.union(topic.frame([Watermark(START + 40 + at)])).persist()
        running = topic.sync(frame)
        running.ask("reset" if at else "add", "shop.orders", found_dump(str(place)))
        (parked,) = running.once().parked.values()
        assert re.search(says, parked.reason), parked.reason
        assert "shop.orders" not in snapshot(topic.spark, topic.state)
        shutil.rmtree(place)
    place = dumped(topic.tmp, 20, 3, "csv", "gz")
    frame = frame.union(topic.frame([Watermark(START + 50)])).persist()
    running = topic.sync(frame)
    running.ask("reset", "shop.orders", found_dump(str(place)))
    assert running.once().parked == {}
    assert topic.rows("shop.orders") == AFTER


def test_rows_with_other_columns_than_the_dump_have_their_table_wait(topic: Topic) -> None:
    wide = describe(SQL.replace("`note`", "`more` int, `note`")).row_columns()
    row = order("insert", 21, 7, 7, wide, more=1)
    frame = topic.frame([Watermark(START + 5), row, Watermark(START + 30)]).persist()
    topic.sync(frame, tables="shop.nothing").once()
    running = topic.sync(frame.union(topic.frame([Watermark(START + 40)])))
    running.ask("add", "shop.orders", found_dump(str(dumped(topic.tmp, 20))))
    (parked,) = running.once().parked.values()
    assert "rows that came after the dump it began with have the column 'more', and the dump has not" in parked.reason


def test_a_dump_that_cannot_be_loaded_is_refused_at_once(topic: Topic) -> None:
    frame = topic.frame([order("insert", 1, 1), Watermark(START + 30)]).persist()
    running = topic.sync(frame)
    running.once()
    place = dumped(topic.tmp, 20)
    with pytest.raises(StateError, match=r"table shop\.orders is kept already: .* reset FILE shop\.orders --dump DIR"):
        running.ask("add", "shop.orders", found_dump(str(place)))
    with pytest.raises(DumpError, match=r"the dump in .* has no table shop\.pairs: it has shop\.orders"):
        running.ask("add", "shop.pairs", found_dump(str(place)))
    with pytest.raises(DumpError, match="there is no folder"):
        found_dump(str(topic.tmp / "nowhere"))
    with pytest.raises(DumpError, match="is in the future"):
        found_dump(str(write_dump(topic.tmp / "later", 1 << 62, {})))
    with pytest.raises(DumpError, match="sends no changes between them"):
        found_dump(str(place), start_ts=START + 21)
    with pytest.raises(DumpError, match=f"says that the dump is of TSO {START + 20}, and 5 was given"):
        found_dump(str(place), tso=5)
    with pytest.raises(DumpError, match="has a secret in it"):
        found_dump("s3://me:secret@bucket/dump")
    (place / "metadata").write_text("Finished dump at: 2026\n")
    assert found_dump(str(place), tso=START + 20).tso == START + 20


def before(**offsets: int) -> Manifest:
    return Manifest(Source("t", "craft"), offsets={"t": {int(name[1:]): at for name, at in offsets.items()}})


def test_a_topic_that_may_lack_changes_after_a_dump_is_refused() -> None:
    two = before(p0=9, p1=9)
    whole = {"t": {0: Begin(0, False), 1: Begin(0, False)}}

    def check(least: dict[int, int], begins: Any = whole, start_ts: int = 0, tso: int = 20) -> None:
        check_since(two, Staged(1, least={"t": least}), begins, "shop.t", tso, start_ts)

    check({0: 20, 1: 30})
    check({0: 30, 1: 30}, start_ts=20)
    check({1: 7}, {"t": {0: Begin(5, True), 1: Begin(0, False)}})
    none = r"no watermark of t is as old as the dump \("
    with pytest.raises(StateError, match=none + r"the oldest that is there is of 21\)"):
        check({0: 21, 1: 30})
    with pytest.raises(StateError, match=none + r"none is there\)"):
        check({})
    with pytest.raises(StateError, match="none of the messages of partition 1 of t is there; make a newer dump"):
        check({0: 7}, {"t": {0: Begin(0, False)}})
    for start_ts in (0, 20):
        with pytest.raises(StateError, match="the first message of partition 1 of t that is there has offset 3"):
            check({0: 7}, {"t": {0: Begin(0, False), 1: Begin(3, False)}}, start_ts)


def test_memory_does_not_grow_with_the_file_of_a_dump(tmp_path: Path) -> None:
    place = dumped(tmp_path, 20, 0)
    line = b'1234567,12345678,"' + b"a" * 20 + b'"\r\n'

    def peak(lines: int) -> tuple[int, int]:
        (place / "shop.orders.000000000.csv.gz").write_bytes(gzip.compress(b'"id","n","note"\r\n' + line * lines, 1))
        task = LoadTask(table_of(Dump(str(place)), "shop.orders", ReadOptions(zero_date="error")))
        tracemalloc.start()
        most = rows = 0
        start = pa.total_allocated_bytes()
        for batch in task([pa.RecordBatch.from_pydict({"id": [0]})]):
            rows += batch.num_rows
            most = max(most, pa.total_allocated_bytes() - start)
        found = tracemalloc.get_traced_memory()[1] + most
        tracemalloc.stop()
        return found, rows

    small, _ = peak(30_000)
    large, rows = peak(90_000)
    assert rows == 90_000
    assert large < 16 << 20
    assert large < small * 1.2
