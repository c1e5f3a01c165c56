"""Tables kept up to date from topics of a real broker: every published version equals the source at its TSO."""

from __future__ import annotations

import shutil
import time
from pathlib import Path
from typing import Any

import pytest
from confluent_kafka import KafkaException, TopicPartition
from confluent_kafka.admin import AdminClient
from kept_shop import Kept
from pyspark.sql import SparkSession
from real_registry import RealRegistry
from sync.dumpling import Dumped, write_dump
from sync.staged_histories import START as FIRST
from sync.staged_histories import account, change, messages
from sync.test_end_to_end import Case, has_ddl, seeds

from demo.broker import Broker, Record
from tidewire.events import Watermark
from tidewire.runtime.errors import OptionError
from tidewire.spark.sync import away
from tidewire.spark.sync.changelog import Manifest, Source, SourceError, StateError
from tidewire.spark.sync.dumped import found_dump
from tidewire.spark.sync.how_far import status
from tidewire.spark.sync.kafka import Brokers, options_of
from tidewire.spark.sync.publish import snapshot
from tidewire.spark.sync.rehearsal.encoded import Files
from tidewire.spark.sync.retained import Begin, begins_of
from tidewire.spark.sync.run import Sync, plan, sync
from tidewire.spark.sync.state import opened


@pytest.mark.parametrize(("format", "of_table"), [("parquet", True), ("iceberg", False)])
def test_every_published_version_is_the_source(
    spark: SparkSession, a_broker: Broker, tmp_path: Path, format: str, of_table: bool
) -> None:
    """With a silent partition, a restarted changefeed whose rows hop, and statements, before and behind replays."""
    kept = Kept(spark, a_broker, tmp_path, format, of_table=of_table)
    shop, feed = kept.shop, kept.feed
    shop.trade(60)
    feed.send()
    shop.trade(60)
    feed.send(silent=[1])
    found = kept.sync().once()
    first = feed.resolved
    assert 0 < found.published < first
    assert found.waiting is not None
    assert found.waiting[1] == 1
    shop.add_column("orders", "note", "varchar(20)", "none")
    shop.trade(60)
    feed.send()
    feed.restart(3)
    shop.rename_column("carts", "pieces", "number")
    shop.trade(60)
    feed.send()
    shop.truncate("carts")
    shop.trade(20)
    feed.send()
    found = kept.sync().once()
    kept.compare()
    assert found.published == max(kept.compared) == feed.resolved
    assert not found.parked
    assert found.late


def test_a_history_through_topics(spark: SparkSession, a_broker: Broker, tmp_path: Path) -> None:
    """Ties, swapped keys, replays below the resolved ts, hops, rare watermarks and statements of a seeded history."""
    (seed,) = seeds(1, lambda one: has_ddl(one) and len(one.partitions) == 2, 40)
    case = Case(spark, tmp_path, seed, "canal-json", "iceberg")
    topic = f"history-{seed}-"
    for name, each in case.history.partitions.items():
        a_broker.create(topic + name, len(each))
    settings = kafka(a_broker, subscribePattern=f"{topic}.*")
    given = {"schemaChanges": "lenient" if case.history.lenient else "evolve"}
    for number, batch in enumerate(case.history.batches):
        send(a_broker, topic, case.files, batch)
        if number % 2 or number + 1 == len(case.history.batches):
            sync(spark, settings, "canal-json", into=case.into, state=case.state, options=given).once()
    case.compare()
    assert max(case.compared) == case.last


def test_delta_through_a_topic(spark: SparkSession, a_broker: Broker, tmp_path: Path) -> None:
    kept = Kept(spark, a_broker, tmp_path, "delta")
    for _ in range(2):
        kept.shop.trade(20)
        kept.feed.send()
        kept.sync().once()
    kept.compare()
    assert max(kept.compared) == kept.feed.resolved


def test_a_table_is_made_anew_from_its_topic(
    spark: SparkSession, a_broker: Broker, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """All of it again, statements included, up to where the others are; what was published before is there still."""
    kept = Kept(spark, a_broker, tmp_path)
    shop, feed = kept.shop, kept.feed
    shop.trade(40)
    shop.add_column("orders", "note", "varchar(20)", "none")
    shop.trade(20)
    feed.send()
    wanted = {one.table for one in plan(spark, kept.source, into=kept.into, state=kept.state) if not one.waits}
    found = kept.sync().once()
    assert wanted >= set(found.tables)
    (orders,) = (name for name in found.tables if name.endswith(".orders"))
    before = feed.sent
    running = kept.sync()
    running.ask("reset", orders)
    shop.trade(20)
    feed.send()
    found = running.once()
    assert (found.published, found.notes, found.parked) == (feed.resolved, (), {})
    kept.compare()
    assert max(kept.compared) == feed.resolved
    # what a listener of the query sees
    assert running.query is not None
    seen = [one["observedMetrics"]["tidewire"] for one in running.query.recentProgress if one["numInputRows"]]
    assert sum(one["messages"] for one in seen) == feed.sent - before
    assert all(one["bytes"] > one["messages"] and one["newest"] for one in seen)
    # a topic that has lost its first messages says so, and the table stays
    gone = TopicPartition(kept.source["subscribe"], 0, 3)
    admin = AdminClient({"bootstrap.servers": a_broker.servers})
    for one in admin.delete_records([gone]).values():
        one.result(60)
    noted: list[str] = []
    running = kept.sync()
    monkeypatch.setattr(running._batches, "said", lambda batch: noted.extend(batch.manifest.notes))
    running.ask("reset", orders)
    shop.trade(20)
    feed.send()
    assert running.once().published == feed.resolved
    (note,) = noted
    assert "was read from offset 0 on, and the first that is there now has 3, so that rows would be missing" in note
    kept.compare()


def send(broker: Broker, topic: str, files: Files, batch: Any) -> None:
    """A batch of a history."""
    records: dict[str, list[Record]] = {}
    for (name, partition), key, value in files.messages(batch):
        records.setdefault(name, []).append(Record(partition, key, value))
    for name, each in records.items():
        broker.send(topic + name, each)


def test_a_stream_goes_on_when_the_broker_is_back(spark: SparkSession, a_broker: Broker, tmp_path: Path) -> None:
    kept = Kept(spark, a_broker, tmp_path)
    running = kept.sync().start("0 seconds")
    for _ in range(3):
        kept.shop.trade(20)
        kept.feed.send()
        while running.status().published < kept.feed.resolved:
            assert not running.wait(1)
        a_broker.restart()
    running.stop()
    kept.compare()
    assert max(kept.compared) == kept.feed.resolved


def kafka(broker: Broker, **more: str) -> dict[str, str]:
    return {"kafka.bootstrap.servers": broker.servers, **more}


@pytest.mark.parametrize(
    ("more", "says"),
    [
        ({"subscribe": "some-topik"}, r"there is no topic 'some-topik' at '127.*': did you mean some-topic\?$"),
        ({"subscribe": "other"}, r"there is no topic 'other' at '127.*': it has .*; or this user may not read it$"),
        ({"subscribePattern": "other.*"}, r"no topic matches 'other\.\*': '127.*' has .*; or this user may not read"),
        (
            {"subscribe": "x", "kafka.bootstrap.servers": "127.0.0.1:1"},
            r"no broker of Kafka at '127.0.0.1:1': none has answered for 1 seconds. Check kafka.bootstrap.servers, and",
        ),
        ({"subscribe": "x", "kafka.bootstrap.servers": "nobody"}, r"Invalid url in bootstrap.servers: nobody"),
        (
            {"subscribe": "x", "kafka.security.protocol": "SASL_PLAINTEXT", "kafka.sasl.mechanism": "PLAIN",
             "kafka.sasl.jaas.config": "org.apache.kafka.common.security.plain.PlainLoginModule required "
             'username="me" password="hidden";'},
            r"no broker of Kafka at '127.*': \w+: Unexpected handshake request with client mechanism PLAIN",
        ),
        ({"subscribe": "x", "kafka.security.protocol": "SASL_PLAINTEXT", "kafka.sasl.jaas.config": "hidden"},
         r"Kafka cannot be asked: \w+: Login module control flag not specified"),
    ],
)  # fmt: skip
def test_what_is_wrong_with_topics_is_one_sentence(
    spark: SparkSession, a_broker: Broker, tmp_path: Path, more: dict[str, str], says: str, monkeypatch: Any
) -> None:
    if "for 1 seconds" in says:  # nobody answers there; a broker on a busy machine may take longer
        monkeypatch.setattr("tidewire.spark.sync.kafka.SECONDS", 1)
    if "some-topik" in more.values():
        a_broker.create("some-topic")
    state = tmp_path / "state"
    read = kafka(a_broker, **more)
    given: dict[str, Any] = {"into": f"parquet:{tmp_path}/{{schema}}/{{table}}", "state": str(state)}
    with pytest.raises(SourceError, match=says) as caught:
        sync(spark, read, "craft", **given)
    assert "\n" not in str(caught.value)
    assert "hidden" not in str(caught.value)
    assert not state.exists()
    # where there is a state, the stream asks
    opened(str(state), Source(options_of(read)[1], "craft"), given["into"])
    of = sync(spark, read, "craft", **given)
    for run in (of.once, of.start):
        with pytest.raises(SourceError, match=says):
            run()
    assert status(of.state).batches == 0


@pytest.mark.parametrize("more", [{"subscribePattern": "*"}, {"assign": "t"}])
def test_topics_that_cannot_be_read_are_refused(
    spark: SparkSession, a_broker: Broker, tmp_path: Path, more: dict[str, str]
) -> None:
    with pytest.raises(OptionError, match=f"^{next(iter(more))} is "):
        sync(spark, kafka(a_broker, **more), "craft", into=f"parquet:{tmp_path}/{{schema}}/{{table}}",
             state=str(tmp_path / "state"))  # fmt: skip


def test_a_topic_that_is_gone_ends_the_stream_with_a_sentence(
    spark: SparkSession, a_broker: Broker, tmp_path: Path
) -> None:
    kept = Kept(spark, a_broker, tmp_path)
    kept.feed.send()
    running = kept.sync().start("0 seconds")
    while not running.status().published:
        assert not running.wait(1)
    a_broker.delete(kept.feed.topic)
    gone = rf"^the stream has ended: there is no topic '{kept.feed.topic}' at '127\.0\.0\.1:\d+': "
    with pytest.raises(SourceError, match=gone) as caught:
        running.wait()  # Kafka's client may ask for the offsets of a topic that is gone for a minute
    assert "\n" not in str(caught.value)
    kept.compare()


class OneTopic:
    """A topic of one partition with accounts."""

    def __init__(self, broker: Broker, name: str) -> None:
        self.broker = broker
        self.name = name
        broker.create(name)

    def send(self, count: int, begin: int, mark: int) -> None:
        """Inserts at commit timestamps from `begin` on, and a watermark."""
        rows = [change("insert", begin + at, "accounts", account(begin + at)) for at in range(count)]
        keys, values = messages([*rows, Watermark(FIRST + mark)], "canal-json")
        self.broker.send(self.name, [Record(0, key, value) for key, value in zip(keys, values, strict=True)])

    def kept(self, spark: SparkSession, tmp: Path) -> Sync:
        source, into = kafka(self.broker, subscribe=self.name), f"parquet:{tmp}/{{schema}}/{{table}}"
        return sync(spark, source, "canal-json", into=into, state=str(tmp / "state"))

    def make_again(self) -> None:
        """Deletes it, and creates it as soon as the broker has removed it."""
        self.broker.delete(self.name)
        for _ in range(600):
            try:
                self.broker.create(self.name)
            except KafkaException:
                time.sleep(0.1)
            else:
                return
        raise AssertionError(f"topic {self.name} is still there")


def test_a_table_is_made_anew_from_a_dump_while_the_topic_has_what_came_later(
    spark: SparkSession, a_broker: Broker, tmp_path: Path
) -> None:
    """Only messages since then are read: here all, as the clock of these TSOs is far behind the broker's."""
    topic = OneTopic(a_broker, "dumped-again")
    topic.send(3, 1, 10)
    topic.send(2, 21, 30)
    assert topic.kept(spark, tmp_path).once().published == FIRST + 30
    row = [b"50", b"dumped", b"1.00", b"2024-02-29 10:00:00", b""]
    columns = {"id": "bigint", "owner": "varchar", "balance": "decimal", "opened": "datetime", "data": "blob"}
    sql = (
        "CREATE TABLE `accounts` (`id` bigint NOT NULL, `owner` varchar(20), `balance` decimal(12,2),"
        " `opened` datetime, `data` blob, PRIMARY KEY (`id`))"
    )
    place = write_dump(tmp_path / "dump", FIRST + 20, {"shop.accounts": Dumped(sql, columns, [row])})
    running = topic.kept(spark, tmp_path)
    running.ask("reset", "shop.accounts", found_dump(str(place)))
    topic.send(1, 31, 40)
    found = running.once()
    assert (found.published, found.notes, found.parked) == (FIRST + 40, (), {})
    there = snapshot(spark, running.state)["shop.accounts"].collect()
    assert {one.id for one in there} == {21, 22, 31, 50}
    brokers = Brokers(spark, options_of(kafka(a_broker, subscribe=topic.name))[0])
    offsets = {topic.name: {0: 9}}
    before, behind = 1_000_000_000_000, 4_000_000_000_000  # the messages were sent between 2001 and 2096
    for since, start, begin in ((behind, 9, Begin(0, True)), (before, 0, Begin(0, False))):
        assert begins_of(brokers, offsets, since) == ({topic.name: {0: start}}, {topic.name: {0: begin}})
    gone = TopicPartition(topic.name, 0, 4)
    admin = AdminClient({"bootstrap.servers": a_broker.servers})
    for one in admin.delete_records([gone]).values():
        one.result(60)
    assert begins_of(brokers, offsets, before) == ({topic.name: {0: 4}}, {topic.name: {0: Begin(4, False)}})
    brokers.close()


@pytest.mark.parametrize("longer", [True, False])
def test_a_topic_that_was_made_again_is_refused(
    spark: SparkSession, a_broker: Broker, tmp_path: Path, longer: bool
) -> None:
    """Also one that is longer than what was read: by its offsets nothing is missing."""
    topic = OneTopic(a_broker, f"made-again-{longer}")
    topic.send(3, 1, 10)
    for _ in range(2):
        assert topic.kept(spark, tmp_path).once().published == FIRST + 10
    topic.make_again()
    topic.send(6 if longer else 1, 12, 40)
    for _ in range(2):
        with pytest.raises(StateError, match=rf"^topic {topic.name} was deleted and created again since it was read"):
            topic.kept(spark, tmp_path).once()
    state = str(tmp_path / "state")
    assert (status(state).published, snapshot(spark, state)["shop.accounts"].count()) == (FIRST + 10, 3)
    if longer:
        return
    # a state that was begun before ids were kept
    shutil.rmtree(tmp_path / "state" / "topics")
    lost = r"not there any more \(Partition made-again-False-0 offset was changed from 4 to 2\): the topic's retention"
    with pytest.raises(SourceError, match=rf"{lost} removed them, or it was deleted and created again\. Have all rows"):
        topic.kept(spark, tmp_path).once()


def test_a_topic_that_is_made_again_while_it_is_read_is_refused(
    spark: SparkSession, a_broker: Broker, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """After its id was asked for at the start: by its offsets nothing is missing."""
    topic = OneTopic(a_broker, "again-meanwhile")
    kept = topic.kept(spark, tmp_path)
    topic.send(3, 1, 10)
    assert kept.once().published == FIRST + 10
    was = kept._batches.asked

    def asked() -> Manifest:
        monkeypatch.undo()
        topic.make_again()
        topic.send(6, 12, 40)
        return was()

    monkeypatch.setattr(kept._batches, "asked", asked)
    with pytest.raises(StateError, match=r"^topic again-meanwhile was deleted and created again since it was read"):
        kept.once()
    assert (status(kept.state).published, snapshot(spark, kept.state)["shop.accounts"].count()) == (FIRST + 10, 3)


def test_a_registry_that_is_away_is_waited_for(
    spark: SparkSession,
    a_broker: Broker,
    a_registry: RealRegistry,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Where messages are staged, and where those that were kept are decoded to be applied."""
    encoded = {"enable_tidb_extension": True, "avro_enable_watermark": True, "producer": "ticdc"}
    encoded["schema_registry"] = a_registry.url
    kept = Kept(spark, a_broker, tmp_path, partitions=1, protocol="avro", encoded=encoded)
    given = {"producer": "ticdc", "few": 1000}
    monkeypatch.setattr(away, "WAIT_SECONDS", 0)
    kept.shop.trade(60)
    for watermark in (False, True):
        kept.feed.send(watermark)
        with pytest.raises(SourceError, match=r"cannot be had \(http://127.0.0.1:1\): no answer") as caught:
            kept.sync(**given, **{"schema-registry": "http://127.0.0.1:1"}).once()
        assert "\n" not in str(caught.value)
        found = kept.sync(**given, **{"schema-registry": a_registry.url}).once()
        assert (found.published > 0, found.dead, found.parked) == (watermark, 0, {})
    kept.compare()
    assert max(kept.compared) == kept.feed.resolved


def test_rows_that_have_no_commit_ts_are_refused(
    spark: SparkSession, a_broker: Broker, a_registry: RealRegistry, tmp_path: Path
) -> None:
    """Classic TiCDC's Avro says of a deleted row only which one it was."""
    encoded = {"enable_tidb_extension": True, "avro_enable_watermark": True, "schema_registry": a_registry.url}
    kept = Kept(spark, a_broker, tmp_path, protocol="avro", encoded=encoded)
    kept.shop.trade(40)
    kept.feed.send()
    with pytest.raises(StateError, match=r"^messages of this avro topic have no commit ts, as that at offset \d+ of"):
        kept.sync(**{"schema-registry": a_registry.url}).once()
    assert status(kept.state).batches == 0
