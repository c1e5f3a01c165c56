"""Advice of `tidewire sync` names the file as it was typed, and mistyped arguments are reported."""

from __future__ import annotations

import io
from pathlib import Path

import pytest
from commands import tidewire
from rich.console import Console

from tidewire.cli.shell import CommandError
from tidewire.cli.sync_file import read_sync_file
from tidewire.cli.sync_progress import Progress
from tidewire.cli.sync_session import check_file
from tidewire.cli.sync_status import lines_of
from tidewire.spark.sync.batches import BatchDone
from tidewire.spark.sync.changelog import Manifest, Parked, Position, Source, TargetTable
from tidewire.spark.sync.how_far import Status
from tidewire.spark.sync.manifests import Manifests
from tidewire.spark.sync.publish import time_of
from tidewire.spark.sync.state import opened

FIRST = 1_704_067_200_000 << 18
CAPTURE = Path(__file__).parents[2] / "examples" / "canal_json_topic.jsonl.gz"
GOOD = """\
source: {{kafka.bootstrap.servers: "localhost:9092", subscribe: tidb-changes, protocol: canal-json}}
into: {{format: iceberg, table: "lake.{{schema}}.{{table}}"}}
tables: {{"shop.*": {{}}}}
state: "{folder}/state"
"""
OF_FILE = """\
source: {{protocol: {protocol}, files: {files}}}
into: {{format: parquet, table: "{folder}/lake/{{schema}}/{{table}}"}}
state: "{folder}/state"
"""


def test_commands_that_are_advised_name_the_file(capsys: pytest.CaptureFixture[str]) -> None:
    advice = "run tidewire sync reset FILE shop.t or tidewire sync add FILE shop.u"
    waits = Parked(FIRST, "rows have no key", advice)
    table = TargetTable("shop.k", 0, Position(FIRST), parks=(waits,))
    batch = BatchDone(
        Manifest(Source("t", "canal-json"), 7, resolved=FIRST, tables={"1": table}), True, {}, {}, (advice,)
    )
    says = "run tidewire sync reset a/shop.yaml shop.t or tidewire sync add a/shop.yaml shop.u"
    progress = Progress(as_json=False, path="a/shop.yaml")
    progress(batch)
    assert says in capsys.readouterr().err
    text = io.StringIO()
    Console(file=text, width=200).print(progress.shown())
    assert f"parked shop.k: rows have no key; {says}" in text.getvalue()


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["statsu", "FILE"], "statsu is neither a command of tidewire sync nor a file: did you mean status?"),
        (["status"], "Missing argument 'FILE.yaml'"),
        (["stop", "FILE"], "there are run, status, plan, replay, resume, reset, add"),
        (["plan.yaml"], "there is no file plan.yaml"),
        (["status", "DIR/shopp.yaml"], "there is no file DIR/shopp.yaml: did you mean DIR/shop.yaml?"),
        (["FILE", "FILE"], "unexpected extra argument"),
        (["reset", "FILE"], "Missing argument 'TABLE'"),
        (
            ["reset", "shop.t"],
            "shop.t is a table, and the file is missing: tidewire sync reset FILE.yaml shop.t",
        ),
        (["add", "shop.t", "DIR/shop.yaml"], "shop.t stands behind the file: tidewire sync add DIR/shop.yaml shop.t"),
        (["add", "shop.cfg", "shop.t"], "there is no file shop.cfg"),
        (["status", "FILE", "--once"], "No such option: --once"),
        (["status", "--json", "FILE"], "there is no synchronisation in"),
        (["--json", "status", "FILE"], "there is no synchronisation in"),
        (["FILE", "--onec"], "No such option: --onec"),
    ],
)
def test_what_is_mistyped_is_told(tmp_path: Path, words: list[str], says: str) -> None:
    path = tmp_path / "shop.yaml"
    path.write_text(GOOD.format(folder=tmp_path))
    given = [one.replace("FILE", str(path)).replace("DIR", str(tmp_path)) for one in words]
    found = tidewire("sync", *given, width=300)
    assert found.exit_code == 2
    assert says.replace("DIR", str(tmp_path)) in found.stderr


def test_the_table_that_is_parked_is_named() -> None:
    found = Status(1, parked={"shop.t": Parked(FIRST, "no key", "run tidewire sync reset FILE TABLE")})
    assert "parked shop.t: no key; run tidewire sync reset 'a shop.yaml' shop.t" in lines_of(
        found, "a shop.yaml", False
    )


def test_many_tables_of_which_the_same_is_true_are_one_line() -> None:
    of = {f"shop.t{number:02d}": FIRST for number in range(22)}
    at = f"at {time_of(FIRST)}"
    found = lines_of(Status(1, tables={**of, "shop.t07": FIRST - (1 << 40)}), "", False)
    assert f"21 tables: {at}; shop.t00, shop.t01, … shop.t21 (--json lists them)" in found
    assert [one for one in found if one.startswith("table ")] == [f"table shop.t07: at {time_of(FIRST - (1 << 40))}"]
    assert f"table shop.t01: {at}" in lines_of(Status(1, tables=dict(list(of.items())[:20])), "", False)


def test_errors_name_the_file(tmp_path: Path) -> None:
    path = tmp_path / "shop.yaml"
    path.write_text(GOOD.format(folder=tmp_path))
    none = tidewire("sync", "reset", str(path), "shop.t", width=300)
    assert f"start one (tidewire sync {path}, or sync(" in none.stderr
    source = Source("tidb-changes", "canal-json")
    opened(f"{tmp_path}/state", source, "iceberg:lake.{schema}.{table}")
    Manifests(f"{tmp_path}/state", source).create(Manifest(source, 1, names={"shop.orders": "0"}))
    for words, says in (
        (["reset", str(path), "shop.t"], f"no table shop.t to reset: tidewire sync status {path} names all tables"),
        (["add", str(path), "shop.orders"], f"tidewire sync reset {path} shop.orders makes it anew"),
    ):
        found = tidewire("sync", *words, width=300)
        assert found.exit_code == 2
        assert says in found.stderr


@pytest.mark.parametrize("words", [["plan"], ["--once"]])
def test_another_protocol_is_told_before_spark_is_started(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, words: list[str]
) -> None:
    def session(*_: object, **__: object) -> None:
        raise AssertionError("Spark is started")

    monkeypatch.setattr("tidewire.cli.sync.session", session)
    path = tmp_path / "shop.yaml"
    path.write_text(OF_FILE.format(protocol="craft", files=CAPTURE, folder=tmp_path))
    found = tidewire("sync", *words, str(path), width=300)
    assert found.exit_code == 2
    says = "tidewire: the first 152 messages are canal-json, and craft was asked for: name canal-json as protocol"
    assert found.stderr.splitlines() == [says]
    assert not (tmp_path / "state").exists()


@pytest.mark.parametrize(
    ("name", "content", "looked_at"),
    [("half.jsonl.gz", CAPTURE.read_bytes()[:60], False), ("latin.jsonl", b"\xff\n", False), ("none.jsonl", b"", True)],
)
def test_what_cannot_be_looked_at_is_left_to_spark(tmp_path: Path, name: str, content: bytes, looked_at: bool) -> None:
    (tmp_path / name).write_bytes(content)
    path = tmp_path / "shop.yaml"
    path.write_text(OF_FILE.format(protocol="craft", files=tmp_path / name, folder=tmp_path))
    assert check_file(read_sync_file(str(path))) is looked_at


def test_a_file_without_messages_is_told_before_spark_is_started(tmp_path: Path) -> None:
    (tmp_path / "none.jsonl").write_text("source: {}\n")
    path = tmp_path / "shop.yaml"
    path.write_text(OF_FILE.format(protocol="craft", files=tmp_path / "none.jsonl", folder=tmp_path))
    with pytest.raises(CommandError, match="has no messages: a line is a JSON object with value and key in base64"):
        check_file(read_sync_file(str(path)))
