"""The files of a JSON protocol's codec: their paths below generated/ and their text."""

from __future__ import annotations

from collections.abc import Iterator

from ..plan.facade import PlannedContrast, PlannedRandom, WireFacts, facade_plan
from ..plan.names import shared_names
from ..plan.signs import Signs
from ..render import render, render_named
from .carried import codec_columns, names_plan
from .model import DeclaredMember, JsonProtocol, MappedMember, NamesMember
from .passes import JsonContext
from .reading import JsonReadPlanner
from .writing import JsonWritePlanner


def codec(context: JsonContext, module: str) -> dict[str, str]:
    """Path (with slashes) -> text."""
    spec, protocol = context.spec, context.protocol
    columns, filled = codec_columns(spec, protocol, context.meaning.fields(spec))
    names = names_plan(spec, protocol, columns, filled)
    reading = JsonReadPlanner(spec, protocol, columns[:filled], names).plan(module)
    writing = JsonWritePlanner(spec, protocol, columns).plan(module)
    facts = WireFacts(
        text=True,
        signs=Signs(members=tuple(str(one.name) for one in protocol.message.members.values())),
        terminator=protocol.terminator,
        column_types=protocol.column_types,
        contrasts=tuple(_contrasts(protocol)),
        random=tuple(_random(protocol)),
    )
    facade = facade_plan(spec, protocol, context.meaning, facts)
    known = {f"{module}.names": names.names, "names": shared_names(spec)}
    decoder = render_named("json/templates/decoder", reading, known)
    encoder = render_named("json/templates/encoder", writing, known)
    dissector = render_named("json/templates/dissector", reading, known, (".py",))
    return {
        f"{module}/names.py": render("names.py.j2", names),
        f"{module}/name_numbers.pxd": render("name_numbers.pxd.j2", names),
        **{f"{module}/decoder{end}": text for end, text in decoder.items()},
        **{f"{module}/encoder{end}": text for end, text in encoder.items()},
        f"{module}/__init__.py": render("facade.py.j2", facade),
        f"{module}/dissector.py": dissector[".py"],
    }


def _contrasts(protocol: JsonProtocol) -> Iterator[PlannedContrast]:
    """What producers write differently of a row without columns."""
    for _, member in protocol.walk():
        if isinstance(member, NamesMember | DeclaredMember | MappedMember) and len(set(member.empty.values())) > 1:
            says = tuple((str(who), str(text)) for who, text in member.empty.items())
            yield PlannedContrast(f"{member.name}-of-no-columns", says)


def _random(protocol: JsonProtocol) -> Iterator[PlannedRandom]:
    """The members that producers write differently every time, and how."""
    for holders, member in protocol.walk():
        if member.reason is not None:
            what = member.reason.rpartition("-")[2]
            path = (*(str(holder.name) for holder in holders), str(member.name))
            about = {"order": "its columns in another order", "value": "another value"}[what]
            about = f"{member.name} has {about} every time it is written."
            yield PlannedRandom(member.reason, path, what, about)
