"""`tidewire detect`: the protocol of messages in files, and how they were written."""

from __future__ import annotations

import dataclasses
import difflib
import json
from collections.abc import Mapping
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.table import Table
from rich.text import Text

import tidewire
from tidewire.cli.inputs import Files, FilesFormat, Hexes, Keys, batches
from tidewire.cli.protocols import OptionPairs, pairs, refuse_if_of_rows
from tidewire.cli.seen_tables import TablesFiles, described
from tidewire.cli.shell import FOUND_BAD, CommandError, complain, console, json_text, many, printable
from tidewire.messages.delivery.compression import NONE
from tidewire.reading.files.formats import Format
from tidewire.reading.undetected import UndetectedError, mixed

FALSE = "false"
MOST_MESSAGES = 4096
"""The most messages that are read; a sample of them is examined."""


def detect(
    files: Files = None,
    form: FilesFormat = Format.auto,
    hexes: Hexes = None,
    key: Keys = None,
    option: OptionPairs = None,
    tables: TablesFiles = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Detect protocol, compression, batching and, as far as possible, producer and options of messages.

    It reads the messages with every protocol and encodes their events again with every producer and option: what
    comes out as it was is the evidence. The exit code is 1 when the protocol is not sure.

    Records whose schemas a registry has can be read with -o schema-registry=FILE, or its URL; other options say how a
    connector writes values, such as -o decimal-handling-mode=precise.
    """
    known = _known(pairs(option or []))
    found: list[Any] = []
    for batch in batches(files or [], form, hexes or [], "detect", key or []):
        found += batch
        if len(found) >= MOST_MESSAGES:
            break
    for one in [one for one in found if one.problem is not None][:1]:
        complain(f"{one.location}: {one.problem}")
    good = [one for one in found if one.problem is None]
    keys = [one.key for one in good]
    detected = tidewire.detect(
        [one.value for one in good],
        keys if any(key is not None for key in keys) else None,
        known=known,
        tables=described(tables) or (),
    )
    several = None
    if not detected.sure and good:
        modules = {name: info.load() for name, info in tidewire.protocols().items()}
        several = mixed(detected, modules, good, known, described(tables) or ())
    if several is not None:
        names = " and ".join(f"-p {name}" for name in (several.protocol, *several.others))
        complain(f"{several.named()}. Read them once for each, with {names}")
    unsure = None if detected.sure or not good else UndetectedError(detected, [one.value for one in good])
    if unsure is not None and unsure.reason is not None:
        complain(unsure.reason)
    if as_json:
        typer.echo(json_text(dataclasses.asdict(detected), indent=2))
    else:
        _show(detected, console())
    if not detected.sure:
        raise typer.Exit(FOUND_BAD)


def _known(given: Mapping[str, str]) -> dict[str, str]:
    """The given options, which are those that cannot be detected from bytes.

    Raises:
        CommandError: no protocol has an option of this name.
    """
    names = {one.name for info in tidewire.protocols().values() for one in info.load().OPTIONS}
    found = {name.replace("_", "-"): value for name, value in given.items()}
    for name in sorted(found.keys() - names):
        refuse_if_of_rows(name, found[name], names)
        near = difflib.get_close_matches(name, names, n=1)
        hint = f"; did you mean {near[0]}?" if near else ""
        raise CommandError(f"-o {name}: no protocol has such an option{hint}")
    return found


def _show(found: Any, out: Console) -> None:
    style = {"sure": "bold green", "likely": "bold yellow"}.get(found.certainty, "bold red")
    out.print(Text.assemble((found.protocol or "unknown", style), f", {found.certainty}" if found.protocol else ""))
    table = Table(box=None, show_header=False, pad_edge=False, padding=(0, 2, 0, 0))
    table.add_column(no_wrap=True, style="dim")
    table.add_column(overflow="fold")
    for name, text in _facts(found):
        table.add_row(name, Text(printable(text)))
    out.print(table)


def _facts(found: Any) -> list[tuple[str, str]]:
    looked = "" if found.looked_at + found.empty >= found.messages else f", {found.looked_at:,} of them looked at"
    without = f", {found.empty:,} without a value" if found.empty else ""
    facts = [("messages", f"{found.messages:,}{looked}{without}")]
    if found.read:
        batching = "one in every message" if found.most_events == 1 else f"up to {found.most_events:,} in a message"
        facts.append(("events", f"{found.events:,} in {many(found.read, 'message')}, {batching}"))
        facts.append(("compression", found.compression if found.compression != NONE else "none"))
        if found.terminator:
            facts.append(("terminator", json.dumps(found.terminator)))
        facts.append(("producer", " or ".join(found.producers) or "none that is known"))
        shown = [f"{name}={value}" for name, value in found.options.items() if value != FALSE]
        facts += [("options" if at == 0 else "", text) for at, text in enumerate(shown)]
        if found.indifferent:
            facts.append(("unknown", ", ".join(found.indifferent)))
    facts += [("because" if at == 0 else "", text) for at, text in enumerate(found.evidence)]
    return facts
