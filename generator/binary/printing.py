"""The files of a binary protocol's codec: their paths below generated/ and their text."""

from __future__ import annotations

from ..model import Spec
from ..plan.face import face_plan
from ..render import render
from .carried import carried_fields, carried_kinds
from .model import BinaryProtocol
from .reading import ReadPlanner
from .resolve import resolve
from .writing import WritePlanner

ALL_FLAGS = -1
"""A struct of row images has the flags of every column, whatever bits they are."""


def codec(spec: Spec, protocol: BinaryProtocol, module: str) -> dict[str, str]:
    """Path (with slashes) -> text."""
    resolved = resolve(spec, protocol)
    reading = ReadPlanner(spec, resolved).plan(module)
    writing = WritePlanner(spec, resolved).plan(module)
    carried = (carried_kinds(spec.events, resolved), carried_fields(spec.events, resolved), ALL_FLAGS)
    face = face_plan(spec, protocol, *carried)
    return {
        f"{module}/decoder.py": render("binary/decoder.py.j2", reading),
        f"{module}/decoder.pxd": render("binary/decoder.pxd.j2", reading),
        f"{module}/dissector.py": render("binary/dissector.py.j2", reading),
        f"{module}/encoder.py": render("binary/encoder.py.j2", writing),
        f"{module}/encoder.pxd": render("binary/encoder.pxd.j2", writing),
        f"{module}/__init__.py": render("face.py.j2", face),
    }
