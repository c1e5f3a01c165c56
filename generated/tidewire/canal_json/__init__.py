"""Canal-JSON.

One JSON object for a changed row, a DDL statement or a watermark. Column values are text or null. The Kafka key
is empty. A storage sink writes the rows of a transaction into one value, each followed by a terminator.

Sources:
    document: TiCDC Canal-JSON (tidb documentation, dev/ticdc/ticdc-canal-json)
    tiflow: pingcap/tiflow pkg/sink/codec/canal at c7b2588
    ticdc: pingcap/ticdc pkg/sink/codec/canal at b813e76
    canal: alibaba/canal FlatMessage; its messages are read, never written
"""
# Generated from spec/canal-json.yaml by "make generate". Do not edit.

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from tidewire import other_protocols
from tidewire.canal_json.decoder import Decoder as _WireDecoder
from tidewire.canal_json.dissector import dissect as _dissect
from tidewire.canal_json.encoder import Encoder as _WireEncoder
from tidewire.events import ROLES, Event, Events
from tidewire.messages.codec import Codec, Message
from tidewire.messages.delivery.message_writer import Store, Way
from tidewire.messages.detecting.signs import Signs
from tidewire.messages.facade import FacadeDecoder, FacadeEncoder
from tidewire.messages.options import (
    CLAIM_CHECK, COLUMN_TYPES, INVALID_TEXT, MAX_UNPACKED_BYTES, CodecOptions, KeptColumns, option
)
from tidewire.messages.protocol_facts import Defect, ProtocolFacts, Large, Random
from tidewire.runtime import require_api

require_api(1)

__all__ = [
    "CARRIED_FLAGS", "CARRIES", "NAME", "Decoder", "Encoder", "Message", "Options", "decode", "decode_batch", "dissect",
    "encode", "encode_batch"
]

FACTS: Final = ProtocolFacts(
    name="canal-json",
    text=True,
    producers=("tiflow", "ticdc"),
    kinds=("insert", "update", "delete", "ddl", "watermark"),
    carries=frozenset(
        (
            "kind", "commit_ts", "commit_ms", "sent_ms", "schema", "table", "row_key", "handle_key_only", "claim_check",
            "ddl_class", "query"
        )
    ),
    carried_flags=8,
    signs=Signs(
        b'',
        (
            "id", "database", "table", "pkNames", "isDdl", "type", "es", "ts", "sql", "sqlType", "mysqlType", "data",
            "old", "_tidb"
        ),
    ),
    roles=ROLES,
    unnamed="table",
    exchanged={"tiflow": False, "ticdc": True},
    terminator="terminator",
    compression="large-message-handle-compression",
    large=Large(
        option="large-message-handle-option",
        bytes="max-message-bytes",
        overhead=36,
        ways={
            "handle-key-only": Way(2, "handle_key_only", False),
            "claim-check": Way(2, "claim_check", True),
        },
        store="claim-check-storage-uri",
        raw="claim-check-raw-value",
    ),
    differences={
        "decoder-takes-enum-for-binary": Defect(
            ("tiflow", "ticdc"), (247, 248),
            "TiCDC's own decoder looks for \"blob\" and \"binary\" anywhere in a declared type, labels included, and "
            "then leaves the number of an ENUM or SET as text. The message is right; here the base type decides.",
        ),
        "text-replaced": Defect(
            ("tiflow", "ticdc"), (15, 253, 254, 249, 250, 251, 252),
            "TiCDC writes U+FFFD for every byte of a text that is not UTF-8, so that a reader cannot know the "
            "text. Here such a text is refused.",
        ),
        "no-limit-in-storage-sink": Defect(
            ("tiflow", "ticdc"), (15, 254, 249, 252, 250, 251, 245),
            "TiCDC refuses a row that is longer than max-message-bytes also where a storage sink writes files, in "
            "which nothing has such a limit. Here rows of files have no limit.",
        ),
    },
    producer_differences={
        "statement": {
            "tiflow": "sql is the statement as it was written.",
            "ticdc": "sql is the statement as TiDB restores it.",
        },
        "no-columns": {
            "tiflow": "A row without a column that may be written has empty data and mysqlType.",
            "ticdc": "Such a row is refused.",
        },
        "mysqlType-of-no-columns": {
            "tiflow": "{}",
            "ticdc": "null",
        },
    },
    random={
        "mysqlType-order": Random(
            ("mysqlType",), "order", "mysqlType has its columns in another order every time it is written."
        ),
        "claimCheckLocation-value": Random(
            ("_tidb", "claimCheckLocation"), "value", "claimCheckLocation has another value every time it is written."
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

    enable_tidb_extension: bool = option(False, "Messages carry _tidb, and watermarks are sent.")
    content_compatible: bool = option(
        False, "Types in full, as Canal writes them.", implies=("only-output-updated-columns",)
    )
    only_output_updated_columns: bool = option(
        False, "Of an update's old row, the columns whose value changed.", keeps=KeptColumns("update", "old")
    )
    delete_only_output_handle_key_columns: bool = option(
        False, "A delete carries its handle key columns only.", keeps=KeptColumns("delete", "old", 2)
    )
    table: str = option(
        "",
        "For reading: the table of rows whose messages do not name it, such as shop.orders. Flink writes such "
        "messages; they have only data and type.",
    )
    output_row_key: bool = option(
        False, "The extension carries TiKV's key of the row.", needs=("enable-tidb-extension",), producers=("ticdc",)
    )
    max_message_bytes: int = option(
        10485760, "Most bytes of a message, key and overhead included.", range=(1, 2147483647)
    )
    large_message_handle_option: str = option(
        "none",
        "What becomes of a row whose message is too long: refused, cut down to its handle key, or stored elsewhere.",
        choices=("none", "handle-key-only", "claim-check"),
        choice_needs={
            "handle-key-only": ("enable-tidb-extension",),
            "claim-check": ("enable-tidb-extension", "claim-check-storage-uri"),
        },
    )
    large_message_handle_compression: str = option(
        "none", "How messages are compressed: snappy blocks or lz4 frames.", choices=("none", "snappy", "lz4")
    )
    claim_check_storage_uri: str = option(
        "", "Where messages that are too long are stored: a directory or a URL of fsspec."
    )
    claim_check_raw_value: bool = option(
        False, "A stored file is the message itself, not key and value in JSON and base64."
    )
    terminator: str = option(
        "", "What follows every row in a storage sink's file; empty: one message for each row.", escapes=True
    )
    producer: str = option("tiflow", "Whose bytes are written.", choices=("tiflow", "ticdc"))
    invalid_text: str = INVALID_TEXT.field()
    claim_check: str = CLAIM_CHECK.field()
    column_types: str = COLUMN_TYPES.field()
    max_unpacked_bytes: int = MAX_UNPACKED_BYTES.field()


OPTIONS: Final = Options.SPECS
"""The options, with their ranges and what they do."""


class Decoder(FacadeDecoder[Options]):
    """Messages to columns. Keeps what it learns of tables and names: reuse it for the batches of one topic, one call
    at a time: each thread has its own. A call while another one uses it is refused with an `InUseError`.
    """

    FACTS = FACTS

    def __init__(self, options: Options | None = None) -> None:
        super().__init__(options or Options(), other_protocols(NAME))

    def _wire(self) -> _WireDecoder:
        return _WireDecoder(
            self.options.invalid_text,
            self.options.terminator,
            column_types=self.options.column_types,
            table=self.options.table,
        )


class Encoder(FacadeEncoder[Options]):
    """Columns to messages. Keeps what it learns of names: reuse it for the batches of one topic, one call
    at a time: each thread has its own. A call while another one uses it is refused with an `InUseError`.

    Args:
        options: of the protocol.
        store: where messages are kept that are too long to send; else files below claim-check-storage-uri.
    """

    FACTS = FACTS

    def __init__(self, options: Options | None = None, store: Store | None = None) -> None:
        super().__init__(options or Options(), store)

    def _wire(self) -> _WireEncoder:
        return _WireEncoder(
            self.options.enable_tidb_extension,
            self.options.content_compatible,
            self.options.only_output_updated_columns,
            self.options.delete_only_output_handle_key_columns,
            self.options.output_row_key,
            self.options.terminator,
            self.options.producer,
        )


_codec: Codec[Options, Event, Events] = Codec(NAME, Events, Decoder, Encoder, _dissect)
decode = _codec.decode
decode_batch = _codec.decode_batch
encode = _codec.encode
encode_batch = _codec.encode_batch
dissect = _codec.dissect
