"""The file of `tidewire sync`: what is wrong in it is told with its line, before anything is started."""

from __future__ import annotations

import io
import json
import re
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console
from rich.live import Live

from tidewire.cli.shell import CommandError
from tidewire.cli.sync import _print_status, messages, sync
from tidewire.cli.sync_file import read_sync_file
from tidewire.cli.sync_progress import Progress
from tidewire.spark.sync.batches import BatchDone
from tidewire.spark.sync.changelog import DeadLetter, Manifest, Parked, Position, Source, StateError, TargetTable
from tidewire.spark.sync.manifests import Manifests
from tidewire.spark.sync.requests import Asked
from tidewire.spark.sync.run import Status
from tidewire.spark.sync.state import opened

FIRST = 1_704_067_200_000 << 18
GOOD = """\
source: {kafka.bootstrap.servers: "localhost:9092", subscribe: tidb-changes, protocol: canal-json, timezone: UTC}
into: {format: iceberg, table: "lake.{schema}.{table}"}
tables: {"shop.*": {}, "shop.audit": {mode: history, schema_changes: park}, "shop.tmp_*": skip}
state: /lake/_tidewire/shop
apply: {every: 5m, schema_changes: evolve, threads: 2}
maintain: {keep_published: 7d}
"""


def test_a_file_says_all_that_sync_is_given(tmp_path: Path) -> None:
    path = tmp_path / "shop.yaml"
    path.write_text(GOOD)
    found = read_sync_file(str(path))
    assert found.source == {"kafka.bootstrap.servers": "localhost:9092", "subscribe": "tidb-changes"}
    assert (found.protocol, found.into) == ("canal-json", "iceberg:lake.{schema}.{table}")
    assert found.tables["shop.audit"] == {"mode": "history", "schema_changes": "park"}
    assert (found.every, found.options["schemaChanges"], found.options["keepPublished"]) == (300, "evolve", "7d")
    assert found.options["timezone"] == "UTC"


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        (
            "schema_changes: evolve",
            "schema_change: evolve",
            ':5  apply.schema_change: unknown key "schema_change". Did',
        ),
        ("format: iceberg", "format: icberg", ':2  into.format: unknown value "icberg". Did you mean "iceberg"?'),
        ("lake.{schema}.{table}", "lake.{table}", ":2  into.table: "),
        ("state: /lake/_tidewire/shop\n", "", 'the key "state" is missing'),
        ("threads: 2", "threads: 0", ":5  apply.threads: 0 is too small"),
        ("every: 5m", "every: soon", "apply.every='soon' is no time"),
        ("every: 5m", "every: 1e400s", "apply.every='1e400s' is no time"),
        (
            "mode: history",
            "mode: histori",
            ':3  tables.shop.audit.mode: unknown value "histori". Did you mean "history"?',
        ),
        (": skip", ": skipp", ':3  tables.shop.tmp_*: unknown value "skipp". Did you mean "skip"? Or a mapping.'),
        ("subscribe: tidb-changes", "subscrib: tidb-changes", 'Did you mean "subscribe"?'),
    ],
)
def test_what_is_wrong_is_told_with_its_line(tmp_path: Path, old: str, new: str, says: str) -> None:
    path = tmp_path / "shop.yaml"
    assert old in GOOD
    path.write_text(GOOD.replace(old, new))
    with pytest.raises((CommandError, ValueError)) as found:
        read_sync_file(str(path))
    assert says in str(found.value)


def done(published: bool = True, **more: Any) -> BatchDone:
    waits = Parked(FIRST, "rows have no key", "keep it as history")
    tables = {
        "0": TargetTable("shop.t", 0, Position(FIRST)),
        "1": TargetTable("shop.k", 0, Position(FIRST), parks=(waits,)),
    }
    manifest = Manifest(
        Source("t", "canal-json"),
        7,
        resolved=FIRST,
        watermarks={"t": {0: FIRST, 1: FIRST + 5}},
        tables=tables,
        dead={"staged/letters": 3},
        messages=1200,
        **more,
    )
    seconds = {"stage": 0.5, "apply": 0.25, "publish": 0.125}
    return BatchDone(manifest, published, {"shop.t": 1100}, seconds, ("look at it",), {"shop.t": 0.25})


def test_a_batch_is_a_line_or_an_object(capsys: pytest.CaptureFixture[str]) -> None:
    Progress(as_json=False)(done())
    said = capsys.readouterr()
    assert re.fullmatch(
        r"batch 7: 1,200 messages, [\d,]+ a second; published 2024-01-01 00:00:00 UTC \(\d+\), [\d,]+ s ago\n", said.out
    )
    assert "look at it" in said.err
    Progress(as_json=False)(done(published=False))
    assert "; resolved 2024-01-01 00:00:00 UTC" in (line := capsys.readouterr().out)
    assert line.endswith("s ago; waits for a watermark of partition 0 of t\n")
    Progress(as_json=True)(done(offsets={"t": {0: 5}}))
    found = json.loads(capsys.readouterr().out)
    assert (found["batch"], found["messages"], found["resolved"], found["waiting"]) == (7, 1200, FIRST, ["t", 0])
    assert (found["rows"], found["tables"], found["seconds"]["stage"]) == ({"shop.t": 1100}, {"shop.t": 0.25}, 0.5)
    assert (found["parked"], found["dead"], found["notes"]) == ({"shop.k": "rows have no key"}, 3, ["look at it"])
    assert found["offsets"] == {"t": {"0": 5}}
    assert found["lag"] > 0


def test_a_terminal_shows_tables_and_what_is_wrong() -> None:
    progress = Progress(as_json=False)
    text = io.StringIO()
    console = Console(file=text, width=100)
    console.print(progress.shown())
    progress.live = Live(console=console)
    progress(done())
    console.print(progress.shown())
    assert "reading the first messages" in text.getvalue()
    for part in ("1,200 messages since the start; the newest batch: stage 0.5 s", "shop.t", "1,100", "0.25"):
        assert part in text.getvalue()
    assert "parked shop.k: rows have no key; keep it as history" in text.getvalue()
    assert "3 messages cannot be read" in text.getvalue()


def test_what_is_asked_waits_in_the_state(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "shop.yaml"
    state = str(tmp_path / "state")
    path.write_text(GOOD.replace("/lake/_tidewire/shop", state))
    for words in (["reset", str(path)], ["status", str(path), "shop.t"], ["rest", str(path), "shop.t"], ["replay"]):
        with pytest.raises(
            CommandError, match="give a file; or status, plan, replay and a file; or resume, reset, add"
        ):
            sync(words)
    with pytest.raises(StateError, match="there is no synchronisation in"):
        sync(["replay", str(path)])
    source = Source("tidb-changes", "canal-json")
    opened(state, source, "iceberg:lake.{schema}.{table}")
    Manifests(state, source).create(Manifest(source, 1, names={"shop.orders": "0"}, dead={"staged/a": 2}))
    for words in (["replay", str(path)], ["reset", str(path), "shop.orders"], ["add", str(path), "shop.more"]):
        sync(words)
    asked = Asked(state).pending(Manifest(source))
    assert [one[1:] for one in asked] == [("replay", ""), ("reset", "shop.orders"), ("add", "shop.more")]
    assert "reset shop.orders: asked for; it is done with the next batch" in capsys.readouterr().err
    for words, says in (
        (["reset", str(path), "shop.more"], "there is no table shop.more to reset"),
        (["add", str(path), "shop.orders"], "is kept already: tidewire sync reset FILE shop.orders"),
        (["add", str(path), "shop.tmp_1"], "matches no pattern of tables: add it there first"),
    ):
        with pytest.raises(StateError, match=says):
            sync(words)
    done = Manifest(source, 2, done=(asked[0][0],))
    assert [one[1] for one in Asked(state).pending(done)] == ["reset", "add"]


def test_each_thing_that_is_wrong_has_its_line(tmp_path: Path) -> None:
    path = tmp_path / "shop.yaml"
    path.write_text(GOOD.replace("state: /lake", "stat: /lake").replace("threads: 2", "threads: 0"))
    with pytest.raises(CommandError) as found:
        read_sync_file(str(path))
    assert "\n" not in str(found.value)
    assert len(found.value.more) == 2
    path.write_text(" \n")
    with pytest.raises(CommandError, match="the file is empty; needed are source, into and state"):
        read_sync_file(str(path))


def test_status_says_what_is_wrong_with_a_state_or_a_file(tmp_path: Path) -> None:
    path = tmp_path / "shop.yaml"
    state = tmp_path / "state"
    path.write_text(GOOD.replace("/lake/_tidewire/shop", str(state)).replace("every: 5m", "consistency: tables"))
    state.write_text("")
    with pytest.raises(StateError, match="is no folder: name another folder as state"):
        sync(["status", str(path)])
    state.unlink()
    opened(str(state), Source("tidb-changes", "canal-json"), "iceberg:lake.{schema}.{table}")
    (state / "published").mkdir()
    (state / "published" / f"{FIRST:020d}.json").write_text(
        json.dumps({"format": 1, "resolved": FIRST, "manifest": 1, "tables": {}})
    )
    with pytest.raises(StateError, match="has records of what was published, and no manifest"):
        sync(["status", str(path)])
    path.write_text(
        GOOD.replace("timezone: UTC", "options: {partitions: x}").replace("/lake/_tidewire/shop", str(state))
    )
    with pytest.raises(ValueError, match="partitions"):
        sync(["status", str(path)])
    for place in ("nosuch://bucket/state", "nosuch://me:hunter2@bucket/state"):
        path.write_text(GOOD.replace("/lake/_tidewire/shop", place))
        with pytest.raises(StateError, match=r"nosuch://bucket/state cannot be opened: Protocol not known: nosuch"):
            sync(["status", str(path)])


def test_messages_in_files_are_named_without_a_password(tmp_path: Path) -> None:
    path = tmp_path / "shop.yaml"
    place = "s3a://AK:HUNTER2@bucket/x.jsonl"
    path.write_text(re.sub("source: .*", f'source: {{files: "{place}"}}', GOOD))
    with pytest.raises(CommandError, match="files has a user or a password in it") as found:
        messages(read_sync_file(str(path)))
    assert "HUNTER2" not in str(found.value)


def test_what_waits_is_shown(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    letter = DeadLetter("p", "column opened: no calendar has it", "t", 0, 7, "shop.t", '["1"]', FIRST)
    found = Status(3, late={"shop.t": 4}, dead=25, keys={"shop.t": 2}, letters=(letter,))
    _print_status(found, as_json=False)
    said = capsys.readouterr().out
    for part in (
        "waits in shop.t: 2 keys of which a row cannot be read",
        "below the resolved ts of shop.t: 4 rows, left out",
        'offset 7 of partition 0 of t, table shop.t, key ["1"]: column opened: no calendar has it',
        "    and 24 more",
    ):
        assert part in said
    _print_status(found, as_json=True)
    of = json.loads(capsys.readouterr().out)
    assert (of["keys"], of["late"], of["letters"][0]["offset"]) == ({"shop.t": 2}, {"shop.t": 4}, 7)
