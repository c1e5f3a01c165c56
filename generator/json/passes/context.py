"""What a pass over a JSON protocol is given."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

from ...model import EventKind, Word
from ...passes.common import CommonContext, OptionUse
from ..model import DeclaredMember, JsonCase, JsonProtocol, Member, Rest, Scalar


@dataclass(frozen=True)
class Standing:
    """A member where it stands: the object members around it, the classes of events it is there for, and the options
    without which it is not."""

    path: tuple[Member, ...]
    member: Member
    classes: tuple[str, ...]
    options: tuple[Word, ...]


@dataclass(frozen=True)
class JsonContext(CommonContext):
    """One JSON protocol and the spec that it is part of.

    The message's members and cases are for the passes after `links` and `structure`, which make sure of them.
    """

    protocol: JsonProtocol

    @cached_property
    def told(self) -> tuple[JsonCase | Rest, ...]:
        """The cases that are events, and the rest."""
        message = self.protocol.message
        found: list[JsonCase | Rest] = [one for one in message.cases.values() if one.event is not None]
        return (*found, message.rest) if message.rest is not None else tuple(found)

    def kind(self, case: JsonCase | Rest) -> EventKind:
        """The kind of the events that a case stands for."""
        assert case.event is not None
        return self.spec.events.kinds[case.event]

    def images(self, kind: EventKind) -> tuple[str, ...]:
        """The row images of a kind."""
        images = kind.images if kind.images is not None else self.spec.events.classes[kind.cls].images
        return tuple(str(one) for one in images)

    def carried(self) -> list[str]:
        return list(dict.fromkeys(str(self.kind(case).cls) for case in self.told))

    @cached_property
    def standing(self) -> tuple[Standing, ...]:
        """Every member, outer ones before inner ones."""
        found = []
        for path, member in self.protocol.walk():
            around = (*path, member)
            classes = tuple(cls for cls in self.carried() if all(one.is_of(cls) for one in around))
            found.append(Standing(path, member, classes, tuple(one.when for one in around if one.when is not None)))
        return tuple(found)

    def option_uses(self) -> Iterator[OptionUse]:
        framing = self.protocol.framing
        message = self.protocol.message
        for _, member in self.protocol.walk():
            if member.when is not None:
                yield OptionUse(member.when, "when", "bool")
            if isinstance(member, DeclaredMember) and member.full is not None:
                yield OptionUse(member.full, "full", "bool")
        for case in (*message.cases.values(), *((message.rest,) if message.rest is not None else ())):
            if case.when is not None:
                yield OptionUse(case.when, "when", "bool")
        if framing is not None:
            yield OptionUse(framing.terminator, "framing.terminator", "text")

    def carriers(self, field: str) -> list[Standing]:
        """The members that carry a field of the events."""
        return [one for one in self.standing if isinstance(one.member, Scalar) and one.member.event == field]
