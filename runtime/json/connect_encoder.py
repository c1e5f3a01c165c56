"""What encoders of Kafka Connect's envelopes have: keys, and the blocks that say what key and value are."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tidewire.runtime import cython
from tidewire.runtime.arrow.memory import Numbers
from tidewire.runtime.connect.blocks import BlockText
from tidewire.runtime.connect.writing import ConnectWriter
from tidewire.runtime.encoding.checks import check_columns
from tidewire.runtime.encoding.message_encoder import FAILURES
from tidewire.runtime.encoding.written_messages import WrittenMessages
from tidewire.runtime.json.described_encoder import DescribedEncoder
from tidewire.runtime.json.described_parts import DescribedPart
from tidewire.runtime.json.row_writer import RowTexts
from tidewire.runtime.json.sink import JsonSink
from tidewire.runtime.json.table_changes import DROP
from tidewire.runtime.json.table_changes_written import ChangeWords, ChangeWriter
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
"""Layouts of which it is remembered what is written of them."""
MOST_BLOCKS = 1 << 6
"""Blocks that are remembered from call to call; one has some 10 kB."""


class LayoutBlocks:
    """The blocks of the rows of a layout, as its table is described at some time.

    Attributes:
        value, key: the blocks; None: not made yet.
    """

    def __init__(self, table: int, described: DescribedTable | None, changes: int, first: int, last: int) -> None:
        """
        Args:
            table: its number.
            described: what is known of it.
            changes: of the store of descriptions, before it was asked.
            first, last: the times at which it is described so; none when the first one is the later one.
        """
        self.table = table
        self.described = described
        self.changes = changes
        self.first = first
        self.last = last
        self.value: bytes | None = None
        self.key: bytes | None = None


class ConnectEncoder(DescribedEncoder):
    """An encoder of messages in envelopes.

    Attributes:
        connect: says how values are written, and what blocks are.
        with_blocks: whether messages have blocks.
        store: the descriptions of tables that are known.
    """

    def __init__(
        self,
        carried: Carried,
        spelling: Spelling,
        absent: tuple[bytes, bytes],
        part: DescribedPart | None,
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
        changes: ChangeWords,
        flags: tuple[int, int],
        ddl_type_of: Callable[[str], int | None],
        types: TypesOfTables,
    ) -> None:
        """
        Args:
            carried, spelling, absent: as those of `ObjectEncoder`.
            part: the object that describes a table; None where messages have none.
            producer: who writes the messages.
            schema_types: what blocks say of columns.
            unsent, nulls: as those of `ConnectWriter`.
            value_blocks: the texts of the blocks of values, by class of events.
            key_blocks: the same of keys.
            options: of the protocol, by name.
            blocks: whether messages have blocks.
            store: the descriptions of tables that are known; None: none are.
            declared: takes a declared type apart.
            type_text: TiDB's name of a type, by its code and flags.
            changes: what the protocol says of changes of tables.
            flags: those of a column that can be NULL, and of one of the handle key.
            ddl_type_of: says what a statement does.
            types: the column types of the database.
        """
        super().__init__(carried, spelling, absent, part or DescribedPart("table", ()), producer)
        self.connect = ConnectWriter(
            schema_types, unsent, nulls, carried.protocol, producer, options, spelling, declared, type_text, flags
        )
        self.value_blocks = {cls: BlockText(parts, producer, options) for cls, parts in value_blocks.items()}
        self.key_blocks = {cls: BlockText(parts, producer, options) for cls, parts in key_blocks.items()}
        self.change_words = changes
        self.hides = changes is not None and producer in changes.hides
        self.ddl_type_of = ddl_type_of
        self.types_of_tables = types
        self.change_writer: ChangeWriter | None = None
        self.timed = False
        self.time = 0
        self.with_blocks = blocks
        self.store = store
        self.known_texts: dict[object, RowTexts] = {}
        self.known_blocks: dict[object, bytes] = {}
        self.row_blocks: dict[int, LayoutBlocks] = {}
        self.last_layout = -1
        self.last_blocks: LayoutBlocks | None = None

    # ---- what is printed

    def begin_event(self, event: cython.Py_ssize_t) -> cython.int:
        """Looks when the event was committed."""
        raise NotImplementedError

    def write_key(self, s: JsonSink, event: cython.Py_ssize_t) -> cython.int:
        """Writes the payload of the event's key."""
        raise NotImplementedError

    def write_block(self, s: JsonSink, event: cython.Py_ssize_t) -> cython.int:
        """Writes the block of the event's value."""
        raise NotImplementedError

    def write_key_block(self, s: JsonSink, event: cython.Py_ssize_t) -> cython.int:
        """Writes the block of the event's key."""
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
        """The location of the event's TIMESTAMP values; empty where it does not say it."""
        if self.events.null_at(column, event):
            return ""
        return self.events.text(column, event)

    # ---- columns

    def at_event(self, event: cython.Py_ssize_t, column: cython.int) -> cython.int:
        """From now on tables are described as they were when this event was committed.

        Args:
            event: which one.
            column: of events, with the TSO.
        """
        self.timed = not self.events.null_at(column, event)
        self.time = self.events.uint_at(column, event) if self.timed else 0
        return 0

    def description(self, layout: Layout) -> DescribedTable | None:
        """What is known of the table of a layout."""
        names = self.table_names[layout.table] if self.table_names is not None else ("", "")
        return described_at(self.store, names, self.time if self.timed else None)

    def untold(self, layout: cython.Py_ssize_t) -> cython.bint:
        """Whether no reader could tell a row of that layout, which has no columns, from one that lacks them."""
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
        """The list of the tables that a statement changed, with their columns.

        Args:
            event: which one.
            after: the column of events with the description's position; those that follow have the table, the type
                of the statement and its text.
            before: the column with the position of the description of the table before; -1: there is none.
        """
        number: cython.longlong = -1 if self.events.null_at(after, event) else self.events.int_at(after, event)
        text = "" if self.events.null_at(query, event) else self.events.text(query, event)
        action = self.action(event, ddl_type, query)
        names = self.table_names[self.events.int_at(table, event)] if self.table_names is not None else ("", "")
        description = None if number < 0 else self.descriptions[number]
        kind = self.change_words.kind(action)
        if action in self.change_words.silent or (description is None and (kind != DROP or not names[1])):
            return b"[]"
        if description is not None:
            names = (description.schema or "", description.table)
            if action in self.change_words.gone:
                description = None
            else:
                self.learn(description)
        if self.change_writer is None:
            self.change_writer = ChangeWriter(
                self.protocol, self.types_of_tables, self.change_words.numbers, self.spelling, self.hides
            )
        was = None
        if action in self.change_words.renames:
            was = self.renamed(event, before, names) or renamed_from(text, self.types_of_tables, *names)
        return b"[%b]" % self.change_writer.change(kind, names, description, text, was)

    def has_changes(self, event: cython.Py_ssize_t, ddl_type: cython.int, query: cython.int) -> cython.bint:
        """Whether a statement has a message."""
        return self.change_words.sent(self.action(event, ddl_type, query))

    def action(self, event: cython.Py_ssize_t, ddl_type: cython.int, query: cython.int) -> int | None:
        """The type of a statement, which its text tells where the event does not; None where neither does."""
        if not self.events.null_at(ddl_type, event):
            return self.events.int_at(ddl_type, event)
        return self.ddl_type_of("" if self.events.null_at(query, event) else self.events.text(query, event))

    def learn(self, description: DescribedTable) -> cython.int:
        """The table is described so from the event on."""
        if self.store is None or not self.timed:
            return 0
        new = learned(self.store, description, self.time)
        if new:
            # what was made ready may be of rows of this table
            self.forget_blocks()
            self.images = [None] * len(self.images)
        return 0

    def renamed(self, event: cython.Py_ssize_t, before: cython.int, names: tuple[str, str]) -> tuple[str, str] | None:
        """What a table was called before, where that is not what it is called now.

        Args:
            event: which one.
            before: the column of events with the position of the description of the table before; -1: there is none.
            names: what it is called now.
        """
        if before < 0 or self.events.null_at(before, event):
            return None
        described = self.descriptions[self.events.int_at(before, event)]
        was = (described.schema or "", described.table)
        return None if was == names else was

    # ---- blocks

    def value_block_of_row(self, cls: str, table: cython.Py_ssize_t, layout: cython.Py_ssize_t) -> bytes:
        """The block of the value of a row.

        Args:
            cls: the class of the event.
            table: the number of its table.
            layout: the number of the layout of its row image.
        """
        known: LayoutBlocks = self.blocks_of(table, layout)
        if known.value is None:
            known.value = self.row_block(self.value_blocks[cls], known, layout)
        return known.value

    def key_block_of_row(self, cls: str, table: cython.Py_ssize_t, layout: cython.Py_ssize_t) -> bytes:
        """The block of the key of a row; the arguments are those of `value_block_of_row`."""
        known: LayoutBlocks = self.blocks_of(table, layout)
        if known.key is None:
            known.key = self.row_block(self.key_blocks[cls], known, layout)
        return known.key

    def forget_blocks(self) -> cython.int:
        """No blocks of rows are known."""
        self.row_blocks.clear()
        self.last_layout = -1
        return 0

    def blocks_of(self, table: cython.Py_ssize_t, number: cython.Py_ssize_t) -> LayoutBlocks:
        """The blocks of the rows of a layout at the time of the event.

        Args:
            table: the number of its table.
            number: of the layout.
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
        """A block of the rows of a layout.

        Args:
            block: its text.
            known: what is known of the table.
            number: of the layout.
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
        """The block of the value of an event without a row, of that class."""
        return self.value_blocks[cls].filled({})

    def key_block(self, cls: str) -> bytes:
        """The block of its key."""
        return self.key_blocks[cls].filled({})
