"""`tidewire check`: checks that messages can be decoded, and that encoding them again gives the same bytes."""

from __future__ import annotations

import warnings
from itertools import chain

import typer

from tidewire.cli.eventjson import kind_of
from tidewire.cli.inputs import FilesFormat, batches
from tidewire.cli.protocols import OptionPairs, options, pairs
from tidewire.cli.seen_tables import SeenTables, TablesFiles, described
from tidewire.cli.shell import FOUND_BAD, CommandError, console, many, printable
from tidewire.cli.summary import Summary
from tidewire.cli.troubles import Troubles
from tidewire.cli.which import Named, Sources, settle, split
from tidewire.events import KINDS, ROLES, Events
from tidewire.messages.checksums.verifying import UnverifiedWarning
from tidewire.messages.detecting.reading import sample
from tidewire.messages.detecting.reencode_check import Rewriter
from tidewire.reading.files.formats import Format

SHOWN = 5
"""Number of messages with different bytes that are listed with their places."""


def check(
    sources: Sources = None,
    protocol: Named = None,
    form: FilesFormat = Format.auto,
    option: OptionPairs = None,
    tables: TablesFiles = None,
) -> None:
    """Read all messages of files, write them again, and say what does not work.

    Every message is decoded, and encoded again as the producer that the first of them tell. It prints how many events
    of each table and kind there are, which messages cannot be read and why, and how many come out as they were, but for
    what a producer writes at random. The exit code is 1 when a message cannot be read.
    """
    named, files = split(sources or [], protocol)
    strings, store = pairs(option or []), described(tables)
    found = batches(files, form, [], "check", prints=False)
    known = settle(named, found, strings, store)
    opts = options(known.module, known.options, invalid_text="bytes")
    first = next(known.batches, None)
    if first is None:
        raise CommandError("there is no message to check")
    head = [one for one in first if one.problem is None]
    told = {name.replace("_", "-"): value for name, value in known.options.items()}
    taken = sample([one.value for one in head], [one.key for one in head])
    rewriter = Rewriter(known.module, taken, told, list(store or ()), KINDS, ROLES)
    decoder = known.module.Decoder(opts, **SeenTables(known.module, tables=store).given)
    summary, troubles = Summary(list(KINDS)), Troubles(known.module.NAME, options=known.options)
    messages = tombstones = same = other = 0
    others: list[str] = []
    with warnings.catch_warnings(action="ignore", category=UnverifiedWarning):
        for batch in chain([first], known.batches):
            messages += len(batch)
            readable = troubles.unreadable(batch)
            for columns in decoder.parts([m.value for m in readable], [m.key for m in readable]):
                tombstones += len(columns.tombstones)
                for event in Events(columns):
                    summary.add(event, kind_of(event))
                troubles.errors(readable, columns.errors)
            for one in readable:
                again = rewriter.same(one.value, one.key)
                same += again is True
                if again is False:
                    other += 1
                    others += [one.location][: SHOWN - len(others)]
    out = console()
    summary.show(out, messages)
    bad = troubles.finish("could not be read")
    out.print(f"read: {messages - bad:,} of {many(messages, 'message')}" + _without(tombstones))
    fit = rewriter.fit
    if fit.best is None:
        why = next(iter(fit.evidence), "there is no message with an event")
        out.print(printable(f"written again: {why}"))
    else:
        said = ", ".join(f"{name}={value}" for name, value in fit.options.items() if value != "false")
        out.print(
            printable(
                f"written again as {' or '.join(fit.producers)}{f' with {said}' if said else ''}: {same:,} of "
                f"{many(same + other, 'message')} come out the same"
            )
        )
        if others:
            more = f" and {other - SHOWN:,} more" if other > SHOWN else ""
            out.print(printable(f"not the same: {', '.join(others)}{more}"), soft_wrap=True)
    if bad:
        raise typer.Exit(FOUND_BAD)


def _without(tombstones: int) -> str:
    return f", {tombstones:,} of them without a value (tombstones)" if tombstones else ""
