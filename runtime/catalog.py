"""What a decoder remembers from message to message: dictionaries of terms, tables, and the layouts of their row images.

Messages of one table repeat the same bytes for their dictionary and for the names, types and flags of their
columns. Those bytes are compared as a whole with what was seen before, and only what is new is taken apart.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tidewire.runtime.batch import Column
from tidewire.runtime.columns import Columns
from tidewire.runtime.errors import DUPLICATE, TERM
from tidewire.runtime.index import Index

if TYPE_CHECKING:
    from collections.abc import Sequence

    import cython

    from tidewire.runtime.batch import TableName
    from tidewire.runtime.memory import Numbers
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

    def __init__(
        self,
        table: TableName,
        names: Sequence[str],
        types: Numbers,
        flags: Numbers,
        storages: Sequence[int],
        digest: cython.Py_ssize_t,
    ) -> None:
        Columns.__init__(self, storages)
        c: cython.int
        self.table = table
        self.names = names
        self.digest = digest
        for c in range(self.width):
            self.cells[c].type = types.i64[c]
            self.cells[c].flags = flags.u64[c]
        self.described: tuple[Column, ...] | None = None
        self.batch = self.slot = self.message = -1
        self.place = self.mark = 0

    @property
    def columns(self) -> tuple[Column, ...]:
        """Name, type and flags of each column; not made before somebody asks, which for most layouts nobody does."""
        c: cython.int
        if self.described is None:
            found = []
            for c in range(self.width):
                found.append(Column(self.names[c], self.cells[c].type, self.cells[c].flags))
            self.described = tuple(found)
        return self.described

    def describes(self, table: TableName, names: Sequence[str], types: Numbers, flags: Numbers) -> cython.bint:
        """Whether the layout is that of the table's columns with these names, types and flags."""
        c: cython.int
        if self.names != names or self.table != table:
            return False
        for c in range(self.width):
            if types.i64[c] != self.cells[c].type or flags.u64[c] != self.cells[c].flags:
                return False
        return True


class Match:
    """Bytes that describe columns, and the layout that they stand for."""

    def __init__(self, image: bytes, images: RowImages) -> None:
        self.image = image
        self.size = len(image)
        self.images = images


class Route:
    """A table whose rows are described in the terms of one dictionary, with the layouts seen under these terms."""

    def __init__(self, schema_id: cython.longlong, table_id: cython.longlong, table: TableName) -> None:
        self.schema_id = schema_id
        self.table_id = table_id
        self.table = table
        self.era = -1
        self.place = 0
        self.last: Match | None = None
        self.matches: list[Match] | None = None

    def match(self, r: Window, width: cython.Py_ssize_t) -> RowImages | None:
        """The layout of that many columns whose description comes next, passed; None when it has not been seen."""
        known: Match | None = self.last
        if known is not None and known.images.width == width and r.matches(known.image, known.size):
            r.pos += known.size
            return known.images
        if self.matches is None:
            return None
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
        if self.matches is None or len(self.matches) >= MOST_MATCHES:
            self.matches = []
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
        self.routes: dict[TableName, Route] = {}
        self.recent: list[Route | None] = [None] * 16
        self.schema_id = self.table_id = self.era = -1
        self.at = 0

    def check(
        self, r: Window, ids: Numbers, null_as: cython.longlong, offset: cython.Py_ssize_t, field: cython.int
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

    def name(self, number: cython.longlong) -> str | None:
        """A term as a name; an empty one is none."""
        return (self.texts[number] or None) if number >= 0 else None

    def place(self, catalog: Catalog, schema_id: cython.longlong, table_id: cython.longlong) -> cython.Py_ssize_t:
        """The position among the batch's tables of the one that these terms name; their numbers are known to be right
        (-1: no name).
        """
        route: Route | None = self.recent[(schema_id * 5 + table_id) & 15]
        if route is not None and route.schema_id == schema_id and route.table_id == table_id:
            return catalog.place_of(route)
        if self.schema_id != schema_id or self.table_id != table_id or self.era != catalog.era:
            self.at = catalog.place(catalog.table(self.name(schema_id), self.name(table_id)))
            self.schema_id = schema_id
            self.table_id = table_id
            self.era = catalog.era
        return self.at

    def route(self, catalog: Catalog, schema_id: cython.longlong, table_id: cython.longlong) -> Route:
        """The table that these terms name and that has rows."""
        slot: cython.Py_ssize_t = (schema_id * 5 + table_id) & 15
        route: Route | None = self.recent[slot]
        if route is not None and route.schema_id == schema_id and route.table_id == table_id:
            return route
        table = catalog.table(self.name(schema_id), self.name(table_id))
        route = self.routes.get(table)
        if route is None:
            route = Route(schema_id, table_id, table)
            self.routes[table] = route
        self.recent[slot] = route
        return route

    def route_of(self, table: TableName) -> Route:
        """The table, with the layouts whose columns these terms name; for tables that are not named by them."""
        route = self.routes.get(table)
        if route is None:
            route = Route(-1, -1, table)
            self.routes[table] = route
        return route


class Dictionaries:
    """The dictionaries that were seen in one place of the messages."""

    def __init__(self) -> None:
        self.last: Dictionary | None = None
        self.known: dict[int, Dictionary] = {}
        self.bytes = 0

    def find(self, r: Window) -> Dictionary | None:
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

    def learn(self, r: Window, start: cython.Py_ssize_t, ends: Numbers, field: cython.int) -> Dictionary:
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
    """Everything that one decoder remembers, and what of it the current batch has touched.

    A table is a tuple of its schema and name. One that has no rows is nothing but that tuple among the batch's tables:
    a message can name one with every few bytes.
    """

    def __init__(self) -> None:
        self.batch = self.era = 0
        self.places: list[Dictionaries] = []
        self.placed = Index()
        self.known = Index()
        self.forget()
        self.tables: list[TableName] = []
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
        self.routes: dict[TableName, Route] = {}
        self.remembered: list[RowImages] = []
        self.known.clear()
        self.num_columns = 0
        return 0

    def begin(self) -> cython.int:
        """A new batch: no table and no layout has been touched."""
        images: RowImages
        for images in self.layouts:
            images.begin()
        self.tables = []
        self.placed.clear()
        self.layouts = []
        self.batch += 1
        self.era += 1
        if (
            len(self.routes) > MOST_REMEMBERED
            or len(self.remembered) > MOST_REMEMBERED
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
        """A new place for dictionaries, which are forgotten together with the layouts that they describe."""
        place = Dictionaries()
        self.places.append(place)
        return place

    # ---- tables

    def table(self, schema: str | None, name: str | None) -> TableName:
        """The table of that name; an empty name is no name."""
        return (schema or None, name or None)

    def route_of(self, table: TableName) -> Route:
        """The table, with its layouts; for protocols whose columns are named in full."""
        route = self.routes.get(table)
        if route is None:
            route = Route(-1, -1, table)
            self.routes[table] = route
        return route

    def place(self, table: TableName) -> cython.Py_ssize_t:
        """The position of the table among those of the batch."""
        position: cython.Py_ssize_t
        digest: cython.Py_ssize_t = hash(table)
        slot: cython.Py_ssize_t = self.placed.slot(digest)
        position = self.placed.positions[slot]
        while position >= 0:
            if self.tables[position] == table:
                return position
            slot = self.placed.after(slot)
            position = self.placed.positions[slot]
        if self.placed.full():
            self.placed.room(2 * self.placed.size)
            for position in range(len(self.tables)):
                self.placed.add(hash(self.tables[position]), position)
        position = len(self.tables)
        self.placed.add(digest, position)
        self.tables.append(table)
        return position

    def place_of(self, route: Route) -> cython.Py_ssize_t:
        """The same for a table that has rows, which knows its position once it was asked for."""
        if route.era != self.era:
            route.place = self.place(route.table)
            route.era = self.era
        return route.place

    # ---- layouts

    def find(self, table: TableName, names: Sequence[str], types: Numbers, flags: Numbers) -> RowImages | None:
        """The layout of the table's columns with these names, types and flags, if it has been seen."""
        position: cython.Py_ssize_t
        images: RowImages
        slot: cython.Py_ssize_t = self.known.slot(_digest(table, names, types, flags))
        position = self.known.positions[slot]
        while position >= 0:
            images = self.remembered[position]
            if images.describes(table, names, types, flags):
                return images
            slot = self.known.after(slot)
            position = self.known.positions[slot]
        return None

    def layout(
        self,
        r: Window,
        table: TableName,
        names: Sequence[str],
        types: Numbers,
        flags: Numbers,
        storages: Sequence[int],
        offset: cython.Py_ssize_t,
        field: cython.int,
    ) -> RowImages:
        """A layout that has not been seen, of these columns of the table; no two columns may have one name."""
        position: cython.Py_ssize_t
        images: RowImages
        if _repeated(names):
            r.fail(DUPLICATE, field, offset, 0, 0)
        if self.known.full():
            self.known.room(2 * self.known.size)
            for position in range(len(self.remembered)):
                images = self.remembered[position]
                self.known.add(images.digest, position)
        images = RowImages(table, names, types, flags, storages, _digest(table, names, types, flags))
        self.known.add(images.digest, len(self.remembered))
        self.remembered.append(images)
        self.num_columns += images.width
        return images

    def open(self, images: RowImages, route: Route, message: cython.Py_ssize_t) -> cython.Py_ssize_t:
        """A row of that layout is to be read for the message: the layout's position among those of the batch."""
        if images.batch != self.batch:
            images.batch = self.batch
            images.place = self.place_of(route)
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
        for images in self.touched:
            images.rows = images.mark
            images.message = -1
        while len(self.layouts) > self.first_layout:
            images = self.layouts.pop()
            images.batch = -1
        while len(self.tables) > self.first_table:
            table = self.tables.pop()
            self.placed.remove(hash(table), len(self.tables))
        self.era += 1
        return 0


def _digest(table: TableName, names: Sequence[str], types: Numbers, flags: Numbers) -> cython.Py_ssize_t:
    """A hash of what describes a layout."""
    return hash((table, names, types.image(), flags.image()))


def _repeated(names: Sequence[str]) -> cython.bint:
    """Whether a name is there twice; a sorted copy is smaller than a set."""
    k: cython.Py_ssize_t
    ordered: list[str] = sorted(names)
    for k in range(1, len(ordered)):
        if ordered[k] == ordered[k - 1]:
            return True
    return False
