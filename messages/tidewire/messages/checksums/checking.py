"""Computes the checksums of a batch's rows, and compares them with those in the messages."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from tidewire.messages.checksums.planning import CheckPlan, plan, plan_of_record, quoted
from tidewire.messages.checksums.rows import NO_TIME, NO_ZONE, RowSums
from tidewire.messages.checksums.zones import Zone, Zones
from tidewire.messages.options import TIME_ZONE as TIME_ZONE_OPTION
from tidewire.runtime import cython
from tidewire.runtime.arrow.column_reader import ColumnReader
from tidewire.runtime.arrow.storage import INT, TEXT, UINT
from tidewire.runtime.batch.event_columns import EventColumns
from tidewire.runtime.batch.layout import Layout
from tidewire.runtime.batch.roles import (
    CHECKSUM,
    CHECKSUM_BEFORE,
    CHECKSUM_CORRUPTED,
    CHECKSUM_VERSION,
    LOCATION,
    PARTIAL,
    TIME_ZONE,
)
from tidewire.runtime.errors import MissingTableError
from tidewire.runtime.tables.versions_by_time import described_alike, described_at

if TYPE_CHECKING:
    from tidewire.runtime.batch.roles import Roles
    from tidewire.runtime.tables.store import DescribedTables

NEW_LAYOUT: cython.int = 0
NEW_ROW: cython.int = 1
OLD_LAYOUT: cython.int = 2
OLD_ROW: cython.int = 3
MESSAGE: cython.int = 4
VERSION: cython.int = 5
ZONE: cython.int = 6
CORRUPTED: cython.int = 7
NOW: cython.int = 8
BEFORE: cython.int = 9
PART: cython.int = 10
PLACE: cython.int = 11
MADE: cython.int = 12
"""The number of event columns that are read here."""
STORAGES = (INT, INT, INT, INT, INT, UINT, TEXT, INT, UINT, UINT, INT, TEXT, INT)

OWN = ("new_layout", "new_row", "old_layout", "old_row", "message")
MEANT = (
    TIME_ZONE,
    CHECKSUM_CORRUPTED,
    CHECKSUM,
    CHECKSUM_BEFORE,
    PARTIAL,
    LOCATION,
    CHECKSUM_VERSION,
)

MOST_PLANS = 1024
"""The most layouts whose checksum plans are cached; beyond that all are dropped."""


class SumFinding(NamedTuple):
    """A row image whose checksum is wrong, or cannot be verified.

    Attributes:
        event: the row of the event.
        image: `new` or `old`.
        expected: the checksum in the message.
        computed: the computed checksum, None if it cannot be computed.
        reason: a sentence; empty if the two simply differ.
    """

    event: int
    image: str
    expected: int
    computed: int | None
    reason: str


class Checked(NamedTuple):
    """The result of checking a batch, in the order of the events.

    Attributes:
        wrong: row images that differ from their checksum, or that the producer found to differ.
        open: row images whose checksum cannot be verified.
    """

    wrong: list[SumFinding]
    open: list[SumFinding]


class Plans:
    """The checksum plans of a protocol's rows, with caches of layouts and time zones. Threads must not share it.

    Attributes:
        tables: the known table descriptions.
        by_id: whether columns are in the order of their ids; otherwise in the table's order.
        records: whether rows are records whose schemas give types and order of all columns; versions are then the times
            from which descriptions are valid.
        roles: the names of event fields by their meaning.
        fields: the event columns that are read here.
        zones: the time zones.
        zone: the name of the zone of local times if the event has none; empty: it is unknown, but an option can set it;
            None: there is no such option.
    """

    def __init__(
        self,
        tables: DescribedTables[Any],
        by_id: bool,
        version: str,
        roles: Roles,
        records: bool = False,
        zone: str | None = None,
    ) -> None:
        """

        Args:
            tables, by_id, roles, records, zone: as in the class.
            version: the event field with the version of the table description of a row.
        """
        self.records = records
        self.tables = tables
        self.by_id = by_id
        self.roles = roles
        self.fields = (*OWN, version, *[roles[one] for one in MEANT])
        self.zones = Zones()
        self.zone = zone
        self.known: dict[object, CheckPlan] = {}

    def of(self, description: object, layout: Layout) -> CheckPlan:
        """The plan for a layout's rows, with the description of their table, if there is one."""
        columns = layout.columns
        storages = tuple(layout.storages())
        key = (description, columns, storages)
        found = self.known.get(key)
        if found is None:
            if len(self.known) >= MOST_PLANS:
                self.known.clear()
            if self.records:
                types = self.tables.DESCRIPTION.TYPES.types
                found = plan_of_record(description, types, columns, storages, self.by_id)  # type: ignore[arg-type]
            else:
                found = plan(description, columns, storages, self.by_id)  # type: ignore[arg-type]
            self.known[key] = found
        return found

    def times(self, names: tuple[str, str], version: int) -> tuple[int, int]:
        """The first and the last version with the same description of a table.

        Args:
            names: schema and name of the table.
            version: a version in this range.
        """
        return described_alike(self.tables, names, version) if self.records else (version, version)

    def described_in(self, schema: str | None, table: str | None, version: int | None) -> object:
        """The description of a table; None if there is none."""
        if self.records:
            return described_at(self.tables, (schema or "", table or ""), version)
        try:
            return None if table is None else self.tables.find(schema, table, version)
        except MissingTableError:
            return None


class CheckedImage:
    """The plan for a layout's row images, for a range of versions of their table.

    Attributes:
        versioned, first, last: whether there is a version, and the range of versions.
        sums: computes the checksums; None if it is impossible.
        reason: why it is impossible.
        undescribed: whether that is because the table has no description.
        doubt: why a different checksum would not prove an error.
        names: names of the columns in the checksum.
    """

    def __init__(self, versioned: bool, first: int, last: int, sums: RowSums | None, how: CheckPlan) -> None:
        self.versioned = versioned
        self.first = first
        self.last = last
        self.sums = sums
        self.reason = how.reason
        self.undescribed = how.undescribed
        self.doubt = how.doubt
        self.names = how.names
        self.local = how.local


class RowChecks:
    """The checksums of a batch's rows.

    Attributes:
        computed: the last checksum, None if it could not be computed.
        reason: why it could not; otherwise empty.
        undescribed: whether that is because the table has no description.
        sure: whether a different checksum proves an error.
        bad: whether a value is invalid for its type, so that no checksum would be right.
    """

    def __init__(self, columns: EventColumns, plans: Plans) -> None:
        """Args:
            plans: the checksum plans.
        """
        self.columns = columns
        self.plans = plans
        self.events = columns.source(plans.fields, STORAGES)
        self.layouts = columns.layouts
        self.last: list[CheckedImage | None] = [None] * len(columns.layouts)
        self.images: dict[tuple[int, int | None], CheckedImage] = {}
        self.zone: Zone | None = None
        self.zone_name: bytes | None = None
        self.computed: int | None = None
        self.reason = ""
        self.sure = self.bad = self.undescribed = False
        self.failed = -1

    def check(self, pointers: bool) -> Checked:
        """Compares all checksums in the messages; 0 means none. A row also counts as wrong if its producer says so.

        Args:
            pointers: whether to include events that point to the whole message.
        """
        event: cython.Py_ssize_t
        now: cython.ulonglong
        before: cython.ulonglong
        corrupted: cython.bint
        found = Checked([], [])
        events: ColumnReader = self.events
        for event in range(events.rows):
            now = 0 if events.null_at(NOW, event) else events.uint_at(NOW, event)
            before = 0 if events.null_at(BEFORE, event) else events.uint_at(BEFORE, event)
            corrupted = not events.null_at(CORRUPTED, event) and events.int_at(CORRUPTED, event) != 0
            if now == 0 and before == 0 and not corrupted:
                continue
            if not pointers and not events.null_at(PLACE, event):
                continue
            if corrupted:
                reason = "the producer found that the row differs from its checksum"
                expected, image = (before, "old") if now == 0 and before != 0 else (now, "new")
                found.wrong.append(SumFinding(event, image, expected, None, reason))
                continue
            if now != 0 and not self._is(event, True, now):
                self._report(found, event, "new", now)
            if before != 0 and not self._is(event, False, before):
                self._report(found, event, "old", before)
        return found

    def fill(self, version: int) -> tuple[list[int | None], ...] | None:
        """For all events: the checksums, those of the rows before, the checksum version numbers, and whether the
        producer found a difference (0). Existing checksums are kept, missing ones computed.

        Args:
            version: version number for computed checksums.

        Returns:
            None if one cannot be computed; `failed` is then the event.
        """
        event: cython.Py_ssize_t
        now: cython.longlong
        before: cython.longlong
        events: ColumnReader = self.events
        found: tuple[list[int | None], ...] = ([], [], [], [])
        for event in range(events.rows):
            new: cython.bint = events.int_at(NEW_LAYOUT, event) >= 0 and events.int_at(NEW_ROW, event) >= 0
            old: cython.bint = events.int_at(OLD_LAYOUT, event) >= 0 and events.int_at(OLD_ROW, event) >= 0
            blank: cython.bint = events.null_at(NOW, event) and events.null_at(BEFORE, event)
            blank = blank and events.null_at(MADE, event) and events.null_at(CORRUPTED, event)
            if not blank or not (new or old):
                for values, column in zip(found, (NOW, BEFORE, MADE, CORRUPTED), strict=True):
                    values.append(events.value(column, event))
                continue
            now = self.sum(event, True) if new else 0
            before = self.sum(event, False) if old and now >= 0 else 0
            if now < 0 or before < 0:
                self.failed = event
                return None
            found[0].append(now)
            found[1].append(before)
            found[2].append(version)
            found[3].append(0)
        return found

    def _is(self, event: cython.Py_ssize_t, new: cython.bint, expected: cython.ulonglong) -> cython.bint:
        """Whether a row image of an event has this checksum."""
        done: cython.longlong = self.sum(event, new)
        return done >= 0 and cython.cast(cython.ulonglong, done) == expected

    def _report(self, found: Checked, event: cython.Py_ssize_t, image: str, expected: cython.ulonglong) -> cython.int:
        """Records that the last checksum differs from the one in the message."""
        proves = self.bad or (self.computed is not None and self.sure)
        (found.wrong if proves else found.open).append(SumFinding(event, image, expected, self.computed, self.reason))
        return 0

    def sum(self, event: cython.Py_ssize_t, new: cython.bint) -> cython.longlong:
        """The checksum of a row image of an event; -1 if it cannot be computed, with the reason in `reason`."""
        done: cython.longlong
        image: CheckedImage
        events: ColumnReader = self.events
        self.computed = None
        self.reason = ""
        self.sure = self.bad = self.undescribed = False
        layout: cython.longlong = events.int_at(NEW_LAYOUT if new else OLD_LAYOUT, event)
        row: cython.longlong = events.int_at(NEW_ROW if new else OLD_ROW, event)
        if layout < 0 or row < 0 or layout >= len(self.layouts):
            self.reason = "the event has no such row image"
            return -1
        if not events.null_at(PART, event) and events.int_at(PART, event) != 0:
            self.reason = "the row has its handle key only"
            return -1
        image = self._image(event, layout)
        if image.sums is None:
            self.reason = image.reason
            self.undescribed = image.undescribed
            return -1
        done = image.sums.of(row, self._zone(event) if image.local else None)
        if done >= 0:
            self.computed = done
            self.reason = image.doubt
            self.sure = not image.doubt
            return done
        column = quoted(image.names[image.sums.at])
        if done == NO_ZONE:
            if not events.null_at(ZONE, event):
                name = f"{quoted(events.text(ZONE, event))}, which is not known here"
            elif self.plans.zone is None:
                name = "that is not said"
            else:
                name = f"that is not said (option {TIME_ZONE_OPTION.name} can say it)"
            self.reason = f"column {column}: a local time in a time zone {name}"
        elif done == NO_TIME:
            zone = quoted(self._zone_name(event).decode("utf-8", "replace"))
            self.reason = f"column {column}: its local time is none in the zone {zone}"
        else:
            self.reason = f"column {column}: a text that cannot be a value of its type"
            self.bad = True
        return -1

    def _zone(self, event: cython.Py_ssize_t) -> Zone | None:
        """The time zone of an event's local times."""
        name = self._zone_name(event)
        if name != self.zone_name:
            self.zone_name = name
            self.zone = self.plans.zones.of(name)
        return self.zone

    def _zone_name(self, event: cython.Py_ssize_t) -> bytes:
        """The name of the zone in UTF-8; empty if unknown."""
        if self.events.null_at(ZONE, event):
            return (self.plans.zone or "").encode()
        return self.events.binary(ZONE, event)

    def _image(self, event: cython.Py_ssize_t, layout: cython.Py_ssize_t) -> CheckedImage:
        """The plan for a layout and the version of the event's table."""
        versioned: cython.bint = not self.events.null_at(VERSION, event)
        version: cython.ulonglong = self.events.uint_at(VERSION, event) if versioned else 0
        found: CheckedImage | None = self.last[layout]
        if found is None or version < found.first or version > found.last or found.versioned != versioned:
            key = (layout, version if versioned else None)
            found = self.images.get(key)
            if found is None:
                found = self.images[key] = self._planned(layout, versioned, version)
            self.last[layout] = found
        return found

    def _planned(self, number: cython.Py_ssize_t, versioned: bool, version: int) -> CheckedImage:
        """Creates a plan, once per layout and version in a batch."""
        layout: Layout = self.layouts[number]
        schema, table = self.columns.tables[layout.table]
        sums = None
        found = self.plans.described_in(schema, table, version if versioned else None)
        if found is None and not self.plans.records:
            named = ".".join(quoted(one) for one in (schema, table) if one is not None)
            which = f" in version {version}" if versioned else ""
            reason = f"the table {named} is not described{which}, and so the order of its columns"
            how = CheckPlan(reason=reason, undescribed=True)
        else:
            how = self.plans.of(found, layout)
        if not how.reason:
            sums = RowSums(layout.source(how.chosen, how.storages), how.ways, layout.num_rows)
        first, last = self.plans.times((schema or "", table or ""), version) if versioned else (0, 0)
        return CheckedImage(versioned, first, last, sums, how)
