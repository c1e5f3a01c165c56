"""What JSON messages state about their table: its name and its columns.

A message states the types of its columns in an object, in any order, and which columns are special in name lists.
Both are compared byte by byte with the last message of the table; only differences are parsed.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tidewire.runtime import cython
from tidewire.runtime.decoding.table_columns import MOST_IMAGE, NAME_COPIES
from tidewire.runtime.errors import DUPLICATE, SYNTAX, VALUE
from tidewire.runtime.json.skip_cache import Passed
from tidewire.runtime.wire import characters as chars

if cython.compiled:
    from cython.cimports.libc.string import memcmp
    from cython.cimports.tidewire.runtime.wire.swar import plain, same

if TYPE_CHECKING:
    from tidewire.runtime.decoding.declared import DeclaredType, DeclaredTypes
    from tidewire.runtime.decoding.row_table import RowTable
    from tidewire.runtime.decoding.row_tables import Tables
    from tidewire.runtime.decoding.table_columns import TableColumns
    from tidewire.runtime.json.cursor import JsonCursor
    from tidewire.runtime.json.text import JsonText
    from tidewire.runtime.wire.part import Part


def find_table(
    tables: Tables, r: JsonCursor, schema: Part, name: Part, schema_field: cython.int, name_field: cython.int
) -> RowTable:
    """The table with the names in these parts of the message; a missing or empty part is no name."""
    found: RowTable | None = tables.written_as(r, schema, name)
    if found is None:
        found = tables.of(_text(r, schema, schema_field), _text(r, name, name_field))
        tables.remember(r, schema, name, found)
    return found


@cython.cfunc
def _text(r: JsonCursor, part: Part, field: cython.int) -> str:
    """A name as text; None if it is missing or empty."""
    if part.start < 0 or part.start == part.end:
        return None  # type: ignore[return-value]
    return r.content(part.start, part.end, field)


def describe(columns: TableColumns, r: JsonCursor, field: cython.int, column_field: cython.int) -> cython.int:
    """Reads the object at the cursor, which maps column names to declared types, or null."""
    i: cython.Py_ssize_t = r.pos
    j: cython.Py_ssize_t
    end: cython.Py_ssize_t
    k: cython.Py_ssize_t
    last: cython.Py_ssize_t = -1
    found: cython.Py_ssize_t = 0
    known: cython.bint
    any: cython.ulonglong = 0
    columns.message += 1
    columns.described = columns.outlines = 0
    columns.bare = False
    if r.p[i] != chars.OPEN_OBJECT:
        if r.given(field):
            return r.another(field, i, "an object")
        return 0
    i = r.space(i + 1)
    if r.p[i] == chars.CLOSE_OBJECT:
        columns.bare = True
        r.pos = i + 1
        return 0
    while True:
        # ---- name
        k = 0 if last < 0 else columns.all[last].next_described
        if cython.compiled:
            known = k < columns.count and same(
                r.p + i,
                r.p + r.end,
                columns.all[k].word,
                columns.all[k].mask,
                columns.pool.u8 + columns.all[k].spelling,
                columns.all[k].size,
            )
            j = i + columns.all[k].size if known else i
        else:
            known = False
        if not known:
            k = -1
            if cython.compiled and r.p[i] == chars.QUOTE:
                j = plain(r.p, i + 1, cython.address(any))
                if r.p[j] == chars.QUOTE and r.p[j + 1] == chars.COLON:
                    k = columns.find(r, i + 1, j)
                    j += 2
            if k < 0:
                j = r.key(i, field)
                k = r.match_end(columns, i, j, field)
                if k < 0:
                    k = learn_name(columns, r, i, j, field)
            if last >= 0:
                columns.all[last].next_described = k
        if last < 0:
            columns.first = k
        last = k
        columns.at_column = k
        if columns.all[k].described == columns.message:
            return r.fail(DUPLICATE, column_field, i, 0, 0)
        columns.all[k].described = columns.message
        found += 1
        # ---- type
        i = j if r.p[j] > chars.SPACE else r.space(j)
        if cython.compiled:
            known = columns.all[k].type_size > 0 and same(
                r.p + i,
                r.p + r.end,
                columns.all[k].type_word,
                columns.all[k].type_mask,
                columns.pool.u8 + columns.all[k].type_start,
                columns.all[k].type_size,
            )
        else:
            known = columns.all[k].type_size > 0 and r.p.startswith(columns.all[k].type_text, i)
        if known:
            i += columns.all[k].type_size
        else:
            if r.p[i] == chars.LOWER_N and columns.types.undeclared >= 0:
                i = r.literal(i, column_field)
                columns.set_type(k, columns.undeclared(k))
                columns.all[k].type_size = 0
            elif r.p[i] != chars.QUOTE:
                return r.another(column_field, i, "a string")
            else:
                end = r.string(i + 1, column_field)
                learn_type(columns, r, k, i, end, column_field)
                i = end
        # ---- comma or end
        if r.p[i] <= chars.SPACE:
            i = r.space(i)
        if r.p[i] == chars.COMMA:
            i += 1
            if r.p[i] <= chars.SPACE:
                i = r.space(i)
        elif r.p[i] == chars.CLOSE_OBJECT:
            r.pos = i + 1
            columns.described = found
            return 0
        else:
            return r.broken(SYNTAX, field, i)


def outlined(columns: TableColumns, r: JsonCursor, field: cython.int) -> cython.int:
    """Reads the names of the object at the cursor, which has a member for each column: if no types are declared, a
    row that lacks one of them is partial. Anything but an object is ignored.
    """
    i: cython.Py_ssize_t = r.pos
    j: cython.Py_ssize_t
    k: cython.Py_ssize_t
    last: cython.Py_ssize_t = -1
    found: cython.Py_ssize_t = 0
    if r.p[i] != chars.OPEN_OBJECT:
        return 0
    columns.begin()
    i = r.space(i + 1)
    while r.p[i] != chars.CLOSE_OBJECT:
        j = r.key(i, field)
        k = r.match_end(columns, i, j, field)
        if k < 0:
            k = learn_name(columns, r, i, j, field)
        if columns.all[k].seen != columns.object_number:
            columns.all[k].seen = columns.object_number
            if last < 0:
                columns.first = k
            else:
                columns.all[last].next_described = k
            last = k
            found += 1
        i = r.space(r.pass_over(r.space(j), field))
        if r.p[i] == chars.COMMA:
            i = r.space(i + 1)
    columns.outlines = found
    return 0


def learn_name(
    columns: TableColumns, r: JsonText, start: cython.Py_ssize_t, end: cython.Py_ssize_t, field: cython.int
) -> cython.Py_ssize_t:
    """Adds the name in message[start:end], which includes its quotes and the colon."""
    stop: cython.Py_ssize_t = end - 1
    while r.p[stop] != chars.QUOTE:
        stop -= 1
    name: str = r.content(start + 1, stop, field)
    columns.cache.num_columns += 1
    columns.cache.bytes += NAME_COPIES * (end - start)
    return columns.add(name.encode(), r.copy(start, end))


def learn_type(
    columns: TableColumns,
    r: JsonText,
    k: cython.Py_ssize_t,
    start: cython.Py_ssize_t,
    end: cython.Py_ssize_t,
    field: cython.int,
) -> cython.int:
    """Sets the type of column k to the one declared by the string message[start:end]; its last declaration was
    different.
    """
    declared: DeclaredType = declared_type(columns.types, r, start, end, field)
    number: cython.int = declared.number
    if declared.type == columns.types.undeclared and columns.texts[k].lower() in columns.given:
        number = columns.undeclared(k)
    columns.set_type(k, number)
    return columns.keep_type(r, k, start, end)


def named_by(
    columns: TableColumns, r: JsonCursor, which: cython.Py_ssize_t, part: Part, field: cython.int
) -> cython.int:
    """Sets a flag on the columns that a name list contains.

    Args:
        which: number of the list among those of a message.
    """
    image: bytes = columns.named[which]
    size: cython.Py_ssize_t = part.end - part.start if part.start >= 0 else 0
    if size == len(image):
        if cython.compiled:
            if size == 0 or memcmp(r.p + part.start, cython.cast(cython.p_char, image), size) == 0:
                return 0
        elif size == 0 or r.p.startswith(image, part.start):
            return 0
    return read_named(columns, r, which, part, field)


def read_named(
    columns: TableColumns, r: JsonCursor, which: cython.Py_ssize_t, part: Part, field: cython.int
) -> cython.int:
    """Like `named_by`, for a list that differs from the last one."""
    k: cython.Py_ssize_t
    i: cython.Py_ssize_t = part.start
    j: cython.Py_ssize_t
    size: cython.Py_ssize_t
    one: cython.ulonglong = 1
    columns.named[which] = b"?"  # matches no list: after an error, the next list is parsed
    columns.descriptions_version += 1
    for k in columns.marked[which]:
        columns.all[k].flags &= ~(one << which)
    columns.marked[which] = []
    if part.start < 0:
        columns.named[which] = b""
        return 0
    if r.p[i] != chars.OPEN_LIST:
        return r.another(field, i, "an array")
    i = r.space(i + 1)
    while r.p[i] != chars.CLOSE_LIST:
        if r.p[i] != chars.QUOTE:
            return r.another(field, i, "a string")
        j = r.string(i + 1, field)
        text = r.content(i + 1, j - 1, field)
        r.pos = r.free
        image = text.encode()
        size = len(image)
        k = columns.find(r, r.free, r.free + size)
        if k < 0:
            columns.cache.num_columns += 1
            columns.cache.bytes += NAME_COPIES * (j - i)
            k = columns.add(image, r.copy(i, j) + b":")
        if columns.all[k].flags & (one << which):
            return r.fail(DUPLICATE, field, i, 0, 0)
        columns.all[k].flags |= one << which
        columns.marked[which].append(k)
        i = r.space(j)
        if r.p[i] == chars.COMMA:
            i = r.space(i + 1)
    size = part.end - part.start
    if size <= MOST_IMAGE:
        columns.named[which] = r.copy(part.start, part.end)
    return 0


def declared_type(
    types: DeclaredTypes, r: JsonText, start: cython.Py_ssize_t, end: cython.Py_ssize_t, field: cython.int
) -> DeclaredType:
    """The declared type in the JSON string message[start:end]."""
    image = r.copy(start, end)
    known = types.known.get(image)
    if known is None:
        text = r.content(start + 1, end - 1, field)
        try:
            declared = types.declared(text)
        except ValueError:
            r.fail(VALUE, field, start, end - start, 0)
        known = types.add(text, declared)
        types.known[image] = known
        types.bytes += 512 + 4 * len(image)
        types.cache.bytes += 512 + 4 * len(image)
    return known


def skip_as_last(table: RowTable, r: JsonCursor, which: cython.Py_ssize_t, field: cython.int) -> cython.int:
    """Skips a value that is mostly the same for all rows of the table.

    Args:
        which: number of the member among those that are skipped this way.
    """
    passed: Passed | None = table.passed[which]
    if passed is None:
        passed = Passed()
        table.passed[which] = passed
    return passed.skip(r, field)
