"""The checks of an encoder of registered records before it writes a byte."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from ..json.model import Scalar
from ..meaning import images_of
from ..model import EventKind, Spec
from ..plan.checks import EventChecks, unnamed
from ..plan.events import NAMED
from ..syntax.calls import int_at, null_at
from ..syntax.nodes import Body, Expression, Method, Name, Not, Statement, all_of, any_of, when
from .model import InnerRecord, RegisteredProtocol
from .told import Ways, WrittenWay, written_with


class RegisteredChecks:
    """Plans the checks."""

    def __init__(self, spec: Spec, protocol: RegisteredProtocol, at: Mapping[str, Expression], ways: Ways) -> None:
        self.spec = spec
        self.protocol = protocol
        self.at = at
        self.ways = ways
        self.looking = EventChecks(protocol.title, at)

    def method(self, kind_names: Mapping[str, str]) -> Method:
        """The method that checks an event, by its kind."""
        kinds = self.spec.events.kinds.values()
        found = [(kind, Name(kind_names[kind.name]), self._checks(kind)) for kind in kinds]
        return self.looking.method(self.looking.kinds(found))

    def _checks(self, kind: EventKind) -> Body | None:
        """The checks for a kind; None if it has no messages."""
        if kind not in self.ways.kinds:
            return None
        cls = self.spec.events.classes[kind.cls]
        carried = self.ways.fields(kind)
        found: list[Statement] = []
        for image in map(str, cls.images):
            looked = self.looking.image(kind, image, image in images_of(self.spec, kind))
            found += when(self._when(kind, image), looked)
        for name in NAMED:
            if name in cls.needs:
                found += self.looking.missing(unnamed(name), kind, f"a {name}")
        for name, conditions in self._needed(kind).items():
            always = None in conditions
            wanted = None if always else any_of(tuple(one for one in conditions if one is not None))
            missing = all_of(wanted, null_at(self.at[name]))
            assert missing is not None
            found += self.looking.missing(missing, kind, name)
        for name in cls.fields:
            limits = self.spec.events.fields[name].range
            if limits is not None and name in carried:
                at = self.at[name]
                outside = all_of(Not(null_at(at)), Not(int_at(at).between(*limits)))
                found += self.looking.refused(outside, f"{name} is {limits[0]} to {limits[1]}")
        return tuple(found)

    def _when(self, kind: EventKind, image: str) -> Expression | None:
        """The condition under which a row image is written; None: it always is, or the kind has no such image."""
        for way in self.ways.of(kind):
            if way.case is None:
                return None
            held = next((id for one, id in way.case.images.items() if one == image), None)
            field = None if held is None else self.protocol.row.fields[held]
            if not isinstance(field, InnerRecord):
                return None
            sent = tuple(one for name, one in field.sent.items() if name == kind.name)
            return written_with(field.when or sent)  # a field in an envelope has no `when`, others have no `sent`
        return None

    def _needed(self, kind: EventKind) -> dict[str, list[Expression | None]]:
        """The event fields that messages of a kind require, each with the conditions under which they do; None: always.
        """
        found: dict[str, list[Expression | None]] = {}
        for name, condition in (pair for way in self.ways.of(kind) for pair in self._needed_by(way)):
            field = self.spec.events.fields[name]
            if field.optional and name not in NAMED and field.means != "sent":
                found.setdefault(name, []).append(condition)
        return found

    def _needed_by(self, way: WrittenWay) -> Iterator[tuple[str, Expression | None]]:
        if way.case is not None:
            for scalar in self.protocol.scalars:
                if scalar.event is not None and self.spec.events.fields[scalar.event].means == "tso":
                    yield str(scalar.event), all_of(written_with(scalar.when), way.condition)
        if way.mark is None:
            return
        condition = way.condition if self._has_rows(way) else None
        if way.mark.carries is not None:
            yield str(way.mark.carries), condition
        held = None if way.mark.part is None else self.protocol.objects[way.mark.part]
        for member in held.members.values() if held is not None else ():
            if isinstance(member, Scalar) and member.event is not None and member.absent is None:
                yield str(member.event), condition

    def _has_rows(self, way: WrittenWay) -> bool:
        assert way.mark is not None
        kind = self.spec.events.kinds[way.mark.event]
        return bool(self.spec.events.classes[kind.cls].images)
