"""Parses columns and indexes of a CREATE TABLE."""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import dataclass, field

from tidewire.runtime.column_types import Declared
from tidewire.runtime.tables.columns import ColumnDescription, length_of_bits
from tidewire.runtime.tables.facts import DOUBLE_DIGITS, FLOAT_DIGITS, FLOATS, TypesOfTables
from tidewire.runtime.tables.sql_defaults import NOW, Default, kept_default, padded, read_default
from tidewire.runtime.tables.sql_tokens import Clause

_MORE_OF_TYPES = ("PRECISION", "VARYING", "CHAR", "CHARACTER", "VARCHAR", "VARCHARACTER", "VARBINARY", "BYTE")
"""Words that can continue a type's name."""
_ATTRIBUTES = ("UNSIGNED", "ZEROFILL", "SIGNED", "BYTE")
"""Attributes that follow the parameters of a type."""
_ALONE = (
    "VISIBLE",
    "INVISIBLE",
    "ASCII",
    "UNICODE",
    "VIRTUAL",
    "ENFORCED",
    "CLUSTERED",
    "NONCLUSTERED",
    "GLOBAL",
    "LOCAL",
)
"""Column attributes that are ignored."""
_WITH_ONE = ("COLUMN_FORMAT", "STORAGE", "SRID", "ENGINE_ATTRIBUTE", "SECONDARY_ENGINE_ATTRIBUTE", "MATCH")
"""Ignored column attributes with one argument."""
_CLUSTERED = re.compile(r"T!(?:\[[^\]]*\])?\s*(NON)?CLUSTERED", re.IGNORECASE)
_COLLATIONS = {"gbk": "gbk_chinese_ci", "gb18030": "gb18030_chinese_ci", "binary": "binary"}
"""Default collations of character sets, except those named after the set with suffix _bin: pingcap/tidb
pkg/parser/charset/charset.go.
"""
_WHOLE = ("char", "character", "nchar", "national char", "national character")


@dataclass
class IndexText:
    """An index as a statement declares it.

    Attributes:
        name: its name; None: the statement gives none.
        columns: names of its columns, without expressions.
        clustered: whether a primary key is declared as clustered; None: not stated.
        expressions: whether it also contains expressions.
    """

    name: str | None
    columns: tuple[str, ...]
    unique: bool = False
    primary: bool = False
    clustered: bool | None = None
    expressions: bool = False


@dataclass
class ColumnText:
    """A column as a statement declares it."""

    name: str
    written: str
    declared: Declared
    clause: Clause
    type: str = ""
    """The type as declared, names in lower case."""
    charset: str | None = None
    collation: str | None = None
    nullable: bool = True
    default: Default | None = None
    generated: str | None = None
    stored: bool = False
    comment: str | None = None
    binary: bool = False
    counted: bool = False
    """Whether it has AUTO_INCREMENT."""
    updated: bool = False
    """Whether it has ON UPDATE CURRENT_TIMESTAMP."""
    indexes: list[IndexText] = field(default_factory=list)


def default_collation(charset: str) -> str:
    """The default collation of a character set."""
    return _COLLATIONS.get(charset, f"{charset}_bin")


def charset_of(collation: str) -> str:
    """The character set of a collation."""
    return collation.partition("_")[0]


def said_of_clustering(clause: Clause) -> bool | None:
    """Whether a comment or a word declares a primary key as clustered; None: not stated."""
    words = {one.text.upper() for one in clause.tokens if one.kind == "VAR"}
    if words & {"CLUSTERED", "NONCLUSTERED"}:
        return "CLUSTERED" in words
    found = _CLUSTERED.search(clause.comments())
    return None if found is None else found[1] is None


def read_column(clause: Clause, types: TypesOfTables, until: Collection[str] = ()) -> ColumnText:
    """Reads the definition of a column, up to its end or to one of these words.

    Raises:
        SqlError: it is malformed, or has an unknown attribute.
    """
    name = column_name(clause)
    written, text, declared = _type(clause, types)
    column = ColumnText(name, written, declared, clause, text)
    if written == "serial":
        column.nullable = False
        column.counted = True
        column.indexes.append(IndexText(None, (name,), True))
    while not clause.ended and clause.word() not in until:
        _attribute(clause, column)
    return column


def column_name(clause: Clause) -> str:
    """Reads the name of a column; skips table and schema before it.

    Raises:
        SqlError: there is no name.
    """
    name = clause.name()
    while clause.accept("."):
        name = clause.name()
    return name


def _type(clause: Clause, types: TypesOfTables) -> tuple[str, str, Declared]:
    """Reads a type: its name in lower case, its text as declared, and its parsed form."""
    start = clause.at
    words = [clause.name().lower()]
    while clause.word() in _MORE_OF_TYPES and clause.word(1) != "SET":
        words.append(clause.next().text.lower())
    inside = ""
    if clause.word() == "(":
        said = clause.inside()[0]
        inside = f"({said})"
        if words[-1] in FLOATS and said.strip().isdecimal():
            words, inside = [_with_precision(clause, int(said.strip()[:9]))], ""
    while clause.word() in _ATTRIBUTES:
        inside += f" {clause.next().text.lower()}"
    text = " ".join(words) + inside
    try:
        return " ".join(words), text, types.types.declared(text)
    except ValueError as error:
        clause.at = start
        clause.fail(str(error))


def _with_precision(clause: Clause, digits: int) -> str:
    """The type of FLOAT(digits), with binary digits: pingcap/tidb pkg/parser/parser.y.

    Raises:
        SqlError: there is no type with so many digits.
    """
    if digits > DOUBLE_DIGITS:
        clause.at = 1
        clause.fail(f"TiDB has no FLOAT of more than {DOUBLE_DIGITS} binary digits")
    return "double" if digits > FLOAT_DIGITS else "float"


def _attribute(clause: Clause, column: ColumnText) -> None:
    """Reads one attribute after a column's type."""
    word = clause.word()
    # the last of these attributes counts: pingcap/tidb pkg/ddl/add_column.go
    if clause.accept("NOT", "NULL"):
        column.nullable = False
    elif clause.accept("AUTO_INCREMENT"):
        column.nullable = False
        column.counted = True
    elif clause.accept("NULL"):
        column.nullable = True
    elif clause.accept("NOT", "ENFORCED"):
        pass
    elif clause.accept("SERIAL", "DEFAULT", "VALUE"):
        column.nullable = False
        column.counted = True
        column.indexes.append(IndexText(None, (column.name,), True))
    elif clause.accept("DEFAULT"):
        column.default = read_default(clause)
    elif clause.accept("ON", "UPDATE"):
        column.updated = clause.word() in NOW
        _action(clause)
    elif clause.accept("ON", "DELETE"):
        _action(clause)
    elif clause.accept("COMMENT"):
        column.comment = clause.string()
    elif (option := charset_option(clause)) is not None:
        column.charset, column.collation = option[0] or column.charset, option[1] or column.collation
    elif clause.accept("GENERATED", "ALWAYS") or word == "AS":
        clause.expect("AS")
        column.generated = clause.inside()[0]
    elif clause.accept("STORED") or clause.accept("PERSISTENT"):
        column.stored = True
    elif clause.accept("UNIQUE"):
        clause.accept("KEY")
        column.indexes.append(IndexText(None, (column.name,), True))
    elif clause.accept("PRIMARY", "KEY") or clause.accept("PRIMARY") or clause.accept("KEY"):
        column.nullable = False
        column.indexes.append(IndexText("PRIMARY", (column.name,), True, True, said_of_clustering(clause)))
    elif clause.accept("BINARY"):
        column.binary = True
    elif clause.accept("REFERENCES"):
        reference(clause)
    elif clause.accept("CONSTRAINT"):
        if clause.word() != "CHECK":
            clause.name()
    elif clause.accept("AUTO_RANDOM") or clause.accept("CHECK"):
        if clause.word() == "(":
            clause.inside()
    elif word in _WITH_ONE:
        clause.next()
        clause.accept("=")
        clause.next()
    elif word in _ALONE:
        clause.next()
    else:
        clause.fail("nothing is known that stands here in the definition of a column")


def _action(clause: Clause) -> None:
    """Reads the action of an ON UPDATE or ON DELETE."""
    if clause.accept("SET") or clause.accept("NO"):
        clause.next()
    else:
        clause.name()
        if clause.word() == "(":
            clause.inside()


def reference(clause: Clause) -> None:
    """Reads the referenced table of a foreign key, after REFERENCES."""
    clause.name()
    if clause.accept("."):
        clause.name()
    if clause.word() == "(":
        clause.inside()


def _value(clause: Clause) -> str:
    """Reads the name of a character set or collation, quoted or not."""
    clause.accept("=")
    return clause.string() if clause.kind() == "STRING" else clause.name()


def charset_option(clause: Clause) -> tuple[str | None, str | None] | None:
    """Reads a character set or a collation of a table or column, in lower case; None: neither is next."""
    if clause.accept("CHARACTER", "SET") or clause.accept("CHAR", "SET") or clause.accept("CHARSET"):
        return _value(clause).lower(), None
    if clause.accept("COLLATE"):
        return None, _value(clause).lower()
    return None


def index_columns(clause: Clause) -> tuple[tuple[str, ...], bool]:
    """The columns in the parentheses of an index, and whether there are expressions among them.

    Raises:
        SqlError: there are no parentheses.
    """
    _, inside = clause.inside()
    found: list[str] = []
    expressions = False
    for part in inside.parts():
        if part.word() == "(":
            expressions = True
        else:
            found.append(part.name())
    return tuple(found), expressions


def described_column(
    column: ColumnText, types: TypesOfTables, charset: str, collation: str, key: bool
) -> ColumnDescription:
    """The description of a column.

    Args:
        column: column as the statement declares it.
        types: types of the database.
        charset: character set of the table.
        key: whether the primary key contains it.
    """
    said, flags = column.declared, column.declared.flags
    own = column.charset or (charset_of(column.collation) if column.collation else None)
    if column.written.startswith(("nchar", "national", "nvarchar")):
        own = own or "utf8"
    if column.charset or (own and not column.collation):
        collation = column.collation or default_collation(str(own))
    elif column.collation:
        collation = column.collation
    charset = own or charset
    if column.binary and charset != "binary":
        collation = f"{charset}_bin"
    with_charset = types.takes_charset(said.type, flags)
    if with_charset and charset == "binary" and not types.types.facts(said.type).labels:
        flags |= types.flag("BINARY")
        with_charset = False
    facts = types.types.facts(said.type)
    labels = tuple(label.rstrip(" ") for label in said.members)
    # FLOAT(5,0) differs from FLOAT: in some messages its values are doubles
    scale = said.decimals if facts.storage == "float" else said.decimals or None
    length = said.length
    if length is None and facts.parameters == "length_or_0" and facts.length is None:
        column.clause.at = 1
        column.clause.fail("a length is expected in parentheses behind this type")
    if length is None:
        boolean = column.written in ("bool", "boolean")
        length = 1 if boolean else types.default_length(said.type, flags, labels, scale)
    elif types.is_long_type(said.type):
        column.clause.at = 1
        column.clause.fail("TiDB chooses a type by this length: name the type, as SHOW CREATE TABLE does")
    elif facts.storage == "float" and said.decimals is None:
        column.clause.at = 1
        column.clause.fail("TiDB has no DOUBLE with one number in parentheses: say two numbers, or none")
    default: str | int | None = None
    default_length: int | None = None
    if column.default is not None:
        if column.default.bits is not None and types.is_bits(said.type):
            default_length = length_of_bits(column.default.bits)
        try:
            default = kept_default(column.default, types, said.type, length, scale, labels)
        except ValueError as error:
            column.clause.at = 0
            column.clause.fail(str(error))
        if flags & types.flag("BINARY") and column.written in (*_WHOLE, "binary"):
            default = padded(default, length)
    return ColumnDescription(
        column.name,
        types.base_name(said.type, flags, column.written),
        unsigned=bool(flags & types.flag("UNSIGNED")) or "unsigned" in facts.omits,
        zerofill=said.zerofill or "zerofill" in facts.omits,
        length=length or None,
        scale=scale,
        labels=labels,
        charset=charset if with_charset else "binary",
        collation=collation if with_charset else "binary",
        nullable=column.nullable and not key,
        default=default,
        default_length=default_length,
        auto_increment=column.counted or None,
        on_update=column.updated or None,
        generated=column.generated,
        stored=column.stored,
        comment=column.comment,
    )
