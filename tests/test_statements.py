"""Which DDL type a statement has, by its class and its first words."""

from __future__ import annotations

import pytest

from tidewire.mysql import ddl_type_of


@pytest.mark.parametrize(
    ("statement", "cls", "code"),
    [
        ("anything at all", "CREATE", 3),
        (None, "ERASE", 4),
        ("create database shop", "QUERY", 1),
        ("CREATE SCHEMA IF NOT EXISTS `shop`", "QUERY", 1),
        ("drop database shop", None, 2),
        ("alter table shop.orders add column c int", "ALTER", 5),
        ("ALTER TABLE `a``b` . `t` ADD COLUMN IF NOT EXISTS `c` INT", "ALTER", 5),
        ("alter table t add c int", "ALTER", 5),
        ("alter table t add column (c int, d int)", "ALTER", 5),
        ("alter table t add column c int, add column d int", "ALTER", 61),
        ("alter table t add column c enum('a,b')", "ALTER", 5),
        ("/* a, b */ alter table t -- c, d\n drop column c", None, 6),
        ("alter table t add unique (c)", "CINDEX", 7),
        ("create unique index i on t (c, d)", "CINDEX", 7),
        ("alter table t add constraint c foreign key (a) references u (b)", "CINDEX", 9),
        ("alter table t add primary key (c)", "CINDEX", 32),
        ("drop index i on t", "DINDEX", 8),
        ("truncate t", "TRUNCATE", 11),
        ("alter table t change column a b int", "ALTER", 12),
        ("rename table a to b", "RENAME", 14),
        ("alter table a rename to b", "RENAME", 14),
        ("rename table a to b, c to d", "RENAME", 47),
        ("alter table t alter column c set default 5", "ALTER", 15),
        ("alter table t drop partition p0, p1", "ALTER", 20),
        ("alter table t truncate partition p0", "ALTER", 23),
        ("create or replace view v as select a, b from t", "QUERY", 21),
        ("alter table t exchange partition p with table u", "QUERY", 42),
        ("alter table t remove partitioning", "ALTER", 72),
        ("", "QUERY", None),
        ("alter table t", "ALTER", None),
        ("alter table t engine = innodb", "ALTER", None),
        ("grant all on t to u", "QUERY", None),
        ("alter table t add index i (c)", "ALTER", None),
    ],
)
def test_type_of_a_statement(statement: str | None, cls: str | None, code: int | None) -> None:
    assert ddl_type_of(statement, cls) == code


def test_what_is_hostile_ends_soon() -> None:
    assert ddl_type_of("(" * 100_000 + "`" * 100_001 + "/*" * 50_000) is None
