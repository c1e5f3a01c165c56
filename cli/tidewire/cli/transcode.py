"""`tidewire transcode`: converts messages of one protocol to another, and reports what is lost."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated

import typer

import tidewire
from tidewire.cli.completion import complete_option, complete_protocol
from tidewire.cli.encode import Target, Writer
from tidewire.cli.inputs import FilesFormat, Hexes, Keys, batches
from tidewire.cli.protocols import load, pairs, with_defaults
from tidewire.cli.seen_tables import TablesFiles, described
from tidewire.cli.shell import FOUND_BAD, CommandError, complain, console, printable
from tidewire.cli.troubles import Troubles
from tidewire.cli.which import Named, settle, split
from tidewire.messages.delivery.transcoding import Report
from tidewire.reading.files.formats import Format

if TYPE_CHECKING:
    from rich.console import Console


SHOWN = 20
"""Number of refused events that are listed one by one."""


def _target(text: str) -> Target:
    """Parses the output format.

    Raises:
        BadParameter: it is unknown; if it is the name of a protocol, the text says where that belongs.
    """
    try:
        return Target(text)
    except ValueError:
        hint = ""
        if text in tidewire.protocols():
            hint = f"; the protocol stands before the files: tidewire transcode {text} FILES"
        raise typer.BadParameter(f"{text!r} is not one of {', '.join(Target)}{hint}") from None


def transcode(
    arguments: Annotated[
        list[str],
        typer.Argument(
            metavar="[SOURCE] TARGET [FILES]...",
            help="The protocol that is read, unless it can be detected from the messages; the one that is written; and "
            "files with messages, - is standard input.",
            autocompletion=complete_protocol,
        ),
    ],
    protocol: Named = None,
    form: FilesFormat = Format.auto,
    hexes: Hexes = None,
    key: Keys = None,
    to: Annotated[
        Target,
        typer.Option(
            parser=_target,
            metavar=f"[{'|'.join(Target)}]",
            help="JSON lines with base64, lines of hex (KEY:VALUE where there are keys), or the one message as it is.",
        ),
    ] = Target.jsonl,
    source_option: Annotated[
        list[str] | None,
        typer.Option(
            "--source-option",
            "-s",
            metavar="NAME=VALUE",
            help="An option of the source; may be repeated.",
            autocompletion=complete_option,
        ),
    ] = None,
    target_option: Annotated[
        list[str] | None,
        typer.Option(
            "--target-option",
            "-t",
            metavar="NAME=VALUE",
            help="An option of the target; may be repeated.",
            autocompletion=complete_option,
        ),
    ] = None,
    tables: TablesFiles = None,
    strict: Annotated[bool, typer.Option("--strict", help="Exit with 1 when anything is lost.")] = False,
) -> None:
    """Turn messages of one protocol into messages of another.

    What the target cannot carry is counted, and listed on standard error: fields, kinds of events, facts about
    columns, and events that it refuses. Rows share messages as the
    target's producer does it, within batches of about a thousand messages.

    The exit code is 1 when a message cannot be read, and with --strict when anything is lost.
    """
    source, target, files = _named(arguments, protocol)
    writer = load(target)
    store = described(tables)
    found = batches(files, form, hexes or [], "transcode", key or [])
    known = settle(source, found, pairs(source_option or []), store)
    reader = known.module
    made = tidewire.transcoder(
        reader.NAME,
        writer.NAME,
        with_defaults(reader, known.options, invalid_text="bytes"),
        pairs(target_option or []),
        store or (),
    )
    out = Writer(to)
    total = Report()
    troubles = Troubles(reader.NAME, options=known.options)
    for given in known.batches:
        batch = troubles.unreadable(given)
        messages, report = made.transcode([one.value for one in batch], [one.key for one in batch])
        troubles.errors(batch, report.errors)
        for one in report.refused[: SHOWN - len(total.refused)]:
            location = "" if one.message is None else f"{batch[one.message].location}: "
            complain(f"{location}{one.kind} refused: {one.reason}")
        total.add(report)
        for own, value in zip(messages.column("key").to_pylist(), messages.column("value").to_pylist(), strict=True):
            out.write(own, value)
    _show(total, console(stderr=True))
    if troubles.finish("could not be read") or (strict and not total.whole):
        raise typer.Exit(FOUND_BAD)


def _named(arguments: Sequence[str], source: str | None) -> tuple[str | None, str, list[str]]:
    """Source, target and files; the source is None if it is to be detected.

    Raises:
        CommandError: no target is given.
    """
    first, rest = split(arguments)
    second, files = (None, rest) if source is not None or first is None or not rest else split(rest)
    if first is None:
        raise CommandError("name the protocol that is written, before the files: transcode [SOURCE] TARGET FILES")
    return (source, first, files) if second is None else (first, second, files)


def _show(report: Report, out: Console) -> None:
    """Prints the report, with a table if something was lost."""
    without = f", {report.tombstones} of them without a value," if report.tombstones else ""
    out.print(f"{report.messages} messages{without} with {report.events} events became {report.written} messages")
    refused = Counter((one.kind, one.reason) for one in report.refused)
    rows = [(what, name, detail, count) for (what, name, detail), count in sorted(report.losses.items())]
    rows += [("event", kind, f"refused: {reason}", count) for (kind, reason), count in refused.most_common(SHOWN)]
    rows += [("derived", name, value, count) for (name, value), count in sorted(report.derived.items())]
    if not rows:
        return
    from rich.table import Table

    table = Table(box=None, pad_edge=False, padding=(0, 3, 0, 0), header_style="bold")
    table.add_column("events", justify="right")
    for title in ("what", "which", "what became of it"):
        table.add_column(title, overflow="fold")
    for what, name, detail, count in rows:
        table.add_row(str(count), what, printable(name), printable(detail))
    out.print(table)
