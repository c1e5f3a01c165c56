"""The ways in which a kind of event is written, by options and producer."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from ..facts import NEW
from ..json.model import Scalar
from ..meaning import images_of
from ..model import EventKind, Spec, Word
from ..plan.options import option_attribute
from ..syntax.nodes import Expression, all_of, any_of, own
from .model import OtherMessages, RecordCase, RecordScalar, RegisteredProtocol, ValueMark


def written_with(options: Sequence[Word]) -> Expression | None:
    """The condition that one of the options is set; None if there are no options: it always holds."""
    return any_of(tuple(own(option_attribute(one)) for one in options)) if options else None


def producer_attribute(who: str) -> str:
    """The attribute that is true if messages are written as by this producer."""
    return f"as_{who}"


@dataclass(frozen=True)
class WrittenWay:
    """One way to write a kind of event."""

    condition: Expression | None
    """The condition for it; None: always."""
    case: RecordCase | None
    mark: ValueMark | None
    """Marked values. If record and mark are both None, the message has no value or is another protocol's."""
    others: OtherMessages | None = None
    """The messages of another protocol."""


class Ways:
    """The ways of every kind, by priority."""

    def __init__(self, spec: Spec, protocol: RegisteredProtocol) -> None:
        self.spec = spec
        self.protocol = protocol
        told = [case.event for case in protocol.row.cases.values()]
        told += [mark.event for mark in protocol.value.marks]
        told += [] if protocol.value.tombstone is None else [protocol.value.tombstone]
        told += () if protocol.value.others is None else protocol.value.others.kinds
        self.kinds = tuple(kind for kind in spec.events.kinds.values() if kind.name in told)
        """The kinds that have messages."""

    def of(self, kind: EventKind) -> tuple[WrittenWay, ...]:
        """The ways of a kind, up to the first without a condition."""
        found: list[WrittenWay] = []
        for one in self._all(kind):
            found.append(one)
            if one.condition is None:
                break
        return tuple(found)

    def _all(self, kind: EventKind) -> Iterator[WrittenWay]:
        value = self.protocol.value
        for case in self.protocol.row.cases.values():
            if case.event == kind.name and case.alias is None:
                yield WrittenWay(written_with(() if case.when is None else (case.when,)), case, None)
        for mark in value.marks:
            if mark.event == kind.name:
                by = tuple(own(producer_attribute(who)) for who in mark.producers)
                condition = all_of(written_with(() if mark.when is None else (mark.when,)), any_of(by) if by else None)
                yield WrittenWay(condition, None, mark)
        if value.tombstone == kind.name:
            yield WrittenWay(None, None, None)
        if value.others is not None and kind.name in value.others.kinds:
            yield WrittenWay(written_with((value.others.when,)), None, None, value.others)

    def written(self, kind: EventKind) -> Expression | None:
        """When a kind has a message; None: always."""
        conditions = [one.condition for one in self.of(kind)]
        given = tuple(one for one in conditions if one is not None)
        return any_of(given) if len(given) == len(conditions) else None

    def carried(self, kind: EventKind, scalar: RecordScalar) -> str:
        """The event field that a record field carries for a kind."""
        old_only = NEW not in images_of(self.spec, kind)
        name = scalar.of_old if scalar.of_old is not None and old_only else scalar.event
        assert name is not None, "a field of a record says what happened, or carries something"
        return str(name)

    def fields(self, kind: EventKind) -> frozenset[str]:
        """The event fields that messages of a kind carry."""
        found: set[str] = set()
        for one in self.of(kind):
            if one.case is not None:
                found |= {self.carried(kind, scalar) for scalar in self.protocol.scalars if scalar.event}
            elif one.mark is not None and one.mark.carries is not None:
                found.add(str(one.mark.carries))
            elif one.mark is not None and one.mark.part is not None:
                members = self.protocol.objects[one.mark.part].members.values()
                found |= {str(member.event) for member in members if isinstance(member, Scalar)}
        return frozenset(found)

    @property
    def options(self) -> frozenset[str]:
        """The options that affect what is written for an event."""
        row = self.protocol.row
        found = [name for field in (*self.protocol.all_scalars, *row.inner) for name in field.when]
        found += [name for field in row.inner for name in field.sent.values()]
        found += [case.when for case in row.cases.values() if case.when is not None]
        found += [] if self.protocol.value.others is None else [self.protocol.value.others.when]
        found += [mark.when for mark in self.protocol.value.marks if mark.when is not None]
        return frozenset(map(str, found))

    @property
    def producers(self) -> tuple[str, ...]:
        """The producers that write some marks differently."""
        return tuple(dict.fromkeys(str(who) for mark in self.protocol.value.marks for who in mark.producers))
