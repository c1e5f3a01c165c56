"""The event columns and the names of numbers in the codec of a protocol of registered records."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

from ..facts import TABLE_AFTER
from ..model import COMMIT_TIMES, Spec
from ..plan.carried import carried_columns
from ..plan.constants import apart, constant
from ..plan.events import EventColumn, event_columns
from ..plan.names import Group, NamesPlan, names_of_all, protocol_names
from ..plan.ways import ABOUT as WAYS
from .model import RecordScalar, RegisteredProtocol, RegisteredRecord, ValueMark

CASES = "What a row's record says to have happened."
WAY_NAMES = ("ALL_COLUMNS", "KEY_COLUMNS")
"""Values contain all columns; keys contain those with a flag."""
SCHEMA = "schema"
"""Paths in errors: for the schema id of a key or value, and for the schema itself."""
OWN = frozenset(("FORMS", "KEY_FIELDS", "OPERATIONS", "WORDS"))
"""Reserved names of the printed modules, besides those of all codecs."""


def codec_columns(
    spec: Spec, protocol: RegisteredProtocol, carried: Iterable[str]
) -> tuple[tuple[EventColumn, ...], int]:
    """The event columns that the codec of a protocol uses, numbered alike for decoder and encoder.

    Args:
        carried: the fields that its messages carry.

    Returns:
        The columns, and how many of them the decoder fills; these come first, followed by those that only the encoder
            reads.
    """
    filled = carried_columns(spec.events, carried)
    names = {one.name for one in filled}
    wanted = {str(protocol.described_by), str(spec.events.meaning(TABLE_AFTER))}
    times = {str(spec.events.meaning(role)) for role in COMMIT_TIMES}
    wanted |= times if times & (names | wanted) else set()
    read = [one for one in event_columns(spec.events) if one.name in wanted - names]
    return tuple(replace(one, position=at) for at, one in enumerate([*filled, *read])), len(filled)


def names_plan(spec: Spec, protocol: RegisteredProtocol, columns: tuple[EventColumn, ...], filled: int) -> NamesPlan:
    """The module of names; the decoder fills the first `filled` columns."""
    cases = tuple((constant(f"case_{text}"), number) for number, text in enumerate(protocol.row.cases))
    ways = tuple((name, number) for number, name in enumerate(WAY_NAMES))
    groups = [Group(CASES, cases), Group(WAYS, ways)]
    return protocol_names(spec, protocol.file, protocol.title, columns, filled, groups)


def names_in(names: NamesPlan, about: str) -> tuple[str, ...]:
    """The names of a group of numbers."""
    return next(tuple(name for name, _ in group.numbers) for group in names.groups if group.about == about)


@dataclass(frozen=True)
class FieldNames:
    """The paths of the fields of key and value in errors, and the constants of their positions."""

    fields: tuple[str, ...]
    constants: tuple[str, ...]
    key_fields: int
    """How many of them are fields of the key; these come first."""
    key: str
    value: str
    columns: dict[str, str]
    """Field of the columns of a record, by part."""
    scalars: dict[RecordScalar, str]
    marks: dict[ValueMark, str]
    slots: dict[RecordScalar, str]
    """The constants that number the scalars."""
    parts: dict[str, str]
    """The constants of records and objects, by part."""


def field_names(spec: Spec, protocol: RegisteredProtocol, names: NamesPlan) -> FieldNames:
    """The field names of a protocol, unique among each other and other names of the codec."""
    row, key = protocol.row, protocol.row_key
    assert key is not None, "messages have keys"
    found = [("KEY", SCHEMA), (_columns_of(key), "{column}"), ("VALUE", SCHEMA)]
    found += [(_columns_of(row), "{column}")] if row.rows else []
    inner = list({str(one.part): (one, record) for one, record in protocol.inside if record.rows}.values())
    found += [(_columns_of(record), _path_of_columns(protocol, record)) for _, record in inner]
    found += [(constant(f"{row.part}_{one.id}"), path) for path, one in protocol.pathed_scalars]
    marks = protocol.value.marks
    found += [(constant(f"{one.id}_mark"), _path_of(one)) for one in marks]
    taken = OWN | names_of_all(spec) | set(names.names)
    constants = apart((name for name, _ in found), "FIELD", taken)
    slots = apart((constant(f"{one.id}_slot") for one in protocol.scalars), "SLOT", {*taken, *constants})
    records = [key, *{str(record.part): record for _, record in protocol.inside}.values(), row]
    named = {str(one.part): constant(f"{one.part}_record") for one in records}
    named |= {name: constant(f"{name}_members") for name in protocol.objects}
    parts = apart(named.values(), "PART", {*taken, *constants, *slots})
    columns = [key, *([row] if row.rows else []), *(record for _, record in inner)]
    rest = constants[len(columns) + 2 :]
    scalars = protocol.scalars
    return FieldNames(
        fields=tuple(path for _, path in found),
        constants=constants,
        key_fields=2,
        key=constants[0],
        value=constants[2],
        columns=dict(zip((str(one.part) for one in columns), (constants[1], *constants[3:]), strict=False)),
        scalars=dict(zip(scalars, rest, strict=False)),
        marks=dict(zip(marks, rest[len(scalars) :], strict=True)),
        slots=dict(zip(scalars, slots, strict=True)),
        parts=dict(zip(named, parts, strict=True)),
    )


def _columns_of(record: RegisteredRecord) -> str:
    return constant(f"column_of_{record.part}")


def _path_of_columns(protocol: RegisteredProtocol, record: RegisteredRecord) -> str:
    """The path of a record's columns in errors: behind the field that it is nested in, or the place of its name if
    there are several.
    """
    places = [one for one, held in protocol.inside if held is record]
    return f"{places[0].name}/{{column}}" if len(places) == 1 else "{record}{column}"


def _path_of(mark: ValueMark) -> str:
    """The path of a mark in errors, to which that of a member of its object is appended."""
    return str(mark.id) if mark.part is None else f"{mark.id}{{path}}"
