"""The plan of a JSON protocol's decoder: a function for each object, and one for each class of events."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence

from ..facts import FIELD_RANGES
from ..model import DDL_CLASS, KIND_FIELD, EventClass, EventField, Spec
from ..plan.constants import apart, kind_constants
from ..plan.events import EventColumn
from ..plan.names import NamesPlan, names_of_all
from ..texts import Code, literal
from .model import (
    BASE64,
    BOOL,
    TEXT,
    UNSIGNED,
    DeclaredMember,
    JsonObject,
    JsonProtocol,
    MappedMember,
    Member,
    NamesMember,
    ObjectMember,
    Rest,
    RowsMember,
    Scalar,
    identifier,
)
from .reading_nodes import JsonDecoderPlan, Put, PutEvent, ReadCase, ReadImage, ReadMember, ReadObject
from .sharing import share_puts
from .values import codec_constants, planned_values

SIGNED = (-(2**63), 2**63 - 1)
MISSING = "return {cursor}.fail(MISSING, {field}, {cursor}.pos, 1, 0)"
PARTS = {"schema": "schema", "table": "name"}
"""The fields of events that name a table, and what a table calls them."""


class JsonReadPlanner:
    """Plans the decoder of one protocol."""

    def __init__(self, spec: Spec, protocol: JsonProtocol, columns: Sequence[EventColumn], names: NamesPlan) -> None:
        """`columns`: those of events that are filled; `names`: the protocol's module of names."""
        self.spec = spec
        self.protocol = protocol
        self.fields: list[str] = []
        self.constants: list[str] = []
        self.objects: list[ReadObject] = []
        self.members: dict[Member, ReadMember] = {}
        self.holders: dict[Member, tuple[Member, ...]] = {member: path for path, member in protocol.walk()}
        self.columns = tuple(columns)
        self.by_name = {one.name: one for one in self.columns}
        self.taken = {*names.names, *names_of_all(spec)}
        self.kind_names = kind_constants(spec.events)
        self.case_names = [name for name, _ in names.groups[1].numbers]
        self.by_type: dict[type, list[Member]] = {}
        for _, member in protocol.walk():
            self.by_type.setdefault(type(member), []).append(member)

    def plan(self, module: str) -> JsonDecoderPlan:
        """The whole plan."""
        protocol = self.protocol
        self._objects()
        root = self.objects[0]
        declared = [self.members[one] for one in self.by_type.get(DeclaredMember, [])]
        names = tuple(self.members[one] for one in self.by_type.get(NamesMember, []))
        carrying = {str(one.event): self.members[one] for one in self._scalars()}
        cases, texts, rest = self._cases()
        values = tuple(planned_values(self.spec, table) for table in protocol.values.values())
        events, shared = share_puts([self._event(one) for one in self._classes()])
        return JsonDecoderPlan(
            source=protocol.file,
            protocol=str(protocol.name),
            module=module,
            title=protocol.title,
            about=protocol.about,
            fields=tuple(self.fields),
            constants=tuple(self.constants),
            values=values,
            codecs=codec_constants(values),
            root=root,
            objects=tuple(self.objects),
            switch=self.members[protocol.switch],
            schema=carrying.get("schema"),
            table=carrying.get("table"),
            names=names,
            named_flags=tuple(
                sum(self.spec.mysql_types.flags[flag].bit for flag in one.flags)
                for one in self.by_type.get(NamesMember, [])
                if isinstance(one, NamesMember)
            ),
            declared=declared[0] if declared else None,
            untold=self._untold(),
            rows=tuple(self.members[one] for one in self.by_type.get(RowsMember, [])),
            mapped=len(self.by_type.get(MappedMember, [])),
            cases=cases,
            texts=texts,
            rest=rest,
            rest_names="" if protocol.message.rest is None else str(protocol.message.rest.names),
            any_rest=protocol.message.rest is not None and not self._is_class(protocol.message.rest),
            events=events,
            shared=shared,
            event_columns=self.columns,
            framed=protocol.terminator is not None,
            unknown=sum(one.identifies for one in root.members),
            undescribed=sum(one.describes for one in root.members),
        )

    # ---- the members

    def _scalars(self) -> list[Scalar]:
        return [one for _, one in self.protocol.walk() if isinstance(one, Scalar) and one.event is not None]

    def _objects(self) -> None:
        """The objects with their members, whose fields follow one another; the fields of columns come last."""
        root = self.protocol.message
        waiting = [(root, "", self._field(identifier(root.name).upper(), str(root.name)))]
        while waiting:
            held, path, own = waiting.pop(0)
            members = []
            for number, member in enumerate(held.members.values()):
                field = self._field(
                    f"{identifier(held.name)}_{member.identifier}".upper(), f"{path}{member.name}".replace("{", "{{")
                )
                planned = self._member(held, member, number, field)
                self.members[member] = planned
                members.append(planned)
                if isinstance(member, ObjectMember):
                    waiting.append((self.protocol.objects[member.part], f"{path}{member.name}/", field))
            name = identifier(held.name)
            self.objects.append(
                ReadObject(
                    str(held.name),
                    f"read_{name}",
                    f"names_of_{name}",
                    own,
                    members[0].field if members else own,
                    tuple(members),
                    held.skip_unknown,
                    held.about or f"The members of {held.name}.",
                )
            )
        paths = dict(zip(self.constants, self.fields, strict=True))
        for planned in self.members.values():
            if planned.kind in ("declared", "rows"):
                inner = "{row}/{column}" if planned.kind == "rows" else "{column}"
                self._field(planned.column_field, f"{paths[planned.field]}/{inner}")

    def _field(self, name: str, path: str) -> str:
        (constant,) = apart([name], "FIELD", self.taken)
        self.taken.add(constant)
        self.constants.append(constant)
        self.fields.append(path)
        return constant

    def _member(self, held: JsonObject, member: Member, number: int, field: str) -> ReadMember:
        nested = bool(self.holders[member])
        inside = [one for path, one in self.protocol.walk() if member in path]
        return ReadMember(
            number=number,
            name=str(member.name),
            kind=self._kind(member, nested),
            attribute=f"{identifier(held.name)}_{member.identifier}",
            field=field,
            about=member.about,
            identifies=any(map(_identifies, [member, *inside])),
            describes=any(isinstance(one, NamesMember | DeclaredMember) for one in [member, *inside]),
            outlines=isinstance(member, MappedMember) and not nested and self._untold() is not None,
            limits=self._limits(member),
            which=self.by_type[type(member)].index(member),
            column_field=f"COLUMN_OF_{field}",
            function=f"read_{identifier(member.part)}" if isinstance(member, ObjectMember) else "",
            at_once=not nested,
            whole=self._whole(member),
            means=self.spec.events.fields[member.event].means or ""
            if isinstance(member, Scalar) and member.event is not None
            else "",
        )

    def _whole(self, member: Member) -> bool:
        """Whether rows in it are the first image of some kind: of an update's images the first one completes others."""
        found = set()
        for case in self.protocol.message.cases.values():
            if case.event is not None:
                kind = self.spec.events.kinds[case.event]
                images = kind.images if kind.images is not None else self.spec.events.classes[kind.cls].images
                found |= {str(name) for image, name in case.images.items() if images and image == images[0]}
        return str(member.id) in found

    def _kind(self, member: Member, nested: bool) -> str:
        if isinstance(member, Scalar):
            if member.event is None and not member.switch:
                return "believed" if member.believed else "passed"
            if member.type in (TEXT, BASE64):
                return "text"
            if member.type == BOOL:
                return "boolean"
            column = self.by_name[str(member.event)]
            return "uinteger" if member.type == UNSIGNED and column.type == "uint64" else "integer"
        if isinstance(member, MappedMember):
            return "passed" if nested else "mapped"
        if isinstance(member, NamesMember):
            return "names"
        if isinstance(member, DeclaredMember):
            return "declared"
        return "rows" if isinstance(member, RowsMember) else "object"

    def _limits(self, member: Member) -> tuple[int, int] | None:
        """What a number has to be between so that the event's field can hold it."""
        if not isinstance(member, Scalar) or member.event is None or member.type in (TEXT, BASE64, BOOL):
            return None
        field = self.spec.events.fields[member.event]
        low, high = field_range(field)
        whole = (0, 2**64 - 1) if member.type == UNSIGNED and (low, high) == (0, 2**64 - 1) else SIGNED
        if member.type == UNSIGNED:
            low = max(low, 0)
        return None if (low, high) == whole else (max(low, whole[0]), min(high, whole[1]))

    # ---- the cases

    def _classes(self) -> list[EventClass]:
        root = self.protocol.message
        told = [case.event for case in root.cases.values() if case.event is not None]
        told += [root.rest.event] if root.rest is not None else []
        kinds = self.spec.events.kinds
        return [self.spec.events.classes[name] for name in dict.fromkeys(kinds[event].cls for event in told)]

    def _untold(self) -> int | None:
        """The code of the type of columns whose type is not told, where that can be."""
        untold = self.spec.mysql_types.untold
        return untold.code if untold is not None and self.protocol.column_types else None

    def _cases(self) -> tuple[tuple[ReadCase, ...], tuple[str, ...], ReadCase | None]:
        root = self.protocol.message
        cases = []
        for number, case in enumerate(root.cases.values()):
            told = case if case.alias is None else root.cases[case.alias]
            images = tuple(
                ReadImage(str(image), self.members[root.members[name]]) for image, name in told.images.items()
            )
            cases.append(self._case(number, str(case.text), told.event, images))
        texts = [case.text for case in cases]
        if root.rest is None:
            return tuple(cases), tuple(texts), None
        types = self.spec.mysql_types
        if self._is_class(root.rest):
            found = dict.fromkeys([*(str(one.cls) for one in types.ddl_types.values()), str(types.ddl_class)])
            texts += sorted(text for text in found if text not in texts)
        return tuple(cases), tuple(texts), self._case(len(cases), "", root.rest.event, ())

    def _is_class(self, rest: Rest) -> bool:
        """Whether the rest are classes of statements."""
        return self.spec.events.fields[rest.names].means == DDL_CLASS

    def _case(self, number: int, text: str, event: str | None, images: tuple[ReadImage, ...]) -> ReadCase:
        if event is None:
            return ReadCase(self.case_names[number], text, "", "", "", (), True)
        kind = self.spec.events.kinds[event]
        return ReadCase(
            self.case_names[number],
            text,
            str(event),
            self.kind_names[kind.name],
            f"put_{identifier(kind.cls)}",
            images,
            False,
        )

    # ---- events

    def _event(self, cls: EventClass) -> PutEvent:
        images = tuple(str(one) for one in cls.images)
        carrying = {str(one.event): one for one in self._scalars() if self._is_of(one, cls)}
        needed = tuple(
            (PARTS[name], self.members[carrying[name]].field)
            for name in PARTS
            if name in cls.needs and name in carrying and not carrying[name].misses(cls.key)
        )
        commit = next((one for one in carrying.values() if self._means(one) == "tso"), None)
        puts = tuple(self._put(column, cls, carrying, commit) for column in self.columns)
        believed = tuple(
            self.members[one]
            for _, one in self.protocol.walk()
            if isinstance(one, Scalar) and one.believed and one.tells == cls.key
        )
        required = tuple(self._required(cls))
        return PutEvent(f"put_{identifier(cls.key)}", cls.about, images, needed, required, puts, believed)

    def _required(self, cls: EventClass) -> Iterator[tuple[str, str]]:
        """When members that carry nothing themselves and have to be there are missing; rows are seen to elsewhere."""
        for path, member in self.protocol.walk():
            if isinstance(member, Scalar | RowsMember) or not member.required_of(cls.key):
                continue
            if all(one.is_of(cls.key) for one in path) and self.members[member].kind not in ("mapped", "passed"):
                planned = self.members[member]
                if planned.kind == "declared" and planned.at_once:
                    continue  # it has been read; a column without a type is refused
                own = f"self.{planned.attribute}.start < 0" if planned.part else f"not self.has_{planned.attribute}"
                around = self._around(member)
                yield f"{around} and {own}" if around else own, planned.field

    def _is_of(self, member: Member, cls: EventClass) -> bool:
        return all(one.is_of(cls.key) for one in (*self.holders[member], member))

    def _means(self, member: Scalar) -> str | None:
        assert member.event is not None
        return self.spec.events.fields[member.event].means

    def _put(self, column: EventColumn, cls: EventClass, carrying: dict[str, Scalar], commit: Scalar | None) -> Put:
        place, name = column.constant, column.name
        null = f"self.events.put_null({place}, row)"
        if name == "message":
            return Put(name, (), f"self.events.put_int({place}, row, message)")
        if name == KIND_FIELD:
            return Put(name, (), f"self.events.put_int({place}, row, kind)")
        if name == "table":
            return Put(name, (), f"self.events.put_int({place}, row, self.cache.place_of(self.table))")
        if name.endswith(("_layout", "_row")) and name not in self.spec.events.fields:
            image, _, what = name.rpartition("_")
            none = f"self.events.put_int({place}, row, -1)"
            if image not in cls.images:
                return Put(name, (), none)
            where = "slots" if what == "layout" else "places"
            return Put(
                name, ((f"{image} is None", none),), f"self.events.put_int({place}, row, {image}.{where}.i64[k])"
            )
        root = self.protocol.message
        rest = root.rest if root.rest is not None and self.spec.events.kinds[root.rest.event].cls == cls.key else None
        if rest is not None and rest.names == name:
            switch = self.members[self.protocol.switch]
            return Put(name, (), f"r.put_text(self.events, {place}, row, self.{switch.attribute}, {switch.field})")
        member = carrying.get(name)
        if member is None or name not in cls.fields:
            return Put(name, (), null)
        branches: list[tuple[str, str]] = []
        if self._means(member) == "physical" and commit is not None:
            branches.append((self._told(commit, cls), null))
        return self._carried(column, member, cls, branches, null)

    def _carried(
        self, column: EventColumn, member: Scalar, cls: EventClass, branches: list[tuple[str, str]], null: str
    ) -> Put:
        place = column.constant
        branches.append((self._there(member), self._value(column, member)))
        around = self._around(member)
        last = null
        if cls.key in member.omit_zero:
            last = f"self.events.put_{'uint' if column.type == 'uint64' else 'int'}({place}, row, 0)"
        elif member.required_of(cls.key):
            last = MISSING.format(cursor=self.cursor(member), field=self.members[member].field)
        if last != null and around:
            branches.append((around, last))
            last = null
        return Put(column.name, tuple(branches), last)

    def cursor(self, member: Member) -> str:
        """The variable with the cursor that reads the member."""
        return "r"

    def _around(self, member: Member) -> str:
        """The condition under which the objects around the member are there."""
        return " and ".join(f"self.has_{self.members[one].attribute}" for one in self.holders[member])

    def _there(self, member: Scalar) -> str:
        """The condition under which the member has a value that does not stand for nothing."""
        planned = self.members[member]
        own = f"self.{planned.attribute}"
        nothings = [json.loads(one) for one in member.nothings]
        if planned.kind == "text":
            condition = f"{own}.end > {own}.start" if "" in nothings else f"{own}.start >= 0"
            for said in filter(None, nothings):
                text = literal(str(said).encode())
                condition += f" and not {self.cursor(member)}.says({own}, {text}, {planned.field})"
        else:
            condition = " and ".join([f"self.has_{planned.attribute}", *(f"{own} != {int(one)}" for one in nothings)])
        around = self._around(member)
        return Code(f"{around} and {condition}" if around else condition)

    def _told(self, member: Scalar, cls: EventClass) -> str:
        """The condition under which the event gets a value from the member, or there is trouble."""
        if cls.key in member.omit_zero or member.required_of(cls.key):
            return self._around(member) or "True"
        return self._there(member)

    def _value(self, column: EventColumn, member: Scalar) -> str:
        place = column.constant
        planned = self.members[member]
        if planned.kind == "text":
            method = "put_base64" if member.type == BASE64 else "put_text"
            return (
                f"{self.cursor(member)}.{method}(self.events, {place}, row, self.{planned.attribute}, {planned.field})"
            )
        put = "put_uint" if planned.kind == "uinteger" or column.type == "uint64" else "put_int"
        return f"self.events.{put}({place}, row, self.{planned.attribute})"


def field_range(field: EventField) -> tuple[int, int]:
    """The numbers that a field of the events can hold."""
    return field.range or FIELD_RANGES[field.type] or SIGNED


def _identifies(member: Member) -> bool:
    return isinstance(member, Scalar) and (member.switch or member.event in PARTS)
