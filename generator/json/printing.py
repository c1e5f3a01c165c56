"""The files of a JSON protocol's codec: their paths below generated/ and their text."""

from __future__ import annotations

from ..model import Spec
from ..render import render
from .model import JsonProtocol
from .writing import JsonWritePlanner


def codec(spec: Spec, protocol: JsonProtocol, module: str) -> dict[str, str]:
    """Path (with slashes) -> text."""
    writing = JsonWritePlanner(spec, protocol).plan(module)
    return {
        f"{module}/encoder.py": render("json/encoder.py.j2", writing),
        f"{module}/encoder.pxd": render("json/encoder.pxd.j2", writing),
    }
