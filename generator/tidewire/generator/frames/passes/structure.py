"""How the parts of a protocol of frames contain each other.

- Key and value are frames; a number in the key's object selects the case of an event, and each number has one case.
- Lengths and the number before them have 64 bits, big endian.
- All producers escape the member names of a column's object alike.
- Every object is the key's, or the value's of some case. In a column's object, all members say something of the column,
  and the value comes last. Row images are in the value. Words of other objects are not said.
- Producers write every member that events of a class need, and `absent` stands for what they leave out.
- The kinds of a case belong to its class, each with images that do not already select an earlier kind.
"""

from __future__ import annotations

from collections.abc import Iterator

from ...json.member_types import INTEGER, UNSIGNED
from ...json.model import OMIT, ImageMember, JsonObject, Scalar
from ...json.passes.context import NUMBERS
from ...json.spelling import spelled
from ...model import COMMIT_TIMES, Located
from ...problems import Problem, listed, problem, quoted
from ..model import ColumnPart, FrameCase, Frames
from .context import FramesContext

LENGTHS = ("u64be",)
"""The primitives that lengths may use."""


def check(context: FramesContext) -> list[Problem]:
    """The problems of this pass."""
    protocol = context.protocol
    found = [
        *_lengths(protocol.key_frames, of_value=False),
        *_lengths(protocol.value_frames, of_value=True),
        *_switch(context),
        *_used(context),
    ]
    for column in protocol.columns.values():
        found += [
            *_column(column),
            *_spelled(context, column),
            *_words(column, "a column's object", ("kinds", "order")),
        ]
    for held in protocol.objects.values():
        found += _object(context, held)
    for case in protocol.cases:
        found += _kinds(context, case)
    return found


def _lengths(frames: Frames, of_value: bool) -> Iterator[Problem]:
    if frames.size not in LENGTHS:
        text = f"a length is no {frames.size}"
        yield problem(frames.size.location, text, f"Lengths are {listed(LENGTHS)}.")
    if frames.head is not None and of_value:
        text = "only keys have a number before their frames"
        yield problem(frames.at("head"), text, "Remove head:.")
    elif frames.head is not None and frames.head.type not in LENGTHS:
        text = f"the number before the frames is no {frames.head.type}"
        yield problem(frames.head.type.location, text, f"It is {listed(LENGTHS)}.")


def _switch(context: FramesContext) -> Iterator[Problem]:
    message = context.protocol.message
    switches = [one for one in message.members.values() if isinstance(one, Scalar) and one.switch]
    if not switches:
        text = f"no member of {quoted(message.name)} says what an event is"
        yield problem(message.location, text, "Say switch: true in the number that does.")
    for again in switches[1:]:
        text = f"{quoted(switches[0].id or '')} says what an event is already"
        yield problem(again.at("switch"), text, "They could disagree; keep one.")
    by = f"{message.name}.{switches[0].id}" if switches else ""
    if switches and context.protocol.by is not None and context.protocol.by != by:
        text = f"what an event is, is said by {by}"
        yield problem(context.protocol.by.location, text, f"Say by: {by}.")
    for one in switches:
        if one.type not in (INTEGER, UNSIGNED):
            yield problem(one.at("type"), f"what an event is, is said by a number, not {one.type}", "Say integer.")
        yield from _words(one, "the switch, which is always there", ("of", "when", "producers", "absent"))
    low, high = NUMBERS[switches[0].type] if switches and switches[0].type in NUMBERS else NUMBERS[INTEGER]
    for case in context.protocol.cases:
        if not _is_between(str(case.text), low, high):
            text = f"{quoted(case.text)} is no number that the switch can be"
            yield problem(case.location, text, f"Say one from {low} to {high}, in decimal digits.")
    for held in context.protocol.objects.values():
        for member in held.members.values():
            if held is not message and isinstance(member, Scalar) and member.switch:
                text = f"{quoted(held.name)} is not the key's object, which says what an event is"
                yield problem(member.at("switch"), text, "Say event: here.")


def _words(one: Located, what: str, words: tuple[str, ...]) -> Iterator[Problem]:
    """Reports words that have no effect in `what`."""
    for word in words:
        if word in one.words:
            yield problem(one.at(word), f"{word}: says nothing in {what}", f"Remove {word}:.")


def _object(context: FramesContext, held: JsonObject) -> Iterator[Problem]:
    """Problems of an object: words and members that belong in the key, a value with rows, or a column's object."""
    fields, classes = context.spec.events.fields, context.spec.events.classes
    if held is context.protocol.message:
        yield from _words(held, "the key's object", ("kinds", "sorted"))
    else:
        rows = any(classes[case.cls].images for case in context.protocol.cases if case.body == held.name)
        yield from _words(held, "an object of the value", ("sorted", "order", *(() if rows else ("kinds",))))
        for member in held.members.values():
            yield from _words(member, "an object of the value, whose case says the class", ("of",))
    for member in held.members.values():
        yield from _words(member, "a member that says nothing of a column", ("may_miss",))
        if "column" in member.words:
            text = f"other members of {quoted(held.name)} say nothing of a column"
            yield problem(member.at("column"), text, "A column has an object of its own.")
        if isinstance(member, ImageMember) and held is context.protocol.message:
            yield problem(member.location, "a row image is in an object of the value", "Move it there.")
        if not isinstance(member, Scalar):
            continue
        if member.const is not None:
            yield from _words(member, "a constant", ("absent",))
        if member.event is None or not member.producers or {*context.protocol.producers} <= {*member.producers}:
            continue
        needed = [cls for cls in context.carried() if member.event in classes[cls].needs and member.is_of(cls)]
        if needed or fields[member.event].means in COMMIT_TIMES:
            text = f"some producers do not write {quoted(member.event)}, which events need"
            yield problem(member.at("producers"), text, "Remove producers:.")
        elif member.absent is None:
            text = f"some producers do not write {quoted(member.name)}, and no reader takes a message without it"
            yield problem(member.at("producers"), text, "Say absent: what stands for nothing.")


def _spelled(context: FramesContext, column: ColumnPart) -> Iterator[Problem]:
    """Reports names of column facts that producers escape differently: the encoder has one text for all of them."""
    protocol = context.protocol
    for fact in column.facts:
        if len({spelled(str(fact.name), protocol.spelling.of(producer)) for producer in protocol.producers}) > 1:
            text = f"producers spell the name {quoted(fact.name)} differently"
            yield problem(fact.name.location, text, "Take a name without what only some of them escape.")


def _used(context: FramesContext) -> Iterator[Problem]:
    protocol = context.protocol
    bodies = {str(one.body) for one in protocol.cases}
    for held in protocol.objects.values():
        if held is not protocol.message and held.name not in bodies:
            text = f"nothing holds the object {quoted(held.name)}"
            yield problem(held.location, text, "Name it in a case of the choice, or remove it.")
    for name in protocol.frames:
        if name not in (protocol.root, protocol.key):
            text = f"the part {quoted(name)} is neither key nor value"
            yield problem(protocol.frames[name].location, text, "Name it in root:, or remove it.")
    for name in protocol.choices:
        if name != protocol.value_frames.part:
            yield problem(name.location, f"nothing holds the choice {quoted(name)}", "Remove it.")
    parts = {str(image.part) for image in protocol.images}
    for column in protocol.columns.values():
        if column.name not in parts:
            text = f"no row image has columns as {quoted(column.name)}"
            yield problem(column.location, text, "Name it under by_column:, or remove it.")
    if len(parts) > 1:
        text = f"columns are written as {listed(sorted(parts))}"
        yield problem(protocol.images[-1].part.location, text, "A column has one way to be written.")


def _column(column: ColumnPart) -> Iterator[Problem]:
    if not column.skip_unknown:
        text = "a reader skips what a column has besides"
        yield problem(column.location, text, "Say unknown: skip.")
    for fact in column.facts:
        if fact.says == "flag" and fact.absent != OMIT:
            text = f"a column without the flag {quoted(fact.flagged or '')} has no such member"
            yield problem(fact.location, text, "Say absent: omit.")
        elif fact.says == "flags" and not fact.may_miss:
            text = "a reader does not miss the flags of a column"
            yield problem(fact.location, text, "Say may_miss: true.")
        if fact.says != "flag":
            yield from _words(fact, f"the {fact.says} of a column, which is always written", ("absent",))
        if fact.says != "flags":
            yield from _words(fact, f"the {fact.says} of a column", ("may_miss",))
    last = column.facts[-1]
    if last.says != "value" and column.saying("value") is not None:
        text = f"{quoted(last.name)} stands behind the value"
        yield problem(last.location, text, "Type and flags say how the value is read: list it last.")


def _kinds(context: FramesContext, case: FrameCase) -> Iterator[Problem]:
    cls = context.spec.events.classes[case.cls]
    if case.body is None or not case.kinds:
        if cls.images:
            yield problem(case.location, f"nothing says which kind events of {quoted(case.cls)} are", "Say kinds:.")
        return
    body = context.protocol.objects[case.body]
    before: list[set[str]] = []
    for name, held in case.kinds.items():
        kind = context.spec.events.kinds[name]
        if kind.cls != case.cls:
            yield problem(name.location, f"{quoted(name)} is no kind of class {quoted(case.cls)}", "Remove it.")
            continue
        members = {str(one) for one in held.values()}
        told = next((one for one in before if one <= members), None)
        if told is not None:
            text = f"what has {listed(sorted(members))} is of a kind above it"
            yield problem(name.location, text, "List kinds with more images first.")
        before.append(members)
        for member in held.values():
            if not isinstance(body.members[member], ImageMember):
                yield problem(
                    member.location, f"the member {quoted(member)} is no row image", "Name one with by_column:."
                )


def _is_between(text: str, low: int, high: int) -> bool:
    """Whether a text is a number of this range in decimal digits, written as JSON writes it."""
    digits = text.removeprefix("-")
    few = digits.isascii() and digits.isdecimal() and len(text) <= max(len(str(low)), len(str(high)))
    return few and str(int(text)) == text and low <= int(text) <= high
