"""`tidewire conform`: compares recorded messages with what the codecs read and write."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer

import tidewire
from tidewire.cli.conform import recording, report, truth
from tidewire.cli.conform.check import KEPT_FINDINGS, check
from tidewire.cli.conform.report import ConformReport, Group
from tidewire.cli.shell import FOUND_BAD, CommandError, console, json_text, meter
from tidewire.events import Event


def conform(
    folder: Annotated[Path, typer.Argument(help="Folder with recordings: PRODUCER/SCENARIO/PROTOCOL.OPTIONS.jsonl.")],
    protocol: Annotated[list[str] | None, typer.Option(help="Only this protocol; may be repeated.")] = None,
    producer: Annotated[list[str] | None, typer.Option(help="Only this producer; may be repeated.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the result as JSON.")] = False,
    first: Annotated[
        int, typer.Option(min=0, max=KEPT_FINDINGS, help="How many differences to show; the first of them are kept.")
    ] = 20,
) -> None:
    """Hold recorded messages against the codecs.

    Every message is decoded and compared with what happened in the database, encoded again, and encoded from what
    happened. The exit code is 1 when anything differs for no reason that the protocol's spec names.
    """
    streams = _chosen(recording.find(folder), protocol or [], producer or [])
    result = run(streams, frozenset(protocol or []))
    if as_json:
        typer.echo(json_text(report.to_json(result), indent=2))
    else:
        report.show(result, console(), first)
    if not result.agrees:
        raise typer.Exit(FOUND_BAD)


def _chosen(
    streams: Sequence[recording.RecordedStream], protocols: Sequence[str], producers: Sequence[str]
) -> list[recording.RecordedStream]:
    """The streams that the user selected.

    Raises:
        CommandError: no stream has the name of a protocol or producer.
    """
    for option, wanted, there in (
        ("--protocol", protocols, {s.protocol for s in streams}),
        ("--producer", producers, {s.producer for s in streams}),
    ):
        unknown = [name for name in wanted if name not in there]
        if unknown:
            raise CommandError(f"{option} {unknown[0]}: the recordings have {', '.join(sorted(there))}")
    chosen = [
        s for s in streams if s.protocol in (protocols or [s.protocol]) and s.producer in (producers or [s.producer])
    ]
    if not chosen:
        raise CommandError("no recording has that protocol and that producer")
    return chosen


def run(streams: Sequence[recording.RecordedStream], asked: frozenset[str] = frozenset()) -> ConformReport:
    """Checks streams.

    Args:
        asked: protocols that must be built.

    Raises:
        CommandError: a recording has another format.
    """
    result = ConformReport(asked=asked)
    known = tidewire.protocols()
    # streams of a scenario share its recorded events, which are read once
    events_of: dict[Path, dict[int, Event]] = {}
    with meter("conform", sum(map(recording.count, streams)), prints=False) as bar:
        for stream in streams:
            bar.say(f"{stream.producer} {stream.protocol} {stream.option_set} {stream.scenario}")
            own = known.get(stream.protocol)
            module = None if own is None else own.load()
            if module is None:
                count = recording.count(stream)
                result.not_yet[stream.producer, stream.protocol] += count
                bar.advance(count)
            else:
                happened = events_of.get(stream.truth) or truth.load(stream.truth)
                events_of[stream.truth] = happened
                outcome = check(stream, recording.read(stream), happened, module, bar.advance)
                result.add(Group(stream.producer, stream.protocol, stream.option_set), outcome)
                if module.FACTS.blocks:
                    result.by_blocks.add(stream.protocol)
                if not module.FACTS.writes:
                    result.only_read.add(stream.protocol)
                result.about.update(
                    {name: about for name, about in module.FACTS.reasons.items() if name in outcome.reasons}
                )
    return result
