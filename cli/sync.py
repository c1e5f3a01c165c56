"""`tidewire sync`: tables kept current from a topic."""

from __future__ import annotations

import os
import sys
import time
from typing import TYPE_CHECKING, Annotated, Any

import typer

from tidewire.cli.shell import CommandError, complain, json_text, many, printable
from tidewire.cli.sync_file import SyncFile, read_sync_file

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

    from tidewire.spark.sync.batches import BatchDone
    from tidewire.spark.sync.run import Status

_STACK_TRACES = (
    "org.apache.spark.sql.execution.streaming.runtime.MicroBatchExecution",
    "org.apache.kafka.clients.NetworkClient",
)
"""Loggers of Spark and Kafka that print errors which are raised, too."""
ACTIONS = ("status", "plan")
_CAPTURE = "key BINARY, value BINARY, topic STRING, partition INT, offset BIGINT, timestamp TIMESTAMP"


def sync(
    words: Annotated[
        list[str],
        typer.Argument(
            metavar="[status|plan] FILE.yaml",
            help="The file that says what is read, which tables are kept and where. status says how far they are; "
            "plan what would be made, without making it.",
            show_default=False,
        ),
    ],
    once: Annotated[bool, typer.Option("--once", help="Read what is there now, and end.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print a JSON object for each batch.")] = False,
) -> None:
    """Keep tables of Iceberg, Delta or Parquet current from a topic, all of them as the source was at one TSO."""
    *action, path = words
    if len(action) > 1 or (action and action[0] not in ACTIONS):
        raise CommandError(f"{' '.join(words)}: give a file, or one of {' and '.join(ACTIONS)} and a file")
    of = read_sync_file(path)
    if action == ["status"]:
        from tidewire.spark.sync.run import status

        _print_status(status(of.state), as_json)
        return
    spark = session(of)
    try:
        if action:
            _plan(spark, of, as_json)
        else:
            _run(spark, of, once, as_json)
    finally:
        spark.stop()


def session(of: SyncFile) -> SparkSession:
    """The session that runs, or one of this machine; under spark-submit its master and jars count."""
    from tidewire.spark import local_session
    from tidewire.spark.sync import jars

    conf = dict(of.conf)
    format, _, names = of.into.partition(":")
    kinds = [*(["kafka"] if of.source else []), *([format] if format != "parquet" else [])]
    if "spark.jars" not in conf:
        conf = {**jars.settings(kinds, complain), **conf} if kinds else conf
    if format == "iceberg" and of.warehouse is not None:
        conf = {**jars.iceberg_catalog(names.split(".", 1)[0], os.path.abspath(of.warehouse)), **conf}
    spark = local_session("tidewire sync", conf=conf)
    jvm: Any = spark._jvm
    # why a query ended is said in a sentence, and not in a stack trace besides
    for name in _STACK_TRACES:
        jvm.org.apache.logging.log4j.core.config.Configurator.setLevel(name, jvm.org.apache.logging.log4j.Level.OFF)
    return spark


def messages(of: SyncFile) -> Any:
    """The source as `sync` takes it."""
    if of.files is None:
        return of.source
    place = of.files

    def read(spark: SparkSession) -> DataFrame:
        if os.path.isdir(place):
            return spark.readStream.schema(_CAPTURE).json(place)
        if not os.path.exists(place):
            raise CommandError(f"there are no messages in {place}")
        return spark.read.schema(_CAPTURE).json(place)

    return read


def _run(spark: SparkSession, of: SyncFile, once: bool, as_json: bool) -> None:
    from tidewire.spark.sync.run import sync as synchronised

    began = time.perf_counter()

    def said(batch: BatchDone) -> None:
        nonlocal began
        now = time.perf_counter()
        _print_batch(batch, now - began, as_json)
        began = now

    running = synchronised(
        spark,
        messages(of),
        of.protocol,
        into=of.into,
        tables=of.tables,
        state=of.state,
        options=of.options,
        said=said,
    )
    if once:
        _print_status(running.once(), as_json)
        return
    running.start(f"{of.every:g} seconds")
    try:
        running.wait()
    except KeyboardInterrupt:
        complain("stopping: what is done of a batch counts, and the rest is done after the next start")
    finally:
        running.stop()


def _plan(spark: SparkSession, of: SyncFile, as_json: bool) -> None:
    """What would be made."""
    from tidewire.spark.infer import table_schemas
    from tidewire.spark.options import load
    from tidewire.spark.sync.changelog import table_name
    from tidewire.spark.sync.choices import chosen
    from tidewire.spark.sync.kafka import check_topics
    from tidewire.spark.sync.staging import staging_options
    from tidewire.spark.sync.targets.names import Template
    from tidewire.spark.sync.targets.opened import target_of

    choice = chosen(of.tables, of.options)
    format, _, names = target_of(of.into).partition(":")
    staging_options(load(of.protocol).NAME, choice.reading, "UTC")
    if of.source:
        check_topics(spark, of.source)
        df = spark.read.format("kafka").options(**of.source).load()
    else:
        df = messages(of)(spark)
    for name, schema in table_schemas(df, of.protocol, choice.reading).items():
        if name not in choice.wanted:
            continue
        text = table_name(*name)
        keys = [field.name for field in schema if field.metadata["handle_key"]]
        history = choice.rules.history(text)
        template = Template(names)
        columns = {field.name: field.dataType.simpleString() for field in schema}
        found: dict[str, Any] = {
            "table": text,
            "into": template.path(text) if template.is_path else ".".join(template.parts(text)),
            "format": format,
            "mode": "history" if history else "state",
            "schema_changes": choice.rules.mode(text),
            "key": keys,
            "columns": columns,
            "parked": "" if keys or history else "its rows have no handle key: keep it with mode: history",
        }
        if as_json:
            print(json_text(found))
            continue
        key = f"key {', '.join(keys)}" if keys else "no key"
        print(printable(f"{text} -> {found['into']} ({format}, {found['mode']}, {found['schema_changes']}, {key})"))
        for column, kind in columns.items():
            print(printable(f"    {column} {kind}"))
        if found["parked"]:
            print(printable(f"    waits: {found['parked']}"))


def _print_batch(batch: BatchDone, seconds: float, as_json: bool) -> None:
    from tidewire.spark.sync.publish import time_of

    manifest = batch.manifest
    waiting = manifest.waiting()
    if as_json:
        found = {
            "batch": manifest.number,
            "messages": manifest.messages,
            "resolved": manifest.resolved,
            "published": batch.published,
            "waiting": waiting,
            "rows": batch.rows,
            "seconds": {name: round(value, 3) for name, value in batch.seconds.items()},
            "parked": {one.name: one.parked.reason for one in manifest.tables.values() if one.parked is not None},
            "dead": sum(manifest.dead.values()),
            "notes": manifest.notes,
        }
        print(json_text(found), flush=True)
        return
    line = f"batch {manifest.number}: {many(manifest.messages, 'message')}"
    if seconds > 0:
        line += f", {manifest.messages / seconds:,.0f} a second"
    if manifest.resolved:
        line += f"; {'published' if batch.published else 'resolved'} {time_of(manifest.resolved)} ({manifest.resolved})"
    elif waiting is not None:
        line += f"; waits for a watermark of partition {waiting[1]} of {waiting[0] or 'the frame'}"
    print(printable(line), flush=True)
    for note in manifest.notes:
        complain(note)


def _print_status(found: Status, as_json: bool) -> None:
    from tidewire.spark.sync.publish import time_of

    if as_json:
        print(json_text({name: getattr(found, name) for name in found.__dataclass_fields__}))
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
    lines.append(f"messages that cannot be read: {found.dead:,}")
    lines += [f"note: {note}" for note in found.notes]
    if found.stopped:
        lines.append(f"stopped: {found.stopped}")
    for line in lines:
        print(printable(line))
    sys.stdout.flush()
