"""All that decoding good and spoiled messages gives, as lines that test_json_modes.py compares between processes.

`python -m canal_json.modes FILE` writes the lines of this process, after one that says in which mode it ran.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from random import Random

from fuzz.json_engine import TERMINATOR, JsonEngine, messages

import tidewire.runtime
from tidewire.canal_json.decoder import Decoder

BATCHES, BATCH = 8, 150


def lines() -> Iterator[str]:
    """Errors with their numbers, layouts with their values, events."""
    corpus = messages()[::9]
    engine = JsonEngine(corpus, 1)
    chance = Random(1)
    for policy in ("error", "replace", "bytes"):
        decoder = Decoder(policy, TERMINATOR)
        for _ in range(BATCHES):
            columns = decoder.decode([engine.spoiled(chance, corpus) for _ in range(BATCH)])
            yield from (repr(vars(error)) for error in columns.errors)
            for layout in columns.layouts:
                yield repr((layout.table, layout.columns, [array.to_pylist() for array in layout.arrays]))
            yield repr(columns.events.to_pylist())


if __name__ == "__main__":
    Path(sys.argv[1]).write_text("\n".join([tidewire.runtime.compiled_reason, *lines()]), "utf-8", "surrogateescape")
