"""The cases of messages for a decoder: selected by the switch, or without it by the members that are present."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from ..model import EventClass, Spec
from .model import JsonCase, JsonObject, Member, Scalar, identifier
from .reading_nodes import ReadCase, ReadMember


class CaseReader:
    """Plans the cases of one protocol."""

    def __init__(
        self,
        spec: Spec,
        message: JsonObject,
        members: Mapping[Member, ReadMember],
        names: Sequence[str],
        kinds: Mapping[str, str],
    ) -> None:
        """Args:
            members: the plans for reading the message's members.
            names: the constants for the numbers of the cases.
            kinds: by kind of event, the constant of its code.
        """
        self.spec = spec
        self.message = message
        self.members = members
        self.names = names
        self.kinds = kinds

    def cases(self) -> tuple[tuple[ReadCase, ...], tuple[str, ...], ReadCase | None]:
        """The cases, all texts that the switch can have, and the case for texts that belong to no other case."""
        message = self.message
        cases = tuple(self._case(number, case) for number, case in enumerate(message.all_cases))
        texts = [str(case.text) for case in message.cases.values()]
        if message.rest is None:
            return cases, tuple(texts), None
        types = self.spec.mysql_types
        # a pass checks that the rest are classes of statements
        found = dict.fromkeys([*(str(one.cls) for one in types.ddl_types.values()), str(types.ddl_class)])
        texts += sorted(text for text in found if text not in texts)
        return cases, tuple(texts), self._of_kind(len(cases), message.rest.event, {})

    def believed(self) -> Iterator[tuple[str, tuple[ReadMember, str]]]:
        """By the method that makes the events: the member by which a message declares that it has none, and the
        constant with what such a message may contain.
        """
        for member in self.message.members.values():
            if isinstance(member, Scalar) and member.believed is not None and member.tells is not None:
                put = put_name(self.spec.events.classes[member.tells])
                yield put, (self.members[member], self.message.skipped[member.believed].constant)

    def _case(self, number: int, case: JsonCase) -> ReadCase:
        message = self.message
        read = case if case.alias is None else message.cases[case.alias]
        if read.event is None:
            skip = tuple(message.skipped[name].constant for name in read.skip)
            return ReadCase(self.names[number], "", "", (), skip, switched=case.text in message.cases)
        images = {str(image): self.members[message.members[name]] for image, name in read.images.items()}
        has = None if case.has is None else self.members[message.members[case.has]]
        return self._of_kind(number, read.event, images, has)

    def _of_kind(
        self, number: int, event: str, images: Mapping[str, ReadMember], has: ReadMember | None = None
    ) -> ReadCase:
        kind = self.spec.events.kinds[event]
        cls = self.spec.events.classes[kind.cls]
        found = tuple(images.get(str(image)) for image in cls.images)
        states = any(self.spec.events.fields[name].means == "statement" for name in cls.fields)
        code = self.kinds[kind.name]
        return ReadCase(self.names[number], code, put_name(cls), found, (), has, has is None, states)


def put_name(cls: EventClass) -> str:
    """The name of the method that makes the events of a class."""
    return f"put_{identifier(cls.key)}"
