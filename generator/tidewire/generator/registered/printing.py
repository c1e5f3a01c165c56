"""Prints the files of the codec of a protocol of registered records."""

from __future__ import annotations

from collections.abc import Iterator

from ..codec_files import codec_files
from ..facts import CHECKSUM
from ..meaning import images_of
from ..model import Spec
from ..plan.facade import WireFacts, facade_plan
from ..plan.registry import PlannedRegistry
from ..plan.signs import Signs, Start
from ..schema_types.plan import schema_types_plan
from .dissecting import RegisteredDissectPlanner
from .model import MARK_WITH_NUMBER, InnerRecord, RecordScalar, RegisteredProtocol, ValueMark
from .names import codec_columns, names_plan
from .passes import RegisteredContext
from .reading import RegisteredReadPlanner
from .writing import RegisteredWritePlanner


def codec(context: RegisteredContext, module: str) -> dict[str, str]:
    """The files' text by path below generated/ (with slashes)."""
    spec, protocol = context.spec, context.protocol
    columns, filled = codec_columns(spec, protocol, context.meaning.fields(spec))
    names = names_plan(spec, protocol, columns, filled)
    reading = RegisteredReadPlanner(spec, protocol, columns[:filled], names).plan(module)
    writing = RegisteredWritePlanner(spec, protocol, columns, names).plan(module)
    facts = WireFacts(
        text=False,
        signs=Signs(framed=True, starts=tuple(map(_start, protocol.value.marks))),
        keyed=True,
        described_writer=True,
        described=True,
        unnamed=None if protocol.unnamed is None else str(protocol.unnamed),
        described_by=str(protocol.described_by),
        checksum_options=tuple(_checksum_options(spec, protocol)),
        shows=dict(_shows(protocol)),
        registry=_registry(spec, protocol),
        deletes_by_key=protocol.value.tombstone is not None,
    )
    facade = facade_plan(spec, protocol, context.meaning, facts)
    return codec_files(
        spec,
        module,
        "registered",
        names=names,
        facade=facade,
        decoder=reading,
        encoder=writing,
        dissector=RegisteredDissectPlanner(spec, protocol, reading.names).plan(module),
        schema_types=schema_types_plan(spec, protocol, context.wire),
    )


def _start(mark: ValueMark) -> Start:
    """How a marked value begins, for detection."""
    return Start(bytes([mark.byte]), None if mark.carries is None else MARK_WITH_NUMBER, mark.part is not None)


def _carrying(spec: Spec, protocol: RegisteredProtocol, role: str) -> RecordScalar | None:
    """The record field that carries the event field with this role."""
    name = spec.events.meaning(role)
    return next((one for one in protocol.scalars if one.event is not None and one.event == name), None)


def _checksum_options(spec: Spec, protocol: RegisteredProtocol) -> Iterator[str]:
    """The options that write checksums of rows."""
    scalar = _carrying(spec, protocol, CHECKSUM)
    yield from map(str, scalar.when if scalar is not None else ())


def _shows(protocol: RegisteredProtocol) -> Iterator[tuple[str, str]]:
    """For each option without which records of some events lack a row image: option and image."""
    row = protocol.row
    for case in row.cases.values():
        for image, id in case.images.items():
            field = row.fields[id]
            if isinstance(field, InnerRecord):
                options = (*field.when, *field.sent.values())
                yield from ((str(option), str(image)) for option in options)


def _registry(spec: Spec, protocol: RegisteredProtocol) -> PlannedRegistry:
    """What is printed about the registry and about the rows in records."""
    row, key = protocol.row, protocol.row_key
    assert key is not None, "messages have keys"
    flags = spec.mysql_types.flags
    told = key.rows[0].flags
    tso = _carrying(spec, protocol, "tso")
    mark = next((one for one in protocol.value.marks if images_of(spec, spec.events.kinds[one.event])), None)
    inner = protocol.images[1] if len(protocol.images) > 1 and row.rows else None
    return PlannedRegistry(
        option=str(protocol.registry),
        keys=tuple((str(who), flags[told[who]].bit if who in told else 0) for who in protocol.producers),
        kind=tuple(map(str, protocol.switches[0].when)),
        before=() if inner is None else tuple(map(str, inner.when)),
        commit_ts=() if tso is None else tuple(map(str, tso.when)),
        deleted=() if mark is None or mark.when is None else (str(mark.when),),
        deleted_by=() if mark is None else tuple(map(str, mark.producers or protocol.producers)),
        unsent=tuple(map(str, protocol.schemas.unsent)),
        keyless=next((str(name) for name, one in protocol.losses.items() if one.keyless), ""),
        others=protocol.value.others is not None,
        blocks=protocol.schemas.connect is not None,
    )
