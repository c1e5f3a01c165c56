"""The checks of a binary encoder before it writes a byte of an event."""

from __future__ import annotations

from collections.abc import Mapping

from ..facts import FIELD_RANGES
from ..model import EventKind, Keep, Spec
from ..plan.checks import EventChecks, unnamed
from ..plan.events import EventColumn
from ..syntax.calls import EVENT, null_at, number_at
from ..syntax.nodes import Body, Expression, Method, Name, Not, Statement, all_of, own
from .names import local
from .resolve import Binding, CaseUse, Resolved

NAMED = ("schema", "table")
"""The event fields that name a table."""


class WrittenChecks:
    """Plans the checks.

    Args:
        resolved: the protocol.
        columns: the event columns, by name.
        at: their constants.
        kinds: the constants of the kinds of events.
    """

    def __init__(
        self,
        spec: Spec,
        resolved: Resolved,
        columns: Mapping[str, EventColumn],
        at: Mapping[str, Expression],
        kinds: Mapping[str, Name],
    ) -> None:
        self.spec, self.resolved = spec, resolved
        self.columns, self.at, self.kinds = columns, at, kinds
        self.looking = EventChecks(resolved.protocol.title, at)

    def method(self) -> Method:
        """The checks by the kind of the event, then those for all events."""
        uses = {use.cls.key: use for use in self.resolved.cases.values()}
        found = []
        for kind in self.spec.events.kinds.values():
            use = uses.get(kind.cls)
            found.append((kind, self.kinds[kind.name], None if use is None else self._kind(kind, use)))
        common = [line for one in self._bindings(None) for line in self._field(one, "an event")]
        return self.looking.method((*self.looking.kinds(found), *common))

    def _bindings(self, case: str | None) -> list[Binding]:
        return [one for one in self.resolved.bindings if one.case == case and one.event.name not in NAMED]

    def _kind(self, kind: EventKind, use: CaseUse) -> Body:
        found: list[Statement] = []
        for image in use.cls.images:
            found += self.looking.image(kind, str(image), image in (kind.images or use.cls.images))
        for binding in self._bindings(use.case.member):
            found += self._field(binding, str(kind.name))
        for name in use.cls.needs:
            found += self.looking.missing(unnamed(name), kind, f"a {name}")
        for option in self.resolved.protocol.options.values():
            if option.keep is not None and option.keep.event == kind.name:
                found += self._kept(local(option.python_name), str(option.name), option.keep)
        return tuple(found)

    def _kept(self, option: str, name: str, keep: Keep) -> Body:
        """Checks that an option which keeps only some columns of a row image leaves at least one."""
        assert keep.flagged is not None, "a pass refuses what is kept by value"
        flag = self.spec.mysql_types.flags[keep.flagged].name
        kept = own("images_of")(EVENT, self.at[f"{keep.image}_layout"])
        none = all_of(own(option), kept.attribute("width").equals(0))
        reason = (
            f"no column is flagged {flag}, and {name} keeps only those: "
            "flag the columns of its key, or encode without it"
        )
        return self.looking.refused(none, reason)

    def _field(self, binding: Binding, who: str) -> Body:
        """Checks that a carried field is present and in the range of the wire."""
        name = str(binding.event.name)
        column, at, field = self.columns[name], self.at[name], binding.field
        value = number_at(at, column.type == "uint64")
        found: list[Statement] = []
        if field is None or field.absent is None:
            found += self.looking.refused(null_at(at), f"{who} needs {name}")
        limits = self._limits(binding, column)
        if limits is not None:
            outside = all_of(Not(null_at(at)), Not(value.between(*limits)))
            found += self.looking.refused(outside, f"{name} is {limits[0]} to {limits[1]} on the wire")
        if field is not None and field.intern is None and field.absent is not None:
            same = all_of(Not(null_at(at)), value.equals(field.absent))
            found += self.looking.refused(same, f"{name} {field.absent} means none on the wire")
        return tuple(found)

    def _limits(self, binding: Binding, column: EventColumn) -> tuple[int, int] | None:
        """The range of the wire, if it is narrower than the field's; otherwise None."""
        field = binding.field
        if field is None:
            primitive = self.spec.primitives.primitives[str(binding.section.type)]
            limits, most = primitive.range, binding.section.max
        else:
            limits, most = self.spec.primitives.chunks[field.chunk].range, field.max
        storage = FIELD_RANGES[column.type]
        if limits is None or storage is None or (field is not None and field.intern is not None):
            return None
        if most is not None:
            limits = (max(limits[0], 0), most)
        if limits[0] <= storage[0] and limits[1] >= storage[1]:
            return None
        return (max(limits[0], storage[0]), min(limits[1], storage[1]))
