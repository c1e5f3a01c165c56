"""The conformance run: the recordings agree, and everything that should not agree is found and shown."""

from __future__ import annotations

import base64
import json
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from recorded import golden, scenarios, streams
from rich.cells import cell_len
from typer.testing import CliRunner

from tidewire.cli.conform import command, recording, truth
from tidewire.cli.conform.command import run
from tidewire.cli.main import app
from tidewire.cli.shell import Meter
from tidewire.events import Watermark


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


def test_progress_is_told_while_a_stream_is_read(copy: Callable[..., Path], monkeypatch: pytest.MonkeyPatch) -> None:
    advanced: list[float] = []

    @contextmanager
    def seen(title: str, total: float | None, *, prints: bool) -> Iterator[Meter]:
        bar = Meter(None, None)
        monkeypatch.setattr(bar, "advance", advanced.append)
        yield bar
        assert (title, sum(advanced)) == ("conform", total)

    monkeypatch.setattr(command, "meter", seen)
    streams = recording.find(copy("decimals", "default"))
    assert run(streams).total.messages
    assert len(advanced) >= 10


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
    assert "4 events that the producer refused" in result.output


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


def test_what_types_are_compared_by_is_said(tmp_path: Path) -> None:
    """Schema blocks tell less of a type than TiDB does, so fewer differences can be seen."""
    (stream,) = [
        one for one in streams("debezium") if one.parts[-3:] == ("tiflow", "integers", "debezium.default.jsonl")
    ]
    folder = tmp_path / "tiflow" / "integers"
    folder.mkdir(parents=True)
    for path in (stream, stream.with_name("events.jsonl")):
        shutil.copyfile(path, folder / path.name)
    result = conform(tmp_path)
    assert result.exit_code == 0, result.output
    assert "types of debezium are compared as far as its schemas tell them" in result.output


def test_messages_of_another_protocol_are_differences(copy: Callable[..., Path]) -> None:
    """Also where no file with schemas is beside them, and a message has several events."""
    folder = copy("batches", "default")
    shutil.copyfile(folder / "craft.default.jsonl", folder / "avro.default.jsonl")
    edit(folder / "avro.default.jsonl", 0, lambda header: header.update(protocol="avro"))
    result = conform(folder, "--protocol", "avro")
    assert result.exit_code == 1
    assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
    assert "avro" in result.output


def test_a_protocol_that_is_not_built_counts_and_does_not_fail(copy: Callable[..., Path]) -> None:
    folder = copy("batches", "default")
    shutil.copyfile(folder / "craft.default.jsonl", folder / "maxwell.default.jsonl")
    edit(folder / "maxwell.default.jsonl", 0, lambda header: header.update(protocol="maxwell"))
    result = conform(folder)
    assert result.exit_code == 0, result.output
    assert "maxwell 8" in result.output
    asked = conform(folder, "--protocol", "maxwell")
    assert asked.exit_code == 1
    assert "not built yet: maxwell" in asked.output
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
    (tmp_path / "craft.tar.xz").touch()
    packed = conform(tmp_path)
    assert packed.exit_code == 2
    assert f"tar -xf {tmp_path}/craft.tar.xz -C out/golden; tidewire conform out/golden" in packed.stderr


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


def test_the_producers_clock_is_when_events_were_sent(copy: Callable[..., Path]) -> None:
    folder = copy("batches", "default")
    assert recording.find(folder)[0].sent_ms is None
    edit(folder / "craft.default.jsonl", 0, lambda header: header["options"].update(now_ms=1767323045678))
    (stream,) = recording.find(folder)
    assert stream.sent_ms == 1767323045678
    assert "now_ms" not in stream.options
    event = Watermark(1)
    truth.stamp({0: event}, 5, None)
    assert event.sent_ms == 5


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
