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
from matplotlib.patches import FancyBboxPatch

PICTURES = sorted((Path(__file__).resolve().parents[1] / "docs" / "pictures").glob("*.py"))


def drawn(program: Path) -> Figure:
    figure: Figure = runpy.run_path(str(program))["figure"]()
    FigureCanvasAgg(figure).draw()  # type: ignore[no-untyped-call]
    return figure


@pytest.mark.parametrize("program", PICTURES, ids=lambda one: one.stem)
def test_no_text_is_over_another_or_beyond_its_box(program: Path) -> None:
    (axes,) = drawn(program).axes
    boxes = [one.get_window_extent() for one in axes.patches if isinstance(one, FancyBboxPatch)]
    texts = [(one.get_text(), one.get_window_extent()) for one in axes.texts if one.get_text()]
    assert len(texts) > 4
    for text, extent in texts:
        assert any(box.contains(*extent.min) and box.contains(*extent.max) for box in boxes), text
    for (text, extent), (other, where) in combinations(texts, 2):
        assert not extent.overlaps(where), (text, other)


@pytest.mark.parametrize("program", PICTURES, ids=lambda one: one.stem)
def test_the_picture_is_what_its_program_draws(program: Path) -> None:
    made = io.BytesIO()
    drawn(program).savefig(made)
    made.seek(0)
    shown, fresh = image.imread(program.with_suffix(".png")), image.imread(made)
    assert shown.shape == fresh.shape
    assert abs(shown - fresh).mean() < 0.01
