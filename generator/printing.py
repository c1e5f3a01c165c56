"""All files that a spec prints: their paths below generated/ and their text."""

from __future__ import annotations

from .model import Spec
from .plan.events import events_plan
from .plan.face import module_name, package_plan
from .plan.mysql import mysql_plan
from .plan.schemas import schemas_plan
from .render import render
from .wires import wire_of


def print_files(spec: Spec) -> dict[str, str]:
    """Path (with slashes) -> text, of every file that the spec produces."""
    events = events_plan(spec.events, spec.events.place.file)
    files = {
        "__init__.py": render("package.py.j2", package_plan(spec)),
        "codec.py": render("codec.py.j2", None),
        "events.py": render("events.py.j2", events),
        "events.pxd": render("events.pxd.j2", events),
        "mysql.py": render("mysql.py.j2", mysql_plan(spec.mysql_types, spec.mysql_types.place.file)),
        "schemas.py": render("schemas.py.j2", schemas_plan(spec)),
        "py.typed": "",
    }
    for protocol in spec.protocols.values():
        wire = wire_of(protocol)
        files |= wire.codec(wire.context(spec, protocol), module_name(protocol))
    return files
