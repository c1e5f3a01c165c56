"""All that decoding good and spoiled messages gives, as lines that test_json_modes.py compares between processes.

`python -m open_protocol.modes FILE` writes the lines of this process, after one that says in which mode it ran.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from random import Random

from fuzz.open_engine import OpenEngine, halves, messages

import tidewire.runtime
from tidewire.events import Events
from tidewire.open_protocol import Encoder, Options
from tidewire.open_protocol.decoder import Decoder
from tidewire.runtime.errors import EncodeError

BATCHES, BATCH = 8, 150


def lines() -> Iterator[str]:
    """Errors with their numbers, layouts with their values, events; and what good messages are encoded to again."""
    corpus = messages()[::9]
    engine = OpenEngine(corpus, 1)
    chance = Random(1)
    for policy in ("error", "replace", "bytes"):
        decoder = Decoder(policy)
        for _ in range(BATCHES):
            columns = decoder.decode(*halves([engine.spoiled(chance, corpus) for _ in range(BATCH)]))
            yield from (repr(vars(error)) for error in columns.errors)
            for layout in columns.layouts:
                yield repr((layout.table, layout.columns, [array.to_pylist() for array in layout.arrays]))
            yield repr(columns.events.to_pylist())
    for producer in ("tiflow", "ticdc"):
        for updated in (False, True):
            encoder = Encoder(Options(producer=producer, only_output_updated_columns=updated))
            for place in range(0, len(corpus), 20):
                columns = Decoder().decode(*halves(corpus[place : place + 20]))
                try:
                    yield repr(encoder.encode(columns).to_pylist())
                except EncodeError as error:
                    yield repr(vars(error))
                    yield repr([event.kind for event in Events(columns) if hasattr(event, "kind")])


if __name__ == "__main__":
    Path(sys.argv[1]).write_text("\n".join([tidewire.runtime.compiled_reason, *lines()]), "utf-8", "surrogateescape")
