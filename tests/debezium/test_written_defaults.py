"""What encoders write besides values: defaults in the place of NULL, and what statements tell of tables.

Facts 21 to 23 and 33 to 35 of FACTS.md; pingcap/tiflow pkg/sink/codec/debezium/codec.go.
"""

from __future__ import annotations

import json
from typing import Any

import pytest

from tidewire import debezium
from tidewire.events import Column, Ddl, RowChange
from tidewire.mysql import ColumnFlag, declared
from tidewire.tables import ColumnDescription, TableDescription, TableStore

pytestmark = pytest.mark.codec

TS = 470607536966860800
NOW = "default current_timestamp"


PARSED = {
    "bigint unsigned default 18446744073709551615": 0,
    "year default 69": 69,
    "time default '-00:00:01'": 0,
    "int default (1 + 1)": 0,
    "double default (rand())": 0,
    "float(7,3) default (rand())": 0,
}
"""What the new architecture writes otherwise: getValueFromDefault of pingcap/ticdc pkg/sink/codec/debezium/helper.go,
which was run for all of these.
"""


def written(declaration: str, value: Any = None, zone: str | None = None, producer: str = "ticdc") -> Any:
    """What stands for a value of column c, NULL without one."""
    store = TableStore()
    store.add_sql(f"create table s.t (id int primary key, c {declaration})", version=TS - 1)
    said = declared(declaration.partition(" default")[0])
    columns = (
        Column("id", 3, ColumnFlag.HANDLE_KEY | ColumnFlag.PRIMARY_KEY),
        Column("c", said.type, said.flags | ColumnFlag.NULLABLE),
    )
    row = RowChange(
        "insert", commit_ts=TS, schema="s", table="t", columns=columns, new={"id": 1, "c": value}, time_zone=zone
    )
    (message,) = debezium.encode([row], debezium.Options(producer=producer), tables=store)
    payload = json.loads(message.value or b"")["payload"]
    assert json.loads(message.key or b"")["payload"] == {"id": 1}
    return payload["after"]["c"]


@pytest.mark.parametrize(
    ("declaration", "default"),
    [
        ("int default 6", 6),
        ("tinyint unsigned default 255", 255),
        ("bigint default -9223372036854775808", -(2**63)),
        ("bigint default 9007199254740993", 2**53 + 1),
        ("bigint unsigned default 18446744073709551615", -1),
        ("decimal(5,2) default 1.5", 1.5),
        ("double default 0.5", 0.5),
        ("float default 1e20", 10**20),
        ("year default 69", 2069),
        ("bit(1) default b'1'", True),
        ("bit(12) default b'101'", "BQA="),
        ("varchar(20) default 'a\"b<\\n'", 'a"b<\n'),
        ("char(3) default ''", ""),
        ("varbinary(5) default 'a\"b'", "YSJi"),
        ("enum('a','b') default 'b'", "b"),
        ("set('a','b') default 'a,b'", "a,b"),
        ("date default '2020-01-02'", 18263),
        ("datetime default '1970-01-02 00:00:01'", 86_401_000),
        ("datetime(6) default '1970-01-01 00:00:00.000001'", 1),
        ("time default '-00:00:01'", -1_000_000),
        (f"datetime {NOW}", 0),
        ("int", None),
        ("varchar(5) default null", None),
        ("date default '0000-00-00'", None),
        ("datetime default '0000-00-00 00:00:00'", None),
        ("timestamp default '0000-00-00 00:00:00'", None),
        (f"timestamp null {NOW}", None),
        ("varchar(36) default (uuid())", "uuid()"),
        ("int default (1 + 1)", None),
        ("double default (rand())", None),
        ("float(7,3) default (rand())", None),
        ("decimal(5,2) default (rand())", None),
    ],
)
def test_null_in_a_column_with_a_default(declaration: str, default: object) -> None:
    for producer, expected in (("tiflow", default), ("ticdc", PARSED.get(declaration, default))):
        found = written(declaration, producer=producer)
        assert (found, type(found)) == (expected, type(expected))


def test_a_year_that_cannot_be_null_has_a_default_of_the_database() -> None:
    """TiDB stores `0000` where no default is declared, and a statement then says none."""
    year = ColumnDescription("y", "year", length=4, nullable=False, default="0000")
    table = TableDescription("s", "t", (year,), version=TS)
    statement = "create table s.t (y year not null)"
    (message,) = debezium.encode([Ddl(TS, "s", "t", 3, statement, ddl_class="CREATE", table_after=table)])
    (change,) = json.loads(message.value or b"")["payload"]["tableChanges"]
    assert [one["defaultValueExpression"] for one in change["table"]["columns"]] == ["0000"]


def test_the_default_of_a_timestamp_is_taken_for_a_time_of_the_zone() -> None:
    declaration = "timestamp(2) null default '2020-06-01 00:00:00.5'"
    assert written(declaration) == "2020-06-01T00:00:00.50Z"
    assert written(declaration, zone="Asia/Tokyo") == "2020-05-31T15:00:00.50Z"


def test_a_value_is_written_beside_a_default() -> None:
    assert written("int default 6", 0) == 0
    assert written("varchar(5) default 'x'", "") == ""


def test_a_row_whose_table_is_not_described_has_no_defaults() -> None:
    row = RowChange("insert", commit_ts=TS, schema="s", table="t", columns=(Column("c", 3, 0),), new={"c": None})
    (message,) = debezium.encode([row], tables=TableStore())
    assert json.loads(message.value or b"")["payload"]["after"] == {"c": None}


def test_a_call_knows_no_descriptions_of_an_earlier_one() -> None:
    store = TableStore()
    (table,) = store.add_sql("create table s.t (id int primary key, c int default 6)", version=TS)
    statement = Ddl(commit_ts=TS, schema="s", table="t", query="create table t", ddl_type=3, table_after=table)
    row = RowChange("insert", commit_ts=TS, schema="s", table="t", columns=(Column("c", 3, 64),), new={"c": None})
    for _ in range(2):
        assert b'"after":{"c":null}' in (debezium.encode([row])[0].value or b"")
        assert b'"after":{"c":6}' in (debezium.encode([statement, row])[1].value or b"")


# ---- statements


def changes(query: str, ddl_type: int | None = None, **more: Any) -> list[Any] | None:
    """The changes of tables that a statement's message lists, as type, id, and whether the table is there; None: it has
    no message.
    """
    store = TableStore()
    (table,) = store.add_sql("create table s.t (id int auto_increment primary key)", version=TS)
    event = Ddl(commit_ts=TS, schema="s", table="t", query=query, ddl_type=ddl_type, table_after=table, **more)
    found = debezium.encode([event], debezium.Options(enable_tidb_extension=True), tables=store)
    if not found:
        return None
    (message,) = found
    listed = json.loads(message.value or b"")["payload"]["tableChanges"]
    return [(one["type"], one["id"], one["table"] is not None) for one in listed]


OWN = '"s"."t"'


@pytest.mark.parametrize(
    ("query", "ddl_type", "found"),
    [
        ("create table t (id int primary key)", 3, [("CREATE", OWN, True)]),
        ("create table t (id int primary key)", None, [("CREATE", OWN, True)]),
        ("alter table t add column a int", 5, [("ALTER", OWN, True)]),
        ("drop table t", 4, [("DROP", OWN, False)]),
        ("drop index i on t", 8, [("DROP", OWN, True)]),
        ("truncate table t", 11, []),
        ("rename table s.u to s.t", 14, [("ALTER", '"s"."u","s"."t"', True)]),
        ("alter table u rename to t", 14, [("ALTER", '"s"."u","s"."t"', True)]),
        ("alter table t exchange partition p with table x", 42, [("ALTER", OWN, True)]),
        ("alter table t add foreign key (id) references u (id)", 9, None),
        ("alter table t add foreign key (id) references u (id)", None, None),
        ("alter table t ttl = at + interval 1 day", 65, None),
        ("nothing that is known", None, [("ALTER", OWN, True)]),
    ],
)
def test_what_statements_tell_of_tables(query: str, ddl_type: int | None, found: list[Any] | None) -> None:
    assert changes(query, ddl_type) == found


def test_a_renamed_table_is_named_as_its_description_says() -> None:
    (before,) = TableStore().add_sql("create table other.name (id int primary key)", version=TS - 1)
    assert changes("rename table a to t", 14, table_before=before) == [("ALTER", '"other"."name","s"."t"', True)]
    assert changes("alter table t exchange partition p with table x", 42, table_before=before) == [("ALTER", OWN, True)]
