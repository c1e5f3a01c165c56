"""Rows whose message is too long, and the compression of messages.

- Every choice except the default, which refuses such rows, has a way.
- The event field that marks a shortened message is carried, for events with row images. It is a text (the location) if
  the whole message is stored in a file, otherwise a bool.
- Kinds whose long messages are refused have no row images.
- Choices of compression are supported ones.
"""

from __future__ import annotations

from collections.abc import Iterator

from ..model import COMPRESSIONS, Large, LargeWay
from ..problems import Problem, listed, problem, quoted
from .common import CommonContext


def check(context: CommonContext) -> list[Problem]:
    """The problems of this pass."""
    protocol = context.protocol
    found: list[Problem] = []
    if protocol.large is not None:
        found += _large(context, protocol.large)
    if protocol.compression is not None:
        option = protocol.options[protocol.compression]
        for choice in option.choices:
            if choice not in COMPRESSIONS:
                text = f"unknown compression {quoted(choice)}"
                found.append(problem(choice.location, text, f"Known are {listed(COMPRESSIONS)}."))
    return found


def _large(context: CommonContext, large: Large) -> Iterator[Problem]:
    option = context.protocol.options[large.option]
    for choice in option.choices:
        if choice != option.default and choice not in large.ways:
            text = f"nothing says what {quoted(choice)} does with a row that is too long"
            yield problem(large.at("ways"), text, "Say it, or remove the choice.")
    for name in large.kinds:
        if context.spec.events.classes[context.spec.events.kinds[name].cls].images:
            text = f"events of kind {quoted(name)} have rows, of which the option says what becomes"
            yield problem(name.location, text, "Name kinds without row images.")
    for way in large.ways.values():
        if way.choice == option.default:
            text = f"{quoted(way.choice)} is the default, which refuses rows that are too long"
            yield problem(way.location, text, "Make a choice without a way the default.")
        yield from _mark(context, way)


def _mark(context: CommonContext, way: LargeWay) -> Iterator[Problem]:
    field = context.spec.events.fields[way.mark]
    classes = context.spec.events.classes
    carriers = [one for one in context.meaning.carriers if one.field is field]
    if not any(classes[cls].images for one in carriers for cls in one.classes):
        text = f"nothing of a row's message carries {quoted(way.mark)}"
        yield problem(way.mark.location, text, context.remedies.carry.format(way.mark))
    wanted = "text" if way.store is not None else "bool"
    if field.type != wanted:
        text = f"the field {quoted(way.mark)} is {field.type}, a mark is {wanted}"
        remedy = "It says where the message is stored." if way.store is not None else "Name one that is a bool."
        yield problem(way.mark.location, text, remedy)
    for name in way.also:
        beside = context.spec.events.fields[name]
        if beside.type != "bool" or not any(one.field is beside for one in context.meaning.carriers):
            text = f"{quoted(name)} is no truth value that a message carries"
            yield problem(name.location, text, "Name one that does.")
