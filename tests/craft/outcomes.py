"""All that decoding and encoding a corpus gives, as lines of text that test_craft_modes.py compares between processes.

`python -m craft.outcomes FILE` writes the lines of this process, after one that says in which mode it ran.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from random import Random

from fuzz.corpus import messages
from fuzz.mutations import mutated

import tidewire.runtime
from craft.plain import made, plain
from craft.twin import read
from tidewire import craft
from tidewire.events import Bootstrap, Ddl, Event, Events, RowChange, Watermark
from tidewire.runtime.batch import Column, EventColumns
from tidewire.runtime.errors import EncodeError

MESSAGES = 8000
BATCH = 80
ID = Column("id", 3, 0)
REFUSED: tuple[Event, ...] = (
    Watermark(2**64),
    Ddl(1, "s", "t", 300, "x"),
    Ddl(1, "s", "t", 3, "\ud800"),
    Bootstrap(1, "s", "t", 7, [ID]),
    RowChange("insert", 1, None, "t", new={"id": 1}, columns=[ID]),
    RowChange("insert", 1, "s", "t", new={"id": 2**63}, columns=[ID]),
    RowChange("delete", 1, "s", "t", old={"id": "1"}, columns=[ID]),
    RowChange("update", 1, "s", "t", new={"id": 1}, columns=[ID]),
    RowChange("insert", 1, "s", "t", new={"id": None}, columns=[Column("id", 256, 0)]),
)
"""Events that cannot be encoded."""


def corpus() -> list[bytes]:
    """Recorded messages and mutations of them, always the same."""
    chance = Random(20260102)
    small = [message for message in messages() if len(message) <= 1500]
    cuts = [message[:size] for message in small[:: len(small) // 4] for size in range(0, len(message), 7)]
    found = list(small) + cuts[: MESSAGES // 10]
    found += [mutated(chance, small) for _ in range(MESSAGES - len(found))]
    chance.shuffle(found)
    return found


def decoded(columns: EventColumns) -> Iterator[str]:
    """Values, tables, layouts and errors."""
    yield repr(columns.tables)
    for layout in columns.layouts:
        yield repr((layout.table, layout.columns, layout.num_rows, [str(array.type) for array in layout.arrays]))
    yield repr(columns.events.to_pydict())
    for event in plain(Events(columns)):
        yield repr(event)
    for error in columns.errors:
        yield repr((vars(error), str(error)))


def outcomes() -> Iterator[str]:
    """All lines."""
    values = corpus()
    decoder, encoder = craft.Decoder(), craft.Encoder()
    raw = craft.Decoder(craft.Options(invalid_text="bytes"))
    replacing = craft.Decoder(craft.Options(invalid_text="replace"))
    for start in range(0, len(values), BATCH):
        batch = values[start : start + BATCH]
        columns = decoder.decode(batch)
        yield from decoded(columns)
        yield repr(encoder.encode(columns).to_pydict())
        yield from decoded(raw.decode(batch[:10]))
        yield from decoded(replacing.decode(batch[:10]))
    yield from encoded()


def encoded() -> Iterator[str]:
    """Messages of recorded events in several batchings, and what is refused of them."""
    events = [event for message in messages() if len(message) < 600 for event in read(message)]
    chance = Random(20260103)
    for _ in range(60):
        some = chance.sample(events, 20)
        objects = made(some)
        if chance.random() < 0.3:
            objects.append(chance.choice(REFUSED))
        options = craft.Options(
            max_batch_size=chance.choice((1, 3, 16)),
            max_message_bytes=chance.choice((200, 600, 10 << 20)),
            delete_only_output_handle_key_columns=chance.random() < 0.3,
        )
        try:
            yield repr([tuple(message) for message in craft.encode(objects, options)])
        except EncodeError as error:
            yield repr((vars(error), str(error)))


def main() -> None:
    """Writes the lines."""
    lines = [tidewire.runtime.compiled_reason, *outcomes()]
    Path(sys.argv[1]).write_text("\n".join(line.encode("unicode_escape").decode() for line in lines), encoding="utf-8")


if __name__ == "__main__":
    main()
