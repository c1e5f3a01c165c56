"""Names in printed code: the fields of a message as error paths and constants, and the attributes that keep their
numbers.
"""

from __future__ import annotations

import keyword
from dataclasses import dataclass

from .model import ColumnField, ColumnsStruct, Section, SectionsStruct, Struct, SwitchStruct, TableRow, TablesStruct
from .references import Number, NumberKind
from .resolve import Resolved

RESERVED = frozenset(
    """
    self r t s k g n at row rows described message messages images image layout place slot seen first start stop limit
    begin end
    offset event events code codes kind found error errors data size sizes columns table tables schema name names
    texts chunk
    catalog text_storage replace_invalid measured producer schema_names table_names schema_places table_places
    own_schema own_table most_bytes estimate gathered images_of check_event check_images refuse message_end readable
    type flags storages column known wanted written bind encode decode
    """.split()  # noqa: SIM905
)
"""Names that printed functions and classes have for themselves."""


def local(id: str) -> str:
    """The variable or attribute for a section, when the printed code uses that name itself: with an underscore."""
    return f"{id}_" if id in RESERVED or keyword.iskeyword(id) else id


@dataclass(frozen=True)
class FieldName:
    """A field of a message."""

    constant: str
    """The name of its number in the printed module."""
    path: str
    """Where it is, with {section} for the index of a repetition."""
    about: str


class Names:
    """The names of one protocol."""

    def __init__(self, resolved: Resolved) -> None:
        self.resolved = resolved
        self.protocol = resolved.protocol
        self.fields: list[FieldName] = []
        self.repeated: list[str] = []
        """The sections that are repeated: a decoder keeps the index of each for its errors."""
        self._struct(resolved.root, "")

    def _struct(self, struct: Struct, path: str) -> None:
        if isinstance(struct, SectionsStruct):
            for section in struct.sections:
                self._section(struct, section, path + section.id)
        elif isinstance(struct, ColumnsStruct):
            for column in struct.columns:
                self._add(struct, column.id, path + column.id, column.about)
        elif isinstance(struct, SwitchStruct):
            for case in struct.cases.values():
                self._struct(self.protocol.structs[case.struct], path)
        elif isinstance(struct, TablesStruct):
            for row in struct.rows:
                self._add(struct, row.id, path + row.id, "")

    def _section(self, struct: SectionsStruct, section: Section, path: str) -> None:
        self._add(struct, section.id, path, section.about)
        if section.struct is None:
            return
        below = path + "/"
        if section.each is not None:
            self.repeated.append(str(section.id))
            below += "{" + section.id + "}/"
        self._struct(self.protocol.structs[section.struct], below)

    def _add(self, struct: Struct, id: str, path: str, about: str) -> None:
        self.fields.append(FieldName(self.field(struct, id), path, about))

    @staticmethod
    def field(struct: Struct, id: str) -> str:
        """The constant of a section, column or row of a struct (every struct has one user)."""
        return f"{struct.name}_{id}".upper()

    def section_field(self, struct: Struct, section: Section) -> str:
        return self.field(struct, section.id)

    # ---- attributes

    def row(self, row: TableRow) -> str:
        """The attribute that keeps a row of the tables."""
        tables = self.resolved.tables
        assert tables is not None
        return f"{tables[0].id}_{row.id}"

    def column(self, struct: ColumnsStruct, column: ColumnField) -> str:
        """The attribute that keeps a chunk's numbers."""
        return f"{struct.name}_{column.id}"

    def chunk(self, section: Section) -> str:
        """The attribute that keeps the numbers of a section that is a chunk."""
        return f"message_{section.id}"

    def number(self, number: Number) -> str:
        """The expression for a single number that a reader has read."""
        if number.kind is NumberKind.SECTION:
            return local(number.section.id)
        assert number.row is not None
        if number.kind is NumberKind.NAMED:
            assert number.number is not None
            return f"self.{self.row(number.row)}.i64[{number.row.numbers.index(number.number)}]"
        return f"self.{self.row(number.row)}.size"
