"""Draws the way from a topic to live tables: `python docs/pictures/live_tables.py` writes live_tables.png beside it."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import FancyArrowPatch, FancyBboxPatch

INK, SOFT, LINE = "#1f2933", "#52606d", "#9aa5b1"
WARM, COOL, GREEN, GREY = "#fde8d7", "#dcebfb", "#dff3e4", "#eef1f4"
WIDTH, HEIGHT = 100, 35
UPPER, LOWER = (19.0, 15.0), (1.5, 11.5)
"""The two rows of boxes: where they begin, from below, and how high they are."""


class Box(NamedTuple):
    """A box: where it begins, from the left, how wide it is, its row, its color, its title and its lines."""

    x: float
    width: float
    row: tuple[float, float]
    color: str
    title: str
    lines: tuple[str, ...]


BOXES = (
    Box(
        1.5,
        15,
        UPPER,
        WARM,
        "Topics",
        ("rows, DDL and", "watermarks of TiCDC,", "in all partitions,", "some of them twice"),
    ),
    Box(
        21.5,
        16,
        UPPER,
        COOL,
        "1  Stage",
        ("one Spark job a batch", "decodes all tables once;", "workers write Parquet", "files for each table"),
    ),
    Box(
        42.5,
        16,
        UPPER,
        COOL,
        "2  Resolve",
        ("R is the time up to which", "all partitions have sent", "their changes, as their", "watermarks promise"),
    ),
    Box(
        63.5,
        16,
        UPPER,
        COOL,
        "3  Apply",
        ("the last change of each", "row before R goes into", "its table; DDL is run in", "between, at its place"),
    ),
    Box(
        84.5,
        14,
        UPPER,
        COOL,
        "4  Publish",
        ("when all tables", "have reached R:", "a record of R and", "of their versions"),
    ),
    Box(
        21.5,
        37,
        LOWER,
        GREY,
        "The state's folder",
        (
            "staged files, and one manifest for each batch: watermarks,",
            "R, what waits, the definitions of the tables.",
            "A restart goes on from the newest manifest.",
        ),
    ),
    Box(63.5, 16, LOWER, GREEN, "Tables", ("Iceberg, Delta, Parquet:", "the source's columns,", "and no others")),
    Box(84.5, 14, LOWER, GREEN, "snapshot()", ("all tables as they", "were in TiDB at R")),
)
ARROWS = (
    *(((x + 0.4, 26.5), (x + 4.6, 26.5)) for x in (16.5, 37.5, 58.5, 79.5)),
    *(((x, 18.7), (x, 13.3)) for x in (29.5, 50.5, 71.5, 91.5)),
    ((79.9, 7.2), (84.1, 7.2)),
)


def put(axes: Axes, box: Box) -> None:
    """Draws a box."""
    y, height = box.row
    style = "round,pad=0,rounding_size=0.9"
    axes.add_patch(FancyBboxPatch((box.x, y), box.width, height, boxstyle=style, fc=box.color, ec=LINE, lw=0.8))
    middle, top = box.x + box.width / 2, y + height
    axes.text(middle, top - 1.6, box.title, ha="center", va="top", fontsize=10, color=INK, weight="bold")
    text = "\n".join(box.lines)
    axes.text(middle, top - 5, text, ha="center", va="top", fontsize=8, color=SOFT, linespacing=1.35)


def figure() -> Figure:
    """The picture."""
    drawn = Figure(figsize=(10, 3.5), dpi=150)
    axes = drawn.add_axes((0.0, 0.0, 1.0, 1.0))
    axes.set(xlim=(0, WIDTH), ylim=(0, HEIGHT))
    axes.axis("off")
    for box in BOXES:
        put(axes, box)
    for start, end in ARROWS:
        axes.add_patch(FancyArrowPatch(start, end, arrowstyle="-|>", mutation_scale=11, color=SOFT, lw=1.1))
    return drawn


FIGURES = {"live_tables": figure}
"""What draws the picture, by its name."""

if __name__ == "__main__":
    figure().savefig(Path(__file__).with_suffix(".png"))
