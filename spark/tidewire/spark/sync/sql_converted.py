"""Effects of column declarations on existing rows, which no message states: the value that they get when a column is
added, and the conversion of their values when a column gets a new declaration.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from decimal import ROUND_HALF_UP, Context, Decimal
from typing import Literal

from tidewire.runtime.column_types import Declared, TypeFacts
from tidewire.runtime.shortened import shown
from tidewire.runtime.tables.facts import TypesOfTables
from tidewire.runtime.tables.sql_actions import DeclaredColumn
from tidewire.runtime.tables.sql_defaults import Default, kept_default, number_in

Value = int | float | str | bytes | None
"""A value as in row changes."""
DECIMAL = "decimal"
MOST_DIGITS = 38
"""Maximum digits of a decimal in Spark; decimals with more are text there."""
_EXACT = Context(prec=200, rounding=ROUND_HALF_UP)
_DATE = re.compile(r"(\d{4})-(\d{1,2})-(\d{1,2})(?:[ T]00:00:00(?:\.0*)?)?")
_DATETIME = re.compile(r"(\d{4})-(\d{1,2})-(\d{1,2})[ T](\d{1,2}):(\d{1,2}):(\d{1,2})(?:\.(\d{0,6})0*)?")
_TIME = re.compile(r"(-?)(\d{2,3}):(\d{2}):(\d{2})(?:\.(\d{0,6})0*)?")
_PLAIN_JSON = ("{}", "[]", "null", "true", "false")
_VECTOR = re.compile(r"\[[-\d.,]*\]")


@dataclass(frozen=True, slots=True)
class TypeMeaning:
    """A declared type with its derived properties.

    Attributes:
        declared: the parsed declared type.
        flags: flags of the declared type, with BINARY if the character set is binary.
        facts: facts of the type.
        storage: how its values are stored.
        spark: its Spark type as DDL text; decimals with precision and scale, or string if they have too many digits.
        precision: digits of a decimal; 0 for other types.
        scale: digits after the decimal point, or fractional digits of a time; None for a float without them.
    """

    declared: Declared
    flags: int
    facts: TypeFacts
    storage: str
    spark: str
    precision: int
    scale: int | None

    @property
    def name(self) -> str:
        """TiDB's name of the type."""
        return self.facts.names[0]


def type_meaning(column: DeclaredColumn, types: TypesOfTables) -> TypeMeaning:
    """The derived properties of a column's type.

    Raises:
        ValueError: there is no such type.
    """
    known = types.types
    declared = known.declared(column.type)
    facts, flags = known.facts(declared.type), declared.flags
    charset = column.charset or (column.collation or "").partition("_")[0]
    if charset.lower() == "binary" and not facts.labels and types.takes_charset(declared.type, flags):
        flags |= types.flag("BINARY")
    spark = known.spark_type(declared.type, flags)
    scale = declared.decimals if facts.storage == "float" else declared.decimals or 0
    precision = 0
    if spark == DECIMAL:
        precision = declared.length or facts.length or 0
        spark = f"decimal({precision},{scale})" if precision <= MOST_DIGITS else "string"
    return TypeMeaning(declared, flags, facts, known.storage(declared.type, flags), spark, precision, scale)


def spark_type_of(column: DeclaredColumn, types: TypesOfTables) -> str:
    """The Spark type of a column, as DDL text.

    Raises:
        ValueError: there is no such type.
    """
    return type_meaning(column, types).spark


# ---- defaults


def value_of_default(column: DeclaredColumn, types: TypesOfTables) -> Value:
    """The value that existing rows get when a column is added, as in a row change.

    Without a default it is NULL, or the type's zero value if the column is NOT NULL: generateOriginDefaultValue of
    pingcap/tidb pkg/ddl/add_column.go. A default of a TIMESTAMP is in the time zone of the session that ran the
    statement, which no message states.

    Raises:
        ValueError: the statement does not determine it: it is the time of the statement, another expression, counted,
            or generated; or it is a text that TiDB converts by special rules.
    """
    if column.generated is not None:
        raise ValueError(f"column {shown(column.name)} is generated: its values come of {shown(column.generated)}")
    if column.auto_increment:
        raise ValueError(f"column {shown(column.name)} is counted by the database, row by row")
    known = type_meaning(column, types)
    default = column.default
    if default is None:
        return None if column.nullable else _zero(known, types)
    if default.expression:
        raise ValueError(f"the default of column {shown(column.name)} is an expression: {shown(default.text)}")
    try:
        return _value(default, known, types)
    except (ValueError, ArithmeticError) as error:
        raise ValueError(
            f"the default {shown(default.text)} of column {shown(column.name)} is not told as {column.type}: {error}"
        ) from None


def _zero(known: TypeMeaning, types: TypesOfTables) -> Value:
    """The value of existing rows when a NOT NULL column without a default is added."""
    if known.facts.labels:
        return 1 if known.facts.labels == "one" else 0
    if known.storage == "bytes":
        return b"\0" * (_length(known) if known.facts.names[0] == "char" else 0)
    if known.storage in ("int", "uint"):
        return 0
    if known.storage == "float":
        return 0.0
    if known.precision:
        return _decimal(Decimal(0), known)
    fraction = f".{'0' * known.scale}" if known.scale else ""
    if types.has_days(known.declared.type):
        return f"0000-00-00 00:00:00{fraction}"
    if known.facts.fractions:
        return f"00:00:00{fraction}"
    if known.spark == "date":
        return "0000-00-00"
    return {"json": "null", "vector": "[]"}.get(known.name, "")


def _value(default: Default, known: TypeMeaning, types: TypesOfTables) -> Value:
    facts, code = known.facts, known.declared.type
    if known.storage == "bytes":
        if default.number:
            raise ValueError("it is a number")
        raw = default.bits if default.bits is not None else default.text.encode()
        return raw.ljust(_length(known), b"\0") if facts.names[0] == "char" else raw
    if default.bits is not None and known.storage == "text" and not facts.labels:
        default = Default(default.bits.decode())
    if facts.names[0] == "year":
        return _year(default)
    kept = kept_default(default, types, code, known.declared.length, known.scale, known.declared.members)
    if isinstance(kept, int):
        return kept
    if facts.labels:
        return _labels(kept, known.declared.members, facts.labels == "several")
    if known.storage in ("int", "uint", "float"):
        if number_in(kept) is None:
            raise ValueError("it is no number")
        return _float(kept, known) if known.storage == "float" else int(kept)
    if known.precision:
        return _decimal(number_in(kept), known)
    if types.has_days(code):
        return _moment(kept, known.scale or 0)
    if facts.fractions:
        return _clock(kept, known.scale or 0)
    if known.spark == "date":
        return _day(kept)
    if facts.names[0] == "json" and kept.strip() not in _PLAIN_JSON:
        raise ValueError("TiDB spells JSON anew")
    if facts.names[0] == "vector" and not _VECTOR.fullmatch(kept):
        raise ValueError("TiDB spells vectors anew")
    if default.number and "e" in kept.lower():
        raise ValueError("it is a number with an exponent")
    return kept.rstrip(" ") if facts.names[0] == "char" else kept


def _length(known: TypeMeaning) -> int:
    """Number of bytes of a BINARY."""
    return known.declared.length if known.declared.length is not None else known.facts.length or 0


def _labels(text: str, labels: tuple[str, ...], several: bool) -> int:
    """The number of a label from 1; of several labels, the sum of their bits."""
    chosen = text.split(",") if several and text else [] if several else [text]
    if not set(chosen) <= set(labels):
        raise ValueError("it is no label of the column")
    return sum(1 << labels.index(one) for one in chosen) if several else labels.index(text) + 1


def _float(text: str, known: TypeMeaning) -> float:
    value = float(text)
    if known.scale is not None:
        value = float(_EXACT.quantize(Decimal(repr(value)), Decimal(1).scaleb(-known.scale)))
    return value


def _decimal(number: Decimal | None, known: TypeMeaning) -> str:
    if number is None:
        raise ValueError("it is no number")
    found = _EXACT.quantize(number, Decimal(1).scaleb(-(known.scale or 0)))
    if found.adjusted() >= known.precision - (known.scale or 0) and found:
        raise ValueError("it has too many digits")
    return format(found or abs(found), "f")


def _year(default: Default) -> int:
    number = number_in(default.text)
    if number is None or number != int(number):
        raise ValueError("it is no year")
    year = int(number)
    if year == 0:
        return 0 if default.number or len(default.text) == 4 else 2000
    if 0 < year < 100:
        return year + (2000 if year < 70 else 1900)
    if not 1901 <= year <= 2155:
        raise ValueError("it is no year from 1901 to 2155")
    return year


def _day(text: str) -> str:
    found = _DATE.fullmatch(text)
    if found is None:
        raise ValueError("it is not written as a date")
    year, month, day = found.groups()
    return f"{year}-{month:0>2}-{day:0>2}"


def _moment(text: str, scale: int) -> str:
    found = _DATETIME.fullmatch(text)
    if found is None:
        day = _DATE.fullmatch(text)
        if day is None:
            raise ValueError("it is not written as a date with a time")
        found = _DATETIME.fullmatch(f"{_day(text)} 00:00:00")
    assert found is not None
    year, *parts, fraction = found.groups()
    month, day_of, hour, minute, second = (f"{part:0>2}" for part in parts)
    return f"{year}-{month}-{day_of} {hour}:{minute}:{second}{_fraction(fraction, scale)}"


def _clock(text: str, scale: int) -> str:
    found = _TIME.fullmatch(text)
    if found is None:
        raise ValueError("it is not written as a time")
    sign, hour, minute, second, fraction = found.groups()
    return f"{sign}{hour}:{minute}:{second}{_fraction(fraction, scale)}"


def _fraction(digits: str | None, scale: int) -> str:
    digits = (digits or "").rstrip("0")
    if len(digits) > scale:
        raise ValueError("it has more digits behind the point than the column")
    return f".{digits:0<{scale}}" if scale else ""


# ---- changed declarations


@dataclass(frozen=True, slots=True)
class TypeChange:
    """The conversion of a column's values when it gets a new declaration.

    Attributes:
        how: "nothing": values and Spark type are unchanged; "widen": values are unchanged, and the Spark type becomes a
            wider one, which table formats do in place; "rewrite": values are converted.
        before: previous Spark type of the column, as DDL text.
        after: new Spark type of the column.
        cast: whether CAST of Spark SQL converts them as TiDB does; if not, the table must be read again.
        narrows: whether some values do not fit any more. With strict SQL modes, TiDB's default, the statement then
            fails if a row has such a value; without them TiDB truncates it.
    """

    how: Literal["nothing", "widen", "rewrite"]
    before: str
    after: str
    cast: bool = True
    narrows: bool = False


def change_of_type(before: DeclaredColumn, after: DeclaredColumn, types: TypesOfTables) -> TypeChange:
    """The conversion of a column's values when it gets a new declaration.

    Args:
        before: previous declaration.
        after: new declaration.
        types: types of the database.

    Raises:
        ValueError: one of the types does not exist.
    """
    old, new = type_meaning(before, types), type_meaning(after, types)
    how, cast, narrows = _changed(old, new, types)
    if "bytes" in (old.storage, new.storage) and old.storage != new.storage:
        # text and bytes are converted in the character set of the column; Spark uses UTF-8
        charset = (after if old.storage == "bytes" else before).charset
        cast = cast and (charset or "").lower() in _UTF8
    return TypeChange(how, old.spark, new.spark, cast, narrows)


Outcome = tuple[Literal["nothing", "widen", "rewrite"], bool, bool]
_SAME: Outcome = ("nothing", True, False)
_CONVERTED: Outcome = ("rewrite", True, False)
_ANEW: Outcome = ("rewrite", False, False)
_UTF8 = ("utf8mb4", "utf8", "utf8mb3", "ascii")
_INTEGERS = ("tinyint", "smallint", "int", "bigint")
"""Spark's integer types, each wider than the previous ones."""


def _changed(old: TypeMeaning, new: TypeMeaning, types: TypesOfTables) -> Outcome:
    """How values change, whether CAST converts them the same way, and whether some do not fit."""
    one, other = _kind(old, types), _kind(new, types)
    if one == other:
        return _within(one, old, new, types)
    if one == "integer" or (one, other) == ("year", "integer"):
        return _from_integer(other, old, new, types)
    if one == "decimal":
        return _from_decimal(other, old, new, types)
    if (one, other) == ("date", "datetime"):
        return _CONVERTED
    if one == "date" and other == "text" and _room(new) >= 10:
        return _CONVERTED
    if one == "datetime" and other == "text" and not old.scale and _room(new) >= 19:
        return _CONVERTED
    if other == "text" and (one == "json" or (one == "time" and _room(new) >= 10 + (1 + (old.scale or 0)))):
        return ("nothing", True, one == "json" and _room(new) < 2**32 - 1)
    if (one, other) == ("text", "bytes") and new.name != "char":
        return ("rewrite", True, _room(new) < 4 * _room(old))
    if (one, other) == ("bytes", "text") and new.name != "char":
        return ("rewrite", True, _room(new) < _room(old))
    return _ANEW


def _kind(known: TypeMeaning, types: TypesOfTables) -> str:
    """The kind of a column's values: values of one kind are converted by the same rule."""
    if known.name in ("year", "bit", "json", "vector"):
        return known.name
    if known.facts.labels:
        return known.facts.labels
    if known.storage in ("int", "uint"):
        return "integer"
    if known.precision:
        return "decimal"
    if known.storage in ("float", "bytes"):
        return known.storage
    if types.has_days(known.declared.type):
        return "timestamp" if known.facts.checksum == "utc" else "datetime"
    if known.facts.fractions:
        return "time"
    return "date" if known.spark == "date" else "text" if known.storage == "text" else known.name


def _within(kind: str, old: TypeMeaning, new: TypeMeaning, types: TypesOfTables) -> Outcome:
    """The conversion between two types of the same kind."""
    if kind == "integer":
        return _from_integer(kind, old, new, types)
    if kind == "decimal":
        return _from_decimal(kind, old, new, types)
    if kind == "float":
        return _from_float(old, new)
    if kind in ("one", "several"):
        labels = new.declared.members
        same = labels[: len(old.declared.members)] == old.declared.members
        return _SAME if same else ("rewrite", False, not set(old.declared.members) <= set(labels))
    if kind in ("datetime", "timestamp"):
        return _SAME if (new.scale or 0) >= (old.scale or 0) else _ANEW  # rounded
    if kind == "time":
        return _SAME if old.scale == new.scale else _ANEW  # text, with as many digits as the column has
    if kind == "bit":
        return ("nothing", True, (new.declared.length or 1) < (old.declared.length or 1))
    if kind == "vector":
        return ("nothing", True, new.declared.length not in (None, old.declared.length))
    if kind in ("text", "bytes"):
        # trailing spaces of a CHAR and trailing zero bytes of a BINARY depend on the column
        if new.name == "char" and (old.name != "char" or (kind == "bytes" and _length(old) != _length(new))):
            return ("rewrite", False, _room(new) < _room(old))
        return ("nothing", True, _room(new) < _room(old))
    return _SAME


def _room(known: TypeMeaning) -> int:
    """Maximum characters or bytes of a text or bytes column."""
    if known.facts.parameters:
        return _length(known)
    return known.facts.length or 0


def _bits(known: TypeMeaning, types: TypesOfTables) -> tuple[int, int]:
    """Minimum and maximum of an integer."""
    if known.name == "year":
        return 0, 2155
    bits = {"tinyint": 8, "smallint": 16, "mediumint": 24, "int": 32}.get(known.name, 64)
    return (0, 2**bits - 1) if known.flags & types.flag("UNSIGNED") else (-(2 ** (bits - 1)), 2 ** (bits - 1) - 1)


def _from_integer(kind: str, old: TypeMeaning, new: TypeMeaning, types: TypesOfTables) -> Outcome:
    least, greatest = _bits(old, types)
    if kind == "integer":
        to = _bits(new, types)
        narrows = least < to[0] or greatest > to[1]
        if old.spark == new.spark:
            return ("nothing", True, narrows)
        wider = old.spark in _INTEGERS and new.spark in _INTEGERS[_INTEGERS.index(old.spark) :]
        return ("widen" if wider else "rewrite", True, narrows)
    if kind == "decimal":
        most = 10 ** (new.precision - (new.scale or 0))
        return ("rewrite", True, max(-least, greatest) >= most or (least < 0 and _unsigned(new, types)))
    if kind == "float":
        exact = new.scale is None and (new.spark == "double" or old.name != "bigint")
        return ("rewrite", exact, least < 0 and _unsigned(new, types))
    if kind == "text":
        digits = max(len(str(least)), len(str(greatest)))
        return ("rewrite", not old.declared.zerofill, _room(new) < digits)
    return _ANEW


def _unsigned(known: TypeMeaning, types: TypesOfTables) -> bool:
    return bool(known.declared.flags & types.flag("UNSIGNED")) or "unsigned" in known.facts.omits


def _from_decimal(kind: str, old: TypeMeaning, new: TypeMeaning, types: TypesOfTables) -> Outcome:
    scale = old.scale or 0
    whole = old.precision - scale
    if kind == "decimal":
        narrows = new.precision - (new.scale or 0) < whole or (_unsigned(new, types) and not _unsigned(old, types))
        if "string" in (old.spark, new.spark):
            same = old.spark == new.spark and scale == new.scale
            return ("nothing" if same else "rewrite", same or scale == new.scale, narrows)
        if scale != new.scale or new.precision < old.precision:
            return ("rewrite", True, narrows)
        return ("nothing" if old.precision == new.precision else "widen", True, narrows)
    if kind == "integer":
        least, greatest = _bits(new, types)
        return ("rewrite", scale == 0, 10**whole - 1 > greatest or (least == 0 and not _unsigned(old, types)))
    if kind == "float":
        return ("rewrite", new.scale is None and new.spark == "double", _unsigned(new, types))
    if kind == "text":
        return ("rewrite", scale <= 6 and not old.declared.zerofill, _room(new) < old.precision + 2)
    return _ANEW


def _from_float(old: TypeMeaning, new: TypeMeaning) -> Outcome:
    digits = (old.declared.length, old.scale), (new.declared.length, new.scale)
    rounded = new.scale is not None and digits[0] != digits[1]
    if old.spark == new.spark:
        return ("rewrite", False, False) if rounded else _SAME
    if new.spark == "double":
        return ("rewrite", False, False) if rounded else ("widen", True, False)
    return ("rewrite", not rounded, True)
