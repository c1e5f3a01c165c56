"""Hypothesis strategies: events of every kind, with columns of every type and critical values."""

from __future__ import annotations

import struct
from collections.abc import Callable
from typing import Any

from hypothesis import strategies as st

from craft.wire import FLOATS, SIGNED, STRINGS, UNSIGNED, YEAR, Cell, Change, Mark, Plain, Statement

U64 = 2**64 - 1
BORDERS = sorted(
    {b for e in (0, 6, 7, 13, 14, 20, 21, 27, 28, 31, 32, 35, 53, 56, 62, 63, 64) for b in (2**e - 1, 2**e)}
)
"""Where uvarints grow by a byte, and where numbers of usual widths end."""

uints = st.sampled_from([b for b in BORDERS if b <= U64]) | st.integers(0, U64)
ints = st.sampled_from([b for b in BORDERS if b < 2**63] + [-b for b in BORDERS if b <= 2**63]) | st.integers(
    -(2**63), 2**63 - 1
)
floats = (
    st.sampled_from(
        [
            0.0,
            -0.0,
            0.1,
            float("inf"),
            float("-inf"),
            float("nan"),
            5e-324,
            1.7976931348623157e308,
            3.4028234663852886e38,
        ]
    )
    | st.floats(width=32)
    | st.floats()
).map(lambda value: struct.pack("<d", value))
texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=40) | st.sampled_from(
    [
        "",
        "\0",
        "é" * 31 + "x",
        "x" * 63,
        "x" * 64,
        "中文" * 50,
        "\U0001f600",
        "x" * 8191,
        "x" * 8192,
        "\ufeff\u200b",
        "'\"\\%",
    ]
)
blobs = st.binary(max_size=40) | st.sampled_from(
    [b"", b"\0", b"\xff", bytes(range(256)), b"\xc3\x28", b"\xed\xa0\x80", b"\x80" * 64, b"\0" * 8192]
)
decimals = st.from_regex(r"-?[1-9][0-9]{0,34}(\.[0-9]{1,30})?|0\.[0-9]{0,29}[1-9]|0", fullmatch=True)
NASTY: dict[int, list[str]] = {
    7: ["0000-00-00 00:00:00", "1970-01-01 00:00:01.000000", "2038-01-19 03:14:07.999999"],
    10: ["0000-00-00", "2020-00-00", "2021-02-30", "9999-12-31"],
    11: ["-838:59:59", "838:59:59.000000", "00:00:00.000000", "-00:00:00.000001"],
    12: ["0000-00-00 00:00:00", "1000-01-01 00:00:00", "9999-12-31 23:59:59.999999", "2021-03-28 02:30:00"],
    14: ["0000-00-00", "2024-02-29"],
    225: ["[]", "[1,2.5]", "[0.1,-3.4028235e38]"],
    245: ["null", "{}", '{"a": 1, "ü": ["\\u0000", 1e400]}', '"' + "x" * 300 + '"'],
    246: ["0", "-0.01", "1.500000", "9" * 65, "-" + "9" * 35 + "." + "9" * 30, "129012.1230000"],
}
"""Texts that each type has and few readers survive."""

NAMES = ["id", "val", "t", "s", "ID", "中文列", "a.b", "`x`", " ", "<&>", "\U0001f9ea", "_tidb_op", "x" * 64, "é"]
"""Names that tables, schemas and columns share, so that terms are shared too."""
names = st.sampled_from(NAMES) | st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=12)
TYPES = sorted({*SIGNED, YEAR, *UNSIGNED, *FLOATS, *NASTY, *STRINGS, 0, 6, 255, 17, 200, 244})
flag_sets = st.sampled_from([0, 1, 2, 11, 64, 65, 128, 129, 0x80 | 0x40, 1 << 63, U64]) | st.integers(0, U64)


def values(kind: int, flags: int) -> st.SearchStrategy[Any]:
    """Values of a column of that type, null included."""
    some: st.SearchStrategy[Any]
    if kind in SIGNED:
        some = uints if flags & 0x80 else ints
    elif kind == YEAR:
        some = st.sampled_from([0, 1901, 2155]) | ints
    elif kind in UNSIGNED:
        some = uints
    elif kind in FLOATS:
        some = floats
    elif kind in NASTY:
        some = st.sampled_from(NASTY[kind]) | (decimals if kind == 246 else texts)
    elif kind in STRINGS:
        some = blobs if flags & 1 else texts
    else:
        return st.none()
    return st.none() | some


def _columns(most: int) -> st.SearchStrategy[list[tuple[str, int, int]]]:
    column = st.tuples(names, st.sampled_from(TYPES), flag_sets)
    return st.lists(column, min_size=1, max_size=most, unique_by=lambda c: c[0])


@st.composite
def wide_columns(draw: st.DrawFn) -> list[tuple[str, int, int]]:
    """More than 127 columns: their count and their terms take two bytes."""
    count = draw(st.integers(128, 150))
    kinds = draw(st.lists(st.sampled_from(TYPES), min_size=4, max_size=4))
    return [(f"column_{k}", kinds[k % 4], k << 57 & U64) for k in range(count)]


@st.composite
def row_changes(draw: st.DrawFn, columns: list[tuple[str, int, int]], schema: str, table: str) -> Change:
    """A change of a row of that table; a delete may hold some of its columns only."""
    kind = draw(st.sampled_from(["insert", "update", "delete"]))

    def image(partly: bool = False) -> tuple[Cell, ...]:
        chosen = columns
        if partly and draw(st.booleans()):
            chosen = columns[:: draw(st.integers(1, 3))]
        if len(chosen) > 20:
            chosen_values: list[Any] = [draw(values(c[1], c[2])) if k < 8 else None for k, c in enumerate(chosen)]
            return tuple(Cell(*c, v) for c, v in zip(chosen, chosen_values, strict=True))
        return tuple(Cell(*c, draw(values(c[1], c[2]))) for c in chosen)

    return Change(
        kind,
        draw(uints),
        schema,
        table,
        draw(st.none() | st.integers(0, 2**63 - 1)),
        image() if kind != "delete" else None,
        image(kind == "delete") if kind != "insert" else None,
    )


maybe_names = st.none() | names
statements = st.builds(Statement, uints, maybe_names, maybe_names, st.integers(0, 255), texts)
marks = st.builds(Mark, uints)


@st.composite
def rows(draw: st.DrawFn, most: int = 12, wide: bool = False) -> list[Change]:
    """Changes of a few tables, interleaved."""
    tables = draw(st.lists(st.tuples(names, names, wide_columns() if wide else _columns(6)), min_size=1, max_size=3))
    count = draw(st.integers(1, most))
    picks: Callable[[], tuple[str, str, list[tuple[str, int, int]]]] = lambda: draw(st.sampled_from(tables))  # noqa: E731
    found = []
    for _ in range(count):
        schema, table, columns = picks()
        found.append(draw(row_changes(columns, schema, table)))
    return found


@st.composite
def streams(draw: st.DrawFn) -> list[Plain]:
    """Row changes, DDL and watermarks, as they follow one another in a topic."""
    found: list[Plain] = []
    for _ in range(draw(st.integers(0, 3))):
        found += draw(rows(most=5))
        found += draw(st.lists(statements | marks, max_size=2))
    return found


def single_messages() -> st.SearchStrategy[list[Plain]]:
    """What one message can hold: rows, or DDL and watermarks."""
    changes: st.SearchStrategy[list[Plain]] = rows().map(lambda found: list[Plain](found))
    others: st.SearchStrategy[list[Plain]] = st.lists(statements | marks, min_size=1, max_size=4)
    return changes | others
