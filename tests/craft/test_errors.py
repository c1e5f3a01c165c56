"""One family of errors that say all a person needs, whatever is done to a message; and never at a neighbour's cost."""

from __future__ import annotations

import pickle
import random

import pyarrow as pa
import pytest
from json_twin import MalformedError

from craft import wire
from craft.plain import plain
from craft.twin import read
from craft.vectors import BY_NAME, CASE_1, VECTORS, Vector, row
from craft.wire import Cell, Change, Mark, Parts, Plain, Statement, parts, uvarint, varint
from tidewire import craft
from tidewire.events import Events
from tidewire.runtime import errors
from tidewire.runtime.errors import REASONS, DecodeError, TidewireError

pytestmark = pytest.mark.codec

CODES = {code for code, _ in REASONS}


def test_kinds_of_trouble_have_an_id_each() -> None:
    """And the name of its number is the same: who reads `UNNAMED` in a decoder meets "unnamed" in an error."""
    assert len(CODES) == len(REASONS)
    assert [getattr(errors, code.upper()) for code, _ in REASONS] == list(range(len(REASONS)))


def insert(*cells: Cell) -> Change:
    return Change("insert", 1, "s", "t", None, cells, None)


def check(error: DecodeError, message: bytes, index: int | None) -> None:
    """The error says everything, and its text is made of it."""
    assert type(error) is DecodeError
    assert isinstance(error, TidewireError)
    assert isinstance(error, ValueError)
    assert (error.protocol, error.message) == ("craft", index)
    assert error.code in CODES
    assert 0 <= error.offset <= len(message)
    assert isinstance(error.needed, int)
    assert isinstance(error.available, int)
    assert "{" not in error.field
    assert str(error) == f"craft {error.field}: {error.detail} (offset {error.offset})"
    again = pickle.loads(pickle.dumps(error))
    assert (str(again), vars(again)) == (str(error), vars(error))


def said(error: DecodeError) -> tuple[object, ...]:
    return error.field, error.offset, error.code, error.needed, error.available, error.detail


def compared(messages: list[bytes]) -> int:
    """Decodes all in one batch; the twin accepts, refuses and reads the same. Gives how many were refused."""
    events = craft.decode_batch(messages)
    errors = {error.message: error for error in events.errors}
    assert len(errors) == len(events.errors)
    found: list[list[Plain]] = [[] for _ in messages]
    for event, number in zip(plain(events), events.columns.events["message"].to_pylist(), strict=True):
        found[number].append(event)
    for index, message in enumerate(messages):
        try:
            expected = read(message)
        except MalformedError as reason:
            if index not in errors:
                pytest.fail(f"accepted, but {reason}: {message.hex()}")
            check(errors[index], message, index)
        else:
            assert index not in errors, f"{errors.get(index)}: {message.hex()}"
            assert found[index] == expected, message.hex()
    return len(errors)


@pytest.mark.parametrize("vector", VECTORS, ids=[vector.name for vector in VECTORS])
def test_every_truncation(vector: Vector) -> None:
    """Of a message 0 to n - 1 bytes are left, at the front or at the back."""
    cut = [vector.message[:k] for k in range(len(vector.message))]
    assert compared(cut) == len(cut)
    for message in cut[:: max(1, len(cut) // 20)]:
        with pytest.raises(DecodeError) as caught:
            craft.decode(message)
        check(caught.value, message, None)
    tails = [vector.message[k:] for k in range(1, len(vector.message))]
    assert compared(tails) == len(tails)


@pytest.mark.parametrize(
    "name", ["resolved", "create table", "insert", "update", "two rows, the later one with the smaller ts", "types"]
)
def test_every_byte_changed(name: str) -> None:
    """Every byte to every other one; in longer messages one bit each."""
    message = BY_NAME[name].message
    changes = range(1, 256) if len(message) < 80 else [1 << bit for bit in range(8)]
    refused = compared(
        [
            message[:k] + bytes([message[k] ^ change]) + message[k + 1 :]
            for k in range(len(message))
            for change in changes
        ]
    )
    assert refused > 0


def test_every_byte_removed_or_doubled() -> None:
    for vector in VECTORS:
        image = vector.message
        compared([image[:k] + image[k + 1 :] for k in range(len(image))])
        compared([image[:k] + image[k : k + 1] + image[k:] for k in range(len(image))])


# ---- neighbours


def late_failures() -> list[bytes]:
    """Messages of which much has been read before the trouble shows."""
    update = Change("update", 1, "test", "t1", None, row("new"), row("old"))
    found = []
    for events, bad in (([update], "6f6c64"), ([update] * 5, "6f6c64")):
        message = wire.write(events)
        place = message.rindex(bytes.fromhex(bad))
        found.append(message[:place] + b"\xff" + message[place + 1 :])
    ddl = parts([Statement(1, "s", "t", 3, "fine"), Mark(1), Statement(2, "s", "t", 3, "not fine")])
    ddl.bodies[2] = ddl.bodies[2][:-1] + b"\xff"
    other = parts([insert(Cell("a column of its own", 3, 0, 1)), insert(Cell("i", 5, 0, b"\0" * 8))])
    other.bodies[1] = other.bodies[1][:-8] + b"\x80" * 8
    other.types = [1, 4]
    return [*found, ddl.build(), other.build()]


BAD = [b"", b"\x01", b"\0" * 50, b"\xff" * 50, VECTORS[5].message[:-1], VECTORS[-2].message[:-3], *late_failures()]


def test_neighbours_survive() -> None:
    """good, bad, good is good, good: in events, in columns, in numbers of messages."""
    good = [vector.message for vector in VECTORS]
    for bad in BAD:
        mixed = [part for message in good for part in (bad, message)] + [bad]
        events, alone = craft.decode_batch(mixed), craft.decode_batch(good)
        assert plain(events) == plain(alone)
        assert [error.message for error in events.errors] == list(range(0, len(mixed), 2))
        assert events.columns.events["message"].to_pylist() == [
            2 * m + 1 for m in alone.columns.events["message"].to_pylist()
        ]
        assert list(events) == list(alone)
        assert [said(error) for error in events.errors] == [said(events.errors[0])] * (len(good) + 1)


def test_a_bad_message_leaves_nothing_but_its_error() -> None:
    """No table without events, no layout without rows, and the same columns as without it."""
    good = [vector.message for vector in VECTORS]
    alone = craft.decode_batch(good).columns
    for bad in BAD:
        columns = craft.decode_batch([bad, *good, bad]).columns
        assert columns.tables == alone.tables
        assert columns.layouts == alone.layouts
        names = [name for name in alone.events.schema.names if name != "message"]
        assert columns.events.select(names).equals(alone.events.select(names))


def test_a_decoder_forgets_a_bad_message() -> None:
    """What it learned of tables, terms and columns from a message that failed does not change what comes after."""
    decoder = craft.Decoder()
    for vector in VECTORS:
        for bad in BAD:
            columns = decoder.decode([bad, vector.message])
            assert plain(Events(columns)) == list(vector.decoded or vector.events)
            assert [error.message for error in columns.errors] == [0]


def test_batches_of_any_arrow_shape() -> None:
    """Slices, chunks, large and null: the index of a message is that of its place in what was given."""
    values = [VECTORS[0].message, None, VECTORS[5].message, b"", VECTORS[6].message]
    expected = plain(craft.decode_batch(values))
    array = pa.array(values, pa.binary())
    for shape in (
        array,
        array.cast(pa.large_binary()),
        pa.array([b"x", *values, b"y"], pa.binary()).slice(1, 5),
        pa.array([b"xyz", *values], pa.large_binary()).slice(1),
        pa.chunked_array([array.slice(0, 2), array.slice(2)]),
        pa.chunked_array([array]),
    ):
        events = craft.decode_batch(shape)
        assert plain(events) == expected
        assert [(error.message, error.code) for error in events.errors] == [(3, "truncated")]
        assert events.tombstones == [1]
        assert events.columns.events["message"].to_pylist() == [0, 2, 4]
    assert len(craft.decode_batch([])) == 0
    assert len(craft.decode_batch(pa.array([], pa.binary()))) == 0
    assert len(craft.decode_batch(pa.chunked_array([], pa.binary()))) == 0


def test_a_null_that_covers_bytes_is_a_null() -> None:
    """Arrow lets a null have bytes, which mean nothing."""
    message = VECTORS[0].message
    offsets = pa.array([0, len(message), 2 * len(message)], pa.int32()).buffers()[1]
    array = pa.Array.from_buffers(pa.binary(), 2, [pa.py_buffer(b"\x02"), offsets, pa.py_buffer(2 * message)])
    assert array.to_pylist() == [None, message]
    for shape in (array, array.cast(pa.large_binary()), pa.chunked_array([array])):
        events = craft.decode_batch(shape)
        assert (events.tombstones, events.errors) == ([0], [])
        assert plain(events) == list(VECTORS[0].events)


def test_what_is_no_message() -> None:
    with pytest.raises(TypeError, match="messages are a binary array or a sequence of bytes, not int64"):
        craft.decode_batch(pa.array([1]))


def test_the_path_names_the_event_and_the_group() -> None:
    message = parts(CASE_1)
    message.bodies[2] = message.bodies[2][:108] + b"\x07" + message.bodies[2][109:]
    with pytest.raises(DecodeError) as caught:
        craft.decode(message.build())
    assert caught.value.field == "bodies/2/groups/1/kind"
    assert caught.value.offset == 1 + 40 + 2 * 216 + 108


# ---- hostile numbers

HOSTILE = [2**31 - 1, 2**31, 2**32, 2**62, 2**63 - 1, 2**63, 2**64 - 1]


def hostile(number: int) -> dict[str, Parts]:
    """A message for each place of a size or count, which has that number there."""
    signed = varint(wire.signed(number))
    base = parts([insert(Cell("i", 3, 0, 7))])
    sections = base.sections()
    tables = [wire.size_table(t) for t in ([5, 7], [7], [7])]
    body, image = base.bodies[0], wire.group(1, [Cell("i", 3, 0, 7)], [2])
    given: dict[str, dict[str, object]] = {
        "trailer": {"trailer": wire.reversed_uvarint(number)},
        "meta count": {"size_tables": uvarint(number) + tables[0][1:] + tables[1] + tables[2]},
        "meta headers": {"size_tables": b"\x02" + signed + b"\x00" + tables[1] + tables[2]},
        "meta terms": {"size_tables": b"\x02\x0a" + signed + tables[1] + tables[2]},
        "bodies count": {"size_tables": tables[0] + uvarint(number) + tables[1][1:] + tables[2]},
        "body size": {"size_tables": tables[0] + b"\x01" + signed + tables[2]},
        "groups count": {"size_tables": tables[0] + tables[1] + uvarint(number) + tables[2][1:]},
        "group size": {"size_tables": tables[0] + tables[1] + b"\x01" + signed},
        "terms count": {"dictionary": uvarint(number) + sections["terms"][1:]},
        "term size": {"dictionary": b"\x03\x01" + uvarint(number) + b"\x01sti"},
        "schema": {"headers": sections["headers"][:3] + signed + b"\x02"},
        "column count": {"bodies": [image[:1] + uvarint(number) + image[2:]]},
        "column name": {"bodies": [image[:2] + signed + image[3:]]},
        "column type": {"bodies": [image[:3] + uvarint(number) + image[4:]]},
        "value size": {"bodies": [image[:5] + signed + body[6:]]},
    }
    found = {}
    for place, fields in given.items():
        message = parts([insert(Cell("i", 3, 0, 7))])
        for name, value in fields.items():
            setattr(message, name, value)
        if "bodies" in fields:
            message.group_sizes = [[len(message.bodies[0])]]
        found[place] = message
    statement = parts([Statement(1, "s", "t", 3, "x")])
    statement.bodies = [b"\x03" + uvarint(number) + b"x"]
    return found | {"query size": statement}


@pytest.mark.parametrize("number", HOSTILE)
@pytest.mark.parametrize("place", list(hostile(0)))
def test_hostile_numbers(place: str, number: int) -> None:
    """Refused like anything else; test_craft_bounds.py says that nothing is reserved for them."""
    message = hostile(number)[place].build()
    assert compared([message, message + b"\0" * 100, b"\x01" + b"\0" * 100 + message[1:]]) == 3


def test_noise() -> None:
    """Bytes that were never a message, and messages with noise in them."""
    chance = random.Random(7)
    compared(
        [chance.randbytes(chance.randrange(80)) for _ in range(2000)]
        + [b"\x01" + chance.randbytes(40) for _ in range(2000)]
    )
    compared([bytes([1]) + bytes(chance.choices(range(8), k=chance.randrange(6, 30))) for _ in range(4000)])
