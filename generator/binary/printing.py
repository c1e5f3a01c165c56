"""The files of a binary protocol's codec: their paths below generated/ and their text."""

from __future__ import annotations

from ..model import Spec
from ..plan.face import face_plan
from ..plan.signs import Signs
from ..render import render
from .carried import carried_fields, carried_kinds
from .model import BinaryProtocol, SectionsStruct
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
    face = face_plan(spec, protocol, *carried, Signs(prefix=prefix(resolved.root)))
    return {
        f"{module}/decoder.py": render("binary/decoder.py.j2", reading),
        f"{module}/decoder.pxd": render("binary/decoder.pxd.j2", reading),
        f"{module}/dissector.py": render("binary/dissector.py.j2", reading),
        f"{module}/encoder.py": render("binary/encoder.py.j2", writing),
        f"{module}/encoder.pxd": render("binary/encoder.pxd.j2", writing),
        f"{module}/__init__.py": render("face.py.j2", face),
    }


ONE_BYTE = {"u8": 256, "uvarint": 128}
"""Primitives that write numbers below these as the byte of that value."""


def prefix(root: SectionsStruct) -> bytes:
    """The bytes of the constants that every message begins with."""
    found = bytearray()
    for section in root.sections:
        number = section.const
        if not isinstance(number, int) or section.at_end or not 0 <= number < ONE_BYTE.get(str(section.type), 0):
            break
        found.append(number)
    return bytes(found)
