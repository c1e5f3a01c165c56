"""Errors in the file of `tidewire sync` are reported with their lines before anything is started."""

from __future__ import annotations

import io
import json
import re
from pathlib import Path
from typing import Any

import pytest
from commands import tidewire
from rich.console import Console
from rich.live import Live
from typer.testing import CliRunner

from tidewire.cli.main import app
from tidewire.cli.shell import CommandError
from tidewire.cli.sync import _print_status
from tidewire.cli.sync_file import read_sync_file
from tidewire.cli.sync_progress import Progress
from tidewire.cli.sync_status import ago
from tidewire.spark.sync.batches import BatchDone
from tidewire.spark.sync.changelog import DeadLetter, Manifest, Parked, Position, Source, StateError, TargetTable
from tidewire.spark.sync.choices import chosen, seconds
from tidewire.spark.sync.how_far import NotYet, Status
from tidewire.spark.sync.how_far import status as how_far
from tidewire.spark.sync.manifests import Manifests
from tidewire.spark.sync.requests import Asked
from tidewire.spark.sync.state import opened

FIRST = 1_704_067_200_000 << 18
GOOD = """\
source: {kafka.bootstrap.servers: "localhost:9092", subscribe: tidb-changes, protocol: canal-json, timezone: UTC}
into: {format: iceberg, table: "lake.{schema}.{table}"}
tables: {"shop.*": {}, "shop.audit": {mode: history, schema_changes: park}, "shop.tmp_*": skip}
state: /lake/_tidewire/shop
apply: {every: 5m, schema_changes: evolve, threads: 2}
maintain: {every: 1h, compact: false, keep_published: 7d}
"""
_LAST = '"lake.{schema}.{table}"}'
"""The end of `into`."""


def test_a_file_says_all_that_sync_is_given(tmp_path: Path) -> None:
    path = tmp_path / "shop.yaml"
    path.write_text(GOOD)
    found = read_sync_file(str(path))
    assert found.source == {"kafka.bootstrap.servers": "localhost:9092", "subscribe": "tidb-changes"}
    assert (found.protocol, found.into) == ("canal-json", "iceberg:lake.{schema}.{table}")
    assert found.tables["shop.audit"] == {"mode": "history", "schema_changes": "park"}
    assert (seconds("every", found.every), found.options["schemaChanges"], found.options["keepPublished"]) == (
        300,
        "evolve",
        "7d",
    )
    assert found.options["timezone"] == "UTC"
    choice = chosen(found.tables, found.options)
    assert (choice.maintain_every, choice.compact, choice.keep_published) == (3600, False, 7 * 86400)


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
        ("every: 5m", "every: soon", ":5  apply.every: every='soon' is no time"),
        ("every: 5m", "every: 1e400s", ":5  apply.every: every='1e400s' is no time"),
        (
            "mode: history",
            "mode: histori",
            ':3  tables.shop.audit.mode: unknown value "histori". Did you mean "history"?',
        ),
        (": skip", ": skipp", ':3  tables.shop.tmp_*: unknown value "skipp". Did you mean "skip"? Or a mapping.'),
        ("subscribe: tidb-changes", "subscrib: tidb-changes", 'Did you mean "subscribe"?'),
        (
            "protocol: canal-json",
            "protocol: canal-jsn",
            ":1  source.protocol: no protocol is called 'canal-jsn'. Did you mean canal-json?",
        ),
        (
            "timezone: UTC",
            "timezone: Asia/Shanghi",
            ":1  source.timezone: timezone 'Asia/Shanghi' is not known. Did you mean Asia/Shanghai?",
        ),
        (
            "timezone: UTC",
            "options: {enable-tidb-extensio: true}",
            ":1  source.options.enable-tidb-extensio: 'enable-tidb-extensio' is no option to read canal-json with."
            " Did you mean enable-tidb-extension?",
        ),
        ("timezone: UTC", "options: {zeroDate: nul}", ":1  source.options.zeroDate: "),
        ("timezone: UTC", "options: {mode: FAILFAST}", ":1  source.options.mode: option mode is for frames of rows"),
        ("timezone: UTC", "options: {partitions: x}", ":1  source.options.partitions: partitions="),
        ("timezone: UTC", "startingOffsets: latest", ":1  source.startingOffsets: startingOffsets=latest would leave"),
        ("subscribe: tidb-changes", "timezone: UTC", "is given twice"),
        (", subscribe: tidb-changes", "", ":1  source: the source lacks kafka.bootstrap.servers, or one of subscribe"),
        ("subscribe: tidb-changes", "files: x", ":1  source: has either files, or kafka.bootstrap.servers and"),
        ('"shop.tmp_*": skip', "orders: {}", ":3  tables.orders: tables: 'orders' is no pattern of tables"),
        ('"lake.{schema}.{table}"', '"/lake/{schema}/{table}"', ":2  into.table: "),
        (
            '"lake.{schema}.{table}"}',
            '"lake.{schema}.{table}", history: "lake.{schema}.{table}"}',
            ":2  into.history: history='iceberg:lake.{schema}.{table}' is where the tables are",
        ),
        (
            '"lake.{schema}.{table}"}',
            '"{schema}.{table}", warehouse: w}',
            ":2  into.table: it does not begin with the name of a catalog, which the warehouse is of",
        ),
        (_LAST, f"{_LAST[:-1]}, warehouse: 's3://b'}}", ":2  into.warehouse: the names of tables cannot be in a file"),
        (_LAST, f"{_LAST[:-1]}, catalog: c}}", ":2  into.catalog: a catalog in a file has its tables in a warehouse"),
        (
            _LAST,
            f"{_LAST[:-1]}, warehouse: 'gs://b/w', catalog: c.db}}",
            ":2  into.warehouse: a catalog in a file has its tables in a folder or in S3",
        ),
        (
            _LAST,
            f"{_LAST[:-1]}, warehouse: w, catalog: 'thrift://h'}}",
            ":2  into.catalog: it is neither a local file nor the http:// address of a REST catalog",
        ),
        (_LAST, f"{_LAST[:-1]}, catalog: 'http://u:hush@h'}}", ":2  into.catalog: it has a user or a password in it"),
        ("threads: 2", "order: offset", ":5  apply.order: order=offset is for consistency=key"),
        ("threads: 2", "consistency: key", ":5  apply: consistency=key keeps no history tables"),
        ("threads: 2", "rows: 5", ":5  apply.rows: applyRows is for changes that wait: give applyAfter"),
        ("threads: 2", "late: verfy", ':5  apply.late: unknown value "verfy". Did you mean "verify"?'),
        ("keep_published: 7d", "keep_published: x", ":6  maintain.keep_published: keepPublished='x' is no time"),
        ("every: 1h", "every: often", ":6  maintain.every: maintainEvery='often' is no time"),
        ("every: 1h", "every: 0s", ":6  maintain.every: maintainEvery='0s' is never: leave it out, or give a time"),
        ("7d}", "7d}\nverify: {csv: {separator: ''}}", ":7  verify.csv: separator='': characters that are no line"),
        ("7d}", "7d}\nverify: {timezone: Mars/X}", ":7  verify.timezone: timezone 'Mars/X' is not known"),
        ("7d}", "7d}\nspark: {spark.x: [1]}", ":7  spark.spark.x: is a list"),
    ],
)
def test_what_is_wrong_is_told_with_its_line(tmp_path: Path, old: str, new: str, says: str) -> None:
    path = tmp_path / "shop.yaml"
    assert old in GOOD
    path.write_text(GOOD.replace(old, new))
    with pytest.raises(CommandError) as found:
        read_sync_file(str(path))
    assert says in str(found.value)
    assert "?." not in str(found.value)


def test_all_that_is_wrong_is_told_at_once(tmp_path: Path) -> None:
    """And what rests on something that is wrong is not."""
    path = tmp_path / "shop.yaml"
    wrong = GOOD.replace("canal-json", "canal-jsn").replace("timezone: UTC", "timezone: Mars")
    wrong = wrong.replace("threads: 2", "rows: 5, after: soon")
    path.write_text(wrong.replace("every: 5m", "every: soon").replace("shop.audit", "audit"))
    with pytest.raises(CommandError) as found:
        read_sync_file(str(path))
    lines = [str(found.value), *found.value.more]
    assert [line.partition(": ")[0].partition("yaml:")[2] for line in lines] == [
        "1  source.protocol",
        "3  tables.audit",
        "5  apply.after",
        "5  apply.every",
    ]
    path.write_text(GOOD.replace("protocol: canal-json, timezone: UTC", "timezone: Mars"))
    with pytest.raises(CommandError, match=r":1  source.timezone: timezone 'Mars' is not known"):
        read_sync_file(str(path))


def test_files_without_messages_are_refused_before_they_are_read(tmp_path: Path) -> None:
    path = tmp_path / "shop.yaml"
    path.write_text(re.sub("source: .*", "source: {files: nowhere/x.jsonl}", GOOD))
    with pytest.raises(CommandError, match=r":1  source.files: there are no messages in nowhere/x.jsonl"):
        read_sync_file(str(path), reads=True)
    assert read_sync_file(str(path)).files == "nowhere/x.jsonl"


@pytest.mark.parametrize("text", ["- a\n- b\n", "source", "17"])
def test_what_is_no_mapping_is_refused(tmp_path: Path, text: str) -> None:
    path = tmp_path / "shop.yaml"
    path.write_text(text)
    with pytest.raises(CommandError, match="this is no mapping; needed is one with source, into and state"):
        read_sync_file(str(path))


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
        r"batch 7: 1,200 messages, [\d,]+ a second; published 2024-01-01 00:00:00 UTC \(\d+\), [\d,]+ days \d+ h ago\n",
        said.out,
    )
    assert "look at it" in said.err
    Progress(as_json=False)(done(published=False))
    assert "; resolved 2024-01-01 00:00:00 UTC" in (line := capsys.readouterr().out)
    assert line.endswith(" h ago; waits for a watermark of partition 0 of t\n")
    Progress(as_json=True)(done(offsets={"t": {0: 5}}))
    found = json.loads(capsys.readouterr().out)
    assert (found["batch"], found["messages"], found["resolved"], found["waiting"]) == (7, 1200, FIRST, ["t", 0])
    assert (found["rows"], found["tables"], found["seconds"]["stage"]) == ({"shop.t": 1100}, {"shop.t": 0.25}, 0.5)
    assert (found["parked"], found["dead"], found["notes"]) == ({"shop.k": "rows have no key"}, 3, ["look at it"])
    assert found["offsets"] == {"t": {"0": 5}}
    assert found["not_yet"] == {}
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


def asked_for(path: Path, command: str, *more: str, says: str = "") -> Any:
    """The result of a command; it has to be refused where `says` is not empty."""
    found = tidewire("sync", command, path, *more)
    assert (found.exit_code, found.stdout) == (2 if says else 0, ""), found.output
    assert says in found.stderr
    return found


def test_what_is_asked_waits_in_the_state(tmp_path: Path) -> None:
    path = tmp_path / "shop.yaml"
    state = str(tmp_path / "state")
    path.write_text(GOOD.replace("/lake/_tidewire/shop", state))
    asked_for(path, "replay", says="there is no synchronisation in")
    source = Source("tidb-changes", "canal-json")
    opened(state, source, "iceberg:lake.{schema}.{table}")
    Manifests(state, source).create(Manifest(source, 1, names={"shop.orders": "0"}, dead={"staged/a": 2}))
    for words in (["replay"], ["reset", "shop.orders"], ["add", "shop.more"]):
        done = asked_for(path, *words)
        assert f"{' '.join(words)}: asked for; it is done with the next batch" in done.stderr
    asked = Asked(state).pending(Manifest(source))
    assert [one[1:3] for one in asked] == [("replay", ""), ("reset", "shop.orders"), ("add", "shop.more")]
    for words, says in (
        (["reset", "shop.more"], "there is no table shop.more to reset"),
        (["add", "shop.orders"], "is kept already: tidewire sync reset"),
        (["add", "shop.tmp_1"], "matches no pattern of tables: add it there first"),
    ):
        asked_for(path, *words, says=says)
    newest = Manifest(source, 2, done=(asked[0][0],))
    assert [one[1] for one in Asked(state).pending(newest)] == ["reset", "add"]


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
    with pytest.raises(StateError, match=r"is no folder: name another folder$"):
        how_far(read_sync_file(str(path)).state)
    state.unlink()
    opened(str(state), Source("tidb-changes", "canal-json"), "iceberg:lake.{schema}.{table}")
    (state / "published").mkdir()
    (state / "published" / f"{FIRST:020d}.json").write_text(
        json.dumps({"format": 1, "resolved": FIRST, "manifest": 1, "tables": {}})
    )
    with pytest.raises(StateError, match="has records of what was published, and no manifest"):
        how_far(read_sync_file(str(path)).state)
    path.write_text(
        GOOD.replace("timezone: UTC", "options: {partitions: x}").replace("/lake/_tidewire/shop", str(state))
    )
    with pytest.raises(CommandError, match=r"shop.yaml:1  source.options.partitions: partitions="):
        read_sync_file(str(path))
    for place in ("nosuch://bucket/state", "nosuch://me:hunter2@bucket/state"):
        path.write_text(GOOD.replace("/lake/_tidewire/shop", place))
        with pytest.raises(StateError, match=r"nosuch://(\*\*\*@)?bucket/state cannot be opened: Protocol not known"):
            how_far(read_sync_file(str(path)).state)


def test_messages_in_files_are_named_without_a_password(tmp_path: Path) -> None:
    path = tmp_path / "shop.yaml"
    place = "s3a://AK:HUNTER2@bucket/x.jsonl"
    path.write_text(re.sub("source: .*", f'source: {{files: "{place}"}}', GOOD))
    with pytest.raises(CommandError, match=r"source.files: it has a user or a password in it") as found:
        read_sync_file(str(path))
    assert "HUNTER2" not in str(found.value)


def test_what_waits_is_shown(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    letter = DeadLetter("p", "column opened: no calendar has it", "t", 0, 7, "shop.t", '["1"]', FIRST)
    (tmp_path / "shop.yaml").write_text(GOOD)
    of = read_sync_file(str(tmp_path / "shop.yaml"))
    found = Status(3, late={"shop.t": 4}, dead=25, keys={"shop.t": 2}, letters=(letter,))
    _print_status(found, False, of)
    said = capsys.readouterr().out
    for part in (
        f"waits in shop.t: 2 keys of which a row cannot be read; see the reasons below, then run tidewire sync replay"
        f" {of.path}\n",
        "below the resolved ts of shop.t: 4 rows, left out",
        'offset 7 of partition 0 of t, table shop.t, key ["1"]: column opened: no calendar has it',
        "    and 24 more",
    ):
        assert part in said
    _print_status(found, True, of)
    of = json.loads(capsys.readouterr().out)
    assert (of["keys"], of["late"], of["letters"][0]["offset"]) == ({"shop.t": 2}, {"shop.t": 4}, 7)


def test_tables_that_are_not_made_yet_are_told(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "shop.yaml"
    path.write_text(GOOD)
    of = read_sync_file(str(path))
    found = Status(
        1,
        FIRST,
        FIRST,
        521_158.0,
        ("t", 2),
        watermark=FIRST + 3,
        not_yet={f"shop.t{one:02}": NotYet(FIRST + (one + 1 << 30), one + 1) for one in range(22)},
    )
    _print_status(found, False, of)
    said = capsys.readouterr().out
    for part in (
        f"published: 2024-01-01 00:00:00 UTC ({FIRST}), 6 days 0 h ago, no table\n",
        f"waits for: partition 2 of t, whose newest watermark is of 2024-01-01 00:00:00 UTC ({FIRST + 3})\n",
        f"not made yet: shop.t00, 1 row staged, the first of 2024-01-01 00:00:04 UTC ({FIRST + (1 << 30)})\n",
        "not made yet: shop.t19, 20 rows staged, the first of ",
        "not made yet: 2 other tables\n",
        "a table is made when each partition has sent a watermark above its first change, so not before"
        f" {FIRST + (1 << 30)}\n",
    ):
        assert part in said
    assert "shop.t20" not in said
    assert "a file has no later watermark" not in said
    path.write_text(re.sub("source: .*", "source: {files: x.jsonl}", GOOD))
    _print_status(found, False, read_sync_file(str(path)))
    assert "; a file has no later watermark: append newer messages, or read the topic" in capsys.readouterr().out
    _print_status(found, True, of)
    told = json.loads(capsys.readouterr().out)
    assert told["not_yet"]["shop.t01"] == {"first": FIRST + (2 << 30), "rows": 2}
    assert (told["watermark"], told["lag"]) == (FIRST + 3, 521_158.0)


def test_a_batch_tells_of_tables_that_are_not_made_yet(capsys: pytest.CaptureFixture[str]) -> None:
    spans = {f"shop.n{one}": (FIRST + one, FIRST + 9) for one in range(4)} | {"shop.t": (FIRST, FIRST)}
    batch = done(names={"shop.t": "0"}, spans=spans)
    Progress(as_json=False)(batch)
    assert capsys.readouterr().out.endswith(
        "; 4 tables not made yet (shop.n0, shop.n1, shop.n2, …); waits for a watermark of partition 0 of t\n"
    )
    Progress(as_json=True)(batch)
    assert json.loads(capsys.readouterr().out)["not_yet"] == {f"shop.n{one}": FIRST + one for one in range(4)}


@pytest.mark.parametrize(
    ("seconds", "says"),
    [
        (12.4, "12 s ago"),
        (7199, "7,199 s ago"),
        (7260, "2 h 1 min ago"),
        (172_799, "47 h 59 min ago"),
        (172_800, "2 days 0 h ago"),
        (521_158, "6 days 0 h ago"),
    ],
)
def test_times_that_have_gone_by_are_told_in_units_of_their_size(seconds: float, says: str) -> None:
    assert ago(seconds) == says


def test_help_names_commands_and_how_they_are_called() -> None:
    said = tidewire("sync", "-h", width=60).stdout
    assert "tidewire sync [COMMAND] FILE.yaml [TABLE]" in said
    for name in ("run", "status", "plan", "replay", "resume", "reset", "add", "maintain"):
        assert re.search(rf"^│ {name} +[A-Z]", said, re.MULTILINE)
    assert "--once" in tidewire("sync", "run", "-h", width=60).stdout
    assert "--once" not in tidewire("sync", "status", "-h", width=60).stdout


def completed(words: str) -> list[str]:
    """What a shell is given for the last word of a line."""
    line = f"tidewire {words}"
    count = len(line.split()) - (0 if line.endswith(" ") else 1)
    env = {"_TIDEWIRE_COMPLETE": "complete_bash", "COMP_WORDS": line, "COMP_CWORD": str(count)}
    return str(CliRunner().invoke(app, env=env, prog_name="tidewire").stdout).split()


def test_a_shell_completes_commands_and_tables(tmp_path: Path) -> None:
    path = tmp_path / "shop.yaml"
    path.write_text(GOOD.replace("/lake/_tidewire/shop", f"{tmp_path}/state"))
    assert completed("sync s") == ["status"]
    assert set(completed("sync re")) == {"rehearse", "replay", "resume", "reset"}
    assert completed(f"sync reset {path} ") == []
    source = Source("tidb-changes", "canal-json")
    opened(f"{tmp_path}/state", source, "iceberg:lake.{schema}.{table}")
    Manifests(f"{tmp_path}/state", source).create(Manifest(source, 1, names={"shop.orders": "0", "shop.users": "1"}))
    assert completed(f"sync reset {path} ") == ["shop.orders", "shop.users"]
    assert completed(f"sync resume {path} shop.o") == ["shop.orders"]


class Terminal(io.StringIO):
    """Standard output that says it is a terminal."""

    def isatty(self) -> bool:
        return True


def test_lines_are_as_wide_as_the_terminal(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "shop.yaml"
    path.write_text(GOOD.replace("every: 1h, ", ""))
    of = read_sync_file(str(path))
    letter = DeadLetter("p", "a reason " * 100, "t", 0, 7, "shop.t", '["1"]', FIRST)
    found = Status(3, FIRST, FIRST, 9.0, ("t", 2), dead=1, letters=(letter,), not_yet={"shop.u": NotYet(FIRST, 1)})
    out = Terminal()
    monkeypatch.setattr("sys.stdout", out)
    monkeypatch.setenv("COLUMNS", "60")
    _print_status(found, False, of)
    lines = out.getvalue().splitlines()
    assert max(map(len, lines)) <= 60
    assert "waits for: partition 2 of t, which has sent no watermark yet" in lines
    begins = next(at for at, line in enumerate(lines) if line.startswith("    offset 7 of partition 0 of t"))
    assert all(line.startswith("        ") for line in lines[begins + 1 :])
    assert len(" ".join(lines[begins:])) < 700


def test_a_state_without_access_is_a_sentence(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Who runs these tests may be allowed everything."""
    path = tmp_path / "shop.yaml"
    path.write_text(GOOD.replace("/lake/_tidewire/shop", "/proc/tidewire/state"))
    source = Source("tidb-changes", "canal-json")
    with pytest.raises(StateError, match=r"/proc/tidewire/state cannot be written \(.*\): make room or give access"):
        opened("/proc/tidewire/state", source, "iceberg:lake.{schema}.{table}")

    def refused(*_: Any, **__: Any) -> Any:
        raise PermissionError(13, "Permission denied")

    opened(str(tmp_path), source, "iceberg:lake.{schema}.{table}")
    says = r"cannot be read \(Permission denied\): give access to the user who runs this, and try again"
    for name in ("builtins.open", "os.listdir"):
        with monkeypatch.context() as patched:
            patched.setattr(name, refused)
            with pytest.raises(StateError, match=says):
                how_far(str(tmp_path))


def test_a_value_that_is_none_of_those_that_can_be_is_told_plainly() -> None:
    found = tidewire("decode", "--to", "foo", width=200)
    assert "Invalid value for '--to': 'foo' is not one of 'parquet', 'arrow'." in found.stderr


@pytest.mark.parametrize("name", ["kafka.ssl.key.password", "kafka.sasl.jaas.config", "kafka.sasl.oauthbearer.token"])
@pytest.mark.parametrize(
    "value",
    ["0HUNTER2", "07654321", "[HUNTER2]", "*HUNTER2", "!HUNTER2 x", "&HUNTER2 x", "1.7654321", "2026-07-01", "~"],
)
def test_what_is_wrong_with_a_secret_does_not_show_it(tmp_path: Path, name: str, value: str) -> None:
    path = tmp_path / "shop.yaml"
    path.write_text(GOOD.replace("{kafka.bootstrap", f"{{{name}: {value}, kafka.bootstrap"))
    said = tidewire("sync", "status", path, width=300).stderr
    secret = re.sub("[^A-Z0-9.-]", "", value.removesuffix(" x"))
    assert not secret or secret not in said.replace(str(tmp_path), "")
    if value != "0HUNTER2":
        assert f":1  source.{name}: the value is no plain text. Put quotes around it." in said
