"""A second, naive implementation of Craft's wire, which the codec is compared with.

Written from the description of the format alone, one plain function for each of its words; it shares nothing with the
package. `Parts` writes a message section by section, so that every one of them can be made wrong.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

ROW, DDL, RESOLVED = 1, 2, 3
"""Types of events on the wire."""
NEW, OLD = 1, 2
"""Types of column groups."""
MASK = 2**64 - 1

SIGNED = frozenset({1, 2, 3, 8, 9})
YEAR = 13
UNSIGNED = frozenset({16, 247, 248})
FLOATS = frozenset({4, 5})
TEXTS = frozenset({7, 10, 11, 12, 14, 225, 245, 246})
STRINGS = frozenset({15, 249, 250, 251, 252, 253, 254})


class Cell(NamedTuple):
    """A column of a row and its value: int, str, bytes or None; of a float its 8 bytes: NaN and -0.0 compare."""

    name: str
    type: int
    flags: int
    value: int | str | bytes | None


class Change(NamedTuple):
    """A row change; partition is None when the table has none."""

    kind: str
    commit_ts: int
    schema: str | None
    table: str | None
    partition: int | None
    new: tuple[Cell, ...] | None
    old: tuple[Cell, ...] | None


class Statement(NamedTuple):
    """A DDL statement."""

    commit_ts: int
    schema: str | None
    table: str | None
    type: int
    query: str


class Mark(NamedTuple):
    """A watermark."""

    commit_ts: int


Plain = Change | Statement | Mark


# ---- primitives and chunks


def uvarint(value: int) -> bytes:
    """LEB128."""
    out = bytearray()
    while value > 0x7F:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    out.append(value)
    return bytes(out)


def zigzag(value: int) -> int:
    """The unsigned number that stands for a signed one of 64 bits."""
    return 2 * value if value >= 0 else -2 * value - 1


def varint(value: int) -> bytes:
    """A zigzag number."""
    return uvarint(zigzag(value))


def reversed_uvarint(value: int) -> bytes:
    """A uvarint back to front."""
    return uvarint(value)[::-1]


def signed(value: int) -> int:
    """A number modulo 2^64 as the signed one that has its bits."""
    value &= MASK
    return value - 2**64 if value >= 2**63 else value


def deltas(values: Sequence[int]) -> list[int]:
    """The first value, then differences."""
    return [value - (values[k - 1] if k else 0) for k, value in enumerate(values)]


def uvarints(values: Iterable[int]) -> bytes:
    """A uvarint chunk."""
    return b"".join(map(uvarint, values))


def delta_uvarints(values: Sequence[int]) -> bytes:
    """A delta uvarint chunk: differences modulo 2^64."""
    return uvarints(d & MASK for d in deltas(values))


def delta_varints(values: Sequence[int]) -> bytes:
    """A delta varint chunk: differences modulo 2^64, zigzag."""
    return b"".join(varint(signed(d)) for d in deltas(values))


def string(value: bytes) -> bytes:
    """Length and bytes."""
    return uvarint(len(value)) + value


def strings(values: Sequence[bytes]) -> bytes:
    """A string chunk: all lengths, then all payloads."""
    return uvarints(map(len, values)) + b"".join(values)


def nullables(values: Sequence[bytes | None]) -> bytes:
    """A nullable bytes chunk: all lengths as zigzag numbers, -1 for null, then the payloads."""
    lengths = b"".join(varint(-1 if value is None else len(value)) for value in values)
    return lengths + b"".join(value for value in values if value is not None)


def size_table(sizes: Sequence[int]) -> bytes:
    """Count and delta varint chunk."""
    return uvarint(len(sizes)) + delta_varints(sizes)


def value_bytes(cell: Cell) -> bytes | None:
    """A value as it is written; None for null."""
    value = cell.value
    if value is None:
        return None
    if isinstance(value, str):
        return value.encode()
    if isinstance(value, bytes):
        return value
    if cell.type == YEAR or (cell.type in SIGNED and not cell.flags & 0x80):
        return varint(value)
    return uvarint(value)


# ---- messages


@dataclass
class Parts:
    """A message in its sections. What is None is derived from the others; what is given is written as it is given."""

    commit_ts: list[int] = field(default_factory=list)
    types: list[int] = field(default_factory=list)
    partitions: list[int] = field(default_factory=list)
    schemas: list[int] = field(default_factory=list)
    tables: list[int] = field(default_factory=list)
    bodies: list[bytes] = field(default_factory=list)
    group_sizes: list[list[int]] = field(default_factory=list)
    terms: list[bytes] = field(default_factory=list)
    version: bytes = b"\x01"
    headers: bytes | None = None
    dictionary: bytes | None = None
    meta: list[int] | None = None
    body_sizes: list[int] | None = None
    size_tables: bytes | None = None
    trailer: bytes | None = None
    gap: bytes = b""
    """Between the dictionary and the size tables."""

    def sections(self) -> dict[str, bytes]:
        """The sections by name, in the order of the wire."""
        headers = self.headers
        if headers is None:
            headers = delta_uvarints(self.commit_ts) + uvarints(self.types)
            headers += b"".join(map(delta_varints, (self.partitions, self.schemas, self.tables)))
        dictionary = self.dictionary
        if dictionary is None:
            dictionary = uvarint(len(self.terms)) + strings(self.terms) if self.terms else b""
        tables = self.size_tables
        if tables is None:
            meta = [len(headers), len(dictionary)] if self.meta is None else self.meta
            sizes = [len(body) for body in self.bodies] if self.body_sizes is None else self.body_sizes
            tables = b"".join(map(size_table, (meta, sizes, *self.group_sizes)))
        trailer = reversed_uvarint(len(tables)) if self.trailer is None else self.trailer
        return {
            "version": self.version,
            "headers": headers,
            "bodies": b"".join(self.bodies),
            "terms": dictionary,
            "gap": self.gap,
            "sizes": tables,
            "sizes_length": trailer,
        }

    def build(self) -> bytes:
        """The message."""
        return b"".join(self.sections().values())


def group(kind: int, cells: Sequence[Cell], ids: Sequence[int]) -> bytes:
    """A column group, its columns' names by their term ids."""
    described = delta_varints(ids) + uvarints(c.type for c in cells) + uvarints(c.flags for c in cells)
    return bytes([kind]) + uvarint(len(cells)) + described + nullables([value_bytes(c) for c in cells])


def parts(events: Sequence[Plain]) -> Parts:
    """One message of these events."""
    terms: dict[str, int] = {}
    names = [(None, None) if isinstance(e, Mark) else (e.schema, e.table) for e in events]

    def term(name: str | None) -> int:
        return terms.setdefault(name, len(terms)) if name else -1

    message = Parts(
        commit_ts=[event.commit_ts for event in events],
        types=[{Change: ROW, Statement: DDL, Mark: RESOLVED}[type(event)] for event in events],
        schemas=[term(schema) for schema, _ in names],
        tables=[term(table) for _, table in names],
    )
    for event in events:
        partition = event.partition if isinstance(event, Change) else None
        message.partitions.append(-1 if partition is None else partition)
        if isinstance(event, Change):
            sides = [(kind, cells) for kind, cells in ((NEW, event.new), (OLD, event.old)) if cells is not None]
            groups = [group(kind, cells, [term(c.name) for c in cells]) for kind, cells in sides]
            message.group_sizes.append([len(g) for g in groups])
            message.bodies.append(b"".join(groups))
        elif isinstance(event, Statement):
            message.bodies.append(uvarint(event.type) + string(event.query.encode()))
        else:
            message.bodies.append(b"")
    message.terms = [name.encode() for name in terms]
    return message


def write(events: Sequence[Plain]) -> bytes:
    """The bytes of one message of these events."""
    return parts(events).build()
