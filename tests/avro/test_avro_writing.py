"""Encoding: schemas derived from table descriptions, keys, values, and refusals."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tidewire import avro
from tidewire.events import Ddl, Events, RowChange, Watermark
from tidewire.messages.registry import MemorySchemas
from tidewire.mysql import ColumnFlag, ColumnType
from tidewire.runtime.batch import Column
from tidewire.runtime.errors import EncodeError
from tidewire.runtime.registered import encoder as registered_encoder
from tidewire.tables import TableStore

pytestmark = pytest.mark.codec

KEY = ColumnFlag.HANDLE_KEY | ColumnFlag.PRIMARY_KEY
NULLABLE = ColumnFlag.NULLABLE
TSO = 470607536135340034


def row(columns: list[Column], values: list[Any], kind: str = "insert", **more: Any) -> RowChange:
    image = dict(zip([column.name for column in columns], values, strict=True))
    images = {"insert": {"new": image}, "update": {"new": image, "old": image}, "delete": {"old": image}}[kind]
    said = {"schema": "d", "table": "t", "commit_ts": TSO, **images, **more}
    return RowChange(kind=kind, columns=columns, **said)


def written(event: Any, tables: TableStore | None = None, **options: Any) -> tuple[Any, dict[str, Any]]:
    """The message, and the schemas that were registered, by subject."""
    schemas = MemorySchemas()
    found = avro.encode([event], avro.Options(**options), tables=tables, schemas=schemas)
    (message,) = found
    return message, {one.subject: json.loads(one.text) for one in schemas.schemas}


def types(column: Column, value: Any, tables: TableStore | None = None, **options: Any) -> tuple[Any, bytes]:
    """The field of a column as its schema has it, and the bytes of a value."""
    message, schemas = written(row([column], [value]), tables, **options)
    (field,) = schemas["d_t-value"]["fields"]
    return field, message.value[5:]


ID = Column("id", ColumnType.INT, KEY, "int(11)")


@pytest.mark.parametrize(
    ("column", "value", "kind", "image"),
    [
        (Column("a", ColumnType.TINYINT, 0, "tinyint(4)"), -1, ("int", "INT"), b"\x01"),
        (Column("a", ColumnType.INT, ColumnFlag.UNSIGNED, "int(10) unsigned"), 1 << 31, ("long", "INT UNSIGNED"),
         b"\x80\x80\x80\x80\x10"),
        (Column("a", ColumnType.BIGINT, ColumnFlag.UNSIGNED, "bigint(20) unsigned"), (1 << 64) - 1,
         ("long", "BIGINT UNSIGNED"), b"\x01"),
        (Column("a", ColumnType.YEAR, 0, "year(4)"), 2020, ("int", "YEAR"), b"\xc8\x1f"),
        (Column("a", ColumnType.FLOAT, 0, "float"), 0.5, ("float", "FLOAT"), b"\0\0\0\x3f"),
        (Column("a", ColumnType.FLOAT, 0, "float"), 3.14, ("float", "FLOAT"), b"\xc3\xf5\x48\x40"),
        (Column("a", ColumnType.DOUBLE, 0, "double"), 0.5, ("double", "DOUBLE"), b"\0\0\0\0\0\0\xe0\x3f"),
        (Column("a", ColumnType.VARCHAR, 0, "varchar(5)"), "ä", ("string", "TEXT"), b"\x04\xc3\xa4"),
        (Column("a", ColumnType.BLOB, ColumnFlag.BINARY, "blob"), b"\xff", ("bytes", "BLOB"), b"\x02\xff"),
        (Column("a", ColumnType.JSON, ColumnFlag.BINARY, "json"), "{}", ("string", "JSON"), b"\x04{}"),
        (Column("a", ColumnType.DATE, ColumnFlag.BINARY, "date"), "0000-00-00", ("string", "DATE"), b"\x140000-00-00"),
    ],
)  # fmt: skip
def test_types(column: Column, value: Any, kind: tuple[str, str], image: bytes) -> None:
    field, got = types(column, value)
    assert field == {"name": "a", "type": {"type": kind[0], "connect.parameters": {"tidb_type": kind[1]}}}
    assert got == image


@pytest.mark.parametrize(
    ("value", "image"),
    [
        ("0.00", b"\x02\x00"),
        ("-1.28", b"\x02\x80"),
        ("1.28", b"\x04\x00\x80"),
        ("-327.68", b"\x04\x80\x00"),
        ("327.67", b"\x04\x7f\xff"),
        ("12345678.90", b"\x08\x49\x96\x02\xd2"),
        ("1", b"\x02\x64"),
        ("1.999", b"\x04\x00\xc7"),  # what has too many digits is cut off, downwards
        ("-1.999", b"\x04\xff\x38"),
        ("99999999999999999999.99", b"\x14" + (10**22 - 1).to_bytes(10, "big")),
    ],
)
def test_decimals_take_as_few_bytes_as_they_can(value: str, image: bytes) -> None:
    field, got = types(Column("a", ColumnType.DECIMAL, NULLABLE, "decimal(22,2)"), value)
    parameters = {"tidb_type": "DECIMAL"}
    kind = {"type": "bytes", "connect.parameters": parameters, "logicalType": "decimal", "precision": 22, "scale": 2}
    assert field == {"default": None, "name": "a", "type": ["null", kind]}
    assert got[:1] == b"\x02"
    assert got[1:] == image
    text, got = types(Column("a", ColumnType.DECIMAL, 0, "decimal(22,2)"), value, avro_decimal_handling_mode="string")
    assert text["type"]["type"] == "string"
    assert got[1:] == value.encode()


@pytest.mark.parametrize("producer", ["tiflow", "ticdc"])
def test_bits(producer: str) -> None:
    for value, trimmed, whole in [(0, b"\0", b"\0\0"), (5, b"\5", b"\0\5"), (0x3FF, b"\3\xff", b"\3\xff")]:
        field, got = types(Column("a", ColumnType.BIT, ColumnFlag.UNSIGNED, "bit(10)"), value, producer=producer)
        assert field["type"]["connect.parameters"] == {"length": "10", "tidb_type": "BIT"}
        assert got[1:] == (trimmed if producer == "tiflow" else whole)
    with pytest.raises(EncodeError, match="has more bits than the column"):
        types(Column("a", ColumnType.BIT, ColumnFlag.UNSIGNED, "bit(10)"), 1 << 16, producer=producer)


def test_labels() -> None:
    declared = "enum('a','b,c','d''e','\\\\')"
    field, got = types(Column("a", ColumnType.ENUM, 0, declared), 2)
    assert field["type"]["connect.parameters"]["allowed"] == "a,b\\,c,d'e,\\"
    assert got == b"\x06b,c"
    field, got = types(Column("a", ColumnType.SET, 0, "set('a','b')"), 3)
    assert got == b"\x06a,b"
    assert types(Column("a", ColumnType.SET, 0, "set('a','b')"), 0)[1] == b"\0"


DEFAULTS = """
CREATE TABLE d.t (
  a INT DEFAULT 5, b BIGINT UNSIGNED NOT NULL DEFAULT 18446744073709551615, c FLOAT DEFAULT 3.14,
  e DECIMAL(10,2) DEFAULT 1.5, f DECIMAL(10,2) NOT NULL DEFAULT 1.5, g VARCHAR(9) DEFAULT '<x>', h BLOB,
  i DATETIME DEFAULT CURRENT_TIMESTAMP, j BIT(10) DEFAULT b'1010101010', k VARBINARY(5) DEFAULT 'ab', l INT NOT NULL,
  m ENUM('x','y') NOT NULL DEFAULT 'y', n DOUBLE DEFAULT 1e30
)
"""


def test_defaults() -> None:
    """As getDefaultValue of the encoders has them."""
    tables = TableStore()
    tables.add_sql(DEFAULTS)
    described = tables.latest("d", "t")
    columns = described.row_columns()
    values = [1, 1, 0.5, "1", "1", "x", b"", "2020-01-01 00:00:00", 1, b"", 1, 1, 0.5]
    _, schemas = written(row(columns, values), tables)
    found = {one["name"]: one for one in schemas["d_t-value"]["fields"]}
    assert {name: one.get("default", "none") for name, one in found.items()} == {
        "a": 5, "b": -1, "c": 3.140000104904175, "e": None, "f": "none", "g": "<x>", "h": None,
        "i": "CURRENT_TIMESTAMP", "j": "Aqo=", "k": "YWI=", "l": "none", "m": "y", "n": 1e30,
    }  # fmt: skip
    nulls = {name: one["type"].index("null") for name, one in found.items() if isinstance(one["type"], list)}
    assert nulls == {"a": 1, "c": 1, "e": 0, "g": 1, "h": 0, "i": 1, "j": 1, "k": 1, "n": 1}


def test_texts_of_schemas_are_spelled_as_go_spells_them() -> None:
    tables = TableStore()
    tables.add_sql("CREATE TABLE d.t (g VARCHAR(9) DEFAULT '<&>')")
    schemas = MemorySchemas()
    described = tables.latest("d", "t")
    avro.encode([row(described.row_columns(), ["x"])], tables=tables, schemas=schemas)
    (schema,) = schemas.schemas
    assert schema.text == (
        '{"type":"record","name":"t","namespace":"default.d","fields":[{"default":"\\u003c\\u0026\\u003e","name":"g",'
        '"type":[{"type":"string","connect.parameters":{"tidb_type":"TEXT"}},"null"]}]}'
    )


def test_keys_values_and_what_has_none() -> None:
    columns = [ID, Column("a", ColumnType.INT, NULLABLE, "int")]
    message, schemas = written(row(columns, [1, None]))
    assert (message.key[:4], message.key[5:]) == (bytes(4), b"\x02")
    assert (message.value[:4], message.value[5:]) == (bytes(4), b"\x02\0")
    assert set(schemas) == {"d_t-key", "d_t-value"}
    message, _ = written(row(columns, [1, None], "delete"))
    assert message.key is not None
    assert message.value is None
    message, schemas = written(row(columns[1:], [None], "delete"))
    assert (message.key, message.value, schemas) == (None, None, {})
    watermark: dict[str, Any] = {"enable_tidb_extension": True, "avro_enable_watermark": True}
    message, _ = written(row(columns, [1, None], "delete"), producer="ticdc", **watermark)
    assert message.value == b"\3" + TSO.to_bytes(8, "big")
    message, _ = written(row(columns, [1, None], "delete"), **watermark)
    assert message.value is None
    message, _ = written(Watermark(commit_ts=TSO), **watermark)
    assert (message.key, message.value) == (None, b"\2" + TSO.to_bytes(8, "big"))
    message, _ = written(Ddl(commit_ts=TSO, query="q<", ddl_type=3, schema="d", table=None), **watermark)
    text = b'{"query":"q\\u003c","type":3,"schema":"d","table":"","commitTs":470607536135340034}'
    assert (message.key, message.value) == (None, b"\1" + text)


def test_without_the_option_statements_and_watermarks_have_no_message() -> None:
    statement = Ddl(commit_ts=TSO, query="q", ddl_type=3, schema="d", table=None)
    assert avro.encode([Watermark(commit_ts=TSO), statement]) == []


def test_messages_as_columns_have_nulls_too() -> None:
    schemas = MemorySchemas()
    events = [row([ID], [1]), row([ID], [1], "delete"), row([ID._replace(flags=0)], [1], "delete")]
    batch = avro.Encoder(schemas=schemas).encode(avro._codec._laid(events))
    key, value = (batch.column(name).to_pylist() for name in ("key", "value"))
    assert [one is None for one in key] == [False, False, True]
    assert [one is None for one in value] == [False, True, True]
    assert batch.column("value").null_count == 2
    batch.validate(full=True)


@pytest.mark.parametrize(
    ("schema", "table", "topic", "subject"),
    [
        ("d", "t", "{schema}_{table}", "d_t-value"),
        ("d", "t", "a.b", "a_b-value"),
        ("d.x", "t", "{schema}_{table}", "d_x_t-value"),
        ("d", "weird name`x", "{schema}_{table}", "d_weird_name_x-value"),
        ("d", "ä{schema}", "{table}", "__schema_-value"),
        (".", "t", "{schema}", "_-value"),
        ("d", "t" * 300, "{table}", "t" * 249 + "-value"),
    ],
)
def test_subjects_are_made_of_topics(schema: str, table: str, topic: str, subject: str) -> None:
    _, schemas = written(row([ID._replace(flags=0)], [1], schema=schema, table=table), topic=topic)
    assert set(schemas) == {subject}


@pytest.mark.parametrize(
    ("column", "value", "said"),
    [
        (Column("a", ColumnType.GEOMETRY, 0, "geometry"), None, "the protocol has no values of type 255"),
        (Column("a", ColumnType.DECIMAL, 0, None), "1", "nothing says how many digits it has: describe its table"),
        (Column("a", ColumnType.ENUM, 0, None), 1, "nothing says its labels: describe its table"),
        (Column("a", ColumnType.BIT, 0, None), 1, "nothing says how long it is: describe its table"),
        (Column("a", ColumnType.INT, 0, "int"), None, "it is NULL, and the column is NOT NULL"),
        (Column("a", ColumnType.INT, 0, "int"), 1 << 31, "it is no number of 32 bits"),
        (Column("a", ColumnType.TINYINT, ColumnFlag.UNSIGNED, "tinyint unsigned"), (1 << 64) - 1, "no number of 32"),
        (Column("a", ColumnType.INT, ColumnFlag.UNSIGNED, "int unsigned"), (1 << 64) - 1, "more than a long of Avro"),
        (Column("a", ColumnType.FLOAT, 0, "float"), 0.1 + 1e-12, "is no 32-bit float"),
        (Column("a", ColumnType.DECIMAL, 0, "decimal(5,2)"), "", "'' is no DECIMAL"),
        (Column("a", ColumnType.DECIMAL, 0, "decimal(5,2)"), "-", "'-' is no DECIMAL"),
        (Column("a", ColumnType.DECIMAL, 0, "decimal(5,2)"), "1.2.3", "'1.2.3' is no DECIMAL"),
        (Column("a", ColumnType.DECIMAL, 0, "decimal(5,2)"), "9" * 300, "is no decimal"),
        (Column("a", ColumnType.ENUM, 0, "enum('x')"), 0, "the invalid value of an ENUM, which has no label"),
        (Column("a", ColumnType.ENUM, 0, "enum('x')"), 2, "there is no label 2"),
        (Column("a", ColumnType.SET, 0, "set('x')"), 2, "2 has bits for more than the 1 labels"),
    ],
)
def test_what_cannot_be_said_is_refused(column: Column, value: Any, said: str) -> None:
    with pytest.raises(EncodeError) as found:
        written(row([column], [value]))
    assert said in str(found.value)
    assert found.value.column == "a"
    assert found.value.event == 0


def test_without_a_registry_rows_are_refused() -> None:
    with pytest.raises(EncodeError, match="no registry is known; set schema-registry"):
        avro.encode([row([ID], [1])])


def test_two_columns_of_one_name_in_schemas_are_refused() -> None:
    columns = [Column("a-b", ColumnType.INT, 0, "int"), Column("a_b", ColumnType.INT, 0, "int")]
    with pytest.raises(EncodeError, match="its name is a_b in a schema, as that of column 'a-b'"):
        written(row(columns, [1, 2]))


def test_columns_that_are_called_as_fields_of_the_event_are_refused() -> None:
    """goavro takes no two fields of one name; where the extension is off the name is free."""
    column = Column("_tidb_op", ColumnType.INT, 0, "int")
    with pytest.raises(EncodeError, match="its name is that of the field _tidb_op, which says something") as found:
        written(row([column], [1]), enable_tidb_extension=True)
    assert found.value.column == "_tidb_op"
    message, _ = written(row([column], [1]))
    assert message.value[5:] == b"\2"


def test_a_row_without_columns_is_refused() -> None:
    with pytest.raises(EncodeError, match="its row has no columns, and a record needs one"):
        written(row([], []))


def test_a_default_that_goavro_rounds_is_written() -> None:
    """TiCDC registers such a schema and then fails at it: goavro takes defaults for float64s."""
    tables = TableStore()
    tables.add_sql("CREATE TABLE d.t (a BIGINT DEFAULT 9223372036854775807)")
    schemas = MemorySchemas()
    avro.encode([row(tables.latest("d", "t").row_columns(), [1])], tables=tables, schemas=schemas)
    assert '{"default":9223372036854775807,"name":"a","type":[' in schemas.schemas[0].text


def test_a_tso_that_a_long_cannot_hold_is_refused() -> None:
    with pytest.raises(EncodeError, match="commit_ts is 0 to 9223372036854775807 in a record"):
        written(row([ID], [1], commit_ts=1 << 63), enable_tidb_extension=True)


def test_images_with_other_columns_are_refused() -> None:
    new, old = {"id": 1, "a": 1}, {"id": 1}
    columns = [ID, Column("a", ColumnType.INT, 0, "int")]
    event = RowChange(kind="update", schema="d", table="t", commit_ts=TSO, new=new, old=old, columns=columns)
    with pytest.raises(EncodeError, match="its row image `old` has other columns"):
        written(event, producer="ticdc", avro_include_before_value=True)


def test_defaults_follow_the_time_of_the_row() -> None:
    """A row is written by the schema of its table as it was then."""
    tables = TableStore()
    tables.add_sql("CREATE TABLE d.t (id INT DEFAULT 1)")
    first = tables.latest("d", "t")
    late = TableStore()
    late.add(first.replaced(version=100))
    other = TableStore()
    other.add_sql("CREATE TABLE d.t (id INT DEFAULT 2)")
    late.add(other.latest("d", "t").replaced(version=200))
    schemas = MemorySchemas()
    column = Column("id", ColumnType.INT, NULLABLE, "int")
    events = [row([column], [1], commit_ts=ts) for ts in (150, 250, 150)]
    messages = avro.encode(events, tables=late, schemas=schemas)
    ids = [int.from_bytes(one.value[1:5], "big") for one in messages if one.value is not None]
    assert ids == [1, 2, 1]
    assert [json.loads(one.text)["fields"][0]["default"] for one in schemas.schemas] == [1, 2]


class Asked(MemorySchemas):
    """Schemas in memory that count how often an id is asked for."""

    times = 0

    def id_of(self, subject: str, text: str) -> Any:
        self.times += 1
        return super().id_of(subject, text)


@pytest.mark.parametrize("limit", ["MOST_KNOWN", "MOST_COLUMNS"])
def test_what_is_written_of_many_tables_is_remembered_by_generations(
    limit: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of tables in turn none is forgotten while they fit into one generation, and those in frequent use never are."""
    monkeypatch.setattr(registered_encoder, limit, 8)
    columns = [Column("a", ColumnType.INT, 0, "int(11)")]
    schemas = Asked()
    encoder = avro.Encoder(schemas=schemas)

    def write(*numbers: int) -> int:
        """How often an id is asked for when these tables are written."""
        before = schemas.times
        for number in numbers:
            encoder.encode(Events.of([row(columns, [number], table=f"t{number}")]).columns)
        return schemas.times - before

    # a table has an entry for values and one for keys; these have no columns, and no schema is registered for them
    assert write(0, 1, 2, 3) == 4
    assert write(0, 1, 2, 3) == 0
    for number in range(100, 200):
        assert write(number, 0) == 1, "the new one, not the one in use"
    assert write(1) == 1, "it was not used for more than two generations"
