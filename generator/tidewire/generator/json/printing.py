"""The files of a JSON protocol's codec: their paths below generated/ and their text."""

from __future__ import annotations

from collections.abc import Iterator

from ..codec_files import codec_files
from ..facts import CHECKSUM
from ..model import Spec
from ..plan.facade import PlannedContrast, PlannedRandom, WireFacts, facade_plan
from ..plan.signs import Signs
from ..schema_types.plan import schema_types_plan
from .carried import codec_columns, names_plan
from .described import listed_by_id
from .model import DeclaredMember, DescriptionMember, JsonProtocol, MappedMember, NamesMember, Scalar
from .passes import JsonContext
from .reading import JsonReadPlanner
from .records.printing import planned_encoding, record_files
from .writing import JsonWritePlanner

ENVELOPE = ("payload", "schema")
"""The members of Kafka Connect's envelope; the payload comes first."""


def codec(context: JsonContext, module: str) -> dict[str, str]:
    """Path (with slashes) -> text."""
    spec, protocol = context.spec, context.protocol
    columns, filled = codec_columns(spec, protocol, context.meaning.fields(spec))
    names = names_plan(spec, protocol, columns, filled)
    reading = JsonReadPlanner(spec, protocol, columns[:filled], names).plan(module)
    writing = JsonWritePlanner(spec, protocol, columns, names).plan(module)
    random = tuple(_random(protocol))
    facts = WireFacts(
        text=True,
        signs=Signs(
            members=tuple(dict.fromkeys(str(one.name) for one in protocol.message.members.values())),
            around=() if protocol.envelope is None else ENVELOPE,
        ),
        keyed=protocol.envelope is not None,
        unread_keys=protocol.envelope is None and bool(protocol.keys),
        described_writer=protocol.envelope is not None,
        terminator=protocol.terminator,
        column_types=protocol.column_types,
        contrasts=tuple(_contrasts(protocol)),
        random=random,
        sorted=writing.sorted,
        described=protocol.described is not None,
        unnamed=None if protocol.unnamed is None else str(protocol.unnamed),
        described_by=None if protocol.described is None else str(protocol.described.by),
        listed_by_id=listed_by_id(protocol),
        checksum_options=tuple(_checksum_options(spec, protocol)),
        shows=dict(_shows(protocol)),
        classed=_classed(spec, protocol),
        records=None if protocol.records is None else planned_encoding(protocol.records, random),
        describing=tuple(str(one.name) for _, one in protocol.walk() if isinstance(one, DescriptionMember)),
    )
    facade = facade_plan(spec, protocol, context.meaning, facts)
    files = codec_files(
        spec,
        module,
        "json",
        names=names,
        facade=facade,
        decoder=reading,
        encoder=writing,
        dissector=reading,
        schema_types=schema_types_plan(spec, protocol, context.wire),
    )
    return files | record_files(spec, protocol, columns, filled, names, module)


def _checksum_options(spec: Spec, protocol: JsonProtocol) -> Iterator[str]:
    """The options that write row checksums."""
    for holders, member in protocol.walk():
        if isinstance(member, Scalar) and member.event is not None and member.event == spec.events.meaning(CHECKSUM):
            yield from (str(one.when) for one in (*holders, member) if one.when is not None)


def _classed(spec: Spec, protocol: JsonProtocol) -> dict[str, dict[int, str]]:
    """By producer, the codes of the DDL types that it puts in another class than other producers do."""
    rest, found = protocol.message.rest, dict[str, dict[int, str]]()
    for who, cls, names in () if rest is None else rest.classed:
        if who is not None:
            found.setdefault(str(who), {}).update((spec.mysql_types.ddl_types[name].code, str(cls)) for name in names)
    return found


def _shows(protocol: JsonProtocol) -> Iterator[tuple[str, str]]:
    """The options without which messages of some events lack a row image, each with the image."""
    for case in protocol.message.all_cases:
        for image, id in case.images.items():
            member = protocol.message.members[id]
            for kind, option in (("", member.when), *member.when_of.items()):
                if option is not None and kind in ("", case.event):
                    yield str(option), str(image)


def _contrasts(protocol: JsonProtocol) -> Iterator[PlannedContrast]:
    """What producers write differently for a row without columns."""
    for _, member in protocol.walk():
        if isinstance(member, NamesMember | DeclaredMember | MappedMember) and len(set(member.empty.values())) > 1:
            says = tuple((str(who), str(text)) for who, text in member.empty.items())
            yield PlannedContrast(f"{member.name}-of-no-columns", says)


def _random(protocol: JsonProtocol) -> Iterator[PlannedRandom]:
    """The members that producers write differently every time, and what varies."""
    for holders, member in protocol.walk():
        if member.reason is not None:
            what = member.reason.rpartition("-")[2]
            path = (*(str(holder.name) for holder in holders), str(member.name))
            about = {"order": "its columns in another order", "value": "another value"}[what]
            about = f"{member.name} has {about} every time it is written."
            yield PlannedRandom(member.reason, path, what, about)
