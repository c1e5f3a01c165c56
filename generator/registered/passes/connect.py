"""What the schemas of records say to Kafka Connect (`schemas.connect`).

- Words that only such schemas have are in a spec of such schemas only: of lines of columns, and a record's version.
- A line's words have what they are about: a smaller type is an int's, a version is of a name, commas are escaped in
  labels. A range begins before it ends.
- Where NULL is written as the default of its column, each line that is written says as what, unless it is a text.
- A reader knows by a field's type, and by TiDB's name of the type where the schema says it, which line was written: of
  lines whose schemas say the same and that are of the same columns it takes the first, so they are alike to it.
"""

from __future__ import annotations

from collections.abc import Iterator

from ...problems import Problem, listed, problem, quoted
from ..column_forms import ConnectStyle, SchemaColumn
from .context import RegisteredContext

OF_LINES = ("semantic", "small", "version", "escapes", "only")
"""Words of lines that say something to Kafka Connect's schemas."""
FILLINGS = {
    "number": ("int", "long", "string", "float", "double"),
    "bool": ("boolean",),
    "bits": ("bytes",),
    "year": ("int",),
    "days": ("int",),
    "millis": ("long",),
    "micros": ("long",),
    "time": ("long",),
    "zoned": ("string",),
}
"""The types of Avro of what stands for NULL by each default."""
AS_THEY_ARE = ("string", "bytes")
"""The types of Avro as which a default is written where nothing is said."""


def check(context: RegisteredContext) -> list[Problem]:
    """The problems of this pass."""
    said = context.protocol.schemas
    found: list[Problem] = []
    for line in said.columns:
        found += _line(line)
        found += _of_others(line) if said.connect is None else _filled(said.connect, line)
    if said.connect is not None:
        found += _told_apart(said.columns)
        return found
    for record in context.protocol.records.values():
        if record.version is not None:
            text = f"the version of {quoted(record.part)} is of schemas of Kafka Connect"
            found.append(problem(record.at("version"), text, "Remove it."))
    return found


def _of_others(line: SchemaColumn) -> Iterator[Problem]:
    """Words that a line of other schemas cannot have."""
    for word in OF_LINES:
        if word in line.words:
            yield problem(line.at(word), f"{word}: is of schemas of Kafka Connect", "Remove it.")


def _line(line: SchemaColumn) -> Iterator[Problem]:
    for word, there, needed in (
        ("small", line.type == "int", "type: int"),
        ("version", line.semantic is not None, "semantic:"),
        ("escapes", line.labels is not None, "labels:"),
    ):
        if word in line.words and not there:
            yield problem(line.at(word), f"{word}: is about {needed}, which is not there", "Say it, or remove this.")
    for limits in (line.length_within, line.fraction_within):
        if limits is not None and limits[0] > limits[1]:
            yield problem(line.at("only"), "the range ends before it begins", "Write the smaller number first.")


def _filled(connect: ConnectStyle, line: SchemaColumn) -> Iterator[Problem]:
    """What is written of NULL in a column with a default."""
    fitting = [name for name, types in FILLINGS.items() if line.type in types and line.logical is None]
    remedy = f"Say {fitting[0]}." if fitting else "Remove it."
    if "word" in line.words:
        yield problem(line.at("word"), "word: is of schemas of others than Kafka Connect", "Remove it.")
    if line.default is not None and not connect.fills_nulls:
        text = "schemas of Kafka Connect have no defaults here, and NULL is null"
        yield problem(line.at("default"), text, "Remove it, or say nulls: parsed under connect.")
    elif line.default is not None and line.default not in fitting:
        text = f"a default is no {line.default} where the type is {line.logical or line.type}"
        yield problem(line.at("default"), text, remedy)
    elif line.default is None and connect.fills_nulls and line.type not in AS_THEY_ARE and not line.reads:
        text = f"nothing says how NULL is written in a column with a default, whose type is {line.type}"
        yield problem(line.location, text, f"Say default: with one of {listed(fitting)}.")


def _told_apart(lines: tuple[SchemaColumn, ...]) -> Iterator[Problem]:
    for position, line in enumerate(lines):
        for first in lines[:position]:
            if _same_columns(first, line) and (line.reads or _as_read(first) != _as_read(line)):
                text = f"a reader takes line {first.location.line} for such columns, whose schemas say the same"
                yield problem(line.location, text, "Say another type:, logical: or semantic:, or remove it.")
                break


def _same_columns(first: SchemaColumn, line: SchemaColumn) -> bool:
    """Whether schemas say the same of some columns that both are for."""
    apart = (first.flagged is not None and first.flagged == line.unflagged) or (
        line.flagged is not None and line.flagged == first.unflagged
    )
    return first.form == line.form and not apart and bool(set(first.types) & set(line.types))


def _as_read(line: SchemaColumn) -> tuple[object, ...]:
    """What a reader makes of a column."""
    return line.length, line.labels, str(line.codec)
