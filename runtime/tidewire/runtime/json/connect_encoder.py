"""Base class of encoders of Kafka Connect's envelopes: keys, and the schema blocks of keys and values."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tidewire.runtime import cython
from tidewire.runtime.arrow.memory import Numbers
from tidewire.runtime.connect.blocks import BlockText
from tidewire.runtime.connect.writing import ConnectWriter
from tidewire.runtime.encoding.checks import check_columns
from tidewire.runtime.encoding.message_encoder import FAILURES
from tidewire.runtime.encoding.written_messages import WrittenMessages
from tidewire.runtime.json.encoders import ObjectEncoder
from tidewire.runtime.json.row_writer import RowTexts
from tidewire.runtime.json.sink import JsonSink
from tidewire.runtime.json.table_changes import DROP
from tidewire.runtime.json.table_changes_written import ChangeWords
from tidewire.runtime.tables.sql_declared import renamed_from
from tidewire.runtime.tables.versions_by_time import described_alike, described_at, learned

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from tidewire.runtime.batch import EventColumns, Layout
    from tidewire.runtime.column_types import Declared
    from tidewire.runtime.connect.blocks import BlockPart
    from tidewire.runtime.connect.types import SchemaTypes
    from tidewire.runtime.encoding.message_encoder import Carried
    from tidewire.runtime.json.codec import JsonCodec
    from tidewire.runtime.json.sink import Spelling
    from tidewire.runtime.tables.description import DescribedTable
    from tidewire.runtime.tables.facts import TypesOfTables
    from tidewire.runtime.tables.store import DescribedTables

MOST_KNOWN = 1 << 12
"""Maximum number of layouts whose prepared texts are cached."""
MOST_BLOCKS = 1 << 6
"""Maximum number of schema blocks cached from call to call; each is about 10 kB."""


class LayoutBlocks:
    """The schema blocks of rows of one layout, for one description of the table.

    Attributes:
        value, key: the blocks; None: not built yet.
    """

    def __init__(self, table: int, described: DescribedTable | None, changes: int, first: int, last: int) -> None:
        """
        Args:
            table: number of the table.
            described: description of the table; None if unknown.
            changes: change count of the store of descriptions when it was searched.
            first, last: range of commit times for which the description applies; empty if first > last.
        """
        self.table = table
        self.described = described
        self.changes = changes
        self.first = first
        self.last = last
        self.value: bytes | None = None
        self.key: bytes | None = None


class ConnectEncoder(ObjectEncoder):
    """An encoder of messages in Kafka Connect's envelopes.

    Attributes:
        connect: selects codecs and builds schema blocks.
        with_blocks: whether messages have schema blocks.
        store: descriptions of tables.
    """

    def __init__(
        self,
        carried: Carried,
        spelling: Spelling,
        absent: tuple[bytes, bytes],
        producer: str,
        schema_types: SchemaTypes[JsonCodec],
        unsent: Mapping[str, str],
        nulls: Mapping[str, str],
        value_blocks: Mapping[str, Sequence[BlockPart]],
        key_blocks: Mapping[str, Sequence[BlockPart]],
        options: Mapping[str, object],
        blocks: cython.bint,
        store: DescribedTables[Any] | None,
        declared: Callable[[str], Declared],
        type_text: Callable[[int, int, bool], str],
        changes: ChangeWords | None,
        flags: tuple[int, int],
        ddl_type_of: Callable[[str], int | None],
        types: TypesOfTables,
    ) -> None:
        """
        Args:
            carried, spelling, absent: as in `ObjectEncoder`.
            producer: producer whose messages are imitated.
            schema_types: what blocks state about columns.
            unsent, nulls: as in `ConnectWriter`.
            value_blocks: block templates of values, by event class.
            key_blocks: block templates of keys, by event class.
            options: options of the protocol by name.
            blocks: whether messages have schema blocks.
            store: descriptions of tables; None: there are none.
            declared: parses a declared type.
            type_text: TiDB's name of a type, by its code and flags.
            changes: how the protocol lists changes of tables.
            flags: the flag of nullable columns, and the flag of handle key columns.
            ddl_type_of: classifies a DDL statement by its text.
            types: column types of the database.
        """
        super().__init__(carried, spelling, absent)
        self.connect = ConnectWriter(
            schema_types, unsent, nulls, carried.protocol, producer, options, spelling, declared, type_text, flags
        )
        self.value_blocks = {cls: BlockText(parts, producer, options) for cls, parts in value_blocks.items()}
        self.key_blocks = {cls: BlockText(parts, producer, options) for cls, parts in key_blocks.items()}
        self.change_words: Any = changes  # is asked where messages have changes only
        self.ddl_type_of = ddl_type_of
        self.types_of_tables = types
        self.timed = False
        self.time = 0
        self.with_blocks = blocks
        self.store = store
        self.known_texts: dict[object, RowTexts] = {}
        self.known_blocks: dict[object, bytes] = {}
        self.row_blocks: dict[int, LayoutBlocks] = {}
        self.last_layout = -1
        self.last_blocks: LayoutBlocks | None = None

    # ---- implemented by generated code

    def begin_event(self, event: cython.Py_ssize_t) -> cython.int:
        """Reads the commit time of the event."""
        raise NotImplementedError

    def write_block(self, s: JsonSink, event: cython.Py_ssize_t) -> cython.int:
        """Writes the schema block of the event's value."""
        raise NotImplementedError

    def write_key_block(self, s: JsonSink, event: cython.Py_ssize_t) -> cython.int:
        """Writes the schema block of the event's key."""
        raise NotImplementedError

    # ---- messages

    def write(self, columns: EventColumns) -> WrittenMessages:
        s: JsonSink = JsonSink(*self.spelling)
        key: JsonSink = JsonSink(*self.spelling)
        ends: Numbers = Numbers()
        key_ends: Numbers = Numbers()
        firsts: Numbers = Numbers()
        counts: Numbers = Numbers()
        event: cython.Py_ssize_t = 0
        self.bind(columns)
        self.forget_blocks()
        ends.append(0)
        key_ends.append(0)
        try:
            for event in range(self.events.rows):
                self.check_event(event)
            for event in range(self.events.rows):
                if not self.has_message(event):
                    continue
                self.begin_event(event)
                s.raw(b'{"payload":')
                self.write_message(s, event)
                key.raw(b'{"payload":')
                self.write_key(key, event)
                if self.with_blocks:
                    s.raw(b',"schema":')
                    self.write_block(s, event)
                    key.raw(b',"schema":')
                    self.write_key_block(key, event)
                s.raw(b"}")
                key.raw(b"}")
                if s.invalid or key.invalid:
                    self.refuse("it has text that is not UTF-8")
                ends.append(s.pos)
                key_ends.append(key.pos)
                firsts.append(event)
                counts.append(1)
        except FAILURES as error:
            self.failed(event, error)
        return WrittenMessages(self.protocol, s.data, ends, firsts, counts, key.data, key_ends)

    def zone(self, event: cython.Py_ssize_t, column: cython.int) -> str:
        """Location (time zone) of the event's TIMESTAMP values; empty if the event does not state it."""
        if self.events.null_at(column, event):
            return ""
        return self.events.text(column, event)

    # ---- columns

    def at_event(self, event: cython.Py_ssize_t, column: cython.int) -> cython.int:
        """Selects the table descriptions valid at the event's commit time.

        Args:
            event: row of the event.
            column: column of events with the TSO.
        """
        self.timed = not self.events.null_at(column, event)
        self.time = self.events.uint_at(column, event) if self.timed else 0
        return 0

    def description(self, layout: Layout) -> DescribedTable | None:
        """The table description that applies to a layout; None if unknown."""
        names = self.table_names[layout.table] if self.table_names is not None else ("", "")
        return described_at(self.store, names, self.time if self.timed else None)

    def untold(self, layout: cython.Py_ssize_t) -> cython.bint:
        """Whether a reader could not tell an existing row of a layout without columns from an absent row."""
        return not self.with_blocks or not self.connect.none_needed(self.description(self.layouts[layout]))

    def bind_layout(self, layout: Layout, way: int) -> Any:
        columns = layout.columns
        described = self.description(layout)
        known = None if described is None else id(described)
        asked = (way, columns if isinstance(columns, tuple) else tuple(columns), known)
        texts = self.known_texts.get(asked)
        if texts is None:
            check_columns(self.protocol, columns, self.most_type)
            flag = self.flags[way]
            chosen = [k for k, column in enumerate(columns) if not flag or column.flags & flag]
            codecs = self.connect.codecs(columns, described)
            null_defaults = self.connect.null_defaults(columns, described)
            texts = RowTexts(self.protocol, columns, chosen, codecs, (), self.spelling, null_defaults)
            if len(self.known_texts) >= MOST_KNOWN:
                self.known_texts.clear()
            self.known_texts[asked] = texts
        return self.made_ready(texts, layout)

    # ---- changes of tables

    def changes(
        self,
        event: cython.Py_ssize_t,
        after: cython.int,
        table: cython.int,
        ddl_type: cython.int,
        query: cython.int,
        before: cython.int,
    ) -> bytes:
        """The JSON list of the tables that a statement changed, with their columns.

        Args:
            event: row of the event.
            after: column of events with the position of the new description; the arguments that follow are columns with
                the table, the statement's type and its text.
            before: column with the position of the previous description; -1: there is no such column.
        """
        number: cython.longlong = -1 if self.events.null_at(after, event) else self.events.int_at(after, event)
        text = "" if self.events.null_at(query, event) else self.events.text(query, event)
        action = self.action(event, ddl_type, query)
        names = self.table_names[self.events.int_at(table, event)] if self.table_names is not None else ("", "")
        description = None if number < 0 else self.descriptions[number]
        kind = self.change_words.kind(action)
        if action in self.change_words.nothing or (description is None and (kind != DROP or not names[1])):
            return b"[]"
        if description is not None:
            names = (description.schema or "", description.table)
            if action in self.change_words.no_table:
                description = None
            else:
                self.learn(description)
        was = None
        if action in self.change_words.old_name:
            was = self.renamed(event, before, names) or renamed_from(text, self.types_of_tables, *names)
        writer: Any = self.description_writer
        return b"[%b]" % writer.change(kind, names, description, text, was)

    def has_changes(self, event: cython.Py_ssize_t, ddl_type: cython.int, query: cython.int) -> cython.bint:
        """Whether a message is written for the statement."""
        words: ChangeWords = self.change_words
        return words.sent(self.action(event, ddl_type, query))

    def action(self, event: cython.Py_ssize_t, ddl_type: cython.int, query: cython.int) -> int | None:
        """The type of a statement; if the event lacks it, derived from the statement's text; None if neither has it."""
        if not self.events.null_at(ddl_type, event):
            return self.events.int_at(ddl_type, event)
        return self.ddl_type_of("" if self.events.null_at(query, event) else self.events.text(query, event))

    def learn(self, description: DescribedTable) -> cython.int:
        """Stores the description as valid from the event's commit time on."""
        if self.store is None or not self.timed:
            return 0
        new = learned(self.store, description, self.time)
        if new:
            # prepared row texts may belong to this table
            self.forget_blocks()
            self.images = [None] * len(self.images)
        return 0

    def renamed(self, event: cython.Py_ssize_t, before: cython.int, names: tuple[str, str]) -> tuple[str, str] | None:
        """The previous name of a table; None if it is the current name.

        Args:
            event: row of the event.
            before: column of events with the position of the previous description; -1: there is no such column.
            names: current database and table name.
        """
        if before < 0 or self.events.null_at(before, event):
            return None
        described = self.descriptions[self.events.int_at(before, event)]
        was = (described.schema or "", described.table)
        return None if was == names else was

    # ---- blocks

    def value_block_of_row(self, cls: str, table: cython.Py_ssize_t, layout: cython.Py_ssize_t) -> bytes:
        """The schema block of a row's value.

        Args:
            cls: class of the event.
            table: number of the table.
            layout: number of the row image's layout.
        """
        known: LayoutBlocks = self.blocks_of(table, layout)
        if known.value is None:
            known.value = self.row_block(self.value_blocks[cls], known, layout)
        return known.value

    def key_block_of_row(self, cls: str, table: cython.Py_ssize_t, layout: cython.Py_ssize_t) -> bytes:
        """The schema block of a row's key; arguments as in `value_block_of_row`."""
        known: LayoutBlocks = self.blocks_of(table, layout)
        if known.key is None:
            known.key = self.row_block(self.key_blocks[cls], known, layout)
        return known.key

    def forget_blocks(self) -> cython.int:
        """Drops the cached blocks of rows."""
        self.row_blocks.clear()
        self.last_layout = -1
        return 0

    def blocks_of(self, table: cython.Py_ssize_t, number: cython.Py_ssize_t) -> LayoutBlocks:
        """The blocks of rows of a layout, as of the event's commit time.

        Args:
            table: number of the table.
            number: number of the layout.
        """
        changes: cython.Py_ssize_t = 0 if self.store is None else self.store.changes
        known: LayoutBlocks | None = self.last_blocks if number == self.last_layout else self.row_blocks.get(number)
        if (
            known is None
            or known.table != table
            or known.changes != changes
            or self.time < known.first
            or self.time > known.last
        ):
            layout = self.layouts[number]
            described = self.description(layout)
            names = self.table_names[layout.table] if self.table_names is not None else ("", "")
            first, last = described_alike(self.store, names, self.time if self.timed else None)
            known = LayoutBlocks(table, described, changes, first, last)
            self.row_blocks[number] = known
        self.last_layout = number
        self.last_blocks = known
        return known

    def row_block(self, block: BlockText, known: LayoutBlocks, number: cython.Py_ssize_t) -> bytes:
        """Builds or looks up a schema block of rows of a layout.

        Args:
            block: template of the block.
            known: cache entry of the layout.
            number: number of the layout.
        """
        names = self.table_names[known.table] if self.table_names is not None else ("", "")
        columns = self.layouts[number].columns
        asked = (block, names, columns if isinstance(columns, tuple) else tuple(columns), known.described)
        text = self.known_blocks.get(asked)
        if text is None:
            text = self.connect.row_block(block, names, columns, known.described)
            if len(self.known_blocks) >= MOST_BLOCKS:
                self.known_blocks.clear()
            self.known_blocks[asked] = text
        return text

    def value_block(self, cls: str) -> bytes:
        """The schema block of the value of an event class without rows."""
        return self.value_blocks[cls].filled({})

    def key_block(self, cls: str) -> bytes:
        """The schema block of the key of an event class without rows."""
        return self.key_blocks[cls].filled({})
