"""events.yaml: the neutral events.

- The codes of kinds are unique, their classes exist, every class has a kind; class names are unique.
- The fields of a class exist, including those it `needs`; ranges and `means` are for integers (except that a ddl_class
  and a statement are texts, and a table_after is a description); a range is within the type and begins before it ends.
  No two fields mean the same.
- A description means the table it describes, can be absent, and has no Spark type of its own.
- A class with a field that means a ddl_class has one that means a ddl_type.
- A class has row images or columns, not both. The images of a kind are images of its class; if a class has several
  kinds, each lists its images and no two are equal, since readers distinguish the kinds by them.
- Names of fields, row images and classes are no Python keywords, since generated code uses them.
- There are fields for the kind, for schema and table, one that means a tso, and a row image `new`; Spark types of
  fields are printable.
"""

from __future__ import annotations

from collections.abc import Iterator

from ..facts import DDL_CLASS, DDL_TYPE, DESCRIPTION, DESCRIPTIONS, NEW, OWN_TYPES
from ..model import COMMIT_TIMES, FIELD_RANGES, KIND_FIELD, EventClass, EventKind, Spec
from ..plan.events import NAMED
from ..plan.spark_types import SPARK_TYPES
from ..problems import Problem, listed, problem, quoted, unknown
from .common import keywords

NEEDED = {
    KIND_FIELD: "Events say what happened by it.",
    **dict.fromkeys(NAMED, "Events say by schema and table what they are of."),
}
"""Required fields."""


def check(spec: Spec) -> list[Problem]:
    """The problems of this pass."""
    return [*_names(spec), *_kinds(spec), *_fields(spec), *_classes(spec)]


def _names(spec: Spec) -> Iterator[Problem]:
    events = spec.events
    images = [image for cls in events.classes.values() for image in cls.images]
    yield from keywords([*(one.name for one in events.fields.values()), *(one.name for one in events.classes.values())])
    yield from keywords(images)
    for name, why in NEEDED.items():
        if name not in events.fields:
            yield problem(events.at("fields"), f"there is no field {quoted(name)}", why)
    if events.meaning(COMMIT_TIMES[0]) is None:
        text = f"no field means: {COMMIT_TIMES[0]}"
        yield problem(events.at("fields"), text, "Events say when they were committed by it.")
    if NEW not in images:
        yield problem(events.at("classes"), f"no class has a row image {quoted(NEW)}", "Give it to the class of rows.")


def _kinds(spec: Spec) -> Iterator[Problem]:
    codes: dict[int, str] = {}
    for kind in spec.events.kinds.values():
        if kind.code in codes:
            text = f"{quoted(codes[kind.code])} and {quoted(kind.name)} have the code {kind.code}"
            yield problem(kind.at("code"), text, "Give each its own.")
        codes.setdefault(kind.code, kind.name)
        cls = spec.events.classes.get(kind.cls)
        if cls is None:
            yield unknown(kind.cls.location, "event class", kind.cls, spec.events.classes, "event classes")
            continue
        for image in kind.images or ():
            if image not in cls.images:
                yield unknown(image.location, "row image", image, cls.images)


def _fields(spec: Spec) -> Iterator[Problem]:
    times: dict[str, str] = {}
    for field in spec.events.fields.values():
        if field.spark is not None and field.spark not in SPARK_TYPES:
            yield unknown(field.at("spark"), "Spark type", field.spark, SPARK_TYPES)
        limits = None if field.type == "bool" else FIELD_RANGES[field.type]
        own = None if field.means is None else OWN_TYPES.get(field.means)
        if field.type == DESCRIPTION and field.means not in DESCRIPTIONS:
            text = "a description says which table it describes"
            yield problem(field.location, text, f"Say means: with one of {listed(DESCRIPTIONS)}.")
        if field.type == DESCRIPTION and (not field.optional or field.spark is not None):
            text = "a description can be absent, and is a struct in Spark"
            yield problem(field.location, text, "Say optional: true, and remove spark:.")
        if own is not None and field.type != own:
            text = f"means: {field.means} is for {own}, the field is {field.type}"
            yield problem(field.at("means"), text, "Remove it.")
        elif field.means is not None and own is None and limits is None:
            yield problem(field.at("means"), f"means: is for integers, the field is {field.type}", "Remove it.")
        elif field.means is not None:
            if field.means in times:
                text = f"{quoted(times[field.means])} and {quoted(field.name)} both mean {field.means}"
                yield problem(field.at("means"), text, "One field has a meaning; remove one.")
            times.setdefault(field.means, field.name)
        if field.range is None:
            continue
        if limits is None:
            yield problem(field.at("range"), f"range: is for integers, the field is {field.type}", "Remove it.")
        elif not limits[0] <= field.range[0] <= field.range[1] <= limits[1]:
            text = f"{field.range[0]} to {field.range[1]} is no range of {field.type}"
            yield problem(field.at("range"), text, f"It lies between {limits[0]} and {limits[1]}.")


def _classes(spec: Spec) -> Iterator[Problem]:
    names: dict[str, str] = {}
    for cls in spec.events.classes.values():
        if cls.name in names:
            text = f"{quoted(names[cls.name])} and {quoted(cls.key)} have the name {cls.name}"
            yield problem(cls.name.location, text, "Give each its own.")
        names.setdefault(cls.name, cls.key)
        for name in cls.fields:
            if name not in spec.events.fields:
                yield unknown(name.location, "event field", name, spec.events.fields)
        for name in cls.needs:
            if name not in cls.fields:
                yield unknown(name.location, "field of the class", name, cls.fields, "fields of the class")
        means = {spec.events.fields[name].means for name in cls.fields if name in spec.events.fields}
        if DDL_CLASS in means and DDL_TYPE not in means:
            text = f"no field of the class means {DDL_TYPE}, from which what means {DDL_CLASS} follows"
            yield problem(cls.at("fields"), text, f"Say means: {DDL_TYPE} in one of its fields.")
        if cls.images and cls.columns:
            yield problem(cls.at("columns"), "a class has row images or columns, not both", "Remove one.")
        kinds = [one for one in spec.events.kinds.values() if one.cls == cls.key]
        if not kinds:
            yield problem(cls.location, "no kind of event is of this class", "Add a kind or remove the class.")
        yield from _images(cls, kinds)


def _images(cls: EventClass, kinds: list[EventKind]) -> Iterator[Problem]:
    if len(kinds) < 2:
        return
    seen: dict[tuple[str, ...], str] = {}
    for kind in kinds:
        if kind.images is None:
            text = f"{len(kinds)} kinds are of class {quoted(cls.key)}, and this one does not say its row images"
            yield problem(kind.location, text, f"Say images: with some of {listed(cls.images)}.")
            continue
        images = tuple(sorted(kind.images))
        if images in seen:
            text = f"{quoted(seen[images])} and {quoted(kind.name)} have the same row images"
            yield problem(kind.at("images"), text, "A reader tells kinds of a class by them.")
        seen.setdefault(images, kind.name)
