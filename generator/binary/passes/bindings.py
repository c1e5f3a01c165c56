"""What carries the fields of the events (`event:`).

- The types fit: an integer carries an integer or a truth value, a text or an interned integer a text, bytes carry
  bytes. A reader can find nothing that the field cannot hold: `max` narrows the wire where it could.
- A field that is for all events is a chunk of the root, one element per event; a field of one class is a section of the
  struct of its case. Sections of the root and of repeated structs carry no field, as they are not one per event.
- For every class that is carried: each field is carried at most once, each that is not optional or that the class
  `needs` at least once, and one of those that say when an event was committed, not two: milliseconds are what stands in
  for a commit ts. `kind` is not carried: it follows from the case and from the row images.
- Where a field is for all events and a class lacks it, the chunk can say null.
- A class has one case, so that a writer knows which to write.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ...model import COMMIT_TIMES, FIELD_RANGES, KIND_FIELD, Chunk, EventClass, EventField, Primitive
from ...problems import Problem, listed, problem, quoted
from ..model import Case, ColumnField, ColumnsStruct, Section, SectionsStruct
from .context import BinaryContext


def check(context: BinaryContext) -> list[Problem]:
    """The problems of this pass."""
    common = {one.event: one for one in _common(context) if one.event is not None}
    found = [*_twice(_common(context)), *_types(context), *_scopes(context), *_root_sections(context)]
    seen: dict[str, str] = {}
    classes = context.spec.events.classes
    for case in context.switch[1].cases.values():
        cls = classes[case.event]
        if case.event in seen:
            both_cases = f"{quoted(seen[case.event])} and {quoted(case.member)}"
            text = f"{both_cases} are both for events of class {quoted(case.event)}"
            found.append(problem(case.event.place, text, "A writer could not choose; have one case for a class."))
        seen.setdefault(case.event, case.member)
        struct = context.protocol.structs[case.struct]
        own: list[Section] = []
        if isinstance(struct, SectionsStruct):
            own = [one for inner in context.inside(struct) for one in inner.sections if one.event is not None]
        both: list[ColumnField | Section] = [*common.values(), *own]
        found += _twice(both)
        for section in own:
            if section.event not in cls.fields:
                text = f"events of class {quoted(cls.key)} have no field {quoted(section.event)}"
                found.append(problem(section.at("event"), text, f"They have {listed(cls.fields)}."))
        carried = {KIND_FIELD, *common, *(one.event for one in own)}
        found += _commit_times(context, case, cls, [one for one in cls.fields if one in carried])
        for name in cls.fields:
            needed = name in cls.needs or not context.spec.events.fields[name].optional
            if needed and name not in carried:
                text = f"events of class {quoted(cls.key)} need {quoted(name)}, which nothing carries"
                found.append(
                    problem(case.place, text, f"Say event: {name} in {quoted(case.struct)} or in the root's columns.")
                )
    for name, field in common.items():
        without = [one for one in seen if name not in classes[one].fields and name != KIND_FIELD]
        if without and field.null_as is None:
            text = f"events of class {listed(without)} have no {quoted(name)}, and the chunk cannot say null"
            found.append(problem(field.at("event"), text, "Say null_as:, or carry it in the structs of the cases."))
    return found


def _commit_times(context: BinaryContext, case: Case, cls: EventClass, carried: Sequence[str]) -> Iterator[Problem]:
    """When an event was committed is said, and said once."""
    fields = context.spec.events.fields
    times = [one for one in cls.fields if one in fields and fields[one].means in COMMIT_TIMES]
    said = [one for one in times if one in carried]
    if times and not said:
        text = f"events of class {quoted(cls.key)} need {' or '.join(map(quoted, times))}, which nothing carries"
        remedy = f"Say event: {times[0]} in {quoted(case.struct)} or in the root's columns."
        yield problem(case.place, text, remedy)
    if len(said) > 1:
        text = f"events of class {quoted(cls.key)} say {' and '.join(map(quoted, said))}, which follow from each other"
        yield problem(case.place, text, "Two could disagree; keep the better one.")


def _common(context: BinaryContext) -> list[ColumnField]:
    """The chunks of the root that carry a field of all events."""
    found: list[ColumnField] = []
    for section in context.root.sections:
        held = context.references.struct_of(section)
        if isinstance(held, ColumnsStruct):
            found += [one for one in held.columns if one.event is not None]
        if section.chunk is not None:
            found.append(section.chunk)
    return found


def _twice(carriers: Sequence[ColumnField | Section]) -> Iterator[Problem]:
    seen: dict[str, ColumnField | Section] = {}
    for one in carriers:
        field = str(one.event)
        if field in seen:
            text = f"{quoted(field)} is carried twice, first in line {seen[field].at('event').line}"
            yield problem(one.at("event"), text, "Two could disagree; keep one.")
        seen.setdefault(field, one)


def _types(context: BinaryContext) -> Iterator[Problem]:
    fields = context.spec.events.fields
    for struct in context.sections_structs():
        for section in struct.sections:
            primitive = context.primitive(section)
            if section.event is not None and primitive is not None:
                yield from _fits(section, fields[section.event], primitive, False)
    for chunk in context.chunks():
        if chunk.event is not None:
            yield from _fits(
                chunk, fields[chunk.event], context.spec.primitives.chunks[chunk.chunk], chunk.intern is not None
            )


def _fits(of: Section | ColumnField, field: EventField, thing: Primitive | Chunk, interned: bool) -> Iterator[Problem]:
    limits = FIELD_RANGES[field.type]
    if field.name == KIND_FIELD:
        text = "the kind of an event follows from the case and from the row images"
        yield problem(of.at("event"), text, "Remove event:.")
        return
    if limits is None or interned:
        wanted = {"text": "str", "bytes": "bytes"}.get(field.type)
        if wanted != ("str" if interned else thing.python):
            what = "an interned text" if interned else f"a {thing.name}"
            yield problem(
                of.at("event"), f"the field {quoted(field.name)} is {field.type}, {what} is not", "Use another."
            )
        return
    if thing.range is None:
        text = f"the field {quoted(field.name)} is {field.type}, a {thing.name} is not"
        yield problem(of.at("event"), text, "Use another.")
        return
    low, high = field.range if field.range is not None else limits
    bottom, top = thing.range[0], of.max if of.max is not None else thing.range[1]
    if bottom < low:
        text = f"a reader can find {bottom}, the field {quoted(field.name)} begins at {low}"
        yield problem(of.at("event"), text, "Use an unsigned one.")
    if top > high:
        text = f"a reader can find {top}, the field {quoted(field.name)} ends at {high}"
        yield problem(of.at("event"), text, f"Say max: {high}.")


def _scopes(context: BinaryContext) -> Iterator[Problem]:
    """Columns and sections that are not one per event carry no field."""
    common = _common(context)
    for columns in context.columns_structs():
        for field in columns.columns:
            if field.event is not None and field not in common:
                yield problem(field.at("event"), "the chunk has not one element per event", "Remove event:.")
    once = {
        inner.name
        for case in context.switch[1].cases.values()
        if isinstance(struct := context.protocol.structs[case.struct], SectionsStruct)
        for inner in context.inside(struct)
    }
    for struct_ in context.sections_structs():
        for section in struct_.sections if struct_.name not in once and struct_ is not context.root else ():
            if section.event is not None:
                yield problem(
                    section.at("event"), f"{quoted(struct_.name)} is not there once per event", "Remove event:."
                )


def _root_sections(context: BinaryContext) -> Iterator[Problem]:
    for section in context.root.sections:
        if section.event is not None and section.chunk is None:
            text = "a message holds several events, the section one value"
            yield problem(section.at("event"), text, "Make it a chunk: with a count:, or carry the field in the cases.")
