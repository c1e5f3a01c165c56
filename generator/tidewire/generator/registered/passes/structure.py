"""How the parts of a protocol of registered records contain each other.

- Key and value are registered, no other part is. A record is used once: as key, as value or as a field of a record, but
  both row images of an envelope can be the same record. An object belongs to one mark.
- The records of key and value are named after the table, unless the value contains the table as a text and every event
  has a value. Records of a value have different names.
- A key consists of the columns that identify a row. The record of the value has the columns of a row, and one nested
  record after them may have all columns of another row image; or it is an envelope (`envelopes.py`). A record that is a
  row image has all columns.
- The value has one text with the operation, and cases; a record without the operation is the kind of one of them. The
  fields with row images have columns; if the value's record has columns itself, they are one image of each case. Fields
  of a record have different names.
- The source of column types is in one event field; times of all columns are in UTC, or none are.
- One mark has an object. Its members carry event fields as numbers or texts; other members are skipped.
"""

from __future__ import annotations

from collections.abc import Iterator

from ...json.member_types import INTEGER, TEXT, UNSIGNED
from ...json.model import JsonObject, Scalar
from ...problems import Problem, listed, problem, quoted
from ...words import Word
from ..model import STRING, TABLE, InnerRecord, RecordScalar, Registered, RegisteredRecord, RowFields
from .context import RegisteredContext

MEMBERS = (TEXT, INTEGER, UNSIGNED)
"""The possible kinds of an object's members."""


def check(context: RegisteredContext) -> list[Problem]:
    """The problems of this pass."""
    protocol = context.protocol
    found = list(_uses(context))
    for root in protocol.roots.values():
        if root is protocol.key_root:
            found += _key(root)
        elif root is not protocol.value:
            text = f"the part {quoted(root.name)} is registered, and neither key nor value"
            found.append(problem(root.location, text, "Say it under root:, or remove it."))
    for again in [one for one in protocol.value.marks if one.part is not None][1:]:
        text = "another mark has an object already"
        found.append(problem(again.at("part"), text, "Keep one."))
    named = {str(one.event) for one in protocol.scalars}
    for record in protocol.records.values():
        found += _names(record)
        told = "table" in named and (record is protocol.row or not _of_keys(context))
        if record in (protocol.row, protocol.row_key) and record.named != TABLE and not told:
            text = f"a reader takes the name of {quoted(record.part)} for the table's"
            found.append(problem(record.at("named"), text, f'Say named: "{TABLE}".'))
        if record is protocol.row:
            found += _row(context)
        else:
            found += _no_cases(record)
            if record is protocol.row_key or record.rows or protocol.row.rows:
                found += _columns_alone(context, record)
    found += _named_alike(context)
    for held in protocol.objects.values():
        found += _object(held)
    found += _known_by(context)
    found += _utc(context)
    return found


def _of_keys(context: RegisteredContext) -> bool:
    """Whether some rows are identified by the key alone."""
    value, classes = context.protocol.value, context.spec.events.classes
    marked = (mark for mark in value.marks if classes[context.kind(mark.event).cls].images)
    return value.tombstone is not None or any(marked)


def _uses(context: RegisteredContext) -> Iterator[Problem]:
    """Problems of records or objects that are used more than once."""
    protocol = context.protocol
    users: dict[str, list[Word]] = {}
    for root in protocol.roots.values():
        for used in (root.record, *(mark.part for mark in root.marks if mark.part is not None)):
            users.setdefault(used, []).append(used)
    for record in protocol.records.values():
        for inner in record.inner:
            users.setdefault(inner.part, []).append(inner.part)
    for name, location in (
        *((name, one.location) for name, one in protocol.records.items()),
        *((name, one.location) for name, one in protocol.objects.items()),
    ):
        if name not in users:
            yield problem(location, f"nothing is the part {quoted(name)}", "Name it where it belongs, or remove it.")
        alone = all(name != root.record for root in protocol.roots.values())
        shared = alone and name in protocol.records and bool(protocol.records[name].rows) and not protocol.row.rows
        for again in users.get(name, [])[2 if shared else 1 :]:
            first = users[name][0].location.line
            text = f"the part {quoted(name)} is used already, in line {first}"
            yield problem(again.location, text, "Give each a part of its own.")


def _key(key: Registered) -> Iterator[Problem]:
    for word in ("missing", "marks", "others"):
        if word in key.words:
            text = f"the part {quoted(key.name)} is the key, and {word}: is of values"
            yield problem(key.at(word), text, "Say it of the value.")


def _names(record: RegisteredRecord) -> Iterator[Problem]:
    seen: dict[str, Word] = {}
    for field in (*record.inner, *record.scalars):
        if field.name in seen:
            text = f"the fields {quoted(seen[field.name])} and {quoted(field.id)} have the name {field.name}"
            yield problem(field.location, text, "Give each its own.")
        seen.setdefault(field.name, field.id)


def _named_alike(context: RegisteredContext) -> Iterator[Problem]:
    """Problems of records with the same name in one schema, where a name can be defined only once."""
    protocol = context.protocol
    seen: dict[str, RegisteredRecord] = {}
    for record in dict.fromkeys((protocol.row, *(record for _, record in protocol.inside))):
        first = seen.setdefault(record.named, record)
        if first is not record:
            text = f"the record {quoted(first.part)} has the name {record.named} already"
            yield problem(record.at("named"), text, "Give each its own: say named:.")


def _no_cases(record: RegisteredRecord) -> Iterator[Problem]:
    for word in ("cases", "missing"):
        if word in record.words:
            text = f"{quoted(record.part)} is not the record of a value, which has the cases"
            yield problem(record.at(word), text, "Move them there.")


def _columns_alone(context: RegisteredContext, record: RegisteredRecord) -> Iterator[Problem]:
    """Problems of a record that consists of the columns of a row: in a key, or nested in the value's."""
    if len(record.rows) != 1 or len(record.fields) != 1:
        text = f"{quoted(record.part)} is the columns of a row, and has {listed(record.fields)}"
        yield problem(record.at("record"), text, "Give it one field with columns:.")
    elif record is not context.protocol.row_key:
        yield from _all(record.rows[0])


def _all(rows: RowFields) -> Iterator[Problem]:
    if rows.flags:
        text = f"{quoted(rows.id)} has some of the columns, as a key has"
        yield problem(rows.at("columns"), text, "Say columns: all.")


def _row(context: RegisteredContext) -> Iterator[Problem]:
    """Problems of the value's record."""
    record, events = context.protocol.row, context.spec.events
    for again in record.rows[1:]:
        text = f"{quoted(record.rows[0].id)} has columns already"
        yield problem(again.location, text, "Put others into a record of their own: say part:.")
    if not context.protocol.images:
        text = f"{quoted(record.part)} has no columns"
        yield problem(record.at("record"), text, "Say columns: all in a field, or in a record in it.")
    for rows in record.rows[:1]:
        yield from _all(rows)
    for second in record.inner[1:] if record.rows else ():
        text = f"{quoted(record.inner[0].id)} is a record already"
        yield problem(second.location, text, "Keep one.")
    behind = [field for field in record.fields.values() if isinstance(field, RowFields | InnerRecord)]
    if record.rows and behind and isinstance(behind[0], InnerRecord):
        text = f"{quoted(behind[0].id)} stands before the columns, by which it is read"
        yield problem(behind[0].location, text, "Put it behind them.")
    if not record.switches:
        text = f"no field of {quoted(record.part)} says what happened"
        yield problem(record.at("record"), text, "Say switch: true in the string that does.")
    for switch in record.switches:
        yield from _switch(record, switch)
    if not record.cases:
        text = f"{quoted(record.part)} has no cases"
        yield problem(record.location, text, "Say cases: what happened by the text of the switch.")
    kinds = [str(case.event) for case in record.cases.values()]
    if record.missing is not None and record.cases and record.missing not in kinds:
        text = f"events of kind {quoted(record.missing)} have no case, by which their columns are known"
        yield problem(record.missing.location, text, f"Name one of {listed(kinds)}.")
    for case in record.cases.values():
        if not events.classes[events.kinds[case.event].cls].images:
            text = f"events of kind {quoted(case.event)} have no rows"
            yield problem(case.event.location, text, "Say them by a mark.")
        if record.rows and list(case.images.values()).count(record.rows[0].id) != 1:
            text = f"not one row image of {quoted(case.text)} is the columns of the record"
            yield problem(case.at("images"), text, f"Say {record.rows[0].id} for one.")
        for id in case.images.values():
            field = record.fields[id]
            beside = isinstance(field, InnerRecord) and not record.rows and field not in context.protocol.images
            if isinstance(field, RecordScalar) or beside:
                text = f"the field {quoted(id)} is no row"
                yield problem(id.location, text, "Name one with columns: or part:.")


def _switch(record: RegisteredRecord, switch: RecordScalar) -> Iterator[Problem]:
    if switch is not record.switches[0]:
        text = f"{quoted(record.switches[0].id)} says what happened already"
        yield problem(switch.at("switch"), text, "They could disagree; keep one.")
    if switch.type != STRING:
        yield problem(switch.type.location, f"what happened is said by a text, not {switch.type}", "Say string.")
    if switch.when and record.missing is None:
        text = f"{quoted(switch.id)} is not always there, and nothing says what a record without it is"
        yield problem(record.location, text, "Say missing: KIND.")


def _known_by(context: RegisteredContext) -> Iterator[Problem]:
    said = [one.known_by for record in context.protocol.records.values() for one in record.rows if one.known_by]
    for other in said[1:]:
        if other != said[0]:
            text = f"by what types are known is in {quoted(said[0])} already"
            yield problem(other.location, text, "Say the same.")


def _utc(context: RegisteredContext) -> Iterator[Problem]:
    """Problems of times: an event has one time zone for encoder and decoder, so UTC applies to key and value alike."""
    rows = [one for record in context.protocol.records.values() for one in record.rows]
    for other in rows[1:]:
        if other.utc != rows[0].utc:
            there, here = (
                "are as they are" if one.utc is None else f"are in UTC, their zone in {quoted(one.utc)}"
                for one in (rows[0], other)
            )
            text = f"the times of {quoted(rows[0].id)} {there}, those of {quoted(other.id)} {here}"
            yield problem(other.location, text, "Say utc: of both alike.")


def _object(held: JsonObject) -> Iterator[Problem]:
    if not held.skip_unknown:
        text = f"a reader skips members of {quoted(held.name)} that are not described"
        yield problem(held.location, text, "Say unknown: skip.")
    for member in held.members.values():
        if not isinstance(member, Scalar) or member.event is None:
            text = f"the member {quoted(member.id)} carries nothing"
            yield problem(member.location, text, "Say event: in it.")
        elif member.type not in MEMBERS:
            text = f"the member {quoted(member.id)} is neither a number nor a text"
            yield problem(member.at("type"), text, f"Say {listed(MEMBERS)}.")
