"""The fuzzing corpus: every distinct recorded message, and some with content that no recording has."""

from __future__ import annotations

from functools import cache

from craft import wire
from craft.vectors import CASE_1, VECTORS
from craft.wire import Cell, Change, Mark, Plain, Statement
from recorded import bench_value, craft_messages


@cache
def messages() -> tuple[bytes, ...]:
    """Well-formed messages, the shortest first; always the same."""
    found = {message.value for message in craft_messages()} | {vector.message for vector in VECTORS}
    found |= {bench_value(1), bench_value(4), wire.write(CASE_1)} | set(_made())
    return tuple(sorted(found, key=lambda message: (len(message), message)))


def _made() -> list[bytes]:
    cells = tuple(Cell(f"c{kind}", kind, 0, None) for kind in range(256))
    wide = tuple(Cell(f"column {k}", 3, k << 55, k) for k in range(140))
    tables = [
        Change("insert", 1, f"s{k % 3}", f"t{k % 5}", k, (Cell(f"c{k % 4}", 15, 0, "é" * k),), None) for k in range(30)
    ]
    old = (Cell("a", 3, 2, 1),)
    events: list[list[Plain]] = [
        [Change("insert", 2**64 - 1, "s", "t", None, cells, None)],
        [Change("update", 1, "s", "t", 0, wide, wide)],
        list(tables),
        [Statement(1, "s", None, 1, "x"), Mark(2), Statement(3, None, None, 255, "é" * 200), Mark(0)],
        [
            Change("update", 3, "t", "t", 2**63 - 1, (Cell("t", 3, 0, 1),), old),
            Change("delete", 2, "t", "s", 7, None, old),
        ],
    ]
    return [wire.write(batch) for batch in events]
