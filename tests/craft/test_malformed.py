"""Edge cases that are malformed, and where we are stricter than Go's reader, which accepts some and panics at others.

What is refused is refused with the reason, the field and the offset that a person looks for; the twin refuses all
of it too.
"""

from __future__ import annotations

from collections.abc import Callable

import pytest
from json_twin import MalformedError

from craft import wire
from craft.plain import plain
from craft.twin import read
from craft.vectors import BY_NAME
from craft.wire import NEW, OLD, Cell, Change, Mark, Parts, Plain, Statement, parts, varint
from tidewire import craft
from tidewire.runtime.errors import DecodeError

pytestmark = pytest.mark.codec

INT, TEXT = Cell("i", 3, 0, 7), Cell("t", 15, 0, "x")
HEADERS = 5
"""Bytes of the headers of one event with small numbers; they start at offset 1."""


def insert(*cells: Cell) -> Change:
    return Change("insert", 1, "s", "t", None, cells, None)


def refused(message: Parts | bytes) -> tuple[str, str, int]:
    """Why, where and at which byte a message is refused."""
    image = message if isinstance(message, bytes) else message.build()
    with pytest.raises(MalformedError):
        read(image)
    with pytest.raises(DecodeError) as caught:
        craft.decode(image)
    error = caught.value
    assert error.protocol == "craft"
    assert str(error) == f"craft {error.field}: {error.detail} (offset {error.offset})"
    assert 0 <= error.offset <= len(image)
    return error.code, error.field, error.offset


def groups(*images: bytes) -> Parts:
    """A message of one row with these column groups."""
    message = parts([insert(INT)])
    message.bodies, message.group_sizes = [b"".join(images)], [[len(image) for image in images]]
    return message


def group(kind: int, *cells: Cell, ids: list[int] | None = None, described: bytes = b"", values: bytes = b"") -> bytes:
    """A column group; what is given as bytes takes the place of names, types and flags, or of the values."""
    image = wire.group(kind, cells, ids or [2] * len(cells))
    if not described and not values:
        return image
    return bytes([kind]) + wire.uvarint(1) + (described or b"\x04\x03\x00") + (values or b"\x02\x0e")


def accepted(message: Parts) -> list[Plain]:
    """The events of a message that is odd and still read."""
    events = plain(craft.decode(message.build()))
    assert events == read(message.build())
    return events


# ---- groups and rows


def test_a_group_without_columns() -> None:
    """Go panics."""
    assert refused(groups(b"\x01\x00")) == ("missing", "bodies/0/groups/0/columns/name", 8)


def test_a_message_without_events() -> None:
    """Go panics."""
    assert refused(Parts()) == ("missing", "sizes/bodies", 4)


def test_a_row_without_groups() -> None:
    """Go panics, or gives a row without images."""
    assert refused(groups()) == ("missing", "bodies/0/groups", 6)


@pytest.mark.parametrize("kind", [0, 3, 4, 127, 128, 255])
def test_unknown_group_type(kind: int) -> None:
    """Go skips the group without a word, so that a column image is lost; the Java reader refuses it, and so do we."""
    assert refused(groups(group(kind, INT))) == ("enum", "bodies/0/groups/0/kind", 6)
    assert refused(groups(group(NEW, INT), group(kind, INT))) == ("enum", "bodies/0/groups/1/kind", 13)


def test_old_before_new() -> None:
    """Is read as by Go; written again it has the usual order."""
    old, new = INT._replace(value=1), INT._replace(value=2)
    (event,) = accepted(groups(group(OLD, old), group(NEW, new)))
    assert event == Change("update", 1, "s", "t", None, (new,), (old,))
    events = craft.decode(groups(group(OLD, old), group(NEW, new)).build())
    assert craft.encode(events)[0].value == wire.write([event])


@pytest.mark.parametrize("kind", [NEW, OLD])
def test_two_groups_of_one_type(kind: int) -> None:
    """In Go the last one wins."""
    assert refused(groups(group(kind, INT), group(kind, INT)))[:2] == ("duplicate", "bodies/0/groups/1/kind")


def test_one_column_twice() -> None:
    """Go keeps both. An event is a mapping of names to values, and two values cannot both be meant."""
    assert refused(groups(group(NEW, INT, INT)))[:2] == ("duplicate", "bodies/0/groups/0/columns/name")
    twice = groups(group(NEW, INT, TEXT, ids=[2, 3]))
    twice.terms = [b"s", b"t", b"same", b"same"]
    assert refused(twice)[:2] == ("duplicate", "bodies/0/groups/0/columns/name")


@pytest.mark.parametrize("name", ["schema", "table"])
@pytest.mark.parametrize("absent", [-1, 3])
def test_a_row_of_no_table(name: str, absent: int) -> None:
    """Neither null nor an empty term names a schema or a table."""
    message = parts([insert(INT)])
    message.terms.append(b"")
    setattr(message, name + "s", [absent])
    assert refused(message)[:2] == ("missing", f"headers/{name}")


@pytest.mark.parametrize("other", [Statement(1, "s", "t", 3, "x"), Mark(1)])
@pytest.mark.parametrize("first", [True, False])
def test_rows_beside_other_events(other: Plain, first: bool) -> None:
    """Go finds the groups of event i in table i, so that other events shift them. Never written; refused."""
    events: list[Plain] = [other, insert(INT)] if first else [insert(INT), other]
    assert refused(parts(events))[:2] == ("mixed", "headers/event_type")
    filled = parts(events)
    filled.group_sizes.insert(0 if first else 1, [])
    assert refused(filled)[:2] == ("mixed", "headers/event_type")


def test_other_events_may_share_a_message() -> None:
    events: list[Plain] = [Statement(1, "s", None, 1, "x"), Mark(2), Statement(3, None, "t", 2, "y")]
    assert accepted(parts(events)) == events


@pytest.mark.parametrize("tables", [0, 2, 3])
def test_too_few_or_too_many_group_tables(tables: int) -> None:
    """Go panics for too few and passes over those that are too many."""
    message = parts([insert(INT)])
    message.group_sizes *= tables
    assert refused(message)[:2] == ("count", "sizes/groups")
    assert refused(Parts(bodies=[b""], headers=b"\0\x03\x01\x01\x01", group_sizes=[[1]]))[:2] == (
        "count",
        "sizes/groups",
    )


# ---- version


@pytest.mark.parametrize("version", [0, 2, 3, 300, 2**64 - 1])
def test_versions(version: int) -> None:
    """Go refuses 0 alone. Whatever another version will be, it is not this format."""
    message = parts([insert(INT)])
    message.version = wire.uvarint(version)
    assert refused(message) == ("const", "version", 0)


def test_a_longer_one_is_one() -> None:
    message = parts([insert(INT)])
    message.version = b"\x81\x00"
    assert accepted(message) == [insert(INT)]


@pytest.mark.parametrize("message", [b"", b"\x80", b"\x81\x80"])
def test_a_message_without_a_version(message: bytes) -> None:
    assert refused(message) == ("truncated", "version", 0)


# ---- numbers, sizes and leftovers


@pytest.mark.parametrize("event_type", [0, 4, 255, 2**64 - 1])
def test_event_types(event_type: int) -> None:
    """Go gives such an event, of which nobody knows what it is."""
    message = Parts([1], [event_type], [-1], [-1], [-1], [b""])
    assert refused(message)[:2] == ("enum", "headers/event_type")


@pytest.mark.parametrize("number", [3, 4, 127, -2, 2**62, -(2**63)])
@pytest.mark.parametrize(("field", "path"), [("schemas", "headers/schema"), ("tables", "headers/table")])
def test_terms_that_are_not_there(field: str, path: str, number: int) -> None:
    message = parts([insert(INT)])
    setattr(message, field, [number])
    assert refused(message)[:2] == ("term", path)


@pytest.mark.parametrize("number", [3, -1, -2, 2**62])
def test_columns_need_a_term(number: int) -> None:
    assert refused(groups(group(NEW, INT, ids=[number])))[:2] == ("term", "bodies/0/groups/0/columns/name")


@pytest.mark.parametrize("code", [256, 259, 2**32 + 3, 2**64 - 1])
def test_types_above_255(code: int) -> None:
    """Go keeps the low byte, so that 259 is an INT."""
    described = b"\x04" + wire.uvarint(code) + b"\0"
    assert refused(groups(group(NEW, described=described)))[:2] == ("range", "bodies/0/groups/0/columns/type")
    message = parts([Statement(1, "s", "t", 1, "x")])
    message.bodies = [wire.uvarint(code) + b"\x01x"]
    assert refused(message) == ("range", "bodies/0/type", 1 + HEADERS)


@pytest.mark.parametrize("size", [-2, -3, -(2**31), -(2**32) - 1, -(2**63)])
def test_sizes_below_minus_one(size: int) -> None:
    """In Go -(2^32)-1 wraps to null, other ones panic."""
    values = varint(size) + b"\x0e"
    assert refused(groups(group(NEW, values=values)))[:2] == ("range", "bodies/0/groups/0/columns/value")


@pytest.mark.parametrize("size", [1, 127, 2**31, 2**62, 2**63 - 1])
def test_values_beyond_their_group(size: int) -> None:
    code, field, _ = refused(groups(group(NEW, values=varint(size))))
    assert (code, field) in {(c, "bodies/0/groups/0/columns/value") for c in ("truncated", "range")}


CELLS: list[tuple[str, int, int, bytes]] = [
    ("an integer without bytes", 3, 0, b""),
    ("an unterminated integer", 3, 0, b"\x8e"),
    ("bytes behind an integer", 3, 0, b"\x0e\x00"),
    ("an integer of 65 bits", 8, 0x80, b"\xff" * 9 + b"\x02"),
    ("an integer of 11 bytes", 8, 0, b"\x80" * 10 + b"\x01"),
    ("a year without bytes", 13, 0, b""),
    ("a bit string without bytes", 16, 0, b""),
    ("a float of 7 bytes", 4, 0, b"\0" * 7),
    ("a double of 9 bytes", 5, 0, b"\0" * 9),
    ("an empty double", 5, 0, b""),
]


@pytest.mark.parametrize(("kind", "flags", "content"), [cell[1:] for cell in CELLS], ids=[cell[0] for cell in CELLS])
def test_values_that_are_not_of_their_type(kind: int, flags: int, content: bytes) -> None:
    """Go reads 0 where an integer has no end, and passes over what is behind a value."""
    cell = Cell("i", 252, flags, content)
    image = bytearray(group(NEW, cell))
    image[3:5] = wire.uvarint(kind)
    assert refused(groups(bytes(image)))[:2] == ("value", "bodies/0/groups/0/columns/value")


@pytest.mark.parametrize("kind", [0, 6, 200, 255])
@pytest.mark.parametrize("content", [b"", b"x", b"\x01\x02\x03"])
def test_values_of_types_that_have_none(kind: int, content: bytes) -> None:
    """Go drops the bytes and gives null. An event that lost a value is worse than none."""
    described = b"\x04" + wire.uvarint(kind) + b"\0"
    message = groups(group(NEW, described=described, values=varint(len(content)) + content))
    assert refused(message)[:2] == ("unknown", "bodies/0/groups/0/columns/value")


def test_names_that_are_not_utf8() -> None:
    """Terms are names: the policy for text is about values."""
    message = parts([insert(INT)])
    message.terms[1] = b"\xff"
    assert refused(message)[:2] == ("utf8", "terms")
    for policy in ("replace", "bytes"):
        with pytest.raises(DecodeError):
            craft.decode(message.build(), options=craft.Options(invalid_text=policy))


def _meta(message: Parts, headers: int = 0, terms: int = 0) -> None:
    sections = message.sections()
    message.meta = [len(sections["headers"]) + headers, len(sections["terms"]) + terms]


def _bodies(message: Parts, *more: int) -> None:
    message.body_sizes = [len(body) + m for body, m in zip(message.bodies, more, strict=True)]


def _groups(message: Parts, *more: int) -> None:
    message.group_sizes = [
        [size + m for size, m in zip(message.group_sizes[0], more, strict=True)],
        *message.group_sizes[1:],
    ]


SIZES: list[tuple[str, Callable[[Parts], object]]] = [
    ("headers one more", lambda m: _meta(m, headers=1)),
    ("headers one less", lambda m: _meta(m, headers=-1)),
    ("headers negative", lambda m: _meta(m, headers=-100)),
    ("headers huge", lambda m: _meta(m, headers=2**62)),
    ("terms one more", lambda m: _meta(m, terms=1)),
    ("terms one less", lambda m: _meta(m, terms=-1)),
    ("terms none", lambda m: setattr(m, "meta", [len(m.sections()["headers"]), 0])),
    ("terms negative", lambda m: _meta(m, terms=-(2**62))),
    ("headers to the terms' cost", lambda m: _meta(m, headers=1, terms=-1)),
    ("first body one more", lambda m: _bodies(m, 1, 0)),
    ("first body one less", lambda m: _bodies(m, -1, 0)),
    ("first body at the other's cost", lambda m: _bodies(m, 1, -1)),
    ("last body one more", lambda m: _bodies(m, 0, 1)),
    ("body negative", lambda m: _bodies(m, 0, -100)),
    ("bodies huge", lambda m: _bodies(m, 2**62, 2**62)),
    ("bodies that add up to the right size modulo 2^64", lambda m: _bodies(m, 2**63 - 20, -(2**63) + 20)),
    ("a body too few", lambda m: setattr(m, "body_sizes", [len(m.bodies[0])])),
    ("a body too many", lambda m: setattr(m, "body_sizes", [*map(len, m.bodies), 0])),
    ("group one more", lambda m: _groups(m, 1, 0)),
    ("group one less", lambda m: _groups(m, 0, -1)),
    ("groups shifted", lambda m: _groups(m, 1, -1)),
    ("group negative", lambda m: _groups(m, -50, 50)),
    ("meta of one", lambda m: setattr(m, "meta", [14])),
    ("meta of three", lambda m: setattr(m, "meta", [14, 10, 0])),
    ("meta of none", lambda m: setattr(m, "meta", [])),
    ("bytes between dictionary and tables", lambda m: setattr(m, "gap", b"\0")),
    ("bytes behind the dictionary's terms", lambda m: setattr(m, "dictionary", m.sections()["terms"] + b"\0")),
    ("bytes behind the headers", lambda m: setattr(m, "headers", m.sections()["headers"] + b"\0")),
    ("a byte behind the last table", lambda m: setattr(m, "size_tables", m.sections()["sizes"] + b"\x80")),
    ("no tables", lambda m: setattr(m, "size_tables", b"")),
    ("meta alone", lambda m: setattr(m, "size_tables", m.sections()["sizes"][:3])),
    ("trailer 0", lambda m: setattr(m, "trailer", b"\0")),
    ("trailer one more", lambda m: setattr(m, "trailer", wire.reversed_uvarint(len(m.sections()["sizes"]) + 1))),
    ("trailer one less", lambda m: setattr(m, "trailer", wire.reversed_uvarint(len(m.sections()["sizes"]) - 1))),
    ("trailer of the whole message", lambda m: setattr(m, "trailer", wire.reversed_uvarint(len(m.build())))),
    ("trailer of 2^31", lambda m: setattr(m, "trailer", wire.reversed_uvarint(2**31))),
    ("trailer of 2^64 - 1", lambda m: setattr(m, "trailer", wire.reversed_uvarint(2**64 - 1))),
    ("trailer without end", lambda m: setattr(m, "trailer", b"\x80" * 40)),
]


@pytest.mark.parametrize("spoil", [spoil for _, spoil in SIZES], ids=[name for name, _ in SIZES])
def test_sizes_say_how_long_sections_are(spoil: Callable[[Parts], object]) -> None:
    """Every byte belongs to one section. Go ignores what is left over in places, and panics at most other things."""
    row = Change("update", 1, "s", "t", None, (INT, TEXT), (INT, TEXT))
    message = parts([row, row])
    assert accepted(message) == [row, row]
    spoil(message)
    refused(message)


@pytest.mark.parametrize(
    "event", [insert(INT), Statement(1, "s", "t", 3, "x"), Mark(1)], ids=["row", "ddl", "resolved"]
)
def test_bytes_behind_a_body(event: Plain) -> None:
    message = parts([event])
    message.bodies[0] += b"\0"
    code, field, _ = refused(message)
    assert (code, field) == ("trailing", "bodies")
    if isinstance(event, Change):
        message.group_sizes[0][0] += 1
        assert refused(message)[:2] == ("trailing", "bodies/0/groups")


def test_a_message_inside_another() -> None:
    """Two messages in one value: the first one's sections end before the second one's do."""
    for a in BY_NAME.values():
        for b in BY_NAME.values():
            refused(a.message + b.message)
