"""Decodes captured topics into Parquet tables, and shows what is in them: the job behind `make run`.

    python -m tidewire.spark.demo [PROTOCOL=CAPTURE ...] [--out DIR]

The captures in the repository are of one database, one per protocol, and one more for Simple's Avro encoding. The first
is read with Spark, the others without (`tidewire.read_table`). All give the same tables apart from what a protocol
cannot carry, which the job checks. For protocols with a schema registry, the schemas are in a file beside the capture:
NAME.registry.json beside NAME.jsonl.gz.
"""

from __future__ import annotations

import argparse
import os
import sys
import time
import warnings
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path

from rich.console import Console, RenderableType

import tidewire.runtime
from tidewire.reading.row_batches import ReadingWarning
from tidewire.runtime.errors import TidewireError
from tidewire.spark import demo_live, demo_tables, local_session
from tidewire.spark.demo_topics import PlainTopic, SparkTopic, common_schemas, look, write

CAPTURES = {
    "craft": "examples/craft_topic.jsonl.gz",
    "canal_json": "examples/canal_json_topic.jsonl.gz",
    "open_protocol": "examples/open_protocol_topic.jsonl.gz",
    "simple": "examples/simple_topic.jsonl.gz",
    "simple_records": "examples/simple_records_topic.jsonl.gz",
    "debezium": "examples/debezium_topic.jsonl.gz",
    "avro": "examples/avro_topic.jsonl.gz",
    "debezium_avro": "examples/debezium_avro_topic.jsonl.gz",
}
_QUICK = {
    # many small jobs: code generation would cost more than it saves
    "spark.driver.extraJavaOptions": "-XX:+UseSerialGC -XX:TieredStopAtLevel=1",
    "spark.sql.codegen.wholeStage": "false",
    "spark.sql.shuffle.partitions": "1",
}
REPORT, LOG = "report.txt", "spark.log"
REPORT_WIDTH = 120
NEXT = """Try next:
  .venv/bin/tidewire decode {capture} | head -3
  make run RUN_ARGS="canal_json=FILE"   # a dump of yours: docs/dumps.md
  make demo                             # Kafka, a shop, Iceberg, Delta"""


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs the job. Returns 1 and prints a sentence if it cannot run, or if the captures do not agree."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    shipped = [f"{protocol}={path}" for protocol, path in CAPTURES.items()]
    parser.add_argument(
        "captures",
        nargs="*",
        default=shipped,
        metavar="PROTOCOL=CAPTURE",
        help="messages as JSON lines, with a file of schemas beside them where the protocol has a registry (default: "
        "those shipped)",
    )
    parser.add_argument("--out", default="out", help="folder for the tables (default out)")
    given = parser.parse_args(arguments)
    try:
        captures = dict(_capture(text) for text in given.captures)
        return 0 if run(captures, Path(given.out), Console(highlight=False)) else 1
    except TidewireError as error:
        print(error, file=sys.stderr)
        return 1


def _capture(text: str) -> tuple[str, Path]:
    protocol, equals, path = text.partition("=")
    if not equals:
        raise TidewireError(f"{text!r}: say of which protocol the capture is, as in craft={text}")
    return protocol, Path(path)


def run(captures: Mapping[str, Path], out: Path, console: Console) -> bool:
    """Decodes each capture into `out`/protocol/schema/table, and prints events, final rows and losses. Full output goes
    to `out`/report.txt, Spark's to `out`/spark.log.

    Args:
        captures: by protocol: JSON lines with key and value in base64, topic, partition, offset, timestamp; may be
            gzipped. All captures are expected to contain the same changes.
        out: folder for the tables; existing ones are replaced.
        console: where to print.

    Returns:
        Whether all captures gave the same tables.

    Raises:
        TidewireError: a capture, a file with its schemas, or Java is missing.
    """
    for capture in captures.values():
        if not capture.is_file():
            raise TidewireError(
                f"there is no capture {capture}: run this in the repository, or name a file of messages"
            )
    codecs = {title: demo_tables.reading_options(title, capture) for title, capture in captures.items()}
    title, *titles = captures
    first = SparkTopic(title, captures[title], codecs[title])
    others = [PlainTopic(each, captures[each], codecs[each]) for each in titles]
    topics = [first, *others]
    folders = {topic.title: out / topic.title for topic in topics}
    out.mkdir(parents=True, exist_ok=True)
    started = time.perf_counter()
    with (
        open(out / REPORT, "w", encoding="utf-8") as file,
        warnings.catch_warnings(action="ignore", category=ReadingWarning),
        elsewhere(out / LOG),
        ThreadPoolExecutor(1) as beside,
    ):
        report = Console(file=file, width=REPORT_WIDTH, highlight=False)

        def show(*shown: RenderableType) -> None:
            for each in (console, report):
                each.print(*shown, sep="\n")

        more = f", and {len(others)} other captures without" if others else ""
        console.print(f"reading {first.title} with Spark{more} ...", style="dim")
        looked = beside.submit(look, others)
        spark = local_session("tidewire demo", conf=_QUICK)
        ready = time.perf_counter()
        try:
            # as other writers of Parquet do; INT96 does not record a time zone
            spark.conf.set("spark.sql.parquet.outputTimestampType", "TIMESTAMP_MICROS")
            first.look(spark)
            looked.result()
            schemas = common_schemas([topic.schemas for topic in topics])
            written = beside.submit(write, others, schemas, out)
            first.write(schemas, out)
            written.result()
            console.print(f"comparing {len(schemas)} tables ...", style="dim")
            told = {topic.title: topic.told(schemas) for topic in topics}
            compared = demo_tables.compare(folders, schemas, told, report)
            found = next((topic for topic in topics if topic.title == demo_live.CAPTURE), None)
            live: list[RenderableType] = []
            if found is not None:
                console.print(f"keeping the tables of {found.title} current ...", style="dim")
                live = demo_live.keep_current(spark, found.path, found.protocol, found.options, out / "live")
        finally:
            spark.stop()
        console.print()
        demo_tables.show_events([(topic.title, topic.events, topic.bad) for topic in topics], console, report)
        demo_tables.show_final_rows(first.title, out / first.title, schemas, console, report)
        show(*live)
        console.print(*compared.shown(len(schemas)), sep="\n")
    seconds = time.perf_counter() - started
    console.print(
        f"\nAll of it is in [bold]{out / REPORT}[/]; each table is a folder of Parquet, such as", soft_wrap=True
    )
    console.print(f"  {next(iter(demo_tables.folders_of(out / first.title, schemas)), out)}", soft_wrap=True)
    console.print(f"It took {seconds:.0f} s, Spark's start {ready - started:.0f} s of them. {_codec()}".rstrip() + "\n")
    console.print(NEXT.format(capture=first.path), markup=False, soft_wrap=True)
    return compared.same


def _codec() -> str:
    """A sentence if the codecs ran without compiled modules; otherwise empty."""
    how = tidewire.runtime.compiled_reason
    return "" if tidewire.runtime.compiled else f"The codecs ran without compiled modules ({how})."


@contextmanager
def elsewhere(log: Path) -> Iterator[None]:
    """Redirects standard error of this process and its children to a file."""
    sys.stderr.flush()
    kept = os.dup(2)
    try:
        with open(log, "w", encoding="utf-8") as file:
            os.dup2(file.fileno(), 2)
        yield
    finally:
        sys.stderr.flush()
        os.dup2(kept, 2)
        os.close(kept)


if __name__ == "__main__":
    sys.exit(main())
