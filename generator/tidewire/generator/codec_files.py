"""Prints the files of a codec from a plug-in's plans."""

from __future__ import annotations

from dataclasses import replace

from .folders import DISSECTOR, ENCODER, has_template
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
    encoder: object = None,
    dissector: object = None,
    schema_types: object = None,
) -> dict[str, str]:
    """The text of a codec's files by path below generated/.

    Args:
        module: name of the codec's module.
        plugin: folder of the plug-in, with the templates of decoder, encoder and dissector.
        names: plan of the module with the codec's numbers.
        facade: plan of the module that users import.
        decoder: plan of the decoder.
        encoder: plan of the encoder; without a template for it messages are only read.
        dissector: plan of the dissector; without a template for it there is none.
        schema_types: plan of the types in schemas; None: messages have no schemas.
    """
    whole = replace(facade, writes=has_template(plugin, ENCODER), dissects=has_template(plugin, DISSECTOR))
    known = {f"{module}.names": names.names, "names": shared_names(spec)}
    found = {
        "names.py": render("names.py.j2", names),
        "__init__.py": render("facade.py.j2", whole),
    }
    for name, plan, ends in (
        ("decoder", decoder, (".py", ".pxd")),
        (ENCODER, encoder, (".py", ".pxd")),
        (DISSECTOR, dissector, (".py",)),
    ):
        if not has_template(plugin, name):
            continue
        printed = render_named(f"{plugin}/templates/{name}", plan, known, ends)
        found |= {f"{name}{end}": text for end, text in printed.items()}
    if schema_types is not None:
        found["schema_types.py"] = render("schema_types.py.j2", schema_types)
    return {f"{module}/{path}": text for path, text in found.items()}
