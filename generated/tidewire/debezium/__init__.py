"""Debezium.

An object for a changed row, a statement or a watermark, in Kafka Connect's envelope: a schema block beside it
has its schema. The key has the columns that identify the row.

Sources:
    document: TiCDC Debezium Protocol (tidb documentation, dev/ticdc/ticdc-debezium)
    tiflow: pingcap/tiflow pkg/sink/codec/debezium at c7b2588
    ticdc: pingcap/ticdc pkg/sink/codec/debezium at b813e76
    native: Debezium 3.6.3.Final, connector for MySQL; its messages are read, never written
"""
# Generated from spec/debezium.yaml by "make generate". Do not edit.

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from tidewire import other_protocols
from tidewire.debezium.decoder import Decoder as _WireDecoder
from tidewire.debezium.dissector import dissect as _dissect
from tidewire.debezium.encoder import Encoder as _WireEncoder
from tidewire.events import ROLES, Event, Events
from tidewire.messages.codec import DescribedCodec, Message
from tidewire.messages.detecting.signs import Signs
from tidewire.messages.facade import FacadeDecoder, FacadeEncoder
from tidewire.messages.options import INVALID_TEXT, MAX_UNPACKED_BYTES, CodecOptions, option
from tidewire.messages.protocol_facts import Defect, ProtocolFacts, Lost
from tidewire.runtime import require_api
from tidewire.tables import TableStore

require_api(1)

__all__ = [
    "CARRIED_FLAGS", "CARRIES", "NAME", "Decoder", "Encoder", "Message", "Options", "decode", "decode_batch", "dissect",
    "encode", "encode_batch"
]

FACTS: Final = ProtocolFacts(
    name="debezium",
    text=True,
    producers=("tiflow", "ticdc"),
    kinds=("insert", "update", "delete", "ddl", "watermark"),
    carries=frozenset(
        (
            "kind", "commit_ts", "commit_ms", "sent_ms", "schema", "table", "start_ts", "ddl_type", "query",
            "table_after", "table_before", "types_from", "time_zone"
        )
    ),
    carried_flags=195,
    signs=Signs(
        b'',
        (
            "source", "ts_ms", "transaction", "op", "before", "after", "databaseName", "schemaName", "ddl",
            "tableChanges"
        ),
        around=("payload", "schema"),
    ),
    roles=ROLES,
    described=True,
    described_by="commit_ts",
    describing=("tableChanges",),
    unnamed="table",
    modes=("decimal-handling-mode", "bigint-unsigned-handling-mode", "binary-handling-mode", "time-precision-mode"),
    exchanged={"tiflow": False, "ticdc": True},
    keyed=True,
    compression="large-message-handle-compression",
    blocks=True,
    packed_keys=True,
    defects={
        "no-calendar-datetime-refused": Defect(
            ("tiflow",), (12,),
            "Classic TiCDC writes no message of a row with a DATETIME of a date that no calendar has, as "
            "2020-00-00 or 2021-02-30, but for 0000-00-00. Here it is null, or 0 where NULL is not allowed.",
            refused="dates",
        ),
        "bytes-default-twice": Defect(
            ("tiflow",), (15, 253, 254, 249, 250, 251, 252),
            "Classic TiCDC writes NULL of bytes with a default twice, in base64 and again as text. Here it is "
            "there once, in base64.",
            respelled=True,
        ),
        "bytes-default-crash": Defect(
            ("tiflow",), (15, 253, 254, 249, 250, 251, 252),
            "For many defaults of bytes classic TiCDC fails when it writes NULL, and there is no message.",
            refused="nulls",
        ),
        "expression-default-refused": Defect(
            ("tiflow",), (1, 2, 9, 3, 8, 13, 16, 4, 5, 246),
            "Classic TiCDC writes no message of a row with NULL in a number whose default is an expression. Here "
            "it is null.",
            refused="nulls",
        ),
        "date-default-crash": Defect(
            ("ticdc",), (10,),
            "The new architecture fails when it writes NULL of a DATE with a default, and there is no message. "
            "Here it is the default.",
            refused="nulls",
        ),
        "decimal-default-crash": Defect(
            ("ticdc",), (246,),
            "The new architecture fails when it writes NULL of a DECIMAL whose default is an expression, and "
            "there is no message. Here it is null.",
            refused="nulls",
        ),
        "bit-default-lost": Defect(
            ("ticdc",), (16,),
            "In statements the new architecture writes U+FFFD for every byte of a default of BIT that is 128 or "
            "more, so that a reader cannot know the default. Here statements have it.",
            lost="defaults",
        ),
        "year-default-as-declared": Defect(
            ("ticdc",), (13,),
            "The new architecture writes NULL of a YEAR with a default of one or two digits as these digits. They "
            "are read as the year that they stand for, which is written with four.",
            respelled=True,
        ),
        "year-default-as-text": Defect(
            ("tiflow",), (13,),
            "Classic TiCDC writes NULL of a YEAR with a default as a text. Here it is a number, as other years "
            "are.",
            respelled=True,
        ),
    },
    differences={
        "text-as-it-is": Defect(
            ("tiflow", "ticdc"), (15, 253, 254, 249, 250, 251, 252),
            "TiCDC writes a text that is not UTF-8 as it is: the message is then not UTF-8 and no JSON. Here such "
            "a text is refused, and read where invalid-text allows it.",
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
        "decimal-through-double": Lost(
            (246,), False,
            "A DECIMAL is written as the nearest double, which has 15 to 17 digits.",
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

    enable_tidb_extension: bool = option(False, "Watermarks are sent, and schema blocks have TiDB's types.")
    debezium_disable_schema: bool = option(False, "Messages have no schema block.")
    debezium_output_old_value: bool = option(True, "Updates have the row as it was before.", shows="old")
    debezium_include_start_ts: bool = option(False, "Rows say when their transaction began.", producers=("ticdc",))
    cluster_id: str = option("default", "The name of the cluster.")
    table: str = option(
        "",
        "For reading: the table of rows whose messages do not name it, such as shop.orders. Flink writes such "
        "messages; they have only before, after and op.",
    )
    large_message_handle_compression: str = option(
        "none", "How messages are compressed: snappy blocks or lz4 frames.", choices=("none", "snappy", "lz4")
    )
    binary_handling_mode: str = option(
        "base64",
        "For reading: how Debezium's own connector writes bytes as text, its option binary.handling.mode. TiCDC "
        "writes base64.",
        choices=("base64", "base64-url-safe", "hex"),
        aliases={"bytes": "base64"},
    )
    decimal_handling_mode: str = option(
        "double",
        "For reading messages without schema blocks: how Debezium's own connector writes DECIMAL, its option "
        "decimal.handling.mode. TiCDC writes a double.",
        choices=("double", "precise", "string"),
    )
    time_precision_mode: str = option(
        "adaptive-time-microseconds",
        "For reading messages without schema blocks: how Debezium's own connector writes dates and times, its option "
        "time.precision.mode.",
        choices=("adaptive-time-microseconds", "connect", "isostring", "microseconds", "nanoseconds"),
    )
    bigint_unsigned_handling_mode: str = option(
        "long",
        "For reading messages without schema blocks: how Debezium's own connector writes BIGINT UNSIGNED, its option "
        "bigint.unsigned.handling.mode.",
        choices=("long", "precise"),
    )
    producer: str = option("tiflow", "Whose bytes are written.", choices=("tiflow", "ticdc"))
    invalid_text: str = INVALID_TEXT.field()
    max_unpacked_bytes: int = MAX_UNPACKED_BYTES.field()


OPTIONS: Final = Options.SPECS
"""The options, with their ranges and what they do."""


class Decoder(FacadeDecoder[Options]):
    """Messages to columns. Keeps what it learns of tables and names: reuse it for the batches of one topic, one call
    at a time: each thread has its own. A call while another one uses it is refused with an `InUseError`.

    Args:
        options: of the protocol.
        tables: the descriptions of tables that are known already; it gets those that messages have. None: none are.

    Attributes:
        tables: the descriptions that are known.
    """

    FACTS = FACTS

    def __init__(self, options: Options | None = None, tables: TableStore | None = None) -> None:
        self.tables: TableStore = TableStore.given(tables)
        super().__init__(options or Options(), other_protocols(NAME), self.tables)

    def _wire(self) -> _WireDecoder:
        return _WireDecoder(
            self.options.invalid_text,
            store=self.tables,
            decimal_handling_mode=self.options.decimal_handling_mode,
            bigint_unsigned_handling_mode=self.options.bigint_unsigned_handling_mode,
            binary_handling_mode=self.options.binary_handling_mode,
            time_precision_mode=self.options.time_precision_mode,
            table=self.options.table,
        )


class Encoder(FacadeEncoder[Options]):
    """Columns to messages. Keeps what it learns of names: reuse it for the batches of one topic, one call
    at a time: each thread has its own. A call while another one uses it is refused with an `InUseError`.

    Args:
        options: of the protocol.
        tables: the descriptions of tables that are known already, where something is computed of rows; it then gets
            those that events have. None: none are.

    Attributes:
        tables: the descriptions that are known.
    """

    FACTS = FACTS

    def __init__(self, options: Options | None = None, tables: TableStore | None = None) -> None:
        self.tables: TableStore = TableStore.given(tables)
        super().__init__(options or Options(), tables=self.tables)

    def _wire(self) -> _WireEncoder:
        return _WireEncoder(
            self.options.enable_tidb_extension,
            self.options.debezium_disable_schema,
            self.options.debezium_output_old_value,
            self.options.debezium_include_start_ts,
            self.options.cluster_id,
            self.options.producer,
            store=self.tables,
        )


_codec: DescribedCodec[Options, Event, Events] = DescribedCodec(NAME, Events, Decoder, Encoder, _dissect, keyed=True)
decode = _codec.decode
decode_batch = _codec.decode_batch
encode = _codec.encode
encode_batch = _codec.encode_batch
dissect = _codec.dissect
