"""The row images of events, compared with a plain loop over the same events."""

from __future__ import annotations

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tidewire.spark.kernels.image_rows import RANKS, ImageRows

pytestmark = pytest.mark.codec

INSERT, DELETE, UPDATE = 1, 2, 3
BASES = [-1, 0, 100]
"""Of three layouts: nothing is asked for of the first."""

Event = tuple[int, int, int, int, int]
COLUMNS = ("kind", "new_layout", "new_row", "old_layout", "old_row")

layouts = st.integers(-1, len(BASES) - 1)
rows = st.integers(-1, 99)
events = st.tuples(st.sampled_from([INSERT, DELETE, UPDATE]), layouts, rows, layouts, rows)


def images_of(changes: list[Event]) -> list[tuple[int, int, str]]:
    """Event, image and what the image is, the slow way."""
    found = []
    for at, (kind, new_layout, new_row, old_layout, old_row) in enumerate(changes):
        if min(old_layout, old_row) >= 0 and BASES[old_layout] >= 0:
            found.append((at, BASES[old_layout] + old_row, "delete" if kind == DELETE else "update_preimage"))
        if min(new_layout, new_row) >= 0 and BASES[new_layout] >= 0:
            found.append((at, BASES[new_layout] + new_row, "insert" if kind == INSERT else "update_postimage"))
    return found


@given(st.lists(events, max_size=20), st.integers(0, 3))
def test_images_are_those_of_a_plain_loop(changes: list[Event], skipped: int) -> None:
    columns = [
        pa.array([change[at] for change in changes], pa.int64() if name.endswith("row") else pa.int32())
        for at, name in enumerate(COLUMNS)
    ]
    batch = pa.record_batch(columns, names=COLUMNS).slice(skipped)
    images = ImageRows(batch).select(BASES, INSERT, DELETE)
    names = [RANKS[rank] for rank in images.rank.to_pylist()]
    found = list(zip(images.event.to_pylist(), images.image.to_pylist(), names, strict=True))
    assert found == images_of(changes[skipped:])


def test_no_events_have_no_images() -> None:
    batch = pa.record_batch([pa.array([], pa.int64()) for _ in COLUMNS], names=COLUMNS)
    assert [len(part) for part in ImageRows(batch).select(BASES, INSERT, DELETE)] == [0, 0, 0]
