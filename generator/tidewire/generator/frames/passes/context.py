"""The context of a pass over a protocol of frames."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

from ...json.passes import JsonContext
from ...meaning import CarriedCase, ColumnFact, Meaning, Remedies
from ...passes.common import OptionUse
from ..model import FrameCase, FramesProtocol

FACTS = {"type": "types", "flags": "flags", "value": "values"}
"""The facts of a column, by the names used in a protocol's meaning."""


@dataclass(frozen=True)
class FramesContext(JsonContext):
    """One protocol of frames and its spec."""

    protocol: FramesProtocol

    remedies = Remedies(
        carry="Say event: {} in a member.",
        absent="Say absent: what is written then, or of: whose it is.",
        image="Say {}: MEMBER under a kind of kinds:.",
        columns={"types": "Say column: type in a member of the columns' part.", "values": "Say column: value there."},
        of="Add the class to of:.",
    )

    named_objects = True
    partial_images = True
    unflagged_columns = True

    wire = "json"

    @cached_property
    def carried_cases(self) -> tuple[CarriedCase, ...]:
        return tuple(one for case in self.protocol.cases for one in self._told(case))

    def _told(self, case: FrameCase) -> Iterator[CarriedCase]:
        """The kinds of events for a number in the key, each with its images; without images, the class."""
        events, column = self.spec.events, self.protocol.column
        cls = events.classes[case.cls]
        for name, images in case.kinds.items():
            rows = None if column is None else column.location
            yield CarriedCase(
                name.location, name.location, f'kind "{name}"', cls, (events.kinds[name],), tuple(images), rows
            )
        if not case.kinds:
            kinds = tuple(kind for kind in events.kinds.values() if kind.cls == case.cls)
            yield CarriedCase(case.location, case.at("class"), f'class "{case.cls}"', cls, kinds, (), None)

    @cached_property
    def meaning(self) -> Meaning:
        column = self.protocol.column
        return Meaning(
            carried_cases=self.carried_cases,
            carriers=tuple(one for standing in self.standing for one in self.carriers_in(standing)),
            facts=tuple(self._facts()),
            values=() if column is None else tuple(one.values for one in column.facts if one.values is not None),
            flags=None,
        )

    def _facts(self) -> Iterator[ColumnFact]:
        """The facts in column objects, for every class with images."""
        column = self.protocol.column
        classes = tuple(str(one.cls) for one in self.protocol.cases if one.kinds)
        for fact in column.facts if column is not None else ():
            if fact.says in FACTS:
                yield ColumnFact(
                    FACTS[fact.says],
                    str(fact.name),
                    fact.at("column"),
                    column.location if column else fact.location,
                    classes,
                    (),
                )

    def option_uses(self) -> Iterator[OptionUse]:
        for _, member in self.protocol.walk():
            if member.when is not None:
                yield OptionUse(member.when, "when", "bool")
