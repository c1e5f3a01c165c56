"""``python -m benchmarks``: measure everything side by side, print tables, write JSON, and draw the pictures of it."""

from __future__ import annotations

import argparse
import json
import os
import platform
import runpy
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.progress import Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

from benchmarks.live.report import PARTS as LIVE_PARTS
from benchmarks.subjects import SUBJECTS

ROOT = Path(__file__).resolve().parent.parent
PICTURES = ROOT / "docs" / "pictures" / "times.py"
GROUPS = (
    *("sizes", "batches", "columns", "varied", "interleaved", "many", "escapes", "blocks"),
    *("single", "objects", "startup", "pure", "memory", "spark"),
)


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("--quick", action="store_true", help="fewer events, shorter repeats: about a minute, noisier")
    parser.add_argument("--protocol", action="append", choices=SUBJECTS, help="only this protocol (repeatable)")
    parser.add_argument("--only", action="append", choices=GROUPS, help="only this group (repeatable)")
    parser.add_argument("--sync", action="store_true", help="instead: live tables from Kafka, what they cost")
    parser.add_argument(
        "--part", action="append", choices=LIVE_PARTS, default=[], help="with --sync, only this part (repeatable)"
    )
    parser.add_argument("--no-spark", action="store_true", help="leave the Spark group out")
    parser.add_argument(
        "--json",
        type=Path,
        default=None,
        help="where the figures go (default: benchmarks/results/latest.json and the tables of docs/speed.md; "
        "of a run that is quick or partial: build/bench/latest.json)",
    )
    return parser.parse_args()


def machine() -> dict[str, Any]:
    """What the figures were taken on: processor, load, versions. No names."""
    import tidewire.runtime

    processor = platform.processor()
    cpuinfo = Path("/proc/cpuinfo")
    if cpuinfo.exists():
        lines = cpuinfo.read_text().splitlines()
        processor = next((line.split(":", 1)[1].strip() for line in lines if line.startswith("model name")), processor)
    packages = {}
    for package in ("pyarrow", "msgspec", "protobuf", "fastavro", "pyspark", "cython"):
        try:
            packages[package] = version(package)
        except PackageNotFoundError:
            packages[package] = "not installed"
    return {
        "processor": processor,
        "cores": os.cpu_count(),
        "load_before": round(os.getloadavg()[0], 2),
        "python": platform.python_version(),
        "system": platform.system(),
        "packages": packages,
        "tidewire": tidewire.runtime.compiled_reason,
    }


def main() -> None:
    """Run the chosen groups and report."""
    options = _arguments()
    console = Console()
    if not console.is_terminal:
        console.width = 200  # a file or a pipe: wide enough for every table
    if options.sync:
        from benchmarks.live import report as live_report
        from benchmarks.live import run as live

        say = lambda line: console.print(line, style="dim", highlight=False)  # noqa: E731
        found = live.main(options.quick, options.json, say, options.part)
        live_report.show(console, found)
        return

    from benchmarks import (
        blocks,
        calls,
        escapes,
        go_peer,
        many,
        memory,
        pure,
        report,
        sizes,
        spark_bench,
        spark_registered,
        startup,
        suite,
        table,
        varied,
        verdicts,
    )
    from benchmarks.cases import go_reference
    from benchmarks.timing import Effort, Result, last_level_cache

    whole = not (options.quick or options.protocol or options.only or options.no_spark)
    chosen = set(options.only or GROUPS) - ({"spark"} if options.no_spark else set())
    about = machine()
    effort = Effort.of(options.quick)
    subjects = [SUBJECTS[name] for name in options.protocol or SUBJECTS]
    results: list[Result] = []
    size_table: list[sizes.Size] = []
    memory_report: list[dict[str, int]] = []
    spark_report: list[dict[str, Any]] = []
    starts: list[startup.Start] = []
    failed: Exception | None = None

    progress = Progress(
        SpinnerColumn(), TextColumn("{task.description}"), TimeElapsedColumn(), console=console, transient=True
    )
    with progress:
        task = progress.add_task("starting", total=None)

        def now(text: str) -> None:
            progress.update(task, description=text)

        if "sizes" in chosen:
            size_table = sizes.size_table()
        for name, group in (
            ("batches", suite.recorded_group),
            ("columns", suite.columns_group),
            ("varied", varied.varied_group),
            ("interleaved", suite.interleaved_group),
            ("many", many.many_group),
            ("escapes", escapes.text_group),
            ("blocks", blocks.blocks_group),
            ("single", calls.single_group),
            ("objects", calls.objects_group),
        ):
            for subject in subjects if name in chosen else ():
                now(f"{subject.title}, {name}: checking and timing")
                for part in group(subject, effort):
                    results += part
                    now(f"{subject.title}, {name}: {part[0].columns} columns in batches of {part[0].batch} done")
        if "startup" in chosen:
            now("startup: fresh processes")
            starts = startup.measure(options.quick)
        if "pure" in chosen:
            now("pure: the interpreted modules, in a process of their own")
            results += pure.measure(options.quick, [subject.name for subject in subjects])
        if "memory" in chosen:
            now("memory: in a process of its own")
            memory_report = memory.measure()
        if "spark" in chosen:
            now("spark: local[1]")
            try:
                spark_report = spark_bench.measure(options.quick, now)
                spark_report += spark_registered.measure(options.quick, now)
            except Exception as error:  # what was measured for half an hour is shown all the same
                failed = error

    console.print(
        f"tidewire: {about['tidewire']}; {about['processor']}, load {about['load_before']} before the run",
        highlight=False,
    )
    if size_table:
        report.print_sizes(console, size_table)
    for subject in subjects:
        report.print_batches(console, subject, results, "decode")
        report.print_batches(console, subject, results, "encode")
        report.print_widths(console, subject, results)
        report.print_varied(console, subject, results)
        report.print_interleaved(console, subject, results)
        report.print_many(console, subject, results)
        report.print_texts(console, subject, results)
        report.print_blocks(console, subject, results)
        report.print_calls(console, subject, results)
    report.print_starts(console, starts)
    report.print_memory(console, memory_report)
    report.print_spark(console, spark_report)
    if (missing := go_peer.absent()) and chosen & {"batches", "columns", "varied", "interleaved"}:
        console.print(missing, style="yellow", highlight=False, soft_wrap=True)
    whole = whole and failed is None
    judged = verdicts.all_verdicts(results, memory_report, spark_report, starts)
    report.print_verdicts(console, judged, whole)

    document = {
        "quick": options.quick,
        "machine": about | {"last_level_cache": last_level_cache()},
        "contains": suite.contains()
        | many.CONTAINS
        | escapes.CONTAINS
        | blocks.CONTAINS
        | calls.CONTAINS
        | {"startup": startup.CONTAINS}
        | spark_bench.CONTAINS
        | spark_registered.CONTAINS,
        "verdicts": [
            {"reached": v.reached, "line": v.line(), "measured": v.measured, "limit": v.limit} for v in judged
        ],
        "sizes": [{"codec": s.codec, "case": s.case, "raw": s.raw, "zlib": s.deflated} for s in size_table],
        "results": [result.to_dict() for result in results],
        "startup": [start._asdict() for start in starts],
        "memory": memory_report,
        "spark": spark_report,
        "go": go_reference(),
    }
    figures = options.json or (table.LATEST if whole else ROOT / "build" / "bench" / "latest.json")
    figures.parent.mkdir(parents=True, exist_ok=True)
    figures.write_text(json.dumps(document, indent=1) + "\n")
    console.print(f"figures: {figures}", highlight=False)
    if whole and figures.resolve() == table.LATEST:
        table.write(document)
        console.print("tables: docs/speed.md, between its two comments", highlight=False)
        runpy.run_path(str(PICTURES), run_name="__main__")
        console.print("pictures: docs/pictures, decode_time.png and spark_time.png", highlight=False)
    if failed is not None:
        raise failed


if __name__ == "__main__":
    main()
