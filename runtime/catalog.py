"""What a decoder remembers from message to message: dictionaries of terms, tables, and the layouts of their row images.

Messages of one table repeat the same bytes for their dictionary and for the names, types and flags of their
columns. Those bytes are compared as a whole with what was seen before, and only what is new is taken apart.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tidewire.runtime.batch import Column
from tidewire.runtime.columns import Columns
from tidewire.runtime.errors import DUPLICATE, TERM
from tidewire.runtime.memory import Numbers

if TYPE_CHECKING:
    from collections.abc import Sequence

    import cython

    from tidewire.runtime.cursor import Cursor
    from tidewire.runtime.window import Window

MOST_REMEMBERED = 4096
"""Dictionaries, tables or layouts above which a decoder starts anew with the next batch."""
MOST_COLUMNS = 1 << 20
"""Columns of all layouts above which a decoder starts anew with the next batch."""
MOST_MATCHES = 64
"""Layouts of one table, in terms of one dictionary, that are tried before they are looked up by name."""
MOST_IMAGE = 1 << 16
"""Bytes of a dictionary or a description of columns above which it is not remembered."""
MOST_BYTES = 1 << 24
"""Bytes of all dictionaries above which they are forgotten."""


class RowImages(Columns):
    """The row images of a batch that share one layout."""

    def __init__(self, table: Table, columns: tuple[Column, ...], codecs: tuple[int, ...]) -> None:
        Columns.__init__(self, codecs)
        k: cython.Py_ssize_t
        self.table = table
        self.columns = columns
        self.types, self.flags = Numbers(), Numbers()
        self.types.take(len(columns))
        self.flags.take(len(columns))
        for k in range(len(columns)):
            self.types.i64[k] = columns[k].type
            self.flags.u64[k] = columns[k].flags
        self.names = [column.name for column in columns]
        self.batch = self.slot = self.message = -1
        self.mark = 0

    def describes(self, names: Sequence[str], types: Numbers, flags: Numbers) -> cython.bint:
        """Whether the layout is that of columns with these names, types and flags."""
        k: cython.Py_ssize_t
        if self.names != names:
            return False
        for k in range(self.width):
            if types.i64[k] != self.types.i64[k] or flags.u64[k] != self.flags.u64[k]:
                return False
        return True


class Table:
    """A table of which there are events; an empty name is None."""

    def __init__(self, schema: str | None, name: str | None) -> None:
        self.schema = schema
        self.name = name
        self.batch = self.slot = -1
        self.last: RowImages | None = None
        self.layouts: dict[tuple[Column, ...], RowImages] = {}

    def find(self, names: Sequence[str], types: Numbers, flags: Numbers) -> RowImages | None:
        """The layout that was used last, if it is that of columns with these names, types and flags."""
        if self.last is not None and self.last.describes(names, types, flags):
            return self.last
        return None


class Match:
    """Bytes that describe columns, and the layout that they stand for."""

    def __init__(self, image: bytes, images: RowImages) -> None:
        self.image = image
        self.size = len(image)
        self.images = images


class Route:
    """A table as a dictionary's terms name it, with the layouts seen under these terms."""

    def __init__(self, schema_id: cython.longlong, table_id: cython.longlong, table: Table) -> None:
        self.schema_id = schema_id
        self.table_id = table_id
        self.table = table
        self.last: Match | None = None
        self.matches: list[Match] = []

    def match(self, r: Cursor, width: cython.Py_ssize_t) -> RowImages | None:
        """The layout of that many columns whose description comes next, passed; None when it has not been seen."""
        known: Match | None = self.last
        if known is not None and known.images.width == width and r.matches(known.image, known.size):
            r.pos += known.size
            return known.images
        for known in self.matches:
            if known.images.width == width and r.matches(known.image, known.size):
                r.pos += known.size
                self.last = known
                return known.images
        return None

    def learn(self, image: bytes, images: RowImages) -> cython.int:
        """These bytes stand for that layout."""
        if len(image) > MOST_IMAGE:
            return 0
        if len(self.matches) >= MOST_MATCHES:
            self.matches.clear()
        self.last = Match(image, images)
        self.matches.append(self.last)
        return 0


class Dictionary:
    """The terms of a message, by number, and the tables that they name."""

    def __init__(self, image: bytes, texts: list[str]) -> None:
        self.image = image
        self.size = len(image)
        self.texts = texts
        self.count = len(texts)
        self.routes: dict[tuple[int, int], Route] = {}
        self.named: dict[tuple[str | None, str | None], Route] = {}
        self.recent: list[Route | None] = [None] * 16

    def check(
        self, r: Cursor, ids: Numbers, null_as: cython.longlong, offset: cython.Py_ssize_t, field: cython.int
    ) -> cython.int:
        """Every number is that of a term, or the one that stands for null (a negative one; 0: there is none)."""
        k: cython.Py_ssize_t
        for k in range(ids.size):
            if ids.i64[k] >= self.count or (ids.i64[k] < 0 and ids.i64[k] != null_as):
                return r.fail(TERM, field, offset, ids.i64[k], self.count)
        return 0

    def text(self, number: cython.longlong) -> str | None:
        """A term by its number; None for a negative one."""
        return None if number < 0 else self.texts[number]

    def route(self, catalog: Catalog, schema_id: cython.longlong, table_id: cython.longlong) -> Route:
        """The table of these two terms, whose numbers are known to be right (-1: no name)."""
        slot: cython.Py_ssize_t = (schema_id * 5 + table_id) & 15
        route: Route | None = self.recent[slot]
        if route is not None and route.schema_id == schema_id and route.table_id == table_id:
            return route
        key = (schema_id, table_id)
        route = self.routes.get(key)
        if route is None:
            route = Route(schema_id, table_id, catalog.table(self.text(schema_id), self.text(table_id)))
            self.routes[key] = route
        self.recent[slot] = route
        return route

    def route_of(self, table: Table) -> Route:
        """The table, with the layouts whose columns these terms name; for tables that are not named by them."""
        key = (table.schema, table.name)
        route = self.named.get(key)
        if route is None:
            route = Route(-1, -1, table)
            self.named[key] = route
        return route


class Dictionaries:
    """The dictionaries that were seen in one place of the messages."""

    def __init__(self) -> None:
        self.last: Dictionary | None = None
        self.known: dict[int, Dictionary] = {}
        self.bytes = 0

    def find(self, r: Cursor) -> Dictionary | None:
        """The dictionary whose bytes fill the window, which is then consumed; None when it has not been seen."""
        size: cython.Py_ssize_t = r.end - r.pos
        known: Dictionary | None = self.last
        if known is None or known.size != size or not r.matches(known.image, known.size):
            known = self.known.get(r.digest(r.pos, r.end))
            if known is None or known.size != size or not r.matches(known.image, known.size):
                return None
            self.last = known
        r.pos = r.end
        return known

    def learn(self, r: Cursor, start: cython.Py_ssize_t, ends: Numbers, field: cython.int) -> Dictionary:
        """The dictionary in message[start:pos], taken apart: its terms end at these offsets (the first one starts
        there).
        """
        k: cython.Py_ssize_t
        texts: list[str] = []
        for k in range(ends.size - 1):
            texts.append(r.decoded(ends.i64[k], ends.i64[k + 1], field))
        self.last = Dictionary(r.copy(start, r.pos), texts)
        if self.last.size > MOST_IMAGE:
            return self.last
        if len(self.known) > MOST_REMEMBERED or self.bytes > MOST_BYTES:
            self.known.clear()
            self.bytes = 0
        self.known[r.digest(start, r.pos)] = self.last
        self.bytes += self.last.size
        return self.last


class Catalog:
    """Everything that one decoder remembers, and what of it the current batch has touched."""

    def __init__(self) -> None:
        self.batch = 0
        self.places: list[Dictionaries] = []
        self.forget()
        self.tables: list[Table] = []
        self.layouts: list[RowImages] = []
        self.touched: list[RowImages] = []
        self.first_table = self.first_layout = 0

    def forget(self) -> cython.int:
        """Nothing has been seen."""
        place: Dictionaries
        for place in self.places:
            place.last = None
            place.known.clear()
            place.bytes = 0
        self.known_tables: dict[tuple[str | None, str | None], Table] = {}
        self.routes: dict[tuple[str | None, str | None], Route] = {}
        self.num_layouts = self.num_columns = 0
        return 0

    def begin(self) -> cython.int:
        """A new batch: no table and no layout has been touched."""
        images: RowImages
        for images in self.layouts:
            images.begin()
        self.tables = []
        self.layouts = []
        self.batch += 1
        if (
            len(self.known_tables) > MOST_REMEMBERED
            or self.num_layouts > MOST_REMEMBERED
            or self.num_columns > MOST_COLUMNS
        ):
            self.forget()
        self.start()
        return 0

    def start(self) -> cython.int:
        """A new message: what it touches is undone with it."""
        self.first_table = len(self.tables)
        self.first_layout = len(self.layouts)
        if self.touched:
            self.touched.clear()
        return 0

    def dictionaries(self) -> Dictionaries:
        """A new place for dictionaries, which are forgotten together with the tables that they name."""
        place = Dictionaries()
        self.places.append(place)
        return place

    # ---- tables

    def table(self, schema: str | None, name: str | None) -> Table:
        """The table of that name; an empty name is no name."""
        key = (schema or None, name or None)
        table = self.known_tables.get(key)
        if table is None:
            table = Table(schema or None, name or None)
            self.known_tables[key] = table
        return table

    def route_of(self, table: Table) -> Route:
        """The table, with its layouts; for protocols whose columns are named in full."""
        key = (table.schema, table.name)
        route = self.routes.get(key)
        if route is None:
            route = Route(-1, -1, table)
            self.routes[key] = route
        return route

    def place(self, table: Table) -> cython.Py_ssize_t:
        """The position of the table among those of the batch."""
        if table.batch != self.batch:
            table.batch = self.batch
            table.slot = len(self.tables)
            self.tables.append(table)
        return table.slot

    # ---- layouts

    def layout(
        self,
        r: Window,
        table: Table,
        columns: list[Column],
        codecs: Sequence[int],
        offset: cython.Py_ssize_t,
        field: cython.int,
    ) -> RowImages:
        """The layout of these columns of the table; no two columns may have one name."""
        key = tuple(columns)
        images = table.layouts.get(key)
        if images is None:
            if len({column.name for column in columns}) != len(columns):
                r.fail(DUPLICATE, field, offset, 0, 0)
            images = RowImages(table, key, tuple(codecs))
            table.layouts[key] = images
            self.num_layouts += 1
            self.num_columns += images.width
        table.last = images
        return images

    def open(self, images: RowImages, message: cython.Py_ssize_t) -> cython.Py_ssize_t:
        """A row of that layout is to be read for the message: the layout's position among those of the batch."""
        if images.batch != self.batch:
            images.batch = self.batch
            images.slot = len(self.layouts)
            images.message = -1
            self.layouts.append(images)
        if images.message != message:
            images.message = message
            images.mark = images.rows
            self.touched.append(images)
        return images.slot

    def undo(self) -> cython.int:
        """As if the message had had no rows and had named no tables."""
        images: RowImages
        table: Table
        for images in self.touched:
            images.rows = images.mark
            images.message = -1
        while len(self.layouts) > self.first_layout:
            images = self.layouts.pop()
            images.batch = -1
        while len(self.tables) > self.first_table:
            table = self.tables.pop()
            table.batch = -1
        return 0
