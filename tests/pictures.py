"""Checks of drawn pictures: texts do not overlap or exceed their boxes, and the files are up to date."""

from __future__ import annotations

import io
from itertools import combinations
from pathlib import Path

from matplotlib import image
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.patches import FancyBboxPatch, Rectangle
from matplotlib.transforms import BboxBase

BOXES = (FancyBboxPatch, Rectangle)
AROUND = 1
"""Dots around letters that extents have more than letters."""
MARGIN = 8
"""Dots between a text and the border of its box."""
MOST_DOTS = 5
"""That another version of what draws letters may draw otherwise; a letter has more."""


def texts(figure: Figure) -> list[tuple[str, BboxBase]]:
    """Every text of a picture, and where it is."""
    FigureCanvasAgg(figure).draw()  # type: ignore[no-untyped-call]
    found = [*figure.texts, *(one for axes in figure.axes for one in axes.texts)]
    return [(one.get_text(), one.get_window_extent().padded(-AROUND)) for one in found if one.get_text().strip()]


def misplaced(figure: Figure) -> list[tuple[str, ...]]:
    """Texts that are not in the picture, or not in one box nor beside all, and pairs that lie over each other."""
    found = texts(figure)
    patches = [one for axes in figure.axes for one in axes.patches if isinstance(one, BOXES)]
    boxes = [(one.get_window_extent(), MARGIN if isinstance(one, FancyBboxPatch) else 0) for one in patches]
    wrong: list[tuple[str, ...]] = []
    for text, extent in found:
        touched = [(box, margin) for box, margin in boxes if extent.overlaps(box)]
        inside = [box for box, margin in touched if _inside(extent.padded(margin), box)]
        if not _inside(extent, figure.bbox) or (touched and not inside):
            wrong.append((text,))
    wrong += [(one, other) for (one, here), (other, there) in combinations(found, 2) if here.overlaps(there)]
    return wrong


def _inside(extent: BboxBase, box: BboxBase) -> bool:
    return bool(box.contains(*extent.min) and box.contains(*extent.max))


def fresh(figure: Figure, file: Path) -> bool:
    """Whether the file has what is drawn."""
    made = io.BytesIO()
    figure.savefig(made)
    made.seek(0)
    shown, drawn = image.imread(file), image.imread(made)
    return shown.shape == drawn.shape and int((abs(shown - drawn) > 0.5).any(axis=2).sum()) < MOST_DOTS
