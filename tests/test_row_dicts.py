"""Rows as dicts: what stays from the row that was asked for before is what it would be without it."""

from __future__ import annotations

from itertools import pairwise
from random import Random

import pytest

from tidewire.events import Column, Events, RowChange

pytestmark = pytest.mark.codec

COLUMNS = [
    Column("i", 8, 0),
    Column("u", 8, 0x80),
    Column("f", 5, 0),
    Column("t", 15, 0),
    Column("b", 252, 1),
    Column("n", 6, 0),
]
VALUES: list[tuple[object, ...]] = [
    (None, 0, 1, -1, 1 << 40, -(1 << 63)),
    (None, 0, 1, 1 << 63, (1 << 64) - 1),
    (None, 0.0, -0.0, 1.5, float("inf"), 5e-324),
    (None, "", "a", "b", "aé", "中文", "a" * 100),
    (None, b"", b"\xff", b"\xfe", b"\xffa"),
    (None,),
]


def changes(seed: int) -> list[RowChange]:
    """Updates whose images have few values each, so that neighbours have some in common and some not."""
    random = Random(seed)
    rows = [{c.name: random.choice(values) for c, values in zip(COLUMNS, VALUES, strict=True)} for _ in range(60)]
    return [RowChange("update", 1 << 18, "s", "t", new, old, columns=COLUMNS) for new, old in pairwise(rows)]


def spelled(row: dict[str, object]) -> str:
    """With the type of each value and the sign of zero."""
    return repr(list(row.items()))


@pytest.mark.parametrize("seed", range(20))
def test_dicts_in_any_order(seed: int) -> None:
    given = changes(seed)
    asked = [(event, image) for event in range(len(given)) for image in ("new", "old")] * 2
    Random(seed).shuffle(asked)
    events = Events.of(given)
    for place, image in asked:
        wanted = getattr(given[place], image)
        row = getattr(events[place], image)
        assert spelled(row.to_dict()) == spelled(dict(wanted)) == spelled(dict(row.items()))


def test_dicts_are_the_callers_own() -> None:
    given = changes(1)
    events = Events.of(given)
    for place, wanted in enumerate(given):
        for image in ("new", "old"):
            found = getattr(events[place], image).to_dict()
            assert spelled(found) == spelled(dict(getattr(wanted, image)))
            found["i"] = "changed"
            found.pop("t")
            found["more"] = found


def test_a_value_that_is_no_text_between_rows_of_text() -> None:
    """A text whose bytes are not UTF-8 comes as bytes, and the next row has nothing of it."""
    texts: list[object] = ["a", b"\xff\xfe", "b", b"\xff\xfe", b"\xff\xfe", "b", None, "b"]
    events = [RowChange("insert", 1 << 18, "s", "t", {"t": text}, columns=[Column("t", 252, 0)]) for text in texts]
    found = Events.of(events)
    assert [found[k].new.to_dict() for k in range(len(found))] == [{"t": text} for text in texts]
