"""The files of a protocol's record encoding: their paths below generated/ and their text."""

from __future__ import annotations

from collections.abc import Sequence

from ...model import Spec
from ...plan.events import EventColumn
from ...plan.facade import PlannedRandom, PlannedRecords
from ...plan.names import NamesPlan, shared_names
from ...render import render_named
from ..model import JsonProtocol
from .dissecting import RecordDissectPlanner
from .model import Records
from .reading import RecordReadPlanner
from .writing import RecordWritePlanner


def planned_encoding(records: Records, random: Sequence[PlannedRandom]) -> PlannedRecords:
    """The facade's facts about the record encoding.

    Args:
        random: members of JSON objects whose encoding differs each time; the same fields differ in records.
    """
    orders = tuple(
        PlannedRandom(
            f"{field.id}-order", (str(field.id),), "order", f"{field.id} has its columns in another order every time."
        )
        for record in records.types.values()
        for field in record.fields.values()
        if field.random_order
    )
    return PlannedRecords(str(records.option), str(records.choice), records.begins, (*random, *orders))


def record_files(
    spec: Spec, protocol: JsonProtocol, columns: Sequence[EventColumn], filled: int, names: NamesPlan, module: str
) -> dict[str, str]:
    """The files by path (with slashes); empty for a protocol without records."""
    records = protocol.records
    if records is None:
        return {}
    known = {f"{module}.names": names.names, "names": shared_names(spec)}
    reading = RecordReadPlanner(spec, protocol, records, columns[:filled], names).plan_records(module)
    writing = RecordWritePlanner(spec, protocol, records, columns, names).plan_records(module)
    plans: tuple[tuple[str, object, tuple[str, ...]], ...] = (
        ("decoder", reading, (".py", ".pxd")),
        ("encoder", writing, (".py", ".pxd")),
        ("dissector", RecordDissectPlanner(spec, protocol, records).plan(module), (".py",)),
    )
    found: dict[str, str] = {}
    for name, plan, ends in plans:
        printed = render_named(f"json/templates/record_{name}", plan, known, ends)
        found |= {f"{module}/record_{name}{end}": text for end, text in printed.items()}
    return found
