"""Memory and time of decoding a message grow only with its size."""

from __future__ import annotations

import json
from collections.abc import Callable
from hashlib import sha256

import pytest
from craft.test_craft_bounds import COUNTS, spent
from timed import fastest

import tidewire.runtime
from canal_json.test_reading import insert
from tidewire.canal_json.decoder import Decoder

pytestmark = pytest.mark.codec


def many_rows(count: int) -> bytes:
    """Rows of one column."""
    return insert("int", "", data=json.dumps([{"c": "1"}] * count))


def many_columns(count: int) -> bytes:
    """One row of many columns, declared in another order."""
    names = [f"{k:x}" for k in range(count)]
    types = dict.fromkeys(sorted(names, key=lambda name: sha256(name.encode()).digest()), "int")
    return insert("", "", mysqlType=json.dumps(types), data=json.dumps([dict.fromkeys(names, "1")]))


def many_layouts(count: int) -> bytes:
    """Rows of one column each, always another one."""
    names = [f"{k:x}" for k in range(count)]
    return insert("", "", mysqlType=json.dumps(dict.fromkeys(names, "int")), data=json.dumps([{n: "1"} for n in names]))


def many_types(count: int) -> bytes:
    """Columns that are all declared otherwise."""
    types = {f"{k:x}": f"varchar({k})" for k in range(count)}
    return insert("", "", mysqlType=json.dumps(types), data=json.dumps([dict.fromkeys(types, "1")]))


def many_tables(count: int) -> bytes:
    """Objects behind each other that name a table each."""
    return b"".join(insert("int", '"1"', table=f'"{k}"') for k in range(count))


def many_members(count: int) -> bytes:
    """Members that nobody knows."""
    return insert("int", '"1"', **{f"x{k}": "[]" for k in range(count)})


def many_brackets(count: int) -> bytes:
    """Objects in arrays in objects, as deep as can be, again and again."""
    return insert("int", '"1"', other="[" + ",".join(['{"a":[' * 200 + "]}" * 200] * (count // 100)) + "]")


def many_digits(count: int) -> bytes:
    """A number as long as the message."""
    return insert("double", '"' + "1" * count + '"')


def many_escapes(count: int) -> bytes:
    """A text of escapes only, and a name of escapes that is looked for again and again."""
    name = "\\u0061" * 50
    rows = ",".join('{"%s":"%s"}' % (name, "\\u00e9") for _ in range(count // 10))  # noqa: UP031
    return insert(
        "", "", mysqlType=json.dumps({"a" * 50: "varchar(3)"}), data=f"[{rows}]", sql='"' + "\\n" * count + '"'
    )


SHAPES: list[tuple[Callable[[int], bytes], int]] = [
    (many_rows, 18),
    (many_columns, 21),
    (many_layouts, 38),
    (many_types, 28),
    (many_tables, 34),
    (many_members, 3),
    (many_brackets, 3),
    (many_digits, 6),
    (many_escapes, 4),
]
NAMES = [shape.__name__ for shape, _ in SHAPES]


@pytest.mark.parametrize("count", COUNTS)
@pytest.mark.parametrize(("shape", "most"), SHAPES, ids=NAMES)
def test_memory_is_a_multiple_of_the_message(shape: Callable[[int], bytes], most: int, count: int) -> None:
    """Bytes held for each byte of the message, at its worst, above what a decoder takes for itself."""
    little, message = many_rows(1), shape(count)
    # the first message of a kind pays for what the process makes once; it is another one, so that what is kept of
    # the measured one counts
    Decoder().decode([little])
    Decoder().decode([shape(count // 2)])
    own, _ = spent(lambda: Decoder().decode([little]))
    held, _ = spent(lambda: Decoder().decode([message]))
    factor = 1 if tidewire.runtime.compiled else 4
    assert (held - own) / len(message) < factor * most


@pytest.mark.parametrize("shape", [shape for shape, _ in SHAPES], ids=NAMES)
def test_time_grows_with_the_message(shape: Callable[[int], bytes]) -> None:
    """Eight times the message: about eight times the time, not 64."""
    size = 1000 if tidewire.runtime.compiled else 200
    small, large = shape(size), shape(8 * size)

    def spent_on(message: bytes) -> float:
        return fastest(lambda: Decoder().decode([message]))

    assert spent_on(large) < 40 * max(spent_on(small), 100e-6)


@pytest.mark.once
def test_a_table_that_had_many_columns_costs_its_next_messages_nothing() -> None:
    """Small messages of a table are as fast when one message before them named 50,000 columns."""
    keys = [insert("int", '"1"', pkNames=names) for names in ('["c"]', "null")] * 200

    def spent_after(first: bytes) -> float:
        decoder = Decoder()
        decoder.decode([first])
        assert not decoder.decode(keys).errors
        return fastest(lambda: decoder.decode(keys))

    assert spent_after(many_columns(50_000)) < 4 * spent_after(keys[0])


@pytest.mark.once
def test_a_decoder_keeps_less_than_it_read() -> None:
    """What it remembers is bounded in bytes: 200 messages of a megabyte, never with the same names."""
    decoder = Decoder()

    def work() -> None:
        for k in range(200):
            name = sha256(b"%d" % k).hexdigest() * 6000
            value = insert("", "", mysqlType=json.dumps({name: f"varchar({k})"}), data=f'[{{"{name}":"1"}}]')
            decoder.decode([value])

    _, kept = spent(work)
    assert kept < 100 << 20
