"""The conformance run: the recordings agree, and everything that should not agree is found and shown."""

from __future__ import annotations

import base64
import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from recorded import golden, scenarios
from rich.cells import cell_len
from typer.testing import CliRunner

from tidewire.cli.conform import compare, recording, truth
from tidewire.cli.conform.check import statements
from tidewire.cli.conform.command import run
from tidewire.cli.eventjson import Image, from_json
from tidewire.cli.main import app
from tidewire.events import Ddl, RowChange, Watermark
from tidewire.runtime.batch import Column

ID = Column("id", 3, 11)
NAME = Column("name", 15, 64)
PRICE = Column("price", 4, 65)


def insert(columns: list[Column], *values: Any, commit_ts: int = 7) -> RowChange:
    return RowChange("insert", commit_ts, "test", "t", new=Image(columns, values), columns=columns)


def conform(*arguments: object) -> Any:
    return CliRunner().invoke(app, ["conform", *map(str, arguments)], env={"COLUMNS": "160"})


@pytest.fixture
def copy(tmp_path: Path) -> Callable[..., Path]:
    """Makes a folder with one recorded stream and its truth, for tests that damage it."""

    def make(scenario: str, option_set: str) -> Path:
        folder = tmp_path / "tiflow" / scenario
        folder.mkdir(parents=True)
        for name in ("events.jsonl", f"craft.{option_set}.jsonl"):
            shutil.copyfile(golden() / "tiflow" / scenario / name, folder / name)
        return folder

    return make


def edit(path: Path, line: int, change: Callable[[dict[str, Any]], None]) -> None:
    """Change the JSON object in one line of a file, counted from 0."""
    lines = path.read_text("utf-8").splitlines()
    found = json.loads(lines[line])
    change(found)
    lines[line] = json.dumps(found)
    path.write_text("\n".join(lines) + "\n", "utf-8")


# --- the recordings agree ---------------------------------------------------------------------------------------------


@pytest.mark.codec
@pytest.mark.parametrize("scenario", scenarios())
def test_every_stream_of_a_scenario_agrees(scenario: str) -> None:
    result = run(recording.find(golden() / "tiflow" / scenario)).total
    assert result.findings == []
    assert result.different == 0
    assert result.messages > 0
    for tally in (result.decoded, result.reencoded, result.from_truth):
        assert tally.identical + tally.equivalent == result.messages
    assert result.reencoded.equivalent == 0, "a decoded message holds all that its bytes say"


def test_only_streams_with_the_float_defect_are_merely_equivalent() -> None:
    report = run(recording.find(golden()))
    equivalent = {(g.option_set, n) for g, r in report.groups.items() for n in r.reasons}
    assert equivalent == {
        (name, "float-overwritten") for name in ("batch1", "batch4", "default", "delete-handle-only", "small")
    }
    for group, result in report.groups.items():
        if group.option_set.endswith("-float8"):
            assert result.decoded.equivalent == result.from_truth.equivalent == 0
    decimals = run([s for s in recording.find(golden()) if s.scenario not in ("decimals", "wide")])
    assert decimals.total.reasons == {}, "only tables with FLOAT columns need the excuse"


def test_events_that_the_producer_refused_are_refused() -> None:
    total = run(recording.find(golden() / "tiflow" / "keys")).total
    (((theirs, ours), number),) = total.refused.items()
    assert number == 4
    assert "nil pointer" in theirs
    assert "no column is flagged handle_key" in ours


def test_the_command_says_so() -> None:
    result = conform(golden(), "--protocol", "craft")
    assert result.exit_code == 0, result.output
    assert "✓ 895 messages of 70 streams agree" in result.output
    assert "float-overwritten" in result.output
    assert "4 events that the producer refused are refused here too" in result.output


def test_json_has_the_same_numbers() -> None:
    result = conform(golden(), "--json")
    assert result.exit_code == 0
    found = json.loads(result.output)
    assert found["agrees"] is True
    assert (found["total"]["streams"], found["total"]["messages"], found["total"]["events"]) == (70, 895, 1166)
    assert found["differences"] == []
    assert {group["option_set"] for group in found["groups"]} >= {"default", "small", "default-float8"}
    assert set(found["reasons"]) == {"float-overwritten"}


# --- what does not agree is found -------------------------------------------------------------------------------------


def test_another_value_in_the_truth_is_a_difference_in_its_cell(copy: Callable[..., Path]) -> None:
    folder = copy("batches", "default")

    def change(event: dict[str, Any]) -> None:
        event["new"][0] = {"int": "4711"}

    numbers = [json.loads(line) for line in (folder / "events.jsonl").read_text().splitlines()]
    first = next(event["n"] for event in numbers if event["kind"] == "insert")
    edit(folder / "events.jsonl", first, change)
    result = conform(folder, "--json")
    assert result.exit_code == 1
    found = json.loads(result.output)
    assert found["agrees"] is False
    assert found["total"]["decoded"]["different"] == found["total"]["from_truth"]["different"] == 1
    assert found["total"]["reencoded"]["different"] == 0
    decode = next(d for d in found["differences"] if d["what"] == "decode")
    assert (decode["stream"], decode["event"], decode["where"], decode["wanted"]) == (
        "tiflow/batches/craft.default.jsonl",
        first,
        "new id",
        "4711",
    )
    encode = next(d for d in found["differences"] if d["what"] == "encode from truth")
    assert encode["where"].startswith("bodies/0/groups/0/"), "the field that the first differing byte belongs to"
    shown = conform(folder).output
    assert "new id" in shown
    assert "4711" in shown
    assert "✗ 2 comparisons of messages differ" in shown


def test_a_damaged_message_is_a_difference(copy: Callable[..., Path]) -> None:
    folder = copy("batches", "default")

    def cut(line: dict[str, Any]) -> None:
        line["value"] = base64.b64encode(base64.b64decode(line["value"])[:-3]).decode()

    edit(folder / "craft.default.jsonl", 3, cut)
    result = conform(folder, "--json")
    assert result.exit_code == 1
    found = json.loads(result.output)
    assert found["total"]["decoded"]["different"] == 1
    assert any("offset" in d["got"] for d in found["differences"] if d["what"] == "decode")


def test_the_defect_excuses_no_other_column(copy: Callable[..., Path]) -> None:
    folder = copy("decimals", "default")
    events = [json.loads(line) for line in (folder / "events.jsonl").read_text().splitlines()]
    row = next(event for event in events if event["kind"] == "insert" and any(c["type"] == 4 for c in event["columns"]))
    place = next(k for k, c in enumerate(row["columns"]) if c["type"] == 5 and row["new"][k] is not None)

    def change(event: dict[str, Any]) -> None:
        event["new"][place] = {"f64": "0.123"}

    edit(folder / "events.jsonl", row["n"], change)
    found = json.loads(conform(folder, "--json").output)
    assert found["total"]["decoded"]["different"] == 1
    assert found["total"]["from_truth"]["different"] == 1


def test_the_defect_excuses_nothing_of_a_mended_producer(copy: Callable[..., Path]) -> None:
    folder = copy("decimals", "default")
    (folder / "craft.default.jsonl").rename(folder / "craft.mended.jsonl")
    edit(folder / "craft.mended.jsonl", 0, lambda header: header["options"].update(patched="it was"))
    found = json.loads(conform(folder, "--json").output)
    assert found["agrees"] is False
    assert found["reasons"] == {}
    assert {d["where"].split()[0] for d in found["differences"] if d["what"] == "decode"} <= {"new", "old"}


def test_a_mended_difference_is_as_long_as_the_recorded_message(copy: Callable[..., Path]) -> None:
    folder = copy("decimals", "default-float8")
    assert conform(folder).exit_code == 0


def test_an_option_that_the_codec_does_not_have_is_a_difference(copy: Callable[..., Path]) -> None:
    folder = copy("batches", "default")
    edit(folder / "craft.default.jsonl", 0, lambda header: header["options"].update({"max-rows": 3}))
    found = json.loads(conform(folder, "--json").output)
    assert found["agrees"] is False
    assert "max-batch-size" in found["differences"][0]["wanted"]


def test_messages_that_are_cut_elsewhere_differ(copy: Callable[..., Path]) -> None:
    folder = copy("batches", "batch4")
    edit(folder / "craft.batch4.jsonl", 0, lambda header: header["options"].update({"max-batch-size": 5}))
    found = json.loads(conform(folder, "--json").output)
    assert found["total"]["decoded"]["different"] == 0
    assert found["total"]["from_truth"]["different"] > 0
    assert any("messages" in d["wanted"] for d in found["differences"])


def test_nothing_to_compare_is_no_success(copy: Callable[..., Path]) -> None:
    folder = copy("batches", "default")
    for name in ("craft.default.jsonl", "events.jsonl"):
        lines = (folder / name).read_text("utf-8").splitlines(keepends=True)
        (folder / name).write_text(lines[0] if name.startswith("craft") else "", "utf-8")
    result = conform(folder)
    assert result.exit_code == 1
    assert "✗ nothing was compared" in result.output


def test_missing_events_are_counted_and_named(copy: Callable[..., Path]) -> None:
    folder = copy("batches", "default")
    path = folder / "craft.default.jsonl"
    path.write_text(path.read_text("utf-8").splitlines(keepends=True)[0], "utf-8")
    result = conform(folder)
    assert result.exit_code == 1
    events = len((folder / "events.jsonl").read_text("utf-8").splitlines())
    assert f"✗ {events} places where a stream does not cover its events" in result.output
    assert "tiflow/batches/craft.default.jsonl  event 0\n  cover: ddl\n  wanted  it is in a message" in result.output


@pytest.mark.parametrize("width", [60, 100, 200])
def test_the_report_fits_and_cuts_no_number(copy: Callable[..., Path], width: int) -> None:
    folder = copy("decimals", "delete-handle-only")
    edit(folder / "craft.delete-handle-only.jsonl", 2, lambda line: line.update(m=300, table="[red]\u202e:100:\x1b[2J"))
    result = CliRunner().invoke(app, ["conform", str(folder)], env={"COLUMNS": str(width)})
    assert result.exit_code == 1
    lines = result.output.splitlines()
    assert max(map(cell_len, lines)) <= width
    assert any(line.split()[:3] == ["wanted", "1"] or line.split() == ["wanted", "1"] for line in lines)
    assert r"[red]\u202e:100:\x1b[2J".replace(r"\x1b", r"\u001b") in result.output
    assert "craft delete-handle-only" in result.output
    assert "✗ 3 places where a stream does not cover its events" in result.output


# --- protocols and producers ------------------------------------------------------------------------------------------


def test_a_protocol_that_is_not_built_counts_and_does_not_fail(copy: Callable[..., Path]) -> None:
    folder = copy("batches", "default")
    shutil.copyfile(folder / "craft.default.jsonl", folder / "simple.json.jsonl")
    edit(folder / "simple.json.jsonl", 0, lambda header: header.update(protocol="simple"))
    result = conform(folder)
    assert result.exit_code == 0, result.output
    assert "simple 8" in result.output
    asked = conform(folder, "--protocol", "simple")
    assert asked.exit_code == 1
    assert "not built yet: simple" in asked.output
    only = conform(folder, "--protocol", "craft")
    assert only.exit_code == 0
    assert "not yet" not in only.output


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        (["--protocol", "krafft"], "--protocol krafft: the recordings have craft"),
        (["--producer", "ticdc"], "--producer ticdc: the recordings have tiflow"),
    ],
)
def test_a_name_that_no_recording_has_is_an_error(arguments: list[str], text: str) -> None:
    result = conform(golden(), *arguments)
    assert result.exit_code == 2
    assert text in result.stderr


def test_folders_without_recordings_are_an_error(tmp_path: Path) -> None:
    assert conform(tmp_path / "nowhere").exit_code == 2
    result = conform(tmp_path)
    assert result.exit_code == 2
    assert "no recorded messages" in result.stderr


@pytest.mark.parametrize("name", ["events.jsonl", "craft.default.jsonl"])
def test_a_line_that_is_no_json_is_named(copy: Callable[..., Path], name: str) -> None:
    folder = copy("batches", "default")
    lines = (folder / name).read_text().splitlines()
    lines[2] = "{oops"
    (folder / name).write_text("\n".join(lines))
    result = conform(folder)
    assert result.exit_code == 2
    assert f"{name}:3: not a recorded" in result.stderr.replace("\n", "")
    assert "Traceback" not in result.output


# --- events told apart ------------------------------------------------------------------------------------------------


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
        carried = compare.Carried(compare.EVERYTHING.fields, -1, ordered=False)
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
    sent = truth.sent(update, {"output-old-value": "false"})
    assert isinstance(sent, RowChange)
    assert (sent.kind, sent.old) == ("insert", None)
    assert truth.sent(update, {"output-old-value": "true"}) is update
    updated_only = {"only-output-updated-columns": "true"}
    without = truth.sent(update, updated_only, sent)
    assert isinstance(without, RowChange)
    assert (without.kind, without.old) == ("insert", None)
    empty = truth.sent(update, updated_only, update)
    assert isinstance(empty, RowChange)
    assert empty.old is not None
    assert (empty.kind, dict(empty.old)) == ("update", {})


def test_only_what_is_carried_is_compared() -> None:
    carried = compare.Carried(frozenset({"commit_ts", "commit_ms", "schema", "table", "ddl_type", "ddl_class"}), 8)
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


def test_the_producers_clock_is_when_events_were_sent(copy: Callable[..., Path]) -> None:
    folder = copy("batches", "default")
    assert recording.find(folder)[0].sent_ms is None
    edit(folder / "craft.default.jsonl", 0, lambda header: header["options"].update(now_ms=1767323045678))
    (stream,) = recording.find(folder)
    assert stream.sent_ms == 1767323045678
    assert "now_ms" not in stream.options
    event = Watermark(1)
    truth.stamp({0: event}, 5)
    assert event.sent_ms == 5


def test_flags_from_the_members_are_the_recorded_ones() -> None:
    for line in (golden() / "tiflow" / "keys" / "events.jsonl").read_text("utf-8").splitlines():
        event = json.loads(line)
        assert [c["flags"] for c in truth.visible(event).get("columns") or []] == [
            c["flags"] for c in event.get("columns") or [] if not c.get("is_virtual")
        ]


def test_deletes_of_a_stream_with_handle_keys_only_have_these() -> None:
    deleted = RowChange("delete", 7, "test", "t", old=Image([ID, NAME], [1, "a"]), columns=[ID, NAME])
    options = {truth.DELETE_HANDLE_ONLY: "true"}
    kept = truth.sent(deleted, options)
    assert isinstance(kept, RowChange)
    assert kept.old == {"id": 1}
    assert truth.sent(deleted, {}) is deleted
    inserted = insert([ID, NAME], 1, "a")
    assert truth.sent(inserted, options) is inserted


def test_lines_of_one_statement_go_together() -> None:
    happened = {
        0: Ddl(5, "s", "t", 3, "q"),
        1: insert([ID], 1),
        2: insert([ID], 2),
        3: insert([ID], 3, commit_ts=8),
        4: Watermark(8),
    }
    lines = [recording.Line(m, "", None, b"", (m,)) for m in range(5)]
    assert [[line.number for line in group] for group in statements(lines, happened)] == [[0], [1, 2], [3], [4]]


def test_a_codec_that_crashes_is_a_difference_and_no_traceback(
    copy: Callable[..., Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    from tidewire import craft

    def crash(*_: object) -> None:
        raise KeyError("oops")

    monkeypatch.setattr(craft, "decode", crash)
    found = json.loads(conform(copy("batches", "default"), "--json").output)
    assert found["agrees"] is False
    assert found["total"]["decoded"] == {"identical": 0, "equivalent": 0, "different": 8}
    assert found["differences"][0]["got"] == "KeyError: 'oops'"
