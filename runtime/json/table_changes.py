"""Changes of tables as statements' messages list them: `{"type":...,"id":...,"table":...}`, with the table's columns as
a connector to Kafka says them.

Such a description says less than TiDB knows: no collations and no indexes but the key, whose columns may be those of a
unique index; nothing marks a generated column, nor a DECIMAL without a sign; a default that is the time of now is
1970-01-01 00:00:00; and one word, `autoIncremented`, says that a number is counted up and that a TIMESTAMP becomes the
time of each change of its row.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from tidewire.runtime.errors import KIND, VALUE
from tidewire.runtime.json.described_parts import (
    BOOL,
    INTEGER,
    TEXT,
    TEXTS,
    DescribedPart,
    DescriptionReader,
    Each,
    Told,
    members,
    shown,
)
from tidewire.runtime.tables.columns import ColumnDescription, IndexDescription
from tidewire.runtime.tables.facts import FLOAT_DIGITS, FLOATS

if TYPE_CHECKING:
    from tidewire.runtime.tables.description import DescribedTable
    from tidewire.runtime.tables.facts import TypesOfTables

CREATE, ALTER, DROP = "CREATE", "ALTER", "DROP"
"""What a change can be."""
PRIMARY = "PRIMARY"
"""The name of the key's index."""
MOST_CHANGES = 1 << 10
"""Different changes that are remembered, most of which come once for each partition of a topic."""
MOST_BYTES = 1 << 22
"""Bytes of changes above which those that are remembered are dropped."""
LEAST_SAID = 5
"""The length of a column of variable length that is not said: pingcap/tidb pkg/parser/mysql/util.go."""
MOST_BITS = 64
"""Digits of the default of a BIT column."""
LOST = "".join([f"{byte:08b}" for byte in "\ufffd".encode()])
"""The digits that TiCDC writes for a byte of such a default that is 128 or more. It takes the default out of JSON text,
where the byte has become a replacement character (defaultValueExpression of the encoders of pingcap/ticdc)."""
MOST_LOST = 3 * MOST_BITS
"""Digits of a default all of whose bytes were lost like that."""
TINYINT, TINYINT_ZEROFILL = "tinyint", 4
"""The display width of a TINYINT ZEROFILL that is not written: getLen of TiCDC's encoder."""
BOOLEANS = {"true": "1", "false": "0"}
"""What the default of an integer can be but a number."""

COLUMN = DescribedPart(
    "column",
    (
        Told("name", "name", TEXT),
        Told("jdbcType", "jdbc_type", INTEGER, null=True),
        Told("nativeType", "native_type", INTEGER, null=True),
        Told("comment", "comment", TEXT, null=True),
        Told("defaultValueExpression", "default", TEXT, null=True),
        Told("enumValues", "labels", TEXTS, null=True),
        Told("typeName", "type_name", TEXT),
        Told("typeExpression", "type_expression", TEXT, null=True),
        Told("charsetName", "charset", TEXT, null=True),
        Told("length", "length", INTEGER, null=True),
        Told("scale", "scale", INTEGER, null=True),
        Told("position", "position", INTEGER),
        Told("optional", "nullable", BOOL, null=True),
        Told("autoIncremented", "auto_incremented", BOOL, null=True),
        Told("generated", "generated", BOOL, null=True),
    ),
)
"""A column."""
TABLE = DescribedPart(
    "table",
    (
        Told("defaultCharsetName", "charset", TEXT, null=True),
        Told("primaryKeyColumnNames", "key", TEXTS, null=True),
        Each("columns", COLUMN, "columns"),
        Told("comment", "comment", TEXT, null=True),
    ),
)
"""A table."""
CHANGE = DescribedPart("change", (Told("type", "type", TEXT), Told("id", "id", TEXT)))
"""A change, but for the table."""

Name = tuple[str, str]
"""A database and a table in it."""


class TableChange(NamedTuple):
    """What a statement did to a table."""

    type: str
    """CREATE, ALTER or DROP."""
    name: Name | None
    """The table; None where the change does not tell where the database's name ends."""
    before: Name | None
    """What it was called before it was renamed; None for the same, or where that cannot be told."""
    table: DescribedTable | None
    """How it is now; None where it is gone."""


class ChangeReader(DescriptionReader):
    """Reads the changes of tables in messages.

    Attributes:
        path: where in the changes the trouble is that was found last, each step behind a slash.
    """

    def __init__(self, description: type[DescribedTable]) -> None:
        """
        Args:
            description: the class of descriptions.
        """
        super().__init__(TABLE, description)
        self._changes: dict[tuple[bytes, Name | None, int | None, bool], tuple[TableChange, ...]] = {}
        self._held = 0
        self._literals = False

    def changes(
        self, text: bytes, own: Name | None, version: int | None, literals: bool = False
    ) -> tuple[TableChange, ...]:
        """The changes that an array lists whose grammar is right and which is UTF-8.

        Args:
            text: the array.
            own: the database and the table that the message says it is about; None where it says none.
            version: what the descriptions become: what rows refer to.
            literals: whether labels of ENUM and SET are as SQL has them, quotes in them doubled; False: they have
                quotes around them, and all in them is as it is.

        Raises:
            NoDescription: they are no changes, or a table is none; `path` says where.
        """
        self.path = ""
        asked = (text, own, version, literals)
        found = self._changes.get(asked)
        if found is None:
            top = members(text)
            if not isinstance(top, list):
                raise self.fail("", KIND, f"{shown(top)} where an array is expected")
            self._literals = literals
            found = tuple([self._change(item, f"/{number}", own, version) for number, item in enumerate(top)])
            self._held += len(text)
            if self._held > MOST_BYTES or len(self._changes) >= MOST_CHANGES:
                self._changes.clear()
                self._held = len(text)
            self._changes[asked] = found
        return found

    def _change(self, item: object, path: str, own: Name | None, version: int | None) -> TableChange:
        said = self.said_in(CHANGE, item, path)
        kind, id = said["type"], said["id"]
        if kind not in (CREATE, ALTER, DROP):
            raise self.fail(f"{path}/type", VALUE, f"{shown(kind)} where {CREATE}, {ALTER} or {DROP} is expected")
        name, before = names_in(id, own)
        table = next((value for key, value in item.pairs if key == "table"), None)  # type: ignore[attr-defined]
        if table is None:
            return TableChange(kind, name, before, None)
        if name is None:
            wanted = 'two names in quotes with a point between, "database"."table", are expected'
            raise self.fail(f"{path}/id", VALUE, f"{shown(id)} does not tell which table is described: {wanted}")
        made = self.said_in(TABLE, table, f"{path}/table")
        key = made.pop("key", ())
        indexes = (IndexDescription(PRIMARY, key, True, True, False),) if key else ()
        made["charset"] = made.get("charset") or None
        try:
            described = self.description(name[0], name[1], indexes=indexes, version=version, **made)
        except ValueError as error:
            raise self.fail(f"{path}/table", VALUE, str(error)) from None
        return TableChange(kind, name, before, described)

    def made(self, describes: str, said: dict[str, Any]) -> ColumnDescription:
        """The description of a column of which a change says this, by attribute.

        Raises:
            ValueError: it says what cannot be.
        """
        return described_column(said, self.description.TYPES, self._literals)


def names_in(id: str, own: Name | None) -> tuple[Name | None, Name | None]:
    """The table that the id of a change names, and what it was called before; None for what cannot be told.

    An id is `"database"."table"`, of a table that was renamed the old name, a comma, and the new one. Quotes in names
    are as they are, so that it does not always say where a name ends.

    Args:
        id: the id.
        own: the table that the message says it is about.
    """
    if own is not None:
        now = f'"{own[0]}"."{own[1]}"'
        if id == now:
            return own, None
        if id.endswith(f",{now}"):
            return own, _name(id[: -len(now) - 1])
    found = _name(id)
    if found is not None:
        return found, None
    halves = id.split('","')
    if len(halves) != 2:
        return None, None
    before, after = _name(f'{halves[0]}"'), _name(f'"{halves[1]}')
    return (after, before) if before is not None and after is not None else (None, None)


def _name(text: str) -> Name | None:
    """The database and the table of a name; None where there are several ways to read it, or none."""
    if len(text) < 2 or text[0] != '"' or text[-1] != '"' or '","' in text:
        return None
    halves = text[1:-1].split('"."')
    return (halves[0], halves[1]) if len(halves) == 2 and halves[1] else None


# ---- columns


def described_column(said: dict[str, Any], types: TypesOfTables, literals: bool) -> ColumnDescription:
    """The description of a column of which a change says this.

    Args:
        said: what it says, by the attributes of `COLUMN`.
        types: of the database.
        literals: whether labels are as SQL has them.

    Raises:
        ValueError: it says what cannot be.
    """
    written = said["type_name"].lower()
    declared = types.types.declared_or_undeclared(written)
    bare = written.replace(" unsigned", "").replace(" zerofill", "")
    length, digits, charset = said.get("length"), said.get("scale"), said.get("charset") or None
    if bare in FLOATS and digits is None and length is not None and length > FLOAT_DIGITS:
        declared = types.types.declared(written.replace(bare, "double"))  # the digits are binary
    code, flags = declared.type, declared.flags
    facts = types.types.facts(code)
    if charset is None and facts.labels and not literals:
        charset = "binary"  # of it TiCDC's encoder says nothing: getCharset
    with_charset = types.takes_charset(code, flags)
    if with_charset and charset == "binary" and not facts.labels:
        flags |= types.flag("BINARY")
        with_charset = False
    known = code != types.types.undeclared_code
    base = types.base_name(code, flags, bare) if known else bare
    labels = _labels(said.get("labels", ()), types, literals)
    if facts.fractions:
        digits, length = length, None
    elif facts.labels or types.is_long_type(code) or (facts.storage == "float" and digits is None):
        length = None
    if length is None:
        boolean = bare in ("bool", "boolean")
        length = 1 if boolean else usual_length(types, code, flags, labels, digits)
        if base == TINYINT and declared.zerofill:
            length = TINYINT_ZEROFILL
    counted = said.get("auto_incremented")
    return ColumnDescription(
        said["name"],
        base,
        unsigned=bool(flags & types.flag("UNSIGNED")) or "unsigned" in facts.omits,
        zerofill=declared.zerofill or "zerofill" in facts.omits,
        length=length or None,
        scale=digits if facts.storage == "float" else digits or None,
        labels=labels,
        charset=charset if with_charset else "binary" if known else charset,
        collation="binary" if known and not with_charset else None,
        nullable=said.get("nullable"),
        default=_default(said.get("default"), types, code),
        # nothing is said of a DATETIME that its row's changes set
        auto_increment=None if facts.fractions else counted,
        on_update=counted if facts.checksum == "utc" else counted or None if facts.fractions else None,
        comment=said.get("comment"),
        position=said["position"],
    )


def usual_length(types: TypesOfTables, code: int, flags: int, labels: tuple[str, ...], scale: int | None) -> int | None:
    """The length of a column whose message says none; the arguments are those of `TypesOfTables.default_length`."""
    found = types.default_length(code, flags, labels, scale)
    return LEAST_SAID if found is None and types.types.facts(code).parameters == "length_or_0" else found


def _labels(said: tuple[str, ...], types: TypesOfTables, literals: bool) -> tuple[str, ...]:
    """The labels of an ENUM or SET, which have quotes around them."""
    if any(len(label) < 2 or label[0] != "'" or label[-1] != "'" for label in said):
        raise ValueError(f"its labels are {list(said)}: each is expected to have single quotes around it")
    if literals and said:
        return types.types.declared(f"enum({','.join(said)})").members
    return tuple([label[1:-1] for label in said])


def _default(said: str | None, types: TypesOfTables, code: int) -> str | int | None:
    """The default of a column: a number of one of bits, whose digits are 0 and 1. Where TiCDC has lost bytes of it,
    nothing is known.
    """
    if said is None:
        return None
    if types.is_bits(code):
        if LOST in said and len(said) <= MOST_LOST and not set(said) - {"0", "1"}:
            return None
        if len(said) > MOST_BITS or set(said) - {"0", "1"}:
            raise ValueError(f"its default is {said[:MOST_BITS]!r}, where up to {MOST_BITS} digits 0 or 1 are expected")
        return int(said or "0", 2)
    if types.types.facts(code).storage == "int":
        return BOOLEANS.get(said.lower(), said)
    return said
