"""EXCHANGE PARTITION concerns two tables. Which of them a message names follows from what the producer takes for the
event's own table.

pingcap/ticdc at b813e76, logservice/schemastore/persist_storage_ddl_handlers.go: in
buildPersistedDDLEventForExchangePartition "these are the info of the normal table before exchange", `SchemaName` and
`TableName`, and the partitioned table is `ExtraSchemaName` and `ExtraTableName`. In
buildDDLEventForExchangeTablePartition `TableInfo` is the partitioned one after the exchange, and the normal one before
it `MultipleTableInfos[1]`. The encoders write `GetTargetSchemaName()` and `GetTargetTableName()`
(pkg/sink/codec/canal/canal_json_encoder.go, newJSONMessageForDDL; pkg/sink/codec/open/codec.go, encodeDDLEvent;
pkg/sink/codec/debezium/codec.go, EncodeDDLEvent), but in Debezium's `tableChanges` the id is made of
`GetTargetExtraSchemaName()` and `GetTargetExtraTableName()`, beside `TableInfo`. Simple has `TableInfo` and
`MultipleTableInfos[1]` only (pkg/sink/codec/simple/message.go, newDDLMessage).
"""

from __future__ import annotations

import json
from types import ModuleType
from typing import Any

import pytest

import tidewire
from tidewire import avro, canal_json, craft, debezium, open_protocol, simple
from tidewire.events import Ddl, Event
from tidewire.messages.registry import MemorySchemas
from tidewire.runtime.tables.sql_declared import exchanged_tables
from tidewire.tables import TableStore

pytestmark = pytest.mark.codec

TS = 470607536135340034
PARTITIONED, OTHER = ("shop", "orders"), ("old", "or`ders")
RESTORED = "ALTER TABLE `shop`.`orders` EXCHANGE PARTITION `p0` WITH TABLE `old`.`or``ders` WITHOUT VALIDATION"


def event(named: tuple[str, str], query: str = RESTORED) -> Ddl:
    """The statement, of one of its tables."""
    store = TableStore()
    (after,) = store.add_sql("CREATE TABLE shop.orders (id INT PRIMARY KEY, b INT)", version=TS)
    (before,) = store.add_sql("CREATE TABLE old.`or``ders` (id INT PRIMARY KEY)", version=TS - 1)
    return Ddl(TS, *named, 42, query, ddl_class="ALTER", table_after=after, table_before=before)


def message(protocol: ModuleType, one: Event, producer: str, **options: Any) -> Any:
    more = {"schemas": MemorySchemas()} if protocol is avro else {}
    (found,) = protocol.encode([one], protocol.Options(producer=producer, **options), **more)
    return found


def decoded(protocol: ModuleType, written: Any) -> Any:
    (found,) = protocol.decode(written.value, *([] if protocol is canal_json else [written.key]))
    return found


@pytest.mark.parametrize("named", [PARTITIONED, OTHER], ids=["of the partitioned table", "of the other one"])
@pytest.mark.parametrize(("producer", "wanted"), [("tiflow", PARTITIONED), ("ticdc", OTHER)])
def test_a_statement_has_the_name_of_the_table_that_its_producer_takes(
    producer: str, wanted: tuple[str, str], named: tuple[str, str]
) -> None:
    one = event(named)
    canal = json.loads(message(canal_json, one, producer).value)
    assert (canal["database"], canal["table"]) == wanted
    opened = message(open_protocol, one, producer)
    assert (json.loads(opened.key[16:])["scm"], json.loads(opened.key[16:])["tbl"]) == wanted
    marked = json.loads(message(avro, one, producer, enable_tidb_extension=True, avro_enable_watermark=True).value[1:])
    assert (marked["schema"], marked["table"]) == wanted
    enveloped = message(debezium, one, producer)
    payload = json.loads(enveloped.value)["payload"]
    assert (payload["source"]["db"], payload["source"]["table"], payload["databaseName"]) == (*wanted, wanted[0])
    assert json.loads(enveloped.key)["payload"]["databaseName"] == wanted[0]
    (change,) = payload["tableChanges"]
    assert (change["type"], change["id"]) == ("ALTER", '"shop"."orders"')
    assert [column["name"] for column in change["table"]["columns"]] == ["id", "b"]


@pytest.mark.parametrize("producer", ["tiflow", "ticdc"])
def test_simple_names_tables_by_their_descriptions(producer: str) -> None:
    for named in (PARTITIONED, OTHER):
        found = json.loads(message(simple, event(named), producer).value)
        assert (found["tableSchema"]["schema"], found["tableSchema"]["table"]) == PARTITIONED
        assert (found["preTableSchema"]["schema"], found["preTableSchema"]["table"]) == OTHER


@pytest.mark.parametrize("producer", ["tiflow", "ticdc"])
@pytest.mark.parametrize("protocol", [canal_json, open_protocol, debezium])
def test_what_was_read_is_written_again_for_either_producer(protocol: ModuleType, producer: str) -> None:
    names = {"tiflow": PARTITIONED, "ticdc": OTHER}
    for first in names:
        read = decoded(protocol, message(protocol, event(PARTITIONED), first))
        assert (read.schema, read.table) == names[first]
        again = decoded(protocol, message(protocol, read, producer))
        assert (again.schema, again.table) == names[producer]


def test_only_such_statements_get_another_name() -> None:
    statements = [
        Ddl(TS, "shop", "orders", 5, "ALTER TABLE orders ADD COLUMN c INT COMMENT 'exchange partition'"),
        event(PARTITIONED, "ALTER TABLE orders EXCHANGE PARTITION p0 WITH TABLE lines"),
        event(PARTITIONED, "ALTER TABLE orders EXCHANGE PARTITION p0 BY TABLE lines"),
        Ddl(TS, "shop", None, 1, None),
    ]
    options = canal_json.Options(producer="ticdc", enable_tidb_extension=True)
    for one, wanted in zip(statements, ("orders", "lines", "orders", ""), strict=True):
        (found,) = canal_json.encode([one], options)
        assert (json.loads(found.value or b"")["database"], json.loads(found.value or b"")["table"]) == ("shop", wanted)


@pytest.mark.parametrize(
    ("statement", "found"),
    [
        (RESTORED, (PARTITIONED, OTHER)),
        ("alter table a exchange partition p with table b", (("s", "a"), ("s", "b"))),
        ("/**/ alter table `a` exchange partition `p``` with table c.b with validation", (("s", "a"), ("c", "b"))),
        ("alter table a drop partition p", None),
        ("alter table a exchange partition p", None),
        ("exchange", None),
        ("", None),
        ("alter table `a", None),
    ],
)
def test_the_tables_of_a_statement(statement: str, found: Any) -> None:
    assert exchanged_tables(statement, "s") == found


@pytest.mark.parametrize("format", ["json", "avro"])
@pytest.mark.parametrize(("producer", "wanted"), [("tiflow", "QUERY"), ("ticdc", "ALTER")])
def test_producers_of_simple_class_the_statement_otherwise(producer: str, wanted: str, format: str) -> None:
    """getDDLType of pkg/sink/codec/simple/message.go has it among those that are ALTER."""
    one = event(PARTITIONED)
    one.ddl_class = None
    options = simple.Options(producer=producer, encoding_format=format)
    (written,) = simple.encode([one], options)
    (read,) = simple.decode(written.value, None, options)
    assert isinstance(read, Ddl)
    assert (read.ddl_type, read.ddl_class) == (None, wanted)
    (again,) = simple.encode([read], options)
    assert simple.decode(again.value, None, options)[0] == read


@pytest.mark.parametrize("producer", ["tiflow", "ticdc"])
def test_the_type_of_the_statement_is_told_by_its_words_whatever_its_class(producer: str) -> None:
    (written,) = simple.encode([event(PARTITIONED)], simple.Options(producer=producer))
    messages, report = tidewire.transcode([written.value], "simple", "craft")
    (read,) = craft.decode(messages.column("value")[0].as_py())
    assert isinstance(read, Ddl)
    assert (read.ddl_type, report.refused) == (42, [])
