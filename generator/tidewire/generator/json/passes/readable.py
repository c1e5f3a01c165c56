"""Rejects specs whose encoder would write messages that their decoder skips or misreads.

- The switch is a text. It is there for the classes of events whose cases have a text, and for no others.
- A message without the switch is recognized by a member: messages of its kind always have it, those of later cases
  never.
- A row image that an option leaves out is not the first one of a kind of events, and may miss.
- An object that can be `absent` carries a field of every class of events that has it.
- Changes of tables are in messages with the statement.
- A class of events with `zero` instead of a commit time has another one, unless its events are columns without values.
- Only a message in an envelope says that times are in UTC, and by what types are known.
"""

from __future__ import annotations

from collections.abc import Iterator

from ...facts import STATEMENT
from ...meaning import images_of
from ...model import COMMIT_TIMES
from ...problems import Problem, listed, problem, quoted
from ..member_types import TEXT
from ..model import ChangesMember, DescriptionMember, JsonCase, ObjectMember, RowsMember, Scalar
from .context import JsonContext, Standing


def check(context: JsonContext) -> list[Problem]:
    """The problems of this pass."""
    found = [*_switch(context), *_left_out(context)]
    for one in context.standing:
        if isinstance(one.member, ObjectMember):
            found += _empty(context, one, one.member)
        elif isinstance(one.member, ChangesMember):
            found += _changes(context, one.member)
        elif isinstance(one.member, Scalar):
            found += _times(context, one, one.member)
        elif isinstance(one.member, RowsMember) and context.protocol.envelope is None:
            for word in ("utc", "known_by"):
                if (name := getattr(one.member, word)) is not None:
                    text = f"{word}: says something of rows in an envelope, and no message is in one"
                    found.append(problem(name.location, text, f"Remove {word}:."))
    return found


def _switch(context: JsonContext) -> Iterator[Problem]:
    switch = context.protocol.switch
    if switch.type != TEXT:
        text = f"what a message is, is said by a text, not {switch.type}"
        yield problem(switch.at("type"), text, "Say text.")
    bare = [case for case in context.cases if isinstance(case, JsonCase) and case.has is not None]
    classes = [str(context.kind(case).cls) for case in context.cases if case not in bare]
    lacking = [cls for cls in dict.fromkeys(classes) if not switch.is_of(cls)]
    if lacking:
        text = f"the switch is not there for events of class {listed(lacking)}, whose cases are texts of it"
        yield problem(switch.at("of"), text, f"Add {listed(lacking)} to of:, or say missing: what they are without it.")
    for at, case in enumerate(bare):
        kind = context.kind(case)
        if switch.is_of(kind.cls):
            text = f"the switch is there for events of kind {quoted(kind.name)}, which no text of it tells"
            yield problem(case.location, text, f"Say of: in the switch, without {kind.cls}.")
        yield from _recognizing(context, case, bare[:at])


def _recognizing(context: JsonContext, case: JsonCase, before: list[JsonCase]) -> Iterator[Problem]:
    """Checks the member by which a message without the switch is recognized (`has` of its case)."""
    members, kind = context.protocol.message.members, context.kind(case)
    assert case.has is not None
    member = members[case.has]
    kept = member.event is not None and not member.again if isinstance(member, Scalar) else True
    if not kept or not isinstance(member, Scalar | ObjectMember | DescriptionMember):
        text = f"no reader looks whether {quoted(member.id)} is there"
        yield problem(case.has.location, text, "Name a member with event:, or an object.")
    elif not member.is_of(kind.cls) or member.when is not None or member.absent is not None:
        text = f"messages of events of kind {quoted(kind.name)} can lack {quoted(member.id)}"
        yield problem(case.has.location, text, "Name a member that they always have.")
    for one in before:
        assert one.has is not None
        if members[one.has].is_of(kind.cls):
            text = f"messages of events of kind {quoted(kind.name)} have {quoted(one.has)}, by which others are told"
            yield problem(case.location, text, "Move it to the front, or name another member there.")


def _left_out(context: JsonContext) -> Iterator[Problem]:
    """Checks row images that an option omits: never the first one of an event, and readers accept its absence."""
    for case in context.cases:
        if not isinstance(case, JsonCase):
            continue
        kind = context.kind(case)
        for image, name in case.images.items():
            member = context.protocol.message.members.get(name)
            option = None if not isinstance(member, RowsMember) else member.when or member.when_of.get(kind.name)
            if member is None or option is None:
                continue
            if image == images_of(context.spec, kind)[0]:
                text = f"without {option} nothing would be left of the row of events of kind {quoted(kind.name)}"
                yield problem(
                    member.at("when" if member.when is not None else "sent"),
                    text,
                    "Say the kind of events whose second row is left out.",
                )
            elif not member.may_miss:
                text = f"without {option} events of kind {quoted(kind.name)} lack the row, and no reader takes that"
                yield problem(member.at("when" if member.when is not None else "sent"), text, "Say may_miss: true.")


def _empty(context: JsonContext, one: Standing, member: ObjectMember) -> Iterator[Problem]:
    if member.absent is None:
        return
    inner = context.protocol.objects[member.part].members.values()
    carried = [scalar for scalar in inner if isinstance(scalar, Scalar) and scalar.event is not None]
    for cls in one.classes:
        fields = context.spec.events.classes[cls].fields
        if not any(scalar.is_of(cls) and scalar.event in fields for scalar in carried):
            text = f"no member of {quoted(member.part)} carries a field of class {quoted(cls)}, so it is never absent"
            yield problem(member.at("absent"), text, "Remove absent:, or add a member with event:.")


def _changes(context: JsonContext, member: ChangesMember) -> Iterator[Problem]:
    statement = context.spec.events.meaning(STATEMENT)
    if not any(one.field.name == statement for one in context.meaning.carriers):
        text = "which tables changed follows from the statement, which nothing carries"
        yield problem(member.location, text, f"Say event: {statement} in a member.")


def _times(context: JsonContext, one: Standing, member: Scalar) -> Iterator[Problem]:
    fields, classes = context.spec.events.fields, context.spec.events.classes
    if member.event is None or fields[member.event].means not in COMMIT_TIMES:
        return
    others = [
        other
        for other in context.standing
        if isinstance(other.member, Scalar)
        and other.member is not member
        and other.member.event is not None
        and fields[other.member.event].means in COMMIT_TIMES
        and not other.options
    ]
    for cls in member.zero:
        timed = any(cls in other.classes and cls not in other.member.zero for other in others)  # type: ignore[union-attr]
        if not timed and not classes[cls].columns:
            text = f"0 says nothing, and nothing else says when events of class {quoted(cls)} were committed"
            yield problem(cls.location, text, "Leave the class out.")
