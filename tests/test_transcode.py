"""Messages of one protocol as those of another, and the report of what that costs."""

from __future__ import annotations

import base64
import gzip
import json
import math
import time
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

import tidewire
from tidewire import canal_json, craft
from tidewire.cli.main import app
from tidewire.events import KINDS, ROLES, Bootstrap, Ddl, Events, RowChange, Watermark
from tidewire.messages.delivery.losses import losses
from tidewire.messages.delivery.transcoding import Report
from tidewire.mysql import ColumnFlag, ColumnType
from tidewire.runtime.batch import Column

TOPIC = Path(__file__).parent.parent / "examples" / "craft_topic.jsonl.gz"
KEY = ColumnFlag.HANDLE_KEY | ColumnFlag.PRIMARY_KEY
ID = Column("id", ColumnType.BIGINT, int(KEY))
NAME = Column("name", ColumnType.VARCHAR, int(ColumnFlag.NULLABLE))
TS = 470607536966860800
EXTENDED = {"enable-tidb-extension": "true"}


@pytest.fixture(scope="module")
def topic() -> list[bytes]:
    """The values of the shipped capture."""
    with gzip.open(TOPIC, "rt", encoding="utf-8") as file:
        return [base64.b64decode(json.loads(line)["value"]) for line in file]


def row(**more: Any) -> RowChange:
    return RowChange("insert", TS, "s", "t", {"id": 1, "name": "a"}, columns=[ID, NAME], **more)


def lost(report: Report) -> dict[tuple[str, str], int]:
    return {(loss.what, loss.name): count for loss, count in report.losses.items()}


def values(batch: Any) -> list[bytes]:
    found: list[bytes] = batch.column("value").to_pylist()
    return found


@pytest.mark.codec
def test_a_protocol_to_itself_loses_nothing(topic: list[bytes]) -> None:
    batch, report = tidewire.transcode(topic, "craft", "craft")
    assert report.whole
    assert (report.messages, report.events, report.written) == (103, 152, batch.num_rows)
    assert list(craft.decode_batch(values(batch))) == list(craft.decode_batch(topic))


@pytest.mark.codec
def test_there_and_back(topic: list[bytes]) -> None:
    there, report = tidewire.transcode(topic, "craft", "canal-json", target_options=EXTENDED)
    assert report.refused == []
    counted = lost(report)
    assert (counted["field", "ddl_type"], counted["field", "partition_id"]) == (35, 14)
    assert {what for what, _ in counted} == {"field", "flag"}
    back, again = tidewire.transcode(there.column("value"), "canal_json", "craft")
    assert again.refused == []
    assert lost(again) == {("column", "mysql_type"): 136, ("field", "sent_ms"): 152}
    assert sum(again.derived.values()) == 35
    first, second = list(craft.decode_batch(topic)), list(craft.decode_batch(values(back)))
    for one, other in zip(first, second, strict=True):
        assert (one.kind, one.commit_ts) == (other.kind, other.commit_ts)
        for side in ("new", "old"):
            images = [getattr(event, side, None) for event in (one, other)]
            assert images[0] == images[1]
    assert [e.ddl_type for e in first if isinstance(e, Ddl)] == [e.ddl_type for e in second if isinstance(e, Ddl)]


@pytest.mark.codec
def test_what_an_option_leaves_out_is_counted_as_well() -> None:
    columns = Events.of([row(), Watermark(TS)]).columns
    batch, report = tidewire.transcode(columns, "craft", "canal-json")
    assert batch.num_rows == 1
    assert lost(report) == {("kind", "watermark"): 1, ("field", "commit_ts"): 1, ("flag", "nullable"): 1}
    assert not report.whole
    batch, report = tidewire.transcode(columns, "craft", "canal-json", target_options=EXTENDED)
    assert batch.num_rows == 2
    assert lost(report) == {("flag", "nullable"): 1}


@pytest.mark.codec
def test_columns_in_another_order_are_counted() -> None:
    columns = [Column("id", 3, 2), Column("b", 3, 0), Column("a", 3, 0)]
    image = {"id": 1, "b": 2, "a": 3}

    def change(order: list[Column]) -> RowChange:
        return RowChange("insert", 1, "s", "t", image, columns=order)

    written = craft.Encoder().encode(Events.of([change(sorted(columns))]).columns)
    again = craft.Decoder().decode(written.column("value"))
    names = {code: name for name, code in KINDS.items()}
    found = losses(Events.of([change(columns)]).columns, again, written, names, str, ROLES)
    assert found == {("columns", "new", "are in another order"): 1}
    same = losses(Events.of([change(sorted(columns))]).columns, again, written, names, str, ROLES)
    assert not same


def test_columns_that_are_left_out_are_counted() -> None:
    deleted = RowChange("delete", TS, "s", "t", None, {"id": 1, "name": "a"}, columns=[ID, NAME])
    options = {"delete-only-output-handle-key-columns": "true"}
    _, report = tidewire.transcode(Events.of([deleted] * 3).columns, "craft", "craft", target_options=options)
    assert lost(report) == {("columns", "old"): 3}


@pytest.mark.codec
def test_events_that_are_refused_do_not_hold_up_the_others() -> None:
    events = [
        row(),
        Bootstrap(TS, "s", "t", 5, [ID]),
        Ddl(TS, "s", "t", None, "alter table t engine = innodb", ddl_class="ALTER"),
        Ddl(TS, "s", "t", None, "create table t (id int)", ddl_class="CREATE"),
        row(handle_key_only=True),
        row(claim_check="s3://b/x.json"),
        row(),
    ]
    batch, report = tidewire.transcode(Events.of(events).columns, "canal-json", "craft")
    assert [one.event for one in report.refused] == [1, 2, 4, 5]
    reasons = [one.reason for one in report.refused]
    assert "bootstrap" in reasons[0]
    assert reasons[1] == (
        "which DDL type it has is not to be told: class ALTER, statement 'alter table t engine = innodb'"
    )
    assert reasons[2] == "it has its handle key columns only, and craft cannot say so"
    assert "only points to the whole row" in reasons[3]
    assert report.derived == {("ddl_type", "create table"): 1}
    assert batch.column("first_event").to_pylist() == [0, 3, 6]
    assert [event.kind for event in craft.decode_batch(values(batch))] == ["insert", "ddl", "insert"]


@pytest.mark.codec
def test_all_events_can_be_refused() -> None:
    batch, report = tidewire.transcode(Events.of([Bootstrap(TS, "s", "t", 5, [ID])] * 5).columns, "craft", "craft")
    assert batch.num_rows == 0
    assert len(report.refused) == 5


FLOAT = Column("f", ColumnType.FLOAT, int(ColumnFlag.NULLABLE))


def with_float(number: int, value: float) -> RowChange:
    return RowChange("insert", TS, "s", "t", {"id": number, "f": value}, columns=[ID, FLOAT])


@pytest.mark.codec
def test_damaged_values_cost_their_event_only() -> None:
    """They are counted under the name that the source's spec has for what was done to them."""
    floats = [0.5, 7.957484216e-315, 1e300, math.nan, 0.25]
    given = craft.encode([with_float(k, value) for k, value in enumerate(floats)], craft.Options(max_batch_size=2))
    batch, report = tidewire.transcode([one.value for one in given], "craft", "canal-json")
    assert [(one.event, one.message) for one in report.refused] == [(1, 0), (2, 1), (3, 1)]
    assert {one.reason for one in report.refused} == {
        "column 'f': float-overwritten, its value is not what was in the database"
    }
    assert [event.new for event in canal_json.decode_batch(values(batch))] == [  # type: ignore[attr-defined]
        {"id": 0, "f": 0.5},
        {"id": 4, "f": 0.25},
    ]
    _, whole = tidewire.transcode([one.value for one in given], "craft", "craft")
    assert whole.whole


@pytest.mark.codec
@pytest.mark.parametrize("every", [1, 2, 7])
def test_many_refused_events(every: int) -> None:
    """Of every kind of trouble, noticed early and late; the others are written in their order, and soon."""
    bad = [
        Bootstrap(TS, "s", "t", 5, [ID]),
        with_float(1, math.inf),
        RowChange("insert", TS, "s", "t", {"id": 1, "x": b"v"}, columns=[ID, Column("x", 253, 1)]),
        RowChange("insert", TS, "s", "t", {"id": 1, "name": b"\xff"}, columns=[ID, NAME]),
        RowChange("update", TS, "s", "t", {"id": 1}, {"id": 1, "name": "x"}, columns=[ID, NAME]),
    ]
    events = [bad[k % len(bad)] if k % every == 0 else row() for k in range(600)]
    start = time.process_time()
    batch, report = tidewire.transcode(Events.of(events).columns, "canal-json", "canal-json")
    assert [one.event for one in report.refused] == list(range(0, len(events), every))
    assert batch.column("first_event").to_pylist() == [k for k in range(len(events)) if k % every]
    assert time.process_time() - start < 60


@pytest.mark.codec
def test_what_is_too_long_is_kept_once(tmp_path: Path) -> None:
    """Trying which events can be written leaves no files behind."""
    options = {
        "enable-tidb-extension": "true",
        "max-message-bytes": "600",
        "large-message-handle-option": "claim-check",
        "claim-check-storage-uri": str(tmp_path),
    }
    long = RowChange("insert", TS, "s", "t", {"id": 1, "name": "x" * 900}, columns=[ID, NAME])
    events = [row(), long, with_float(1, math.inf), row(), long, with_float(1, math.inf), row()]
    batch, report = tidewire.transcode(Events.of(events).columns, "craft", "canal-json", target_options=options)
    assert [one.event for one in report.refused] == [2, 5]
    assert batch.num_rows == 5
    assert len(list(tmp_path.iterdir())) == 2


@pytest.mark.codec
def test_bad_messages_are_in_the_report(topic: list[bytes]) -> None:
    batch, report = tidewire.transcode([topic[0], b"\x01", topic[1]], "craft", "canal-json")
    assert [error.message for error in report.errors] == [1]
    assert batch.num_rows == 2


def test_reports_add_up() -> None:
    total = Report()
    for _ in range(2):
        _, report = tidewire.transcode([b"\x01", craft.encode([row()])[0].value], "craft", "canal-json")
        total.add(report)
    assert (total.messages, total.events, total.written) == (4, 2, 2)
    assert [error.message for error in total.errors] == [0, 2]
    assert lost(total)["field", "commit_ts"] == 2


def test_an_unknown_protocol() -> None:
    with pytest.raises(KeyError):
        tidewire.transcode([], "craft", "nope")


def test_names_with_a_dash_and_with_an_underscore() -> None:
    known = tidewire.protocols()
    assert known["canal-json"] is not None
    assert known["canal_json"].load() is known["CANAL-JSON"].load() is canal_json
    assert "canal_json" in known
    assert known.get("nope") is None


# --- the command ------------------------------------------------------------------------------------------------------


def run(*arguments: object, given: bytes | None = None) -> Any:
    return CliRunner().invoke(app, ["transcode", *map(str, arguments)], input=given, env={"COLUMNS": "160"})


def test_the_command_writes_messages_and_a_report() -> None:
    result = run("craft", "canal-json", TOPIC, "-t", "enable-tidb-extension=true")
    assert result.exit_code == 0, result.output
    lines = [json.loads(line) for line in result.stdout.splitlines()]
    assert len(lines) == 152
    assert json.loads(base64.b64decode(lines[0]["value"]))["isDdl"] is True
    assert "103 messages with 152 events became 152 messages" in result.stderr
    assert "partition_id" in result.stderr
    back = run("canal-json", "craft", "--to", "hex", given=result.stdout.encode())
    assert back.exit_code == 0, back.output
    assert all(bytes.fromhex(line) for line in back.stdout.splitlines())
    assert "create table" in back.stderr


def test_strict_is_an_exit_code() -> None:
    assert run("craft", "craft", TOPIC, "--strict").exit_code == 0
    assert run("craft", "canal-json", TOPIC, "--strict").exit_code == 1


def test_a_message_that_cannot_be_read_is_told() -> None:
    result = run("craft", "canal-json", "--hex", "01")
    assert result.exit_code == 1
    assert "--hex 1: craft" in result.stderr


def test_an_option_of_the_other_side_is_unknown() -> None:
    result = run("craft", "canal-json", TOPIC, "-s", "enable-tidb-extension=true")
    assert result.exit_code == 2
    assert "there is no option" in result.stderr


def test_a_refused_event_is_told_with_its_place(tmp_path: Path) -> None:
    options = canal_json.Options(enable_tidb_extension=True)
    (message,) = canal_json.encode([row(handle_key_only=True)], options)
    assert message.value is not None
    path = tmp_path / "m.hex"
    path.write_text(message.value.hex())
    result = run("canal-json", "craft", path)
    assert result.exit_code == 0
    assert f"{path}:1: insert refused: it has its handle key columns only" in result.stderr.replace("\n", "")
