"""Arrays own their memory: it does not depend on the decoder, and is freed with them."""

from __future__ import annotations

import gc
import struct
import threading
from typing import Any

import pyarrow as pa
import pytest
from craft.wire import Cell, Change, parts
from timed import spent

from tidewire import craft

pytestmark = pytest.mark.codec

ROWS = 300


def message(row: int) -> bytes:
    """A row with nulls in every third one, and a column of nulls."""
    text = None if row % 3 == 0 else f"text of {row}"
    cells = (
        Cell("id", 8, 0, row),
        Cell("u", 8, 32, None if row % 3 == 1 else row),
        Cell("t", 15, 0, text),
        Cell("d", 5, 0, struct.pack("<d", row / 2)),
        Cell("n", 6, 0, None),
    )
    return parts([Change("insert", 1, "s", "t", None, cells, None)]).build()


def decoded(decoder: Any = None, as_batch: bool = False) -> list[pa.Array]:
    """The arrays of the rows, and of their events."""
    columns = (decoder or craft.Decoder()).decode([message(row) for row in range(ROWS)])
    (layout,) = columns.layouts
    return [*(layout.to_batch().columns if as_batch else layout.arrays), *columns.events.columns]


def values(arrays: list[pa.Array]) -> list[list[Any]]:
    for array in arrays:
        array.validate(full=True)
    return [array.to_pylist() for array in arrays[:5]]


EXPECTED: list[list[Any]] = [
    list(range(ROWS)),
    [None if row % 3 == 1 else row for row in range(ROWS)],
    [None if row % 3 == 0 else f"text of {row}" for row in range(ROWS)],
    [row / 2 for row in range(ROWS)],
    [None] * ROWS,
]


every_way = pytest.mark.parametrize("as_batch", [False, True], ids=["arrays", "batch"])


@every_way
def test_arrays_stay_what_they_are_when_all_else_is_gone(as_batch: bool) -> None:
    decoder = craft.Decoder()
    arrays = decoded(decoder, as_batch)
    for _ in range(3):
        decoded(decoder, as_batch)
    del decoder
    gc.collect()
    junk = [bytearray(b"\xff" * size) for size in range(0, 100_000, 997)]
    assert values(arrays) == EXPECTED
    assert [array.null_count for array in arrays[:5]] == [0, 100, 100, 0, ROWS]
    del arrays[1:], junk
    assert arrays[0].to_pylist() == EXPECTED[0], "one alone, too"


def test_a_thread_of_any_kind_may_be_the_last_to_hold_them() -> None:
    held = [decoded() for _ in range(8)]
    found: list[bool] = []

    def drop(arrays: list[pa.Array]) -> None:
        found.append(values(arrays) == EXPECTED)
        arrays.clear()

    threads = [threading.Thread(target=drop, args=(arrays,)) for arrays in held]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    table = pa.table({str(at): array for at, array in enumerate(decoded())})
    kept: Any = table.sort_by([("0", "descending")])  # Arrow's own threads let go of what they have taken
    del table
    assert found == [True] * 8
    assert kept.column(0).to_pylist() == EXPECTED[0][::-1]


@pytest.mark.once
@every_way
def test_the_memory_is_free_when_they_are_gone(as_batch: bool) -> None:
    decoder = craft.Decoder()
    decoded(decoder, as_batch)
    _, once = spent(lambda: decoded(decoder, as_batch))
    _, held = spent(lambda: [decoded(decoder, as_batch) for _ in range(40)])

    def one_by_one() -> None:
        for _ in range(40):
            decoded(decoder, as_batch)

    _, left = spent(one_by_one)
    assert held > 30 * once, "what is held is seen"
    assert left < 2 * once, "and what is not is gone"
