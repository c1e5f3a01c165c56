"""The files of a codec, whatever its containers: what every plug-in prints, from its plans."""

from __future__ import annotations

from .model import Spec
from .plan.facade import FacadePlan
from .plan.names import NamesPlan, shared_names
from .render import render, render_named


def codec_files(
    spec: Spec,
    module: str,
    plugin: str,
    *,
    names: NamesPlan,
    facade: FacadePlan,
    decoder: object,
    encoder: object,
    dissector: object,
    schema_types: object = None,
) -> dict[str, str]:
    """Their paths below generated/ (with slashes), and their texts.

    Args:
        spec: of all protocols.
        module: the codec's.
        plugin: the folder of the plug-in, whose templates print the plans of decoder, encoder and dissector.
        names: of the columns of events and of what else the codec has numbers for.
        facade: of what users see.
        decoder: a plan, as those that follow.
        encoder: of the module that writes messages.
        dissector: of the one that shows them.
        schema_types: of the one that says what schemas call columns; None: messages have no schemas.
    """
    known = {f"{module}.names": names.names, "names": shared_names(spec)}
    found = {
        "names.py": render("names.py.j2", names),
        "__init__.py": render("facade.py.j2", facade),
    }
    for name, plan, ends in (
        ("decoder", decoder, (".py", ".pxd")),
        ("encoder", encoder, (".py", ".pxd")),
        ("dissector", dissector, (".py",)),
    ):
        printed = render_named(f"{plugin}/templates/{name}", plan, known, ends)
        found |= {f"{name}{end}": text for end, text in printed.items()}
    if schema_types is not None:
        found["schema_types.py"] = render("schema_types.py.j2", schema_types)
    return {f"{module}/{path}": text for path, text in found.items()}
