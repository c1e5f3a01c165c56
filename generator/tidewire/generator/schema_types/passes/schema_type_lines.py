"""Schema types, and which line readers and writers choose for a column.

- Schema types are distinguishable, and each is used by some column; attributes depend on others: a version needs a
  name, escaped commas need labels, a logical type of Avro needs its type. The type that it stands for has a line.
- A codec matches the storage of the column's values and, in a record, the schema type. One that is read only is in
  lines that are.
- A default matches the schema type. Each type that is written, other than texts and bytes, has one.
- A range begins before it ends; a line is written only on wires for which it has a codec. Lines that only readers use
  have no words for writers, and lines that writers use have no words that choose how readers parse.
- If a protocol refuses column types, every other type is written, with any flags that lines mention, any options, and
  by any producer. Every line is reachable by a writer or a reader: earlier lines do not cover all of its columns.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import product

from ...model import ColumnType
from ...passes.common import CommonContext
from ...problems import Problem, listed, problem, quoted
from ..avro import AVRO_TYPES
from ..lines import LineOfColumns
from ..model import OF_COLUMNS, SchemaType, SchemaTypes

LOGICAL = {
    "decimal": "bytes",
    "date": "int32",
    "time-millis": "int32",
    **dict.fromkeys(("time-micros", "timestamp-millis", "timestamp-micros"), "int64"),
    **dict.fromkeys(("local-timestamp-millis", "local-timestamp-micros"), "int64"),
}
"""The type of each logical type of Avro."""
ON_FIXED = ("decimal", "fixed")
"""The logical type that can also be based on `fixed`."""
WHOLE = ("int8", "int16", "int32", "int64")
DEFAULTS = {
    "number": (*WHOLE, "float", "double", "string"),
    "bool": ("boolean",),
    "bits": ("bytes",),
    "year": ("int32",),
    "days": ("int32",),
    "millis": ("int64",),
    "micros": ("int64",),
    "time": ("int64",),
    "zoned": ("string",),
    "integer": WHOLE,
    "single": ("float",),
    "double": ("double",),
    "text": ("string",),
    "base64": ("bytes",),
    "none": ("bytes", "string", "boolean", *WHOLE, "float", "double"),
}
"""The types for each form of default."""
FACTS_OF_SOURCE = 4
"""Type, length, scale and labels."""
AS_THEY_ARE = ("string", "bytes", "struct", "array", "map")
"""Types whose defaults are written as values of the type, and those without defaults, if the spec has no form."""
OF_WRITERS = ("default", "when", "producers")
"""Words that lines for readers only must not have."""


def check(context: CommonContext) -> list[Problem]:
    """The problems of this pass."""
    said = context.protocol.schema_types
    if said is None:
        return []
    found: list[Problem] = []
    if said.like is None:
        if "source" in said.words and len(said.source) < FACTS_OF_SOURCE:
            text = "two parameters repeat the same of the source database"
            found.append(problem(said.at("source"), text, "Say {type}, {length}, {scale} and {labels} once each."))
        found += _types(said)
        for line in said.columns:
            found += _line(said, line)
    lines = said.lines(context.wire, context.protocol.options)
    for line in lines:
        found += _codec(context, said, line)
    written = [line for line in lines if not line.reads]
    found += _defaults(said, written)
    found += _covered(context, said, written)
    found += _behind_others([line for line in said.columns if context.wire in line.codecs])
    return found


def _types(types: SchemaTypes) -> Iterator[Problem]:
    """Problems of schema types that are not distinguishable, or not used by any column."""
    first: dict[tuple[object, ...], SchemaType] = {}
    for one in types.types.values():
        known = first.setdefault(one.distinguished_by, one)
        if known is not one:
            text = f"the schema types {quoted(known.id)} and {quoted(one.id)} are told by the same words"
            yield problem(one.location, text, "A reader could not tell them apart; keep one.")
        elif all(line.schema != one.id for line in types.columns):
            text = f"no column is said as {quoted(one.id)}"
            yield problem(one.location, text, "Remove it, or say in columns: which columns are.")
        for said in one.parameters.values():
            if said.startswith("{") and said.endswith("}") and said[1:-1].isidentifier():
                text = f"{quoted(said)} stands for no fact of a column"
                yield problem(one.at("parameters"), text, f"Facts are {listed(OF_COLUMNS)}.")
        if one.doubled:
            text = "two parameters say the same of a column"
            yield problem(one.at("parameters"), text, "A reader would not know which one counts; keep one.")
        for word, there, needed in (
            ("version", one.name is not None, "name:"),
            ("escapes", one.labels is not None, "labels in parameters:"),
        ):
            if word in one.words and not there:
                yield problem(one.at(word), f"{word}: is about {needed}, which is not there", "Say it, or remove this.")
        if one.logical is not None and one.type != LOGICAL[one.logical] and (one.logical, one.type) != ON_FIXED:
            text = f"a {one.logical} is no {one.type}"
            yield problem(one.at("logical"), text, f"It is {LOGICAL[one.logical]}.")
        if one.precision is not None and (one.logical != "decimal" or _is_written(types, one)):
            text = "the parameter precision tells decimals apart that are only read"
            remedy = "Say logical: decimal, and reads: true in its lines, or remove it."
            yield problem(one.at("parameters"), text, remedy)
        if one.default is not None and one.type not in DEFAULTS[one.default]:
            yield _wrong_default(one, one)


def _is_written(said: SchemaTypes, type: SchemaType) -> bool:
    """Whether some writer uses a schema type."""
    return any(line.schema == type.id and not line.reads for line in said.columns)


def _wrong_default(one: SchemaType | LineOfColumns, type: SchemaType) -> Problem:
    fitting = [name for name, types in DEFAULTS.items() if type.type in types]
    text = f"a default is no {one.default} where the type is {type.type}"
    return problem(one.at("default"), text, f"Say {fitting[0]}." if fitting else "Remove it.")


def _line(said: SchemaTypes, line: LineOfColumns) -> Iterator[Problem]:
    for word, limits in (("length", line.length), ("scale", line.fraction)):
        if limits is not None and limits[0] > limits[1]:
            yield problem(line.at(word), "the range ends before it begins", "Write the smaller number first.")
    for wire in line.reads_on:
        if wire not in line.codecs:
            text = f"nothing says how values are written in {wire}"
            yield problem(wire.location, text, f"Say {wire}: CODEC, or remove it here.")
    if line.default is not None and said.types[line.schema].type not in DEFAULTS[line.default]:
        yield _wrong_default(line, said.types[line.schema])
    for word in OF_WRITERS:
        if line.reads and word in line.words:
            yield problem(line.at(word), f"{word}: says nothing of what is only read", "Remove it.")
    if line.mode is not None and not line.reads and not line.reads_on:
        text = "mode: is about what is read otherwise than it is written"
        yield problem(line.at("mode"), text, "Say reads: true, or remove it.")


def _codec(context: CommonContext, said: SchemaTypes, line: LineOfColumns) -> Iterator[Problem]:
    """Problems of a codec that does not match the columns or the schema type, so that readers could not find the end of
    the value.
    """
    types, codecs = context.spec.mysql_types.types, context.spec.primitives.codecs
    type = said.types[line.schema].type
    codec, avro = codecs[line.codec], AVRO_TYPES.get(type, type)
    if codec.reads and not line.reads:
        text = f"the codec {quoted(line.codec)} only reads, and writers take this line"
        yield problem(line.at(line.wire), text, "Use another codec, or say reads: true.")
    for name in line.types:
        storage = line.storage(types[name])
        if str(storage) not in map(str, codec.storage):
            text = f"{quoted(line.codec)} is not for values of {quoted(name)}, which are stored as {storage}"
            yield problem(line.at(line.wire), text, f"It is for {listed(map(str, codec.storage))}.")
        for flag in types[name].flagged if line.flagged is None and not line.reads else ():
            other = types[name].storage_with(flag)
            if line.unflagged != flag and str(other) not in map(str, codec.storage):
                text = f"values of {quoted(name)} flagged {flag} are stored as {other}"
                remedy = f"Say unflagged: {flag}, and have another line for them."
                yield problem(line.at(line.wire), text, remedy)
    if codec.avro is not None and codec.avro != avro:
        text = f"{quoted(line.codec)} is for the type {codec.avro} of Avro, and the schema says {avro}"
        stored = {str(line.storage(types[name])) for name in line.types}
        fitting = (one for one in codecs.values() if one.avro == avro and stored <= set(map(str, one.storage)))
        others = [str(one.name) for one in fitting]
        remedy = f"Codecs for {avro} are {listed(others)}." if others else "Say as: with another schema type."
        yield problem(line.at(line.wire), text, remedy)


def _defaults(said: SchemaTypes, written: Sequence[LineOfColumns]) -> Iterator[Problem]:
    """Problems of types whose form of default is missing."""
    for line in written:
        type = said.types[line.schema]
        if type.default is None and line.default is None and type.type not in AS_THEY_ARE:
            fitting = [name for name, types in DEFAULTS.items() if type.type in types]
            text = f"nothing says how a default is written whose type is {type.type}"
            yield problem(type.location, text, f"Say default: with one of {listed(fitting)}.")


# ---- which lines are reached


@dataclass(frozen=True)
class WrittenColumn:
    """The properties by which a writer chooses a line."""

    flags: frozenset[str]
    choices: tuple[tuple[str, str], ...]
    producer: str

    def takes(self, line: LineOfColumns, kind: ColumnType) -> bool:
        """Whether the line applies to such columns of a type."""
        flagged = line.flagged is None or line.flagged in self.flags
        chosen = line.when is None or tuple(map(str, line.when)) in self.choices
        here = kind.name in line.types and flagged and line.unflagged not in self.flags
        return here and chosen and (not line.producers or self.producer in line.producers)

    def words(self, context: CommonContext) -> str:
        """A description of the columns, for a sentence."""
        flags = "".join(f" flagged {one}" for one in sorted(self.flags))
        chosen = "".join(f" with {option}={choice}" for option, choice in self.choices)
        return f"{flags}{chosen}{f' by {self.producer}' if len(context.protocol.producers) > 1 else ''}"


def _written(context: CommonContext, lines: Sequence[LineOfColumns]) -> Iterator[WrittenColumn]:
    """All combinations of properties that the lines of a type distinguish."""
    protocol = context.protocol
    flags = dict.fromkeys(str(one) for line in lines for one in (line.flagged, line.unflagged) if one is not None)
    said = [line.when for line in lines if line.when is not None]
    options = dict.fromkeys(str(option) for option, _ in said)
    choices = [
        [
            (name, str(one))
            for one in protocol.options[name].choices or (choice for option, choice in said if option == name)
        ]
        for name in options
    ]
    for bits in product((False, True), repeat=len(flags)):
        having = frozenset(flag for flag, there in zip(flags, bits, strict=True) if there)
        for chosen in product(*choices):
            for producer in protocol.producers:
                yield WrittenColumn(having, chosen, producer)


def _covered(context: CommonContext, said: SchemaTypes, written: Sequence[LineOfColumns]) -> Iterator[Problem]:
    """Problems of columns without a line, and of lines without columns."""
    taken: set[LineOfColumns] = set()
    missing = []
    for name, kind in context.spec.mysql_types.types.items():
        lines = [line for line in written if name in line.types]
        refused = next((one for one in context.refused_types or () if one == name), None)
        if lines and refused is not None:
            text = f"columns of type {quoted(name)} have a line"
            yield problem(refused.location, text, "Remove it here, or there.")
        elif not lines and refused is None:
            missing.append(name)
        uncovered = None
        for column in _written(context, lines) if lines else ():
            fitting = [line for line in lines if column.takes(line, kind)]
            found = next((line for line in fitting if not line.is_narrowed), None)
            taken |= {line for line in fitting if line.is_narrowed and line not in fitting[_after(fitting, found) :]}
            if found is not None:
                taken.add(found)
            elif uncovered is None:
                uncovered = column
        if uncovered is not None and context.refused_types is not None:
            text = f"no line says how columns of type {quoted(name)} are written{uncovered.words(context)}"
            yield problem(lines[-1].location, text, "Add one behind it.")
    if missing and context.refused_types is not None:
        text = f"no line covers the column types {listed(missing)}"
        yield problem(said.at("columns"), text, "Add lines, or name them in refused:.")
    for line in written:
        if line not in taken:
            text = "lines before it take all columns that it is for"
            yield problem(line.location, text, "Move it up, or remove it.")


def _after(lines: list[LineOfColumns], found: LineOfColumns | None) -> int:
    """The position after that of a line."""
    return len(lines) if found is None else lines.index(found) + 1


def _behind_others(lines: Sequence[LineOfColumns]) -> Iterator[Problem]:
    """Problems of lines that readers never reach: an earlier line of the same schema type covers their columns."""
    for at, line in enumerate(lines):
        before = next((one for one in lines[:at] if _takes_all(one, line)), None)
        if before is not None and line.reads and line.mode is None and not line.bare:
            text = f"a reader takes line {before.location.line} for all such columns, whose schemas say the same"
            yield problem(line.location, text, "Say another type with as:, or remove it.")


def _takes_all(before: LineOfColumns, line: LineOfColumns) -> bool:
    """Whether a reader uses an earlier line for all columns of a later one."""
    same = before.schema == line.schema and set(map(str, line.types)) <= set(map(str, before.types))
    return same and before.flagged in (None, line.flagged) and before.unflagged in (None, line.unflagged)
