"""`tidewire sync`: keeps tables up to date from a topic."""

from __future__ import annotations

import difflib
import logging
import os
import shlex
import shutil
import signal
import sys
import textwrap
import threading
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Annotated, Any, TypeAlias

import typer
from typer.core import TyperGroup

from tidewire.cli import sync_maintain as maintaining
from tidewire.cli import sync_verify as verifying
from tidewire.cli.shell import FOUND_BAD, CommandError, complain, json_text, printable
from tidewire.cli.sync_file import read_sync_file
from tidewire.cli.sync_progress import Progress, shown
from tidewire.cli.sync_session import check_file, check_lines, going_on, messages, session, stopped, told
from tidewire.cli.sync_status import lines_of, object_of, plan_lines, with_file
from tidewire.cli.sync_values import SyncFile
from tidewire.runtime.errors import TidewireError

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from tidewire.spark.sync.how_far import Status
    from tidewire.spark.sync.maintaining.upkeep import Upkeep
    from tidewire.spark.sync.planned import PlannedTable
    from tidewire.spark.sync.verifying.tables import TableVerdict

_RUN = "run"
_OF_TABLES = ("resume", "reset", "add")
"""Commands whose arguments are the file and a table."""


class SyncCommands(TyperGroup):
    """The commands of `tidewire sync`. If the first word is not a command, it is the file for `run`."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Moves the command to the front, also if options precede it."""
        words = [one for one in args if not one.startswith("-")]
        if words and words[0] in self.commands:
            first = args.index(words[0])
            args = [words[0], *args[:first], *args[first + 1 :]]
        elif words:
            self._refuse_mistyped(words)
            args = [_RUN, *args]
        if len(args) > 1 and not {"--help", "-h"} & {*args}:
            _refuse_without_file(args[0], [one for one in args[1:] if not one.startswith("-")])
        found: list[str] = super().parse_args(ctx, args)
        return found

    def collect_usage_pieces(self, ctx: Any) -> list[str]:
        """The words after `tidewire sync` in the usage line."""
        return ["[COMMAND]", "FILE.yaml", "[TABLE]"]

    def _refuse_mistyped(self, words: list[str]) -> None:
        if _may_be_file(words[0]):
            return
        near = difflib.get_close_matches(words[0], self.commands, 1)
        if near or len(words) > 1:
            hint = f"did you mean {near[0]}?" if near else f"there are {', '.join(self.commands)}"
            raise CommandError(f"{words[0]} is neither a command of tidewire sync nor a file: {hint}")


def _refuse_without_file(command: str, words: list[str]) -> None:
    """Refuses a table name in place of the file."""
    if command not in _OF_TABLES or not words or _may_be_file(words[0]):
        return
    if len(words) == 1:
        wrong, file = "is a table, and the file is missing", "FILE.yaml"
    elif _may_be_file(words[1]):
        wrong, file = "stands behind the file", shlex.quote(words[1])
    else:
        return  # opening it reports that there is no such file
    raise CommandError(f"{words[0]} {wrong}: tidewire sync {command} {file} {words[0]}")


def _may_be_file(word: str) -> bool:
    """Whether a word is a file, or was intended as one."""
    return os.path.exists(word) or os.path.splitext(word)[1] in (".yaml", ".yml")


sync = typer.Typer(
    name="sync", cls=SyncCommands, add_completion=False, no_args_is_help=True, rich_markup_mode="markdown"
)


def complete_table(ctx: typer.Context, incomplete: str) -> list[str]:
    """Table names from the state, for the shell's completion."""
    from tidewire.spark.sync.manifests import Manifests
    from tidewire.spark.sync.state import identity

    try:
        state = read_sync_file(str(ctx.params.get("file"))).state
        newest = Manifests(state, identity(state).source).newest()
    except Exception:  # completion cannot show errors, and the command reports them
        return []
    return [name for name in newest.names if name.startswith(incomplete)]


File: TypeAlias = Annotated[
    str,
    typer.Argument(
        metavar="FILE.yaml",
        help="Says what is read, which tables are kept and where; docs/live-tables.md shows one.",
        show_default=False,
    ),
]
Table: TypeAlias = Annotated[
    str,
    typer.Argument(
        metavar="TABLE",
        help="Its name, such as shop.orders; status names all.",
        autocompletion=complete_table,
        show_default=False,
    ),
]
LoadedDump: TypeAlias = Annotated[
    str | None,
    typer.Option("--dump", metavar="DIR", help="The folder of a dump by Dumpling, with which the table begins."),
]
AtTso: TypeAlias = Annotated[
    int | None, typer.Option("--at", metavar="TSO", min=1, help="The TSO of the dump, if its metadata has none.")
]
StartTs: TypeAlias = Annotated[
    int | None,
    typer.Option("--start-ts", metavar="TSO", min=1, help="The TSO with which the changefeed was created."),
]
Zone: TypeAlias = Annotated[
    str | None, typer.Option("--timezone", metavar="ZONE", help="The time zone of TIMESTAMP values in the dump.")
]
Verbose: TypeAlias = Annotated[bool, typer.Option("--verbose", "-v", help="Show all that Java and Spark print, too.")]


@sync.callback()
def about() -> None:
    """Keep tables of Iceberg, Delta or Parquet current from a topic, all of them as the source was at one TSO.

    `tidewire sync FILE.yaml` goes on until it is stopped; with --once it reads what is there now, and ends.
    """


@sync.command(name=_RUN)
def run(
    file: File,
    once: Annotated[bool, typer.Option("--once", help="Read what is there now, and end.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print a JSON object for each batch.")] = False,
    verbose: Verbose = False,
) -> None:
    """Keep the tables current. The word run can be left out."""
    of = read_sync_file(file, reads=True)
    checked = not _is_new(of) or check_file(of)
    with going_on("starting Spark", told=False):
        started = session(of, verbose=verbose)
    with stopped(started) as spark, told(verbose), _naming(file):
        _run(spark, of, once, as_json, checked)


@sync.command()
def status(file: File, as_json: Annotated[bool, typer.Option("--json", help="Print a JSON object.")] = False) -> None:
    """Show how far the tables are, what waits, and what to do; no Spark and no broker is asked."""
    from tidewire.spark.sync.how_far import status as how_far

    of = read_sync_file(file)
    with _naming(file):
        found = how_far(of.state)
    _print_status(found, as_json, of)


@sync.command()
def plan(
    file: File,
    as_json: Annotated[bool, typer.Option("--json", help="Print a JSON object for each table.")] = False,
    verbose: Verbose = False,
) -> None:
    """Show what would be made, and what would keep it from going on, without making it."""
    of = read_sync_file(file, reads=True)
    checked = not _is_new(of) or check_file(of)
    with going_on("starting Spark"):
        started = session(of, make=False, verbose=verbose)
    with stopped(started) as spark, told(verbose), _naming(file), going_on("looking at 100,000 messages at most"):
        if not checked:
            _check(spark, of)
        found = _planned(spark, of)
    for one in found:
        _print_plan(one, as_json, file)
    if not as_json and "maintainEvery" in of.options:
        _print_lines([f"maintenance: {maintaining.schedule(of.options)}"])


@sync.command()
def replay(file: File) -> None:
    """Read messages again that could not be read."""
    _ask(file, "replay")


@sync.command()
def resume(file: File, table: Table) -> None:
    """Go on with a parked table."""
    _ask(file, "resume", table)


@sync.command()
def reset(
    file: File,
    table: Table,
    dump: LoadedDump = None,
    at: AtTso = None,
    start_ts: StartTs = None,
    timezone: Zone = None,
) -> None:
    """Make a table anew, from all of its messages in the topic, or from a dump and the changes after it."""
    _ask(file, "reset", table, dump=dump, at=at, start_ts=start_ts, timezone=timezone)


@sync.command()
def add(
    file: File,
    table: Table,
    dump: LoadedDump = None,
    at: AtTso = None,
    start_ts: StartTs = None,
    timezone: Zone = None,
) -> None:
    """Make a table that was not kept before, from all of its messages in the topic, or from a dump and the changes
    after it. A pattern in the file has to match it.
    """
    _ask(file, "add", table, dump=dump, at=at, start_ts=start_ts, timezone=timezone)


@sync.command(epilog="Exit code: 0 equal, 1 different, 2 not compared, or an error.")
def verify(
    file: File,
    tables: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="TABLE",
            help="Only these, such as shop.orders.",
            autocompletion=complete_table,
            show_default=False,
        ),
    ] = None,
    dump: Annotated[
        str | None, typer.Option("--dump", metavar="DIR", help="A folder that Dumpling wrote, as CSV or SQL.")
    ] = None,
    source: Annotated[
        str | None,
        typer.Option("--source", metavar="URL", help="A database, by a driver of Python: pymysql://tidb:4000/?user=me"),
    ] = None,
    timezone: Zone = None,
    as_of: Annotated[
        str | None, typer.Option("--as-of", metavar="TSO|TIME", help="Tables published then, in place of the newest.")
    ] = None,
    rows: Annotated[int, typer.Option("--rows", min=0, help="Rows shown of each kind and table.")] = 20,
    as_json: Annotated[bool, typer.Option("--json", help="Print a JSON object for each table.")] = False,
    verbose: Verbose = False,
) -> None:
    """Compare the published tables with the source's rows at the same TSO."""
    of = read_sync_file(file)
    with _naming(file):
        wanted = verifying.wanted(of, tables or (), rows, dump, timezone, source, as_of)
    with going_on("starting Spark"):
        started = session(of, make=False, verbose=verbose)
    verdicts: list[TableVerdict] = []
    with stopped(started) as spark, told(verbose), _naming(file):
        found = verifying.verification(spark, wanted)
        if not as_json:
            _print_lines([verifying.heading(found)])
        each = found.tables()
        try:
            while True:
                with going_on("comparing", told=False):
                    one = next(each, None)
                if one is None:
                    break
                verdicts.append(one)
                if as_json:
                    print(json_text(verifying.object_of(one, found.at)), flush=True)
                else:
                    _print_lines(with_file(line, file, one.table) for line in verifying.lines_of(one))
        finally:
            verifying.close(found)
    if not as_json:
        _print_lines([verifying.summary(verdicts)])
    code = verifying.exit_code(verdicts)
    if code:
        raise typer.Exit(code)


@sync.command(epilog="Exit code: 0 done, 1 something failed for a table, 2 an error.")
def maintain(
    file: File,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Say what would be done, and change nothing.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print a JSON object for each table.")] = False,
    verbose: Verbose = False,
) -> None:
    """Compact the tables, and remove versions and files that no published record needs; the stream may go on."""
    from tidewire.spark.sync.choices import chosen
    from tidewire.spark.sync.state import identity

    of = read_sync_file(file)
    with _naming(file):
        identity(of.state)
    with going_on("starting Spark"):
        started = session(of, make=False, verbose=verbose)
    done: list[Upkeep] = []
    with stopped(started) as spark, told(verbose), _naming(file):
        from tidewire.spark.sync.maintaining.maintenance import maintain as maintained

        each = maintained(spark, of.state, chosen(of.tables, of.options), dry=dry_run)
        while True:
            with going_on("maintaining tables", told=False):
                one = next(each, None)
            if one is None:
                break
            done.append(one)
            if as_json:
                print(json_text(maintaining.object_of(one, dry_run)), flush=True)
            else:
                _print_lines(with_file(line, file, one.table) for line in maintaining.lines_of(one, dry_run))
    if not as_json:
        _print_lines([maintaining.summary(done, dry_run)])
    if any(one.failures for one in done):
        raise typer.Exit(FOUND_BAD)


@sync.command()
def rehearse(
    file: File,
    seed: Annotated[int, typer.Option(min=0, metavar="N", help="Of the topic; the same one makes the same.")] = 1,
    events: Annotated[
        int, typer.Option(min=20, max=5000, metavar="N", help="How many rows and statements the source has.")
    ] = 80,
    kills: Annotated[
        int, typer.Option(min=0, max=100, metavar="N", help="How often the process is killed; each starts Spark again.")
    ] = 2,
    as_json: Annotated[bool, typer.Option("--json", help="Print a JSON object.")] = False,
) -> None:
    """Show what would happen with a hostile topic, in a temporary folder.

    The topic is made from a seed: replays, damaged messages, DDL, late rows, silent partitions. It goes through a copy
    of the file whose process is killed (kill -9). Your tables, state and topic are not touched.
    """
    from tidewire.cli.rehearsal import rehearse as rehearsed
    from tidewire.cli.rehearsal_report import lines_of as report
    from tidewire.cli.rehearsal_report import object_of as report_object

    of = read_sync_file(file)
    found = rehearsed(of, seed, events, kills, complain)
    if as_json:
        print(json_text(report_object(found)), flush=True)
    else:
        _print_lines(with_file(line, file) for line in report(found))
    if not found.right:
        raise typer.Exit(FOUND_BAD)


@contextmanager
def _naming(file: str) -> Iterator[None]:
    """Inserts the file into commands that errors of the block recommend."""
    try:
        yield
    except TidewireError as error:
        text = with_file(str(error), file)
        if text == str(error):
            raise
        raise CommandError(text) from error


def _is_new(of: SyncFile) -> bool:
    """Whether the state does not exist yet."""
    from tidewire.spark.sync.state import known

    return known(of.state) is None


def _check(spark: SparkSession, of: SyncFile) -> None:
    """Refuses messages of another protocol before all of them are read."""
    from tidewire.spark.sync.run import check_protocol

    check_lines(spark, of)
    if of.protocol is not None:
        check_protocol(spark, messages(of, whole=True), of.protocol)


def _run(spark: SparkSession, of: SyncFile, once: bool, as_json: bool, checked: bool) -> None:
    from tidewire.spark.sync.changelog import SourceError
    from tidewire.spark.sync.choices import seconds
    from tidewire.spark.sync.run import sync as synchronised

    if not checked:
        _check(spark, of)
    progress = Progress(as_json, of.path)
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
    told = threading.Event()

    def end(*_: Any) -> None:
        """Handles Ctrl-C and SIGTERM; the second one ends the process at once."""
        told.set()
        # where Java gets the signal, too, and ends first, PySpark's calls of it and its server would print stack traces
        logging.disable()
        accumulators: Any = getattr(spark.sparkContext, "_accumulatorServer", None)
        if accumulators is not None:
            accumulators.handle_error = lambda *_: None
        running.end()
        for one in (signal.SIGINT, signal.SIGTERM):
            signal.signal(one, signal.SIG_DFL)

    for one in (signal.SIGINT, signal.SIGTERM):
        signal.signal(one, end)
    try:
        with shown(progress):
            if once:
                running.once()
            else:
                running.start(f"{seconds('every', of.every):g} seconds")
                while not told.is_set() and not running.wait(1):
                    pass
    except SourceError:
        if not told.is_set():
            raise
    finally:
        if told.is_set():
            complain("stopping: what is done of a batch counts, and the rest is done after the next start")
        running.stop()
    if once and told.is_set():
        raise typer.Exit(1)
    if once:
        _print_status(running.status(), as_json, of)


def _planned(spark: SparkSession, of: SyncFile) -> list[PlannedTable]:
    from tidewire.spark.sync.run import plan as planned

    return planned(
        spark,
        messages(of, whole=True),
        of.protocol,
        into=of.into,
        history=of.history,
        tables=of.tables,
        state=of.state,
        options=of.options,
    )


def _print_plan(one: PlannedTable, as_json: bool, file: str) -> None:
    if as_json:
        print(json_text(vars(one)))
        return
    _print_lines(with_file(line, file, one.table) for line in plan_lines(one))


def _ask(file: str, kind: str, table: str = "", **dump: Any) -> None:
    """Stores a request for the running process."""
    from tidewire.cli.sync_ask import ask

    of = read_sync_file(file)
    with _naming(file):
        complain(ask(of, kind, table, **dump))


def _print_status(found: Status, as_json: bool, of: SyncFile) -> None:
    if as_json:
        print(json_text(object_of(found)), flush=True)
        return
    lines = lines_of(found, of.path, of.files is not None)
    _print_lines([*lines, *(with_file(one, of.path) for one in maintaining.status_lines(found.maintained, of.options))])


def _print_lines(lines: Iterable[str]) -> None:
    """Prints lines; on a terminal, the continuation of a long line is indented."""
    for line in map(printable, lines):
        if not sys.stdout.isatty():
            print(line)
            continue
        indent = line[: len(line) - len(line.lstrip())]
        wide = shutil.get_terminal_size().columns
        print(textwrap.fill(line, wide, subsequent_indent=f"{indent}    ", break_on_hyphens=False) or line)
    sys.stdout.flush()
