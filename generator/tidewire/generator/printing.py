"""All files that a spec prints: their paths below generated/ and their text."""

from __future__ import annotations

from .folders import ENCODER, has_template
from .model import Spec
from .plan.events import events_plan
from .plan.mysql import mysql_plan
from .plan.names import common_names
from .plan.package import module_name, package_plan
from .plan.schemas import schemas_plan
from .plan.tables import tables_plan
from .plugins import plugin_of
from .render import render, render_named


def print_files(spec: Spec) -> dict[str, str]:
    """Path (with slashes) -> text, of every file that the spec produces."""
    events = events_plan(spec.events, spec.events.location.file)
    names = common_names(spec)
    only_read = [name for name, one in spec.protocols.items() if not has_template(plugin_of(one).name, ENCODER)]
    files = {
        "__init__.py": render("package.py.j2", package_plan(spec, only_read)),
        "names.py": render("names.py.j2", names),
        "mysql.py": render("mysql.py.j2", mysql_plan(spec.mysql_types, spec.mysql_types.location.file)),
        "tables.py": render("tables.py.j2", tables_plan(spec)),
        "schemas.py": render("schemas.py.j2", schemas_plan(spec)),
        "py.typed": "",
    }
    files |= {f"events{end}": text for end, text in render_named("events", events, {"names": names.names}).items()}
    for protocol in spec.protocols.values():
        plugin = plugin_of(protocol)
        files |= plugin.codec(plugin.context(spec, protocol), module_name(protocol.name))
    return files
