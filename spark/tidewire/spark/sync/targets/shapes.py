"""A table's columns after changes: which keep their values, and which get computed ones."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from tidewire.runtime.errors import TidewireError


class TargetError(TidewireError, RuntimeError):
    """A table of the target cannot be changed as needed; the text says what to do."""


class Column(NamedTuple):
    """A column with its type in Spark's SQL syntax: ``decimal(10,2)``."""

    name: str
    type: str


class AddColumn(NamedTuple):
    """Adds a column. Existing rows get the default, as the database gives it to them without a message."""

    name: str
    type: str
    default: str | bytes | None = None


class DropColumn(NamedTuple):
    """Drops a column."""

    name: str


class RenameColumn(NamedTuple):
    """Renames a column; an existing column with the new name is dropped."""

    old: str
    new: str


class CopyColumn(NamedTuple):
    """Adds a column with the values of an old one, which stays."""

    old: str
    new: str


class ChangeType(NamedTuple):
    """Changes a column's type: in place if the format supports it, otherwise values are converted as the database does.

    `value` is SQL with `{0}` for the column, if the types alone do not determine the conversion.
    """

    name: str
    type: str
    value: str | None = None


class Respell(NamedTuple):
    """Reformats a column's values without a change of type, as when it has fewer fractional digits.

    `value` is SQL with `{0}` for the column.
    """

    name: str
    value: str


class Truncate(NamedTuple):
    """Removes all rows."""


Change = AddColumn | DropColumn | RenameColumn | CopyColumn | ChangeType | Respell | Truncate


@dataclass(frozen=True, slots=True)
class Made:
    """A column after changes.

    Attributes:
        name: its name.
        type: its type.
        before: the column whose values it keeps; None: its values are computed.
        value: the values as SQL over the previous columns; None for nulls.
        of: the previous column, also if values are computed; None for a new one.
    """

    name: str
    type: str
    before: str | None
    value: str | None
    of: str | None = None


@dataclass(frozen=True, slots=True)
class Shape:
    """A table after changes.

    Attributes:
        before: its previous columns.
        columns: its columns, in order.
        emptied: whether all previous rows are removed.
    """

    before: tuple[Column, ...]
    columns: tuple[Made, ...]
    emptied: bool

    @property
    def rewritten(self) -> bool:
        """Whether existing rows need computed values."""
        return not self.emptied and any(one.before is None and one.value is not None for one in self.columns)

    def select(self) -> list[str]:
        """The columns as SQL over the previous ones."""
        return [f"cast({one.value or 'null'} as {one.type}) as {quoted(one.name)}" for one in self.columns]


def quoted(*parts: str) -> str:
    """A name quoted for SQL."""
    return ".".join("`" + one.replace("`", "``") + "`" for one in parts)


def found(columns: Iterable[Column], name: str) -> Column | None:
    """The column of a name, ignoring case as Spark and the database do."""
    lower = name.lower()
    return next((one for one in columns if one.name.lower() == lower), None)


def reshaped(
    table: str, columns: Sequence[Column], changes: Iterable[Change], widens: Callable[[str, str], bool]
) -> Shape:
    """The table after changes, applied one after the other.

    Args:
        table: its name, for errors.
        columns: its current columns.
        changes: the changes. A missing column is not dropped, renamed or changed: no row ever had a value.
        widens: whether the format can change one type into another in place.
    """
    made = [Made(one.name, one.type, one.name, quoted(one.name), one.name) for one in columns]
    emptied = False
    for change in changes:
        if isinstance(change, Truncate):
            emptied = True
            continue
        at = _at(made, change.old if isinstance(change, RenameColumn | CopyColumn) else change.name)
        if isinstance(change, AddColumn):
            value = None if change.default is None or emptied else f"cast({literal(change.default)} as {change.type})"
            _put(made, at, Made(change.name, change.type, None, value))
        elif at is None:
            continue
        elif isinstance(change, DropColumn):
            del made[at]
        elif isinstance(change, RenameColumn):
            one = replace(made[at], name=change.new)
            other = _at(made, change.new)
            made[at] = one
            if other is not None and other != at:
                del made[other]
        elif isinstance(change, CopyColumn):
            other = _at(made, change.new)
            if other != at:
                _put(made, other, replace(made[at], name=change.new, before=None, of=None))
        elif isinstance(change, Respell):
            one = made[at]
            if one.value is not None and not emptied:
                made[at] = replace(one, before=None, value=change.value.format(one.value))
        else:
            made[at] = _changed(table, made[at], change, widens, emptied)
    return Shape(tuple(columns), tuple(made), emptied)


def _at(made: Sequence[Made], name: str) -> int | None:
    return next((i for i, one in enumerate(made) if one.name.lower() == name.lower()), None)


def _put(made: list[Made], at: int | None, one: Made) -> None:
    if at is None:
        made.append(one)
    else:
        made[at] = one


def _changed(table: str, one: Made, change: ChangeType, widens: Callable[[str, str], bool], emptied: bool) -> Made:
    type = change.type
    if one.type == type:
        return one
    if change.value is not None and one.value is not None and not emptied:
        return replace(one, type=type, before=None, value=change.value.format(one.value))
    if one.before is not None and widens(one.type, type):
        return replace(one, type=type, value=f"cast({one.value} as {type})")
    if one.value is None or emptied:
        return replace(one, type=type, before=None, value=None)
    return replace(one, type=type, before=None, value=converted(table, one.name, one.value, one.type, type))


_INTEGERS = ("tinyint", "smallint", "int", "bigint")
_FLOATS = ("float", "double")
_CASTS = {
    "integer": {"integer", "decimal", "float", "string"},
    "decimal": {"decimal", "float", "string"},
    "float": {"float", "decimal"},
    "string": {"integer", "decimal", "float", "binary", "date", "timestamp_ntz"},
    "date": {"timestamp_ntz", "string"},
    "timestamp_ntz": {"date"},
}
"""The conversions in which Spark's cast gives the database's result, or an error where the database does."""


def kind(type: str) -> str:
    """The kind of a type; types of one kind are converted alike."""
    if type in _INTEGERS:
        return "integer"
    return "float" if type in _FLOATS else type.partition("(")[0]


def converted(table: str, column: str, value: str, old: str, new: str) -> str:
    """A value of one type converted to another, as SQL.

    Raises:
        TargetError: the database's conversion is not known.
    """
    pair = kind(old), kind(new)
    if pair[1] in _CASTS.get(pair[0], ()):
        return f"cast({value} as {new})"
    if pair == ("decimal", "integer"):
        return f"cast(round({value}) as {new})"
    if pair == ("float", "integer"):
        return f"cast(rint({value}) as {new})"
    if pair == ("binary", "string"):
        return f"validate_utf8(cast({value} as string))"
    raise TargetError(
        f"table {table}: the values of its column {column} were converted from {old} to {new} by the database, and"
        " Tidewire does not know how that spells them: build the table anew, with tidewire sync reset FILE TABLE"
    )


def literal(value: str | bytes) -> str:
    """A text or bytes as SQL."""
    if isinstance(value, bytes):
        return f"X'{value.hex()}'"
    return "'" + value.replace("\\", "\\\\").replace("'", "\\'") + "'"


def decimal(type: str) -> tuple[int, int] | None:
    """Digits and scale of a decimal type; None for other types."""
    numbers = re.fullmatch(r"decimal\((\d+),(\d+)\)", type)
    return None if numbers is None else (int(numbers[1]), int(numbers[2]))


def create(target: str, columns: Sequence[Column], kind: str, properties: Mapping[str, str]) -> str:
    """The CREATE of a table, unless there is one.

    Args:
        target: the table.
        columns: its columns.
        kind: its format, as Spark names it.
        properties: its properties.
    """
    of = ", ".join(f"{quoted(one.name)} {one.type}" for one in columns)
    texts = ", ".join(f"'{name}' = '{value}'" for name, value in properties.items())
    return f"create table if not exists {target} ({of}) using {kind} tblproperties ({texts})"


def merge(target: str, source: str, columns: Sequence[Column], given: Sequence[str], keys: Sequence[str]) -> str:
    """The MERGE of the last change of each key.

    A column that no change has becomes null: the source's current row has no value for it.

    Args:
        target: the table.
        source: the view with changes.
        columns: of the table.
        given: the columns of the changes.
        keys: the key columns among them; nulls compare equal.
    """
    has = {one.lower() for one in given}
    are = {one.lower() for one in keys}
    on = " and ".join(f"t.{quoted(one)} <=> s.{quoted(one)}" for one in keys)
    values = [f"s.{quoted(one.name)}" if one.name.lower() in has else "null" for one in columns]
    sets = ", ".join(
        f"t.{quoted(one.name)} = {value}"
        for one, value in zip(columns, values, strict=True)
        if one.name.lower() not in are
    )
    names = ", ".join(quoted(one.name) for one in columns)
    update = f" when matched then update set {sets}" if sets else ""
    return (
        f"merge into {target} t using {quoted(source)} s on {on}"
        f" when matched and s._change_type = 'delete' then delete{update}"
        f" when not matched and s._change_type <> 'delete' then insert ({names}) values ({', '.join(values)})"
    )
