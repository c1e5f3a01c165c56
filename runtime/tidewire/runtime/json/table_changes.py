"""Changes of tables that messages of statements list: `{"type":...,"id":...,"table":...}`, with the table's columns in
the form that a Kafka connector writes.

This form has less than TiDB knows: no collations, and no indexes except the key, whose columns may be those of a
unique index; no mark for generated columns, nor for an unsigned DECIMAL; a default of the current time is written as
1970-01-01 00:00:00; and one member, `autoIncremented`, means AUTO_INCREMENT for numbers and ON UPDATE for a TIMESTAMP.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from tidewire.runtime.errors import KIND, VALUE
from tidewire.runtime.json.descriptions import JsonDescriptionReader, members, shown
from tidewire.runtime.tables.columns import ColumnDescription, IndexDescription
from tidewire.runtime.tables.described_parts import DescriptionCache
from tidewire.runtime.tables.facts import FLOAT_DIGITS, FLOATS

if TYPE_CHECKING:
    from tidewire.runtime.tables.described_parts import DescribedPart
    from tidewire.runtime.tables.description import DescribedTable
    from tidewire.runtime.tables.facts import TypesOfTables

CREATE, ALTER, DROP = "CREATE", "ALTER", "DROP"
"""Types of changes."""
PRIMARY = "PRIMARY"
"""Name of the index that stands for the key."""
LEAST_BYTES = 1 << 12
"""Bytes of a cached change besides its text, so that a cache has at most 1024 of them."""
LEAST_SAID = 5
"""The length that is written for a column of variable length without one: pingcap/tidb pkg/parser/mysql/util.go."""
MOST_BITS = 64
"""Maximum digits of the default of a BIT column."""
LOST = "".join([f"{byte:08b}" for byte in "\ufffd".encode()])
"""The digits that TiCDC writes for a byte of 128 or more in the default of a BIT column. It takes the default out of
JSON text, where the byte has become a replacement character (defaultValueExpression of the encoders of pingcap/ticdc).
"""
MOST_LOST = 3 * MOST_BITS
"""Maximum digits of a default all of whose bytes were replaced this way."""
TINYINT, TINYINT_ZEROFILL = "tinyint", 4
"""The display width of a TINYINT ZEROFILL that is not written: getLen of TiCDC's encoder."""
BOOLEANS = {"true": "1", "false": "0"}
"""Defaults of an integer that are not numbers."""

Name = tuple[str, str]
"""Database and table name."""


class TableChange(NamedTuple):
    """What a statement did to a table."""

    type: str
    """CREATE, ALTER or DROP."""
    name: Name | None
    """The table; None if its quoted name in the change is ambiguous (`names_in`)."""
    before: Name | None
    """Its previous name; None if it was not renamed, or if the name cannot be determined."""
    table: DescribedTable | None
    """Its new description; None if the table was dropped."""


class ChangeReader(JsonDescriptionReader):
    """Reads the changes of tables in messages.

    Attributes:
        path: position of the last error inside the changes, each step after a slash.
    """

    def __init__(self, part: DescribedPart, description: type[DescribedTable]) -> None:
        """
        Args:
            part: the object that is a change.
            description: class of descriptions.
        """
        super().__init__(part, description)
        self._changes = DescriptionCache()
        self._literals = False

    def changes(
        self, text: bytes, own: Name | None, version: int | None, literals: bool = False
    ) -> tuple[TableChange, ...]:
        """The changes in a JSON array, which is valid JSON and UTF-8.

        Args:
            text: source text of the array.
            own: database and table that the message names; None: it names none.
            version: version that the descriptions get; rows refer to it.
            literals: whether labels of ENUM and SET are SQL literals, with quotes in them doubled; False: they are in
                quotes, and everything between is literal.

        Raises:
            NoDescription: an entry is not a change, or not a table; `path` is where.
        """
        self.path = ""
        asked = (text, own, version, literals)
        found: tuple[TableChange, ...] | None = self._changes.get(asked)
        if found is None:
            top = members(text)
            if not isinstance(top, list):
                raise self.fail("", KIND, f"{shown(top)} where an array is expected")
            self._literals = literals
            found = tuple([self._change(item, f"/{number}", own, version) for number, item in enumerate(top)])
            self._changes.store(asked, found, len(text) + LEAST_BYTES)
        return found

    def _change(self, item: object, path: str, own: Name | None, version: int | None) -> TableChange:
        said = self.attributes(self.part, item, path)
        kind, id, made = said["type"], said["id"], said.get("table")
        if kind not in (CREATE, ALTER, DROP):
            raise self.fail(f"{path}/type", VALUE, f"{shown(kind)} where {CREATE}, {ALTER} or {DROP} is expected")
        name, before = names_in(id, own)
        if made is None:
            return TableChange(kind, name, before, None)
        if name is None:
            wanted = 'two names in quotes with a point between, "database"."table", are expected'
            raise self.fail(f"{path}/id", VALUE, f"{shown(id)} does not tell which table is described: {wanted}")
        key = made.pop("key", ())
        indexes = (IndexDescription(PRIMARY, key, True, True, False),) if key else ()
        made["charset"] = made.get("charset") or None
        try:
            described = self.description(name[0], name[1], indexes=indexes, version=version, **made)
        except ValueError as error:
            raise self.fail(f"{path}/table", VALUE, str(error)) from None
        return TableChange(kind, name, before, described)

    def made(self, describes: str, said: dict[str, Any]) -> Any:
        """A column's `ColumnDescription`; for a table, its attributes without its name.

        Args:
            describes: ``changed_column``, or the kind of the other part.
            said: values of the members, by the name of the attribute.

        Raises:
            ValueError: they contradict each other.
        """
        if describes == "changed_column":
            return described_column(said, self.description.TYPES, self._literals)
        return said


def names_in(id: str, own: Name | None) -> tuple[Name | None, Name | None]:
    """The table that the id of a change names, and its previous name; None for a name that cannot be determined.

    An id is `"database"."table"`; for a renamed table, the old name, a comma, and the new name. Quotes in names are not
    escaped, so the end of a name can be ambiguous.

    Args:
        own: the table that the message names.
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
    """Database and table of a quoted name; None if it is ambiguous or malformed."""
    if len(text) < 2 or text[0] != '"' or text[-1] != '"' or '","' in text:
        return None
    halves = text[1:-1].split('"."')
    return (halves[0], halves[1]) if len(halves) == 2 and halves[1] else None


# ---- columns


def described_column(said: dict[str, Any], types: TypesOfTables, literals: bool) -> ColumnDescription:
    """The description of a column from the members of a change.

    Args:
        said: values of the members, by the name of the attribute of `ColumnDescription`.
        types: column types of the database.
        literals: whether labels are SQL literals.

    Raises:
        ValueError: they contradict each other.
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
        charset = "binary"  # TiCDC's encoder omits this charset: getCharset
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
        # a DATETIME with ON UPDATE has no mark
        auto_increment=None if facts.fractions else counted,
        on_update=counted if facts.checksum == "utc" else counted or None if facts.fractions else None,
        comment=said.get("comment"),
        position=said["position"],
    )


def usual_length(types: TypesOfTables, code: int, flags: int, labels: tuple[str, ...], scale: int | None) -> int | None:
    """The length of a column for which the message states none; arguments as in `TypesOfTables.default_length`."""
    found = types.default_length(code, flags, labels, scale)
    return LEAST_SAID if found is None and types.types.facts(code).parameters == "length_or_0" else found


def _labels(said: tuple[str, ...], types: TypesOfTables, literals: bool) -> tuple[str, ...]:
    """The labels of an ENUM or SET, without the quotes around each."""
    if any(len(label) < 2 or label[0] != "'" or label[-1] != "'" for label in said):
        raise ValueError(f"its labels are {list(said)}: each is expected to have single quotes around it")
    if literals and said:
        return types.types.declared(f"enum({','.join(said)})").members
    return tuple([label[1:-1] for label in said])


def _default(said: str | None, types: TypesOfTables, code: int) -> str | int | None:
    """The default of a column; for bits, the number that its digits 0 and 1 form. None if TiCDC has replaced bytes of
    it.
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
