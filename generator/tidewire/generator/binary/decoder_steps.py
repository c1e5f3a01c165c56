"""Plans the statements of a printed decoder: one function for each kind of step in reading a message."""

from __future__ import annotations

from ..syntax.calls import EVENTS, ROW, fail, put_int, put_number
from ..syntax.nodes import (
    INT,
    NONE,
    SIGNED,
    SIZE,
    UNSIGNED,
    Body,
    Branch,
    Change,
    Declare,
    Do,
    Expression,
    For,
    Items,
    Literal,
    Name,
    Return,
    Statement,
    all_of,
    assign,
    chain,
    object_type,
    own,
    when,
)
from . import operations as op
from .cursor_calls import END, OFFSET, POS, READER, K, counted, keep_offset, read, select

DESCRIBED = Name("described")
"""The cached layouts of the table."""
SEEN = Name("seen")
"""The bits of the row images read so far."""


def decoder_steps(operations: op.Operations) -> Body:
    return tuple(line for one in operations for line in _decode(one))


def _decode(step: op.Operation) -> Body:
    match step:
        case op.Bounds():
            return (Declare("begin", SIZE, POS), Declare("end", SIZE, END))
        case op.Select(start, stop):
            return (select(start, stop),)
        case op.LocateSized():
            return (Declare(step.end.id, SIZE, READER.call("extent", step.start, step.size, step.limit, step.field)),)
        case op.LocateRepeated():
            return (_locate_repeated(step),)
        case op.LocateBefore():
            return (Declare(step.start.id, SIZE, READER.call("before", step.stop, step.size, step.field)),)
        case op.Mark(name, back):
            return (Declare(name.id, SIZE, END if back else POS),)
        case op.Meet(front, back, field):
            return (read("meet", front, back, field),)
        case op.Consumed(field):
            return (read("consumed", field),)
        case op.ReadInteger():
            return _integer(step)
        case op.ReadBytes():
            return _bytes(step)
        case op.ReadFloat():
            return (read("expect_float", Literal(step.const), step.field),)
        case op.ReadPart():
            return (Do(own(step.function)(READER, *step.arguments)),)
        case op.ReadEvents():
            return _events(step)
        case op.ReadImages():
            return _images(step)
        case op.ReadRepeated():
            return _repeated(step, (Do(own(step.function)(READER)),))
        case op.ReadChunk():
            return _chunk(step)
        case op.CheckRepeated():
            tables = _ends(step.row).attribute("size").minus(1)
            given = (READER, tables, own(step.switch), step.code, step.field, step.switch_field)
            return (Do(own("check_repeated")(*given)),)
        case op.ReadImage():
            return _image(step)
        case op.PlaceImage():
            return _place(step)
        case _:
            raise TypeError(f"a decoder does nothing at {step!r}")


def _ends(row: str) -> Expression:
    """The attribute with the end index of each event's repetitions."""
    return own(f"{row}_ends")


def _locate_repeated(step: op.LocateRepeated) -> Statement:
    sizes = own(step.sizes)
    if not step.of_event:
        return Declare(step.end.id, SIZE, READER.call("extents", step.start, sizes, step.limit, step.field))
    ends = _ends(step.sizes).attribute("i64")
    bounds = (ends.at(K), ends.at(K.plus(1)))
    return Declare(step.end.id, SIZE, READER.call("extents_of", step.start, sizes, *bounds, step.limit, step.field))


def _integer(step: op.ReadInteger) -> Body:
    field, name = step.field, step.variable
    value = READER.call(step.primitive, field)
    if step.const is not None:
        return (keep_offset(), read("expect", value, step.const, OFFSET, field))
    if step.counts and step.back:
        return (Declare(name.id, UNSIGNED, value),)
    if step.counts and step.primitive == "uvarint":
        return (Declare(name.id, SIZE, counted(step.primitive, field)),)
    if step.counts:
        return (keep_offset(), Declare(name.id, SIZE, READER.call("within", value, OFFSET, field)))
    found: list[Statement] = [keep_offset()] if step.max is not None or step.members else []
    if step.max is not None:
        limited = "limited_signed" if step.primitive == "varint" else "limited"
        found.append(Declare(name.id, SIGNED, READER.call(limited, value, step.max, OFFSET, field)))
    else:
        found.append(Declare(name.id, UNSIGNED if step.unsigned else SIGNED, value))
    other = all_of(*(name.compared("!=", one) for one in step.members))
    if other is not None:
        found += when(other, (Return(READER.call("undefined", name, OFFSET, field)),))
    if step.column is not None:
        found.append(put_number(step.column, step.unsigned, name))
    return tuple(found)


def _bytes(step: op.ReadBytes) -> Body:
    start = assign(OFFSET, READER.call("string", step.field))
    if step.const is not None:
        return (start, read("expect_bytes", Literal(step.const), OFFSET, step.field))
    if step.own is not None:
        return (start, assign(own(f"own_{step.own}"), READER.call("decoded", OFFSET, POS, step.field)))
    assert step.column is not None
    put = EVENTS.call("put_bytes", step.column, ROW, READER, OFFSET, POS.minus(OFFSET), step.field)
    return (start, Do(put))


def _chunk(step: op.ReadChunk) -> Body:
    kept = own(step.attribute)
    method = op.chunk_method(step.chunk)
    found: list[Statement] = [read(method, step.count, kept, step.field)]
    if step.terms is not None:
        absent = 0 if step.absent is None else step.absent
        found.append(Do(own(step.terms).call("check", READER, kept, absent, OFFSET, step.field)))
    if step.max is not None:
        found.append(read("at_most", kept, step.max, OFFSET, step.field))
    if step.members:
        found.append(read("one_of", kept, Items(step.members), OFFSET, step.field))
    return (keep_offset(), *found) if len(found) > 1 else tuple(found)


def _events(step: op.ReadEvents) -> Body:
    start, limit, sizes = Name("start"), Name("limit"), own(step.sizes)
    count = sizes.attribute("size")
    each: Body = (
        assign(own(f"at_{step.id}"), K),
        select(start, READER.call("extent", start, sizes.attribute("i64").at(K), limit, step.field)),
        assign(start, END),
        Do(own(step.function)(READER, Name("message"), K)),
        read("consumed", step.field),
    )
    return (
        Declare(K.id, SIZE),
        Declare(start.id, SIZE, step.start or POS),
        Declare(limit.id, SIZE, step.limit or END),
        Do(EVENTS.call("reserve", EVENTS.attribute("rows").plus(count))),
        For((K.id,), Name("range")(count), each),
        select(start, limit),
    )


def _repeated(step: op.ReadRepeated, each: Body, before: Body = ()) -> Body:
    """The loop over an event's repetitions."""
    at, first, stop = Name("g"), Name("first"), Name("stop")
    ends = _ends(step.sizes).attribute("i64")
    size = own(step.sizes).attribute("i64").at(at)
    part: Body = (
        assign(own(f"at_{step.id}"), at.minus(first)),
        select(POS, READER.call("extent", POS, size, stop, step.field)),
        *each,
        read("consumed", step.field),
    )
    return (
        Declare(at.id, SIZE),
        *before,
        Declare(first.id, SIZE, ends.at(K)),
        Declare(stop.id, SIZE, END),
        For((at.id,), Name("range")(first, ends.at(K.plus(1))), part),
        select(POS, stop),
    )


def _images(step: op.ReadImages) -> Body:
    route, cache = step.route, own("cache")
    if route.terms is not None:
        described = own(route.terms).call("described_table", cache, route.schema, route.table)
    else:
        table = cache.call("table", own("own_schema"), own("own_table"))
        described = own(route.names_terms or "described").call("named", cache, table)
    each = Change(SEEN, "|", own(step.function)(READER, Name("message"), ROW, DESCRIBED, SEEN))
    kinds = [Branch(SEEN.equals(bits), (put_int(step.kind_column, kind),)) for bits, kind in step.kinds]
    return (
        Declare(DESCRIBED.id, object_type("TableLayouts"), described),
        *_repeated(step, (each,), (Declare(SEEN.id, INT, Literal(0)),)),
        *chain(kinds, (fail(READER, "MISSING", step.field, POS, 1, 0),)),
    )


def _image(step: op.ReadImage) -> Body:
    images, sizes, count = Name("images"), own(step.sizes), step.count
    describe = own(step.function)(READER, count, DESCRIBED)
    return (
        Declare(images.id, object_type("BinaryImages", optional=True), DESCRIBED.call("match", READER, count)),
        *when(images.compared("is", NONE), (assign(images, describe),)),
        Declare("slot", SIZE, own("cache").call("open", images, DESCRIBED, Name("message"))),
        read("nullable_sizes", images.attribute("width"), sizes, step.field),
        Declare("image_row", SIZE, images.call("read", READER, sizes, step.field)),
    )


IMAGE, LAYOUT, ROW_COLUMN, ELEMENT = map(Name, ("image", "layout", "row_column", "element"))


def _place(step: op.PlaceImage) -> Body:
    branches = [
        Branch(
            step.kind.equals(one.code),
            (assign(IMAGE, one.bit), assign(LAYOUT, one.layout), assign(ROW_COLUMN, one.row)),
        )
        for one in step.images
    ]
    twice = fail(READER, "DUPLICATE", step.kind_field, ELEMENT, 0, 0)
    return (
        *chain(branches),
        *when(SEEN.masked(IMAGE), (twice,)),
        put_int(LAYOUT, Name("slot")),
        put_int(ROW_COLUMN, Name("image_row")),
    )


BEFORE_IMAGE: Body = (
    Declare(ELEMENT.id, SIZE, POS),
    Declare(IMAGE.id, INT, Literal(0)),
    Declare(LAYOUT.id, INT, Literal(0)),
    Declare(ROW_COLUMN.id, INT, Literal(0)),
)
"""The variables of a function that reads a row image; its last step returns the image's bit."""
