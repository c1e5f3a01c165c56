"""The captured topics of the demo: their events, schemas and tables, read with Spark or without."""

from __future__ import annotations

import base64
import gzip
import json
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow as pa
from pyarrow import parquet
from pyspark.sql.types import StructField, StructType

import tidewire
from tidewire.reading.tables import same
from tidewire.spark import demo_tables, from_ticdc, rows_from_ticdc, table_schemas
from tidewire.spark.arrow_types import arrow_schema, spark_type
from tidewire.spark.demo_told import Name, ToldTable, spelled_names, told_table

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

OPTIONS = {"timezone": "Asia/Shanghai"}
"""The changefeed's options: TIMESTAMP values are written in this time zone."""
KEEP = {"keep": ", ".join(f"{name[1:]} AS {name}" for name in demo_tables.PLACES)}
TEXTS = ("tidb_type", "mysql_type")
"""Keys of column metadata whose values are text rather than JSON."""
MEMBERS = "members"
"""Key of column metadata: the labels of an ENUM or SET."""


@dataclass
class Topic:
    """A captured topic and what was found in it."""

    title: str
    """The protocol, or the protocol and its encoding."""
    path: Path
    codec: Mapping[str, str]
    """The protocol's options for reading its messages."""
    events: dict[Name, dict[str, int]] = field(default_factory=dict)
    """By table, the number of events of each kind."""
    bad: list[str] = field(default_factory=list)
    """Why messages could not be decoded."""
    schemas: dict[Name, StructType] = field(default_factory=dict)
    """The schemas of its tables, under the names used in messages."""

    @property
    def protocol(self) -> str:
        """The protocol that its messages are read with."""
        return demo_tables.protocol_of(self.title)

    @property
    def options(self) -> dict[str, str]:
        """The options that its messages are read with."""
        return {**OPTIONS, **self.codec}

    def told(self, schemas: Mapping[Name, StructType]) -> dict[Name, ToldTable]:
        """The tables under the names used in its messages."""
        return {name: told_table(name, schema, self.schemas) for name, schema in schemas.items()}

    def _count(self, schema: str | None, table: str | None, kind: str, count: int) -> None:
        """Adds to the count of events of a kind; a table counts under the first spelling of its name."""
        key = same((schema or "", table or ""))
        name = next((one for one in self.events if same(one) == key), (schema or "", table or ""))
        kinds = self.events.setdefault(name, {})
        kinds[kind] = kinds.get(kind, 0) + count


class SparkTopic(Topic):
    """A topic read with Spark."""

    messages: DataFrame

    def look(self, spark: SparkSession) -> None:
        """Counts the events and derives the table schemas."""
        self.messages = read_capture(spark, self.path).cache()
        events = from_ticdc(self.messages, self.protocol, self.options)
        bad = []
        for row in events.select("schema", "table", "kind", "_corrupt_record").collect():
            if row.kind is None:
                bad.append(row._corrupt_record)
            else:
                self._count(row.schema, row.table, row.kind, 1)
        self.bad = [f"offset {one.offset} could not be decoded: {one.reason}" for one in bad]
        self.schemas = table_schemas(self.messages, self.protocol, self.options)

    def write(self, schemas: Mapping[Name, StructType], out: Path) -> None:
        """Writes one folder of Parquet for each table."""
        options = {**self.options, **KEEP}

        def write(name: Name, told: ToldTable) -> None:
            rows = rows_from_ticdc(self.messages, self.protocol, told.name, told.schema, options)
            names = schemas[name].names
            renamed = rows.toDF(*names, *rows.columns[len(names) :])
            renamed.coalesce(1).write.mode("overwrite").parquet(str(demo_tables.folder_of(out / self.title, name)))

        with ThreadPoolExecutor(4) as pool:
            list(pool.map(write, *zip(*self.told(schemas).items(), strict=True)))


class PlainTopic(Topic):
    """A topic read without Spark."""

    def look(self) -> None:
        """Counts the events and derives the table schemas."""
        module = tidewire.protocols()[self.protocol].load()
        self.messages = messages_of(self.path)
        keys, values = [one["key"] for one in self.messages], [one["value"] for one in self.messages]
        events = module.decode_batch(values, keys, module.Options.from_strings(self.codec))
        for event in events:
            self._count(getattr(event, "schema", None), getattr(event, "table", None), event.kind, 1)
        places = [one.get("offset") for one in self.messages]
        self.bad = [f"offset {places[int(one.message or 0)]} could not be decoded: {one}" for one in events.errors]
        rowed = [name for name, kinds in self.events.items() if {"insert", "update", "delete"} & kinds.keys()]
        self._tables = {name: self._read(name, None) for name in rowed}
        self.schemas = {name: struct_of(table.schema) for name, table in self._tables.items()}

    def _read(self, name: Name, schema: pa.Schema | None) -> pa.Table:
        return tidewire.read_table(self.messages, name, self.protocol, schema=schema, options={**self.options, **KEEP})

    def write(self, schemas: Mapping[Name, StructType], out: Path) -> None:
        """Writes one folder of Parquet for each table."""
        for name, told in self.told(schemas).items():
            wanted = schema_of(told.schema)
            table = self._tables.get(told.name)
            if table is None or [*table.schema][: len(wanted)] != [*wanted]:
                table = self._read(told.name, wanted)
            names = schemas[name].names
            folder = demo_tables.folder_of(out / self.title, name)
            folder.mkdir(parents=True, exist_ok=True)
            for old in folder.iterdir():
                old.unlink()
            parquet.write_table(
                table.rename_columns([*names, *table.column_names[len(names) :]]), folder / "rows.parquet"
            )


def look(topics: Sequence[PlainTopic]) -> None:
    """Runs `look` for each topic in turn."""
    for topic in topics:
        topic.look()


def write(topics: Sequence[PlainTopic], schemas: Mapping[Name, StructType], out: Path) -> None:
    """Runs `write` for each topic in turn."""
    for topic in topics:
        topic.write(schemas, out)


def read_capture(spark: SparkSession, capture: Path) -> DataFrame:
    """A capture as a frame in the form of Spark's Kafka source."""
    schema = "key BINARY, value BINARY, topic STRING, partition INT, offset BIGINT, timestamp TIMESTAMP"
    return spark.read.schema(schema).json(str(capture))


def messages_of(capture: Path) -> list[dict[str, Any]]:
    """The messages of a capture."""
    packed = capture.read_bytes()
    text = gzip.decompress(packed) if packed.startswith(b"\x1f\x8b") else packed
    found = [json.loads(line) for line in text.splitlines() if line.strip()]
    for one in found:
        one.update({part: one.get(part) and base64.b64decode(one[part]) for part in ("key", "value")})
    return found


def struct_of(schema: pa.Schema) -> StructType:
    """The table's own columns in a schema of rows, as Spark types."""
    fields = []
    for one in schema:
        facts = {name.decode(): text.decode() for name, text in (one.metadata or {}).items()}
        if "handle_key" in facts:
            given = {name: text if name in TEXTS else json.loads(text) for name, text in facts.items()}
            fields.append(StructField(one.name, spark_type(one.type), True, given))
    return StructType(fields)


def schema_of(struct: StructType) -> pa.Schema:
    """The columns of a table as Arrow fields, with the labels of ENUM and SET."""
    return pa.schema(
        one.with_metadata({MEMBERS: json.dumps(given.metadata[MEMBERS])} if MEMBERS in given.metadata else None)
        for one, given in zip(arrow_schema(struct), struct, strict=True)
    )


def common_schemas(found: Sequence[Mapping[Name, StructType]]) -> dict[Name, StructType]:
    """The schema of each table, from the protocol that carries most declared types.

    A column is part of the key if any protocol marks it so.
    """
    schemas = {}
    for key, name in sorted(spelled_names(found).items()):
        known = [schema for one in found for each, schema in one.items() if same(each) == key]
        best = max(known, key=lambda schema: sum("mysql_type" in each.metadata for each in schema))
        keys = {each.name for schema in known for each in schema if each.metadata["handle_key"]}
        schemas[name] = StructType(
            [StructField(f.name, f.dataType, True, {**f.metadata, "handle_key": f.name in keys}) for f in best]
        )
    return schemas
