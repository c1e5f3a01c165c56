"""The columns that statements declare anew, and what tables were called that they rename."""

from __future__ import annotations

import pytest

from tidewire.runtime.tables.sql_declared import declared_columns, renamed_from
from tidewire.tables import TableDescription


@pytest.mark.parametrize(
    ("statement", "names"),
    [
        ("create table t (a int, b varchar(5) comment ',', primary key (a), key k (b), unique (b))", "a b"),
        ("CREATE TABLE IF NOT EXISTS `s`.`t` (`key` int, `index` int)", "key index"),
        ("create table t like other", ""),
        ("create table t (like other)", ""),
        ("alter table t add column a int", "a"),
        ("alter table s.t add a int first, add column if not exists b int after a", "a b"),
        ("alter table t add (a int, b datetime(3) default now(3)), drop column c", "a b"),
        ("alter table t add column `after` int after `first`", "after"),
        ("alter table t add column `first` decimal(10,2) not null default '1,5' first", "first"),
        ("alter table t modify a bigint unsigned, modify column b int", "a b"),
        ("alter table t change a b int after c, change column if exists c d int", "b d"),
        (
            "alter table t add index k (a), add unique key u (b), add primary key (c), add constraint x check (a > 0)",
            "",
        ),
        ("alter table t add partition (partition p values less than (5))", ""),
        ("alter table t rename column a to b, alter column c set default 1, drop primary key, rename to u", ""),
        ("rename table a to b", ""),
        ("truncate table t", ""),
        ("drop table t", ""),
        ("alter table t add column", ""),
        ("create table t (a 'unknown)", ""),
        ("", ""),
    ],
)
def test_the_names(statement: str, names: str) -> None:
    assert " ".join(declared_columns(statement, TableDescription.TYPES)) == names


def test_what_is_declared() -> None:
    found = declared_columns(
        "create table t (a serial, b int auto_increment, c timestamp(3) default now(3) on update now(3), d timestamp)",
        TableDescription.TYPES,
    )
    assert [one.auto_increment for one in found.values()] == [True, True, False, False]
    assert [one.on_update for one in found.values()] == [False, False, True, False]
    assert [TableDescription.TYPES.types.declared(one.type).decimals for one in found.values()] == [None, None, 3, None]


@pytest.mark.parametrize(
    ("statement", "before"),
    [
        ("rename table a to t", ("s", "a")),
        ("/* why */ RENAME TABLE `o``ld`.`b``1` TO `s`.`t`, s.x TO s.y", ("o`ld", "b`1")),
        ("rename table x to y, b to t", ("s", "b")),
        ("alter table a rename t", ("s", "a")),
        ("alter table a rename to s.t", ("s", "a")),
        ("alter table o.a add column c int, rename as t", ("o", "a")),
        ("alter table a rename column c to t", None),
        ("alter table a rename index c to t", None),
        ("rename table a to other.t", None),
        ("rename table a", None),
        ("rename", None),
        ("create table t (a int)", None),
        ("rename table 'a", None),
        ("", None),
    ],
)
def test_what_a_table_was_called(statement: str, before: tuple[str, str] | None) -> None:
    assert renamed_from(statement, TableDescription.TYPES, "s", "t") == before
