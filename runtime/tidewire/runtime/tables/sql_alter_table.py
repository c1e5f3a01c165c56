"""The clauses of an ALTER TABLE statement, and the effect of each on the table."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Literal, TypeVar

from tidewire.runtime.errors import SqlError
from tidewire.runtime.tables.facts import TypesOfTables
from tidewire.runtime.tables.sql_actions import (
    Action,
    AddColumn,
    ChangedKey,
    DeclaredColumn,
    DropColumn,
    DropDefault,
    DropPartition,
    ExchangePartition,
    ModifyColumn,
    Name,
    NoEffect,
    RenameColumn,
    RenameTable,
    SetDefault,
    TruncatePartition,
    Unknown,
)
from tidewire.runtime.tables.sql_columns import ColumnText, IndexText, column_name, index_columns, read_column
from tidewire.runtime.tables.sql_defaults import read_default
from tidewire.runtime.tables.sql_reader import CONSTRAINTS, constraint
from tidewire.runtime.tables.sql_tokens import Clause

Declared = TypeVar("Declared", bound=DeclaredColumn)

_INDEX = ("INDEX", "KEY")
_KINDS_OF_INDEX = ("FULLTEXT", "SPATIAL")
_NEW_KINDS_OF_INDEX = ("VECTOR", "COLUMNAR")
"""Kinds of indexes whose words can also be column names."""
_BEHIND_COLUMN = ("FIRST", "AFTER", "PARTITION", "REMOVE")
"""Words that end the definition of a column: its position, and clauses that may follow without a comma."""
_WITHOUT_COMMA = (
    *("PARTITION", "REMOVE", "REORGANIZE", "SPLIT", "MERGE", "COALESCE", "REBUILD", "OPTIMIZE", "REPAIR", "CHECK"),
)
"""Words of partition clauses, which may follow others without a comma."""
_OPTIONS = frozenset(
    """ACTIVE_ACTIVE AFFINITY ALGORITHM ATTRIBUTES AUTOEXTEND_SIZE AUTO_ID_CACHE AUTO_INCREMENT AUTO_RANDOM_BASE
    AVG_ROW_LENGTH CACHE CHARACTER CHAR CHARSET CHECKSUM COLLATE COMMENT COMPACT COMPRESSION CONNECTION DATA DEFAULT
    DELAY_KEY_WRITE DISABLE ENABLE ENCRYPTION ENGINE ENGINE_ATTRIBUTE FORCE IETF_QUOTES INDEX INSERT_METHOD
    KEY_BLOCK_SIZE LOCK MAX_ROWS MIN_ROWS NOCACHE NODEGROUP ORDER PACK_KEYS PAGE_CHECKSUM PASSWORD PLACEMENT
    PRE_SPLIT_REGIONS READ ROW_FORMAT SECONDARY_ENGINE SECONDARY_ENGINE_ATTRIBUTE SECONDARY_LOAD SECONDARY_UNLOAD
    SEQUENCE SHARD_ROW_ID_BITS SOFTDELETE STATS_AUTO_RECALC STATS_BUCKETS STATS_COL_CHOICE STATS_COL_LIST STATS_OPTIONS
    STATS_PERSISTENT STATS_SAMPLE_PAGES STATS_SAMPLE_RATE STATS_TOPN STORAGE TABLESPACE TABLE_CHECKSUM TRANSACTIONAL TTL
    TTL_ENABLE TTL_JOB_INTERVAL UNION WITH WITHOUT""".split()
)
"""First words of clauses that change neither rows nor columns: table options, and how the statement is executed."""
_SECOND = {
    "CHARACTER": ("SET",),
    "CHAR": ("SET",),
    "DATA": ("DIRECTORY",),
    "DEFAULT": ("CHARACTER", "CHAR", "CHARSET", "COLLATE", "ENCRYPTION", "PLACEMENT"),
    "DISABLE": ("KEYS",),
    "ENABLE": ("KEYS",),
    "FORCE": ("", ",", "AUTO_INCREMENT", "AUTO_RANDOM_BASE"),
    "INDEX": ("DIRECTORY",),
    "ORDER": ("BY",),
    "PLACEMENT": ("POLICY",),
    "READ": ("ONLY", "WRITE"),
    "WITH": ("VALIDATION",),
    "WITHOUT": ("VALIDATION",),
}
"""Words that must follow these first words."""
_STATISTICS = ("CARDINALITY", "CORRELATION", "DEPENDENCY")
_NO_NAMES = ("", ",", "CASCADE", "RESTRICT")
"""Words that can follow the name of a dropped column."""
_LISTS = ("ORDER", "STATS_COL_LIST")
"""Options whose values may contain commas."""
_PARTS = frozenset(("ADD", "ALTER", "CHANGE", "DROP", "EXCHANGE", "MODIFY", "RENAME", "TRUNCATE"))
"""First words of all other clauses. No option contains one of them."""
_NEW_PART = frozenset((*_PARTS, *_OPTIONS, "CONVERT", "REMOVE", "SET"))
"""First words that end a list of names."""
_KEPT_PARTITIONS = (
    *(("ADD", "PARTITION"), ("REORGANIZE", "PARTITION"), ("COALESCE", "PARTITION"), ("REBUILD", "PARTITION")),
    *(("OPTIMIZE", "PARTITION"), ("REPAIR", "PARTITION"), ("CHECK", "PARTITION"), ("ANALYZE", "PARTITION")),
    *(("LAST", "PARTITION"), ("SPLIT", "MAXVALUE", "PARTITION"), ("MERGE", "FIRST", "PARTITION")),
    *(("PARTITION", "BY"), ("REMOVE", "PARTITIONING")),
)
"""First words of clauses that repartition rows without deleting any."""


def altered(clause: Clause, statement: str, types: TypesOfTables | None, schema: str) -> Iterator[Action]:
    """The effects of ALTER TABLE, after these two words.

    Args:
        clause: cursor at the name of the table.
        statement: text of the statement, with its comments.
        types: types of the database; None: column definitions are not understood.
        schema: schema of tables that the statement names without one.

    Raises:
        SqlError: there is no table name.
    """
    clause.accept("IF", "EXISTS")
    table = table_name(clause, schema)
    if clause.ended:
        yield NoEffect("nothing", table=table)
        return
    parts = Parts(clause, types, table, schema)
    while not clause.ended:
        start = clause.at
        try:
            # a clause counts only if it is understood to its end
            yield from list(parts.read())
        except SqlError as error:
            text = statement[clause.tokens[start].start : clause.tokens[-1].end]
            yield Unknown(text, str(error), table)
            clause.at = len(clause.tokens)


def table_name(clause: Clause, schema: str) -> Name:
    """Reads the name of a table; without a schema it gets this one.

    Raises:
        SqlError: there is no name.
    """
    name = clause.name()
    return Name(name, clause.name()) if clause.accept(".") else Name(schema, name)


def known_types(clause: Clause, types: TypesOfTables | None) -> TypesOfTables:
    """The types of the database, if given.

    Raises:
        SqlError: they are not given.
    """
    if types is None:
        clause.fail("the types of the database are not given")
    return types


def declared(
    made: type[Declared],
    column: ColumnText,
    table: Name,
    conditional: bool = False,
    position: Literal["first", "after"] | None = None,
    after: str | None = None,
) -> Declared:
    """The action for a column definition that was read."""
    return made(
        column.name,
        column.type,
        column.nullable,
        column.default,
        position,
        after,
        column.charset,
        column.collation,
        column.generated,
        column.stored,
        column.counted,
        column.updated,
        conditional,
        table,
    )


def key_columns(indexes: Sequence[IndexText]) -> tuple[str, ...]:
    """Columns of the primary key among some indexes; empty: there is none."""
    return next((index.columns for index in indexes if index.primary), ())


class Parts:
    """Reads the clauses of one ALTER TABLE."""

    def __init__(self, clause: Clause, types: TypesOfTables | None, table: Name, schema: str) -> None:
        """
        Args:
            clause: cursor after the table's name.
            types: types of the database; None: column definitions are not understood.
            schema: schema of tables that the statement names without one.
        """
        self._clause = clause
        self._types = types
        self._table = table
        self._schema = schema

    def read(self) -> Iterator[Action]:
        """Reads one clause, with the comma after it.

        Raises:
            SqlError: it is not understood.
        """
        clause = self._clause
        if self._partitions_kept():
            yield self._nothing("how rows are laid in partitions")
        elif clause.accept("ADD"):
            yield from self._added()
        elif clause.accept("DROP"):
            yield from self._dropped()
        elif clause.accept("MODIFY"):
            clause.accept("COLUMN")
            yield from self._defined(ModifyColumn, clause.accept("IF", "EXISTS"))
        elif clause.accept("CHANGE"):
            clause.accept("COLUMN")
            conditional = clause.accept("IF", "EXISTS")
            old = column_name(clause)
            changed = list(self._defined(ModifyColumn, conditional))
            new = next(one.name for one in changed if isinstance(one, ModifyColumn))
            if old != new:
                yield RenameColumn(old, new, conditional, self._table)
            yield from changed
        elif clause.accept("ALTER"):
            yield self._defaulted()
        elif clause.accept("RENAME"):
            yield self._renamed()
        elif clause.accept("TRUNCATE", "PARTITION"):
            yield TruncatePartition(() if clause.accept("ALL") else self._names(), self._table)
        elif clause.accept("EXCHANGE", "PARTITION"):
            yield self._exchanged()
        elif clause.accept("FIRST", "PARTITION", "LESS", "THAN"):
            below, _ = clause.inside()
            yield DropPartition((), below, clause.accept("IF", "EXISTS"), self._table)
        else:
            yield self._option()
        if clause.accept(","):
            if clause.ended:
                clause.fail("another part is expected behind the comma")
        elif not clause.ended and clause.word() not in _WITHOUT_COMMA:
            clause.fail("a comma is expected between the parts of ALTER TABLE")

    def _partitions_kept(self) -> bool:
        """Reads a clause that repartitions rows without deleting any; False: the next clause is another one."""
        clause = self._clause
        if not any(clause.accept(*words) for words in _KEPT_PARTITIONS):
            return False
        self._skip(True)
        return True

    def _skip(self, lists: bool) -> None:
        """Skips to the comma after the clause; commas between names or texts of a list do not end it.

        Raises:
            SqlError: words of another clause occur before the comma.
        """
        clause, depth = self._clause, 0
        while not clause.ended:
            word = clause.word()
            depth += {"(": 1, ")": -1}.get(word, 0)
            if not depth and word in _PARTS:
                clause.fail("a comma is expected between the parts of ALTER TABLE")
            if not depth and word == "," and not (lists and self._goes_on()):
                return
            clause.next()

    def _goes_on(self) -> bool:
        """Whether the comma is followed by another name or text of the list, not by another clause."""
        clause = self._clause
        return clause.word(1) not in _NEW_PART

    def _nothing(self, reason: str, unique: bool = False) -> NoEffect:
        return NoEffect(reason, unique, self._table)

    def _option(self) -> Action:
        """Reads table options, or how the statement is executed."""
        clause = self._clause
        word = clause.word()
        if clause.accept("SET", "TIFLASH", "REPLICA") or clause.accept("SET", "HYPO", "TIFLASH", "REPLICA"):
            self._skip(True)
            return self._nothing("replicas")
        if clause.accept("CONVERT", "TO"):
            for words in (("CHARACTER", "SET"), ("CHAR", "SET"), ("CHARSET",)):
                if clause.accept(*words):
                    break
            else:
                clause.fail("CHARACTER SET is expected")
            if clause.word() == "BINARY" or (clause.kind() == "STRING" and clause.string().lower() == "binary"):
                clause.fail("texts become bytes, in all columns that the statement does not name")
            self._skip(False)
            return self._nothing("in which character set texts are kept")
        if clause.accept("REMOVE", "TTL"):
            return self._nothing("option TTL of the table")
        if word == "PARTITION":
            clause.next()
            clause.name()
            self._skip(False)
            return self._nothing("options of a partition")
        if word not in _OPTIONS:
            clause.fail("no part of ALTER TABLE is known that begins so")
        clause.next()
        if word in _SECOND and clause.word() not in _SECOND[word]:
            clause.fail(f"one of these is expected behind {word}: {' '.join(_SECOND[word]).strip()}")
        self._skip(word in _LISTS)
        return self._nothing(f"option {word} of the table")

    # ---- columns

    def _added(self) -> Iterator[Action]:
        clause = self._clause
        if not clause.accept("COLUMN"):
            index = self._added_index()
            if index is not None:
                yield index
                return
        conditional = clause.accept("IF", "NOT", "EXISTS")
        if clause.word() != "(":
            yield from self._defined(AddColumn, conditional)
            return
        _, inside = clause.inside()
        indexes: list[IndexText] = []
        for part in inside.parts():
            before = len(indexes)
            if not constraint(part, indexes, []):
                column = read_column(part, known_types(part, self._types))
                yield declared(AddColumn, column, self._table, conditional)
                indexes += column.indexes
            elif not any(index.primary for index in indexes[before:]):
                yield self._nothing("an index", any(index.unique for index in indexes[before:]))
        yield from self._key_added(indexes)

    def _key_added(self, indexes: Sequence[IndexText]) -> Iterator[Action]:
        """The effects of indexes that column definitions declare."""
        key = key_columns(indexes)
        if key:
            yield ChangedKey("added", key, self._table)
        elif any(index.unique for index in indexes):
            yield self._nothing("an index", True)

    def _added_index(self) -> Action | None:
        """Reads what ADD adds; None: it is a column."""
        clause = self._clause
        word, behind = clause.word(), clause.word(1)
        if word == "STATS_EXTENDED" and self._statistics():
            return self._nothing("statistics")
        if clause.accept("CONSTRAINT"):
            if clause.word() not in CONSTRAINTS:
                clause.name()
            word, behind = clause.word(), clause.word(1)
            if word not in CONSTRAINTS:
                clause.fail("PRIMARY KEY, UNIQUE, FOREIGN KEY or CHECK is expected")
        if clause.accept("PRIMARY", "KEY"):
            while not clause.ended and clause.word() not in ("(", ","):
                clause.next()  # its name and kind
            columns, _ = index_columns(clause)
            self._skip(False)
            return ChangedKey("added", columns, self._table)
        kinds = ("UNIQUE", "FOREIGN", *_INDEX, *_KINDS_OF_INDEX)
        if word in kinds or (word in _NEW_KINDS_OF_INDEX and behind in _INDEX):
            clause.next()
            self._skip(False)
            return self._nothing("a foreign key" if word == "FOREIGN" else "an index", word == "UNIQUE")
        if word == "CHECK":
            clause.next()
            self._skip(False)
            return self._nothing("a check of values")
        return None

    def _statistics(self) -> bool:
        """Reads extended statistics; False: the word is the name of a column."""
        clause, start = self._clause, self._clause.at
        clause.next()
        clause.accept("IF", "NOT", "EXISTS")
        clause.name()
        if clause.word() not in _STATISTICS or clause.word(1) != "(":
            clause.at = start
            return False
        self._skip(False)
        return True

    def _defined(self, made: type[AddColumn] | type[ModifyColumn], conditional: bool) -> Iterator[Action]:
        """Reads the definition of a column, and its position."""
        clause = self._clause
        end = self._end()
        own = Clause(clause.text, clause.tokens[clause.at : end])
        try:
            column = read_column(own, known_types(own, self._types), _BEHIND_COLUMN)
        finally:
            clause.at += own.at
        position: Literal["first", "after"] | None = None
        after = None
        if clause.accept("FIRST"):
            position = "first"
        elif clause.accept("AFTER"):
            position, after = "after", column_name(clause)
        yield declared(made, column, self._table, conditional, position, after)
        yield from self._key_added(column.indexes)

    def _end(self) -> int:
        """Index of the token that ends the clause: the comma, or after the last token."""
        depth, clause = 0, self._clause
        for ahead in range(len(clause.tokens) - clause.at):
            word = clause.word(ahead)
            depth += {"(": 1, ")": -1}.get(word, 0)
            if word == "," and not depth:
                return clause.at + ahead
        return len(clause.tokens)

    def _dropped(self) -> Iterator[Action]:
        clause = self._clause
        if clause.accept("PRIMARY", "KEY"):
            yield ChangedKey("dropped", (), self._table)
        elif clause.accept("PARTITION"):
            conditional = clause.accept("IF", "EXISTS")
            yield DropPartition(self._names(), None, conditional, self._table)
        elif clause.word() in _INDEX:
            clause.next()
            clause.accept("IF", "EXISTS")
            primary = clause.name().upper() == "PRIMARY"
            yield ChangedKey("dropped", (), self._table) if primary else self._nothing("an index", True)
        elif clause.accept("FOREIGN", "KEY"):
            clause.accept("IF", "EXISTS")
            clause.name()
            yield self._nothing("a foreign key")
        elif clause.word() in ("CHECK", "CONSTRAINT"):
            clause.next()
            clause.name()
            yield self._nothing("a check of values")
        elif clause.word() == "STATS_EXTENDED" and (clause.kind(1) == "IDENTIFIER" or clause.word(1) not in _NO_NAMES):
            clause.next()
            clause.accept("IF", "EXISTS")
            clause.name()
            yield self._nothing("statistics")
        else:
            clause.accept("COLUMN")
            conditional = clause.accept("IF", "EXISTS")
            yield DropColumn(column_name(clause), conditional, self._table)
            if not clause.accept("RESTRICT"):
                clause.accept("CASCADE")

    def _defaulted(self) -> Action:
        """Reads ALTER TABLE … ALTER: a default of a column, or the visibility of an index or enforcement of a check."""
        clause = self._clause
        if clause.word() in ("INDEX", "CHECK", "CONSTRAINT"):
            index = clause.next().text.upper() == "INDEX"
            clause.name()
            self._skip(False)
            return self._nothing("whether an index is used" if index else "a check of values")
        clause.accept("COLUMN")
        name = column_name(clause)
        if clause.accept("DROP", "DEFAULT"):
            return DropDefault(name, self._table)
        clause.expect("SET", "DEFAULT")
        return SetDefault(name, read_default(clause), self._table)

    def _renamed(self) -> Action:
        clause = self._clause
        if clause.accept("COLUMN"):
            old = column_name(clause)
            clause.expect("TO")
            return RenameColumn(old, column_name(clause), False, self._table)
        if clause.word() in _INDEX:
            clause.next()
            clause.name()
            clause.expect("TO")
            clause.name()
            return self._nothing("the name of an index")
        for word in ("TO", "AS", "="):
            if clause.accept(word):
                break
        return RenameTable(self._table, table_name(clause, self._schema))

    # ---- partitions

    def _names(self) -> tuple[str, ...]:
        """Reads partition names separated by commas; TiDB allows no other clause after them."""
        clause = self._clause
        found = [clause.name()]
        while clause.accept(","):
            found.append(clause.name())
        return tuple(found)

    def _exchanged(self) -> Action:
        clause = self._clause
        partition = clause.name()
        clause.expect("WITH", "TABLE")
        table = table_name(clause, self._schema)
        if not clause.accept("WITH", "VALIDATION"):
            clause.accept("WITHOUT", "VALIDATION")
        return ExchangePartition(partition, table, self._table)
