"""How a JSON decoder fills the columns of events, and from which members."""

from __future__ import annotations

import json
from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping
from dataclasses import replace

from ..facts import DDL_TYPE
from ..model import KIND_FIELD, EventClass, Spec
from ..plan.events import EventColumn
from ..syntax.calls import EVENTS, ROW, fail, missing, put_int, put_null, put_number
from ..syntax.nodes import (
    NONE,
    Body,
    Branch,
    Do,
    Expression,
    Literal,
    Name,
    Node,
    Not,
    Statement,
    all_of,
    assign,
    chain,
    named,
    own,
    walk,
    when,
)
from .member_types import BASE64
from .members import POS, READER, has, start_of
from .model import ChangesMember, DescriptionMember, JsonProtocol, Member, RowsMember, Scalar
from .reading_nodes import ReadMember
from .sharing import ClassPuts, Put

PARTS = {"schema": 0, "table": 1}
"""The event fields that name a table, and the position of each in the table's names."""


class EventPuts(ABC):
    """Plans how the columns of events are filled; the members must be planned first.

    Attributes:
        columns: the event columns that are filled.
        members: the members with their plans for reading.
        holders: for each member, the objects that contain it.
    """

    spec: Spec
    protocol: JsonProtocol
    columns: tuple[EventColumn, ...]
    members: dict[Member, ReadMember]
    holders: dict[Member, tuple[Member, ...]]
    case_names: list[str]
    """The constants of the cases that a message can be, in order."""

    @abstractmethod
    def cursor(self, member: Member) -> Name:
        """The variable of the cursor that reads the member."""

    @abstractmethod
    def image_row(self) -> Expression:
        """The row number, in a row image, of the event that is being created."""

    def carrying(self, cls: EventClass) -> Mapping[str, Scalar]:
        """The members that carry fields of this class of events, by field."""
        scalars = [one for _, one in self.protocol.walk() if isinstance(one, Scalar) and one.event is not None]
        return {str(one.event): one for one in scalars if self._is_of(one, cls) and not one.again}

    def puts(self, cls: EventClass, name: str) -> ClassPuts:
        """How the columns of the events of a class are filled."""
        carrying = self.carrying(cls)
        commit = next((one for one in carrying.values() if self._means(one) == "tso"), None)
        return ClassPuts(name, tuple(self._put(column, cls, carrying, commit) for column in self.columns))

    def parted(self, cls: EventClass, puts: Body) -> tuple[Body, Body]:
        """The statements that fill the columns of events of a class, split into those that do not depend on the events'
        table descriptions, and those that do.
        """
        described: list[Node] = [Name(description_name(one)) for one in self.descriptions(cls).values()]
        described += [own("renamed")] if described else []
        behind = [one for one in puts if any(node in described for node in walk(one))]
        return tuple(one for one in puts if one not in behind), tuple(behind)

    def needed(self, cls: EventClass, cursor: Name) -> Body:
        """Raises errors for missing members: names of the table, then required members that carry no event field."""
        found: list[Statement] = []
        carrying = self.carrying(cls)
        names = own("table").attribute("table")
        for name, at in PARTS.items():
            if name in cls.needs and name in carrying and not carrying[name].misses(cls.key):
                field = Name(self.members[carrying[name]].field)
                found += when(names.at(at).compared("is", NONE), (missing(cursor, field),))
        for condition, field in self._required(cls):
            found += when(condition, (missing(READER, field),))
        return tuple(found)

    def _required(self, cls: EventClass) -> Iterator[tuple[Expression | None, Name]]:
        """The conditions under which required members without an event field are missing; rows are checked elsewhere.
        """
        for path, member in self.protocol.walk():
            if isinstance(member, Scalar | RowsMember | DescriptionMember) or not member.required_of(cls.key):
                continue
            if all(one.is_of(cls.key) for one in path) and self.members[member].kind not in ("mapped", "passed"):
                planned = self.members[member]
                if planned.kind == "declared" and planned.at_once:
                    continue  # already read; a column without a type is refused
                absent = start_of(planned).compared("<", 0) if planned.part else Not(has(planned))
                yield all_of(self._around(member), absent), Name(planned.field)

    def _is_of(self, member: Member, cls: EventClass) -> bool:
        return all(one.is_of(cls.key) for one in (*self.holders[member], member))

    def _means(self, member: Scalar) -> str | None:
        assert member.event is not None
        return self.spec.events.fields[member.event].means

    def _put(self, column: EventColumn, cls: EventClass, carrying: Mapping[str, Scalar], commit: Scalar | None) -> Put:
        at, name = named(column.constant), column.name
        if name == "message":
            return _plain(name, put_int(at, Name("message")))
        if name == KIND_FIELD:
            return _plain(name, put_int(at, Name("kind")))
        described = self.descriptions(cls)
        if name == "table":
            local = bool(described) and not PARTS.keys() & carrying.keys()
            return _plain(name, put_int(at, self._table(carrying, described)), local)
        if name in described:
            put = Do(own("put_described")(at, ROW, Name(description_name(described[name]))))
            return _plain(name, put, local=True)
        if any(isinstance(one, ChangesMember) and one.renamed == name for one in described.values()):
            return _plain(name, Do(own("put_described")(at, ROW, own("renamed"))), local=True)
        for word, method in (("utc", "put_utc"), ("known_by", "put_known_by")):
            said = next((getattr(one, word) for one in self.holders if isinstance(one, RowsMember)), None)
            if said == name and cls.images:
                return _plain(name, Do(own(method)(at, ROW, own("table"))))
        located = next((one.located for one in self.holders if isinstance(one, RowsMember) and one.located), None)
        if located == name and cls.images:
            return Put(name, self._located(at, cls))
        if name.endswith(("_layout", "_row")) and name not in self.spec.events.fields:
            return self._image_put(name, at, cls)
        root = self.protocol.message
        rest = root.rest if root.rest is not None and self.spec.events.kinds[root.rest.event].cls == cls.key else None
        if rest is not None and rest.names == name:
            return _plain(name, self._put_text(self.members[self.protocol.switch], READER, "put_text", at))
        by_case = self._put_by_case(name, at, cls)
        if by_case is not None:
            return by_case
        member = carrying.get(name)
        if member is None or name not in cls.fields:
            return _plain(name, put_null(at))
        return self._carried(column, member, cls, commit)

    def _put_by_case(self, name: str, at: Expression, cls: EventClass) -> Put | None:
        """Sets the DDL action that a case implies, if cases stand for kinds of statements."""
        if self.spec.events.fields[name].means != DDL_TYPE if name in self.spec.events.fields else True:
            return None
        branches = []
        kinds = self.spec.events.kinds
        for number, case in zip(self.case_names, self.protocol.message.all_cases, strict=False):
            if case.action is not None and case.event is not None and kinds[case.event].cls == cls.key:
                code = self.spec.mysql_types.ddl_types[case.action].code
                branches.append(Branch(own("case").equals(named(number)), (put_int(at, code),)))
        if not branches:
            return None
        (statement,) = chain(branches, (put_null(at),))
        return Put(name, statement)

    def descriptions(self, cls: EventClass) -> dict[str, DescriptionMember]:
        """The members that describe tables of this class of events, by event field."""
        found = [one for one in self.holders if isinstance(one, DescriptionMember) and self._is_of(one, cls)]
        return {str(one.event): one for one in found if one.event in cls.fields}

    @staticmethod
    def _table(carrying: Mapping[str, Scalar], described: Mapping[str, DescriptionMember]) -> Expression:
        """The position of the event's table: that of the named table, or of the described one."""
        if PARTS.keys() & carrying.keys() or not described:
            return own("cache").call("position_of", own("table"))
        names = [Name(description_name(one)) for one in described.values()]
        return own("position_described")(names[0], names[1] if len(names) > 1 else Literal(-1))

    def _located(self, at: Expression, cls: EventClass) -> Statement:
        """Adds the location of the event's row values to errors."""
        images = [Name(str(one)) for one in cls.images]
        branches = []
        for number, image in enumerate(images):
            others = images[number + 1 :]
            other = others[0] if others else NONE
            put = image.call("put_location", READER, EVENTS, at, ROW, other, Name(f"{image.id}_field"))
            branches.append(Branch(image.compared("is not", NONE), (Do(put),)))
        (statement,) = chain(branches, (put_null(at),))
        return statement

    def _image_put(self, name: str, at: Expression, cls: EventClass) -> Put:
        """Fills the layout or the row number of a row image; -1 if the event has no such image."""
        image, _, what = name.rpartition("_")
        nothing = put_int(at, -1)
        if image not in cls.images:
            return _plain(name, nothing)
        kept = Name(image).attribute("slots" if what == "layout" else "row_numbers")
        there = put_int(at, kept.attribute("i64").at(self.image_row()))
        (statement,) = when(Name(image).compared("is", NONE), (nothing,), (there,))
        return Put(name, statement)

    def _carried(self, column: EventColumn, member: Scalar, cls: EventClass, commit: Scalar | None) -> Put:
        at = named(column.constant)
        nothing = put_null(at)
        branches: list[Branch] = []
        if cls.key in member.zero:
            return _plain(column.name, nothing)
        if self._means(member) == "physical" and commit is not None:
            branches.append(Branch(self._is_told(commit, cls), (nothing,)))
        branches.append(Branch(self._there(member), (self._value(column, member),)))
        around = self._around(member)
        last: Statement = nothing
        if cls.key in member.omit_zero:
            last = put_number(at, column.type == "uint64", 0)
        elif member.required_of(cls.key):
            last = missing(self.cursor(member), Name(self.members[member].field))
        if last != nothing and around is not None:
            branches.append(Branch(around, (last,)))
            last = nothing
        (statement,) = chain(branches, (last,))
        return Put(column.name, statement)

    def _around(self, member: Member) -> Expression | None:
        """The condition under which all objects that contain the member are present."""
        return all_of(*(has(self.members[one]) for one in self.holders[member]))

    def _there(self, member: Scalar) -> Expression:
        """The condition under which the member has a value other than the one for absence."""
        planned = self.members[member]
        kept = own(planned.attribute)
        nothings = [json.loads(one) for one in member.nothings]
        if planned.kind == "text":
            start, end = start_of(planned), kept.attribute("end")
            tests: list[Expression] = [end.compared(">", start) if "" in nothings else start.compared(">=", 0)]
            for said in filter(None, nothings):
                text = Literal(str(said).encode())
                tests.append(Not(self.cursor(member).call("says", kept, text, Name(planned.field))))
        else:
            tests = [has(planned), *(kept.compared("!=", int(one)) for one in nothings)]
        found = all_of(self._around(member), *tests)
        assert found is not None
        return found

    def _is_told(self, member: Scalar, cls: EventClass) -> Expression:
        """The condition under which the event takes its value from the member, or an error is raised."""
        if cls.key in member.omit_zero or member.required_of(cls.key):
            return self._around(member) or Literal(True)
        return self._there(member)

    def _value(self, column: EventColumn, member: Scalar) -> Statement:
        at = named(column.constant)
        planned = self.members[member]
        if planned.kind == "text":
            method = "put_base64" if member.type == BASE64 else "put_text"
            return self._put_text(planned, self.cursor(member), method, at)
        return put_number(at, planned.kind == "uinteger" or column.type == "uint64", own(planned.attribute))

    @staticmethod
    def _put_text(member: ReadMember, cursor: Name, method: str, at: Expression) -> Do:
        return Do(cursor.call(method, EVENTS, at, ROW, own(member.attribute), Name(member.field)))


def description_name(member: DescriptionMember) -> str:
    """The variable with the position of a description."""
    return f"{member.identifier}_number"


def _plain(name: str, statement: Do, local: bool = False) -> Put:
    """A column that is always filled the same way."""
    return Put(name, replace(statement, comment=name), local)


def counted(image: Name, field: Name, compared: bool, columned: Body) -> Body:
    """Checks that an image has rows, and as many rows as the image before it.

    Args:
        image: the rows to check.
        field: the field of these rows, for errors.
        compared: whether another image comes before this one.
        columned: the statements that check that the rows have columns.
    """
    found, count = image.attribute("count"), Name("count")
    trouble = when(found.compared("<=", 0), (missing(READER, field),))
    if compared:
        other = all_of(count.compared(">=", 0), found.compared("!=", count))
        trouble += when(other, (fail(READER, "COUNT", field, POS, found, count),))
    return when(image.compared("is not", NONE), (*trouble, *columned, assign(count, found)))
