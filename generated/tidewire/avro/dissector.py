"""Dissector of Avro with a schema registry: every field of a message beside its bytes.

It follows the fields of the records as their schemas have them; what is wrong with a message, its decoder says.
"""
# Generated from spec/avro.yaml by "make generate". Do not edit.

from __future__ import annotations

from typing import Final

from tidewire.avro.decoder import FORMS, ROW_KEY_RECORD, ROW_RECORD, Decoder
from tidewire.runtime import require_api
from tidewire.runtime.dissecting.registered import Mark, RegisteredShapes, trace_registered
from tidewire.runtime.dissecting.shapes import MEANINGS, Shape
from tidewire.runtime.dissecting.spans import Span, named
from tidewire.runtime.registry import SchemaRegistry

require_api(1)

FIELDS_OF_RECORDS: Final = {
    "_ticdc_before": Shape("record", "The row before an update, or the deleted one."),
    "_tidb_op": Shape("string", "What happened.", named({"c": "insert", "u": "update", "d": "delete"})),
    "_tidb_commit_ts": Shape("long", "TSO of the transaction.", MEANINGS["tso"]),
    "_tidb_commit_physical_time": Shape("long", "When it committed, in milliseconds.", MEANINGS["physical"]),
    "_tidb_row_level_checksum": Shape("string", "TiDB's checksum of the row, in decimal digits."),
    "_tidb_corrupted": Shape("boolean", "Whether the producer found that the row differs from its checksum."),
    "_tidb_checksum_version": Shape("int", "The version of the checksum's algorithm."),
}
"""The fields of records that are no columns, by their paths."""

MEMBERS_OF_STATEMENT: Final = {
    "query": Shape("text", "The statement."),
    "type": Shape("integer", "TiDB's DDL action code."),
    "schema": Shape("text", "The database."),
    "table": Shape("text", "The table."),
    "commitTs": Shape("unsigned", "TSO of the statement.", MEANINGS["tso"]),
}

SHAPES: Final = RegisteredShapes(
    "avro",
    ROW_RECORD,
    ROW_KEY_RECORD,
    FORMS,
    FIELDS_OF_RECORDS,
    (
        Mark(1, "statement", "A statement, without a schema.", MEMBERS_OF_STATEMENT),
        Mark(2, "watermark", "A watermark, without a schema: its TSO.", meaning=MEANINGS["tso"]),
        Mark(
            3,
            "deleted",
            "A deleted row, which the key identifies: the TSO of the transaction.",
            meaning=MEANINGS["tso"],
            size=9,
        ),
    ),
)
"""What keys and values are."""


def dissect(value: bytes | None, key: bytes | None = None, schemas: SchemaRegistry | None = None) -> list[Span]:
    """Every field of a message, in the order of the bytes, those of the key first; of a malformed one those before the
    trouble, and the trouble.

    Args:
        value: the message; None: it has no value, and the row that the key tells is gone.
        key: its key.
        schemas: gives the schemas of records by their ids; None: none is known, and records are shown as bytes.
    """
    decoder = Decoder("bytes", schemas)
    return trace_registered(value, key, SHAPES, schemas, lambda own, tells: decoder.decode([own], [tells]))
