"""Messages without a row, which are another protocol's (`others`).

- That protocol is JSON in Kafka Connect's envelope. It has messages for the listed kinds of events, which have no rows
  and no case or mark in this protocol. All producers of this protocol are producers of that one. Its messages have
  schema blocks with the given options, and each block has a name, under which its schema is registered.
- The given options belong to that protocol and have valid values.
- Schemas of this protocol are translated from Kafka Connect. Its rows are records in an envelope, by which readers
  distinguish them from other messages. Other records in the envelope are not named after a table, since such messages
  have none.
"""

from __future__ import annotations

from collections.abc import Iterator

from ...json.connect_blocks import words_of_keys, words_of_values
from ...json.model import JsonProtocol
from ...model import Option
from ...passes.common import named
from ...problems import Problem, listed, problem, quoted
from ..model import TABLE, OtherMessages
from .context import RegisteredContext

TYPES = {"int": int, "bool": bool, "choice": str, "text": str}
"""Python types of option values."""


def check(context: RegisteredContext) -> list[Problem]:
    """The problems of this pass."""
    others = context.protocol.value.others
    if others is None:
        return []
    found = [*_kinds(context, others), *_envelope(context, others)]
    other = context.spec.protocols[others.protocol]
    if not isinstance(other, JsonProtocol) or other.envelope is None or other.connect is None:
        text = f"messages of {quoted(other.name)} are no JSON in Kafka Connect's envelope"
        found.append(problem(others.protocol.location, text, "Name a protocol whose messages are."))
        return found
    held = other.objects.get(other.message_name)
    told = set() if held is None else {str(one.event) for one in held.all_cases if one.event is not None}
    for name in others.kinds:
        if name not in told:
            text = f"{quoted(other.name)} has no messages for events of kind {quoted(name)}"
            found.append(problem(name.location, text, "Remove it."))
    missing = [str(who) for who in context.protocol.producers if who not in other.producers]
    if missing:
        text = f"{listed(missing)} is no producer of {quoted(other.name)}"
        found.append(problem(others.protocol.location, text, "It writes these messages as well: add it there."))
    found += _options(others, other)
    found += _blocks(context, others, other)
    return found


def _kinds(context: RegisteredContext, others: OtherMessages) -> Iterator[Problem]:
    told = [str(case.event) for case in context.protocol.row.cases.values()]
    told += [str(mark.event) for mark in context.protocol.value.marks]
    for name in others.kinds:
        if name in told:
            text = f"events of kind {quoted(name)} are said in another way already"
            yield problem(name.location, text, "Keep one.")
        elif context.spec.events.classes[context.kind(name).cls].images:
            text = f"events of kind {quoted(name)} are rows"
            yield problem(name.location, text, "Give them a case.")


def _envelope(context: RegisteredContext, others: OtherMessages) -> Iterator[Problem]:
    protocol = context.protocol
    if protocol.schemas.connect is None:
        text = "messages of no row have schemas of Kafka Connect, and those of rows have not"
        yield problem(others.location, text, "Say connect: under schemas.")
    if protocol.row.rows:
        text = f"{quoted(protocol.row.part)} has columns, by which no reader tells a row from others"
        yield problem(others.location, text, "Put the columns of rows into records of their own.")
        return
    for _, record in protocol.inside:
        if not record.rows and TABLE in record.named:
            text = f"{quoted(record.part)} is named after the table, which messages of no row do not have"
            yield problem(record.at("named"), text, f"Say named: without {TABLE}.")


def _options(others: OtherMessages, other: JsonProtocol) -> Iterator[Problem]:
    for name in others.options:
        yield from named(name, "option", other.options)
    for name, value in others.options.items():
        option = other.options.get(name)
        if option is not None and not _can_be(option, value):
            text = f"the option {quoted(name)} of {quoted(other.name)} cannot be {str(value).lower()}"
            yield problem(name.location, text, f"It is of type {option.type}: say what it can be there.")


def _can_be(option: Option, value: object) -> bool:
    if type(value) is not TYPES[option.type] or (option.choices and value not in option.choices):
        return False
    return option.range is None or (isinstance(value, int) and option.range[0] <= value <= option.range[1])


def _blocks(context: RegisteredContext, others: OtherMessages, other: JsonProtocol) -> Iterator[Problem]:
    unless = None if other.envelope is None else other.envelope.unless
    option = None if unless is None else other.options.get(unless)
    if option is not None and others.options.get(option.name, option.default) is True:
        text = f"with the option {quoted(option.name)} messages of {quoted(other.name)} have no blocks"
        yield problem(others.location, text, f"Say {option.name}: false under options:.")
    for blocks in (words_of_values(other), words_of_keys(other)):
        for name in others.kinds:
            cls = context.spec.events.classes[context.kind(name).cls]
            block = blocks.get(cls.key)
            if block is not None and block.named is None and not cls.images:
                text = f"blocks of {quoted(other.name)} for events of kind {quoted(name)} have no name"
                yield problem(name.location, text, "Say named: of them there, under which they are registered.")
