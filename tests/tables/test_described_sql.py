"""Descriptions from CREATE TABLE statements: what TiDB made of them, and what cannot be read."""

from __future__ import annotations

import pickle
from random import Random

import pytest
from hypothesis import given
from timed import fastest

from tables.damaged import damaged
from tables.described import simple_descriptions, tables
from tidewire.runtime.errors import ContradictionError, DescriptionError, SqlError
from tidewire.runtime.tables.differences import contradiction
from tidewire.tables import IndexDescription, TableDescription, TableStore

SHOWN = r"""
-- a dump
/*!40101 SET NAMES binary*/;
DROP TABLE IF EXISTS `orders`;
CREATE DATABASE `shop`;
USE `shop`;
CREATE TABLE `orders` (
  `id` bigint(20) NOT NULL /*T![auto_rand] AUTO_RANDOM(5) */ COMMENT 'the key',
  `it``s` varchar(20) CHARACTER SET gbk COLLATE gbk_bin DEFAULT 'it''s; \\ ``',
  `price` decimal(10,2) unsigned zerofill DEFAULT '1.50',
  `f` float unsigned DEFAULT NULL,
  `at` timestamp(3) NULL DEFAULT CURRENT_TIMESTAMP(3) ON UPDATE CURRENT_TIMESTAMP(3),
  `state` enum('new','it''s (paid)') NOT NULL DEFAULT 'new',
  `bits` bit(5) DEFAULT b'101',
  `twice` bigint(20) GENERATED ALWAYS AS (`id` * (2 + 0)) STORED,
  `key` json DEFAULT NULL,
  PRIMARY KEY (`id`) /*T![clustered_index] CLUSTERED */,
  UNIQUE KEY `u` (`it``s`(10),`state`),
  KEY `expression` ((lower(`it``s`))),
  CONSTRAINT `fk_1` FOREIGN KEY (`price`) REFERENCES `other` (`p`) ON DELETE SET NULL ON UPDATE NO ACTION,
  CONSTRAINT `c` CHECK ((`price` > 0))
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_general_ci COMMENT='all, (of) them' /*T! SHARD_ROW_ID_BITS=4 */
PARTITION BY RANGE (`id`) (PARTITION `p0` VALUES LESS THAN (10) COMMENT 'p');
INSERT INTO `orders` VALUES (1,'create table x (a int);');
CREATE TABLE IF NOT EXISTS other.customers (
  name nvarchar(5) binary, b bool default true, raw binary(3) default 'a', code varchar(4) charset binary,
  n smallint default -1 unique, `primary` int, key (name), unique (n, b), y year, primary key (name, b) nonclustered
);
CREATE TEMPORARY TABLE scratch (a int);
"""


def test_a_dump_of_show_create_table() -> None:
    store = TableStore()
    orders, customers = store.add_sql(SHOWN, version=9)
    assert store.find("shop", "orders", 9) is orders
    assert (orders.comment, orders.charset) == ("all, (of) them", "utf8mb4")
    assert [tuple(column)[:2] for column in map(_short, orders.columns)] == [
        ("id", "bigint 20"),
        ("it`s", "varchar 20"),
        ("price", "decimal 10 2 unsigned zerofill"),
        ("f", "float 12 unsigned"),
        ("at", "timestamp 23 3"),
        ("state", "enum 11"),
        ("bits", "bit 5 unsigned"),
        ("twice", "bigint 20"),
        ("key", "json 4294967295"),
    ]
    assert [one.default for one in orders.columns] == [
        None,
        "it's; \\ ``",
        "1.50",
        None,
        "CURRENT_TIMESTAMP",
        "new",
        5,
        None,
        None,
    ]
    by_name = {one.name: one for one in orders.columns}
    assert by_name["id"].comment == "the key"
    assert (by_name["it`s"].charset, by_name["it`s"].collation) == ("gbk", "gbk_bin")
    assert (by_name["state"].charset, by_name["state"].collation) == ("utf8mb4", "utf8mb4_general_ci")
    assert by_name["state"].labels == ("new", "it's (paid)")
    assert (by_name["twice"].generated, by_name["twice"].stored) == ("`id` * (2 + 0)", True)
    assert (by_name["at"].nullable, by_name["state"].nullable) == (True, False)
    assert (by_name["at"].on_update, by_name["at"].auto_increment) == (True, None)
    assert orders.indexes == (
        IndexDescription("u", ("it`s", "state"), True, False, True),
        IndexDescription("fk_1", ("price",), False, False, True),
        IndexDescription("primary", ("id",), True, True, False),
    )
    assert (customers.schema, customers.version) == ("other", 9)
    assert [(one.mysql_type, one.length, one.default, one.collation) for one in customers.columns] == [
        ("varchar", 5, None, "utf8_bin"),
        ("tinyint", 1, "1", "binary"),
        ("binary", 3, "a\0\0", "binary"),
        ("varbinary", 4, None, "binary"),
        ("smallint", 6, "-1", "binary"),
        ("int", 11, None, "binary"),
        ("year", 4, None, "binary"),
    ]
    assert [(one.name, one.columns) for one in customers.indexes] == [
        ("name", ("name",)),
        ("n", ("n", "b")),
        ("PRIMARY", ("name", "b")),
        ("n_2", ("n",)),
    ]


def _short(column: object) -> tuple[str, str]:
    names = ("mysql_type", "length", "scale")
    words = [str(value) for name in names if (value := getattr(column, name)) is not None]
    words += [name for name in ("unsigned", "zerofill") if getattr(column, name)]
    return str(getattr(column, "name", "")), " ".join(words)


@given(tables())
def test_sql_and_back(one: TableDescription) -> None:
    """What SQL has no place for aside: ids and versions; a scale or collation is TiDB's default where none is said."""
    (found,) = TableStore().add_sql(one.to_sql(), version=one.version)
    wanted = one.replaced(id=None, charset=one.charset or "utf8mb4")
    columns = tuple(
        TableDescription.from_json({"table": "t", "columns": [_said(c, f)]}).columns[0]
        for c, f in zip(wanted.columns, found.columns, strict=True)
    )
    assert found == wanted.replaced(columns=columns)


def _said(column: object, found: object) -> dict[str, object]:
    """A column with what the statement left to TiDB: lengths of types that have none in parentheses."""
    plain = TableDescription("s", "t", [column]).to_json()["columns"][0]  # type: ignore[list-item]
    length = getattr(found, "length", None)
    if "length" not in plain and length is not None:
        plain["length"] = length
    if getattr(column, "mysql_type", "") in ("bit", "year"):
        plain["unsigned"] = True
    if getattr(column, "mysql_type", "") == "year":
        plain["zerofill"] = True
    return dict(plain)


STATEMENTS_THAT_SAY_LESS = {
    # TiDB rewrites the expression of a default
    "js": "columns/d/default",
    # the hidden column of an index on an expression, which is skipped
    "d1": "columns/_V$_ke_0",
    # a unique key on one integer column, which TiCDC repeats as `primary`: taken for the primary key
    "d3": "indexes/primary",
}
"""Recorded tables whose statement and message differ, with the first difference."""
NOT_IN_MESSAGES = ("auto_increment", "on_update", "generated", "stored", "comment")
"""What statements say of columns and messages do not."""


def test_statements_give_the_descriptions_that_messages_have() -> None:
    """For every CREATE TABLE with columns that was recorded. Messages do not say the scale of a FLOAT or DOUBLE either,
    and say a unique key of a table without a primary key once more; TiDB rewrites an expression. What differs is
    listed, with the first difference.
    """
    same, others = 0, []
    for sql, wanted in simple_descriptions():
        if sql is None or "create table" not in sql or " like " in sql:
            continue
        (found,) = TableStore().add_sql(sql, "test", wanted.version)
        columns = []
        for one in found.columns:
            left_out = (*NOT_IN_MESSAGES, *(("scale",) if one.mysql_type in ("float", "double") else ()))
            said = {"table": "t", "columns": [_without(one, *left_out)]}
            columns.append(TableDescription.from_json(said).columns[0])
        found = found.replaced(columns=columns, id=wanted.id, charset=None, comment=None)
        if found == wanted.replaced(indexes=wanted.own_indexes):
            same += 1
        else:
            difference = contradiction(wanted, found)
            others.append((wanted.table, difference.path if difference is not None else "said by one only"))
    assert same == 90
    assert others == list(STATEMENTS_THAT_SAY_LESS.items())


def _without(column: object, *names: str) -> dict[str, object]:
    plain = TableDescription("s", "t", [column]).to_json()["columns"][0]  # type: ignore[list-item]
    return {name: value for name, value in plain.items() if name not in names}


@pytest.mark.parametrize(
    ("column", "said"),
    [
        ("float(24) unsigned", ("float", 12, True, None)),
        ("float4( 25 ) not null", ("double", 22, False, None)),
        ("float(53) default 1.5", ("double", 22, True, "1.5")),
        ("float(0)", ("float", 12, True, None)),
        ("int auto_increment unique", ("int", 11, False, None)),
        ("int null auto_increment unique", ("int", 11, False, None)),
        ("int auto_increment null unique", ("int", 11, True, None)),
        ("int not null null", ("int", 11, True, None)),
        ("enum('0','1','2') default 1", ("enum", 1, True, "0")),
        ("enum('0','1','2') default '1'", ("enum", 1, True, "1")),
        ("enum('x','y') default true", ("enum", 1, True, "x")),
        ("enum('a','A') default 'A  '", ("enum", 1, True, "A")),
        ("enum('a','A') default 'a'", ("enum", 1, True, "a")),
        ("enum('Open') default 'oPEN'", ("enum", 4, True, "Open")),
        ("set('a','1','c') default 5", ("set", 5, True, "a,c")),
        ("set('a','1','c') default '1'", ("set", 5, True, "1")),
        ("set('a','1','c') default 'C,a,c'", ("set", 5, True, "a,c")),
    ],
)
def test_what_the_database_makes_of_a_column(column: str, said: tuple[object, ...]) -> None:
    """Facts: pingcap/tidb pkg/parser/parser.y (FLOAT), pkg/ddl/add_column.go (all else)."""
    (found,) = TableStore().add_sql(f"create table t (c {column})")
    one = found.columns[0]
    assert (one.mysql_type, one.length, one.nullable, one.default) == said
    assert one.scale is None
    assert one.auto_increment is (True if "auto_increment" in column else None)


def test_what_a_message_and_a_statement_say_goes_together() -> None:
    for sql, wanted in simple_descriptions():
        if sql is None or "create table" not in sql or " like " in sql or wanted.table in STATEMENTS_THAT_SAY_LESS:
            continue
        store = TableStore([wanted])
        store.add_sql(sql, "test", wanted.version)
        assert list(store) == [wanted]
    with pytest.raises(ContradictionError):
        store.add_sql(f"create table {wanted.table} (a int)", wanted.schema, wanted.version)


@pytest.mark.parametrize(
    ("text", "line", "sentence"),
    [
        ("create table t like other", 1, "LIKE and SELECT do not tell them: 'like other'"),
        ("create table t (like other)", 1, "LIKE and SELECT"),
        ("create table t (a int) as select 1 a", 1, "made of a query"),
        ("create table t (a int) select 1 a", 1, "made of a query"),
        ("create table t (\n a int,\n b nothing(5)\n)", 3, "TiDB has no type 'nothing'"),
        ("create table t (\n a int,\n b int sometimes null)", 3, "nothing is known that stands here"),
        ("create table t (a int", 1, "these parentheses do not end"),
        ("create table t (a int, key k (b))", 1, "the index k is on b, and there is no such column"),
        ("create table t (a int default )", 1, "a name is expected"),
        ("create table t (a int comment)", 1, "a text in quotes is expected"),
        ("create table t ()", 1, "a name is expected"),
        ("create table t (primary key (a))", 1, "a table has a column"),
        ("create table t (a text(100))", 1, "TiDB chooses a type by this length"),
        ("create table t (a float(54))", 1, "TiDB has no FLOAT of more than 53 binary digits"),
        ("create table t (a float(99999999999999999999))", 1, "TiDB has no FLOAT of more than 53"),
        ("create table t (a double(30))", 1, "TiDB has no DOUBLE with one number in parentheses"),
        ("create table t (a enum('x', 'y') default 3)", 1, "3 is the number of no label of this column"),
        ("create table t (a set('x', 'y') default 4)", 1, "4 is the number of no label"),
        ("create table t (a enum('x', 'y') default -1)", 1, "-1 is the number of no label"),
        ("create table t (a int);\nalter table t add column b int", 2, "this changes a table"),
        ("create table t (a int);\nrename table t to u", 2, "this changes a table"),
        ("create unique index i on t (a)", 1, "this changes a table"),
        ("select 1;\ncreate table `t (a int)", 2, "no end"),
        ("create table t (a varchar(5) default 'x)", 1, "no end"),
        ("select 1;\n create table t /* (a int)", 2, "no end"),
        ("create table", 1, "a name is expected"),
        ("select 1;\nCREATE TABEL x (a int)", 2, "what is created is expected here, as TABLE or VIEW: 'TABEL"),
        ("create", 1, "what is created is expected here"),
        ("create table t (a int, b varchar)", 1, "a length is expected in parentheses behind this type: 'varchar)'"),
        ("create table t (a int, constraint c foreign key (a))", 1, "REFERENCES is expected"),
    ],
)
def test_what_cannot_be_read_is_an_error_with_its_place(text: str, line: int, sentence: str) -> None:
    store = TableStore()
    with pytest.raises(SqlError) as caught:
        store.add_sql(text)
    assert caught.value.line == line
    assert str(caught.value).startswith(f"SQL, line {line}: ")
    assert sentence in str(caught.value)
    assert len(store) == 0
    assert str(pickle.loads(pickle.dumps(caught.value))) == str(caught.value)


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("", "''"),
        (";;", "''"),
        ("-- nothing", "''"),
        ("/* x */", "''"),
        ("insert into t values (1)", "'insert into t values (1)'"),
        ("create view v as select 1", "'create view v as select 1'"),
        ("use s;\ndrop table t", "'use s;'"),
        ("create temporary table t (a int)", "'create temporary table t (a int)'"),
    ],
)
def test_text_without_tables_is_an_error_that_says_what_is_expected(text: str, found: str) -> None:
    store = TableStore()
    with pytest.raises(SqlError) as caught:
        store.add_sql(text)
    sentence = "a CREATE TABLE is expected in this text, as SHOW CREATE TABLE prints it, and there is none"
    assert str(caught.value) == f"SQL, line 1: {sentence}: {found}"
    assert len(store) == 0


def test_other_statements_beside_a_table_are_passed_over() -> None:
    text = "drop table t; create view v as select 1; create table t (a int); insert into t values (1);;"
    assert [one.table for one in TableStore().add_sql(text)] == ["t"]


def test_long_texts_take_time_in_proportion() -> None:
    columns = ", ".join(f"c{at} int(11) DEFAULT '{at}' COMMENT 'x'" for at in range(2000))
    (found,) = TableStore().add_sql(f"CREATE TABLE t ({columns})")
    assert len(found.columns) == 2000
    nested = "(" * 3000 + "1" + ")" * 3000
    (found,) = TableStore().add_sql(f"CREATE TABLE t (a int, b int AS ({nested}))")
    assert found.columns[1].generated == nested


def _parts(count: int, columns: str, part: str) -> str:
    """A statement with so many columns and as many of these behind them."""
    names = ["b int", *dict.fromkeys(columns.format(at) for at in range(count))]
    return f"CREATE TABLE t ({', '.join([*names, *(part.format(at) for at in range(count))])})"


@pytest.mark.parametrize(
    ("columns", "part"),
    [
        ("a int", "KEY (a)"),
        ("a{} int", "FOREIGN KEY (a{}) REFERENCES o (b)"),
        ("a{} int", "FOREIGN KEY (b, a{}) REFERENCES o (b, c)"),
    ],
)
def test_many_indexes_take_time_in_proportion(columns: str, part: str) -> None:
    """Eight times as many take that much longer; 40 times, where each one looks at all the others."""
    few, many = (_parts(count, columns, part) for count in (1000, 8000))
    assert len(TableStore().add_sql(few)[0].indexes) == 1000
    assert _seconds(many) < 25 * _seconds(few)


def test_a_long_set_takes_time_in_proportion() -> None:
    few, many = (_set_with_all_by_default(count) for count in (2000, 32000))
    (found,) = TableStore().add_sql(few)
    assert found.columns[0].default == ",".join(found.columns[0].labels)
    assert _seconds(many) < 60 * _seconds(few)


def _set_with_all_by_default(count: int) -> str:
    labels = [f"l{at}" for at in range(count)]
    quoted = ",".join(f"'{one}'" for one in labels)
    return f"CREATE TABLE t (a set({quoted}) DEFAULT '{','.join(reversed(labels))}')"


def _seconds(text: str) -> float:
    """How long it takes to read a text, undisturbed."""
    return fastest(lambda: TableStore().add_sql(text), times=2)


def test_a_damaged_text_is_read_or_is_an_error_of_ours() -> None:
    random = Random(12)
    texts = [SHOWN, *(sql for sql, _ in simple_descriptions() if sql is not None and len(sql) < 1000)]
    read = 0
    for _ in range(800):
        store = TableStore()
        try:
            read += len(store.add_sql(damaged(random, random.choice(texts))))
        except (SqlError, DescriptionError, ContradictionError):
            continue
        assert [TableDescription.from_json(one.to_json()) for one in store] == list(store)
    assert read > 100


def test_names_may_be_words_of_the_language() -> None:
    text = """create table text (date date, time time, type varchar(5) not null, comment text comment 'x', status int,
      `key` int, a$b int, 1st int, end bigint, long_name long varchar, nat national character varying(7),
      dp double precision, tz timestamp, index status (status),
      primary key (type) using btree comment 'c' /*!80000 invisible */)"""
    (found,) = TableStore().add_sql(text)
    assert [(one.name, one.mysql_type) for one in found.columns] == [
        ("date", "date"),
        ("time", "time"),
        ("type", "varchar"),
        ("comment", "text"),
        ("status", "int"),
        ("key", "int"),
        ("a$b", "int"),
        ("1st", "int"),
        ("end", "bigint"),
        ("long_name", "mediumtext"),
        ("nat", "varchar"),
        ("dp", "double"),
        ("tz", "timestamp"),
    ]
    assert found.primary_key == ("type",)
    assert [one.name for one in found.indexes] == ["status", "PRIMARY"]
    assert (found.columns[10].charset, found.columns[10].length) == ("utf8", 7)


MISSPELT = "no statement is known that begins so, and a misspelt CREATE TABLE is not skipped"


@pytest.mark.parametrize(
    ("statement", "said"),
    [
        ("CRAETE TABLE u (a int)", f"SQL, line 2: {MISSPELT}: 'CRAETE TABLE u (a int)'"),
        ("-- one more\ncreat table u (a int)", f"SQL, line 3: {MISSPELT}: 'creat table u (a int)'"),
        ("*** 1. row ***", f"SQL, line 2: {MISSPELT}: '*** 1. row ***'"),
        ("`CREATE` TABLE u (a int)", f"SQL, line 2: {MISSPELT}: '`CREATE` TABLE u (a int)'"),
        ("ALTER TABEL t ADD c INT", "SQL, line 2: what is altered is expected here, as DATABASE or VIEW: 'TABEL t"),
        ("ALTER IGNORE TABLE t ADD c INT", "SQL, line 2: this changes a table, and is not applied"),
        ("RENAME TABLES t TO u", "SQL, line 2: this changes a table, and is not applied"),
    ],
)
def test_what_is_misspelt_beside_a_readable_table_is_an_error(statement: str, said: str) -> None:
    """Nothing is added: who gives the text misses a table otherwise."""
    store = TableStore()
    for text in (f"CREATE TABLE t (a INT);\n{statement}", f"\n{statement};\nCREATE TABLE t (a INT)"):
        with pytest.raises(SqlError) as caught:
            store.add_sql(text)
        assert str(caught.value).startswith(said.removesuffix("'"))
    assert not store


def test_statements_that_create_no_table_are_skipped() -> None:
    """Those of a dump with data, views, triggers and stored programs."""
    text = """
        /*!40101 SET NAMES utf8mb4 */; SET time_zone = '+00:00'; CREATE DATABASE IF NOT EXISTS s; USE s;
        DROP TABLE IF EXISTS t; CREATE TABLE t (a INT); LOCK TABLES t WRITE; /*!40000 ALTER TABLE t DISABLE KEYS */;
        INSERT INTO t VALUES (1), (2); UNLOCK TABLES; REPLACE INTO t VALUES (3); (SELECT 1);
        WITH a AS (SELECT 1) SELECT 1;
        CREATE OR REPLACE VIEW v AS SELECT 1; ALTER DATABASE s CHARACTER SET utf8mb4; ANALYZE TABLE t;
        GRANT ALL ON s.* TO u;
        DELIMITER ;;
        CREATE DEFINER=`root`@`%` FUNCTION f() RETURNS INT BEGIN DECLARE n INT; SET n = 1;
        again: LOOP LEAVE again; END LOOP;
        IF n THEN SET n = 2; ELSE SET n = 3; END IF; RETURN n; END ;;
        DELIMITER //
        CREATE TRIGGER g BEFORE INSERT ON t FOR EACH ROW BEGIN SET @a = 1; END; //
        DELIMITER ;
        COMMIT;
    """
    assert [one.table for one in TableStore().add_sql(text)] == ["t"]
