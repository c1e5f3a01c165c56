"""The files of a binary protocol's codec: their paths below generated/ and their text."""

from __future__ import annotations

from ..plan.face import WireFacts, face_plan
from ..plan.signs import Signs
from ..render import render
from .model import SectionsStruct
from .passes import BinaryContext
from .reading import ReadPlanner
from .resolve import resolve
from .writing import WritePlanner


def codec(context: BinaryContext, module: str) -> dict[str, str]:
    """Path (with slashes) -> text."""
    spec, protocol = context.spec, context.protocol
    resolved = resolve(spec, protocol)
    reading = ReadPlanner(spec, resolved).plan(module)
    writing = WritePlanner(spec, resolved).plan(module)
    facts = WireFacts(text=False, signs=Signs(prefix=prefix(resolved.root)))
    face = face_plan(spec, protocol, context.meaning, facts)
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
