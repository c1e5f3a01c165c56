"""What follows for members of JSON from events.yaml, and is not stated in the protocol's file."""

from __future__ import annotations

from dataclasses import replace

from ..facts import TABLE_BEFORE
from ..model import Spec
from .model import ChangesMember, JsonProtocol, Member


def derived(spec: Spec, protocol: JsonProtocol) -> JsonProtocol:
    """The protocol with the event fields that members fill by what these fields mean."""
    objects = {
        name: replace(one, members={id: _member(spec, member) for id, member in one.members.items()})
        for name, one in protocol.objects.items()
    }
    return replace(protocol, objects=objects)


def _member(spec: Spec, member: Member) -> Member:
    if isinstance(member, ChangesMember):
        return replace(member, renamed=_field(spec, TABLE_BEFORE, tuple(map(str, member.of))))
    return member


def _field(spec: Spec, meaning: str, classes: tuple[str, ...]) -> str | None:
    """The field with a meaning, if events of one of these classes have it; empty: of any class."""
    name = spec.events.meaning(meaning)
    events = [one for cls, one in spec.events.classes.items() if cls in classes or not classes]
    return name if any(name in one.fields for one in events) else None
