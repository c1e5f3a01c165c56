"""Descriptions of tables as the mysql client, mysqldump and Dumpling print them."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from commands import tidewire

from tidewire.cli.seen_tables import described
from tidewire.cli.shell import CommandError
from tidewire.runtime.errors import SqlError
from tidewire.runtime.tables.sql_client import plain_sql
from tidewire.tables import TableStore

ORDERS = """CREATE TABLE `orders` (
  `id` int NOT NULL COMMENT 'it''s a \\\\ b\\nc; | x |',
  `kind` enum('a\tb','c;d') DEFAULT NULL,
  `price` decimal(10,2) DEFAULT NULL,
  PRIMARY KEY (`id`) /*T![clustered_index] CLUSTERED */
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin COMMENT='a table'"""
ITEMS = """CREATE TABLE `items``s` (
  `k` varchar(20) NOT NULL,
  PRIMARY KEY (`k`) /*T![clustered_index] NONCLUSTERED */
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin
PARTITION BY RANGE (`k`)
(PARTITION `p0` VALUES LESS THAN (10),
 PARTITION `p1` VALUES LESS THAN (MAXVALUE))"""
TABLES = (("orders", ORDERS), ("items`s", ITEMS))
VIEW = "CREATE ALGORITHM=UNDEFINED DEFINER=`root`@`%` SQL SECURITY DEFINER VIEW `v` AS select 1 AS `1`"
STARS = "*" * 27
USE = "USE shop;\n"


def escaped(text: str) -> str:
    return text.replace("\\", "\\\\").replace("\n", "\\n").replace("\t", "\\t")


def batch() -> str:
    rows = "".join(f"Table\tCreate Table\n{name}\t{escaped(sql)}\n" for name, sql in TABLES)
    titles = "View\tCreate View\tcharacter_set_client\tcollation_connection\n"
    return f"{USE}{rows}{titles}v\t{escaped(VIEW)}\tutf8mb4\tutf8mb4_general_ci\n"


def without_titles() -> str:
    return USE + "".join(f"{name}\t{escaped(sql)}\n" for name, sql in TABLES)


def raw() -> str:
    return USE + "".join(f"Table\tCreate Table\n{name}\t{sql}\n" for name, sql in TABLES)


def raw_without_titles() -> str:
    return "USE old\n" + "".join(f"{name}\t{sql}\n" for name, sql in TABLES) + without_titles().replace(";\n", "\n", 1)


def vertical() -> str:
    rows = "".join(f"{STARS} 1. row {STARS}\n       Table: {name}\nCreate Table: {sql}\n" for name, sql in TABLES)
    view = f"{STARS} 1. row {STARS}\n                View: v\n         Create View: {VIEW}\n"
    more = "character_set_client: utf8mb4\ncollation_connection: utf8mb4_general_ci\n1 row in set (0.00 sec)\n"
    return f"{USE}{rows}{view}{more}"


def vertical_without_titles() -> str:
    return USE + "".join(f"{STARS} 1. row {STARS}\n{name}\n{sql}\n" for name, sql in TABLES)


def box(*tables: tuple[str, str]) -> str:
    first, second = (max(map(len, column)) for column in zip(("Table", "Create Table"), *tables, strict=True))
    border = f"+-{'-' * first}-+-{'-' * second}-+\n"
    rows = "".join(f"| {name.ljust(first)} | {sql.ljust(second)} |\n" for name, sql in tables)
    return f"{border}| {'Table'.ljust(first)} | {'Create Table'.ljust(second)} |\n{border}{rows}{border}"


def boxes() -> str:
    return USE + "".join(f"{box(one)}1 row in set (0.00 sec)\n\n" for one in TABLES)


def one_box() -> str:
    return USE + box(*TABLES)


def terminal() -> str:
    asked = "".join(f"mysql> show create table `x`\n    -> ;\n{box(one)}1 row in set (0.00 sec)\n\n" for one in TABLES)
    return f"mysql: [Warning] Using a password can be insecure.\nmysql> use shop\nDatabase changed\n{asked}mysql> "


def prompt_with_database() -> str:
    return "".join(f"MariaDB [shop]> show create table `x`;\n{box(one)}" for one in TABLES)


def dump() -> str:
    return f"""-- MySQL dump 10.13  Distrib 8.0.36, for Linux (x86_64)
--
-- Host: 127.0.0.1    Database: shop
/*!40101 SET @OLD_CHARACTER_SET_CLIENT=@@CHARACTER_SET_CLIENT */;
/*!50503 SET NAMES utf8mb4 */;

CREATE DATABASE /*!32312 IF NOT EXISTS*/ `shop` /*!40100 DEFAULT CHARACTER SET utf8mb4 */;

USE `shop`;
DROP TABLE IF EXISTS `orders`;
/*!40101 SET @saved_cs_client     = @@character_set_client */;
{ORDERS};
DELIMITER ;;
/*!50003 CREATE*/ /*!50017 DEFINER=`root`@`localhost`*/ /*!50003 TRIGGER `tr` BEFORE INSERT ON `orders`
FOR EACH ROW BEGIN
  IF NEW.id > 3 THEN SET NEW.price = ';;'; END IF; -- it's ;; here
  ALTER TABLE x ADD y INT;
END */;;
DELIMITER ;
delimiter $$
CREATE DEFINER=`root`@`%` PROCEDURE `p`()
BEGIN
  CREATE TABLE tmp (a INT);
  ALTER TABLE orders ADD z INT;
END$$
{ITEMS}$$
delimiter ;
/*!50001 DROP VIEW IF EXISTS `v`*/;
/*!50001 CREATE ALGORITHM=UNDEFINED */
/*!50013 DEFINER=`root`@`%` SQL SECURITY DEFINER */
/*!50001 VIEW `v` AS select 1 AS `1` */;
-- Dump completed
"""


FORMS: tuple[Callable[[], str], ...] = (
    *(batch, without_titles, raw, vertical, vertical_without_titles, boxes, one_box, terminal),
    *(prompt_with_database, dump),
)


def wanted() -> TableStore:
    store = TableStore()
    for _, sql in TABLES:
        store.add_sql(sql, "shop")
    return store


@pytest.mark.parametrize("ends", ["\n", "\r\n"])
@pytest.mark.parametrize("mark", ["", "\ufeff"])
@pytest.mark.parametrize("form", FORMS)
def test_all_forms_say_the_same(form: Callable[[], str], mark: str, ends: str, tmp_path: Path) -> None:
    path = tmp_path / "tables.sql"
    path.write_bytes((mark + form().replace("\n", ends)).encode())
    found = described([str(path)])
    assert found is not None
    assert list(found) == list(wanted())


def test_a_database_holds_until_another_one_is_said() -> None:
    store = TableStore()
    store.add_sql(raw_without_titles())
    assert [(one.schema, one.table) for one in store] == [
        *(("old", name) for name, _ in TABLES),
        *(("shop", name) for name, _ in TABLES),
    ]


def test_use_needs_no_semicolon() -> None:
    """The client ends it with the line; the statement behind it is not let go."""
    store = TableStore()
    store.add_sql("USE shop\nCREATE TABLE a (id INT);\nUSE other\nCREATE TABLE b (id INT)")
    assert [(one.schema, one.table) for one in store] == [("shop", "a"), ("other", "b")]


def test_files_of_dumpling_name_the_database(tmp_path: Path) -> None:
    head = "/*!40014 SET FOREIGN_KEY_CHECKS=0*/;\n/*!40101 SET NAMES binary*/;\n"
    paths = []
    for name, sql in (("my%2Eshop.orders-schema.sql", ORDERS), ("shop.items-schema.sql", ITEMS)):
        (tmp_path / name).write_text(f"{head}{sql};\n")
        paths.append(str(tmp_path / name))
    found = described(paths)
    assert found is not None
    assert [(one.schema, one.table) for one in found] == [("my.shop", "orders"), ("shop", "items`s")]


@pytest.mark.parametrize("form", FORMS)
def test_what_cannot_be_read_is_said_with_its_line(form: Callable[[], str], tmp_path: Path) -> None:
    good = form()
    wrong = good.replace("varchar(20)", "varchr(20)")
    line = 1 + wrong[: wrong.index("varchr")].count("\n")
    with pytest.raises(SqlError) as caught:
        TableStore().add_sql(wrong)
    assert caught.value.line == line
    path = tmp_path / "tables.sql"
    path.write_text(wrong)
    with pytest.raises(CommandError, match=rf"^--tables: {path}: SQL, line {line}: 'varchr\(20\)' is no type of"):
        described([str(path)])


def test_a_row_of_another_table_is_no_form() -> None:
    """Where name and statement differ nothing is taken for an answer of the client."""
    for text in ("orders\tCREATE TABLE `items` (\\n  `id` int\\n)", "Table\tCreate Tabel\norders\tnothing"):
        with pytest.raises(SqlError):
            TableStore().add_sql(text, "shop")


@pytest.mark.parametrize(
    "text",
    ["", "SELECT 1", f"{ORDERS};\n{ITEMS};\n", "-- a\tCREATE TABLE x\n", "INSERT INTO x VALUES ('\n| a | b |\n');"],
)
def test_other_text_stays_as_it_is(text: str) -> None:
    assert plain_sql(text).text == text


def test_utf_16_is_named(tmp_path: Path) -> None:
    path = tmp_path / "tables.sql"
    path.write_bytes(batch().encode("utf-16"))
    with pytest.raises(CommandError, match="not UTF-8 at byte 0; it looks like UTF-16: convert it, such as iconv -f"):
        described([str(path)])


def test_a_command_reads_rows_by_them(tmp_path: Path) -> None:
    paths = [tmp_path / "orders.txt", tmp_path / "items.txt"]
    for path, (name, sql) in zip(paths, TABLES, strict=True):
        path.write_text(f"{USE}Table\tCreate Table\n{name}\t{escaped(sql)}\n")
    message = '{"before":null,"after":{"id":7,"kind":null,"price":"AfQ="},"op":"c","ts_ms":1,'
    message += '"source":{"connector":"mysql","db":"shop","table":"orders","ts_ms":1}}\n'
    options = ["--tables", paths[0], "--tables", paths[1], "-o", "decimal-handling-mode=precise"]
    done = tidewire("decode", "debezium", "--from", "lines", *options, stdin=message)
    assert (done.exit_code, done.stderr) == (0, "")
    assert '"new":{"id":7,"kind":null,"price":"5.00"}' in done.stdout


def test_long_lines_are_read_in_linear_time() -> None:
    wide = box(("orders", ORDERS + " " * 200_000))
    assert plain_sql(wide).text.count(";") > 3
    store = TableStore()
    store.add_sql(USE + wide)
    assert len(store) == 1
