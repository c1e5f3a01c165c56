"""How columns are written, and by which line a reader knows them.

- Every column type has a line, or is refused. Whatever flags a column has that lines ask for, whatever options say, and
  whoever writes it, there is a line.
- A codec fits how the values of its columns are stored, and the type of Avro that its line says; so do words of a line.
  What is only read says nothing of writers.
- No option keeps some columns of a row: a record has all of them.
- Every line is taken: by a writer, as not all of its columns are those of lines before it, or by a reader. Of columns
  whose schemas say the same a reader takes the first line, so the lines differ in what writers do only.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product

from ...json.passes.column_lines import fitting_codec
from ...model import ColumnType
from ...problems import Problem, listed, problem, quoted
from ..column_forms import SchemaColumn, Schemas
from .context import RegisteredContext

DEFAULTS = {
    "number": ("int", "long"),
    "single": ("float",),
    "double": ("double",),
    "text": ("string",),
    "base64": ("bytes",),
}
"""The types of Avro that have each default in a schema."""
LOGICAL = {
    "decimal": "bytes",
    "date": "int",
    "time-millis": "int",
    "time-micros": "long",
    "timestamp-millis": "long",
    "timestamp-micros": "long",
    "local-timestamp-millis": "long",
    "local-timestamp-micros": "long",
}
"""The type of each logical type."""
OF_WRITERS = ("default", "when", "producers", "only")
"""Words that say nothing of what is only read."""


@dataclass(frozen=True)
class WrittenColumn:
    """What a writer chooses a line by."""

    flags: frozenset[str]
    choices: tuple[tuple[str, str], ...]
    producer: str

    def takes(self, line: SchemaColumn, kind: ColumnType) -> bool:
        """Whether the line is for such columns of a type."""
        flagged = line.flagged is None or line.flagged in self.flags
        chosen = line.when is None or tuple(map(str, line.when)) in self.choices
        here = kind.name in line.types and flagged and line.unflagged not in self.flags
        return here and chosen and (not line.producers or self.producer in line.producers)

    def words(self, context: RegisteredContext) -> str:
        """Which columns they are, for a sentence."""
        flags = "".join(f" flagged {one}" for one in sorted(self.flags))
        chosen = "".join(f" with {option}={choice}" for option, choice in self.choices)
        return f"{flags}{chosen}{f' by {self.producer}' if len(context.protocol.producers) > 1 else ''}"


def check(context: RegisteredContext) -> list[Problem]:
    """The problems of this pass."""
    said = context.protocol.schemas
    found = [*_covered(context, said), *_forms(said)]
    for option in context.protocol.options.values():
        if option.keep is not None:
            text = "a record has all columns of a row"
            found.append(problem(option.at("keep"), text, "Remove keep:."))
    for line in said.columns:
        found += fitting_codec(context, line)
        found += _type_of_codec(context, line)
        found += _other_storages(context, line)
        found += _line(said, line)
    return found


def _written(context: RegisteredContext, lines: list[SchemaColumn]) -> Iterator[WrittenColumn]:
    """All that the lines of a type make a difference of."""
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


def _covered(context: RegisteredContext, said: Schemas) -> Iterator[Problem]:
    types = context.spec.mysql_types.types
    taken: set[SchemaColumn] = set()
    missing = []
    for name, kind in types.items():
        lines = [line for line in said.written if name in line.types]
        refused = next((one for one in said.refuses if one == name), None)
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
        if uncovered is not None:
            text = f"no line says how columns of type {quoted(name)} are written{uncovered.words(context)}"
            yield problem(lines[-1].location, text, "Add one behind it.")
    if missing:
        text = f"no line covers the column types {listed(missing)}"
        yield problem(said.at("columns"), text, "Add lines, or name them in refuses:.")
    for line in said.written:
        if line not in taken:
            text = "lines before it take all columns that it is for"
            yield problem(line.location, text, "Move it up, or remove it.")


def _after(lines: list[SchemaColumn], found: SchemaColumn | None) -> int:
    """The position behind that of a line."""
    return len(lines) if found is None else lines.index(found) + 1


def _type_of_codec(context: RegisteredContext, line: SchemaColumn) -> Iterator[Problem]:
    """A codec that writes another type than the schema says: no reader would find the end of the value."""
    codecs = context.spec.primitives.codecs
    written = codecs[line.codec].avro
    if written is not None and written != line.type:
        text = f"{quoted(line.codec)} is for the type {written}, and the schema says {line.type}"
        stored = {str(line.storage(context.spec.mysql_types.types[name])) for name in line.types}
        fitting = (one for one in codecs.values() if one.avro == line.type and stored <= set(map(str, one.storage)))
        others = [str(one.name) for one in fitting]
        remedy = f"Codecs for {line.type} are {listed(others)}." if others else f"Say type: {written}."
        yield problem(line.at("codec"), text, remedy)


def _other_storages(context: RegisteredContext, line: SchemaColumn) -> Iterator[Problem]:
    """Columns that a writer takes the line for, and that have a flag with which they are stored otherwise."""
    codec = context.spec.primitives.codecs[line.codec]
    for name in line.types if line.flagged is None and not line.reads else ():
        kind = context.spec.mysql_types.types[name]
        for flag in kind.flagged:
            storage = kind.storage_with(flag)
            if line.unflagged != flag and str(storage) not in map(str, codec.storage):
                text = f"values of {quoted(name)} flagged {flag} are stored as {storage}"
                yield problem(line.at("codec"), text, f"Say unflagged: {flag}, and have another line for them.")


def _forms(said: Schemas) -> Iterator[Problem]:
    if said.connect is not None:
        return  # TiDB's name of the type, beside the type, tells lines apart: `connect.py`
    first: dict[tuple[str | None, ...], SchemaColumn] = {}
    for line in said.columns:
        known = first.setdefault(line.form, line)
        if known is not line and (line.reads or _as_read(known) != _as_read(line)):
            text = f"a reader takes line {known.location.line} for such columns, whose schemas say the same"
            yield problem(line.location, text, "Say another type:, logical: or word:, or remove it.")


def _as_read(line: SchemaColumn) -> tuple[object, ...]:
    """What a reader makes of a column."""
    types = tuple(map(str, line.types))
    return types, line.flagged, line.unflagged, line.length, line.labels, str(line.stands_for)


def _line(said: Schemas, line: SchemaColumn) -> Iterator[Problem]:
    if line.logical is not None and line.type != LOGICAL[line.logical]:
        text = f"a {line.logical} is no {line.type}"
        yield problem(line.at("logical"), text, f"It is {LOGICAL[line.logical]}.")
    if line.precision is not None and (line.logical != "decimal" or not line.reads or said.connect is not None):
        text = "precision: tells decimals apart that are only read"
        yield problem(line.at("precision"), text, "Say logical: decimal and reads: true, or remove it.")
    if said.connect is None:
        yield from _said_to_avro(line)
    for word in OF_WRITERS:
        if line.reads and word in line.words:
            yield problem(line.at(word), f"{word}: says nothing of what is only read", "Remove it.")


def _said_to_avro(line: SchemaColumn) -> Iterator[Problem]:
    """What schemas say that are not Kafka Connect's."""
    fitting = [name for name, types in DEFAULTS.items() if line.type in types and line.logical is None]
    if line.default is not None and line.default not in fitting:
        text = f"a default is no {line.default} where the type is {line.logical or line.type}"
        yield problem(line.at("default"), text, f"Say {fitting[0]}." if fitting else "Remove it.")
    if line.word is None and not line.reads:
        text = "the schema does not say TiDB's name of the type"
        yield problem(line.location, text, "Say word:, or reads: true.")
