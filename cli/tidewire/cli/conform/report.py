"""The report of a conformance run, as a table for people and as JSON."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field
from typing import Any, NamedTuple

from rich.console import Console
from rich.measure import Measurement
from rich.table import Table
from rich.text import Text

from tidewire.cli.conform.check import Result, Tally
from tidewire.cli.conform.verdict import Finding
from tidewire.cli.shell import printable

RED = "bold red"
UNBOUNDED = 10_000
"""A width in columns that is enough for any table."""


class Group(NamedTuple):
    """Streams that are reported in one row."""

    producer: str
    protocol: str
    option_set: str


@dataclass(slots=True)
class ConformReport:
    """The result of a conformance run."""

    groups: dict[Group, Result] = field(default_factory=dict)
    not_yet: Counter[tuple[str, str]] = field(default_factory=Counter)
    """Number of messages by producer and protocol, for protocols that are not built."""
    asked: frozenset[str] = frozenset()
    """Protocols that the user requested."""
    about: dict[str, str] = field(default_factory=dict)
    """Explanations of the reasons for equivalence."""
    by_blocks: set[str] = field(default_factory=set)
    """Protocols with Kafka Connect schema blocks, whose types are less precise than TiDB's."""
    only_read: set[str] = field(default_factory=set)
    """Protocols without an encoder, whose messages are only decoded."""

    def add(self, group: Group, result: Result) -> None:
        """Adds the result of a stream."""
        self.groups.setdefault(group, Result()).__iadd__(result)

    @property
    def total(self) -> Result:
        """The sum of all groups."""
        total = Result()
        for result in self.groups.values():
            total += result
        return total

    @property
    def missing(self) -> list[str]:
        """Protocols that the user requested and that are not built."""
        return sorted({protocol for _, protocol in self.not_yet} & self.asked)

    @property
    def agrees(self) -> bool:
        """Whether there were messages, none differs, and all requested protocols are built."""
        return self.total.agrees and not self.missing


def to_json(report: ConformReport) -> dict[str, Any]:
    """The run as an object: `agrees`, `total`, `groups`, `reasons`, `not_yet`, `differences`."""
    total = report.total
    return {
        "agrees": report.agrees,
        "total": _numbers(total),
        "groups": [{**group._asdict(), **_numbers(result)} for group, result in report.groups.items()],
        "reasons": {name: {"messages": n, "about": report.about.get(name, "")} for name, n in total.reasons.items()},
        "not_yet": [
            {"producer": p, "protocol": name, "messages": n} for (p, name), n in sorted(report.not_yet.items())
        ],
        "differences": [asdict(finding) for finding in total.findings],
    }


def _numbers(result: Result) -> dict[str, Any]:
    return {
        "streams": result.streams,
        "messages": result.messages,
        "events": result.events,
        "decoded": asdict(result.decoded),
        "reencoded": asdict(result.reencoded),
        "from_truth": asdict(result.from_truth),
        "uncovered": result.uncovered,
        "refused": result.refused.total(),
    }


def show(report: ConformReport, out: Console, first: int) -> None:
    """Prints the report.

    Args:
        out: the console.
        first: the number of differences to show.
    """
    if report.groups:
        _show_groups(report, out)
    total = report.total
    for name, number in sorted(total.reasons.items()):
        out.print(Text.assemble((f"≈ {name}", "yellow"), f"  {_of(number, 'time')}. {report.about.get(name, '')}"))
    if total.refused:
        number = total.refused.total()
        out.print(f"{_of(number, 'event')} that the producer refused")
    for (theirs, ours), number in sorted(total.refused.items()):
        out.print(Text(f"  {_of(number, 'time')} here: {printable(ours)}; the producer: {printable(theirs)}", "dim"))
    for protocol in sorted(report.by_blocks):
        out.print(Text(f"types of {protocol} are compared as far as its schemas tell them", "dim"))
    for protocol in sorted(report.only_read):
        out.print(Text(f"{protocol} has no encoder: its messages are only decoded", "dim"))
    _show_not_yet(report.not_yet, out)
    if total.findings:
        _show_findings(total, first, out)
    out.print(_verdict(report))


def _show_groups(report: ConformReport, out: Console) -> None:
    """Prints a row per group; on a narrow terminal, a line with its name and a line with its numbers."""
    table = _table(report)
    if Measurement.get(out, out.options.update(max_width=UNBOUNDED), table).maximum <= out.width:
        out.print(table)
        return
    total = report.total
    width = _count_width(tally for _, tally in _tallies(total))
    for group, result in [*report.groups.items(), (None, total)]:
        out.print(Text("total", "bold") if group is None else _name(group))
        counts = (_of(result.streams, "file"), _of(result.messages, "message"), _of(result.events, "event"))
        out.print(Text(f"  {', '.join(counts)}"))
        for title, tally in _tallies(result):
            out.print(Text(f"    {title:<10}  ").append_text(_tally(tally, width)))


def _table(report: ConformReport) -> Table:
    table = Table(
        box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="bold", show_footer=True, footer_style="bold"
    )
    total = report.total
    width = _count_width(tally for _, tally in _tallies(total))
    table.add_column("recorded", footer="total", no_wrap=True)
    for title, number in (("files", total.streams), ("messages", total.messages), ("events", total.events)):
        table.add_column(title, footer=str(number), justify="right", no_wrap=True)
    for title, tally in _tallies(total):
        table.add_column(title, footer=_tally(tally, width), no_wrap=True)
    for group, result in report.groups.items():
        numbers = (str(result.streams), str(result.messages), str(result.events))
        table.add_row(_name(group), *numbers, *(_tally(tally, width) for _, tally in _tallies(result)))
    return table


def _tallies(result: Result) -> list[tuple[str, Tally]]:
    return [("decoded", result.decoded), ("re-encoded", result.reencoded), ("from truth", result.from_truth)]


def _name(group: Group) -> Text:
    producer, protocol, option_set = map(printable, group)
    return Text.assemble((f"{producer} ", "dim"), (f"{protocol} ", "cyan"), option_set)


def _count_width(tallies: Iterable[Tally]) -> int:
    return max(len(str(tally.identical)) for tally in tallies)


def _tally(tally: Tally, width: int) -> Text:
    """Counts with their symbols: = identical, ≈ equivalent, ≠ different."""
    parts = [(f"{tally.identical:>{width}} =", "green" if tally.identical else "dim")]
    if tally.equivalent:
        parts.append((f"{tally.equivalent:>2} ≈", "yellow"))
    if tally.different:
        parts.append((f"{tally.different:>2} ≠", "bold red"))
    return Text(" ").join(Text(text, style) for text, style in parts)


def _show_not_yet(not_yet: Mapping[tuple[str, str], int], out: Console) -> None:
    if not not_yet:
        return
    names: Counter[str] = Counter()
    for (_, protocol), number in not_yet.items():
        names[protocol] += number
    listed = ", ".join(f"{name} {number}" for name, number in sorted(names.items()))
    out.print(Text.assemble(("not yet", "dim"), f"  messages of protocols that are not built: {listed}", style="dim"))


def _show_findings(total: Result, first: int, out: Console) -> None:
    shown = total.findings[:first]
    every = total.different + total.uncovered
    out.print()
    title = f"The first {len(shown)} of {_of(every, 'difference')}" if len(shown) < every else "Differences"
    out.print(Text(title, RED))
    for finding in shown:
        out.print(_finding(finding))


def _finding(finding: Finding) -> Text:
    """A difference in a few lines: its place, the expected and the actual value."""
    location = finding.stream if finding.line is None else f"{finding.stream}:{finding.line}"
    numbers = (("message", finding.message), ("event", finding.event))
    about = [f"{name} {number}" for name, number in numbers if number is not None]
    text = Text.assemble((printable(location), "bold"), (f"  {', '.join(about)}" if about else "", "default"))
    text.append(f"\n  {finding.what}: {printable(finding.where)}")
    text.append(f"\n  wanted  {printable(finding.wanted)}", "green")
    return text.append(f"\n  got     {printable(finding.got)}", "red")


def _verdict(report: ConformReport) -> Text:
    if report.missing:
        return Text(f"✗ not built yet: {', '.join(report.missing)}", "bold red")
    total = report.total
    wrong = []
    if total.different:
        wrong.append(f"{_of(total.different, 'comparison')} of messages differ{'s' if total.different == 1 else ''}")
    if total.uncovered:
        wrong.append(f"{_of(total.uncovered, 'place')} where a stream does not cover its events")
    if wrong:
        return Text(f"✗ {', '.join(wrong)}", RED)
    if not total.messages:
        return Text("✗ nothing was compared: there is no message of a protocol that is built", RED)
    return Text(f"✓ {_of(total.messages, 'message')} of {_of(total.streams, 'stream')} agree", "bold green")


def _of(number: int, noun: str) -> str:
    return f"{number} {noun}{'' if number == 1 else 's'}"
