"""The column caches of encoders do not affect messages, and are bounded."""

from __future__ import annotations

import gc
import threading
import tracemalloc
from typing import Any

import pytest
from manual.pages import manual, said

from tidewire import canal_json, craft, open_protocol
from tidewire.events import BUILDER, Column, Events, RowChange
from tidewire.runtime import compiled
from tidewire.runtime.batch import columns_cache
from tidewire.runtime.batch.columns_cache import ColumnsCache
from tidewire.runtime.binary import interning
from tidewire.runtime.errors import EncodeError

pytestmark = pytest.mark.codec
CODECS: list[Any] = [craft, canal_json, open_protocol]
INTEGERS = [Column("id", 8, 11), Column("v", 3, 0)]
TEXTS = [Column("id", 8, 11), Column("v", 15, 0)]
BLOBS = [Column("id", 8, 11), Column("v", 15, 1)]


class Name(str):
    """A text of a class of its own."""


class Number(int):
    """A number of a class of its own."""


def change(k: int, columns: Any, value: Any, table: str = "t") -> RowChange:
    return RowChange("insert", (k + 1) << 18, "s", table, {"id": k, "v": value}, columns=columns, sent_ms=5)


def mixed(k: int) -> RowChange:
    """Columns of the same names and other types, equal ones that are other objects, classes of their own."""
    columns, value = (
        (INTEGERS, k),
        (TEXTS, f"v{k}"),
        ([Column(*column) for column in INTEGERS], Number(k)),
        (BLOBS, b"\xff"),
        (list(reversed(TEXTS)), Name(f"w{k}")),
        ([Column(Name("id"), Number(8), 11), INTEGERS[1]], k),
        ([INTEGERS[0], Column("v", 3, 0, "int")], k),
    )[k % 7]
    return change(k, columns, value, f"t{k % 3}")


def alone(codec: Any, event: RowChange, options: Any = None) -> bytes:
    """The message of an event from an encoder that has seen nothing."""
    (row,) = codec.Encoder(options).messages(Events.of([event]).columns)
    value: bytes = row[1]
    return value


@pytest.mark.parametrize("codec", CODECS)
def test_one_event_a_call_gives_what_a_new_encoder_gives(codec: Any) -> None:
    for k in list(range(70)) + list(range(20)):
        event = mixed(k)
        assert codec.encode((event,))[0].value == alone(codec, event), k
        assert codec.encode([event], options=codec.Options())[0].value == alone(codec, event), k


@pytest.mark.parametrize("codec", CODECS)
def test_a_list_of_columns_that_changes_between_calls(codec: Any) -> None:
    columns = list(INTEGERS)
    event: Any = change(1, columns, 1)
    first = codec.encode((event,))[0].value
    columns[1] = TEXTS[1]
    assert codec.encode((event,))[0].value == first, "an event keeps the columns that it was given"
    assert codec.encode((change(1, columns, "x"),))[0].value == alone(codec, change(1, TEXTS, "x"))


@pytest.mark.parametrize("codec", CODECS)
def test_events_that_fail_leave_no_trace(codec: Any) -> None:
    for k in range(40):
        bad = (
            change(k, INTEGERS, "no number"),
            change(k, [*INTEGERS, Column("v", 3, 0)], 1),
            change(k, [INTEGERS[0], Column("v", 999, 0)], 1),
            RowChange("update", 1 << 18, "s", f"t{k}", {"id": 1}, None, columns=INTEGERS),
            change(k, INTEGERS, 1, "\ud800"),
        )[k % 5]
        with pytest.raises(EncodeError):
            codec.encode((bad,))
        with pytest.raises(EncodeError):
            codec.encode([mixed(k), bad, mixed(k)])
        assert codec.encode((mixed(k),))[0].value == alone(codec, mixed(k))


@pytest.mark.parametrize("codec", CODECS)
def test_threads_that_encode_with_the_same_options(codec: Any) -> None:
    options = codec.Options()
    expected = [alone(codec, mixed(k), options) for k in range(21)]
    wrong: list[Any] = []

    def work() -> None:
        for _ in range(30):
            for k in range(21):
                found = codec.encode((mixed(k),), options)[0].value
                if found != expected[k]:
                    wrong.append((k, found))

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


def columns_of(k: int) -> tuple[Column, ...]:
    return (Column(f"c{k}", 3, 0), Column("v", 15, 0))


def test_columns_are_found_by_identity_and_by_equality() -> None:
    known = ColumnsCache()
    first = columns_of(1)
    known.remember(first, "one")
    known.remember(columns_of(2), "two")
    assert known.find(first) == "one"
    assert known.find(columns_of(1)) == "one"
    assert known.find(columns_of(2)) == "two"
    assert known.find(columns_of(3)) is None
    unhashable: Any = (Column("a", [], 0),)  # type: ignore[arg-type]
    assert known.find(unhashable) is None


def test_what_is_used_is_kept_and_the_rest_forgotten() -> None:
    known = ColumnsCache()
    used = columns_of(0)
    known.remember(used, "used")
    for k in range(1, 3 * columns_cache.MOST_KNOWN):
        known.remember(columns_of(k), k)
        assert k % 1000 or known.find(columns_of(0)) == "used"
    assert known.find(columns_of(1)) is None
    assert known.find(columns_of(3 * columns_cache.MOST_KNOWN - 1)) == 3 * columns_cache.MOST_KNOWN - 1
    long = (Column("n" * columns_cache.HEAVIEST, 3, 0),)
    known.remember(long, "long")
    assert known.find(long) is None


def test_long_names_are_forgotten_sooner() -> None:
    known = ColumnsCache()
    size = columns_cache.HEAVIEST // 8
    for k in range(100):
        known.remember((Column(f"{k}" + "n" * size, 3, 0),), k)
    found = [k for k in range(100) if known.find((Column(f"{k}" + "n" * size, 3, 0),)) is not None]
    assert 0 < len(found) <= 2 * columns_cache.MOST_BYTES // (4 * size)


@pytest.mark.parametrize("codec", CODECS)
def test_memory_of_many_tables_one_call_each(codec: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """Once all generations are full, more tables cost nothing more; and a table costs what it is counted for, about."""
    known = 300 if compiled else 100
    monkeypatch.setattr(columns_cache, "MOST_KNOWN", known)
    monkeypatch.setattr(interning, "MOST_REMEMBERED", 2 * known)
    monkeypatch.setattr(interning, "MOST_KEPT", known)

    def call(k: int) -> None:
        columns = [Column(f"a{k}", 8, 11), Column(f"b{k}", 15, 0)]
        codec.encode((RowChange("insert", 1 << 18, "s", f"t{k}", {f"a{k}": k, f"b{k}": "x"}, columns=columns),))

    codec.encode((change(1, INTEGERS, 1),))
    gc.collect()
    tracemalloc.start()
    try:
        sizes = []
        for step in range(3):
            for k in range(3 * known * step, 3 * known * (step + 1)):
                call(k)
            gc.collect()
            sizes.append(tracemalloc.get_traced_memory()[0])
    finally:
        tracemalloc.stop()
    # two generations in the builder of events and in the encoder, of three times the weight of two columns;
    # interpreted, every vector of numbers has views besides
    assert max(sizes) < 2 * 2 * known * (3 if compiled else 15) * 3 * columns_cache.PER_COLUMN


def test_long_names_do_not_stay_in_an_encoder(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(interning, "MOST_TEXT", 1000)
    encoder = craft.Encoder()
    for k in range(30):
        event = change(k, INTEGERS, k, f"t{k}" + "n" * 300)
        (found,) = encoder.messages(BUILDER.build([event]))
        assert found[1] == alone(craft, event)


def test_limits_are_those_of_the_manual() -> None:
    limits = said(manual("limits"))
    assert (
        f"{columns_cache.MOST_KNOWN:,} tuples of them or {columns_cache.MOST_BYTES >> 20} MiB in a generation" in limits
    )
