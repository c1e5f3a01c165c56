"""The methods of a decoder, one for each part of a message."""

from __future__ import annotations

from ..syntax.calls import EVENTS, RETURN_OK, ROW, fail, failure, missing, put_int, put_null, put_number
from ..syntax.nodes import (
    INT,
    NONE,
    SIZE,
    UNSIGNED,
    Body,
    Branch,
    Declare,
    Do,
    Expression,
    For,
    Gathered,
    Method,
    Name,
    Not,
    Parameter,
    Return,
    Statement,
    Type,
    While,
    all_of,
    assign,
    chain,
    named,
    object_type,
    own,
    uses,
    when,
)
from . import operations as op
from .cursor_calls import CURSOR, END, MESSAGE, OFFSET, POS, READER, K, counted, keep_offset, read, select
from .decoder_steps import BEFORE_IMAGE, DESCRIBED, IMAGE, decoder_steps
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

COUNT = Parameter("n", SIZE)
LAYOUTS = Parameter(DESCRIBED.id, object_type("TableLayouts"))
CASE_PARAMETERS = (MESSAGE, Parameter(ROW.id, SIZE), Parameter(K.id, SIZE))
IMAGES, OPTIONAL_IMAGES = object_type("BinaryImages"), object_type("BinaryImages", optional=True)


def decoder_methods(parts: ReadParts) -> tuple[Method, ...]:
    """All methods, in the order in which they are printed."""
    return (
        *map(_sections, (parts.root, *parts.sections)),
        *map(_columns, parts.columns),
        *map(_terms, parts.terms),
        *(() if parts.tables is None else (_tables(parts.tables),)),
        _body(parts.body),
        *(() if parts.describe is None else (_describe(parts.describe), _new_layout(parts.describe))),
    )


def undefined_code(body: BodyFunction) -> Expression | None:
    """The condition that the code `switch.u64[k]` of an event is undefined."""
    code = Name("switch").attribute("u64").at(K)
    return all_of(*(code.compared("!=", case.code) for case in body.cases))


def _keeping_offset(body: Body) -> Body:
    return (Declare(OFFSET.id, SIZE), *body) if uses(OFFSET.id, *body) else body


def _sections(part: SectionsFunction) -> Method:
    before, result = (BEFORE_IMAGE, (Return(IMAGE),)) if part.image else ((), RETURN_OK)
    body = _keeping_offset((*before, *decoder_steps(part.operations), *result))
    return Method(part.name, (CURSOR, *part.parameters), INT, (part.title, part.about), body)


def _columns(part: ColumnsFunction) -> Method:
    body = _keeping_offset((*decoder_steps(part.operations), *RETURN_OK))
    return Method(part.name, (CURSOR, COUNT), INT, (part.about,), body)


# ---- dictionaries and tables


def _terms(part: TermsFunction) -> Method:
    start, stop, end, known = map(Name, ("start", "stop", "end", "known"))
    ends, seen, field = own(f"{part.section}_ends"), own(f"{part.section}_seen"), part.field
    entries = read("strings", counted(part.count, field), ends, field)
    look = Declare(known.id, object_type("Dictionary", optional=True), seen.call("find", READER))
    learn = assign(known, seen.call("learn", READER, start, ends, field))
    unknown = known.compared("is", NONE)
    body: tuple[Statement, ...] = (Declare(start.id, SIZE, POS),)
    if part.sized:
        there: Body = (entries,)
        if part.omit:
            there = (Do(ends.call("take", 1)), *when(POS.compared("<", END), there))
        body += (look, *when(unknown, (*there, read("consumed", field), learn)))
    else:
        looked = (select(start, stop), look, select(stop, end))
        kept = (Declare(end.id, SIZE, END), entries, Declare(stop.id, SIZE, POS))
        body += (*kept, *looked, *when(unknown, (learn,)))
    return Method(part.name, (CURSOR,), INT, (part.about,), (*body, assign(own(part.section), known), *RETURN_OK))


def _tables(part: TablesFunction) -> Method:
    rows = tuple(line for row in part.rows for line in _row(part, row))
    return Method(part.name, (CURSOR,), INT, (part.about,), _keeping_offset((*rows, *RETURN_OK)))


def _row(part: TablesFunction, row: PlannedRow) -> Body:
    kept, ends, field = own(row.attribute), own(f"{row.attribute}_ends"), row.field
    method = op.chunk_method(part.chunk)
    if row.repeated:
        more: Body = (
            read(f"append_{method}", counted(part.count, field), kept, field),
            Do(ends.call("append", kept.attribute("size"))),
        )
        first = (Do(kept.call("take", 0)), Do(ends.call("take", 1)), assign(ends.attribute("i64").at(0), 0))
        return (*first, While(POS.compared("<", END), more))
    if row.names:
        count = len(row.names)
        expected = read("expect", READER.call(part.count, field), count, OFFSET, field)
        return (keep_offset(", ".join(row.names)), expected, read(method, count, kept, field))
    numbers = read(method, counted(part.count, field), kept, field)
    none = kept.attribute("size").equals(0)
    some = when(none, (fail(READER, "MISSING", field, OFFSET, 1, 0),)) if row.events else ()
    return (keep_offset(), numbers, *some) if some else (numbers,)


# ---- events


def _body(part: BodyFunction) -> Method:
    route, code = part.route, Name("code")
    find = put_int(part.at["table"], _table_of(route))
    names: Body = ()
    if route.terms is None:
        names = (assign(own("own_schema"), route.schema), assign(own("own_table"), route.table))
    cases = [Branch(code.equals(case.code), _case(part, case, find)) for case in part.cases]
    body: Body = (
        Declare(code.id, UNSIGNED, own(part.switch).attribute("u64").at(K)),
        Declare(ROW.id, SIZE, EVENTS.attribute("rows")),
        *names,
        put_int(part.at["message"], Name("message")),
        *(() if route.late else (find,)),
        *(line for one in part.fields for line in _header(one)),
        *(put_int(column, -1) for column in part.image_columns),
        *chain(cases, (Return(READER.call("undefined", code, POS, part.switch_field)),)),
        assign(EVENTS.attribute("rows"), ROW.plus(1)),
        *RETURN_OK,
    )
    return Method(part.name, (CURSOR, MESSAGE, Parameter(K.id, SIZE)), INT, (part.about,), body)


def _table_of(route: op.Route) -> Expression:
    """Finds the table of an event."""
    cache = own("cache")
    if route.terms is not None:
        return own(route.terms).call("position", cache, route.schema, route.table)
    return cache.call("position", cache.call("table", own("own_schema"), own("own_table")))


def _header(field: HeaderField) -> Body:
    """Puts a field that all events have into its column."""
    column, numbers = named(field.column.constant), own(field.attribute)
    if field.terms is not None:
        text = own(field.terms).call("text", numbers.attribute("i64").at(K))
        return (Do(EVENTS.call("put_text", column, ROW, text)),)
    if field.column.variable:
        start, end = (numbers.attribute("i64").at(at) for at in (K, K.plus(1)))
        return (Do(EVENTS.call("put_bytes", column, ROW, READER, start, end.minus(start), field.field)),)
    unsigned = field.column.type == "uint64"
    value = numbers.attribute("u64" if unsigned else "i64").at(K)
    put = put_number(column, unsigned, value)
    return (put,) if field.absent is None else when(value.equals(field.absent), (put_null(column),), (put,))


def _case(part: BodyFunction, case: PlannedCase, find: Statement) -> Body:
    route = part.route
    names: list[Statement] = []
    for name, field in case.named:
        if route.terms is None:
            unnamed: Expression = Not(own(f"own_{name}"))
        else:
            unnamed = own(route.terms).call("unnamed", route.schema if name == "schema" else route.table)
        names += when(unnamed, (missing(READER, field),))
    content: Body = ()
    if case.function is not None:
        content = (Do(own(case.function)(READER, *(Name(one.name) for one in CASE_PARAMETERS))),)
    return (
        *map(put_null, case.nulls),
        *(() if case.kind is None else (put_int(part.at["kind"], case.kind),)),
        *((*content, find, *names) if route.late else (*names, *content)),
    )


# ---- the columns of row images


def _describe(part: DescribeFunction) -> Method:
    about = (
        "Names, types and flags of columns that were not seen before; once they are seen again, they are remembered"
        " under the bytes that say them."
    )
    start, images, names, n = Name("start"), Name("images"), Name("names"), Name(COUNT.name)
    numbers = own(part.parts["name"]).attribute("i64")
    if part.name_terms is not None:
        name: Expression = own(part.name_terms).attribute("texts").at(numbers.at(K))
    else:
        name = READER.call("decoded", numbers.at(K), numbers.at(K.plus(1)), part.name_field)
    types, flags = own(part.parts["type"]), own(part.parts["flags"])
    found = DESCRIBED.call("find", own("cache"), names, types, flags)
    new = Return(own("new_layout")(READER, DESCRIBED, names, start))
    body: Body = (
        Declare(start.id, SIZE, POS),
        Declare(K.id, SIZE),
        *when(n.equals(0), (Do(failure(READER, "MISSING", part.name_field, start, 1, 0)),)),
        *decoder_steps(part.operations),
        assign(names, Name("tuple")(Gathered(name, (K.id,), Name("range")(n)))),
        Declare(images.id, OPTIONAL_IMAGES, found),
        *when(images.compared("is", NONE), (new,)),
        Do(DESCRIBED.call("learn", READER.call("copy", start, POS), images)),
        Return(images),
    )
    return Method(part.name, (CURSOR, COUNT, LAYOUTS), IMAGES, (about,), _keeping_offset(body))


def _new_layout(part: DescribeFunction) -> Method:
    about = "The layout of columns whose names, types and flags were just read, from start on."
    start, names, codecs = Name("start"), Name("names"), Name("codecs_of")
    types, flags = own(part.parts["type"]), own(part.parts["flags"])
    codec = Name(part.values)(types.attribute("i64").at(K), flags.attribute("u64").at(K))
    undefined: Body = ()
    if part.undefined:
        error = read("undefined", types.attribute("u64").at(K), start, part.type_field)
        none = when(codecs.at(K).compared("is", NONE), (error,))
        undefined = (For((K.id,), Name("range")(Name("len")(codecs)), none),)
    given = (READER, own("cache"), names, types, flags, codecs, own("checked"), start, part.name_field)
    body: Body = (
        Declare(K.id, SIZE),
        assign(codecs, Gathered(codec, (K.id,), Name("range")(Name("len")(names)))),
        *undefined,
        Return(DESCRIBED.call("layout", *given)),
    )
    parameters = (CURSOR, LAYOUTS, Parameter(names.id, Type("Sequence[str]", "object")), Parameter(start.id, SIZE))
    return Method("new_layout", parameters, IMAGES, (about,), body)
