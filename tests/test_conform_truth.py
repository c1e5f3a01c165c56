"""Events that conformance tells apart, and what the truth of a recording is."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from recorded import golden

from tidewire import craft, debezium, open_protocol
from tidewire.cli.conform import compare, recording, truth
from tidewire.cli.conform.check import statements
from tidewire.cli.eventjson import Image, from_json
from tidewire.events import Ddl, RowChange, Watermark
from tidewire.runtime.batch import Column

ID = Column("id", 3, 11)
NAME = Column("name", 15, 64)
PRICE = Column("price", 4, 65)


def insert(columns: list[Column], *values: Any, commit_ts: int = 7) -> RowChange:
    return RowChange("insert", commit_ts, "test", "t", new=Image(columns, values), columns=columns)


def differences(wanted: Any, got: Any) -> list[tuple[str, str, str]]:
    return [(d.where, d.wanted, d.got) for d in compare.events([wanted], [got])]


def test_equal_events_have_no_differences() -> None:
    assert differences(insert([ID, NAME], 1, "a"), insert([ID, NAME], 1, "a")) == []


def test_a_value_differs() -> None:
    found = compare.events([insert([ID, PRICE], 1, 1.5)], [insert([ID, PRICE], 1, 1.25)])
    assert [(d.where, d.column_type) for d in found] == [("new price", 4)]


@pytest.mark.parametrize(
    ("wanted", "got", "same"),
    [
        (0.0, -0.0, False),
        (float("nan"), float("nan"), True),
        (1, 1.0, False),
        (None, "", False),
        ("é", "é".encode(), True),
        (b"\xff", b"\xff", True),
        ("", b"", True),
        (2**64 - 1, 2**64 - 1, True),
        (1, True, False),
    ],
)
def test_values_are_compared_exactly(wanted: Any, got: Any, same: bool) -> None:
    assert compare.same(wanted, got) is same


def test_absent_is_not_null() -> None:
    assert differences(insert([ID, NAME], 1, None), insert([ID], 1)) == [("new columns", "('name', 15, 64)", "absent")]


def test_the_columns_order_type_and_flags_count() -> None:
    assert len(differences(insert([ID, NAME], 1, "a"), insert([NAME, ID], "a", 1))) == 2
    assert len(differences(insert([ID], 1), insert([ID._replace(flags=3)], 1))) == 1


def test_kinds_members_and_images_count() -> None:
    assert differences(Watermark(1), Watermark(2)) == [("commit_ts", "1", "2")]
    assert differences(Watermark(1), Ddl(1, "s", "t", 3, "q")) == [("kind", "watermark", "ddl")]
    assert differences(Ddl(1, "s", None, 3, "q"), Ddl(1, "s", "t", 4, "q")) == [
        ("table", "null", "'t'"),
        ("ddl_type", "3", "4"),
    ]
    deleted = RowChange("insert", 7, "test", "t", old=Image([ID], [1]), columns=[ID])
    assert differences(insert([ID], 1), deleted) == [("new", "1 columns", "absent"), ("old", "absent", "1 columns")]
    assert [d.where for d in compare.events([Watermark(1)], [])] == ["events"]


def test_the_order_of_columns_is_compared_where_it_is_the_tables() -> None:
    wanted = insert([ID, NAME], 1, "x")
    for got, where in ((insert([NAME, ID], "x", 1), []), (insert([NAME, ID], "y", 1), [f"new {NAME.name}"])):
        carried = compare.CarriedByProtocol(compare.EVERYTHING.fields, -1, ordered=False)
        assert [one.where for one in compare.events([wanted], [got], carried)] == where
        assert {one.where for one in compare.events([wanted], [got])} == {"new columns"}


def test_flags_follow_from_indexes() -> None:
    column = {"type": 3, "mysql_type": "int(11)", "flags": 0, "is_handle_key": False, "nullable": True}
    found = truth.visible(
        {
            "columns": [{"name": name, **column, "is_generated": name == "g"} for name in "abcdg"],
            "indexes": [
                {"primary": True, "unique": True, "columns": [{"name": "a"}, {"name": "b"}]},
                {"primary": False, "unique": True, "columns": [{"name": "b"}]},
                {"primary": False, "unique": False, "columns": [{"name": "c"}, {"name": "g"}]},
            ],
        }
    )
    assert [column["flags"] - 64 for column in found["columns"]] == [8 | 32, 8 | 16 | 32, 32, 0, 4]


def test_updates_of_which_no_old_row_is_sent_are_inserts() -> None:
    update = RowChange("update", 7, "test", "t", new=Image([ID], [1]), old=Image([ID], [1]), columns=[ID])
    known = open_protocol.OPTIONS
    sent = truth.sent(update, {"output-old-value": "false"}, known=known)
    assert isinstance(sent, RowChange)
    assert (sent.kind, sent.old) == ("insert", None)
    assert truth.sent(update, {"output-old-value": "true"}, known=known) is update
    updated_only = {"only-output-updated-columns": "true"}
    without = truth.sent(update, updated_only, sent, known)
    assert isinstance(without, RowChange)
    assert (without.kind, without.old) == ("insert", None)
    empty = truth.sent(update, updated_only, update, known)
    assert isinstance(empty, RowChange)
    assert empty.old is not None
    assert (empty.kind, dict(empty.old)) == ("update", {})


def test_updates_stay_updates_where_messages_say_so() -> None:
    update = RowChange("update", 7, "test", "t", new=Image([ID], [1]), old=Image([ID], [1]), columns=[ID])
    read = RowChange("update", 7, "test", "t", new=Image([ID], [1]), columns=[ID])
    sent = truth.sent(update, {"debezium-output-old-value": "false"}, read, debezium.OPTIONS)
    assert isinstance(sent, RowChange)
    assert (sent.kind, sent.old) == ("update", None)


def test_only_what_is_carried_is_compared() -> None:
    carried = compare.CarriedByProtocol(
        frozenset({"commit_ts", "commit_ms", "schema", "table", "ddl_type", "ddl_class"}), 8
    )
    wanted = insert([Column("id", 3, 11, "int(10) unsigned zerofill"), NAME], 1, "x", commit_ts=7 << 18 | 3)
    wanted.partition_id, wanted.row_key, wanted.sent_ms = 5, b"k", 6

    def differ(got: Any, to: Any = wanted) -> list[str]:
        return [difference.where for difference in compare.events([to], [got], carried)]

    def row(columns: list[Column], **members: Any) -> RowChange:
        commit = members.pop("commit_ts", None)
        return RowChange("insert", commit, "test", "t", new=Image(columns, (1, "x")), columns=columns, **members)

    for text in ("int(10) unsigned zerofill", "int unsigned zerofill", None):
        assert differ(row([Column("id", 3, 8, text), NAME], commit_ms=7)) == []
    for column in (Column("id", 3, 0), Column("id", 3, 136), Column("id", 3, 8, "int unsigned"), Column("id", 8, 8)):
        assert differ(row([column, NAME], commit_ms=7)) == ["new columns"]
    whole = [Column("id", 3, 8), NAME]
    assert differ(row(whole, commit_ms=8)) == ["commit_ms"]
    assert differ(row(whole, commit_ts=7 << 18)) == ["commit_ts"]
    assert differ(row(whole)) == ["commit_ts"]
    assert differ(row(whole, commit_ms=7, partition_id=9, row_key=b"l", sent_ms=7)) == ["row_key", "sent_ms"]
    key = RowChange("insert", None, "test", "t", Image(whole[:1], (1,)), handle_key_only=True, commit_ms=7)
    assert differ(key) == []
    ddl = Ddl(1, "s", "t", 5, "alter table")
    assert differ(Ddl(1, "s", "t", None, "never mind", ddl_class="ALTER"), ddl) == []
    assert differ(Ddl(1, "s", "t", 6, None, ddl_class="ERASE"), ddl) == ["ddl_type", "ddl_class"]


def test_a_table_id_is_compared_where_it_was_sent() -> None:
    wanted, got = insert([ID], 1), insert([ID], 1)
    wanted.table_id = 5
    assert differences(wanted, got) == []
    got.table_id = 6
    assert differences(wanted, got) == [("table_id", "5", "6")]


# --- the truth --------------------------------------------------------------------------------------------------------


def test_virtual_columns_are_not_sent_and_flags_follow_from_the_members() -> None:
    column = {"name": "a", "type": 3, "flags": 4099, "is_handle_key": True, "is_pk": True, "binary": True}
    virtual = {"name": "v", "type": 3, "flags": 0, "is_virtual": True, "is_handle_key": False}
    seen = truth.visible({"columns": [virtual, column], "new": [None, {"int": "1"}], "old": None})
    assert [c["name"] for c in seen["columns"]] == ["a"]
    assert seen["columns"][0]["flags"] == 1 | 2 | 8
    assert seen["new"] == [{"int": "1"}]


def test_recorded_events_have_declared_types_in_full_and_keys() -> None:
    column = {"name": "n", "type": 3, "mysql_type": "int(5) unsigned", "flags": 128, "zerofill": True}
    year = {"name": "y", "type": 13, "mysql_type": "year(4)", "flags": 128, "zerofill": True}
    found = truth.visible({"columns": [column, year], "new": [None, None], "old": None})
    assert [one["mysql_type"] for one in found["columns"]] == ["int(5) unsigned zerofill", "year(4)"]
    line = {"kind": "insert", "commit_ts": 1, "schema": "s", "table": "t", "row_key": "dIA=", **found}
    event = from_json(line)
    assert isinstance(event, RowChange)
    assert event.row_key == b"t\x80"
    assert event.columns[0].mysql_type == "int(5) unsigned zerofill"


def test_flags_from_the_members_are_the_recorded_ones() -> None:
    for line in (golden() / "tiflow" / "keys" / "events.jsonl").read_text("utf-8").splitlines():
        event = json.loads(line)
        assert [c["flags"] for c in truth.visible(event).get("columns") or []] == [
            c["flags"] for c in event.get("columns") or [] if not c.get("is_virtual")
        ]


def test_deletes_of_a_stream_with_handle_keys_only_have_these() -> None:
    deleted = RowChange("delete", 7, "test", "t", old=Image([ID, NAME], [1, "a"]), columns=[ID, NAME])
    options = {"delete-only-output-handle-key-columns": "true"}
    known = craft.OPTIONS
    kept = truth.sent(deleted, options, known=known)
    assert isinstance(kept, RowChange)
    assert kept.old == {"id": 1}
    assert truth.sent(deleted, {}, known=known) is deleted
    inserted = insert([ID, NAME], 1, "a")
    assert truth.sent(inserted, options, known=known) is inserted


def test_lines_of_one_statement_go_together() -> None:
    happened = {
        0: Ddl(5, "s", "t", 3, "q"),
        1: insert([ID], 1),
        2: insert([ID], 2),
        3: insert([ID], 3, commit_ts=8),
        4: Watermark(8),
    }
    lines = [recording.RecordedLine(m, "", None, b"", (m,)) for m in range(5)]
    assert [[line.number for line in group] for group in statements(lines, happened)] == [[0], [1, 2], [3], [4]]


def test_the_tables_of_an_exchanged_partition(tmp_path: Path) -> None:
    """Whichever of them the statement is of: what it leaves is the partitioned one, and before it was the other one."""

    def line(n: int, query: str, table: str, id: int) -> str:
        column = {"name": "id", "id": 1, "type": 3, "mysql_type": "int(11)", "flags": 0, "charset": "binary"}
        column |= {"collation": "binary", "flen": 11, "decimal": 0, "elems": None, "default": None}
        column |= {"nullable": False, "unsigned": False, "zerofill": False}
        said = {"n": n, "kind": "ddl", "commit_ts": n + 1, "schema": "d", "table": table, "table_id": id}
        said |= {"ddl_type": 42 if id == 1 and n else 3, "query": query, "table_info_version": n + 1}
        return json.dumps(said | {"columns": [column]})

    exchange = "ALTER TABLE `d`.`r` EXCHANGE PARTITION `p` WITH TABLE `d`.`x`"
    for named in ("r", "x"):
        path = tmp_path / f"{named}.jsonl"
        created = (line(0, "CREATE TABLE `d`.`r`", "r", 1), line(1, "CREATE TABLE `d`.`x`", "x", 2))
        path.write_text("\n".join((*created, line(2, exchange, named, 1))), "utf-8")
        found = truth.load(path)[2]
        assert isinstance(found, Ddl)
        assert found.table == named
        assert found.table_after is not None
        assert found.table_before is not None
        assert (found.table_after.table, found.table_after.id, found.table_after.version) == ("r", 1, 3)
        assert (found.table_before.table, found.table_before.id, found.table_before.version) == ("x", 2, 2)
