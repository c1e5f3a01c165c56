"""Statements of ALTER TABLE made of parts that are known, in many spellings."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Any, TypeVar

from hypothesis import strategies as st

from tidewire.runtime.column_types import quoted_text
from tidewire.runtime.tables.sql_altered import (
    Action,
    AddColumn,
    ChangedKey,
    DropColumn,
    DropDefault,
    ExchangePartition,
    ModifyColumn,
    Name,
    NoEffect,
    RenameColumn,
    RenameTable,
    SetDefault,
    TruncatePartition,
)
from tidewire.runtime.tables.sql_defaults import Default

Draw = Callable[[st.SearchStrategy[Any]], Any]
Column = TypeVar("Column", AddColumn, ModifyColumn)

_BARE = re.compile(r"[a-z]_[a-z0-9$_]*")
_NAMES = st.one_of(st.from_regex(_BARE, fullmatch=True), st.text(st.characters(codec="utf-8"), min_size=1, max_size=6))
_TYPES = (
    *("int", "bigint(20) unsigned zerofill", "decimal(10,2)", "float(7,3)", "double precision", "bit(8)", "year"),
    *("varchar(9)", "national varchar(5)", "mediumtext", "varbinary(3)", "enum('a','it''s',')')", "set(',','`')"),
    *("datetime(3)", "timestamp", "time(6)", "json", "vector(3)", "bool"),
)
_GAPS = (" ", " ", " ", "\n", "\t ", " /* c, d */ ", "/**/", " /*M! x */ ", " -- c, `d\n", " # 'c\n")
_KEEPS = (
    ("ADD INDEX (a)", "an index"),
    ("COMMENT = 'a, b'", "option COMMENT of the table"),
    ("LOCK=NONE", "option LOCK of the table"),
    ("/*T![placement] PLACEMENT POLICY = `p` */", "option PLACEMENT of the table"),
)


@st.composite
def altered_tables(draw: Draw) -> tuple[str, list[Action]]:
    """A statement, and what it does in the schema s."""
    made = Made(draw)
    schema = draw(st.sampled_from(("", "s", "o`x")))
    table = Name(schema or "s", draw(_NAMES))
    parts: list[str] = []
    actions: list[Action] = []
    for _ in range(draw(st.integers(1, 4))):
        text, found = made.part(table)
        parts.append(text)
        actions += found
        if isinstance(found[-1], TruncatePartition):
            break  # what is behind a comma is a partition
    words = ["ALTER", "TABLE", (f"{made.name(schema)}." if schema else "") + made.name(table.table)]
    return made.joined(*words, made.comma(parts)), actions


class Made:
    """Makes parts of statements."""

    def __init__(self, draw: Draw) -> None:
        """
        Args:
            draw: Hypothesis'.
        """
        self._draw = draw

    def joined(self, *words: str) -> str:
        """Words with what may stand between them."""
        text = words[0]
        for word in words[1:]:
            text += str(self._draw(st.sampled_from(_GAPS))) + word
        return text

    def comma(self, parts: Sequence[str]) -> str:
        """Parts with commas between them."""
        between = str(self._draw(st.sampled_from((",", ", ", " ,\n", ", /* x */"))))
        return between.join(parts)

    def name(self, name: str) -> str:
        """A name in one of its spellings."""
        if _BARE.fullmatch(name) and self._draw(st.booleans()):
            return name
        if "\\" not in name and self._draw(st.integers(0, 3)) == 0:
            return '"' + name.replace('"', '""') + '"'
        return "`" + name.replace("`", "``") + "`"

    def keyword(self, words: str) -> str:
        """Words of the language, in upper or lower case; they may be in a comment that is executed."""
        words = words.upper() if self._draw(st.booleans()) else words.lower()
        return f"/*!80000 {words} */" if self._draw(st.integers(0, 9)) == 0 else words

    def part(self, table: Name) -> tuple[str, list[Action]]:
        """A part, and what it does to a table."""
        kind = self._draw(st.integers(0, 9))
        old, new = self._draw(_NAMES), self._draw(_NAMES)
        if kind in (0, 1):
            words = ["add"] + ([self.keyword("column")] if self._draw(st.booleans()) else [])
            conditional = self._draw(st.booleans())
            text, column = self._column(AddColumn, new, conditional, table)
            return self.joined(*words, *([self.keyword("if not exists")] if conditional else []), text), [column]
        if kind == 2:
            text, changed = self._column(ModifyColumn, new, False, table)
            return self.joined(self.keyword("modify"), text), [changed]
        if kind == 3:
            text, changed = self._column(ModifyColumn, new, False, table)
            renamed = [] if old == new else [RenameColumn(old, new, False, table)]
            return self.joined(self.keyword("change column"), self.name(old), text), [*renamed, changed]
        if kind == 4:
            return self.joined(self.keyword("drop column"), self.name(old)), [DropColumn(old, False, table)]
        if kind == 5:
            words = [self.keyword("rename column"), self.name(old), self.keyword("to"), self.name(new)]
            return self.joined(*words), [RenameColumn(old, new, False, table)]
        if kind == 6:
            if self._draw(st.booleans()):
                return self.joined("alter", self.name(old), self.keyword("drop default")), [DropDefault(old, table)]
            default, text = self._literal()
            return self.joined("alter", self.name(old), "set default", text), [SetDefault(old, default, table)]
        if kind == 7:
            text, reason = self._draw(st.sampled_from(_KEEPS))
            return text, [NoEffect(reason, False, table)]
        if kind == 8:
            names = [self._draw(_NAMES) for _ in range(self._draw(st.integers(1, 3)))]
            listed = self.comma([self.name(one) for one in names])
            if self._draw(st.booleans()):
                return self.joined(self.keyword("truncate partition"), listed), [TruncatePartition(tuple(names), table)]
            return f"add primary key ({listed})", [ChangedKey("added", tuple(names), table)]
        if self._draw(st.booleans()):
            return self.joined(self.keyword("rename"), self.name(new)), [RenameTable(table, Name("s", new))]
        words = [self.keyword("exchange partition"), self.name(old), self.keyword("with table"), f"o.{self.name(new)}"]
        return self.joined(*words), [ExchangePartition(old, Name("o", new), table)]

    def _column(self, made: type[Column], name: str, conditional: bool, table: Name) -> tuple[str, Column]:
        """The definition of a column with its place."""
        type = str(self._draw(st.sampled_from(_TYPES)))
        words = [self.name(name), type.upper() if "'" not in type and self._draw(st.booleans()) else type]
        default: Default | None = None
        attributes: list[str] = []
        nullable = self._draw(st.booleans())
        if not nullable:
            attributes.append(self.keyword("not null"))
        if self._draw(st.booleans()):
            default, text = self._default()
            attributes.append(self.joined(self.keyword("default"), text))
        if self._draw(st.booleans()):
            attributes.append(self.joined(self.keyword("comment"), quoted_text(self._draw(st.text(max_size=5)))))
        words += self._draw(st.permutations(attributes))
        place = self._draw(st.sampled_from((None, "first", "after")))
        after = self._draw(_NAMES) if place == "after" else None
        if place is not None:
            words.append(self.keyword(place))
        if after is not None:
            words.append(self.name(after))
        more = {"position": place, "after": after, "conditional": conditional, "table": table}
        return self.joined(*words), made(name, type, nullable, default, **more)

    def _default(self) -> tuple[Default | None, str]:
        """A default, and how it is written."""
        if self._draw(st.integers(0, 3)):
            return self._literal()
        text = self._draw(st.sampled_from(("current_timestamp(3)", "NOW()", "((current_timestamp))", "localtime")))
        return Default("CURRENT_TIMESTAMP", expression=True), text

    def _literal(self) -> tuple[Default | None, str]:
        kind = self._draw(st.integers(0, 4))
        if kind == 0:
            return None, self.keyword("null")
        if kind == 1:
            number = str(self._draw(st.integers(-(2**70), 2**70)))
            return Default(number, number=True), number
        if kind == 2:
            bits = self._draw(st.binary(min_size=1, max_size=9))
            return Default(str(int.from_bytes(bits, "big")), bits), f"x'{bits.hex()}'"
        value = str(self._draw(st.text(st.characters(codec="utf-8"), max_size=8)))
        text = quoted_text(value)
        spelled = self._draw(st.sampled_from((text, f"_UTF8MB4{text}", f"({text})")))
        return Default(value), spelled
