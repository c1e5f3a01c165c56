"""Memory and time of decoding a message of Open Protocol grow only with its size."""

from __future__ import annotations

import json
from collections.abc import Callable
from hashlib import sha256

import pytest
from craft.test_craft_bounds import COUNTS, spent
from timed import fastest

import tidewire.runtime
from open_protocol.wire import Made, cell, column, frame, insert, key, message
from tidewire.open_protocol.decoder import Decoder

pytestmark = pytest.mark.codec


def many_events(count: int) -> Made:
    """Rows of one column."""
    return message(*[(key(), {"u": {"c": column(3, 1)}})] * count)


def many_watermarks(count: int) -> Made:
    """Keys with empty values."""
    return message(*[(key(3), b"")] * count)


def many_columns(count: int) -> Made:
    """One row of many columns."""
    names = sorted((f"{k:x}" for k in range(count)), key=lambda name: sha256(name.encode()).digest())
    return insert(**{name: column(3, 1) for name in names})


def many_layouts(count: int) -> Made:
    """Rows of one column each, always another one."""
    return message(*[(key(), {"u": {f"{k:x}": column(3, 1)}}) for k in range(count)])


def many_flags(count: int) -> Made:
    """Rows of one column that is described otherwise each time."""
    return message(*[(key(), {"u": {"c": column(3, 1, k << 8)}}) for k in range(count)])


def many_tables(count: int) -> Made:
    """A row of each of many tables."""
    return message(*[(key(table=str(k)), {"u": {"c": column(3, 1)}}) for k in range(count)])


def many_members(count: int) -> Made:
    """Members that nobody knows, of the key, of the row and of a column."""
    unknown: dict[str, object] = {f"x{k}": [] for k in range(count // 3)}
    return message((key() | unknown, {"u": {"c": column(3, 1) | unknown}} | unknown))


def many_brackets(count: int) -> Made:
    """Objects in arrays in objects, as deep as can be, again and again."""
    nested = b"[" + b",".join([b'{"a":[' * 200 + b"]}" * 200] * (count // 100)) + b"]"
    return message((key(), b'{"x":' + nested + b',"u":{"c":{"t":3,"f":0,"v":1}}}'))


def many_digits(count: int) -> Made:
    """A number as long as the message."""
    return cell(5, b"1." + b"1" * count)


def many_escapes(count: int) -> Made:
    """Texts of escapes only, and a name of escapes that is looked for again and again."""
    name = b"\\u0061" * 50
    row = b'{"u":{"%s":{"t":15,"f":1,"v":"%s"}}}' % (name, b"\\\\xff" * 10)
    text = cell(15, b'"' + b"\\n" * count + b'"')
    head = frame(json.dumps(key()).encode()) * (count // 10)
    return Made(text.key + head, text.value + frame(row) * (count // 10))


SHAPES: list[tuple[Callable[[int], Made], int]] = [
    (many_events, 5),
    (many_watermarks, 8),
    (many_columns, 24),
    (many_layouts, 18),
    (many_flags, 13),
    (many_tables, 40),
    (many_members, 3),
    (many_brackets, 3),
    (many_digits, 3),
    (many_escapes, 4),
]
NAMES = [shape.__name__ for shape, _ in SHAPES]


def size(made: Made) -> int:
    """Bytes of both parts."""
    return len(made.key) + len(made.value)


@pytest.mark.parametrize("count", COUNTS)
@pytest.mark.parametrize(("shape", "most"), SHAPES, ids=NAMES)
def test_memory_is_a_multiple_of_the_message(shape: Callable[[int], Made], most: int, count: int) -> None:
    """Bytes held for each byte of the message, at its worst, above what a decoder takes for itself."""
    little, made = many_events(1), shape(count)
    assert not Decoder().decode([made.value], [made.key]).errors
    Decoder().decode([little.value], [little.key])
    own, _ = spent(lambda: Decoder().decode([little.value], [little.key]))
    held, _ = spent(lambda: Decoder().decode([made.value], [made.key]))
    factor = 1 if tidewire.runtime.compiled else 4
    assert (held - own) / size(made) < factor * most


@pytest.mark.parametrize("shape", [shape for shape, _ in SHAPES], ids=NAMES)
def test_time_grows_with_the_message(shape: Callable[[int], Made]) -> None:
    """Eight times the message: about eight times the time, not 64."""
    count = 1000 if tidewire.runtime.compiled else 200
    small, large = shape(count), shape(8 * count)

    def spent_on(made: Made) -> float:
        return fastest(lambda: Decoder().decode([made.value], [made.key]))

    assert spent_on(large) < 40 * max(spent_on(small), 100e-6)


def test_a_decoder_keeps_less_than_it_read() -> None:
    """What it remembers is bounded in bytes: 200 messages of a megabyte, never with the same names."""
    decoder = Decoder()

    def work() -> None:
        for k in range(200):
            made = insert(**{sha256(b"%d" % k).hexdigest() * 12000: column(3, k)})
            decoder.decode([made.value], [made.key])

    _, kept = spent(work)
    assert kept < 100 << 20


def test_a_length_is_not_believed() -> None:
    """Nothing is allocated on the word of a length."""
    made = insert(c=column(3, 1))
    for told in (2**31, 2**40, 2**62, 2**64 - 1):
        for broken in (
            Made(made.key, told.to_bytes(8, "big") + made.value[8:]),
            Made(made.key[:8] + told.to_bytes(8, "big") + made.key[16:], made.value),
        ):
            held, _ = spent(lambda broken=broken: Decoder().decode([broken.value], [broken.key]))  # type: ignore[misc]
            own, _ = spent(lambda: Decoder().decode([made.value], [made.key]))
            assert held < own + (1 << 20)
