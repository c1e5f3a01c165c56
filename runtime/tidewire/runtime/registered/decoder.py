"""Base class of decoders of Avro records with a schema registry: messages become rows and events."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Mapping, MutableSequence, Sequence
from collections.abc import Set as AbstractSet
from typing import TYPE_CHECKING, Any

from tidewire.runtime import cython
from tidewire.runtime.arrow.storage import INT, UINT
from tidewire.runtime.connect.unknown import UnknownColumns
from tidewire.runtime.errors import OUTSIDE, UNNAMED, VALUE, DecodeError, StatedError, WireError
from tidewire.runtime.json.skipped import refuse_statement
from tidewire.runtime.record.cursor import RecordCursor
from tidewire.runtime.registered.batch_reader import RunDecoder
from tidewire.runtime.registered.connect_messages import ConnectMessageReader, ConnectMessages
from tidewire.runtime.registered.errors import LONG_IDS, LONGER, MissingSchema, is_rest_of_long_id
from tidewire.runtime.registered.generic_reader import plain_record
from tidewire.runtime.registered.parts import RecordPart
from tidewire.runtime.registered.plans import RecordPlan
from tidewire.runtime.registered.reading import RecordReader
from tidewire.runtime.registered.schema import SchemaField
from tidewire.runtime.registered.schema_plans import SchemaPlans
from tidewire.runtime.registered.schema_types import FieldForms
from tidewire.runtime.registry.errors import SchemaUnavailableError
from tidewire.runtime.shortened import shown
from tidewire.runtime.tables.description import DescribedTable
from tidewire.runtime.wire.accepted import not_accepted
from tidewire.runtime.wire.messages import Piece, keys_of
from tidewire.runtime.wire.strange_keys import MOST_OF_KEY, StrangeKeys

if TYPE_CHECKING:
    import pyarrow as pa

    from tidewire.runtime.batch import EventColumns
    from tidewire.runtime.decoding.layout_cache import Table
    from tidewire.runtime.decoding.rows_without_table import RowsWithoutTable
    from tidewire.runtime.registry import SchemaRegistry

UTC = "UTC"
LEAST_KEY: cython.Py_ssize_t = 5
"""Minimum bytes of a key: its magic byte and schema id."""
ITS_COLUMNS = "columns behind the number of its schema"


class RegisteredDecoder(RunDecoder):
    """A decoder of Avro records whose schemas are in a registry.

    Attributes:
        key_record: reads keys.
        key_plan: reading plan of the message's key; None: it has no key.
        lost: whether the message states no operation, and has no event.
        is_other: whether message `at` must be read again, as a message that is not a row.
        unfilled: first event row that `fill_rows` has not filled.
        without_rare: first event row that `fill_rare` has not filled.
    """

    def __init__(
        self,
        protocol: str,
        fields: tuple[str, ...],
        schema: pa.Schema,
        positions: Sequence[int],
        storages: Sequence[int],
        invalid_text: str,
        forms: FieldForms,
        row: RecordPart,
        key: RecordPart,
        handle_key: int,
        schemas: SchemaRegistry | None,
        operations: tuple[bytes, ...],
        connect_messages: ConnectMessages | None = None,
        kinds: Mapping[str, int] | None = None,
        store: Any = None,
        rows: Sequence[tuple[int, ...]] = (),
        unnamed: RowsWithoutTable | None = None,
    ) -> None:
        """
        Args:
            protocol, fields, schema, positions, storages: as in `BatchDecoder`.
            invalid_text: policy for text that is not UTF-8: error, replace or bytes.
            forms: how schemas state columns.
            row, key: the records of values and keys.
            handle_key: flag of handle key columns.
            schemas: provides schemas by id; None: none is available.
            operations: accepted values of the field that states the operation.
            connect_messages: messages that are not rows; None: there are none.
            kinds: codes of their event kinds, by name.
            store: receives the table descriptions in those messages.
            rows: by operation, and last for records without an operation: the code of the event kind, and for each of
                the event's images whether the record is that image; empty if messages are read one by one.
            unnamed: finds the table of rows that do not name it; None: not used.
        """
        self.unknown = UnknownColumns(protocol)
        checked = invalid_text == "error"
        plans = SchemaPlans(forms, row, key, handle_key, schemas, checked, store, self.unknown, unnamed)
        replaces = invalid_text == "replace"
        slots = len(row.scalars)
        super().__init__(protocol, fields, schema, positions, storages, replaces, plans, slots, operations, rows)
        self.key_record = RecordReader(len(key.scalars))
        self.key_plan: RecordPlan | None = None
        self.lost = self.is_other = False
        self.unfilled = self.without_rare = 0
        self.connect_messages = connect_messages
        self.kinds = kinds or {}
        self.store = store
        self.last_accepted = b""
        self.strange_keys = StrangeKeys(protocol)
        self.strange_key: bytes | None = None
        self.why_strange = ""
        self.connect_message_reader: ConnectMessageReader | None = None
        self.event_fields = tuple([(schema.names[at], storages[c]) for c, at in enumerate(positions)])

    # ---- messages

    def decode_pieces(self, pieces: Iterable[Piece]) -> EventColumns:
        r: RecordCursor = RecordCursor()
        key: RecordCursor = RecordCursor()
        errors: list[DecodeError] = []
        tombstones: list[int] = []
        base: cython.Py_ssize_t = 0
        k: cython.Py_ssize_t
        failed: cython.Py_ssize_t = -1
        self.events.begin()
        self.cache.begin()
        self.plans.begin()
        self.unfilled = self.without_rare = 0
        self.is_other = False
        for values, keys in pieces:
            missing = r.receive_together(values)
            keyless = key.receive_together(keys_of(values, keys))
            holes = sorted(missing | keyless) if missing or keyless else []
            k = 0
            while k < r.messages:
                try:
                    self.read_messages(key, keyless, r, missing, holes, k, base, tombstones)
                    k = r.messages
                except WireError as error:
                    k = self.at
                    self.events.rows = self.first_row
                    self.cache.undo()
                    if self.is_other:
                        continue
                    if failed != base + k and self.record.plan is not None and self.plans.unfit(self.record.plan):
                        failed = base + k  # read again: its table may have had another description at its commit time
                        continue
                    errors.append(self.readable(error, base + k))
                    k += 1
            base += r.messages
        self.events.end()
        self.fill_rows(self.unfilled, self.events.rows)
        self.fill_rare(self.without_rare, self.events.rows)
        return self.finish(errors, tombstones)

    def read_messages(
        self,
        key: RecordCursor,
        keyless: AbstractSet[int],
        r: RecordCursor,
        missing: AbstractSet[int],
        holes: list[Any],
        k: cython.Py_ssize_t,
        base: cython.Py_ssize_t,
        tombstones: MutableSequence[int],
    ) -> cython.int:
        """Reads messages up to the last one, or up to a malformed one, whose index is then `at`.

        Args:
            key, r: cursors of keys and values.
            keyless, missing: indexes of null keys and of null values.
            holes: both, sorted.
            k: index of the first message.
            base: offset from index to message number.
            tombstones: receives the numbers of messages without an event.
        """
        has_key: cython.bint = True
        has_value: cython.bint = True
        some_keyless: cython.bint = len(keyless) > 0
        some_missing: cython.bint = len(missing) > 0
        stop: cython.Py_ssize_t
        hole: cython.Py_ssize_t = bisect_left(holes, k)
        while k < r.messages:
            if cython.compiled and not self.is_other:
                while hole < len(holes) and holes[hole] < k:
                    hole += 1
                stop = holes[hole] if hole < len(holes) else r.messages
                if k < stop:
                    k = self.read_run(key, r, k, stop, base)
                    if k == stop:
                        continue
            self.at = k
            self.first_row = self.events.rows
            self.cache.start()
            if some_missing:
                has_value = k not in missing
            if some_keyless:
                has_key = k not in keyless
            if has_key:
                key.load(k)
            if has_value:
                r.load(k)
            self.lost = False
            if not self.read_message(key, has_key, r, has_value, base + k):
                if self.lost:
                    tombstones.append(base + k)
                elif self.events.rows > self.first_row:
                    self.unfilled = self.without_rare = self.events.rows
            k += 1
        return 0

    def read_message(
        self,
        key: RecordCursor,
        has_key: cython.bint,
        r: RecordCursor,
        has_value: cython.bint,
        message: cython.Py_ssize_t,
    ) -> cython.int:
        """Reads key and value, each possibly null; returns 1 if the rest of its event row is filled later, with others.
        """
        raise NotImplementedError

    def begin_event(self) -> cython.Py_ssize_t:
        """Appends an event all of whose columns are put individually; fills earlier events first. Returns its row."""
        row: cython.Py_ssize_t = self.events.rows
        self.fill_rows(self.unfilled, row)
        self.fill_rare(self.without_rare, row)
        self.unfilled = self.without_rare = row
        self.events.reserve(row + 1)
        return row

    def fill_rows(self, row: cython.Py_ssize_t, stop: cython.Py_ssize_t) -> cython.int:
        """Fills the columns of events[row:stop] that are the same for all rows that are records."""
        raise NotImplementedError

    def fill_rare(self, row: cython.Py_ssize_t, stop: cython.Py_ssize_t) -> cython.int:
        """Fills the rarely used columns of events[row:stop] with null."""
        raise NotImplementedError

    def indexes(self, error: WireError) -> dict[str, object]:
        """Names of record, column and path at the error, for the text of the field."""
        record: RecordReader = self.key_record if self.part(error) == "key" else self.record
        return {"record": record.record_name(), "column": record.field_name(), "path": self.path}

    def readable(self, error: WireError, message: int) -> DecodeError:
        indexes = self.indexes(error)
        if error.path and indexes["column"]:
            error.put_inside(self.fields[error.field].format(**indexes))
        return super().readable(error, message)

    # ---- records

    def read_key(self, key: RecordCursor, field: cython.int, message: cython.Py_ssize_t) -> cython.int:
        """Reads the key as the row of a message without a value."""
        plan: RecordPlan
        start: cython.Py_ssize_t = key.pos
        try:
            plan = self.plans.of_key(key, field)
        except MissingSchema:
            raise
        except WireError as error:
            sentence = f"{error.detail()}; it alone says which row this is, as a record of {ITS_COLUMNS}"
            raise StatedError(error.code, field, start, sentence) from None
        self.key_record.read(key, plan, plan, self.cache, message)
        return key.consumed(field)

    def plan_of_key(self, key: RecordCursor, field: cython.int) -> RecordPlan | None:
        """Reading plan of a row's key; None: it was not written by an Avro converter."""
        start: cython.Py_ssize_t = key.pos
        if key.numbered() == 0 or key.end - start < LEAST_KEY:  # schema ids begin with 1
            rest = key.copy(min(key.end, start + LEAST_KEY), min(key.end, start + LEAST_KEY + LONGER))
            return self.strange(key, start, f" ({LONG_IDS})" if is_rest_of_long_id(rest) else "")
        try:
            return self.plans.of_key(key, field)
        except MissingSchema as error:
            if error.cause is None or isinstance(error.cause, SchemaUnavailableError):
                raise
            return self.strange(key, start, f" (schema {error.id} is not there)")
        except WireError as error:
            return self.strange(key, start, f" ({error.detail()})")

    def strange(self, key: RecordCursor, start: cython.Py_ssize_t, reason: str) -> RecordPlan | None:
        """Records that the key names no columns, with the reason."""
        self.strange_key = key.copy(start, min(key.end, start + MOST_OF_KEY + 1))
        self.why_strange = reason
        return None

    def read_row(
        self,
        key: RecordCursor,
        has_key: cython.bint,
        key_field: cython.int,
        r: RecordCursor,
        field: cython.int,
        message: cython.Py_ssize_t,
    ) -> cython.int:
        """Reads the row of the message; returns 1 if the record is not a row, and has not been read."""
        start: cython.Py_ssize_t
        self.strange_key = None
        self.key_plan = self.plan_of_key(key, key_field) if has_key else None
        plan: RecordPlan = self.plans.of_row(r, field)
        if self.is_other:
            self.is_other = False
            self.plans.know_fields(plan)
            return 1
        if plan.is_connect_message:
            return 1
        start = r.pos
        self.record.read(r, plan, self.key_plan, self.cache, message)
        if plan.table_slot >= 0 and not self.record.fits(r, plan, self.plans.changes()):
            plan = self.plans.refitted(r, self.record, plan, field)
            self.cache.undo()
            self.cache.start()
            r.pos = start
            self.record.read(r, plan, self.key_plan, self.cache, message)
        if self.strange_key is not None:
            self.strange_keys.met(self.strange_key, f"a record of {ITS_COLUMNS}{self.why_strange}")
        return r.consumed(field)

    def read_connect_message(
        self,
        key: RecordCursor,
        has_key: cython.bint,
        key_field: cython.int,
        r: RecordCursor,
        field: cython.int,
        message: cython.Py_ssize_t,
    ) -> cython.int:
        """Reads a record that is not a row, after its schema id, and its key."""
        plan: RecordPlan | None = self.plans.last_row
        own: RecordPlan | None = self.key_plan if has_key else None
        start: cython.Py_ssize_t = r.pos
        assert plan is not None, "`read_row` has found it"
        if self.connect_message_reader is None:
            assert self.connect_messages is not None, "it is printed for a protocol with such messages"
            self.connect_message_reader = ConnectMessageReader(self.connect_messages, self.store)
        self.record.at_plan = self.key_record.at_plan = None
        value = plain_record(r, plan.solid, field)
        r.consumed(field)
        told = None
        if own is not None:
            fields = [SchemaField(name, kind, {}) for name, kind in zip(own.names, own.kinds, strict=True)]
            told = plain_record(key, tuple(fields), key_field)
            key.consumed(key_field)
        try:
            assert plan.text is not None, "it is the plan of a whole record"
            event = self.connect_message_reader.event(value, told, plan.text)
        except DecodeError as error:
            stated = StatedError(VALUE, field, start, error.detail)
            stated.path = error.field
            raise stated from None
        if event is not None and event.kind not in self.kinds:
            raise StatedError(VALUE, field, start, "it is a changed row, and its schema has no record of a row")
        return self.put_nothing() if event is None else self.put_event(event, message)

    def put_event(self, event: Any, message: cython.Py_ssize_t) -> cython.int:
        """Puts an event that is not a row into the columns of events."""
        row: cython.Py_ssize_t = self.begin_event()
        c: cython.int
        for c in range(len(self.event_fields)):
            name, storage = self.event_fields[c]
            value = getattr(event, name, None)
            if name == "message":
                self.events.put_int(c, row, message)
            elif name == "kind":
                self.events.put_int(c, row, self.kinds[event.kind])
            elif name == "table":
                self.events.put_int(c, row, self.said_table(getattr(event, "schema", None), value))
            elif name.endswith(("_layout", "_row")):
                self.events.put_int(c, row, -1)
            elif value is None:
                self.events.put_null(c, row)
            elif isinstance(value, DescribedTable):
                self.events.put_int(c, row, len(self.cache.descriptions))
                self.cache.descriptions.append(value)
            elif storage == UINT:
                self.events.put_uint(c, row, value)
            elif storage == INT:
                self.events.put_int(c, row, value)
            else:
                self.events.put_text(c, row, value)
        self.events.rows = row + 1
        return 0

    def end_batch(self) -> cython.int:
        """Warns of columns of unknown types, and of rows of unknown tables."""
        if self.unknown.waiting:
            self.unknown.say()
        if self.events.rows > 0:
            self.plans.say_unnamed()
        return 0

    def operation(self, r: RecordCursor, slot: cython.int, field: cython.int) -> cython.int:
        """The number of the record's operation; -1: it states none."""
        k: cython.int
        if not self.record.slots[slot].given:
            return -1
        start: cython.Py_ssize_t = self.record.slots[slot].start
        size: cython.Py_ssize_t = self.record.slots[slot].end - start
        if size == 1 and self.letters[r.p[start]] >= 0:
            return self.letters[r.p[start]]
        for k in range(len(self.operations)):
            if self.record.has_name(r, slot, self.operations[k]):
                return k
        if self.connect_messages is not None and r.copy(start, start + size) in self.connect_messages.operations:
            self.is_other = True
        others = () if self.connect_messages is None else self.connect_messages.operations
        known = ", ".join([one.decode() for one in (*self.operations, *others)])
        found = shown(r.copy(start, start + size).decode("utf-8", "replace"))
        return r.refuse(UNNAMED, field, start, size, found, known)

    def accept(self, r: RecordCursor, slot: cython.int, accepted: Sequence[bytes], field: cython.int) -> cython.int:
        """Checks that a text of the record is absent, empty, or one of these."""
        start: cython.Py_ssize_t = self.record.slots[slot].start
        if not self.record.slots[slot].given or self.record.slots[slot].end == start:
            return 0
        if self.record.has_name(r, slot, self.last_accepted) and accepted:
            return 0
        found: bytes = self.record.name_at(r, slot)
        if found not in accepted:
            texts = [one.decode() for one in accepted]
            raise StatedError(UNNAMED, field, start, not_accepted(found.decode("utf-8", "replace"), texts))
        self.last_accepted = found
        return 0

    def state_nothing(self, r: RecordCursor, slot: cython.int, field: cython.int) -> cython.int:
        """Checks that a text of the record, which would be a statement, is absent or empty."""
        if self.record.has_name(r, slot, b""):
            return 0
        return refuse_statement(self.record.slots[slot].start, field)

    # ---- fields with properties of the event

    def put_digits(
        self,
        r: RecordCursor,
        c: cython.int,
        row: cython.Py_ssize_t,
        slot: cython.int,
        most: cython.ulonglong,
        field: cython.int,
    ) -> cython.int:
        """Puts an unsigned number given as decimal digits into a column of events.

        Args:
            row: row of the event.
            slot: slot of the text, which is not empty.
            most: maximum value.
        """
        start: cython.Py_ssize_t = self.record.slots[slot].start
        end: cython.Py_ssize_t = self.record.slots[slot].end
        number: cython.ulonglong = r.digits(start, end, field)
        if number > most:
            return r.fail(OUTSIDE, field, start, end - start, 0)
        return self.events.put_uint(c, row, number)

    def put_types(self, c: cython.int, row: cython.Py_ssize_t, record: RecordReader) -> cython.int:
        """Puts the source of the row's column types into a column of events; null if the schema states TiDB's types."""
        plan: RecordPlan | None = record.plan
        if plan is None or plan.types_from is None:
            return self.events.put_null(c, row)
        return self.events.put_text(c, row, plan.types_from)

    def put_utc(self, c: cython.int, row: cython.Py_ssize_t, record: RecordReader) -> cython.int:
        """Puts UTC, the location of TIMESTAMP values, into a column of events; null if the row has no such values."""
        plan: RecordPlan | None = record.plan
        if plan is None or not plan.zoned:
            return self.events.put_null(c, row)
        return self.events.put_text(c, row, UTC)

    def position_of(self, record: RecordReader) -> cython.Py_ssize_t:
        """The position in the batch of the table of a record that was read."""
        plan: RecordPlan | None = record.plan
        assert plan is not None, "a record is read by a plan"
        known: Table = plan.known
        if known.positions_version == self.cache.positions_version:
            return known.position
        return self.cache.position_of(known)

    def put_nothing(self) -> cython.int:
        """Marks the message as having no event: it states an operation but no row."""
        self.lost = True
        return 0
