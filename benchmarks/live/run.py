"""Measures everything of `python -m benchmarks --sync` in one run: ways take turns, CPU is that of all processes."""

from __future__ import annotations

import json
import os
import statistics
import tempfile
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any
from unittest.mock import patch

from benchmarks.live import report, ways
from benchmarks.live.cost import Cost, Meter
from benchmarks.live.workload import PARTITIONS, Spread, Workload
from demo.broker import Broker, broker
from tidewire.spark.sync.native.engine import NativeEngine, ToMerge
from tidewire.spark.sync.native.work import Left, Merged
from tidewire.spark.sync.staged_files import full
from tidewire.spark.sync.targets.confs import set_for

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from tidewire.spark.sync.batches import BatchDone

ROOT = Path(__file__).resolve().parents[2]
RESULTS = ROOT / "benchmarks" / "results" / "live.json"
PAGE = ROOT / "docs" / "live-tables-speed.md"
EVENTS = 100_000
STAGED = {3: EVENTS // 2, 20: EVENTS // 2, 1000: EVENTS // 2}
"""By number of tables how many events are staged as one micro-batch."""
MERGED = {3: EVENTS // 2, 20: EVENTS}
"""By number of tables the most messages of a micro-batch."""
ENGINES = (1, 3, 20)
"""Of how many tables workers and MERGE are compared."""
WARM = 8_000
"""Messages of a micro-batch of one table."""
LARGE = 5_000_000
"""Rows of a large table."""
FIRST_ROWS = 8
"""Of these so many are there before others write the rest."""
ROUNDS = 2


class Bench:
    """Topics, a session, and what was measured in it."""

    def __init__(self, folder: Path, say: Callable[[str], None], quick: bool) -> None:
        self.folder = folder
        self.say = say
        self.events = EVENTS // 10 if quick else EVENTS
        self.quick = quick
        self.rounds = 1 if quick else ROUNDS
        self.broker: Broker = broker(folder / "kafka", say)
        self.works: dict[str, Workload] = {}
        self.messages: dict[str, int] = {}
        self.wrong: list[str] = []
        self.meter = Meter(lambda: self.broker.pid)
        self._numbers = iter(range(10_000))

    def topic(self, events: int, tables: int) -> str:
        """A topic with so many events of so many tables."""
        name = f"t{tables}-{events}"
        if name not in self.works:
            self.say(f"writing {events:,} events of {tables:,} tables")
            work = self.works[name] = Workload(events, tables)
            self.broker.create(name, PARTITIONS)
            records = list(work.records())
            self.messages[name] = len(records)
            self.broker.send(name, records)
        return name

    def source(self, topic: str, most: int | None = None) -> dict[str, str]:
        """What Spark's Kafka source is told."""
        found = {"kafka.bootstrap.servers": self.broker.servers, "subscribe": topic, "startingOffsets": "earliest"}
        return found if most is None else {**found, "maxOffsetsPerTrigger": str(most)}

    def session(self) -> SparkSession:
        """Two cores, a JIT as in production."""
        from tidewire.spark import local_session
        from tidewire.spark.sync import jars

        path = [str(ROOT), os.environ.get("PYTHONPATH", "")]
        os.environ["PYTHONPATH"] = os.pathsep.join(filter(None, path))
        conf = {
            **jars.settings(["kafka", "iceberg", "delta"], self.say),
            **jars.iceberg_catalog("lake", str(self.folder / "lake")),
            "spark.sql.shuffle.partitions": "2",
            "spark.local.dir": str(self.folder / "local"),
        }
        return local_session("tidewire benchmarks", 2, "2g", conf)

    def staging(self, spark: SparkSession, tables: int) -> dict[str, Any]:
        """Staging beside decoding alone."""
        topic = self.topic(self.events // 2, tables)
        costs: dict[str, list[Cost]] = {"decode": [], "stage": []}
        sent = 0
        for turn in range(self.rounds + 1):
            for way, found in costs.items():
                with self.meter.measured() as cost:
                    if way == "decode":
                        ways.decode(spark, self.source(topic))
                    else:
                        sent = ways.staged(spark, self.source(topic), str(self.folder / "staged"))
                if turn:  # the first is for the JVM's compiler
                    found.append(cost)
            self.say(f"staging {tables:,} tables, turn {turn}")
        return {"tables": tables, "messages": sent, **self._each(costs, sent)}

    def merging(self, spark: SparkSession, tables: int, most: int) -> dict[str, Any]:
        """`sync` into Iceberg beside what people write."""
        topic = self.topic(self.events, tables)
        work = self.works[topic]
        costs: dict[str, list[Cost]] = {"sync": [], "by hand": []}
        sent = 0

        def said(batch: BatchDone) -> None:
            nonlocal sent
            sent += batch.manifest.messages

        for turn in range(self.rounds + (tables == min(MERGED))):
            for way, found in costs.items():
                space = f"m{next(self._numbers)}"
                source = self.source(topic, min(most, self.events // 2 if tables == 3 else self.events))
                sent = sent if way == "by hand" else 0
                with self.meter.measured() as cost:
                    if way == "sync":
                        ways.synced(spark, source, _iceberg(space), f"{self.folder}/{space}", said)
                    else:
                        ways.make_tables(spark, work.names, space)
                        ways.by_hand(spark, source, work.names, space, f"{self.folder}/{space}")
                if turn or tables != min(MERGED):
                    found.append(cost)
                self._check(spark, work, f"lake.{space}_shop" if way == "sync" else f"lake.{space}", way)
                self.say(f"{way}, {tables} tables, turn {turn}: {cost.cpu / sent * 1e6:.0f} µs, load {cost.load}")
        return {"tables": tables, "messages": sent, "batch": most, **self._each(costs, sent)}

    def engines(self, spark: SparkSession, tables: int) -> list[dict[str, Any]]:
        """Workers beside MERGE, for each format."""
        topic = self.topic(self.events, tables)
        costs: dict[str, dict[str, list[Cost]]] = {one: {"native": [], "merge": []} for one in ("iceberg", "delta")}
        sent = 0

        def said(batch: BatchDone) -> None:
            nonlocal sent
            sent += batch.manifest.messages

        for turn in range(self.rounds + (tables == min(ENGINES))):
            for format, engine in [(one, engine) for one, each in costs.items() for engine in each]:
                sent = 0
                into, where, state = self._place(format)
                most = self.messages[topic] // (1 if tables == max(ENGINES) else 2) + PARTITIONS
                source = self.source(topic, most)  # as many in each micro-batch
                with self.meter.measured() as cost:
                    ways.synced(spark, source, into, state, said, engine)
                if turn or tables != min(ENGINES):  # the first is for the JVM's compiler
                    costs[format][engine].append(cost)
                self._check(spark, self.works[topic], where, f"{format} {engine}")
                self.say(f"{format} {engine}, {tables} tables: {cost.cpu / sent * 1e6:.0f} µs, load {cost.load}")
        return [
            {"format": format, "tables": tables, "messages": sent, **self._each(each, sent)}
            for format, each in costs.items()
        ]

    def warm(self, spark: SparkSession, format: str) -> dict[str, Any]:
        """Micro-batches of 8,000 messages into one table that has rows."""
        topic = self.topic(WARM * 6, 1)
        each: list[tuple[float, float]] = []
        began = self.meter.cpu(), time.perf_counter()

        def said(batch: BatchDone) -> None:
            nonlocal began
            now = self.meter.cpu(), time.perf_counter()
            each.append((now[0] - began[0], now[1] - began[1]))
            began = now

        into, where, state = self._place(format)
        made = ways.synced(spark, self.source(topic, WARM), into, state, said)
        self._check(spark, self.works[topic], where, f"{format} warm")
        assert made.query is not None
        progress = [one["durationMs"] for one in made.query.recentProgress if one["numInputRows"]]
        own = [one["triggerExecution"] - one["addBatch"] for one in progress]
        return {
            "format": format,
            "messages": WARM,
            "cpu_s": [round(cpu, 2) for cpu, _ in each[1:-1]],
            "cpu_s_median": round(statistics.median(cpu for cpu, _ in each[1:-1]), 2),
            "wall_s_best": round(min(wall for _, wall in each[1:-1]), 2),
            "spark_own_s_median": round(statistics.median(own) / 1000, 3),
            "load": round(os.getloadavg()[0], 1),
        }

    def large(self, spark: SparkSession) -> dict[str, Any]:
        """Micro-batches of 8,000 changes all over a large table of Iceberg, by workers."""
        work = Spread(LARGE // (25 if self.quick else 1))
        topic = "large"
        self.broker.create(topic, PARTITIONS)
        into, where, state = self._place("iceberg")
        each: list[tuple[float, float]] = []
        merge = NativeEngine.merge

        def measured(engine: NativeEngine, steps: Mapping[str, ToMerge]) -> dict[str, Merged | Left]:
            staged = sum(os.path.getsize(full(state, file.path)) for step in steps.values() for file in step.files)
            before = self.meter.cpu()
            found = merge(engine, steps)
            cpu = self.meter.cpu() - before
            each.append((cpu, ways.added(spark, f"{where}.{work.names[0]}") / staged))
            return found

        def run(keys: Iterable[int], kind: str = "update") -> None:
            self.broker.send(topic, work.batch(keys, kind))
            ways.synced(spark, self.source(topic), into, state, engine="native")

        run(range(FIRST_ROWS), "insert")
        ways.fill(spark, f"{where}.{work.names[0]}", FIRST_ROWS, work.rows)
        with patch.object(NativeEngine, "merge", measured):
            for _ in range(self.rounds + 1):  # the first is for the JVM's compiler
                run(work.keys(WARM))
        for name, wanted in work.figures().items():
            every = spark.table(f"{where}.{name}")
            found = ways.figures(every.where(f"seq <> {ways.FILLED}"))
            if (found, every.count()) != (wanted, work.rows):
                self.wrong.append(f"large: {where}.{name} is {found}, not {wanted}")
        return {
            "rows": work.rows,
            "messages": WARM,
            "merge_cpu_s": round(min(cpu for cpu, _ in each[1:]), 2),
            "written_ratio": round(max(ratio for _, ratio in each[1:]), 2),
            "load": round(os.getloadavg()[0], 1),
        }

    def run(self, parts: Sequence[str] = ()) -> dict[str, Any]:
        """These parts, or everything."""
        self.broker.start()
        spark = None
        try:
            made = spark = self.session()
            every: dict[str, Callable[[], Any]] = {
                "staging": lambda: [self.staging(made, tables) for tables in STAGED],
                "merging": lambda: [self.merging(made, tables, most) for tables, most in MERGED.items()],
                "engines": lambda: [one for tables in ENGINES for one in self.engines(made, tables)],
                "warm": lambda: [self.warm(made, format) for format in ("iceberg", "delta")],
                "large": lambda: [self.large(made)],
            }
            found = {name: every[name]() for name in parts or every}
            of = {"memory_mb": self.meter.memory(), "rounds": self.rounds, "load": round(os.getloadavg()[0], 1)}
            return {**found, **of, "wrong": self.wrong}
        finally:
            if spark is not None:
                spark.stop()
            self.broker.stop()
            self.meter.stop()

    def _place(self, format: str) -> tuple[str, str, str]:
        """A target of a format that nobody has used, where its tables are, and a state."""
        space = f"e{next(self._numbers)}"
        place = f"{self.folder}/{space}"
        if format == "iceberg":
            return _iceberg(space), f"lake.{space}_shop", f"{place}-state"
        return f"delta:{place}/{{schema}}/{{table}}", f"{place}/shop", f"{place}-state"

    def _check(self, spark: SparkSession, work: Workload, space: str, way: str) -> None:
        with set_for(spark, {"spark.databricks.delta.snapshotPartitions": "1"}):
            for name, wanted in work.figures().items():
                delta = "/" in space
                found = ways.figures(
                    spark.read.format("delta").load(f"{space}/{name}") if delta else spark.table(f"{space}.{name}")
                )
                if found != wanted:
                    self.wrong.append(f"{way}: {space}.{name} is {found}, not {wanted}")

    def _each(self, costs: dict[str, list[Cost]], sent: int) -> dict[str, Any]:
        found: dict[str, Any] = {}
        for way, each in costs.items():
            best = min(each, key=lambda one: one.cpu)
            found[way] = {
                "cpu_us": round(best.cpu / sent * 1e6, 1),
                "cpu_us_median": round(statistics.median(one.cpu for one in each) / sent * 1e6, 1),
                "messages_a_second": round(sent / min(one.wall for one in each)),
                "load": best.load,
            }
        first, second = (found[way]["cpu_us"] for way in costs)
        found["ratio"] = round(second / first if "stage" in costs else first / second, 2)
        return found


def _iceberg(space: str) -> str:
    return f"iceberg:lake.{space}_{{schema}}.{{table}}"


def main(quick: bool, figures: Path | None, say: Callable[[str], None], parts: Sequence[str] = ()) -> dict[str, Any]:
    """Measures, and writes the figures: those of a whole run into the page, too."""
    from benchmarks.__main__ import machine

    path = figures or (ROOT / "build" / "bench" / "live.json" if quick or parts else RESULTS)
    about = {"quick": quick, "machine": machine()}
    with tempfile.TemporaryDirectory(prefix="tidewire-live-") as folder:
        found = {**about, **Bench(Path(folder), say, quick).run(parts)}
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(found, indent=1) + "\n")
    say(f"figures: {path}")
    if path == RESULTS:
        PAGE.write_text(report.replaced(PAGE.read_text(encoding="utf-8"), found), encoding="utf-8")
        say(f"table: {PAGE}")
    return found
