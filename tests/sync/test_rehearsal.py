"""`tidewire sync rehearse`: a hostile topic through a copy of a user's file, which touches nothing of the user's."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from dataclasses import asdict
from pathlib import Path
from threading import Event
from typing import Any

import pytest
from pyspark.sql import SparkSession
from typer.testing import CliRunner

from sync.driver import Driver
from sync.test_killed import _settings
from tidewire.cli.main import app
from tidewire.cli.rehearsal import Rehearsed, _look
from tidewire.cli.rehearsal_copy import copied, environment
from tidewire.cli.rehearsal_report import lines_of
from tidewire.cli.sync_file import read_sync_file
from tidewire.runtime.errors import OptionError
from tidewire.spark.sync.changelog import Hold, Manifest
from tidewire.spark.sync.choices import chosen
from tidewire.spark.sync.maintaining.maintenance import Maintenance
from tidewire.spark.sync.plan import TablesPlan
from tidewire.spark.sync.publish import Published
from tidewire.spark.sync.rehearsal.compared import Compared, compare
from tidewire.spark.sync.rehearsal.encoded import OPTIONS, SCHEMA, START
from tidewire.spark.sync.rehearsal.histories import History
from tidewire.spark.sync.rehearsal.hostile import Hostile, tables_for
from tidewire.spark.sync.rehearsal.hurried import WAITING
from tidewire.spark.sync.rehearsal.kills import EVERY, POINTS, arm, points_for
from tidewire.spark.sync.rehearsal.source import Message
from tidewire.spark.sync.run import sync

KAFKA = {"kafka.bootstrap.servers": "their-broker:9092", "subscribe": "their-topic", "protocol": "canal-json"}

AVRO = {"protocol": "avro", "options": {"schema-registry": "http://theirs"}}


def _file(tmp: Path, **more: Any) -> str:
    given = {
        "source": KAFKA,
        "into": {"format": "parquet", "table": f"{tmp}/theirs/{{schema}}/{{table}}"},
        "tables": {"shop.*": {}},
        "state": f"{tmp}/theirs/state",
        **more,
    }
    path = tmp / "theirs.yaml"
    path.write_text(json.dumps(given))
    return str(path)


CATALOG = {
    "spark.sql.catalog.theirs": "org.apache.iceberg.spark.SparkCatalog",
    "spark.sql.catalog.theirs.type": "rest",
    "spark.sql.catalog.theirs.uri": "http://their-catalog:8181",
    "spark.sql.defaultCatalog": "theirs",
    "spark.sql.warehouse.dir": "s3a://their-bucket",
    "spark.hadoop.fs.s3a.secret.key": "theirs",
    "spark.hive.metastore.uris": "thrift://their-metastore",
    "spark.master": "spark://their-cluster",
    "spark.remote": "sc://their-cluster",
    "spark.driver.extraClassPath": "/etc/theirs",
    "spark.submit.deployMode": "theirs",
}
INTO = [
    ({"format": "iceberg", "table": "theirs.{schema}.{table}"}, "iceberg:rehearsal.{schema}.{table}"),
    ({"format": "iceberg", "table": "theirs.a_{schema}.{table}"}, "iceberg:rehearsal.a_{schema}.{table}"),
    ({"format": "iceberg", "table": "{schema}.{table}"}, "iceberg:rehearsal.{schema}.{table}"),
    ({"format": "iceberg", "table": "theirs.{schema}.{table}", "warehouse": "/theirs"}, "iceberg:rehearsal.{schema}"),
    ({"format": "iceberg", "table": "t.{schema}.{table}", "catalog": "http://their"}, "iceberg:rehearsal.{schema}."),
    ({"format": "delta", "table": "theirs.{schema}.{table}"}, "delta:SCRATCH/lake/theirs/{schema}/{table}"),
    ({"format": "delta", "table": "s3a://theirs/{schema}/{table}"}, "delta:SCRATCH/lake/s3a/theirs/{schema}/{table}"),
    ({"format": "parquet", "table": "/theirs/../{schema}/{table}"}, "parquet:SCRATCH/lake/theirs/{schema}/{table}"),
]


@pytest.mark.parametrize(("into", "want"), INTO)
def test_the_copy_names_no_place_of_the_user(into: dict[str, str], want: str, tmp_path: Path) -> None:
    """No catalog, table, state, topic or cluster; what is chosen for the tables is the same."""
    apply = {"schema_changes": "evolve", "late": "verify", "threads": 2}
    conf = {**CATALOG, "spark.driver.memory": "2g"}
    source = {**KAFKA, "options": {"claim-check": "/theirs/messages"}}
    of = read_sync_file(_file(tmp_path, into=into, spark=conf, apply=apply, state="/theirs/state", source=source))
    scratch = tmp_path / "scratch"
    copy, left_out = copied(of, scratch)
    assert copy.into.startswith(want.replace("SCRATCH", str(scratch)))
    said = asdict(copy)
    path = said.pop("path")
    assert path == of.path
    places = json.dumps(said)
    for inside in ("lake/theirs", "lake/s3a/theirs"):
        places = places.replace(str(scratch / inside), "")
    assert "their" not in places
    assert copy.state.startswith(str(scratch))
    assert {*CATALOG, "claim-check"} <= {*left_out}
    assert copy.conf["spark.driver.memory"] == "2g"
    assert copy.options == {"schemaChanges": "evolve", "late": "verify", "threads": 2, "keepPublished": "36500d"}
    assert copy.tables == of.tables


def test_the_copy_maintains_its_tables_where_the_file_does(tmp_path: Path) -> None:
    copy, _ = copied(read_sync_file(_file(tmp_path, maintain={"every": "1h", "keep_published": "7d"})), tmp_path / "s")
    choice = chosen(copy.tables, copy.options)
    assert (choice.maintain_every, choice.keep_published) == (0.001, 45)
    never, _ = copied(read_sync_file(_file(tmp_path, maintain={"keep_published": "7d"})), tmp_path / "s")
    assert never.options["keepPublished"] == "36500d"
    base = {one.name for one in POINTS}
    upkeep, workers = {"maintained", "upkeep", "maintaining"}, {"merged", "merging"}
    names = [{one.name for one in points_for(choice, format)} - base for format in ("parquet", "iceberg")]
    assert names == [{"writing", *upkeep}, {*workers, *upkeep}]
    merge = chosen(never.tables, {**never.options, "engine": "merge"})
    assert {one.name for one in points_for(merge, "delta")} - base == {"writing"}
    assert all(callable(getattr(one.owner(), one.call)) for one in EVERY.values())


def test_changes_of_the_copy_wait_where_those_of_the_file_do(tmp_path: Path) -> None:
    copy, _ = copied(read_sync_file(_file(tmp_path, apply={"after": "5m"})), tmp_path / "s")
    assert chosen(copy.tables, copy.options).rules.hold == Hold(40, 20)


class Applied(Driver):
    """Which ts each table has at each batch."""

    def __init__(self, history: History) -> None:
        super().__init__(history)
        self.at: list[dict[str, int]] = []

    def apply(self, number: int, manifest: Manifest) -> None:
        self.at.append({name: manifest.tables[of].applied.ts for name, of in manifest.names.items()})
        super().apply(number, manifest)

    def compare(self, manifest: Manifest, plan: TablesPlan) -> None:
        self.compared += 1  # rows of damaged messages are none here


def test_no_table_takes_the_late_row_because_it_waits() -> None:
    """It would be in published versions, and not in the source."""
    choice = chosen("shop.*", {**WAITING, "schemaChanges": "evolve"})
    found = 0
    for seed in range(20):
        made = Hostile(seed, 80, "canal-json", choice)
        if made.late is not None:
            name, number = made.late
            items = (one for each in made.history.batches[number].values() for one in each)
            late = [one.ts for one in items if isinstance(one, Message) and one.changes[-1].key == "late"]
            made.history.hold = choice.rules.hold
            driver = Applied(made.history).run()
            assert isinstance(driver, Applied)
            found += 1
            assert late[0] < driver.at[number][name]
    assert found > 5


def test_a_process_dies_while_it_does_something(monkeypatch: pytest.MonkeyPatch) -> None:
    """After so many calls, and at a time after the next one began."""
    died = Event()
    monkeypatch.setattr(Maintenance, "_step", lambda _, wait: died.wait(wait))
    arm(EVERY["maintaining"], died.set, 1, 0.001)
    step: Any = Maintenance._step
    assert not step(None, 0.1)
    assert step(None, 600)


def test_its_processes_find_no_configuration(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    names = ("PYSPARK_GATEWAY_PORT", "PYSPARK_SUBMIT_ARGS", "SPARK_REMOTE", "HADOOP_CONF_DIR", "HIVE_CONF_DIR")
    for name in (*names, "SPARK_CONF_DIR"):
        monkeypatch.setenv(name, "theirs")
    found = environment(tmp_path)
    assert not {*names} & found.keys()
    assert list(Path(found["SPARK_CONF_DIR"]).iterdir()) == []


@pytest.mark.parametrize(
    ("tables", "names", "skipped"),
    [
        ({"shop.*": {}}, ("shop.a", "shop.b", "shop.c"), ""),
        ({"shop.orders": {}, "shop.audit": {"mode": "history"}}, ("shop.orders", "shop.audit"), ""),
        ({"*.*": {}, "shop.a*": "skip"}, ("shop.b", "shop.c", "shop.d"), "shop.aa"),
        ({"x_?.t": {}}, ("x_shop.t",), ""),
    ],
)
def test_tables_are_those_of_the_patterns(tables: dict[str, Any], names: tuple[str, ...], skipped: str) -> None:
    if "x_?.t" in tables:
        with pytest.raises(OptionError, match="no table matches the patterns"):
            tables_for(chosen(tables, {}))
    else:
        assert tables_for(chosen(tables, {})) == (names, skipped)


def _messages(topic: Path) -> list[tuple[str, int, int, int]]:
    """Where messages are, and their lengths; some protocols write the clock into them."""
    lines = [json.loads(line) for one in sorted(topic.iterdir()) for line in one.read_text().splitlines()]
    return [(one["topic"], one["partition"], one["offset"], len(one["value"] or "")) for one in lines]


@pytest.mark.parametrize("protocol", OPTIONS)
def test_a_seed_makes_one_topic(protocol: str, tmp_path: Path) -> None:
    """With each kind of damage and with DDL, in every protocol."""
    kinds: set[str] = set()
    damaged = late = lost = dead = 0
    for seed in range(8):
        topics = []
        for name in ("one", "other"):
            made = Hostile(seed, 60, protocol, chosen({"shop.*": {}}, {}))
            made.write(tmp_path / f"{name}{seed}")
            topics.append(_messages(tmp_path / f"{name}{seed}"))
        assert topics[0] == topics[1]
        kinds |= {one.kind for each in made.statements for one in each.actions}
        damaged += len(made.damaged)
        late += made.late is not None
        lost += sum(isinstance(one, Message) and one.lost for one in made.history.log)
        dead += sum(isinstance(one, Message) and one.dead for one in made.history.log)
    assert kinds >= {"AddColumn", "DropColumn", "RenameColumn", "ModifyColumn", "Truncate", "DropTable", "RenameTable"}
    assert min(damaged, late, lost) > 0
    assert (dead > 0) == (protocol != "craft")


class Ran:
    """A topic that went through a synchronisation in this process."""

    def __init__(self, spark: SparkSession, tmp: Path, seed: int, **options: Any) -> None:
        self.spark, self.state = spark, str(tmp / "state")
        tables = options.pop("tables", {"shop.*": {}})
        self.choice = chosen(tables, {"schemaChanges": "evolve", **options})
        self.hostile = Hostile(seed, 40, "canal-json", self.choice)
        self.hostile.write(tmp / "topic")
        stream = spark.readStream.schema(SCHEMA).option("maxFilesPerTrigger", 1).option("pathGlobFilter", "*.json")
        partitions = {topic: len(each) for topic, each in self.hostile.history.partitions.items()}
        given = {"schemaChanges": "evolve", **options, "partitions": partitions, "keepPublished": "36500d"}
        into = f"parquet:{tmp}/lake/{{schema}}/{{table}}"
        frame = stream.json(str(tmp / "topic"))
        sync(spark, frame, "canal-json", into=into, state=self.state, tables=tables, options=given).once()

    def compared(self) -> list[Compared]:
        return list(compare(self.spark, self.state, self.hostile, self.choice.rules, set()))

    def looked_at(self) -> Rehearsed:
        found = Rehearsed(0, 40, "canal-json", versions=[one._asdict() for one in self.compared()])
        found.damaged = len(self.hostile.damaged)
        _look(found, self.hostile, self.choice, self.state)
        return found


def test_what_is_wrong_or_silent_is_found(spark: SparkSession, tmp_path: Path) -> None:
    """A version that lacks a row, a damaged message of which nothing is told, messages that nobody read."""
    ran = Ran(spark, tmp_path, 1)
    found = ran.looked_at()
    assert (found.right, found.wrong) == (True, [])
    assert len(found.versions) == len(Published(ran.state).resolved()) > 1
    log = ran.hostile.history.log
    gone = next(one for one in log if isinstance(one, Message) and one.changes[-1].row is not None and not one.lost)
    at = log.index(gone)
    log.remove(gone)
    assert any(" has the row " in text or " for " in text for one in ran.compared() for text in one.wrong)
    log.insert(at, gone)
    place = next(iter(ran.hostile.damaged))
    batch = ran.hostile.damaged.pop(place)
    ran.hostile.sent += 3
    wrong = ran.looked_at().wrong
    assert any("is whole, and is among those that cannot be read" in one for one in wrong)
    assert "3 messages were not read" in wrong
    ran.hostile.damaged |= {place: batch, place._replace(offset=10_000): batch}
    assert any("offset 10000 of partition" in one and "is not among" in one for one in ran.looked_at().wrong)


def _rehearsed(file: str, *words: str, **env: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-P", "-m", "tidewire.cli", "sync", "rehearse", file, *words]
    return subprocess.run(command, capture_output=True, text=True, check=False, env={**os.environ, **env})


def test_a_killed_rehearsal_touches_nothing_of_the_users(spark: SparkSession, tmp_path: Path) -> None:
    """Its catalog, tables and state stay as they are, to the byte; the broker of the file does not exist."""
    theirs = tmp_path / "theirs"
    for name in ("state/sync.json", "warehouse/catalog.db", "warehouse/shop/a/data.parquet"):
        (theirs / name).parent.mkdir(parents=True, exist_ok=True)
        (theirs / name).write_text("theirs")
    settings = _settings(spark)
    catalog = {name: value for name, value in settings.items() if name.startswith("spark.sql.catalog.ice")}
    assert catalog
    file = _file(
        tmp_path,
        into={"format": "iceberg", "table": "ice.{schema}.{table}", "warehouse": str(theirs / "warehouse")},
        spark=settings,
        apply={"schema_changes": "evolve"},
        maintain={"every": "1h"},
    )
    own = spark.conf.get("spark.sql.catalog.ice.warehouse")
    assert own is not None
    before = [sorted((str(one), one.stat().st_mtime_ns) for one in Path(of).rglob("*")) for of in (str(theirs), own)]
    done = _rehearsed(file, "--json", "--kills", "1", "--events", "30")
    assert done.returncode == 0, (done.stdout, done.stderr[-2000:])
    assert before == [
        sorted((str(one), one.stat().st_mtime_ns) for one in Path(of).rglob("*")) for of in (str(theirs), own)
    ]
    found = json.loads(done.stdout)
    assert found["right"]
    assert len(found["kills"]) == 1
    assert found["versions"]
    assert 0 < found["maintained"]["finished"] <= found["maintained"]["times"]
    assert found["again"] > 0
    assert not any(one["wrong"] for one in found["versions"])
    assert {*catalog} <= {*found["left_out"]}
    assert len(found["letters"]) == found["damaged"] > 0


@pytest.mark.parametrize(
    ("more", "says"),
    [
        ({"source": {**KAFKA, **AVRO}}, "messages of avro cannot be rehearsed, as their schemas are in"),
        ({"apply": {"consistency": "key"}}, "consistency=key publishes nothing that could be compared"),
        ({"source": {n: v for n, v in KAFKA.items() if n != "protocol"}}, "source has no protocol"),
        ({"apply": {"late": "never"}}, "late"),
    ],
)
def test_what_cannot_be_rehearsed_is_refused(more: dict[str, Any], says: str, tmp_path: Path) -> None:
    done = CliRunner().invoke(app, ["sync", "rehearse", _file(tmp_path, **more)])
    assert done.exit_code == 2
    assert says in done.output
    assert sorted(one.name for one in tmp_path.iterdir()) == ["theirs.yaml"]


def test_the_report_names_everything_that_was_found() -> None:
    found = Rehearsed(7, 80, "craft", ("shop.a",), "shop.tmp_a", ["spark.sql.catalog.x"], 90, {"t0": 2})
    version = {"resolved": START + 5, "tables": 1, "rows": 2, "parked": {}, "wrong": ["shop.a lacks 1"]}
    found.versions = [version]
    found.kills = [{"where": "table", "batch": 2, "published": 0, "pending": True, "unnamed": 4}]
    found.again, found.maintained = 3, {"times": 4, "finished": 3, "compacted": 9, "expired": 2, "removed": 1}
    found.unreached, found.parked, found.keys = 1, {"shop.a": "why"}, {"shop.a": 2}
    found.letters, found.damaged = [{"reason": "half a message"}], 1
    found.late, found.late_counted, found.wrong = ("shop.a", 3), {"shop.a": 9}, ["nobody was told"]
    text = "\n".join(lines_of(found))
    for part in (
        "seed 7",
        "not kept: shop.tmp_a",
        "left out, as they may name a place of yours: spark.sql.catalog.x",
        "+5: WRONG, 1 table, 2 rows\n        shop.a lacks 1",
        "between two tables: found manifests up to batch 3, nothing published, 4 staged files that no manifest names",
        "1 more kill asked for",
        "published versions: 1, each compared with the source at its TSO, and 3 times again after maintenance",
        "maintenance: 4 times, 3 of them to the end: 9 small files written into fewer, 2 versions expired, 1 file",
        "parked shop.a: why",
        "waits in shop.a: 2 keys",
        "messages that cannot be read: 1, of 1 that were sent damaged\n    1 time: half a message",
        "a row of shop.a came late, in batch 4",
        "WRONG: nobody was told",
        "tidewire sync rehearse FILE --seed 7 --events 80 shows it again",
    ):
        assert part in text
