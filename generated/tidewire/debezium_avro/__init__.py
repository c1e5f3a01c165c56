"""Debezium-Avro.

Debezium's envelope as a record in Avro's binary encoding for a changed row, with a schema that a registry has
under the id in front of the record. The Kafka key is a record of the columns that identify the row.

Sources:
    ticdc: pingcap/ticdc pkg/sink/codec/debezium/avro.go at b813e76
    converter: Confluent's AvroConverter, whose schemas these are like
"""
# Generated from spec/debezium-avro.yaml by "make generate". Do not edit.

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from tidewire import other_protocols
from tidewire.debezium_avro.decoder import FORMS
from tidewire.debezium_avro.decoder import Decoder as _WireDecoder
from tidewire.debezium_avro.dissector import dissect as _dissect
from tidewire.debezium_avro.encoder import Encoder as _WireEncoder
from tidewire.events import ROLES, Event, Events
from tidewire.messages.codec import Message
from tidewire.messages.conformance_facts import RecordFacts
from tidewire.messages.detecting.signs import FRAMINGS, Signs
from tidewire.messages.facade import FacadeDecoder, FacadeEncoder
from tidewire.messages.options import (
    INVALID_TEXT, REGISTRY_CA_FILE, REGISTRY_CERTIFICATE, REGISTRY_KEY, REGISTRY_PASSWORD, REGISTRY_TOKEN,
    REGISTRY_USER, CodecOptions, option
)
from tidewire.messages.protocol_facts import Defect, ProtocolFacts, Lost
from tidewire.messages.registered_codec import RegisteredCodec
from tidewire.messages.registry import SchemaRegistry, chosen_registry
from tidewire.runtime import require_api
from tidewire.tables import TableStore

require_api(1)

__all__ = [
    "CARRIED_FLAGS", "CARRIES", "NAME", "Decoder", "Encoder", "Message", "Options", "decode", "decode_batch", "dissect",
    "encode", "encode_batch"
]

FACTS: Final = ProtocolFacts(
    name="debezium-avro",
    text=False,
    producers=("ticdc",),
    kinds=("insert", "update", "delete", "ddl", "watermark"),
    carries=frozenset(
        (
            "kind", "commit_ts", "commit_ms", "sent_ms", "schema", "table", "ddl_type", "query", "table_after",
            "table_before", "types_from", "time_zone"
        )
    ),
    carried_flags=131,
    signs=Signs(starts=FRAMINGS),
    roles=ROLES,
    described=True,
    described_by="commit_ts",
    describing=(),
    unnamed="table",
    modes=("binary-handling-mode",),
    keyed=True,
    registry="schema-registry",
    told=RecordFacts(
        forms=FORMS,
        keys={"ticdc": 2},
        kind=(),
        before=(),
        commit_ts=(),
        deleted=(),
        deleted_by=(),
        unsent=(),
        keyless="",
    ),
    blocks=True,
    defects={
        "date-default-crash": Defect(
            ("ticdc",), (10,),
            "TiCDC fails when it writes NULL of a DATE with a default, and there is no message. Here it is the "
            "default.",
            refused="nulls",
        ),
        "schema-of-first-database": Defect(
            ("ticdc",), (),
            "TiCDC writes all statements by the schema of the first one, in which the record source is named "
            "after that one's database. Here it is named after the database of each.",
            first_schema=("ddl",),
        ),
        "bit-default-lost": Defect(
            ("ticdc",), (16,),
            "In statements TiCDC writes U+FFFD for every byte of a default of BIT that is 128 or more, so that a "
            "reader cannot know the default. Here statements have it.",
            lost="defaults",
        ),
        "decimal-default-crash": Defect(
            ("ticdc",), (246,),
            "TiCDC fails when it writes NULL of a DECIMAL whose default is an expression, and there is no "
            "message. Here it is null, or the text of the expression.",
            refused="nulls",
        ),
        "virtual-columns-refused": Defect(
            ("ticdc",), (
                1, 2, 9, 3, 8, 13, 16, 4, 5, 246, 15, 253, 254, 249, 250, 251, 252, 247, 248, 245, 225, 10, 12, 11, 7
            ),
            "TiCDC writes no message of a row whose table has virtual generated columns, which its schema would "
            "have twice. Here the schema does not have them.",
            refused="unsent",
        ),
    },
    losses={
        "null-becomes-default": Lost(
            (
                1, 2, 9, 3, 8, 13, 16, 4, 5, 246, 15, 253, 254, 249, 250, 251, 252, 247, 248, 245, 225, 10, 12, 11, 7
            ), True,
            "NULL in a column with a default is written as the default.",
        ),
        "no-calendar-date": Lost(
            (10, 12), False,
            "Dates that do not exist are null, or 0 where NULL is not allowed; years 0 to 99 become those from "
            "1970 to 2069.",
        ),
        "no-timestamp": Lost(
            (7,), False,
            "A TIMESTAMP that is zero, or before 1970-01-01 00:00:01 in the zone of the producer, is written as "
            "1970-01-01 00:00:00 UTC.",
        ),
        "no-label": Lost(
            (247,), False,
            "An ENUM of an invalid value is written as an empty text, which can be a label.",
        ),
    },
)
"""What the protocol is, beside what its decoder and encoder do."""

NAME: Final = FACTS.name
"""The protocol's name, as TiCDC's configuration has it."""

CARRIES: Final = FACTS.carries
"""The fields of events that a message says; others are absent after decoding."""

CARRIED_FLAGS: Final = FACTS.carried_flags
"""The column flags that a message says of every column, as bits (-1: all)."""


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Options(CodecOptions):
    """Options of the protocol. What an option cannot be, and options that do not go together, are an `OptionError`."""

    PROTOCOL = NAME

    enable_tidb_extension: bool = option(False, "Schemas have TiDB's names of types.")
    avro_enable_watermark: bool = option(False, "Watermarks and statements are sent.", needs=("enable-tidb-extension",))
    debezium_output_old_value: bool = option(True, "Updates have the row as it was before.", shows="old")
    avro_decimal_handling_mode: str = option(
        "precise", "How DECIMAL is written: as a decimal of Avro, or as a text.", choices=("precise", "string")
    )
    avro_bigint_unsigned_handling_mode: str = option(
        "long",
        "How BIGINT UNSIGNED is written: as a long, which cannot hold numbers of 2^63 and above, or as a text.",
        choices=("long", "string"),
    )
    binary_handling_mode: str = option(
        "base64",
        "For reading: how Debezium's own connector writes bytes as text, its option binary.handling.mode. TiCDC "
        "writes bytes.",
        choices=("base64", "base64-url-safe", "hex"),
        aliases={"bytes": "base64"},
    )
    cluster_id: str = option("default", "The name of the cluster.")
    table: str = option("", "For reading: the table of rows whose messages do not name it, such as shop.orders.")
    topic: str = option(
        "{schema}_{table}",
        "The topic that messages are written to; the names of subjects are made from it. {schema} and {table} in it "
        "are replaced by the names of a row's table.",
    )
    schema_registry: str = option(
        "", "Where schemas are: the URL of a registry, or the path of a file with saved schemas.", secret=True
    )
    producer: str = option("ticdc", "Whose bytes are written.", choices=("ticdc",))
    invalid_text: str = INVALID_TEXT.field()
    schema_registry_user: str = REGISTRY_USER.field()
    schema_registry_password: str = REGISTRY_PASSWORD.field()
    schema_registry_token: str = REGISTRY_TOKEN.field()
    schema_registry_ca_file: str = REGISTRY_CA_FILE.field()
    schema_registry_certificate: str = REGISTRY_CERTIFICATE.field()
    schema_registry_key: str = REGISTRY_KEY.field()


OPTIONS: Final = Options.SPECS
"""The options, with their ranges and what they do."""


class Decoder(FacadeDecoder[Options]):
    """Messages to columns. Keeps what it learns of tables and names: reuse it for the batches of one topic, one call
    at a time: each thread has its own. A call while another one uses it is refused with an `InUseError`.

    Args:
        options: of the protocol.
        tables: the descriptions of tables that are known already; it gets those that messages have. None: none are.
        schemas: gives the schemas of records by their ids; None: what the option schema-registry names.

    Attributes:
        tables: the descriptions that are known.
        schemas: gives schemas; None: none is known.
    """

    FACTS = FACTS

    def __init__(
        self, options: Options | None = None, tables: TableStore | None = None, schemas: SchemaRegistry | None = None
    ) -> None:
        options = options or Options()
        self.tables: TableStore = TableStore.given(tables)
        if schemas is None:
            schemas = chosen_registry(options, FACTS.registry)
        self.schemas = schemas
        super().__init__(options, other_protocols(NAME), self.tables)

    def _wire(self) -> _WireDecoder:
        return _WireDecoder(
            self.options.invalid_text,
            schemas=self.schemas,
            store=self.tables,
            binary_handling_mode=self.options.binary_handling_mode,
            table=self.options.table,
        )


class Encoder(FacadeEncoder[Options]):
    """Columns to messages. Keeps what it learns of names: reuse it for the batches of one topic, one call
    at a time: each thread has its own. A call while another one uses it is refused with an `InUseError`.

    Args:
        options: of the protocol.
        tables: the descriptions of tables that are known already, by which schemas are made; it gets those that events
            have. None: none are.
        schemas: registers the schemas of records; None: what the option schema-registry names.

    Attributes:
        tables: the descriptions that are known.
        schemas: registers schemas; None: none is known.
    """

    FACTS = FACTS

    def __init__(
        self, options: Options | None = None, tables: TableStore | None = None, schemas: SchemaRegistry | None = None
    ) -> None:
        options = options or Options()
        self.tables: TableStore = TableStore.given(tables)
        if schemas is None:
            schemas = chosen_registry(options, FACTS.registry)
        self.schemas = schemas
        super().__init__(options, tables=self.tables)

    def _wire(self) -> _WireEncoder:
        return _WireEncoder(
            self.options.enable_tidb_extension,
            self.options.avro_enable_watermark,
            self.options.debezium_output_old_value,
            self.options.avro_decimal_handling_mode,
            self.options.avro_bigint_unsigned_handling_mode,
            self.options.cluster_id,
            self.options.topic,
            self.options.producer,
            store=self.tables,
            schemas=self.schemas,
        )


_codec: RegisteredCodec[Options, Event, Events] = RegisteredCodec(NAME, Events, Decoder, Encoder, _dissect, keyed=True)
decode = _codec.decode
decode_batch = _codec.decode_batch
encode = _codec.encode
encode_batch = _codec.encode_batch
dissect = _codec.dissect
