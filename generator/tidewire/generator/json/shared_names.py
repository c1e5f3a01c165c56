"""Members of a message that have one name, of classes of events that have no message in common.

A reader takes such a member as soon as it knows which case the message is; else it keeps where it lies, and takes it
when the rest is known.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from ..model import Spec
from ..syntax.nodes import Items, Literal, Name
from .model import JsonCase, JsonObject, Member
from .read_cases import put_name
from .reading_nodes import ReadMember, texts

SHARED = "shared"
"""The kind of what is read under a name that several members have."""


@dataclass(frozen=True)
class Chosen:
    """Who is read under a name that several members have.

    Attributes:
        functions: by member, the methods that make events of its classes.
        texts: by member, the texts of the switch that messages with it have.
    """

    functions: Mapping[Member, tuple[str, ...]] = field(default_factory=dict)
    texts: Mapping[Member, tuple[str, ...]] = field(default_factory=dict)

    def texts_of(self, held: JsonObject) -> dict[int, tuple[str, ...]]:
        """The texts with which members of an object are there, by their place."""
        return {at: self.texts[one] for at, one in enumerate(held.members.values()) if one in self.texts}


def chosen(spec: Spec, message: JsonObject) -> Chosen:
    """The members of a message that share their names."""
    names = [str(one.name) for one in message.members.values()]
    shared = [one for one in message.members.values() if names.count(str(one.name)) > 1]
    events, rest = spec.events, message.rest
    kinds = {str(text): _kind(message, case) for text, case in message.cases.items()}
    if rest is not None:
        kinds |= {str(one): str(rest.event) for one in spec.mysql_types.ddl_classes if one not in kinds}
    classes = {text: str(events.kinds[kind].cls) for text, kind in kinds.items() if kind}
    return Chosen(
        {one: tuple(put_name(events.classes[cls]) for cls in one.of) for one in shared},
        {one: tuple(text for text, cls in classes.items() if cls in one.of) for one in shared},
    )


def _kind(message: JsonObject, case: JsonCase) -> str:
    """The kind of events of a case; empty if messages of it have none."""
    read = case if case.alias is None else message.cases[case.alias]
    return str(read.event or "")


def by_name(members: Sequence[ReadMember], switch: str, said: Mapping[int, tuple[str, ...]]) -> tuple[ReadMember, ...]:
    """The members of an object; several members with the same name are combined into one.

    Args:
        members: in order.
        switch: the name of the switch.
        said: by index of the member, the texts of the switch with which messages have it.
    """
    found: list[ReadMember] = []
    for name in dict.fromkeys(one.name for one in members):
        places = [at for at, one in enumerate(members) if one.name == name]
        first = members[places[0]]
        if len(places) == 1:
            found.append(first)
            continue
        shapes = Items(tuple(Items((texts(said[at]), members[at].dissected)) for at in places))
        found.append(
            ReadMember(
                first.number,
                name,
                SHARED,
                f"{first.attribute}_or_{members[places[1]].attribute.partition('_')[2]}",
                first.field,
                first.about,
                choices=tuple(members[at] for at in places),
                shape_by=Name("Shape")(Literal("json")).call("chosen", Literal(switch), shapes),
            )
        )
    return tuple(found)
