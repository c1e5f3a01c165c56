"""The plan of an encoder: one function for each part, its steps in the order in which a writer can take them.

Numbers that a reader is told are derived here: a size by measuring what was written, a count by counting. A part
that has to be measured before its turn is written to a spare sink and put in its place later.
"""

from __future__ import annotations

from ..facts import FIELD_RANGES
from ..model import Estimate, Keep, Spec
from ..plan.carried import carried_columns
from ..plan.constants import kind_constants
from ..plan.names import flag_constants
from ..plan.options import wire_options
from ..texts import literal
from . import operations as op
from .model import (
    Choice,
    Chunks,
    ColumnField,
    Section,
    Sections,
    Tables,
    Terms,
)
from .names import Names, local
from .references import Number, NumberKind
from .resolve import Binding, CaseUse, ClaimedBy, Resolved
from .writing_nodes import (
    CheckedField,
    CheckedKind,
    EncoderPlan,
    PlannedBatching,
    PlannedKeep,
    WriteFunction,
    WriteImageColumns,
    WriteTables,
    WriteTerms,
    WrittenCase,
    WrittenRow,
)

EVENT = ("event", "cython.Py_ssize_t", "Py_ssize_t")
RANGE = (("first", "cython.Py_ssize_t", "Py_ssize_t"), ("stop", "cython.Py_ssize_t", "Py_ssize_t"))
IMAGE = (
    ("images", "WrittenImages", "WrittenImages"),
    ("row", "cython.Py_ssize_t", "Py_ssize_t"),
    ("code", "cython.longlong", "long long"),
)


class WritePlanner:
    """Plans the encoder of one protocol."""

    def __init__(self, spec: Spec, resolved: Resolved) -> None:
        self.spec = spec
        self.resolved = resolved
        self.protocol = resolved.protocol
        self.names = Names(spec, resolved)
        self.columns = carried_columns(spec.events, resolved.fields)
        self.by_name = {one.name: one for one in self.columns}
        self.at = {one.name: one.constant for one in self.columns}
        self.kind_names = kind_constants(spec.events)
        self.flag_names = flag_constants(spec)
        self.numbers: list[str] = []
        self.sinks: list[str] = []
        self.dictionaries: list[str] = []
        self.functions: list[WriteFunction] = []
        self.terms: list[WriteTerms] = []
        self.tables: WriteTables | None = None
        images = [use.images for use in resolved.cases.values() if use.images is not None]
        self.images = images[0] if images else None

    def plan(self, module: str) -> EncoderPlan:
        """The whole plan."""
        root = self.resolved.root
        steps = self._steps(root, None, "s")
        function = WriteFunction(
            "write_message", " | ".join(str(one.id) for one in root.sections), root.about, RANGE, steps
        )
        name = None if self.images is None else self.images.parts["name"]
        value = None if self.images is None else self.images.parts["value"]
        kind = None if self.images is None else self.images.parts["type"]
        bound: dict[str, Binding] = {one.event.name: one for one in self.resolved.bindings if one.case is None}
        return EncoderPlan(
            source=self.protocol.file,
            protocol=self.protocol.name,
            module=module,
            title=self.protocol.title,
            about=self.protocol.about,
            values=tuple(self.protocol.values),
            value_table="" if value is None else str(value.values),
            options=tuple(
                (local(one.python_name), "bool" if one.type == "bool" else "int") for one in wire_options(self.protocol)
            ),
            numbers=tuple(dict.fromkeys(self.numbers)),
            sinks=tuple(dict.fromkeys(self.sinks)),
            dictionaries=tuple(dict.fromkeys(self.dictionaries)),
            names_terms=None if name is None or name.intern is None else local(name.intern),
            root=function,
            functions=tuple(self.functions),
            terms=tuple(self.terms),
            tables=self.tables,
            body=f"write_{self.resolved.switch.part.name}",
            cases=tuple(self._case(member, use) for member, use in self.resolved.cases.items()),
            checks=self._kinds(),
            common=tuple(
                self._checked(one)
                for one in self.resolved.bindings
                if one.case is None and one.event.name not in ("schema", "table")
            ),
            keeps=tuple(
                self._keep(local(one.python_name), str(one.name), one.keep)
                for one in self.protocol.options.values()
                if one.keep is not None
            ),
            batching=self._batching(),
            images=self._image_places(),
            table_terms=(self._terms_of(bound.get("schema")), self._terms_of(bound.get("table"))),
            at=self.at,
            event_columns=self.columns,
            times=self._times(),
            type_limit=255 if kind is None or kind.max is None else kind.max,
        )

    def _times(self) -> tuple[str, ...]:
        """The functions of the runtime that give every event the times that this protocol writes."""
        meant = {one.event.means for one in self.resolved.bindings}
        return tuple(
            function for means, function in (("physical", "with_commit_ms"), ("sent", "with_sent_ms")) if means in meant
        )

    @staticmethod
    def _terms_of(binding: Binding | None) -> str | None:
        if binding is None or binding.field is None or binding.field.intern is None:
            return None
        return local(binding.field.intern)

    # ---- a part of sections

    def _steps(self, part: Sections, case: CaseUse | None, sink: str) -> op.Operations:
        """The steps of a part in wire order, with parts before their turn where something needs their size."""
        done: list[op.Operation] = []
        spared: set[str] = set()
        written: set[str] = set()

        def write(section: Section, target: str) -> None:
            for other in self._needed(part, section):
                if other.id not in written and other.id not in spared:
                    spare = f"spare_{other.id}"
                    self.sinks.append(spare)
                    done.append(op.Spare(spare))
                    spared.add(other.id)
                    write(other, f"self.{spare}")
            done.extend(self._write(part, section, case, target))

        for section in part.sections:
            if section.id in spared:
                done.append(op.Append(str(section.id), f"spare_{section.id}", sink))
            else:
                write(section, sink)
            written.add(section.id)
        return tuple(done)

    def _needed(self, part: Sections, section: Section) -> list[Section]:
        """The sections that have to be written before this one, because it holds their sizes or their terms."""
        needed: list[Section] = []
        held = None if section.part is None else self.protocol.parts[section.part]
        for other in part.sections:
            if other is section:
                continue
            if self._fills(other, section, held) or self._interns_before(other, section):
                needed.append(other)
        return needed

    def _fills(self, other: Section, section: Section, held: object) -> bool:
        """Whether what another section is measured or counted by stands in this one."""
        for claim in self.resolved.claims_by(other):
            if claim.by in (ClaimedBy.SIZE, ClaimedBy.EACH) and claim.number.section is section:
                return True
        if isinstance(held, Tables) and other.part is not None:
            # a repeated row is told by a section inside the cases
            switch = self.protocol.parts[other.part]
            return isinstance(switch, Choice)
        if isinstance(held, Terms):
            return any(
                one.terms is section and self._holds(other, one.in_image, one.field) for one in self.resolved.interns
            )
        return False

    def _holds(self, other: Section, in_image: bool, field: ColumnField) -> bool:
        if other.chunk is field:
            return True
        held = None if other.part is None else self.protocol.parts[other.part]
        if isinstance(held, Chunks):
            return field in held.columns
        return in_image and isinstance(held, Choice)

    def _interns_before(self, other: Section, section: Section) -> bool:
        """Terms are numbered in order of first use: what all events have goes before what the row images have."""
        root = self.resolved.root
        if other not in root.sections or section not in root.sections:
            return False
        mine = [n for n, one in enumerate(self.resolved.interns) if self._holds(section, one.in_image, one.field)]
        theirs = [n for n, one in enumerate(self.resolved.interns) if self._holds(other, one.in_image, one.field)]
        return bool(mine) and bool(theirs) and max(theirs) < min(mine)

    # ---- a section

    def _write(self, part: Sections, section: Section, case: CaseUse | None, sink: str) -> list[op.Operation]:
        if section.type is not None:
            return [self._primitive(part, section, sink)]
        done = self._body_of(section, case, sink)
        size = self._size_of(section)
        return done if size is None else [op.Start(sink), *done, op.Measure(size, sink)]

    def _body_of(self, section: Section, case: CaseUse | None, target: str) -> list[op.Operation]:
        """Writes what a section holds."""
        id = str(section.id)
        if section.chunk is not None:
            return [self._chunk(section.chunk, self._binding(section.chunk), target)]
        assert section.part is not None
        held = self.protocol.parts[section.part]
        function = f"write_{held.name}"
        if isinstance(held, Chunks):
            if case is not None and case.images is not None and case.images.columns is held:
                return [self._image_columns(case, target)]
            chunks = tuple(self._chunk(one, self._binding(one), "s") for one in held.columns)
            title = " | ".join(str(one.id) for one in held.columns)
            self.functions.append(WriteFunction(function, title, held.about, RANGE, chunks))
            return [op.WritePart(id, function, f"{target}, first, stop")]
        if isinstance(held, Terms):
            self.dictionaries.append(local(id))
            self.terms.append(WriteTerms(function, held.about, local(id), section.omit_empty, str(held.count)))
            return [op.WritePart(id, function, target)]
        if isinstance(held, Tables):
            self.tables = self._tables(function, held)
            return [op.WritePart(id, function, target)]
        if isinstance(held, Choice):
            for use in self.resolved.cases.values():
                self._add_case(use)
            return [op.WriteEvents(id, function, self._row_of(section), target)]
        if section.each is not None and case is not None and case.images is not None and case.images.section is section:
            self._add(held, case, IMAGE)
            return [op.WriteImages(id, function, self._row_of(section), target, self._image_codes())]
        self._add(held, case, () if case is None else (EVENT,))
        return [op.WritePart(id, function, target if case is None else f"{target}, event")]

    def _add(self, held: Sections, case: CaseUse | None, parameters: tuple[tuple[str, str, str], ...]) -> None:
        title = " | ".join(str(one.id) for one in held.sections)
        steps = self._steps(held, case, "s")
        self.functions.append(WriteFunction(f"write_{held.name}", title, held.about, parameters, steps))

    def _add_case(self, use: CaseUse) -> None:
        assert isinstance(use.part, Sections)
        if use.part.sections:
            self._add(use.part, use, (EVENT,))

    def _primitive(self, part: Sections, section: Section, sink: str) -> op.Operation:
        primitive = self.spec.primitives.primitives[str(section.type)]
        id = str(section.id)
        if primitive.python == "float":
            return op.WriteFloat(id, literal(section.const), sink)
        if not primitive.integer:
            if section.const is not None:
                const = section.const if isinstance(section.const, bytes) else str(section.const).encode()
                return op.WriteBytes(id, literal(const), sink)
            assert section.event is not None
            if section.event in ("schema", "table"):
                names = f"self.{section.event}_names[self.events.int_at({self.at['table']}, event)]"
                return op.WriteBytes(id, names, sink)
            return op.WriteBytes(id, f"self.events.binary({self.at[section.event]}, event)", sink)
        return op.WriteInteger(str(primitive.name), id, self._integer(part, section), sink)

    def _integer(self, part: Sections, section: Section) -> str:
        """The expression for an integer section: a constant, an event's field, or what it tells a reader."""
        if section.const is not None:
            return str(section.const)
        if section.event is not None:
            column = self.by_name[section.event]
            return f"self.events.{'uint_at' if column.type == 'uint64' else 'int_at'}({column.constant}, event)"
        for claim in self.resolved.claims:
            number = claim.number
            if number.kind is NumberKind.SECTION and number.section is section and number.part is part:
                if claim.by is ClaimedBy.SIZE:
                    return f"{claim.section.id}_size"
                if claim.by is ClaimedBy.IMAGE:
                    return "code"
                if self.images is not None and claim.section is self.images.columns_section:
                    return "images.width"
                return "stop - first"
        raise ValueError(f"{section.place}: nobody derives the number")

    def _size_of(self, section: Section) -> str | None:
        """What takes the size of a section: a number of the tables, or a variable."""
        for claim in self.resolved.claims_by(section):
            if claim.by is ClaimedBy.SIZE:
                if claim.number.kind is NumberKind.SECTION:
                    return f"{section.id}_size: cython.Py_ssize_t"
                self._note_row(claim.number)
                return self.names.number(claim.number)
        return None

    def _note_row(self, number: Number) -> None:
        assert number.row is not None
        self.numbers.append(self.names.row(number.row))

    def _row_of(self, section: Section) -> str:
        claim = next(one for one in self.resolved.claims_by(section) if one.by is ClaimedBy.EACH)
        assert claim.number.row is not None
        return self.names.row(claim.number.row)

    def _tables(self, function: str, held: Tables) -> WriteTables:
        rows = []
        for row in held.rows:
            attribute = self.names.row(row)
            self.numbers.append(attribute)
            if row.repeat is not None:
                self.numbers.append(f"{attribute}_ends")
            rows.append(WrittenRow(attribute, row.repeat is not None, len(row.numbers)))
        return WriteTables(function, held.about, str(held.count), str(held.chunk), tuple(rows))

    # ---- what all events have

    def _binding(self, field: ColumnField) -> Binding | None:
        return next((one for one in self.resolved.bindings if one.field is field and one.case is None), None)

    def _chunk(self, field: ColumnField, binding: Binding | None, sink: str) -> op.Operation:
        id = str(field.id)
        if binding is None:
            value = f"self.codes.i64[self.events.int_at({self.at['kind']}, k)]"
            return op.WriteChunk(id, op.chunk_method(field.chunk), value, True, sink, None, None)
        name = binding.event.name
        if name in ("schema", "table"):
            if field.intern is not None:
                place = f"self.{name}_places.i64[self.events.int_at({self.at['table']}, k)]"
                value = (
                    f"self.{local(field.intern)}.use_or({place}, {field.absent if field.absent is not None else -1})"
                )
                return op.WriteChunk(id, op.chunk_method(field.chunk), value, True, sink, None, None)
            texts = f"self.{name}_names[self.events.int_at({self.at['table']}, k)]"
            return op.WriteTextChunk(id, op.chunk_method(field.chunk), texts, sink)
        column = self.by_name[name]
        if field.intern is not None:
            terms = local(field.intern)
            value = f"self.{terms}.use(self.{terms}.place(self.events.text({column.constant}, k)))"
            return op.WriteChunk(id, op.chunk_method(field.chunk), value, True, sink, column.constant, field.absent)
        if column.variable:
            return op.WriteTextChunk(
                id, op.chunk_method(field.chunk), f"self.events.binary({column.constant}, k)", sink
            )
        signed = column.type != "uint64"
        value = f"self.events.{'int_at' if signed else 'uint_at'}({column.constant}, k)"
        position = column.constant if field.absent is not None else None
        return op.WriteChunk(id, op.chunk_method(field.chunk), value, signed, sink, position, field.absent)

    # ---- row images

    def _image_columns(self, use: CaseUse, sink: str) -> op.Operation:
        images = use.images
        assert images is not None
        attributes = {"type": "types", "flags": "flags"}
        chunks = []
        for field in images.columns.columns:
            if field.column == "value":
                continue
            if field.column == "name":
                attribute = "ids" if field.intern is not None else "encoded_names"
            else:
                attribute = attributes[str(field.column)]
            chunks.append((op.chunk_method(field.chunk), attribute))
        name = images.parts["name"]
        return WriteImageColumns(tuple(chunks), None if name.intern is None else local(name.intern), sink)

    def _image_codes(self) -> tuple[tuple[str, str, str, str], ...]:
        assert self.images is not None
        return tuple(
            (
                str(name),
                self.names.member(str(self.images.kind.enum), str(name)),
                self.at[f"{name}_layout"],
                self.at[f"{name}_row"],
            )
            for name in self.protocol.image_order
        )

    def _image_places(self) -> tuple[tuple[str, str], ...]:
        return tuple((self.at[f"{name}_layout"], self.at[f"{name}_row"]) for name in self.protocol.image_order)

    # ---- events

    def _case(self, member: str, use: CaseUse) -> WrittenCase:
        kinds = self._kinds_of(use.cls.key)
        assert isinstance(use.part, Sections)
        function = f"write_{use.part.name}" if use.part.sections else None
        code = self.names.member(str(self.resolved.switch.field.enum), member)
        return WrittenCase(code, kinds, function)

    def _kinds_of(self, cls: str) -> tuple[str, ...]:
        """The constants of the kinds of a class of events."""
        return tuple(self.kind_names[name] for name, kind in self.spec.events.kinds.items() if kind.cls == cls)

    def _kinds(self) -> tuple[CheckedKind, ...]:
        """What the encoder has to find in an event of each kind, before it writes a byte."""
        found: list[CheckedKind] = []
        uses = {use.cls.key: use for use in self.resolved.cases.values()}
        for kind in self.spec.events.kinds.values():
            use = uses.get(kind.cls)
            images: tuple[tuple[str, str, str, bool], ...] = ()
            fields: list[CheckedField] = []
            if use is not None:
                images = tuple(
                    (
                        str(image),
                        self.at[f"{image}_layout"],
                        self.at[f"{image}_row"],
                        image in (kind.images or use.cls.images),
                    )
                    for image in use.cls.images
                )
                fields = [
                    self._checked(one)
                    for one in self.resolved.bindings
                    if one.case == use.case.member and one.event.name not in ("schema", "table")
                ]
            named = () if use is None else tuple(str(one) for one in use.cls.needs)
            found.append(
                CheckedKind(str(kind.name), self.kind_names[kind.name], use is not None, images, tuple(fields), named)
            )
        return tuple(found)

    def _checked(self, binding: Binding) -> CheckedField:
        column = self.by_name[binding.event.name]
        field = binding.field
        if field is None:
            primitive = self.spec.primitives.primitives[str(binding.section.type)]
            limits, most = primitive.range, binding.section.max
        else:
            limits, most = self.spec.primitives.chunks[field.chunk].range, field.max
        if field is not None and field.intern is not None:
            limits = None
        if limits is not None and most is not None:
            limits = (max(limits[0], 0), most)
        storage = FIELD_RANGES[column.type]
        narrower = limits is not None and storage is not None and (limits[0] > storage[0] or limits[1] < storage[1])
        if narrower and limits is not None and storage is not None:
            limits = (max(limits[0], storage[0]), min(limits[1], storage[1]))
        absent = None if field is None or field.intern is not None else field.absent
        return CheckedField(
            binding.event.name,
            column.constant,
            column.type == "uint64",
            field is not None and field.absent is not None,
            absent,
            limits if narrower else None,
        )

    def _keep(self, field: str, name: str, keep: Keep) -> PlannedKeep:
        kind = self.spec.events.kinds[keep.event]
        assert keep.flagged is not None, "a pass refuses what is kept by value"
        flag = self.spec.mysql_types.flags[keep.flagged]
        return PlannedKeep(
            field,
            name,
            self.kind_names[kind.name],
            str(kind.name),
            self.at[f"{keep.image}_layout"],
            str(keep.image),
            self.flag_names[flag.name],
            flag.name,
        )

    def _batching(self) -> PlannedBatching | None:
        batching = self.protocol.batching
        if batching is None:
            return None
        case = self.resolved.cases.get(batching.gather)
        cls = batching.gather if case is None else case.cls.key
        return PlannedBatching(
            about=batching.about,
            kinds=self._kinds_of(cls),
            count=None if batching.count is None else local(batching.count.replace("-", "_")),
            bytes=None if batching.bytes is None else local(batching.bytes.replace("-", "_")),
            after=batching.close == "after",
            weights=_weights(batching.estimate),
        )


def _weights(estimate: Estimate | None) -> dict[str, int]:
    names = ("event", "schema", "table", "column", "name", "value")
    return {name: 0 if estimate is None else estimate.weights.get(name, 0) for name in names}
