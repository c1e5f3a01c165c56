"""Values that are not records.

- The first byte identifies a mark: it is unique among marks, and differs from the first byte of a schema id (0, or 3
  for a UUID), except that a mark of eight bytes can be recognized by its length. A kind of event has one mark; the mark
  of a kind with rows has no object.
- The event field that a mark carries fits into its eight bytes, also if a record carries it too.
"""

from __future__ import annotations

from collections.abc import Iterator

from ...passes.carriers import fits
from ...problems import Problem, problem, quoted
from ..model import NUMBERED, UUID, ValueMark
from .context import RegisteredContext


def check(context: RegisteredContext) -> list[Problem]:
    """The problems of this pass."""
    protocol = context.protocol
    found: list[Problem] = []
    by_byte: dict[int, ValueMark] = {}
    by_kind: dict[str, ValueMark] = {}
    carriers = {one.location for one in context.meaning.carriers}
    for mark in protocol.value.marks:
        if mark.part is not None and context.spec.events.classes[context.kind(mark.event).cls].images:
            text = f"events of kind {quoted(mark.event)} are rows, of which an object says nothing"
            found.append(problem(mark.at("part"), text, "Say carries: instead."))
        found += _told(mark, by_byte.setdefault(mark.byte, mark), by_kind.setdefault(mark.event, mark))
        if mark.carries is not None and mark.carries.location not in carriers:
            found += fits(context.carried_by(mark))
    return found


def _told(mark: ValueMark, of_byte: ValueMark, of_kind: ValueMark) -> Iterator[Problem]:
    if mark.byte == NUMBERED:
        text = f"records begin with {NUMBERED} as well"
        yield problem(mark.at("const"), text, "Take another byte.")
    elif mark.byte == UUID and mark.part is not None:
        text = "records begin with it as well, where the number of their schema is a UUID"
        yield problem(mark.at("const"), text, "Take another byte.")
    elif of_byte is not mark:
        text = f"the mark {quoted(of_byte.id)} has the byte {mark.byte} already"
        yield problem(mark.at("const"), text, "A reader could not tell them apart; take another.")
    if of_kind is not mark:
        text = f"events of kind {quoted(mark.event)} have the mark {quoted(of_kind.id)} already"
        yield problem(mark.at("kind"), text, "A writer could not choose; keep one.")
