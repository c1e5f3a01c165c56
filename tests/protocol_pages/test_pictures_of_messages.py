"""The pictures on protocol pages show the pages' messages, with every byte in its place."""

from __future__ import annotations

import re

import pytest
from pictures import fresh, misplaced, texts

from .examples import PROTOCOLS, ROOT, shown
from .picture import PICTURES, fields, figure, path

ANEW = "draw it anew with: python -m tests.protocol_pages"


def test_every_protocol_has_a_picture() -> None:
    assert sorted(one.stem for one in PICTURES.iterdir()) == sorted(PROTOCOLS), ANEW


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_pictures_are_fresh_and_no_text_lies_over_another(protocol: str) -> None:
    drawn = figure(protocol)
    assert len(texts(drawn)) > 10
    assert misplaced(drawn) == []
    assert fresh(drawn, path(protocol)), ANEW


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_fields_follow_each_other(protocol: str) -> None:
    """None lies over another, and in bytes that are no text nothing is left over."""
    one = shown(protocol)[0]
    found = fields(protocol, one)
    for part, data in one.parts.items():
        at, between = 0, b""
        for field in found:
            if field.part == part:
                assert field.start >= at
                between += data[at : field.start]
                at = field.end
        between += data[at:]
        assert re.fullmatch(rb'("[^"]*":|[{}\[\],\s])*', between), between


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_pages_show_them(protocol: str) -> None:
    page = (ROOT / "docs" / "protocols" / f"{protocol}.md").read_text(encoding="utf-8")
    assert f"](../pictures/messages/{protocol}.png)" in page
