"""Reads schema blocks: what they say the columns of rows are."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

from tidewire.runtime.batch import Column
from tidewire.runtime.column_types import Declared, quoted_text
from tidewire.runtime.connect.types import ConnectTypes, Form
from tidewire.runtime.json.codec import ColumnFacts, JsonCodec
from tidewire.runtime.tables.description import DescribedTable

MOST_FIELDS = 1 << 16
"""Fields of a struct that are taken."""
CONNECT, DESCRIBED = "connect", "described"
"""By what the types of columns are known that the block does not say in TiDB's words."""
_AMBIGUOUS = frozenset("',\\")
"""Characters of labels by which a list in a block can be that of other labels, too."""
_NESTED = ("struct", "array", "map")


class BlockColumn(NamedTuple):
    """A column as a block says it."""

    name: str
    form: Form
    optional: bool
    parameters: dict[str, str]
    tidb_type: str | None


class Block(NamedTuple):
    """A block, as far as it is about columns."""

    columns: tuple[BlockColumn, ...]
    """Of a value those of its rows, of a key its own."""
    exact: bool
    """Whether it says the types of all columns in TiDB's words."""
    whole: bool
    """Whether a description could not tell more of how values are written: digits behind a point are not in a block."""


class Resolved(NamedTuple):
    """The columns of rows."""

    columns: tuple[Column, ...]
    codecs: tuple[JsonCodec, ...]
    source: str | None
    """By what the types are known: the constants above; None: the block says them."""


class ConnectReader:
    """Says what the columns of rows are, by blocks and by descriptions of tables."""

    def __init__(
        self,
        types: ConnectTypes,
        images: tuple[str, ...],
        declared: Callable[[str], Declared],
        flags: tuple[int, int, int],
    ) -> None:
        """
        Args:
            types: the forms of the protocol.
            images: the members of a payload that are rows.
            declared: takes a declared type apart.
            flags: those of a column that can be NULL, of one of the handle key, and of a binary one.
        """
        self._types = types
        self._images = images
        self._declared = declared
        self._nullable, self._handle_key, self._binary = flags

    def read(self, text: bytes) -> Block:
        """What a block says, whose grammar is right and which is UTF-8.

        Raises:
            ValueError: it is no block; a sentence says why.
        """
        try:
            top = json.loads(text, parse_int=_some_number)  # however many digits it has
        except RecursionError:
            raise ValueError("it is nested too deep") from None
        fields = _fields(top)
        inner = [one for one in fields if one.get("field") in self._images and one.get("type") == "struct"]
        if inner:
            fields = _fields(inner[-1])
        elif any(one.get("type") in _NESTED and self._form_of(one) is None for one in fields):
            return Block((), True, True)  # of a statement or a watermark
        columns = tuple(self._columns(fields))
        exact = all(one.tidb_type is not None for one in columns)
        parts = [one for one in columns if exact and not self._is_whole(one)]
        return Block(columns, exact, exact and not parts)

    def _is_whole(self, column: BlockColumn) -> bool:
        """Whether values of a column are written alike, however many digits they have behind a point, and its labels
        are those that the block has.
        """
        text, facts = self._told(column)
        declared = self._declared(text)
        if column.form.escapes and any(not _AMBIGUOUS.isdisjoint(label) for label in facts.labels):
            return False
        codec = self._types.read_by(column.form.id, declared.type, declared.flags)
        if codec is None or facts.scale is not None:
            return True
        return codec.for_column(facts._replace(scale=1, fraction=1)) is codec.for_column(facts)

    def _form_of(self, field: dict[str, Any]) -> Form | None:
        type, name = field.get("type"), field.get("name")
        return self._types.form(type, name) if isinstance(type, str) and isinstance(name, str | None) else None

    def _columns(self, fields: Sequence[dict[str, Any]]) -> Iterator[BlockColumn]:
        seen: set[str] = set()
        for one in fields:
            name, type, semantic = one.get("field"), one.get("type"), one.get("name")
            if not _is_text(name) or not isinstance(name, str) or not isinstance(type, str):
                raise ValueError("a field of it has no name or no type, which are texts")
            if name in seen:
                continue  # virtual columns stand there twice
            seen.add(name)
            form = self._form_of(one)
            if form is None:
                said = f"{type!r}" if semantic is None else f"{type!r} with the name {semantic!r}"
                raise ValueError(
                    f"it says that column {name!r} is {said}, which is none of the types that are known: leave the "
                    "column out where messages are made, or add its type to connect.forms of the spec"
                )
            parameters = one.get("parameters") or {}
            tidb_type = None if self._types.exact is None else one.get(self._types.exact)
            if not isinstance(parameters, dict) or not isinstance(tidb_type, str | None):
                raise ValueError(
                    f"the parameters of column {name!r} are an object, and its {self._types.exact or 'type'} a text; "
                    "here they are not"
                )
            yield BlockColumn(name, form, one.get("optional") is not False, parameters, tidb_type)

    @staticmethod
    def key_names(block: Block) -> tuple[str, ...]:
        """The names of the columns of a key's block."""
        return tuple([one.name for one in block.columns])

    def columns(self, block: Block | None, description: DescribedTable | None, key: Sequence[str]) -> Resolved:
        """The columns of rows.

        Args:
            block: the block of their message; None: it has none.
            description: of their table; None: nobody has described it.
            key: the names of the columns of the message's key.

        Raises:
            ValueError: a column cannot be of the type that is said of it, or nothing says what it is.
        """
        described = {} if description is None else {one.name: one for one in description.row_columns()}
        if block is None:
            return self._described(list(described.values()), key)
        columns, codecs = [], []
        source: str | None = None
        for one in block.columns:
            text, facts = self._told(one)
            known = described.get(one.name)
            codec: JsonCodec | None = None
            if one.tidb_type is None and known is not None:
                other = self._type_of(known)
                if other is not None:
                    codec = self._types.read_by(one.form.id, other.type, known.flags)
                if other is not None and codec is not None:
                    text, facts = known.mysql_type or text, _facts(other, one.optional)
                    source = source or DESCRIBED
            if one.tidb_type is None and codec is None:
                source = CONNECT
            declared = self._declared(text)
            flags = known.flags if codec is not None and known is not None else declared.flags
            if codec is None:
                codec = self._types.read_by(one.form.id, declared.type, flags)
                text, facts, told = self._refined(one, text, facts, declared, known)
                flags |= told
            if codec is None:
                said = one.form.type if one.form.name is None else one.form.name
                raise ValueError(f"column {one.name!r} is {text}, and its values are {said}: they cannot be both")
            if one.optional:
                flags |= self._nullable
            if one.name in key:
                flags |= self._handle_key
            columns.append(Column(one.name, declared.type, flags, text))
            codecs.append(codec.for_column(facts))
        return Resolved(tuple(columns), tuple(codecs), source)

    def modes(self, block: Block | None, column: str, type: int, flags: int) -> tuple[str, ...]:
        """The options that say how the values of a column are read.

        Args:
            block: the block of the message; None: it has none.
            column: its name.
            type: code of its type.
            flags: its own.
        """
        if block is None:
            return self._types.modes(type, flags, None)
        forms = [one.form.id for one in block.columns if one.name == column]
        return self._types.modes(type, flags, forms[0]) if forms else ()

    def _refined(
        self, one: BlockColumn, text: str, facts: ColumnFacts, declared: Declared, known: Column | None
    ) -> tuple[str, ColumnFacts, int]:
        """What a description adds to a type that the block says: how many digits there are, whether a DECIMAL is
        unsigned, and labels that the block does not tell apart; the declared type, its facts and flags.
        """
        other = None if known is None else self._type_of(known)
        if one.tidb_type is None or known is None or other is None:
            return text, facts, 0
        if one.form.labels is not None and one.form.listed(other.members) != one.parameters.get(one.form.labels):
            return text, facts, 0
        codecs = [self._types.read_by(one.form.id, said.type, said.flags) for said in (other, declared)]
        if other.type != declared.type or codecs[0] is not codecs[1]:
            return text, facts, 0
        found = _facts(other, one.optional)
        length = found.length if facts.length is None else facts.length
        return known.mysql_type or text, found._replace(length=length), other.flags

    def _type_of(self, known: Column) -> Declared | None:
        """The type that a description says; None where it is none that there is: the block says more then."""
        try:
            return self._declared(known.mysql_type or "")
        except ValueError:
            return None

    def _told(self, one: BlockColumn) -> tuple[str, ColumnFacts]:
        """The declared type of a column as far as the block says it, and what is known of it."""
        form = one.form
        text = one.tidb_type or form.stands_for
        labels: tuple[str, ...] = ()
        length = scale = None
        if form.labels is not None:
            labels = split_labels(one.parameters.get(form.labels) or "")
            text = f"{text}({','.join(map(quoted_text, labels))})"
        if form.length is not None and form.length in one.parameters:
            length = _number(one, form.length)
        if form.scale is not None:
            scale = _number(one, form.scale) if form.scale in one.parameters else None
        if scale is not None:
            text = f"{text}({length or 65},{scale})"
        elif length is not None and "(" not in text:
            text = f"{text}({length})"
        elif form.stands_for.startswith(f"{text}("):
            text = form.stands_for
        return text, ColumnFacts(labels, length, scale, None, one.optional)

    def _described(self, columns: Sequence[Column], key: Sequence[str]) -> Resolved:
        """Columns of which a description alone tells what they are."""
        found, codecs = [], []
        for one in columns:
            declared = self._declared(one.mysql_type or "")
            written = self._types.written(one.type, one.flags, _facts(declared, bool(one.flags & self._nullable)))
            if written is None:
                raise ValueError(
                    f"column {one.name!r} is {one.mysql_type}, whose values are not read where no schema block tells "
                    "how they are written"
                )
            flags = one.flags | self._handle_key if one.name in key else one.flags
            found.append(Column(one.name, one.type, flags, one.mysql_type))
            codecs.append(written[1])
        return Resolved(tuple(found), tuple(codecs), DESCRIBED)


def _facts(declared: Declared, nullable: bool) -> ColumnFacts:
    """What a declared type says."""
    return ColumnFacts(declared.members, declared.length, declared.decimals, declared.decimals or 0, nullable)


def _is_text(value: object) -> bool:
    """Whether it is a text; half a surrogate pair is in none."""
    if not isinstance(value, str):
        return False
    try:
        value.encode()
    except UnicodeEncodeError:
        return False
    return True


def _some_number(text: str) -> int:
    """A number, of which nothing is asked but whether it is one, and 0."""
    return int(text.strip("-0") != "")


def _fields(struct: Any) -> list[dict[str, Any]]:
    fields = struct.get("fields") if isinstance(struct, dict) else None
    if not isinstance(fields, list) or not all(isinstance(one, dict) for one in fields):
        raise ValueError("it is no struct with fields")
    if len(fields) > MOST_FIELDS:
        raise ValueError(f"it has {len(fields)} fields, at most {MOST_FIELDS} are taken")
    return fields


def _number(one: BlockColumn, parameter: str) -> int:
    said = one.parameters[parameter]
    if not isinstance(said, str) or not said.isdigit() or len(said) > 3:
        raise ValueError(f"the parameter {parameter} of column {one.name!r} is {said!r}, and no small number")
    return int(said)


def split_labels(allowed: str) -> tuple[str, ...]:
    """The labels of a list in a block: parted by commas; one in a label has a backslash before it."""
    if not _is_text(allowed):
        raise ValueError(f"its labels are {allowed!r}, and no text")
    found, label, escaped = [], "", False
    for character in allowed:
        if escaped and character != ",":
            label += "\\"
        if character == "," and not escaped:
            found.append(label)
            label = ""
        elif character != "\\" or escaped:
            label += character
        escaped = character == "\\" and not escaped
    return (*found, label + "\\" if escaped else label)
