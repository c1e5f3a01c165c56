"""The reading half of the naive twin: as strict as the codec, and nothing remembered from message to message."""

from __future__ import annotations

from json_twin import MalformedError, decimal

from craft.wire import (
    DDL,
    FLOATS,
    MASK,
    NEW,
    OLD,
    RESOLVED,
    ROW,
    SIGNED,
    STRINGS,
    TEXTS,
    UNSIGNED,
    YEAR,
    Cell,
    Change,
    Mark,
    Plain,
    Statement,
    signed,
)


class Reader:
    """Bytes that are read from the front, all of them in the end."""

    def __init__(self, data: bytes) -> None:
        self.data = data
        self.pos = 0

    def left(self) -> int:
        """How many bytes there still are."""
        return len(self.data) - self.pos

    def take(self, size: int) -> bytes:
        """So many bytes."""
        if not 0 <= size <= self.left():
            raise MalformedError(f"{size} bytes of {self.left()}")
        self.pos += size
        return self.data[self.pos - size : self.pos]

    def done(self) -> None:
        """Nothing may be left."""
        if self.left():
            raise MalformedError(f"{self.left()} bytes left over")

    def uvarint(self) -> int:
        """LEB128 of at most 64 bits; truncated ones are refused."""
        value = 0
        for k in range(10):
            byte = self.take(1)[0]
            value |= (byte & 0x7F) << 7 * k
            if byte < 0x80:
                if value > MASK:
                    raise MalformedError("more than 64 bits")
                return value
        raise MalformedError("more than 64 bits")

    def varint(self) -> int:
        """A zigzag number."""
        value = self.uvarint()
        return value >> 1 if value % 2 == 0 else -(value >> 1) - 1

    def count(self, most: int | None = None) -> int:
        """A uvarint that counts what takes a byte at least."""
        value = self.uvarint()
        if value > (self.left() if most is None else most):
            raise MalformedError(f"a count of {value}")
        return value

    def delta_varints(self, count: int) -> list[int]:
        """A delta varint chunk."""
        values: list[int] = []
        for _ in range(count):
            values.append(signed((values[-1] if values else 0) + self.varint()))
        return values


def read(message: bytes) -> list[Plain]:
    """The events of a message; MalformedError when it is none."""
    body = Reader(message)
    if body.uvarint() != 1:
        raise MalformedError("version")
    backwards = Reader(message[body.pos :][::-1])
    tables_size = backwards.uvarint()
    tables = Reader(backwards.take(tables_size)[::-1])
    sections = Reader(backwards.data[backwards.pos :][::-1])
    if tables.uvarint() != 2:
        raise MalformedError("meta table")
    headers_size, terms_size = tables.delta_varints(2)
    body_sizes = tables.delta_varints(tables.count())
    group_sizes = []
    while tables.left():
        group_sizes.append(tables.delta_varints(tables.count()))
    headers = Reader(sections.take(headers_size))
    bodies = [Reader(sections.take(size)) for size in body_sizes]
    terms = _terms(Reader(sections.take(terms_size)))
    sections.done()
    count = len(bodies)
    if not count:
        raise MalformedError("no events")
    stamps: list[int] = []
    for _ in range(count):
        stamps.append(((stamps[-1] if stamps else 0) + headers.uvarint()) & MASK)
    types = [headers.uvarint() for _ in range(count)]
    partitions = headers.delta_varints(count)
    schemas = [_name(terms, k) for k in headers.delta_varints(count)]
    names = [_name(terms, k) for k in headers.delta_varints(count)]
    headers.done()
    rows = types.count(ROW)
    if rows not in (0, count) or len(group_sizes) != rows:
        raise MalformedError("column group tables")
    events: list[Plain] = []
    for k, reader in enumerate(bodies):
        if types[k] == ROW:
            if not schemas[k] or not names[k]:
                raise MalformedError("a row of no table")
            images = _images(reader, group_sizes[k], terms)
            kind = {(True, False): "insert", (True, True): "update", (False, True): "delete"}[
                NEW in images, OLD in images
            ]
            partition = None if partitions[k] == -1 else partitions[k]
            events.append(Change(kind, stamps[k], schemas[k], names[k], partition, images.get(NEW), images.get(OLD)))
        elif types[k] == DDL:
            code = reader.count(255)
            events.append(Statement(stamps[k], schemas[k], names[k], code, _text(reader.take(reader.count()))))
        elif types[k] == RESOLVED:
            events.append(Mark(stamps[k]))
        else:
            raise MalformedError(f"event type {types[k]}")
        reader.done()
    return events


def _text(data: bytes) -> str:
    try:
        return data.decode()
    except UnicodeDecodeError:
        raise MalformedError("not UTF-8") from None


def _terms(reader: Reader) -> list[str]:
    if not reader.left():
        return []
    lengths = [reader.uvarint() for _ in range(reader.count())]
    terms = [_text(reader.take(length)) for length in lengths]
    reader.done()
    return terms


def _name(terms: list[str], number: int) -> str | None:
    if number == -1:
        return None
    if not 0 <= number < len(terms):
        raise MalformedError(f"term {number}")
    return terms[number] or None


def _images(body: Reader, sizes: list[int], terms: list[str]) -> dict[int, tuple[Cell, ...]]:
    found: dict[int, tuple[Cell, ...]] = {}
    for size in sizes:
        reader = Reader(body.take(size))
        kind = reader.take(1)[0]
        if kind not in (NEW, OLD) or kind in found:
            raise MalformedError(f"column group of type {kind}")
        found[kind] = _cells(reader, terms)
        reader.done()
    if not found:
        raise MalformedError("no column group")
    return found


def _cells(reader: Reader, terms: list[str]) -> tuple[Cell, ...]:
    count = reader.count()
    numbers = reader.delta_varints(count)
    types = [reader.count(255) for _ in range(count)]
    flags = [reader.uvarint() for _ in range(count)]
    if any(not 0 <= number < len(terms) for number in numbers):
        raise MalformedError("term of a column")
    names = [terms[number] for number in numbers]
    if not names or len(set(names)) != count:
        raise MalformedError("columns")
    lengths = [reader.varint() for _ in range(count)]
    if any(length < -1 for length in lengths):
        raise MalformedError("a negative length")
    values = [None if length == -1 else reader.take(length) for length in lengths]
    described = zip(names, types, flags, values, strict=True)
    return tuple(Cell(name, kind, bits, _value(kind, bits, value)) for name, kind, bits, value in described)


def _value(kind: int, flags: int, data: bytes | None) -> int | str | bytes | None:
    if data is None:
        return None
    if kind in SIGNED or kind in UNSIGNED or kind == YEAR:
        reader = Reader(data)
        unsigned = kind in UNSIGNED or (kind in SIGNED and flags & 0x80)
        number = reader.uvarint() if unsigned else reader.varint()
        reader.done()
        return number
    if kind in FLOATS:
        if len(data) != 8:
            raise MalformedError("not a float")
        return data
    if kind in TEXTS or (kind in STRINGS and not flags & 1):
        return str(decimal(_text(data))) if kind == 246 else _text(data)
    if kind in STRINGS:
        return data
    raise MalformedError(f"a value of type {kind}")
