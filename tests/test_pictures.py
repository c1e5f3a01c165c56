"""The pictures of the manual: as their programs draw them, and no text over another or beyond its box."""

from __future__ import annotations

import runpy
from pathlib import Path

import pytest
from matplotlib.figure import Figure
from pictures import fresh, misplaced, texts

PICTURES = sorted((Path(__file__).resolve().parents[1] / "docs" / "pictures").glob("*.py"))


def drawn(program: Path) -> Figure:
    figure: Figure = runpy.run_path(str(program))["figure"]()
    return figure


@pytest.mark.parametrize("program", PICTURES, ids=lambda one: one.stem)
def test_no_text_is_over_another_or_beyond_its_box(program: Path) -> None:
    figure = drawn(program)
    assert len(texts(figure)) > 4
    assert misplaced(figure) == []


@pytest.mark.parametrize("program", PICTURES, ids=lambda one: one.stem)
def test_the_picture_is_what_its_program_draws(program: Path) -> None:
    assert fresh(drawn(program), program.with_suffix(".png")), f"draw it anew with: python {program}"


def test_what_is_misplaced_is_found() -> None:
    figure = Figure(figsize=(2, 1))
    figure.text(0.1, 0.5, "over another")
    figure.text(0.12, 0.5, "other")
    figure.text(0.9, 0.1, "beyond the picture")
    assert misplaced(figure) == [("beyond the picture",), ("over another", "other")]
