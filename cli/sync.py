"""`tidewire sync`: tables kept current from a topic."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING, Annotated, Any
from urllib.parse import urlsplit

import typer

from tidewire.cli.shell import CommandError, complain, json_text, many, printable
from tidewire.cli.sync_file import SyncFile, read_sync_file
from tidewire.cli.sync_progress import Progress, shown

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

    from tidewire.spark.sync.run import Status

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
"""Loggers of Spark, Iceberg and Kafka that print errors which are raised, too."""
ACTIONS = ("status", "plan", "replay")
OF_TABLES = ("resume", "reset", "add")
"""What is asked for one table, whose name follows the file."""
_CAPTURE = "key BINARY, value BINARY, topic STRING, partition INT, offset BIGINT, timestamp TIMESTAMP"


def sync(
    words: Annotated[
        list[str],
        typer.Argument(
            metavar="[status|plan|replay|resume|reset|add] FILE.yaml [TABLE]",
            help="The file that says what is read, which tables are kept and where. status says how far they are; "
            "plan what would be made, without making it. The others ask the process that keeps the tables, or the next "
            "one: replay reads messages again that could not be read; resume TABLE goes on with a table that waits for "
            "a person; reset TABLE makes it anew from the topic; add TABLE makes one that was not kept before.",
            show_default=False,
        ),
    ],
    once: Annotated[bool, typer.Option("--once", help="Read what is there now, and end.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print a JSON object for each batch.")] = False,
) -> None:
    """Keep tables of Iceberg, Delta or Parquet current from a topic, all of them as the source was at one TSO."""
    action = words[0] if words[0] in (*ACTIONS, *OF_TABLES) else ""
    paths = words[1:] if action else words
    if len(paths) != (2 if action in OF_TABLES else 1):
        raise CommandError(
            f"{' '.join(words)}: give a file; or {', '.join(ACTIONS)} and a file; or {', '.join(OF_TABLES)}, a file and"
            " a table"
        )
    of = read_sync_file(paths[0])
    if action == "replay" or action in OF_TABLES:
        _ask(of, action, *(paths[1:] or [""]))
        return
    if action == "status":
        from tidewire.spark.sync.choices import chosen
        from tidewire.spark.sync.run import status

        chosen(of.tables, of.options)
        _print_status(status(of.state), as_json)
        return
    spark = session(of, make=not action)
    try:
        if action:
            _plan(spark, of, as_json)
        else:
            _run(spark, of, once, as_json)
    finally:
        spark.stop()


def session(of: SyncFile, make: bool = True) -> SparkSession:
    """The session that runs, or one of this machine; under spark-submit its master and jars count.

    Args:
        of: what the file says.
        make: whether a catalog in a folder is made where there is none.
    """
    from tidewire.spark import local_session
    from tidewire.spark.sync import jars

    conf = dict(of.conf)
    format, _, names = of.into.partition(":")
    kinds = [*(["kafka"] if of.source else []), *([format] if format != "parquet" else [])]
    if "spark.jars" not in conf:
        conf = {**jars.settings(kinds, complain), **conf} if kinds else conf
    if format == "iceberg" and of.warehouse is not None:
        conf = {**jars.iceberg_catalog(names.split(".", 1)[0], os.path.abspath(of.warehouse), make), **conf}
    spark = local_session("tidewire sync", conf=conf)
    jvm: Any = spark._jvm
    # why a query ended is said in a sentence, and not in a stack trace besides
    for name in _STACK_TRACES:
        jvm.org.apache.logging.log4j.core.config.Configurator.setLevel(name, jvm.org.apache.logging.log4j.Level.OFF)
    return spark


def messages(of: SyncFile, whole: bool = False) -> Any:
    """The source as `sync` takes it; messages in files all at once, where that is asked."""
    if of.files is None:
        return of.source
    place = of.files
    if urlsplit(place).username is not None:
        raise CommandError(
            "source.files has a user or a password in it: leave it out, and give it to the storage by its own settings"
        )

    def read(spark: SparkSession) -> DataFrame:
        if os.path.isdir(place) and not whole:
            return spark.readStream.schema(_CAPTURE).json(place)
        if "://" not in place and not os.path.exists(place):
            raise CommandError(f"there are no messages in {place}")
        try:
            return spark.read.schema(_CAPTURE).json(place)
        except Exception as error:
            reason = (str(error).strip().splitlines() or [type(error).__name__])[0]
            raise CommandError(f"no messages can be read from {place}: {reason}") from None

    return read


def _run(spark: SparkSession, of: SyncFile, once: bool, as_json: bool) -> None:
    from tidewire.spark.sync.run import sync as synchronised

    progress = Progress(as_json)
    running = synchronised(
        spark,
        messages(of),
        of.protocol,
        into=of.into,
        history=of.history,
        tables=of.tables,
        state=of.state,
        options=of.options,
        said=progress,
    )
    if once:
        with shown(progress):
            found = running.once()
        _print_status(found, as_json)
        return
    running.start(f"{of.every:g} seconds")
    try:
        with shown(progress):
            running.wait()
    except KeyboardInterrupt:
        complain("stopping: what is done of a batch counts, and the rest is done after the next start")
    finally:
        running.stop()


def _plan(spark: SparkSession, of: SyncFile, as_json: bool) -> None:
    """What would be made."""
    from tidewire.spark.sync.run import plan

    for one in plan(
        spark,
        messages(of, whole=True),
        of.protocol,
        into=of.into,
        history=of.history,
        tables=of.tables,
        state=of.state,
        options=of.options,
    ):
        if as_json:
            print(json_text(vars(one)))
            continue
        key = f"key {', '.join(one.key)}" if one.key else "no key"
        print(printable(f"{one.table} -> {one.into} ({one.format}, {one.mode}, {one.schema_changes}, {key})"))
        print(printable(f"    {'is there; ' if one.exists else ''}{one.engine}"))
        for column, kind in one.columns.items():
            print(printable(f"    {column} {kind}{' (new)' if column in one.adds else ''}"))
        if one.waits:
            print(printable(f"    waits: {one.waits}"))
        if one.limits:
            print(printable(f"    {one.limits}"))


def _ask(of: SyncFile, kind: str, table: str) -> None:
    """Leaves a request for the process that keeps the tables."""
    from tidewire.spark.sync.choices import chosen
    from tidewire.spark.sync.run import ask

    ask(of.state, kind, table, chosen(of.tables, of.options).wanted.named)
    complain(
        f"{kind} {table}".rstrip() + ": asked for; it is done with the next batch, or at the next start where none runs"
    )


def _print_status(found: Status, as_json: bool) -> None:
    from tidewire.spark.sync.publish import time_of

    if as_json:
        of = {name: getattr(found, name) for name in found.__dataclass_fields__}
        print(json_text({**of, "letters": [one._asdict() for one in found.letters]}))
        return
    lines = [f"batches: {found.batches:,}"]
    if found.published:
        lines.append(f"published: {time_of(found.published)} ({found.published}), {found.lag or 0:,.0f} s ago")
    else:
        lines.append("published: nothing yet")
    if found.waiting is not None:
        lines.append(f"waits for: partition {found.waiting[1]} of {found.waiting[0] or 'the frame'}")
    lines += [f"no watermark yet: partition {one} of {topic or 'the frame'}" for topic, one in found.silent]
    lines += [f"table {name}: at {time_of(ts)}" for name, ts in found.tables.items()]
    lines += [f"parked {name}: {one.reason}; {one.remedy}" for name, one in found.parked.items()]
    lines += [
        f"waits in {name}: {many(count, 'key')} of which a row cannot be read; see the reasons below, then run tidewire"
        " sync replay"
        for name, count in found.keys.items()
    ]
    lines += [f"below the resolved ts of {name}: {many(count, 'row')}, left out" for name, count in found.late.items()]
    lines.append(f"messages that cannot be read: {found.dead:,}")
    for one in found.letters:
        of_table = f", table {one.table}" if one.table else ""
        key = f", key {one.key}" if one.key else ""
        place = f"offset {one.offset} of partition {one.partition} of {one.topic or 'the frame'}"
        lines.append(f"    {place}{of_table}{key}: {one.reason}")
    if found.dead > len(found.letters):
        lines.append(f"    and {found.dead - len(found.letters):,} more")
    lines += [f"note: {note}" for note in found.notes]
    if found.stopped:
        lines.append(f"stopped: {found.stopped}")
    for line in lines:
        print(printable(line))
    sys.stdout.flush()
