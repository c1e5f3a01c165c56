"""Avro records as a second encoding of a protocol whose messages are JSON objects.

- The root record has an enum followed by a union of one record for each class of events with messages. There is one
  record for each class, each part and each way to hold a value.
- A record has a field for every member that readers need, of a type that can hold it. The table of a row and the
  version of its description precede the row; a row is a map with nullable values.
- An enum has a symbol for each case of a class; for statements, for their classes. Some field has it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from ...passes.common import named
from ...problems import Problem, listed, problem, quoted
from ...words import Word
from ..described_model import DescribedMember, EachMember, ToldMember
from ..member_types import BOOL, INTEGER, TEXT, TEXTS, UNSIGNED
from ..model import DescriptionMember, Member, ObjectMember, RowsMember, Scalar
from ..records.model import HELD, Record, RecordField, Records
from .context import JsonContext

TYPES: Mapping[str, tuple[str, ...]] = {
    TEXT: ("string",),
    INTEGER: ("long", "int"),
    UNSIGNED: ("long", "int"),
    BOOL: ("boolean",),
}
"""The primitive record types that can hold each scalar type of an object."""


def check(context: JsonContext) -> list[Problem]:
    """The problems of this pass."""
    records = context.protocol.records
    if records is None:
        return []
    found = [*_message(context, records), *_once(records), *_held(records), *_branches(context, records)]
    return [*found, *_all_fields(context, records), *_enums(records)]


def _enums(records: Records) -> Iterator[Problem]:
    used = {str(field.type) for record in records.types.values() for field in record.fields.values()}
    for name, symbols in records.enums.items():
        if name not in used:
            text = f"no field has the enum {quoted(name)}"
            yield problem(symbols[0].location, text, "Name it as the type of one, or remove it.")


def _message(context: JsonContext, records: Records) -> Iterator[Problem]:
    message = records.message
    fields = list(message.fields.values())
    told = fields[0].type if len(fields) == 2 else None
    if told is None or told not in records.enums or not fields[1].union:
        text = f"what every message is, {message.name}, has no enum and a union behind it"
        yield problem(message.location, text, "Say fields: {WHAT: ENUM, RECORD: [...]}.")
        return
    kinds = [records.types[name] for name in fields[1].union]
    if len(records.enums[told]) != len(kinds):
        text = f"the enum {told} has {len(records.enums[told])} symbols, the union {len(kinds)} records"
        yield problem(fields[1].location, text, "The symbol with a number tells the record with it.")
    carried = context.carried()
    for name, one in zip(fields[1].union, kinds, strict=True):
        if one.of is None:
            yield problem(name.location, f"the record {name} is of no class of events", "Say of: in it.")
        elif one.of not in carried:
            text = f"the record {name} is of class {quoted(one.of)}, of which there are no messages"
            yield problem(one.of.location, text, f"Say of: {' or '.join(carried)}.")
    missing = [cls for cls in carried if cls not in [str(one.of) for one in kinds]]
    if missing:
        text = f"events of class {listed(missing)} have no record"
        yield problem(fields[1].location, text, "Add one to the union.")


def _once(records: Records) -> Iterator[Problem]:
    """Reports a record (except the root) that is not for exactly one class, part or value, and a second record for the
    same one.
    """
    seen: dict[tuple[str, str], Word] = {}
    for one in records.types.values():
        what = {"part": one.part, "class": one.of, "value": one.holds}
        said = [(word, str(name)) for word, name in what.items() if name]
        if one is not records.message and len(said) != 1:
            text = f"the record {one.name} is of {' and '.join(word for word, _ in said) or 'nothing'}"
            held = " or ".join(f"[{', '.join(types)}]" for types in HELD.values())
            yield problem(one.location, text, f"Say part: or of:, or give it the fields of a value, {held}.")
        for pair in said:
            if pair in seen:
                text = f"a second record is of the {pair[0]} {pair[1]}, the first is {seen[pair]}"
                yield problem(one.location, text, "Keep one.")
            seen.setdefault(pair, one.name)


def _held(records: Records) -> Iterator[Problem]:
    """Checks maps of column values: they allow null, use records that hold a value, and have the same branches."""
    for one in records.types.values():
        for field in one.fields.values():
            if field.map and "null" not in field.map:
                yield problem(field.at("type"), "a value of a row can be NULL", 'Add "null" to the branches.')
            for name in field.map:
                if name in records.types and records.types[name].holds is None:
                    text = f"the record {name} holds no value"
                    held = " or ".join(f"[{', '.join(types)}]" for types in HELD.values())
                    yield problem(name.location, text, f"Take one whose fields are {held}.")
    maps = [field for one in records.types.values() for field in one.fields.values() if field.map]
    for field in maps[1:]:
        if field.map != maps[0].map:
            text = f"the values of {quoted(maps[0].id)} have other branches"
            yield problem(field.at("type"), text, "A row has one way to be written: say the same.")


def _branches(context: JsonContext, records: Records) -> Iterator[Problem]:
    """Reports codecs of column values whose Avro type is missing from the branches of the column maps."""
    maps = [field for one in records.types.values() for field in one.fields.values() if field.map]
    for field in maps[:1]:
        holding = [name for name in field.map if name in records.types]
        for case in context.protocol.values[records.values].cases:
            for name in (case.codec, *case.flagged.values(), *case.by_producer.values()):
                codec = context.spec.primitives.codecs[name]
                held = HELD["located" if codec.located else "wrapped"]
                fits = [str(one) for one in holding if HELD.get(str(records.types[one].holds)) == held]
                branch = str(codec.avro)
                if codec.avro is not None and branch not in field.map and not (branch == "record" and fits):
                    text = f"values of the codec {quoted(name)} are {branch}, which is no branch of {quoted(field.id)}"
                    yield problem(name.location, text, "Add the branch, or take another codec.")


def _all_fields(context: JsonContext, records: Records) -> Iterator[Problem]:
    protocol = context.protocol
    for record in records.types.values():
        if record.of is not None:
            members: Mapping[str, Member] = protocol.message.members
            yield from _fields(context, records, record, members, str(record.of))
        elif record.part is not None and record.part in protocol.objects:
            yield from _fields(context, records, record, protocol.objects[record.part].members, "")
        elif record.part is not None:
            yield from _described_fields(records, record, protocol.parts_described[record.part].members)


def _fields(
    context: JsonContext, records: Records, record: Record, members: Mapping[str, Member], cls: str
) -> Iterator[Problem]:
    """Checks the fields of a record for a class of events, or for an object in a message (`cls` is empty)."""
    for id, field in record.fields.items():
        member = members.get(id)
        if member is None:
            yield from named(field.id, "member", members)
        elif not member.is_of(cls) and cls:
            text = f"the member {quoted(id)} is not there for events of class {quoted(cls)}"
            yield problem(field.id.location, text, f"Remove the field, or add {cls} to its of:.")
        else:
            yield from _field(context, records, field, member, cls)
    lacking = [id for id, one in members.items() if one.is_of(cls) and _needed(one, cls) and id not in record.fields]
    if lacking:
        text = f"the record {record.name} lacks {listed(lacking)}, which its messages say"
        yield problem(record.at("fields"), text, "Add the fields.")
    yield from _before_rows(context, record, members)


def _needed(member: Member, cls: str) -> bool:
    """Whether a message carries information in this member."""
    if isinstance(member, Scalar):
        return member.event is not None and not member.again and cls not in member.zero
    return isinstance(member, RowsMember | DescriptionMember | ObjectMember)


def _field(context: JsonContext, records: Records, field: RecordField, member: Member, cls: str) -> Iterator[Problem]:
    location = field.location
    if isinstance(member, RowsMember):
        if not field.map:
            yield problem(location, "a row image is a map of its columns", "Say type: [...], the branches of a value.")
        elif not field.optional:
            yield problem(location, "events of some kinds have no such row", "Say optional: true.")
    elif isinstance(member, DescriptionMember | ObjectMember):
        wanted = next((one.name for one in records.types.values() if one.part == member.part), None)
        if wanted is None or field.type != wanted:
            text = f"the member {quoted(member.id)} is the part {quoted(member.part)}"
            yield problem(location, text, f"Say type: {wanted or 'the record of that part'}.")
        elif isinstance(member, ObjectMember) and not field.optional:
            yield problem(location, "an event may have nothing of it", "Say optional: true.")
    elif isinstance(member, Scalar) and member.switch:
        yield from _switch(context, records, field, cls)
    elif isinstance(member, Scalar):
        fitting = TYPES.get(member.type, ())
        if field.type not in fitting:
            text = f"the member {quoted(member.id)} is of type {member.type}"
            yield problem(location, text, f"Say type: {' or '.join(fitting)}.")
        elif member.const is not None and (isinstance(member.const, bool) or not isinstance(member.const, int)):
            text = f"the constant {quoted(member.id)} is no number"
            yield problem(location, text, "Constants of records are numbers; remove the field.")
    else:
        yield problem(location, f"records have no members such as {quoted(member.id)}", "Remove the field.")
    if field.raw or field.only:
        text = "only what describes a column depends on its type"
        yield problem(location, text, "Remove numbers: and types:.")


def _switch(context: JsonContext, records: Records, field: RecordField, cls: str) -> Iterator[Problem]:
    """Checks the enum that distinguishes the cases of a class."""
    if field.type is None or field.type not in records.enums:
        text = "what tells the cases apart is an enum"
        yield problem(field.location, text, f"Name one of {listed(records.enums)}.")
        return
    symbols = [str(one) for one in records.enums[field.type]]
    kinds, message = context.spec.events.kinds, context.protocol.message
    cases = [str(one.text) for one in message.cases.values() if one.event and kinds[one.event].cls == cls]
    rest = message.rest
    if rest is not None and kinds[rest.event].cls == cls:
        types = context.spec.mysql_types
        cases += dict.fromkeys([*(str(one.cls) for one in types.ddl_types.values()), str(types.ddl_class)])
    missing = [one for one in cases if one not in symbols]
    if missing:
        text = f"the enum {field.type} lacks {listed(missing)}"
        yield problem(field.location, text, "Every case of the class has a symbol.")


def _before_rows(context: JsonContext, record: Record, members: Mapping[str, Member]) -> Iterator[Problem]:
    """Checks that the table and the description's version precede a row."""
    ids = list(record.fields)
    rows = [at for at, id in enumerate(ids) if isinstance(members.get(id), RowsMember)]
    if not rows:
        return
    described = context.protocol.described
    wanted = ["schema", "table", *([] if described is None else [str(described.by)])]
    before = (members.get(id) for id in ids[: rows[0]])
    said = {str(one.event) for one in before if isinstance(one, Scalar)}
    switched = any(isinstance(one, Scalar) and one.switch for one in (members.get(id) for id in ids[: rows[0]]))
    missing = [name for name in wanted if name not in said] + ([] if switched else ["what happened"])
    if missing:
        text = f"a row cannot be read before {listed(missing)}"
        yield problem(record.fields[ids[rows[0]]].location, text, "Put what says it in front.")


def _described_fields(records: Records, record: Record, members: Mapping[str, DescribedMember]) -> Iterator[Problem]:
    """Checks the fields of the record for a part that describes a table, a column or an index."""
    for id, field in record.fields.items():
        member = members.get(id)
        if member is None:
            yield from named(field.id, "member", members)
        elif isinstance(member, ToldMember):
            yield from _described_fact(field, member)
        else:
            wanted = next((one.name for one in records.types.values() if one.part == member.part), None)
            said = field.array if isinstance(member, EachMember) else field.type
            if wanted is None or said != wanted or field.optional:
                what = "of parts" if isinstance(member, EachMember) else "the part"
                text = f"the member {quoted(member.id)} is {what} {member.part}"
                yield problem(field.location, text, f"Say {wanted or 'the record of that part'}.")
    lacking = [id for id in members if id not in record.fields]
    if lacking:
        text = f"the record {record.name} lacks {listed(lacking)}, which descriptions say"
        yield problem(record.at("fields"), text, "Add the fields.")


def _described_fact(field: RecordField, member: ToldMember) -> Iterator[Problem]:
    if member.type == TEXTS:
        if field.array != "string":
            yield problem(field.location, f"{quoted(member.tells)} is texts", "Say string.")
        return
    fitting = TYPES[member.type]
    if field.type not in fitting:
        text = f"{quoted(member.tells)} is of type {member.type}"
        yield problem(field.location, text, f"Say type: {' or '.join(fitting)}.")
    if field.raw and member.tells != "default":
        text = f"{quoted(member.tells)} is no value of a column"
        yield problem(field.at("numbers"), text, "numbers: belongs beside the default; remove it.")
    if member.tells == "position" and not field.optional:
        text = "a description can lack the position of a column, and no number stands for that"
        yield problem(field.location, text, "Say optional: true.")
    if field.only and not field.optional:
        text = "what is not written of some types is null there"
        yield problem(field.at("types"), text, "Say optional: true.")
