"""The pictures of the manual: as their programs draw them, and no text over another or beyond its box."""

from __future__ import annotations

import io
import runpy
from itertools import combinations
from pathlib import Path

import pytest
from matplotlib import image
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.patches import FancyBboxPatch, Rectangle
from matplotlib.transforms import BboxBase

PICTURES = sorted((Path(__file__).resolve().parents[1] / "docs" / "pictures").glob("*.py"))
BOXES = (FancyBboxPatch, Rectangle)


def drawn(program: Path) -> Figure:
    figure: Figure = runpy.run_path(str(program))["figure"]()
    FigureCanvasAgg(figure).draw()  # type: ignore[no-untyped-call]
    return figure


def texts(figure: Figure) -> list[tuple[str, BboxBase]]:
    """Every text of a picture, and where it is."""
    found = [*figure.texts, *(one for axes in figure.axes for one in axes.texts)]
    return [(one.get_text(), one.get_window_extent()) for one in found if one.get_text().strip()]


@pytest.mark.parametrize("program", PICTURES, ids=lambda one: one.stem)
def test_no_text_is_over_another_or_beyond_its_box(program: Path) -> None:
    """Inside one box, or one bar, or beside all of them, and inside the picture."""
    figure = drawn(program)
    boxes = [one.get_window_extent() for axes in figure.axes for one in axes.patches if isinstance(one, BOXES)]
    found = texts(figure)
    assert len(found) > 4
    for text, extent in found:
        assert _inside(extent, figure.bbox), text
        touched = [box for box in boxes if extent.overlaps(box)]
        assert not touched or any(_inside(extent, box) for box in touched), text
    for (text, extent), (other, where) in combinations(found, 2):
        assert not extent.overlaps(where), (text, other)


def _inside(extent: BboxBase, box: BboxBase) -> bool:
    return bool(box.contains(*extent.min) and box.contains(*extent.max))


@pytest.mark.parametrize("program", PICTURES, ids=lambda one: one.stem)
def test_the_picture_is_what_its_program_draws(program: Path) -> None:
    made = io.BytesIO()
    drawn(program).savefig(made)
    made.seek(0)
    shown, fresh = image.imread(program.with_suffix(".png")), image.imread(made)
    assert shown.shape == fresh.shape
    assert abs(shown - fresh).mean() < 0.01
