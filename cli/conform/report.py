"""What a conformance run came to, as a table for people and as JSON."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field
from typing import Any, NamedTuple

from rich.console import Console
from rich.table import Table
from rich.text import Text

from tidewire.cli.conform.check import Result, Tally
from tidewire.cli.conform.verdict import Finding


class Group(NamedTuple):
    """What is reported in one line."""

    producer: str
    protocol: str
    option_set: str


@dataclass(slots=True)
class Report:
    """A whole run."""

    groups: dict[Group, Result] = field(default_factory=dict)
    not_yet: Counter[tuple[str, str]] = field(default_factory=Counter)
    """Messages by producer and protocol that is not built yet."""
    asked: frozenset[str] = frozenset()
    """Protocols that the user named."""
    about: dict[str, str] = field(default_factory=dict)
    """What the reasons for equivalence mean."""

    def add(self, group: Group, result: Result) -> None:
        """Count a stream."""
        self.groups.setdefault(group, Result()).__iadd__(result)

    @property
    def total(self) -> Result:
        """All groups together."""
        total = Result()
        for result in self.groups.values():
            total += result
        return total

    @property
    def missing(self) -> list[str]:
        """Protocols that the user named and that are not built."""
        return sorted({protocol for _, protocol in self.not_yet} & self.asked)

    @property
    def agrees(self) -> bool:
        """Whether nothing differs and everything that was asked for is there."""
        return not self.total.different and not self.missing


def to_json(report: Report) -> dict[str, Any]:
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
        "refused": result.refused,
        "carried": dict(Counter(result.carried)),
    }


def show(report: Report, out: Console, first: int) -> None:
    """Print the run.

    Args:
        report: the run.
        out: where to.
        first: how many differences to show.
    """
    if report.groups:
        out.print(_table(report))
    total = report.total
    for name, number in sorted(total.reasons.items()):
        out.print(Text.assemble((f"≈ {name}", "yellow"), f"  {_of(number, 'time')}. {report.about.get(name, '')}"))
    if total.refused:
        verb = "are" if total.refused > 1 else "is"
        out.print(f"{_of(total.refused, 'event')} that the producer refused {verb} refused here too")
    for error, number in sorted(Counter(total.carried).items()):
        out.print(f"{_of(number, 'event')} carried where the producer failed: {error}")
    _show_not_yet(report.not_yet, out)
    if total.findings:
        out.print(_findings(total, first))
    out.print(_verdict(report))


def _table(report: Report) -> Table:
    table = Table(
        box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="bold", show_footer=True, footer_style="bold"
    )
    total = report.total
    tallies = {"decoded": total.decoded, "re-encoded": total.reencoded, "from truth": total.from_truth}
    width = _count_width(tallies.values())
    table.add_column("recorded", footer="total", no_wrap=True)
    for title, number in (("files", total.streams), ("messages", total.messages), ("events", total.events)):
        table.add_column(title, footer=str(number), justify="right", no_wrap=True)
    for title, tally in tallies.items():
        table.add_column(title, footer=_tally(tally, width), no_wrap=True)
    for group, result in report.groups.items():
        name = Text.assemble((f"{group.producer} ", "dim"), (f"{group.protocol} ", "cyan"), group.option_set)
        numbers = (str(result.streams), str(result.messages), str(result.events))
        done = (result.decoded, result.reencoded, result.from_truth)
        table.add_row(name, *numbers, *(_tally(tally, width) for tally in done))
    return table


def _count_width(tallies: Iterable[Tally]) -> int:
    return max(len(str(tally.identical)) for tally in tallies)


def _tally(tally: Tally, width: int) -> Text:
    """Counts with their sign: = identical, ≈ equivalent, ≠ different."""
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


def _findings(total: Result, first: int) -> Table:
    shown = total.findings[:first]
    table = Table(
        title=f"The first {len(shown)} differences",
        title_justify="left",
        title_style="bold red",
        box=None,
        pad_edge=False,
    )
    for title in ("stream", "message", "event", "comparison", "where", "wanted", "got"):
        table.add_column(title, justify="right" if title in ("message", "event") else "left", overflow="fold")
    for finding in shown:
        table.add_row(*_row(finding))
    return table


def _row(finding: Finding) -> list[Text]:
    event = "" if finding.event is None else str(finding.event)
    cells = (finding.stream, str(finding.message), event, finding.what, finding.where)
    return [*(Text(cell) for cell in cells), Text(finding.wanted, "green"), Text(finding.got, "red")]


def _verdict(report: Report) -> Text:
    if report.missing:
        return Text(f"✗ not built yet: {', '.join(report.missing)}", "bold red")
    total = report.total
    if total.different:
        return Text(f"✗ {_of(total.different, 'comparison')} of messages differ", "bold red")
    return Text(f"✓ {_of(total.messages, 'message')} of {_of(total.streams, 'stream')} agree", "bold green")


def _of(number: int, noun: str) -> str:
    return f"{number} {noun}{'' if number == 1 else 's'}"
