"""Avro with a schema registry.

A record in Avro's binary encoding for a changed row, with a schema that a registry has under the id in front of
the record. The Kafka key is a record of the columns that identify the row; a deleted row has a key only.

Sources:
    document: TiCDC Avro Protocol (tidb documentation, dev/ticdc/ticdc-avro-protocol)
    tiflow: pingcap/tiflow pkg/sink/codec/avro at c7b2588
    ticdc: pingcap/ticdc pkg/sink/codec/avro at b813e76
"""
# Generated from spec/avro.yaml by "make generate". Do not edit.

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from tidewire import other_protocols
from tidewire.avro.decoder import FORMS
from tidewire.avro.decoder import Decoder as _WireDecoder
from tidewire.avro.dissector import dissect as _dissect
from tidewire.avro.encoder import Encoder as _WireEncoder
from tidewire.events import ROLES, Event, Events
from tidewire.messages.codec import Message
from tidewire.messages.conformance_facts import RecordFacts
from tidewire.messages.detecting.signs import FRAMINGS, Signs, Start
from tidewire.messages.facade import FacadeDecoder, FacadeEncoder
from tidewire.messages.options import (
    COMPUTE_CHECKSUM, INVALID_TEXT, REGISTRY_CA_FILE, REGISTRY_CERTIFICATE, REGISTRY_KEY, REGISTRY_PASSWORD,
    REGISTRY_TOKEN, REGISTRY_USER, TIME_ZONE, VERIFY_CHECKSUM, CodecOptions, option
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
    name="avro",
    text=False,
    producers=("tiflow", "ticdc"),
    kinds=("insert", "update", "delete", "ddl", "watermark"),
    carries=frozenset(
        (
            "kind", "commit_ts", "commit_ms", "schema", "table", "ddl_type", "query", "types_from", "checksum",
            "checksum_before", "checksum_version", "checksum_corrupted"
        )
    ),
    carried_flags=195,
    signs=Signs(starts=(*FRAMINGS, Start(b'\x01', object=True), Start(b'\x02', size=9), Start(b'\x03', size=9))),
    roles=ROLES,
    described=True,
    described_by="commit_ts",
    describing=(),
    exchanged={"tiflow": False, "ticdc": True},
    checked=True,
    keyed=True,
    deletes_by_key=True,
    registry="schema-registry",
    told=RecordFacts(
        forms=FORMS,
        keys={"tiflow": 2, "ticdc": 8},
        kind=("enable-tidb-extension", "avro-include-before-value"),
        before=("avro-include-before-value",),
        commit_ts=("enable-tidb-extension",),
        deleted=("avro-enable-watermark",),
        deleted_by=("ticdc",),
        unsent=("ticdc",),
        keyless="keyless-row",
    ),
    defects={
        "greatest-default-refused": Defect(
            ("ticdc",), (8,),
            "The new architecture writes no message of a row whose table has a BIGINT with a default that is 2^63 "
            "as a double, as 9223372036854775807 is: its library parses defaults in schemas as doubles. Here the "
            "default is in the schema, exactly.",
            refused="defaults",
        ),
    },
    losses={
        "keyless-row": Lost(
            (), False,
            "The message of a row that was deleted from a table without a key has neither key nor value, so that "
            "nobody can tell which row it was.",
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

    enable_tidb_extension: bool = option(
        False,
        "Rows have the operation and the commit ts. Without it an update is read as an insert, and no row has a "
        "commit ts.",
    )
    enable_row_checksum: bool = option(
        False,
        "Rows carry their checksums (integrity-check-level=correctness of the changefeed).",
        needs=("enable-tidb-extension", "avro-decimal-handling-mode", "avro-bigint-unsigned-handling-mode"),
    )
    avro_enable_watermark: bool = option(
        False,
        "Watermarks and statements are sent, and deleted rows say when they were deleted.",
        needs=("enable-tidb-extension",),
    )
    avro_include_before_value: bool = option(
        False, "Updates and deletes have the row as it was before.", producers=("ticdc",), shows="old"
    )
    avro_decimal_handling_mode: str = option(
        "precise", "How DECIMAL is written: as a decimal of Avro, or as a text.", choices=("precise", "string")
    )
    avro_bigint_unsigned_handling_mode: str = option(
        "long",
        "How BIGINT UNSIGNED is written: as a long, which is negative for numbers of 2^63 and above, or as a text.",
        choices=("long", "string"),
    )
    topic: str = option(
        "{schema}_{table}",
        "The topic that messages are written to; the names of subjects are made from it. {schema} and {table} in it "
        "are replaced by the names of a row's table.",
    )
    schema_registry: str = option(
        "", "Where schemas are: the URL of a registry, or the path of a file with saved schemas.", secret=True
    )
    producer: str = option("tiflow", "Whose bytes are written.", choices=("tiflow", "ticdc"))
    invalid_text: str = INVALID_TEXT.field()
    verify_checksum: bool = VERIFY_CHECKSUM.field()
    compute_checksum: bool = COMPUTE_CHECKSUM.field(implies=("enable-row-checksum",))
    time_zone: str = TIME_ZONE.field()
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
        return _WireDecoder(self.options.invalid_text, schemas=self.schemas, store=self.tables)


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
            self.options.enable_row_checksum,
            self.options.avro_enable_watermark,
            self.options.avro_include_before_value,
            self.options.avro_decimal_handling_mode,
            self.options.avro_bigint_unsigned_handling_mode,
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
