"""Tables as JSON messages describe them: columns by name, what is declared of each, and the layouts of their rows.

A message says the types of its columns in an object, in any order, and which columns are special in arrays of names.
Both are compared byte by byte with what the last message of the table said; only what differs is taken apart.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tidewire.runtime.batch import Column
from tidewire.runtime.errors import DUPLICATE, KIND, MISSING, SYNTAX, UNKNOWN, VALUE
from tidewire.runtime.json.names import Names
from tidewire.runtime.memory import Memory, Numbers

try:
    import cython
except ImportError:
    from tidewire.runtime import nocython as cython
if cython.compiled:
    from cython.cimports.libc.string import memcmp, memcpy, memset
    from cython.cimports.tidewire.runtime.json.codec_numbers import ENUM_TEXT, SET_TEXT
    from cython.cimports.tidewire.runtime.json.swar import hash_of, load8, mask_of, plain, same
else:
    from tidewire.runtime.json.codecs import ENUM_TEXT, SET_TEXT
from tidewire.runtime.json.codecs import STORAGE

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Protocol

    from tidewire.runtime.batch import TableName
    from tidewire.runtime.catalog import Catalog, RowImages
    from tidewire.runtime.json.cursor import JsonCursor, Part
    from tidewire.runtime.json.text import JsonText

    class DeclaredType(Protocol):
        """What a declared type's text says."""

        @property
        def type(self) -> int: ...
        @property
        def flags(self) -> int: ...
        @property
        def members(self) -> tuple[str, ...]: ...


MOST_TABLES = 4096
"""Tables, layouts of one table, or declared types above which they are forgotten with the next batch."""
MOST_COLUMNS = 1 << 20
"""Columns of all tables above which they are forgotten with the next batch."""
MOST_IMAGE = 1 << 16
"""Bytes of a declared type or of an array of names above which it is not remembered."""
MOST_PASSED: cython.Py_ssize_t = 4096
"""Bytes of a value that is passed above which it is not remembered."""
MOST_BYTES = 1 << 24
"""Bytes of everything that is remembered above which it is forgotten with the next batch."""


class Declared:
    """A declared type: its text, what that says, and for types with labels the number of each."""

    def __init__(self, number: cython.int, text: str, type: int, flags: int, labels: Mapping[str, int] | None) -> None:
        self.number = number
        self.text = text
        self.type = type
        self.flags = flags
        self.labels = labels


class Passed:
    """A value that is of no interest, as it was last time: when it is the same again, its grammar is known."""

    def __init__(self) -> None:
        self.memory = Memory(64)
        self.size = 0


class RowLayout:
    """The columns of a row, by their numbers in the table, and how their values are read."""

    def __init__(
        self,
        images: RowImages,
        numbers: Numbers,
        types: Numbers,
        marks: Numbers,
        codecs: Numbers,
        labels: list[Mapping[str, int] | None],
    ) -> None:
        self.images = images
        self.width = images.width
        self.numbers = numbers
        self.types = types
        self.marks = marks
        self.codecs = codecs
        self.labels = labels
        self.epoch = 0


class JsonTable:
    """A table's columns, and the layouts that its rows have had."""

    def __init__(self, tables: Tables, table: TableName) -> None:
        self.tables = tables
        self.table = table
        self.route = tables.catalog.route_of(table)
        self.names = Names()
        self.raw = b""
        self.epoch = 1
        self.serial = 0
        self.described = 0
        self.last: list[RowLayout | None] = [None] * tables.members
        self.named: list[bytes] = [b""] * len(tables.named_flags)
        self.layouts: dict[bytes, RowLayout] = {}
        self.key = Numbers()
        self.passed = [Passed() for _ in range(tables.passed)]
        self.at_column = -1

    def at_name(self) -> str:
        """The name of the column that is looked at."""
        return self.names.texts[self.at_column] if self.at_column >= 0 else ""

    # ---- what a message says of the columns

    def undescribed(self) -> cython.int:
        """The message declares no column."""
        self.serial += 1
        self.described = 0
        return 0

    def describe(self, r: JsonCursor, field: cython.int, column_field: cython.int) -> cython.int:
        """The object at the cursor, whose members are columns and their declared types; null is none."""
        names: Names = self.names
        i: cython.Py_ssize_t = r.pos
        j: cython.Py_ssize_t
        end: cython.Py_ssize_t
        k: cython.Py_ssize_t
        last: cython.Py_ssize_t = -1
        found: cython.Py_ssize_t = 0
        known: cython.bint
        any: cython.ulonglong = 0
        self.serial += 1
        self.described = 0
        if r.p[i] != 123:
            if r.given(field):
                return r.broken(KIND, field, i)
            return 0
        i = r.space(i + 1)
        if r.p[i] == 125:
            r.pos = i + 1
            return 0
        while True:
            # ---- its name
            k = 0 if last < 0 else names.all[last].next_described
            if cython.compiled:
                known = k < names.count and same(
                    r.p + i,
                    r.p + r.end,
                    names.all[k].word,
                    names.all[k].mask,
                    names.pool.u8 + names.all[k].spelling,
                    names.all[k].size,
                )
                j = i + names.all[k].size if known else i
            else:
                known = False
            if not known:
                k = -1
                if cython.compiled and r.p[i] == 34:
                    j = plain(r.p, i + 1, cython.address(any))
                    if r.p[j] == 34 and r.p[j + 1] == 58:
                        k = names.find(r, i + 1, j)
                        j += 2
                if k < 0:
                    j = r.key(i, field)
                    k = names.match_end(r, i, j, field)
                    if k < 0:
                        k = self.learn_name(r, i, j, field)
                if last >= 0:
                    names.all[last].next_described = k
            last = k
            self.at_column = k
            if names.all[k].described == self.serial:
                return r.fail(DUPLICATE, column_field, i, 0, 0)
            names.all[k].described = self.serial
            found += 1
            # ---- its type
            i = j if r.p[j] > 32 else r.space(j)
            if cython.compiled:
                known = names.all[k].type_size > 0 and same(
                    r.p + i,
                    r.p + r.end,
                    names.all[k].type_word,
                    names.all[k].type_mask,
                    names.pool.u8 + names.all[k].type_place,
                    names.all[k].type_size,
                )
            else:
                known = names.all[k].type_size > 0 and r.p.startswith(names.all[k].type_text, i)
            if known:
                i += names.all[k].type_size
            else:
                if r.p[i] != 34:
                    return r.broken(KIND, column_field, i)
                end = r.string(i + 1, column_field)
                self.learn_type(r, k, i, end, column_field)
                i = end
            # ---- what follows
            if r.p[i] <= 32:
                i = r.space(i)
            if r.p[i] == 44:
                i += 1
                if r.p[i] <= 32:
                    i = r.space(i)
            elif r.p[i] == 125:
                r.pos = i + 1
                self.described = found
                return 0
            else:
                return r.broken(SYNTAX, field, i)

    def learn_name(
        self, r: JsonText, start: cython.Py_ssize_t, end: cython.Py_ssize_t, field: cython.int
    ) -> cython.Py_ssize_t:
        """A name that has not been seen: message[start:end] is what stands there, quotes, colon and all."""
        stop: cython.Py_ssize_t = end - 1
        while r.p[stop] != 34:
            stop -= 1
        name: str = r.content(start + 1, stop, field)
        self.tables.numbered += 1
        self.tables.bytes += 2 * (end - start)
        return self.names.add(name.encode(), r.copy(start, end))

    def learn_type(
        self,
        r: JsonText,
        k: cython.Py_ssize_t,
        start: cython.Py_ssize_t,
        end: cython.Py_ssize_t,
        field: cython.int,
    ) -> cython.int:
        """Column k is declared as message[start:end], a string, says; it was declared otherwise, or not at all."""
        names: Names = self.names
        size: cython.Py_ssize_t = end - start
        declared: Declared = self.tables.type_of(r, start, end, field)
        if names.all[k].type != declared.number:
            names.all[k].type = declared.number
            self.epoch += 1
        if size > MOST_IMAGE:
            names.all[k].type_size = 0
            return 0
        if cython.compiled:
            if size > names.all[k].type_room:
                names.all[k].type_place = names.keep(r.copy(start, end))
                names.all[k].type_room = size
                self.tables.bytes += size
            memcpy(names.pool.u8 + names.all[k].type_place, r.p + start, size)
            memset(names.pool.u8 + names.all[k].type_place + size, 0, 8)
            names.all[k].type_word = load8(names.pool.u8 + names.all[k].type_place)
            names.all[k].type_mask = mask_of(size)
        else:
            names.all[k].type_text = bytes(r.p[start:end])
        names.all[k].type_size = size
        return 0

    def skip(self, r: JsonCursor, which: cython.Py_ssize_t, field: cython.int) -> cython.int:
        """Passes a value that most often is the same for all rows of the table.

        Args:
            which: the number of the member among those that are passed so.
        """
        start: cython.Py_ssize_t = r.pos
        size: cython.Py_ssize_t
        if cython.compiled:
            passed: Passed = self.passed[which]
            size = passed.size
            if size and size <= r.end - start and memcmp(r.p + start, passed.memory.u8, size) == 0:
                r.pos += size
                return 0
        r.pos = r.skip(start, field)
        if cython.compiled:
            size = r.pos - start
            # an object or an array is over where it ends; a number may go on
            if r.p[start] > 90 and r.p[r.pos - 1] > 90 and size <= MOST_PASSED:
                passed.memory.reserve(size)
                memcpy(passed.memory.u8, r.p + start, size)
                passed.size = size
        return 0

    def named_by(self, r: JsonCursor, which: cython.Py_ssize_t, part: Part, field: cython.int) -> cython.int:
        """An array of names gives the columns it names a flag.

        Args:
            which: the number of the array among those of the messages.
        """
        image: bytes = self.named[which]
        size: cython.Py_ssize_t = part.end - part.start if part.start >= 0 else 0
        if size == len(image):
            if cython.compiled:
                if size == 0 or memcmp(r.p + part.start, cython.cast(cython.p_char, image), size) == 0:
                    return 0
            elif size == 0 or r.p.startswith(image, part.start):
                return 0
        return self.read_named(r, which, part, field)

    def read_named(self, r: JsonCursor, which: cython.Py_ssize_t, part: Part, field: cython.int) -> cython.int:
        """The same of an array that is not the one of last time."""
        names: Names = self.names
        k: cython.Py_ssize_t
        i: cython.Py_ssize_t = part.start
        j: cython.Py_ssize_t
        size: cython.Py_ssize_t
        one: cython.ulonglong = 1
        self.named[which] = b"?"  # no array: whatever goes wrong now, the next one is read
        self.epoch += 1
        for k in range(names.count):
            names.all[k].flags &= ~(one << which)
        if part.start < 0:
            self.named[which] = b""
            return 0
        if r.p[i] != 91:
            return r.broken(KIND, field, i)
        i = r.space(i + 1)
        while r.p[i] != 93:
            if r.p[i] != 34:
                return r.broken(KIND, field, i)
            j = r.string(i + 1, field)
            text = r.content(i + 1, j - 1, field)
            r.pos = r.free
            image = text.encode()
            size = len(image)
            k = names.find(r, r.free, r.free + size)
            if k < 0:
                self.tables.numbered += 1
                self.tables.bytes += 2 * (j - i)
                k = names.add(image, r.copy(i, j) + b":")
            if names.all[k].flags & (one << which):
                return r.fail(DUPLICATE, field, i, 0, 0)
            names.all[k].flags |= one << which
            i = r.space(j)
            if r.p[i] == 44:
                i = r.space(i + 1)
        size = part.end - part.start
        if size <= MOST_IMAGE:
            self.named[which] = r.copy(part.start, part.end)
        return 0

    # ---- layouts

    def holds(self, layout: RowLayout, r: JsonText, field: cython.int, offset: cython.Py_ssize_t) -> cython.bint:
        """Whether the layout's columns are declared now as they were; all of them have to be."""
        names: Names = self.names
        j: cython.Py_ssize_t
        k: cython.Py_ssize_t
        right: cython.bint = True
        for j in range(layout.width):
            k = layout.numbers.i64[j]
            if names.all[k].described != self.serial:
                self.at_column = k
                r.fail(MISSING, field, offset, 1, 0)
            if names.all[k].type != layout.types.i64[j] or names.all[k].flags != layout.marks.u64[j]:
                right = False
        if right:
            layout.epoch = self.epoch
        return right

    def layout(
        self,
        r: JsonText,
        numbers: Numbers,
        member: cython.Py_ssize_t,
        field: cython.int,
        offset: cython.Py_ssize_t,
    ) -> RowLayout:
        """The layout of a row with the columns of these numbers, as they are declared now."""
        names: Names = self.names
        j: cython.Py_ssize_t
        k: cython.Py_ssize_t
        self.key.take(3 * numbers.size)
        for j in range(numbers.size):
            k = numbers.i64[j]
            if names.all[k].described != self.serial:
                self.at_column = k
                r.fail(MISSING, field, offset, 1, 0)
            self.key.i64[3 * j] = k
            self.key.i64[3 * j + 1] = names.all[k].type
            self.key.u64[3 * j + 2] = names.all[k].flags
        key: bytes = self.key.image()
        found: RowLayout | None = self.layouts.get(key)
        if found is None:
            found = self.new_layout(r, numbers, field, offset)
            self.layouts[key] = found
            self.tables.made += 1
            self.tables.bytes += len(key)
        found.epoch = self.epoch
        self.last[member] = found
        return found

    def new_layout(self, r: JsonText, numbers: Numbers, field: cython.int, offset: cython.Py_ssize_t) -> RowLayout:
        """A layout that has not been seen."""
        names: Names = self.names
        tables: Tables = self.tables
        declared: Declared
        own, types, marks, codecs = Numbers(), Numbers(), Numbers(), Numbers()
        columns: list[Column] = []
        labels: list[Mapping[str, int] | None] = []
        codec: cython.int
        bit: int
        k: cython.Py_ssize_t
        j: cython.Py_ssize_t
        for j in range(numbers.size):
            k = numbers.i64[j]
            declared = tables.numbers[names.all[k].type]
            flags = declared.flags
            marked = names.all[k].flags
            for bit, flag in enumerate(tables.named_flags):
                if marked >> bit & 1:
                    flags |= flag
            columns.append(Column(names.texts[k], declared.type, flags, declared.text))
            codec = -1 if tables.codec_of is None else tables.codec_of(declared.type, flags, tables.text_codec)
            if codec < 0:
                self.at_column = k
                r.fail(UNKNOWN, field, offset, 0, 0)
            own.append(k)
            types.append(declared.number)
            marks.append(0)
            marks.u64[j] = marked
            codecs.append(codec)
            labels.append(declared.labels if codec == ENUM_TEXT or codec == SET_TEXT else None)
        kinds, flags_of = Numbers(), Numbers()
        for column in columns:
            kinds.append(column.type)
            flags_of.append(0)
            flags_of.u64[flags_of.size - 1] = column.flags
        images = tables.catalog.layout(
            r,
            self.table,
            tuple([column.name for column in columns]),
            kinds,
            flags_of,
            [STORAGE[codecs.i64[j]] for j in range(numbers.size)],
            offset,
            field,
        )
        images.described = tuple(columns)
        return RowLayout(images, own, types, marks, codecs, labels)


class Tables:
    """The tables that a decoder has seen, found by the bytes of their names."""

    def __init__(
        self,
        catalog: Catalog,
        declared: Callable[[str], DeclaredType],
        codec_of: Callable[[int, int, int], int] | None,
        text_codec: int,
        named_flags: tuple[int, ...],
        members: int,
        passed: int,
    ) -> None:
        """
        Args:
            catalog: where the tables and layouts of a batch are.
            declared: takes a declared type apart; ValueError when it is none.
            codec_of: the codec of a type code, flags and the codec for text.
            text_codec: CHECKED_TEXT or UNCHECKED_TEXT.
            named_flags: for each array of names, the flags of the columns that it names.
            members: how many members hold rows.
            passed: how many members say something of columns that is passed.
        """
        self.catalog = catalog
        self.declared = declared
        self.codec_of = codec_of
        self.text_codec = text_codec
        self.named_flags = named_flags
        self.members = members
        self.passed = passed
        self.types: dict[bytes, Declared] = {}
        self.numbers: list[Declared] = []
        self.recent: list[JsonTable | None] = [None] * 64
        self.known: dict[tuple[str | None, str | None], JsonTable] = {}
        self.made = self.numbered = self.bytes = 0

    def begin(self) -> cython.int:
        """A new batch, which the catalog has begun: forgets everything when it is too much, or when the catalog did."""
        if (
            len(self.known) > MOST_TABLES
            or len(self.types) > MOST_TABLES
            or self.made > MOST_TABLES
            or self.numbered > MOST_COLUMNS
            or self.bytes > MOST_BYTES
            or len(self.catalog.remembered) < self.made
        ):
            self.known = {}
            self.types = {}
            self.numbers = []
            self.recent = [None] * 64
            self.made = self.numbered = self.bytes = 0
            self.catalog.forget()
        return 0

    def find(
        self, r: JsonCursor, schema: Part, name: Part, schema_field: cython.int, name_field: cython.int
    ) -> JsonTable:
        """The table with the names that stand there; one that is not there or empty is no name."""
        slot: cython.Py_ssize_t
        known: JsonTable | None
        first: cython.Py_ssize_t = schema.end - schema.start
        second: cython.Py_ssize_t = name.end - name.start
        schema_at: cython.Py_ssize_t = schema.start if first else 0
        name_at: cython.Py_ssize_t = name.start if second else 0
        if cython.compiled:
            slot = (hash_of(r.p + schema_at, first) * 5 + hash_of(r.p + name_at, second)) & 63
            known = self.recent[slot]
            if known is not None:
                raw: bytes = known.raw
                size: cython.Py_ssize_t = len(raw)
                at: cython.p_char = raw
                if (
                    size == first + second + 1
                    and memcmp(at, r.p + schema_at, first) == 0
                    and at[first] == 34
                    and memcmp(at + first + 1, r.p + name_at, second) == 0
                ):
                    return known
        found = self.of(_text(r, schema, schema_field), _text(r, name, name_field))
        if cython.compiled and first + second <= MOST_IMAGE:
            found.raw = r.copy(schema_at, schema_at + first) + b'"' + r.copy(name_at, name_at + second)
            self.recent[slot] = found
        return found

    def of(self, schema: str | None, name: str | None) -> JsonTable:
        """The table of these names."""
        key = (schema, name)
        known = self.known.get(key)
        if known is None:
            known = JsonTable(self, self.catalog.table(schema, name))
            self.known[key] = known
            self.bytes += 1024
        return known

    def type_of(self, r: JsonText, start: cython.Py_ssize_t, end: cython.Py_ssize_t, field: cython.int) -> Declared:
        """The declared type that the string message[start:end] is."""
        image = r.copy(start, end)
        known = self.types.get(image)
        if known is None:
            text = r.content(start + 1, end - 1, field)
            try:
                declared = self.declared(text)
            except ValueError:
                r.fail(VALUE, field, start, end - start, 0)
            members = declared.members
            labels = {label: place for place, label in enumerate(members)} if members else None
            known = Declared(len(self.types), text, declared.type, declared.flags, labels)
            self.types[image] = known
            self.numbers.append(known)
            self.bytes += 4 * len(image)
        return known


@cython.cfunc
def _text(r: JsonCursor, part: Part, field: cython.int) -> str:
    """A name as text, None when it is not there or empty."""
    if part.start < 0 or part.start == part.end:
        return None  # type: ignore[return-value]
    return r.content(part.start, part.end, field)
