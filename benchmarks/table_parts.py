"""What tables of docs/speed.md are made of: figures of a run, found by what they are of, in the order of some cases."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from benchmarks import go_peer, ours
from benchmarks.subjects import Subject

Cell = Mapping[str, object]
"""What a figure's result has in its fields."""
PURE = {"codec": "tidewire pure"}
OWN = {"codec": "tidewire"}
GO = {"codec": go_peer.NAME}
GO_WIRE, GO_PUBLIC = GO | {"operation": go_peer.WIRE}, GO | {"operation": go_peer.DECODE}
GO_ENCODE = GO | {"operation": go_peer.ENCODE}
COLUMNS, EVENTS = OWN | {"operation": ours.COLUMNS}, OWN | {"operation": ours.EVENTS}
FROM_COLUMNS = OWN | {"operation": ours.FROM_COLUMNS}


class Figures:
    """The figures of some cases, in their order, separated by slashes."""

    def __init__(self, document: Mapping[str, Any], cases: Sequence[Cell]) -> None:
        self.document, self.cases = document, cases

    def __call__(self, wanted: Cell) -> str:
        """One for each case, - for those that are not there; empty when none is."""
        found = [found_in(self.document, {**case, **wanted}) for case in self.cases]
        return " / ".join(f"{one[0]['ns_min']:.0f}" if one else "-" for one in found) if any(found) else ""


def both(figures: Figures, codec: str, decode: Cell) -> tuple[str, str]:
    """What a peer takes to decode and to encode."""
    whose = {"codec": codec}
    return figures({**whose, "group": "decode", **decode}), figures({**whose, "group": "encode"})


def found_in(document: Mapping[str, Any], wanted: Cell) -> list[dict[str, Any]]:
    """The figures of a run that are of these."""
    return [r for r in document["results"] if all(r[name] == value for name, value in wanted.items())]


def spread(values: Iterable[float]) -> str:
    """The least and the greatest."""
    shown = [f"{value:.1f}" for value in sorted(values)]
    return "" if not shown else shown[0] if shown[0] == shown[-1] else f"{shown[0]} to {shown[-1]}"


def table(title: str, rows: Sequence[tuple[str, str, str]]) -> Iterator[str]:
    """A title and the rows that have figures; nothing when none has."""
    shown = [f"| {what} | {decode} | {encode} |" for what, decode, encode in rows if decode or encode]
    if shown:
        yield title
        yield "\n".join(["| | decode | encode |", "|---|---|---|", *shown])


def cases_of(subject: Subject) -> list[dict[str, Any]]:
    """The recorded updates, and inserts of the subject's widths, a row a message."""
    shared = {"protocol": subject.name, "batch": 1}
    return [
        shared | {"rows": "recorded"},
        *(shared | {"rows": "synthetic", "columns": width} for width in subject.widths),
    ]


def our_rows(figures: Figures, updates: Figures) -> list[tuple[str, str, str]]:
    """What we read and write.

    Args:
        figures: of all cases.
        updates: of those that the interpreted modules were measured with.
    """
    return [
        ("Tidewire, to and from Arrow columns", figures(COLUMNS), figures(FROM_COLUMNS)),
        ("Tidewire, to events with the rows as dicts", figures(EVENTS), ""),
        ("the same interpreted, Arrow columns, updates", updates(COLUMNS | PURE), updates(FROM_COLUMNS | PURE)),
    ]
