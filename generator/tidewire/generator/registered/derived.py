"""What follows for registered records from the shared files and from other protocols, and is not stated in the file."""

from __future__ import annotations

from dataclasses import replace

from ..facts import CHECKSUM, CHECKSUM_BEFORE
from ..model import Spec
from ..words import Word
from .model import OtherMessages, RecordScalar, Registered, RegisteredProtocol, RegisteredRecord


def derived(spec: Spec, protocol: RegisteredProtocol) -> RegisteredProtocol:
    """The protocol with what checksums need, and the options that it shares with the protocol of other messages.

    The checksum of a row that is gone is in the field for the row before; columns are in the order of their ids where a
    record has a checksum, as no reader could compute it otherwise.
    """
    roots = {name: _with_shared_options(spec, protocol, one) for name, one in protocol.roots.items()}
    now, before = spec.events.meaning(CHECKSUM), spec.events.meaning(CHECKSUM_BEFORE)
    by_id = next((one.when[0] for one in _scalars(protocol) if one.when and one.event and one.event == now), None)
    records = {name: _with_old_checksums(one, now, before) for name, one in protocol.records.items()}
    return replace(protocol, roots=roots, records=records, schemas=replace(protocol.schemas, by_id=by_id))


def _scalars(protocol: RegisteredProtocol) -> list[RecordScalar]:
    return [
        one for record in protocol.records.values() for one in record.fields.values() if isinstance(one, RecordScalar)
    ]


def _with_old_checksums(record: RegisteredRecord, now: Word | None, before: Word | None) -> RegisteredRecord:
    fields = {
        id: replace(one, of_old=before) if isinstance(one, RecordScalar) and one.event and one.event == now else one
        for id, one in record.fields.items()
    }
    return replace(record, fields=fields)


def _with_shared_options(spec: Spec, protocol: RegisteredProtocol, root: Registered) -> Registered:
    others = root.others
    other = None if others is None else spec.protocols.get(others.protocol)
    if others is None or other is None:
        return root

    def is_shared(name: str) -> bool:
        option = other.options.get(name)
        return option is not None and option.type == "text" and name != other.unnamed and name not in others.options

    shared = tuple(option.name for name, option in protocol.options.items() if is_shared(name))
    with_options: OtherMessages = replace(others, shared=shared)
    return replace(root, others=with_options)
