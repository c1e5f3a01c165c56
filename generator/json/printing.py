"""The files of a JSON protocol's codec: their paths below generated/ and their text."""

from __future__ import annotations

from ..model import Spec
from ..plan.face import face_plan
from ..plan.signs import Signs
from ..render import render
from .carried import carried_fields, carried_flags, carried_kinds
from .model import JsonProtocol
from .reading import JsonReadPlanner
from .writing import JsonWritePlanner


def codec(spec: Spec, protocol: JsonProtocol, module: str) -> dict[str, str]:
    """Path (with slashes) -> text."""
    reading = JsonReadPlanner(spec, protocol).plan(module)
    writing = JsonWritePlanner(spec, protocol).plan(module)
    carried = (carried_kinds(spec, protocol), carried_fields(spec, protocol), carried_flags(spec, protocol))
    signs = Signs(members=tuple(str(name) for name in protocol.message.members))
    face = face_plan(spec, protocol, *carried, signs)
    return {
        f"{module}/decoder.py": render("json/decoder.py.j2", reading),
        f"{module}/decoder.pxd": render("json/decoder.pxd.j2", reading),
        f"{module}/encoder.py": render("json/encoder.py.j2", writing),
        f"{module}/encoder.pxd": render("json/encoder.pxd.j2", writing),
        f"{module}/__init__.py": render("face.py.j2", face),
        f"{module}/dissector.py": render("json/dissector.py.j2", reading),
    }
