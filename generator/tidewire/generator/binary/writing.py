"""The plan of an encoder: one function for each part, with steps in an order that a writer can take.

The numbers that a reader needs are computed here: a size by measuring what was written, a count by counting. A part
that must be measured before its turn is written to a spare sink and copied to its place later.
"""

from __future__ import annotations

from dataclasses import replace

from ..model import Spec
from ..plan.carried import carried_columns
from ..plan.constants import kind_constants
from ..syntax.calls import EVENT, EVENTS, RETURN_OK, int_at, null_at, number_at
from ..syntax.nodes import (
    INT,
    NONE,
    SIGNED,
    SIZE,
    Body,
    Branch,
    Declare,
    Do,
    Expression,
    For,
    List,
    Literal,
    Method,
    Name,
    Parameter,
    Return,
    Statement,
    assign,
    chain,
    named,
    object_type,
    own,
    uses,
    walk,
    when,
)
from .model import (
    Chunks,
    ColumnField,
    PartChoice,
    Section,
    Sections,
    Tables,
    Terms,
)
from .names import Names, local
from .operations import chunk_method
from .references import Number, NumberKind
from .resolve import Binding, CaseUse, ClaimedBy, Resolved
from .sink_calls import (
    EVENTS_OF_MESSAGE,
    FIRST,
    ONE_EVENT,
    SINK,
    START,
    STOP,
    WRITER,
    K,
    position,
    write_number,
)
from .written_checks import NAMED

IMAGES, COLUMNS, ROW, CODE = map(Name, ("images", "columns", "row", "code"))
ONE_IMAGE = (
    Parameter(IMAGES.id, object_type("WrittenImages")),
    Parameter(ROW.id, SIZE),
    Parameter(CODE.id, SIGNED),
)
CHUNK = own("chunk")
"""The numbers of the chunk being written."""


class WritePlanner:
    """Plans the encoder of one protocol."""

    def __init__(self, spec: Spec, resolved: Resolved) -> None:
        self.spec = spec
        self.resolved = resolved
        self.protocol = resolved.protocol
        self.names = Names(spec, resolved)
        self.columns = carried_columns(spec.events, resolved.fields)
        self.by_name = {one.name: one for one in self.columns}
        self.at = {str(one.name): named(one.constant) for one in self.columns}
        self.kind_names = {name: Name(one) for name, one in kind_constants(spec.events).items()}
        self.numbers: list[str] = []
        self.sinks: list[str] = []
        self.dictionaries: list[str] = []
        self.functions: list[Method] = []
        self.later: list[Method] = []
        """The methods that write the dictionaries and the tables."""
        images = [use.images for use in resolved.cases.values() if use.images is not None]
        self.images = images[0] if images else None

    def methods(self) -> tuple[Method, ...]:
        """The methods that write a message; the first writes the whole."""
        root = self.resolved.root
        steps = self._steps(root, None, SINK)
        whole = self._function("write_message", root, EVENTS_OF_MESSAGE, (*self._begin(), *steps))
        return (replace(whole, overrides=True), *self.functions, self._write_body(), *self.later)

    def image_order(self) -> list[str]:
        """The row images, in the order in which they are written."""
        return [str(name) for name in self.protocol.image_order]

    # ---- functions

    @staticmethod
    def _function(name: str, held: Sections | Chunks, parameters: tuple[Parameter, ...], steps: Body) -> Method:
        """Writes a part."""
        parts = held.sections if isinstance(held, Sections) else held.columns
        before: list[Statement] = [Declare(one.id, SIZE) for one in (START, K) if uses(one.id, *steps)]
        if CHUNK in walk(*steps):
            before.append(Do(CHUNK.call("take", STOP.minus(FIRST))))
        about = (" | ".join(str(one.id) for one in parts), held.about)
        return Method(name, (WRITER, *parameters), INT, about, (*before, *steps, *RETURN_OK))

    def _begin(self) -> Body:
        """Resets dictionaries and tables for a message."""
        found: list[Statement] = [Do(own(name).call("begin")) for name in dict.fromkeys(self.dictionaries)]
        for row in () if self.resolved.tables is None else self.resolved.tables[1].rows:
            attribute = self.names.row(row)
            found.append(Do(own(attribute).call("take", len(row.numbers))))
            if row.repeat is not None:
                ends = own(f"{attribute}_ends")
                found += [Do(ends.call("take", 0)), Do(ends.call("append", 0))]
        return tuple(found)

    def _write_body(self) -> Method:
        """Writes the body of an event by its kind."""
        branches = []
        for member, use in self.resolved.cases.items():
            assert isinstance(use.part, Sections)
            if use.part.sections:
                write = Do(own(f"write_{use.part.name}")(SINK, EVENT))
                branches.append(Branch(CODE.equals(self.code(member)), (write,)))
        code = own("codes").attribute("i64").at(int_at(self.at["kind"]))
        body = (assign(own("at_event"), EVENT), Declare(CODE.id, SIGNED, code), *chain(branches), *RETURN_OK)
        name = f"write_{self.resolved.switch.part.name}"
        return Method(name, (WRITER, *ONE_EVENT), INT, ("What the kind of the event says.",), body)

    def code(self, member: str) -> Expression:
        """The code of a case on the wire."""
        return self.names.member(str(self.resolved.switch.field.enum), member)

    # ---- a part of sections

    def _steps(self, part: Sections, case: CaseUse | None, sink: Expression) -> Body:
        """The steps of a part in wire order. Parts whose size is needed earlier are written before their turn."""
        done: list[Statement] = []
        spared: set[str] = set()
        written: set[str] = set()

        def write(section: Section, target: Expression) -> None:
            for other in self._needed(part, section):
                if other.id not in written and other.id not in spared:
                    spare = f"spare_{other.id}"
                    self.sinks.append(spare)
                    done.append(assign(position(own(spare)), 0))
                    spared.add(other.id)
                    write(other, own(spare))
            done.extend(self._write(part, section, case, target))

        for section in part.sections:
            if section.id in spared:
                done.append(Do(sink.call("part", own(f"spare_{section.id}")), str(section.id)))
            else:
                write(section, sink)
            written.add(section.id)
        return tuple(done)

    def _needed(self, part: Sections, section: Section) -> list[Section]:
        """The sections that must be written before this one, because it contains their sizes or terms."""
        needed: list[Section] = []
        held = None if section.part is None else self.protocol.parts[section.part]
        for other in part.sections:
            if other is section:
                continue
            if self._fills(other, section, held) or self._interns_before(other, section):
                needed.append(other)
        return needed

    def _fills(self, other: Section, section: Section, held: object) -> bool:
        """Whether this section contains the size or count of another section."""
        for claim in self.resolved.claims_by(other):
            if claim.by in (ClaimedBy.SIZE, ClaimedBy.EACH) and claim.number.section is section:
                return True
        if isinstance(held, Tables) and other.part is not None:
            # a section inside the cases refers to a repeated row
            switch = self.protocol.parts[other.part]
            return isinstance(switch, PartChoice)
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
        return in_image and isinstance(held, PartChoice)

    def _interns_before(self, other: Section, section: Section) -> bool:
        """Terms are numbered in order of first use: fields of all events precede row images."""
        root = self.resolved.root
        if other not in root.sections or section not in root.sections:
            return False
        mine = [n for n, one in enumerate(self.resolved.interns) if self._holds(section, one.in_image, one.field)]
        theirs = [n for n, one in enumerate(self.resolved.interns) if self._holds(other, one.in_image, one.field)]
        return bool(mine) and bool(theirs) and max(theirs) < min(mine)

    # ---- a section

    def _write(self, part: Sections, section: Section, case: CaseUse | None, sink: Expression) -> Body:
        if section.type is not None:
            return (self._primitive(part, section, sink),)
        done = self._body_of(section, case, sink)
        size = self._size_of(section, _written(sink))
        return done if size is None else (assign(START, position(sink)), *done, size)

    def _body_of(self, section: Section, case: CaseUse | None, target: Expression) -> Body:
        """Writes the contents of a section."""
        if section.chunk is not None:
            return self._chunk(section.chunk, self._binding(section.chunk), target)
        assert section.part is not None
        held = self.protocol.parts[section.part]
        function = f"write_{held.name}"
        if isinstance(held, Chunks):
            if case is not None and case.images is not None and case.images.columns is held:
                return self._image_columns(case, target)
            chunks = tuple(line for one in held.columns for line in self._chunk(one, self._binding(one), SINK))
            self.functions.append(self._function(function, held, EVENTS_OF_MESSAGE, chunks))
            return (Do(own(function)(target, FIRST, STOP)),)
        if isinstance(held, Terms):
            self.later.append(self._terms(function, section, held))
            return (Do(own(function)(target)),)
        if isinstance(held, Tables):
            self.later.append(self._tables(function, held))
            return (Do(own(function)(target)),)
        if isinstance(held, PartChoice):
            for use in self.resolved.cases.values():
                self._add_case(use)
            return (
                For((K.id,), Name("range")(FIRST, STOP), self._measured(section, own(function)(target, K), target)),
            )
        if section.each is not None and case is not None and case.images is not None and case.images.section is section:
            self.functions.append(self._function(function, held, ONE_IMAGE, self._steps(held, case, SINK)))
            return self._images_of(section, function, target)
        given = () if case is None else ONE_EVENT
        self.functions.append(self._function(function, held, given, self._steps(held, case, SINK)))
        return (Do(own(function)(target, *(Name(one.name) for one in given))),)

    def _measured(self, section: Section, write: Expression, sink: Expression, before: Body = ()) -> Body:
        """Writes one of several parts and stores its size."""
        sizes = own(self._row_of(section))
        return (assign(START, position(sink)), *before, Do(write), Do(sizes.call("append", _written(sink))))

    def _add_case(self, use: CaseUse) -> None:
        assert isinstance(use.part, Sections)
        if use.part.sections:
            steps = self._steps(use.part, use, SINK)
            self.functions.append(self._function(f"write_{use.part.name}", use.part, ONE_EVENT, steps))

    def _primitive(self, part: Sections, section: Section, sink: Expression) -> Statement:
        primitive = self.spec.primitives.primitives[str(section.type)]
        id, const = str(section.id), section.const
        if primitive.integer:
            return write_number(sink, str(primitive.name), self._integer(part, section), id)
        if primitive.python == "float":
            assert isinstance(const, int | float)
            return Do(sink.call("float64", Literal(const)), id)
        if const is not None:
            text: Expression = Literal(const if isinstance(const, bytes) else str(const).encode())
        else:
            assert section.event is not None
            text = self._text(str(section.event), EVENT)
        return Do(sink.call("string", text), id)

    def _text(self, name: str, event: Expression) -> Expression:
        """The bytes of an event's text, or of a name of its table."""
        if name in NAMED:
            return own(f"{name}s").at(int_at(self.at["table"], event))
        return EVENTS.call("binary", self.at[name], event)

    def _integer(self, part: Sections, section: Section) -> Expression:
        """Writes an integer section: a constant, an event field, or a computed number."""
        if section.const is not None:
            assert isinstance(section.const, int)
            return Literal(section.const)
        if section.event is not None:
            column = self.by_name[section.event]
            return number_at(self.at[str(section.event)], column.type == "uint64")
        for claim in self.resolved.claims:
            number = claim.number
            if number.kind is NumberKind.SECTION and number.section is section and number.part is part:
                if claim.by is ClaimedBy.SIZE:
                    return Name(f"{claim.section.id}_size")
                if claim.by is ClaimedBy.IMAGE:
                    return CODE
                if self.images is not None and claim.section is self.images.columns_section:
                    return IMAGES.attribute("width")
                return STOP.minus(FIRST)
        raise ValueError(f"{section.location}: nobody derives the number")

    def _size_of(self, section: Section, size: Expression) -> Statement | None:
        """Stores the size of a section that is needed: in a number of the tables, or in a variable."""
        for claim in self.resolved.claims_by(section):
            if claim.by is ClaimedBy.SIZE:
                if claim.number.kind is NumberKind.SECTION:
                    return Declare(f"{section.id}_size", SIZE, size)
                self._note_row(claim.number)
                return assign(self.names.number(claim.number), size)
        return None

    def _note_row(self, number: Number) -> None:
        assert number.row is not None
        self.numbers.append(self.names.row(number.row))

    def _row_of(self, section: Section) -> str:
        claim = next(one for one in self.resolved.claims_by(section) if one.by is ClaimedBy.EACH)
        assert claim.number.row is not None
        return self.names.row(claim.number.row)

    # ---- dictionaries and tables

    def _terms(self, function: str, section: Section, held: Terms) -> Method:
        """Writes a dictionary; if its terms are the same as before, copies the bytes written then."""
        self.dictionaries.append(local(section.id))
        terms, image = own(local(section.id)), Name("image")
        count = terms.attribute("order").attribute("size")
        body: Body = (
            Declare(START.id, SIZE, position(SINK)),
            *(when(count.equals(0), RETURN_OK) if section.omit_empty else ()),
            Declare(image.id, object_type("bytes", optional=True), terms.call("kept_image")),
            *when(image.compared("is not", NONE), (Return(SINK.call("raw", image)),)),
            write_number(SINK, str(held.count), count),
            Do(SINK.call("strings", terms.call("texts"))),
            Return(terms.call("keep", SINK, START)),
        )
        return Method(function, (WRITER,), INT, (held.about,), body)

    def _tables(self, function: str, held: Tables) -> Method:
        """Writes the tables of numbers."""
        method = chunk_method(str(held.chunk))
        found: list[Statement] = []
        for row in held.rows:
            attribute = self.names.row(row)
            numbers, ends = own(attribute), own(f"{attribute}_ends")
            self.numbers.append(attribute)
            if row.repeat is None:
                found.append(write_number(SINK, str(held.count), numbers.attribute("size")))
                found.append(Do(SINK.call(method, numbers)))
                continue
            self.numbers.append(f"{attribute}_ends")
            first, stop = (ends.attribute("i64").at(at) for at in (K, K.plus(1)))
            table: Body = (
                write_number(SINK, str(held.count), stop.minus(first)),
                Do(SINK.call(f"{method}_of", numbers, first, stop)),
            )
            found.append(For((K.id,), Name("range")(ends.attribute("size").minus(1)), table))
        declared = [Declare(K.id, SIZE)] if uses(K.id, *found) else []
        return Method(function, (WRITER,), INT, (held.about,), (*declared, *found, *RETURN_OK))

    # ---- what all events have

    def _binding(self, field: ColumnField) -> Binding | None:
        return next((one for one in self.resolved.bindings if one.field is field and one.case is None), None)

    def _chunk(self, field: ColumnField, binding: Binding | None, sink: Expression) -> Body:
        """Writes a value of each event."""
        if binding is None:
            code = own("codes").attribute("i64").at(int_at(self.at["kind"], K))
            return self._numbers(field, code, sink)
        name = str(binding.event.name)
        if name in NAMED:
            if field.intern is None:
                return self._texts(field, self._text(name, K), sink)
            term = own(f"{name}_positions").attribute("i64").at(int_at(self.at["table"], K))
            absent = field.absent if field.absent is not None else -1
            return self._numbers(field, own(local(field.intern)).call("use_or", term, absent), sink)
        column, at = self.by_name[name], self.at[name]
        null = null_at(at, K)
        if field.intern is not None:
            terms = own(local(field.intern))
            used = terms.call("use", terms.call("position", EVENTS.call("text", at, K)))
            return self._numbers(field, used, sink, null)
        if column.variable:
            return self._texts(field, self._text(name, K), sink)
        unsigned = column.type == "uint64"
        return self._numbers(field, number_at(at, unsigned, K), sink, null, unsigned)

    @staticmethod
    def _numbers(
        field: ColumnField, value: Expression, sink: Expression, null: Expression | None = None, unsigned: bool = False
    ) -> Body:
        """Writes a number of each event, and a special one for null."""
        at = K.minus(FIRST)
        put: Body = (assign(CHUNK.attribute("u64" if unsigned else "i64").at(at), value),)
        if null is not None and field.absent is not None:
            put = when(null, (assign(CHUNK.attribute("i64").at(at), field.absent),), put)
        every = For((K.id,), Name("range")(FIRST, STOP), put, str(field.id))
        return (every, Do(sink.call(chunk_method(str(field.chunk)), CHUNK)))

    @staticmethod
    def _texts(field: ColumnField, text: Expression, sink: Expression) -> Body:
        """Writes a text of each event."""
        texts = Name("texts")
        every = For((K.id,), Name("range")(FIRST, STOP), (Do(texts.call("append", text)),), str(field.id))
        return (assign(texts, List()), every, Do(sink.call("strings", texts)))

    # ---- row images

    def _image_columns(self, use: CaseUse, sink: Expression) -> Body:
        """Writes the description of a row image's columns, copied from before if it is the same, and the values."""
        images = use.images
        assert images is not None
        intern = images.parts["name"].intern
        terms = None if intern is None else own(local(intern))
        attributes = {"name": "encoded_names" if terms is None else "ids", "type": "types", "flags": "flags"}
        start, image = Name("description"), COLUMNS.attribute("image")
        chunks = [
            Do(sink.call(chunk_method(str(one.chunk)), COLUMNS.attribute(attributes[str(one.column)])))
            for one in images.columns.columns
            if one.column != "value"
        ]
        given = () if terms is None else (terms.attribute("message"),)
        describe: Body = (
            Declare(start.id, SIZE, position(sink)),
            *chunks,
            Do(COLUMNS.call("keep", sink, start, *given)),
        )
        known = image if terms is None else COLUMNS.call("described", terms)
        return (
            Declare(COLUMNS.id, object_type("WrittenColumns"), IMAGES.attribute("columns")),
            *when(known, (Do(sink.call("raw", image)),), describe),
            Do(IMAGES.call("write", sink, ROW)),
        )

    def _images_of(self, section: Section, function: str, sink: Expression) -> Body:
        """Writes the row images of an event in the order of the spec, and stores their sizes."""
        assert self.images is not None
        found: list[Statement] = [Declare(IMAGES.id, object_type("WrittenImages"))]
        for name in self.image_order():
            layout, row = self.at[f"{name}_layout"], self.at[f"{name}_row"]
            code = self.names.member(str(self.images.kind.enum), name)
            get = assign(IMAGES, own("images_of")(EVENT, layout))
            write = own(function)(sink, IMAGES, int_at(row), code)
            found += when(int_at(layout).compared(">=", 0), self._measured(section, write, sink, (get,)))
        sizes = self._row_of(section)
        found.append(Do(own(f"{sizes}_ends").call("append", own(sizes).attribute("size"))))
        return tuple(found)


def _written(sink: Expression) -> Expression:
    """The number of bytes written since the start."""
    return position(sink).minus(START)
