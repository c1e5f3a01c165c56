"""Images of column objects are read like a naive reader reads them, whatever was read before."""

from __future__ import annotations

import struct
from pathlib import Path
from typing import Any

import pytest

from .images import batches
from .peer import COLUMN, FLAGS, MARK, TYPE, VALUE, MalformedError, Outcome, Reader, naive

pytestmark = pytest.mark.codec
TESTS = Path(__file__).parents[1]


def bits(outcome: Any) -> Any:
    """An outcome whose floats are told apart by their bits."""
    if not isinstance(outcome, Outcome):
        return outcome
    return outcome.columns, [
        struct.pack("<d", value) if isinstance(value, float) else value for value in outcome.values
    ]


def expected(image: bytes) -> Any:
    """What the naive reader gives, "refused" for what it refuses."""
    try:
        return bits(naive(image))
    except MalformedError:
        return "refused"


def found(outcome: Any) -> Any:
    """What the runtime's reader gave, likewise."""
    return "refused" if type(outcome) is tuple and isinstance(outcome[0], str) else bits(outcome)


def test_images_are_read_as_a_naive_reader_reads_them() -> None:
    refused = total = 0
    reader = Reader()
    for number, batch in enumerate(batches(1, 60, 40)):
        outcomes = reader.read(batch, table=f"t{number % 7}")
        for image, outcome in zip(batch, outcomes, strict=True):
            want = expected(image)
            assert found(outcome) == want, image
            refused += want == "refused"
            total += 1
    assert 0.2 < refused / total < 0.6


def test_an_image_is_read_alike_whatever_was_read_before() -> None:
    """Alone, after itself (as what its table's images look like), and after others."""
    for batch in batches(2, 10, 12):
        together = Reader().read(batch)
        for image, outcome in zip(batch, together, strict=True):
            alone, again, third = Reader().read([image, image, image])
            assert (repr(alone), repr(again), repr(third)) == (repr(outcome),) * 3, image


IDENTITY = b'{"type":0,"mark":true,"flags":11,"value":%s}'


@pytest.mark.parametrize(
    ("image", "error"),
    [
        (b"7", ("kind", 1, 8, 55, 0)),
        (b'{"id":7}', ("kind", COLUMN, 14, 55, 0)),
        (b'{"id":null}', ("kind", COLUMN, 14, 110, 0)),
        (b'{"id":{}}', ("missing", TYPE, 16, 1, 0)),
        (b'{"id":{"value":1}}', ("missing", TYPE, 25, 1, 0)),
        (b'{"id":{"type":null,"value":1}}', ("missing", TYPE, 37, 1, 0)),
        (b'{"id":{"type":0}}', ("missing", VALUE, 24, 1, 0)),
        (b'{"id":{"type":256,"value":1}}', ("outside", TYPE, 22, 3, 0)),
        (b'{"id":{"type":"0","value":1}}', ("kind", TYPE, 22, 34, 0)),
        (b'{"id":{"type":0,"flags":18446744073709551616,"value":1}}', ("outside", FLAGS, 32, 20, 0)),
        (b'{"id":{"type":0,"mark":1,"value":1}}', ("kind", MARK, 31, 49, 0)),
        (b'{"id":{"type":0,"type":0,"value":1}}', ("duplicate", TYPE, 24, 0, 0)),
        (b'{"id":%b,"id":%b}' % (IDENTITY % b"1", IDENTITY % b"1"), ("duplicate", COLUMN, 58, 0, 0)),
        (b'{"id":%b}' % (IDENTITY % b'"1"'), ("kind", VALUE, 56, 1, 0)),
        (b'{"id":%b}' % (IDENTITY % b"1.5"), ("value", VALUE, 55, 3, 0)),
        (b'{"id":%b}' % (IDENTITY % b"9223372036854775808"), ("outside", VALUE, 55, 19, 0)),
        (b'{"id":{"type":9,"value":null}}', ("unknown", COLUMN, 8, 0, 0)),
        (b'{"id":{"type":8,"value":1}}', ("unknown", VALUE, 32, 1, 0)),
        (b'{"id":%b' % (IDENTITY % b"1"), ("truncated", 1, 57, 1, 0)),
    ],
)
def test_what_is_wrong_is_named(image: bytes, error: tuple[object, ...]) -> None:
    assert Reader().read([image]) == [error]
    good = b'{"id":%b}' % (IDENTITY % b"1")
    outcome = Outcome((("id", 0, 11),), (1,))
    assert Reader().read([good, image, good]) == [outcome, error, outcome]


def test_columns_that_change_are_other_columns() -> None:
    """The type, the flags, the order and the number of columns: each is a layout of its own."""
    images = [
        b'{"a":{"type":0,"flags":0,"value":1},"b":{"type":0,"flags":0,"value":2}}',
        b'{"a":{"type":0,"flags":0,"value":3},"b":{"type":0,"flags":1,"value":4}}',
        b'{"a":{"type":1,"flags":0,"value":5},"b":{"type":0,"flags":0,"value":6}}',
        b'{"b":{"type":0,"flags":0,"value":7},"a":{"type":0,"flags":0,"value":8}}',
        b'{"a":{"type":0,"flags":0,"value":9}}',
        b'{"a":{"type":0,"value":10}}',
        b'{"a":{"type":0,"mark":true,"value":11}}',
        b"{}",
    ]
    outcomes = Reader().read(images * 3)
    assert [outcome.values for outcome in outcomes[:8]] == [(1, 2), (3, 4), (5, 6), (7, 8), (9,), (10,), (11,), ()]
    assert [outcome.columns[-1] for outcome in outcomes[:7]] == [
        ("b", 0, 0), ("b", 0, 1), ("b", 0, 0), ("a", 0, 0), ("a", 0, 0), ("a", 0, 0), ("a", 0, 2)
    ]  # fmt: skip
    assert outcomes[8:16] == outcomes[16:] == outcomes[:8]


def test_text_that_is_not_utf8_is_kept_where_it_may_be() -> None:
    images = [
        b'{"a":{"type":7,"flags":0,"value":"\xff\\ud800"},"b":{"type":5,"flags":0,"value":"/w=="}}',
        b'{"a":{"type":7,"flags":0,"value":"x"},"b":{"type":5,"flags":0,"value":""}}',
    ]
    found = Reader(checked=False).read(images * 2)
    assert [outcome.values for outcome in found[:2]] == [(b"\xff\xed\xa0\x80", b"\xff"), (b"x", b"")]
    assert found[2:] == found[:2]


def test_wide_images_and_long_values() -> None:
    name = "column with a name of some length "
    wide = {f"{name}{k}": (b'"%b"' % (b"x" * k)) if k % 2 else b"null" for k in range(2000)}
    image = b"{%b}" % b",".join(b'"%b":{"type":7,"flags":0,"value":%b}' % (n.encode(), v) for n, v in wide.items())
    outcome, again = Reader().read([image, image])
    assert outcome == again
    assert outcome.values == tuple(None if v == b"null" else v[1:-1].decode() for v in wide.values())
    many = 100000
    contents = [b"a\\n" * many, b"QUJD" * many, b"\\\\x41" * many, b"\\u0041" + b"A" * 3 * many]
    long = [b'"%b"' % content for content in contents]
    kinds = (7, 5, 6, 6)
    images = [b'{"a":{"type":%d,"flags":0,"value":%b}}' % (kind, v) for kind, v in zip(kinds, long, strict=True)]
    one = b"{%b}" % b",".join(
        b'"%d":{"type":%d,"flags":0,"value":%b}' % (n, k, v) for n, (k, v) in enumerate(zip(kinds, long, strict=True))
    )
    want = ("a\n" * 100000, "ABC" * 100000, b"A" * 100000, b"A" * 300001)
    assert [outcome.values for outcome in Reader().read(images * 2)] == [(value,) for value in want] * 2
    assert [outcome.values for outcome in Reader().read([one, one])] == [want, want]
