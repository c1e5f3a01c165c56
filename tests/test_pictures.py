"""The pictures of the manual: as their programs draw them, and no text over another or beyond its box."""

from __future__ import annotations

import runpy
from pathlib import Path

import pytest
from matplotlib.figure import Figure
from pictures import fresh, misplaced, texts

FOLDER = Path(__file__).resolve().parents[1] / "docs" / "pictures"
PICTURES = [(one, name) for one in sorted(FOLDER.glob("*.py")) for name in runpy.run_path(str(one))["FIGURES"]]
"""The program of each picture, and its name."""


def drawn(program: Path, name: str) -> Figure:
    figure: Figure = runpy.run_path(str(program))["FIGURES"][name]()
    return figure


def test_each_picture_has_a_program() -> None:
    assert {name for _, name in PICTURES} == {one.stem for one in FOLDER.glob("*.png")}


@pytest.mark.parametrize(("program", "name"), PICTURES)
def test_no_text_is_over_another_or_beyond_its_box(program: Path, name: str) -> None:
    figure = drawn(program, name)
    assert len(texts(figure)) > 4
    assert misplaced(figure) == []


@pytest.mark.parametrize(("program", "name"), PICTURES)
def test_the_picture_is_what_its_program_draws(program: Path, name: str) -> None:
    assert fresh(drawn(program, name), FOLDER / f"{name}.png"), f"draw it anew with: python {program}"


def test_what_is_misplaced_is_found() -> None:
    figure = Figure(figsize=(2, 1))
    figure.text(0.1, 0.5, "over another")
    figure.text(0.12, 0.5, "other")
    figure.text(0.9, 0.1, "beyond the picture")
    assert misplaced(figure) == [("beyond the picture",), ("over another", "other")]
