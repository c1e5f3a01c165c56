"""Names in printed code: the fields of a message in error paths and as constants, and the attributes that store
numbers.
"""

from __future__ import annotations

import keyword
from dataclasses import dataclass

from ..model import Spec
from ..plan.carried import carried_columns
from ..plan.constants import apart, constant
from ..plan.names import Group, NamesPlan, fits, names_of_all, protocol_names
from ..plan.options import ENCODER_NAMES
from ..plan.ways import names_of_ways
from ..syntax.nodes import Expression, Name, named, own
from .model import Chunks, ColumnField, Part, PartChoice, Section, Sections, TableRow, Tables
from .references import Number, NumberKind
from .resolve import Resolved

RESERVED = ENCODER_NAMES | frozenset(
    """
    self r t s k g n at row rows described message messages images image layout place slot seen first start stop limit
    begin end
    offset event events code codes kind found error errors data size sizes columns table tables schema name names
    texts chunk
    checked at_event codec codecs codecs_of cython
    cache replace_invalid producer way side own_schema own_table estimate readable
    type flags storages column known wanted written bind encode decode
    """.split()  # noqa: SIM905
)
"""Names that printed functions and classes use themselves."""


def local(id: str) -> str:
    """The variable or attribute for a section; with an underscore if the name is reserved."""
    return f"{id}_" if id in RESERVED or keyword.iskeyword(id) else id


@dataclass(frozen=True)
class FieldName:
    """A field of a message."""

    constant: str
    """The name of its constant in the printed module."""
    path: str
    """Its path, with {section} for the index of a repetition."""
    about: str


def _groups(resolved: Resolved) -> list[tuple[list[tuple[str, str]], Group]]:
    """The enums of messages and the bits of row images: for each number its enum and member (for a bit no enum), and
    the names.
    """
    found: list[tuple[list[tuple[str, str]], Group]] = []
    for name, enum in resolved.protocol.enums.items():
        keys = [(str(name), str(member)) for member in enum.members]
        numbers = [(constant("_".join(key)), code) for key, code in zip(keys, enum.members.values(), strict=True)]
        found.append((keys, Group(f"What {name} can be.", tuple(numbers))))
    images = next((tuple(use.cls.images) for use in resolved.cases.values() if use.images is not None), ())
    if images:
        bits = tuple((constant(f"HAS_{image}"), 1 << at) for at, image in enumerate(images))
        found.append(
            ([("", str(image)) for image in images], Group("Which row images a message has, each a bit.", bits))
        )
    return found


def names_plan(spec: Spec, resolved: Resolved) -> NamesPlan:
    """The module of names of a binary protocol."""
    columns = carried_columns(spec.events, resolved.fields)
    cases = [group for _, group in _groups(resolved)]
    protocol = resolved.protocol
    groups = [*cases, names_of_ways(protocol)]
    return protocol_names(spec, protocol.file, protocol.title, columns, len(columns), groups)


class Names:
    """The names of one protocol."""

    def __init__(self, spec: Spec, resolved: Resolved) -> None:
        self.resolved = resolved
        self.protocol = resolved.protocol
        self.module = names_plan(spec, resolved)
        groups = zip(_groups(resolved), self.module.groups[1:-1], strict=True)
        self.cases = {
            key: name if fits(number) else str(number)
            for (keys, _), group in groups
            for key, (name, number) in zip(keys, group.numbers, strict=True)
        }
        self.taken = {*self.module.names, *names_of_all(spec)}
        self.constants: dict[tuple[str, str], str] = {}
        self.fields: list[FieldName] = []
        self.repeated: list[str] = []
        """The repeated sections: a decoder stores the index in each for its errors."""
        self._part(resolved.root, "")

    def _part(self, part: Part, path: str) -> None:
        if isinstance(part, Sections):
            for section in part.sections:
                self._section(part, section, path + section.id)
        elif isinstance(part, Chunks):
            for column in part.columns:
                self._add(part, column.id, path + column.id, column.about)
        elif isinstance(part, PartChoice):
            for case in part.cases.values():
                self._part(self.protocol.parts[case.part], path)
        elif isinstance(part, Tables):
            for row in part.rows:
                self._add(part, row.id, path + row.id, "")

    def _section(self, part: Sections, section: Section, path: str) -> None:
        self._add(part, section.id, path, section.about)
        if section.part is None:
            return
        below = path + "/"
        if section.each is not None:
            self.repeated.append(str(section.id))
            below += "{" + section.id + "}/"
        self._part(self.protocol.parts[section.part], below)

    def _add(self, part: Part, id: str, path: str, about: str) -> None:
        (name,) = apart([constant(f"{part.name}_{id}")], "FIELD", self.taken)
        self.taken.add(name)
        self.constants[str(part.name), str(id)] = name
        self.fields.append(FieldName(name, path, about))

    def field(self, part: Part, id: str) -> Name:
        """The constant of a section, column or row of a part (every part has one user)."""
        return Name(self.constants[str(part.name), str(id)])

    def section_field(self, part: Part, section: Section) -> Name:
        return self.field(part, section.id)

    def member(self, enum: str, member: str) -> Expression:
        """The constant of a member of an enum, or its number."""
        return named(self.cases[enum, member])

    def image_bit(self, image: str) -> Expression:
        """The constant of the bit for a row image of an event."""
        return named(self.cases["", image])

    # ---- attributes

    def row(self, row: TableRow) -> str:
        """The attribute that stores a row of the tables."""
        tables = self.resolved.tables
        assert tables is not None
        return f"{tables[0].id}_{row.id}"

    def column(self, part: Chunks, column: ColumnField) -> str:
        """The attribute that stores the numbers of a chunk."""
        return f"{part.name}_{column.id}"

    def chunk(self, section: Section) -> str:
        """The attribute that stores the numbers of a chunk section."""
        return f"message_{section.id}"

    def number(self, number: Number) -> Expression:
        """The expression for a single number that was read."""
        if number.kind is NumberKind.SECTION:
            return Name(local(number.section.id))
        assert number.row is not None
        if number.kind is NumberKind.NAMED:
            assert number.number is not None
            return own(self.row(number.row)).attribute("i64").at(number.row.numbers.index(number.number))
        return own(self.row(number.row)).attribute("size")
