"""The row images of events, compared with a plain loop over the same events."""

from __future__ import annotations

from typing import NamedTuple

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tidewire.events import EVENT_SCHEMA
from tidewire.reading.kernels.image_rows import RANKS, ImageRows
from tidewire.reading.types import MOST_MILLISECONDS, MOST_VERSION
from tidewire.runtime.batch import EventColumns
from tidewire.runtime.batch.event_batches import complete

pytestmark = pytest.mark.codec

INSERT, DELETE, UPDATE = 1, 2, 3
BASES = [-1, 0, 100]
"""Of three layouts: nothing is asked for of the first."""


class Event(NamedTuple):
    """The columns of an event that are read."""

    kind: int
    new_layout: int
    new_row: int
    old_layout: int
    old_row: int
    message: int = 0
    commit_ts: int | None = None
    commit_ms: int | None = None
    handle_key_only: int | None = None
    claim_check: str | None = None


layouts = st.integers(-1, len(BASES) - 1)
rows = st.integers(-1, 99)
versions = st.none() | st.integers(0, (1 << 64) - 1) | st.sampled_from([MOST_VERSION, MOST_VERSION + 1])
times = st.none() | st.integers(-(1 << 63), (1 << 63) - 1) | st.integers(-MOST_MILLISECONDS, MOST_MILLISECONDS)
edges = st.sampled_from([MOST_MILLISECONDS, MOST_MILLISECONDS + 1, -MOST_MILLISECONDS, -MOST_MILLISECONDS - 1])
kinds = st.sampled_from([INSERT, DELETE, UPDATE])
events = st.tuples(
    *(kinds, layouts, rows, layouts, rows, st.integers(0, 1 << 30), versions, times | edges),
    *(st.sampled_from([None, 0, 1]), st.sampled_from([None, "file"])),
).map(lambda said: Event(*said))
plain = st.tuples(*(kinds, layouts, rows, layouts, rows, st.integers(0, 9), st.integers(0, MOST_VERSION))).map(
    lambda said: Event(*said)
)
"""Events as most protocols have them: some columns are null in all of them."""


def columns_of(changes: list[Event], skipped: int = 0) -> EventColumns:
    """The events as a decoder gives them, less the first ones."""
    found = {
        name: pa.array([getattr(change, name) for change in changes], EVENT_SCHEMA.field(name).type)
        for name in Event._fields
    }
    return EventColumns(complete(EVENT_SCHEMA, found, len(changes)).slice(skipped), [], [])


def images_of(changes: list[Event]) -> list[tuple[int, int, str]]:
    """Event, image and what the image is, the slow way."""
    found = []
    for at, change in enumerate(changes):
        if min(change.old_layout, change.old_row) >= 0 and BASES[change.old_layout] >= 0:
            what = "delete" if change.kind == DELETE else "update_preimage"
            found.append((at, BASES[change.old_layout] + change.old_row, what))
        if min(change.new_layout, change.new_row) >= 0 and BASES[change.new_layout] >= 0:
            what = "insert" if change.kind == INSERT else "update_postimage"
            found.append((at, BASES[change.new_layout] + change.new_row, what))
    return found


def committed(change: Event) -> tuple[int | None, int | None, bool]:
    """The version and the microseconds since 1970 of an event, and whether it has a number that Spark's types cannot
    hold.
    """
    odd, milliseconds = False, change.commit_ms
    if change.commit_ts is not None:
        if change.commit_ts <= MOST_VERSION:
            return change.commit_ts, (change.commit_ts >> 18) * 1000, False
        odd = True
    if milliseconds is not None and abs(milliseconds) > MOST_MILLISECONDS:
        odd, milliseconds = True, None
    return None, None if milliseconds is None else milliseconds * 1000, odd


@given(st.lists(events, max_size=20) | st.lists(plain, max_size=20), st.integers(0, 3))
def test_images_are_those_of_a_plain_loop(changes: list[Event], skipped: int) -> None:
    images = ImageRows(columns_of(changes, skipped)).select(BASES, INSERT, DELETE)
    left = changes[skipped:]
    for array in images[:-1]:
        array.validate(full=True)
    names = [RANKS[rank] for rank in images.rank.to_pylist()]
    found = list(zip(images.event.to_pylist(), images.image.to_pylist(), names, strict=True))
    assert found == images_of(left)
    wanted = [left[event] for event, _, _ in found]
    assert images.message.to_pylist() == [change.message for change in wanted]
    said = [committed(change) for change in wanted]
    assert images.version.to_pylist() == [version for version, _, _ in said]
    assert images.time.cast(pa.int64()).to_pylist() == [time for _, time, _ in said]
    assert images.odd == any(odd for _, _, odd in said)


@given(st.lists(events, max_size=20) | st.lists(plain, max_size=20), st.integers(0, 3))
def test_what_needs_a_closer_look_is_told(changes: list[Event], skipped: int) -> None:
    found, left = ImageRows(columns_of(changes, skipped)), changes[skipped:]
    assert found.mixed() == any(
        change.new_layout != change.old_layout and min(change.new_layout, change.old_layout) >= 0 for change in left
    )
    assert found.partial() == any(change.handle_key_only or change.claim_check is not None for change in left)


def test_no_events_have_no_images() -> None:
    images = ImageRows(columns_of([])).select(BASES, INSERT, DELETE)
    assert [len(part) for part in images[:-1]] == [0] * 6
    assert not images.odd
