"""All files that a spec prints: their paths below generated/ and their text."""

from __future__ import annotations

from .json import printing as json_printing
from .json.model import JsonProtocol
from .model import BinaryProtocol, Spec
from .plan.events import carried_fields, events_plan
from .plan.face import face_plan, module_name, package_plan
from .plan.mysql import mysql_plan
from .plan.reading import ReadPlanner
from .plan.schemas import schemas_plan
from .plan.writing import WritePlanner
from .render import render
from .resolve import resolve

ALL_FLAGS = -1
"""A struct of row images has the flags of every column, whatever bits they are."""


def print_files(spec: Spec) -> dict[str, str]:
    """Path (with slashes) -> text, of every file that the spec produces."""
    events = events_plan(spec.events, spec.events.place.file)
    files = {
        "__init__.py": render("package.py.j2", package_plan(spec)),
        "events.py": render("events.py.j2", events),
        "events.pxd": render("events.pxd.j2", events),
        "mysql.py": render("mysql.py.j2", mysql_plan(spec.mysql_types, spec.mysql_types.place.file)),
        "schemas.py": render("schemas.py.j2", schemas_plan(spec)),
        "py.typed": "",
    }
    for protocol in spec.protocols.values():
        module = module_name(protocol)
        if isinstance(protocol, BinaryProtocol):
            files |= _binary(spec, protocol, module)
        elif isinstance(protocol, JsonProtocol):
            files |= json_printing.codec(spec, protocol, module)
    return files


def _binary(spec: Spec, protocol: BinaryProtocol, module: str) -> dict[str, str]:
    """The codec of a binary protocol."""
    resolved = resolve(spec, protocol)
    reading = ReadPlanner(spec, resolved).plan(module)
    writing = WritePlanner(spec, resolved).plan(module)
    face = face_plan(spec, protocol, carried_fields(spec.events, resolved), ALL_FLAGS)
    return {
        f"{module}/decoder.py": render("decoder.py.j2", reading),
        f"{module}/decoder.pxd": render("decoder.pxd.j2", reading),
        f"{module}/dissector.py": render("dissector.py.j2", reading),
        f"{module}/encoder.py": render("encoder.py.j2", writing),
        f"{module}/encoder.pxd": render("encoder.pxd.j2", writing),
        f"{module}/__init__.py": render("face.py.j2", face),
    }
