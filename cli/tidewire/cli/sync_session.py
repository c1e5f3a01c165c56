"""Creates the Spark session of `tidewire sync`, and reads its source."""

from __future__ import annotations

import binascii
import gzip
import json
import os
import re
import sys
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from functools import partial
from typing import TYPE_CHECKING, Any

from tidewire.cli.shell import CommandError, complain, console
from tidewire.cli.sync_values import SyncFile
from tidewire.runtime.shortened import shortened

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

_STACK_TRACES = (
    "org.apache.spark.sql.execution.streaming.runtime.MicroBatchExecution",
    "org.apache.spark.executor.Executor",
    "org.apache.spark.scheduler.TaskSetManager",
    "org.apache.spark.sql.delta",
    "org.apache.spark.sql.execution.datasources",
    "org.apache.spark.util.Utils",
    "org.apache.iceberg",
    "org.apache.kafka.clients.NetworkClient",
)
"""Loggers of Spark, Iceberg and Kafka that print errors which are also raised."""
_OF_START = re.compile(
    rb"WARNING: |Using Spark's default log4j profile|Setting (default|Spark) log level to|To adjust logging level use"
    rb"|Picked up |\d\d/\d\d/\d\d \d\d:\d\d:\d\d WARN "
)
"""Messages that Java and Spark print at every start and that users can ignore."""
_OF_VACUUM = re.compile(rb"Found \d+ files.* that are safe to delete|Deleted \d+ files and directories in a total of ")
"""Messages that Delta prints although its results have them."""
_BEGUN = b"\0\n"
"""Marks the end of the output of session start."""
_LEVEL = "spark.log.level"
_LOOKED_AT = 20
"""Number of lines of a file, of which one has to be a message."""
_LONGEST = 1 << 28
"""Maximum bytes of a line."""
_MOST_BYTES = 1 << 24
"""Maximum bytes of the lines used for detecting the protocol, not counting the last one."""
_CAPTURE = "key BINARY, value BINARY, topic STRING, partition INT, offset BIGINT, timestamp TIMESTAMP"


def session(of: SyncFile, make: bool = True, verbose: bool = False) -> SparkSession:
    """The running session, or a new local one; under spark-submit, its master and jars are used.

    Args:
        of: the synchronisation file.
        make: whether to create a missing catalog in a folder.
        verbose: whether to show everything that Java and Spark print at start.
    """
    from tidewire.spark import local_session
    from tidewire.spark.sync import jars
    from tidewire.spark.sync.s3 import is_s3

    conf = dict(of.conf)
    format, _, names = of.into.partition(":")
    kinds = [*(["kafka"] if of.source else []), *([format] if format != "parquet" else [])]
    places = (names, of.state, of.files or "", of.warehouse or "", *conf.values())
    if any(is_s3(one) or one.endswith(".S3FileIO") for one in places):
        kinds.append("s3")
    if "spark.jars" not in conf:
        conf = {**jars.settings(kinds, complain), **conf} if kinds else conf
    if format == "iceberg" and (of.warehouse is not None or of.catalog is not None):
        conf = {**jars.iceberg_catalog(names.split(".", 1)[0], of.warehouse, make, of.catalog), **conf}
    with _quiet(verbose or _LEVEL in conf or "PYSPARK_GATEWAY_PORT" in os.environ), _java_to_stderr():
        spark = local_session("tidewire sync", conf=conf)
    jvm: Any = spark._jvm
    # the end of a query is reported in a sentence, without an additional stack trace
    for name in _STACK_TRACES:
        jvm.org.apache.logging.log4j.core.config.Configurator.setLevel(name, jvm.org.apache.logging.log4j.Level.OFF)
    return spark


@contextmanager
def _quiet(verbose: bool) -> Iterator[None]:
    """Suppresses the usual start messages of Java and Spark in the block; their other output is shown, also later."""
    if verbose:
        yield
        return
    ours = os.dup(2)
    out, into = os.pipe()

    def forward() -> None:
        starts = True
        with os.fdopen(out, "rb") as lines:
            for line in lines:
                if line == _BEGUN:
                    starts = False
                elif not (starts and _OF_START.match(line)) and not _OF_VACUUM.match(line):
                    os.write(ours, line)

    threading.Thread(target=forward, daemon=True, name="what Spark prints").start()
    said = sys.stderr
    with open(os.dup(ours), "w", buffering=1, encoding="utf-8", errors="backslashreplace") as own:
        if _is_own(said):
            sys.stderr = own
        os.dup2(into, 2)  # for Java, which keeps this descriptor
        try:
            yield
        finally:
            os.dup2(ours, 2)
            sys.stderr = said
            os.write(into, _BEGUN)
            os.close(into)


@contextmanager
def _java_to_stderr() -> Iterator[None]:
    """Has a Java that starts in the block print to standard error, as standard output has the results of commands."""
    ours = os.dup(1)
    os.dup2(2, 1)
    try:
        yield
    finally:
        os.dup2(ours, 1)
        os.close(ours)


def _is_own(stream: Any) -> bool:
    """Whether a stream writes to the standard error of this process."""
    try:
        return bool(stream.fileno() == 2)
    except (AttributeError, OSError):
        return False


def messages(of: SyncFile, whole: bool = False) -> Any:
    """The source as `sync` takes it; with `whole`, messages in files are read in one batch."""
    if of.files is None:
        return of.source
    place = of.files

    def read(spark: SparkSession) -> DataFrame:
        from pyspark.sql import functions as F

        streams = os.path.isdir(place) and not whole
        try:
            lines = (spark.readStream if streams else spark.read).text(place).where("trim(value) <> ''")
        except Exception as error:
            reason = (str(error).strip().splitlines() or [type(error).__name__])[0]
            raise CommandError(f"no messages can be read from {place}: {reason}") from None
        found = F.from_json("value", _CAPTURE)
        # lines without key and value count as messages that cannot be read, rather than being dropped
        message = F.when(
            found["value"].isNull() & found["key"].isNull(), F.to_binary("value", F.lit("utf-8"))
        ).otherwise(found["value"])
        others = [found[name].alias(name) for name in ("key", "topic", "partition", "offset", "timestamp")]
        return lines.select(message.alias("value"), *others)

    return read


def check_lines(spark: SparkSession, of: SyncFile) -> None:
    """Refuses files whose first lines are not messages.

    Raises:
        CommandError: the text describes valid lines.
    """
    if of.files is None:
        return
    found = [row.value for row in spark.read.text(of.files).where("trim(value) <> ''").limit(_LOOKED_AT).collect()]
    _check_some(of.files, found)


def check_file(of: SyncFile) -> bool:
    """Refuses a local file whose messages have another protocol, before Spark is started.

    Returns:
        Whether it was checked: false for remote files, folders, damaged files and compressions other than gzip.

    Raises:
        CommandError: it has no messages, or they have another protocol.
    """
    if of.files is None or not os.path.isfile(of.files):
        return False
    try:
        lines = _first_lines(of.files)
    except (OSError, EOFError, ValueError):
        return False  # Spark reports it
    _check_some(of.files, lines[:_LOOKED_AT])
    messages = [message for message in map(_message, lines) if message is not None]
    if of.protocol is not None and messages:
        import tidewire
        from tidewire.cli.protocols import load
        from tidewire.reading.undetected import other_protocol

        found = tidewire.detect([value for value, _ in messages], [key for _, key in messages], options=False)
        wrong = other_protocol(found, len(messages), load(of.protocol).NAME)
        if wrong is not None:
            raise CommandError(wrong)
    return True


def _first_lines(path: str) -> list[str]:
    """The first lines of a file that are not empty."""
    from tidewire.cli.which import MOST_MESSAGES

    found: list[str] = []
    size = 0
    with gzip.open(path) if path.endswith(".gz") else open(path, "rb") as file:
        for line in iter(partial(file.readline, _LONGEST), b""):
            if line.strip():
                found.append(line.decode())
                size += len(line)
            if len(found) == MOST_MESSAGES or size > _MOST_BYTES:
                break
    return found


def _check_some(files: str, lines: Sequence[str]) -> None:
    """Refuses files if none of the first lines is a message."""
    if lines and not any(map(_is_message, lines)):
        raise CommandError(
            f"{files} has no messages: a line is a JSON object with value and key in base64, topic, partition and"
            f" offset, and the first one begins with {shortened(lines[0])}"
        )


def _is_message(line: str) -> bool:
    try:
        found = json.loads(line)
    except ValueError:
        return False
    return isinstance(found, dict) and any(isinstance(found.get(name), str) for name in ("value", "key"))


def _message(line: str) -> tuple[bytes | None, bytes | None] | None:
    """Value and key of a line; None if it is not a message."""
    if not _is_message(line):
        return None
    found = json.loads(line)
    try:
        value, key = (
            None if found.get(name) is None else binascii.a2b_base64(found[name]) for name in ("value", "key")
        )
    except (ValueError, TypeError):
        return None
    return value, key


@contextmanager
def told(verbose: bool = False) -> Iterator[None]:
    """Turns errors of Spark in the block into sentences.

    Args:
        verbose: whether to include Spark's own text.

    Raises:
        CommandError: Spark failed.
    """
    from py4j.protocol import Py4JJavaError
    from pyspark.errors import PySparkException

    from tidewire.spark.sync.planned import plain

    try:
        yield
    except (PySparkException, Py4JJavaError) as error:
        if verbose:
            raise
        raise CommandError(
            f"Spark cannot go on: {plain(error)}; what was done counts, and the rest is done after the next start; -v"
            " shows all that Spark says"
        ) from error


@contextmanager
def stopped(spark: SparkSession) -> Iterator[SparkSession]:
    """Stops a session at the end of the block."""
    try:
        yield spark
    finally:
        from tidewire.spark.sync.failures import JAVA_ENDED

        with suppress(*JAVA_ENDED):
            spark.stop()


@contextmanager
def going_on(what: str, told: bool = True) -> Iterator[None]:
    """Shows what the block does and for how long. Without a terminal it prints one line; none if not `told`."""
    if not sys.stderr.isatty():
        if told:
            complain(what)
        yield
        return
    from rich.progress import Progress as Bar
    from rich.progress import SpinnerColumn, TextColumn, TimeElapsedColumn

    columns = SpinnerColumn(), TextColumn("{task.description}"), TimeElapsedColumn()
    with Bar(*columns, console=console(stderr=True), refresh_per_second=2, transient=True) as bar:
        bar.add_task(what, total=None)
        yield
