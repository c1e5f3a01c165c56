"""A Kafka broker on this machine: one node in KRaft mode, on ports that are free, with its topics in a folder."""

from __future__ import annotations

import os
import socket
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from demo.service import Service, free_ports
from tidewire.spark import java
from tidewire.spark.sync.jars import cache, once, retrieve

if TYPE_CHECKING:
    from confluent_kafka.admin import AdminClient

VERSION = "4.3.1"
SIZE = "44 MB"
_MAIN = f"kafka_2.13-{VERSION}.jar"
_WANTED = f"""\
<ivy-module version="2.0">
  <info organisation="tidewire" module="broker"/>
  <dependencies>
    <dependency org="org.apache.kafka" name="kafka_2.13" rev="{VERSION}" conf="default->runtime,master"/>
    <dependency org="org.apache.kafka" name="kafka-tools" rev="{VERSION}" conf="default->master"/>
    <dependency org="org.apache.logging.log4j" name="log4j-slf4j-impl" rev="2.25.4" conf="default->master"/>
  </dependencies>
</ivy-module>
"""
_CLUSTER = "tidewire-broker-000000"
_SETTINGS = """\
process.roles=broker,controller
node.id=1
listeners=PLAINTEXT://127.0.0.1:{port},CONTROLLER://127.0.0.1:{controller}
controller.listener.names=CONTROLLER
controller.quorum.voters=1@127.0.0.1:{controller}
log.dirs={topics}
offsets.topic.num.partitions=1
offsets.topic.replication.factor=1
share.coordinator.state.topic.num.partitions=1
share.coordinator.state.topic.replication.factor=1
transaction.state.log.num.partitions=1
transaction.state.log.replication.factor=1
transaction.state.log.min.isr=1
share.coordinator.state.topic.min.isr=1
group.initial.rebalance.delay.ms=0
auto.create.topics.enable=false
num.network.threads=2
num.io.threads=2
background.threads=2
log.cleaner.dedupe.buffer.size=4000000
"""
_FORMATTED = f"version=1\ncluster.id={_CLUSTER}\nnode.id=1\n"
_LOGGING = """\
rootLogger.level=warn
rootLogger.appenderRef.out.ref=out
appender.out.type=Console
appender.out.name=out
appender.out.layout.type=PatternLayout
appender.out.layout.pattern=%d %p %m (%c)%n
"""
_JVM = ("-Xmx256m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-Xshare:auto")


class Record(NamedTuple):
    """A message that is sent; without a value it is a tombstone."""

    partition: int
    key: bytes | None
    value: bytes | None
    headers: Sequence[tuple[str, bytes | None]] = ()


class Broker(Service):
    """A broker that can be stopped and started again: its topics stay."""

    title = f"Kafka {VERSION}"

    def __init__(self, folder: Path, jars: Sequence[Path], java: str) -> None:
        """Nothing is started yet.

        Args:
            folder: for its topics, its settings and its log; is made.
            jars: its own.
            java: an executable, of Java 17 or newer.
        """
        folder.mkdir(parents=True, exist_ok=True)
        super().__init__(folder / "broker.log")
        self.jars = list(jars)
        self.java = java
        self.port, controller = free_ports(2)
        self._settings = folder / "server.properties"
        self._logging = folder / "log4j2.properties"
        topics = folder / "topics"
        topics.mkdir(exist_ok=True)
        # what kafka-storage format writes, without a JVM of its own
        (topics / "meta.properties").write_text(_FORMATTED)
        self._settings.write_text(_SETTINGS.format(port=self.port, controller=controller, topics=topics))
        self._logging.write_text(_LOGGING)

    @property
    def servers(self) -> str:
        """What clients are told as bootstrap.servers."""
        return f"127.0.0.1:{self.port}"

    def command(self) -> list[str]:
        """What is run."""
        return [*self.run("kafka.Kafka"), str(self._settings)]

    def run(self, program: str) -> list[str]:
        """The command that runs a program of Kafka's, such as its console consumer."""
        path = os.pathsep.join(map(str, self.jars))
        given = [f"-Dlog4j2.configurationFile={self._logging}", f"-Djava.io.tmpdir={self.log.parent}"]
        return [self.java, *_JVM, *given, "-cp", path, program]

    def answers(self) -> bool:
        """Whether it takes connections, and says which topics there are."""
        try:
            socket.create_connection(("127.0.0.1", self.port), 1).close()
        except OSError:
            return False
        from confluent_kafka import KafkaException

        try:
            return bool(self._admin().list_topics(timeout=5).brokers)
        except KafkaException:
            return False

    def create(self, topic: str, partitions: int = 1, **settings: Any) -> None:
        """Makes a topic."""
        from confluent_kafka.cimpl import NewTopic

        config = {name.replace("_", "."): str(value) for name, value in settings.items()}
        admin = self._admin()  # the answer comes as long as it is there
        for made in admin.create_topics([NewTopic(topic, partitions, 1, config=config)]).values():
            made.result(60)

    def delete(self, topic: str) -> None:
        """Removes a topic."""
        admin = self._admin()
        for gone in admin.delete_topics([topic]).values():
            gone.result(60)

    def send(self, topic: str, records: Iterable[Record]) -> None:
        """Sends messages, and waits until they are there.

        Raises:
            ConnectionError: some were not taken.
        """
        from confluent_kafka import Producer

        settings = {"linger.ms": 5, "queue.buffering.max.messages": 1_000_000, "message.max.bytes": 10_000_000}
        producer = Producer({**self._client(), **settings})
        failed: list[str] = []

        def told(error: Any, message: Any) -> None:
            if error is not None:
                failed.append(str(error))

        for partition, key, value, headers in records:
            while True:
                try:
                    producer.produce(topic, value, key, partition, headers=list(headers), on_delivery=told)
                    break
                except BufferError:
                    producer.poll(0.1)
            producer.poll(0)
        left = producer.flush(60)
        if failed or left:
            reason = failed[0] if failed else "the broker does not answer"
            raise ConnectionError(f"{len(failed) + left} of the messages were not taken: {reason}")

    def _admin(self) -> AdminClient:
        from confluent_kafka.admin import AdminClient

        return AdminClient(self._client())

    def _client(self) -> dict[str, Any]:
        return {"bootstrap.servers": self.servers, "log_level": 0}


def jars(say: Callable[[str], None]) -> list[Path]:
    """The broker's jars, fetched if the cache does not have them. Never written to.

    Args:
        say: takes a line of progress.

    Raises:
        JarError, JavaError: they cannot be fetched.
    """
    place = cache() / f"kafka-{VERSION}"

    def make(folder: Path) -> None:
        say(f"fetching {Broker.title} ({SIZE}) from Maven Central, once, into {cache()}")
        retrieve(f"{Broker.title} ({SIZE})", folder, _WANTED, [_MAIN], java.find().executable)
        (folder / "retrieved").rename(place)

    once(place.name, place.exists, make)
    return sorted(place.glob("*.jar"))


def broker(folder: Path, say: Callable[[str], None]) -> Broker:
    """A broker that is not started yet.

    Args:
        folder: for what it keeps.
        say: takes a line of progress, when something has to be fetched.

    Raises:
        JarError, JavaError: the program, or a Java that runs it, is not there and cannot be fetched.
    """
    return Broker(folder, jars(say), java.find().executable)
