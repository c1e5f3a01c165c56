"""How objects contain each other, and which member selects the case.

- The message is one object, the root or one object of the lines; no member contains it. Every other object is contained
  in exactly one member, none contains itself, and nesting is limited. Lines are only at the root.
- The message has exactly one member with `switch`, and `cases`; no other object has either.
- A skipped case has no other words. A message without the switch is recognized by members, each for one case; where a
  text can be any class of statements, nothing else is a statement. Only the last entry may skip such messages.
- A text of which readers accept only some values is in an object whose other members are skipped.
- Each name under `skipped` is used. Such messages have no rows, and those without the switch have no switch member
  either.
- An envelope is the root. A key is an object that nothing else contains, or columns of a row; such columns can also be
  a member of a key. Only a key can be an object without members.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TypeAlias

from ...passes.common import one_of_such
from ...problems import Problem, listed, problem, quoted
from ..model import JsonObject, Member, ObjectMember, RowsMember, Scalar
from ..skipped import NOTHING
from .context import JsonContext


def check(context: JsonContext) -> list[Problem]:
    """The problems of this pass."""
    protocol = context.protocol
    users: dict[str, list[tuple[JsonObject, Member]]] = {}
    found: list[Problem] = []
    for one in protocol.objects.values():
        for member in one.members.values():
            if isinstance(member, ObjectMember):
                users.setdefault(member.part, []).append((one, member))
    nested = _nested(context)
    in_keys = {*map(str, protocol.key_parts), *(str(one.part) for one in nested)}
    found += [*_envelopes(context), *_keys(context, users, nested)]
    for one in protocol.objects.values():
        found += _users(context, one, users.get(one.name, []))
        found += _switch(context, one)
        found += _accepting(one) if one.name not in in_keys else ()
    for lines in protocol.lines.values():
        if lines.name != protocol.root:
            text = f"the part {quoted(lines.name)} is lines, and no value"
            found.append(problem(lines.location, text, "Say it under root:, or remove it."))
    return [*found, *_nesting(context, users)]


MAX_DEPTH = 32
"""The greatest nesting depth of objects."""


def _envelopes(context: JsonContext) -> Iterator[Problem]:
    protocol = context.protocol
    for one in protocol.envelopes.values():
        if one.name != protocol.root:
            text = f"the part {quoted(one.name)} is an envelope, and no value"
            yield problem(one.location, text, "Say it under root:, or remove it.")


Users: TypeAlias = Mapping[str, Sequence[tuple[JsonObject, Member]]]
"""By name of a part, the members that hold it, each with its object."""


def _keys(context: JsonContext, users: Users, nested: Sequence[ObjectMember]) -> Iterator[Problem]:
    protocol = context.protocol
    if protocol.envelope is not None and not protocol.keys:
        text = "the value is an envelope, and messages have no key"
        yield problem(protocol.root.location, text, "Say key: {CLASS: PART} in root:.")
    for cls, part in protocol.keys.items():
        if part == protocol.message_name:
            yield problem(part.location, f"{quoted(part)} is the message", "Take another object.")
        if part in protocol.flagged_columns and not context.spec.events.classes[cls].images:
            text = f"events of class {quoted(cls)} have no rows, and {quoted(part)} is columns of one"
            yield problem(part.location, text, "Name an object.")
    inside = {str(one.part) for one in nested}
    for name, columns in protocol.flagged_columns.items():
        for holder, member in users.get(name, []):
            if member not in nested:
                text = f"{holder.name}.{member.id} holds columns of a key"
                yield problem(member.location, text, "Columns lie in keys alone; say by_column: here.")
        if name not in (*protocol.key_parts, *inside):
            text = f"nothing holds the columns {quoted(name)}"
            yield problem(columns.location, text, "Say it under key:, or remove it.")


def _nested(context: JsonContext) -> list[ObjectMember]:
    """The members of keys that are parts."""
    protocol, found = context.protocol, list[ObjectMember]()
    left = [str(part) for part in protocol.key_parts]
    seen: set[str] = set()
    while left:
        name = left.pop()
        if name in protocol.objects and name not in seen:
            seen.add(name)
            held = [one for one in protocol.objects[name].members.values() if isinstance(one, ObjectMember)]
            found += held
            left += [str(one.part) for one in held]
    return found


def _users(context: JsonContext, one: JsonObject, users: Sequence[tuple[JsonObject, Member]]) -> Iterator[Problem]:
    names = listed(f"{user.name}.{member.id}" for user, member in users)
    if one.name == context.protocol.message_name:
        if users:
            text = f"{names} holds the message"
            yield problem(users[0][1].location, text, "A message lies in nothing; take another object.")
        return
    if one.name in context.protocol.key_parts:
        if users:
            text = f"{names} holds the key"
            yield problem(users[0][1].location, text, "A key lies in nothing; take another object.")
        return
    if not users:
        yield problem(
            one.location, f"nothing holds the object {quoted(one.name)}", "Say part: in a member or remove it."
        )
    elif len(users) > 1:
        text = f"{len(users)} members hold the object {quoted(one.name)}: {names}"
        yield problem(users[1][1].location, text, "Give each an object of its own.")
    elif not one.members:
        yield problem(one.at("object"), f"the object {quoted(one.name)} has no members", "Only one of a key has none.")


def _nesting(context: JsonContext, users: dict[str, list[tuple[JsonObject, Member]]]) -> Iterator[Problem]:
    """Objects that contain themselves or are nested too deeply; a cycle is reported once."""
    depths = {str(context.protocol.message_name): 0}
    for one in context.protocol.objects.values():
        path = [str(one.name)]
        while path[-1] not in depths and path[-1] in users and path[-1] not in path[:-1]:
            path.append(str(users[path[-1]][0][0].name))
        if path[-1] in path[:-1]:
            circle = path[path.index(path[-1]) :]
            text = f"the object holds itself: {' -> '.join(reversed(circle))}"
            yield problem(context.protocol.objects[circle[0]].location, text, "JSON cannot; leave one out.")
        outermost = depths.get(path[-1], 0)
        for steps, name in enumerate(reversed(path)):
            if name not in depths:
                depths[name] = outermost + steps
                if depths[name] == MAX_DEPTH + 1:
                    text = f"the object is {depths[name]} deep in the message"
                    location = context.protocol.objects[name].location
                    yield problem(location, text, f"Objects lie at most {MAX_DEPTH} deep in one another.")


def _switch(context: JsonContext, one: JsonObject) -> Iterator[Problem]:
    switches = [member for member in one.members.values() if isinstance(member, Scalar) and member.switch]
    if one.name != context.protocol.message_name:
        for member in switches:
            text = f"{quoted(one.name)} is not the message, which says what it is"
            yield problem(member.at("switch"), text, "Say event: or const: here.")
        for word in ("cases", "rest", "missing", "skipped"):
            if word in one.words:
                text = f"{quoted(one.name)} is not the message, which has the cases"
                yield problem(one.at(word), text, "Move them there.")
        return
    if not switches:
        text = f"no member of {quoted(one.name)} says what a message is"
        yield problem(one.at("object"), text, "Say switch: true in the text that does.")
    if len(switches) > 1:
        text = f"{listed(quoted(member.id) for member in switches)} both say what a message is"
        yield problem(switches[1].at("switch"), text, "They could disagree; keep one.")
    if "missing" in one.words and one.rest is not None:
        text = "a message without the switch has no class of statements, which the rest are told by"
        yield problem(one.at("missing"), text, "Remove missing:, or say cases: instead of rest:.")
    for bare in (case for case in one.missing if case.skip and one.rest is not None):
        text = f"no case skips {quoted(bare.text)}, and without the switch a message is none of the rest"
        yield problem(bare.location, text, "Say skip: in a case, or cases: instead of rest:.")
    if not one.cases and one.rest is None:
        text = f"{quoted(one.name)} has no cases"
        yield problem(one.location, text, "Say cases: what a message is by the text of the switch.")
    yield from _skipped(one)
    yield from _named(context, one)
    for case in one.cases.values():
        for word in ("images", "when", "reads", "keep", "const"):
            if case.event is None and word in case.words:
                text = f"the case {quoted(case.text)} is " + ("skipped" if case.skip else "another text of a case")
                said = "skip" if case.skip else "alias"
                yield problem(case.at(word), text, f"Remove {word}:, or say kind: instead of {said}:.")
        with_event = [str(other.text) for other in one.cases.values() if other.event is not None]
        yield from one_of_such(case.alias, "case that is a kind of event", with_event, "cases that are kinds of events")


def _accepting(one: JsonObject) -> Iterator[Problem]:
    for member in one.members.values():
        if isinstance(member, Scalar) and member.accepted is not None and not one.skip_unknown:
            word = "accepts" if member.accepts else "refused"
            text = f"{quoted(one.name)} refuses members that are not described, and passes none with one look"
            yield problem(member.at(word), text, f"Say unknown: skip, or leave {word}: out.")


def _named(context: JsonContext, one: JsonObject) -> Iterator[Problem]:
    """The schema names of messages without events."""
    for said in one.skipped.values():
        if said.named is not None and context.protocol.envelope is None:
            text = "no block beside the message has the name of its schema"
            yield problem(said.at("named"), text, "Remove it, or say connect: of what the message is in.")


def _skipped(one: JsonObject) -> Iterator[Problem]:
    """What messages without events may contain."""
    rows = [str(member.name) for member in one.members.values() if isinstance(member, RowsMember)]
    switches = [str(member.name) for member in one.members.values() if isinstance(member, Scalar) and member.switch]
    used = [name for case in one.all_cases for name in case.skip]
    used += [member.believed for member in one.members.values() if isinstance(member, Scalar) and member.believed]
    for name in used:
        yield from one_of_such(name, "name that skipped: has", one.skipped, "names there")

    bare = {str(name) for case in one.missing for name in case.skip}
    for said in one.skipped.values():
        for member, held in said.holds.members:
            if member in rows and held != NOTHING:
                yield problem(said.at(member), f"{quoted(member)} holds rows, which are never skipped", "Say nothing.")
            if member in switches and said.name in bare:
                text = f"a message with {quoted(member)} has the switch, and no case skips {quoted(said.name)}"
                yield problem(said.at(member), text, "Leave the member out, or say skip: in a case.")
