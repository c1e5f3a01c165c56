"""The plan of a decoder: one function for each part, with steps in an order that a reader can take."""

from __future__ import annotations

from collections.abc import Sequence

from ..model import Spec
from ..plan.carried import carried_columns
from ..plan.constants import kind_constants
from ..syntax.nodes import INT, NONE, SIZE, Binary, Expression, Literal, Name, Parameter, named, own
from . import operations as op
from .cursor_calls import MESSAGE, READER, K
from .decoder_methods import CASE_PARAMETERS, LAYOUTS
from .decoder_steps import SEEN
from .locating import Locating
from .model import Chunks, ColumnField, PartChoice, Section, Sections, Tables, Terms
from .names import local
from .reading_nodes import (
    BodyFunction,
    ColumnsFunction,
    DescribeFunction,
    HeaderField,
    PlannedCase,
    PlannedRow,
    ReadParts,
    SectionsFunction,
    TablesFunction,
    TermsFunction,
)
from .resolve import Binding, CaseUse, ClaimedBy, Resolved

IMAGE_PARAMETERS = (MESSAGE, Parameter("row", SIZE), LAYOUTS, Parameter(SEEN.id, INT))


class ReadPlanner(Locating):
    """Plans the decoder of one protocol."""

    def __init__(self, spec: Spec, resolved: Resolved) -> None:
        self.spec = spec
        super().__init__(spec, resolved)
        self.columns = carried_columns(spec.events, resolved.fields)
        self.by_name = {one.name: one for one in self.columns}
        self.at = {str(one.name): named(one.constant) for one in self.columns}
        self.kind_names = {name: Name(one) for name, one in kind_constants(spec.events).items()}
        self.numbers: list[str] = []
        self.text_chunks: list[str] = []
        self.dictionaries: list[str] = []
        self.sections: list[SectionsFunction] = []
        self.columns_functions: list[ColumnsFunction] = []
        self.terms: list[TermsFunction] = []
        self.late = any(one.case is not None and one.event.name in ("schema", "table") for one in resolved.bindings)
        self.tables: TablesFunction | None = None
        self.describe: DescribeFunction | None = None

    def parts(self) -> ReadParts:
        """The parts of a message and how they are read."""
        root = self.resolved.root
        body = self._body()
        function = SectionsFunction(
            "read_message", _title(root.sections), root.about, (MESSAGE,), self._steps(root, None)
        )
        return ReadParts(
            root=function,
            sections=tuple(self.sections),
            columns=tuple(self.columns_functions),
            terms=tuple(self.terms),
            tables=self.tables,
            body=body,
            describe=self.describe,
        )

    # ---- a section

    def _read(
        self,
        part: Sections,
        section: Section,
        case: CaseUse | None,
        start: Expression | None = None,
        limit: Expression | None = None,
    ) -> list[op.Operation]:
        if section.type is not None:
            return [self._primitive(part, section)]
        if section.chunk is not None:
            count = self.names.number(self._number(part, section, ClaimedBy.COUNT))
            return [
                self._chunk(section.chunk, self.names.chunk(section), self.names.section_field(part, section), count)
            ]
        assert section.part is not None
        held = self.protocol.parts[section.part]
        function, id = f"read_{held.name}", str(section.id)
        if isinstance(held, Chunks):
            if case is not None and case.images is not None and case.images.columns is held:
                return [self._image_columns(case)]
            count = self.names.number(self._number(part, section, ClaimedBy.COUNT))
            self.columns_functions.append(self._columns(held))
            return [op.ReadPart(function, id, str(held.name), section.about, (count,), count)]
        if isinstance(held, Terms):
            self._terms(section, held)
            return [op.ReadPart(function, id, str(held.name), section.about)]
        if isinstance(held, Tables):
            self.tables = self._tables(held)
            return [op.ReadPart(function, id, str(held.name), section.about)]
        field = self.names.section_field(part, section)
        if isinstance(held, PartChoice):
            sizes = self._row_of(part, section, ClaimedBy.EACH)
            return [
                *self._checks(),
                op.ReadEvents(function, sizes, start, limit, id, field, str(held.name), section.about),
            ]
        if section.each is not None:
            sizes = self._row_of(part, section, ClaimedBy.EACH)
            if case is not None and case.images is not None and case.images.section is section:
                self._add_sections(held, case, IMAGE_PARAMETERS, image=True)
                return [
                    op.ReadImages(
                        function=function,
                        sizes=sizes,
                        id=id,
                        field=field,
                        part=str(held.name),
                        about=section.about,
                        kinds=self._kinds(case),
                        kind_column=self.at["kind"],
                        route=self._route(),
                    )
                ]
            self._add_sections(held, case)
            return [op.ReadRepeated(function, sizes, id, field, str(held.name), section.about)]
        if case is not None:
            self._add_sections(held, case, CASE_PARAMETERS)
            arguments = tuple(Name(one.name) for one in CASE_PARAMETERS)
            return [op.ReadPart(function, id, str(held.name), section.about, arguments, K)]
        self._add_sections(held, case)
        return [op.ReadPart(function, id, str(held.name), section.about)]

    def _add_sections(
        self, held: Sections, case: CaseUse | None, parameters: tuple[Parameter, ...] = (), image: bool = False
    ) -> None:
        steps = self._steps(held, case)
        if image and case is not None:
            steps = (*steps, self._place_image(case))
        name = f"read_{held.name}"
        self.sections.append(SectionsFunction(name, _title(held.sections), held.about, parameters, steps, image))

    def _primitive(self, part: Sections, section: Section) -> op.Operation:
        field = self.names.section_field(part, section)
        primitive = self.spec.primitives.primitives[str(section.type)]
        name = str(section.event) if section.event in ("schema", "table") else None
        column = None if section.event is None or name is not None else self.by_name[section.event]
        put_to = None if column is None else named(column.constant)
        id = str(section.id)
        if primitive.python == "float":
            assert isinstance(section.const, int | float)
            return op.ReadFloat(field, id, float(section.const), section.about)
        if not primitive.integer:
            const = section.const.encode() if isinstance(section.const, str) else None
            return op.ReadBytes(field, id, const, put_to, name, section.about)
        claim = self._claim_on(part, section)
        counts = claim is not None and claim.by in (ClaimedBy.SIZE, ClaimedBy.COUNT)
        return op.ReadInteger(
            primitive=str(primitive.name),
            field=field,
            id=id,
            variable=Name(local(id)),
            const=section.const if isinstance(section.const, int) else None,
            max=section.max,
            members=self._members(section.enum),
            counts=counts,
            back=section.at_end,
            column=put_to,
            unsigned=column is not None and column.type == "uint64",
            about=section.about,
            names=self._member_names(section.enum),
            means=None if section.event is None else self.spec.events.fields[section.event].means,
        )

    def _members(self, enum: str | None) -> tuple[Expression, ...]:
        return (
            ()
            if enum is None
            else tuple(self.names.member(enum, str(one)) for one in self.protocol.enums[enum].members)
        )

    def _member_names(self, enum: str | None) -> tuple[tuple[int, str], ...]:
        return (
            () if enum is None else tuple((code, str(name)) for name, code in self.protocol.enums[enum].members.items())
        )

    def _chunk(
        self, field: ColumnField, attribute: str, constant: Name, count: Expression, members: bool = True
    ) -> op.ReadChunk:
        self.numbers.append(attribute)
        if op.chunk_method(field.chunk) == "strings":
            self.text_chunks.append(attribute)
        return op.ReadChunk(
            chunk=str(field.chunk),
            attribute=attribute,
            field=constant,
            id=str(field.id),
            count=count,
            max=field.max,
            members=self._members(field.enum) if members else (),
            terms=None if field.intern is None else local(field.intern),
            absent=field.absent,
            about=field.about,
            names=self._member_names(field.enum),
            means=self._means(field),
        )

    def _means(self, field: ColumnField) -> str | None:
        if field.event is not None:
            return self.spec.events.fields[field.event].means
        return {"type": "column_type", "flags": "column_flags"}.get(str(field.column))

    def _columns(self, held: Chunks) -> ColumnsFunction:
        switch = self.resolved.switch
        chunks = tuple(
            self._chunk(one, self.names.column(held, one), self.names.field(held, one.id), N, one is not switch.field)
            for one in held.columns
        )
        return ColumnsFunction(f"read_{held.name}", held.about, chunks)

    def _terms(self, section: Section, held: Terms) -> None:
        self.dictionaries.append(local(section.id))
        self.terms.append(
            TermsFunction(
                f"read_{held.name}",
                held.about,
                local(section.id),
                section.omit_empty,
                section.size is not None,
                str(held.count),
                self.names.field(self.resolved.root, section.id),
            )
        )

    def _tables(self, held: Tables) -> TablesFunction:
        rows = []
        for row in held.rows:
            attribute = self.names.row(row)
            self.numbers.append(attribute)
            if row.repeat is not None:
                self.numbers.append(f"{attribute}_ends")
            rows.append(
                PlannedRow(
                    str(row.id),
                    attribute,
                    self.names.field(held, row.id),
                    tuple(str(one) for one in row.numbers),
                    row.repeat is not None,
                    row is self.resolved.switch.events.row,
                )
            )
        return TablesFunction(f"read_{held.name}", held.about, str(held.count), str(held.chunk), tuple(rows))

    def _checks(self) -> list[op.Operation]:
        """Compares repeated rows with the events, as soon as both have been read."""
        tables = self.resolved.tables
        if tables is None:
            return []
        switch = self.resolved.switch
        found: list[op.Operation] = []
        for row in tables[1].rows:
            if row.repeat is None or row.when is None:
                continue
            assert switch.events.row is not None
            found.append(
                op.CheckRepeated(
                    self.names.row(row),
                    self.names.column(switch.columns, switch.field),
                    self.names.member(str(switch.field.enum), row.when[1]),
                    self.names.field(tables[1], row.id),
                    self.names.field(switch.columns, switch.field.id),
                )
            )
        return found

    # ---- events

    def _body(self) -> BodyFunction:
        switch = self.resolved.switch
        fields = tuple(
            self._header(one) for one in self.resolved.bindings if one.case is None and self._has_column(one)
        )
        cases = []
        for member, use in self.resolved.cases.items():
            cases.append(self._case(member, use, {str(one.column.name) for one in fields}))
        return BodyFunction(
            name=f"read_{switch.part.name}",
            about=switch.part.about,
            switch=self.names.column(switch.columns, switch.field),
            switch_field=self.names.field(switch.columns, switch.field.id),
            fields=fields,
            route=self._route(),
            cases=tuple(cases),
            image_columns=tuple(map(self.at.__getitem__, self._columns_of_images())),
            at=self.at,
        )

    def _has_column(self, binding: Binding) -> bool:
        return binding.event.name not in ("schema", "table")

    def _header(self, binding: Binding) -> HeaderField:
        column = self.by_name[binding.event.name]
        field = binding.field
        assert field is not None
        return HeaderField(
            column,
            self._attribute(binding),
            field.absent,
            None if field.intern is None else local(field.intern),
            self.names.field(binding.part, field.id),
        )

    def _attribute(self, binding: Binding) -> str:
        assert binding.field is not None
        if isinstance(binding.part, Chunks):
            return self.names.column(binding.part, binding.field)
        return self.names.chunk(binding.section)

    def _names_terms(self) -> str | None:
        """The dictionary that has the column names."""
        images = next((use.images for use in self.resolved.cases.values() if use.images is not None), None)
        name = None if images is None else images.parts["name"]
        return None if name is None or name.intern is None else local(name.intern)

    def _route(self) -> op.Route:
        bound: dict[str, Binding] = {one.event.name: one for one in self.resolved.bindings if one.case is None}
        names_terms = self._names_terms()
        terms = [
            None if one is None or one.field is None or one.field.intern is None else local(one.field.intern)
            for one in (bound.get("schema"), bound.get("table"))
        ]
        if not self.late and terms[0] is not None and terms[0] == terms[1] and names_terms in (None, terms[0]):
            numbers = [_of_event(self._attribute(bound[key])) for key in ("schema", "table")]
            return op.Route(terms[0], numbers[0], numbers[1], names_terms, False)
        texts = [self._name_text(bound.get(key)) for key in ("schema", "table")]
        return op.Route(None, texts[0], texts[1], names_terms, self.late)

    def _name_text(self, binding: Binding | None) -> Expression:
        if binding is None or binding.field is None:
            return NONE
        attribute = self._attribute(binding)
        if binding.field.intern is not None:
            return own(local(binding.field.intern)).call("text", _of_event(attribute))
        field = self.names.field(binding.part, binding.field.id)
        return READER.call("decoded", _of_event(attribute), _of_event(attribute, K.plus(1)), field)

    def _case(self, member: str, use: CaseUse, common: set[str]) -> PlannedCase:
        part = use.part
        assert isinstance(part, Sections)
        filled = {
            str(one.event.name)
            for one in self.resolved.bindings
            if one.case == use.case.member and self._has_column(one)
        }
        filled |= common | {"message", "kind", "table"} | set(self._columns_of_images())
        nulls = tuple(self.at[str(one.name)] for one in self.columns if one.name not in filled)
        function = None
        if part.sections:
            function = f"read_{part.name}"
            self._add_sections(part, use, CASE_PARAMETERS)
        kinds = [one for one in self.spec.events.kinds.values() if one.cls == use.cls.key]
        return PlannedCase(
            code=self.names.member(str(self.resolved.switch.field.enum), member),
            kind=self.kind_names[kinds[0].name] if use.images is None else None,
            function=function,
            nulls=nulls,
            named=tuple((str(name), self._named_field(member, str(name))) for name in use.cls.needs),
        )

    def _named_field(self, member: str, name: str) -> Name:
        """The field with the schema or the table of a case's events."""
        binding = self.resolved.bindings_of(member).get(name)
        if binding is None:
            switch = self.resolved.switch
            return self.names.field(switch.columns, switch.field.id)
        return self.names.field(binding.part, binding.section.id if binding.field is None else binding.field.id)

    def _images(self) -> tuple[op.PlannedImage, ...]:
        for use in self.resolved.cases.values():
            if use.images is not None:
                return tuple(
                    op.PlannedImage(
                        str(name),
                        self.names.member(str(use.images.kind.enum), str(name)),
                        self.names.image_bit(str(name)),
                        self.at[f"{name}_layout"],
                        self.at[f"{name}_row"],
                    )
                    for name in use.cls.images
                )
        return ()

    def _columns_of_images(self) -> tuple[str, ...]:
        """The columns with layout and row of an event's row images; -1 for a missing image."""
        classes = self.spec.events.classes.values()
        images = dict.fromkeys(str(image) for one in classes for image in one.images)
        return tuple(f"{image}_{part}" for image in images for part in ("layout", "row"))

    def _kinds(self, use: CaseUse) -> tuple[tuple[Expression, Name], ...]:
        bits = {one.name: one.bit for one in self._images()}
        return tuple(
            (_together([bits[str(image)] for image in kind.images or ()]), self.kind_names[kind.name])
            for kind in self.spec.events.kinds.values()
            if kind.cls == use.cls.key
        )

    def _image_columns(self, use: CaseUse) -> op.Operation:
        images = use.images
        assert images is not None
        held = images.columns
        count = next(
            one.number.section.id
            for one in self.resolved.claims
            if one.section is images.columns_section and one.by is ClaimedBy.COUNT
        )
        parts = {part: self.names.column(held, field) for part, field in images.parts.items()}
        described = [field for field in held.columns if field.column != "value"]
        chunks = tuple(
            self._chunk(one, self.names.column(held, one), self.names.field(held, one.id), N) for one in described
        )
        self.numbers.append(parts["value"])
        name = images.parts["name"]
        value = images.parts["value"]
        self.describe = DescribeFunction(
            name=f"read_{held.name}",
            operations=chunks,
            parts=parts,
            name_terms=None if name.intern is None else local(name.intern),
            type_field=self.names.field(held, images.parts["type"].id),
            undefined=self.protocol.values[str(value.values)].unknown == "error",
            name_field=self.names.field(held, name.id),
            values=str(value.values),
        )
        return op.ReadImage(
            count=Name(local(count)),
            function=self.describe.name,
            sizes=parts["value"],
            field=self.names.field(held, value.id),
            id=str(images.columns_section.id),
            part=str(held.name),
        )

    def _place_image(self, case: CaseUse) -> op.Operation:
        images = case.images
        assert images is not None
        return op.PlaceImage(
            Name(local(images.kind.id)), self.names.field(images.element, images.kind.id), self._images()
        )


N = Name("n")
"""The number of elements of a part of chunks."""


def _title(sections: Sequence[Section]) -> str:
    return " | ".join(str(one.id) for one in sections)


def _of_event(attribute: str, event: Expression = K) -> Expression:
    """The expression for the number of an event."""
    return own(attribute).attribute("i64").at(event)


def _together(bits: Sequence[Expression]) -> Expression:
    found: Expression | None = None
    for bit in bits:
        found = bit if found is None else Binary(found, "|", bit)
    return Literal(0) if found is None else found
