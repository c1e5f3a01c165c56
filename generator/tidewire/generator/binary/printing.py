"""The files of a binary protocol's codec: their paths below generated/ and their text."""

from __future__ import annotations

from ..codec_files import codec_files
from ..plan.facade import WireFacts, facade_plan
from ..plan.signs import Signs
from .model import Sections
from .names import names_plan
from .passes import BinaryContext
from .reading import ReadPlanner
from .reading_modules import decoder_plan, dissector_plan
from .resolve import resolve
from .writing import WritePlanner
from .writing_module import encoder_plan


def codec(context: BinaryContext, module: str) -> dict[str, str]:
    """Path (with slashes) -> text."""
    spec, protocol = context.spec, context.protocol
    resolved = resolve(spec, protocol)
    reading = ReadPlanner(spec, resolved)
    parts = reading.parts()
    writing = encoder_plan(WritePlanner(spec, resolved), module)
    facts = WireFacts(text=False, signs=Signs(prefix=prefix(resolved.root)))
    facade = facade_plan(spec, protocol, context.meaning, facts)
    names = names_plan(spec, resolved)
    return codec_files(
        spec,
        module,
        "binary",
        names=names,
        facade=facade,
        decoder=decoder_plan(reading, parts, module),
        encoder=writing,
        dissector=dissector_plan(reading, parts, module),
    )


ONE_BYTE = {"u8": 256, "uvarint": 128}
"""Primitives that write a number below this limit as a single byte of that value."""


def prefix(root: Sections) -> bytes:
    """The constant bytes that every message begins with."""
    found = bytearray()
    for section in root.sections:
        number = section.const
        if not isinstance(number, int) or section.at_end or not 0 <= number < ONE_BYTE.get(str(section.type), 0):
            break
        found.append(number)
    return bytes(found)
