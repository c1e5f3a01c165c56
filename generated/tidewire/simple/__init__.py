"""TiCDC Simple.

One JSON object, or one record in Avro's binary encoding, for a changed row, a statement, a description of a
table or a watermark. Statements and bootstraps describe a table; rows say which version of it they are of, and
their values by column name. The Kafka key is empty.

Sources:
    document: TiCDC Simple Protocol (tidb documentation, dev/ticdc/ticdc-simple-protocol)
    tiflow: pingcap/tiflow pkg/sink/codec/simple at c7b2588
    ticdc: pingcap/ticdc pkg/sink/codec/simple at b813e76
"""
# Generated from spec/simple.yaml by "make generate". Do not edit.

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from tidewire import other_protocols
from tidewire.events import ROLES, Event, Events
from tidewire.messages.codec import DescribedCodec, Message
from tidewire.messages.delivery.message_writer import Store, Way
from tidewire.messages.detecting.signs import Signs
from tidewire.messages.facade import FacadeDecoder, FacadeEncoder
from tidewire.messages.options import (
    CLAIM_CHECK, COMPUTE_CHECKSUM, INVALID_TEXT, MAX_UNPACKED_BYTES, VERIFY_CHECKSUM, CodecOptions, option
)
from tidewire.messages.protocol_facts import Defect, ProtocolFacts, EncodedRecords, Large, Random
from tidewire.runtime import require_api
from tidewire.runtime.dissecting.spans import Span
from tidewire.simple.decoder import Decoder as _WireDecoder
from tidewire.simple.dissector import dissect as _dissect
from tidewire.simple.encoder import Encoder as _WireEncoder
from tidewire.simple.record_decoder import Decoder as _RecordDecoder
from tidewire.simple.record_dissector import content as _record_content, dissect as _dissect_record
from tidewire.simple.record_encoder import Encoder as _RecordEncoder
from tidewire.tables import TableStore

require_api(1)

__all__ = [
    "CARRIED_FLAGS", "CARRIES", "NAME", "Decoder", "Encoder", "Message", "Options", "decode", "decode_batch", "dissect",
    "encode", "encode_batch"
]

FACTS: Final = ProtocolFacts(
    name="simple",
    text=True,
    producers=("tiflow", "ticdc"),
    sorted=("tiflow", "ticdc"),
    kinds=("insert", "update", "delete", "ddl", "watermark", "bootstrap"),
    carries=frozenset(
        (
            "kind", "commit_ts", "sent_ms", "schema", "table", "table_id", "handle_key_only", "claim_check",
            "ddl_class", "query", "table_version", "table_after", "table_before", "time_zone", "checksum",
            "checksum_before", "checksum_version", "checksum_corrupted"
        )
    ),
    carried_flags=251,
    signs=Signs(
        b'',
        (
            "version", "database", "table", "tableID", "type", "sql", "commitTs", "buildTs", "schemaVersion",
            "claimCheckLocation", "handleKeyOnly", "checksum", "data", "old", "tableSchema", "preTableSchema"
        ),
    ),
    roles=ROLES,
    described=True,
    described_by="table_version",
    describing=("tableSchema", "preTableSchema"),
    listed_by_id=("tiflow",),
    classed={"ticdc": {42: "ALTER"}},
    checked=True,
    compression="large-message-handle-compression",
    large=Large(
        option="large-message-handle-option",
        bytes="max-message-bytes",
        overhead=36,
        refuses=(4, 6),
        ways={
            "handle-key-only": Way(2, "handle_key_only", False),
            "claim-check": Way(2, "claim_check", True, ("handle_key_only",)),
        },
        store="claim-check-storage-uri",
        raw="claim-check-raw-value",
    ),
    differences={
        "text-replaced": Defect(
            ("tiflow", "ticdc"), (15, 253, 254, 249, 250, 251, 252),
            "TiCDC writes U+FFFD for every byte of a text that is not UTF-8, and nobody can tell what was there. "
            "Here such a text is refused.",
        ),
    },
    records=EncodedRecords(
        option="encoding-format",
        choice="avro",
        begins=b'\x16',
        content=_record_content,
        random={
            "claimCheckLocation-value": Random(
                ("claimCheckLocation",), "value", "claimCheckLocation has another value every time it is written."
            ),
            "data-order": Random(("data",), "order", "data has its columns in another order every time."),
            "old-order": Random(("old",), "order", "old has its columns in another order every time."),
        },
    ),
    random={
        "claimCheckLocation-value": Random(
            ("claimCheckLocation",), "value", "claimCheckLocation has another value every time it is written."
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

    encoding_format: str = option(
        "json", "How messages are encoded: as JSON objects, or as records of Avro.", choices=("json", "avro")
    )
    enable_row_checksum: bool = option(
        False, "Rows carry their checksums (integrity-check-level=correctness of the changefeed)."
    )
    delete_only_output_handle_key_columns: bool = option(
        False, "Without effect: deleted rows are always complete.", ignored=True
    )
    max_message_bytes: int = option(
        10485760, "Most bytes of a message, key and overhead included.", range=(1, 2147483647)
    )
    large_message_handle_option: str = option(
        "none",
        "What becomes of a row whose message is too long: refused, cut down to its handle key, or stored elsewhere.",
        choices=("none", "handle-key-only", "claim-check"),
        choice_needs={"claim-check": ("claim-check-storage-uri",)},
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
    producer: str = option("tiflow", "Whose bytes are written.", choices=("tiflow", "ticdc"))
    invalid_text: str = INVALID_TEXT.field()
    claim_check: str = CLAIM_CHECK.field()
    max_unpacked_bytes: int = MAX_UNPACKED_BYTES.field()
    verify_checksum: bool = VERIFY_CHECKSUM.field()
    compute_checksum: bool = COMPUTE_CHECKSUM.field(implies=("enable-row-checksum",))


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

    def _wire(self) -> _WireDecoder | _RecordDecoder:
        if self.options.encoding_format == "avro":
            return _RecordDecoder(self.options.invalid_text, store=self.tables)
        return _WireDecoder(self.options.invalid_text, store=self.tables)


class Encoder(FacadeEncoder[Options]):
    """Columns to messages. Keeps what it learns of names: reuse it for the batches of one topic, one call
    at a time: each thread has its own. A call while another one uses it is refused with an `InUseError`.

    Args:
        options: of the protocol.
        store: where messages are kept that are too long to send; else files below claim-check-storage-uri.
        tables: the descriptions of tables that are known already, where something is computed of rows; it then gets
            those that events have. None: none are.

    Attributes:
        tables: the descriptions that are known.
    """

    FACTS = FACTS

    def __init__(
        self, options: Options | None = None, store: Store | None = None, tables: TableStore | None = None
    ) -> None:
        self.tables: TableStore = TableStore.given(tables)
        super().__init__(options or Options(), store, self.tables)

    def _wire(self) -> _WireEncoder | _RecordEncoder:
        if self.options.encoding_format == "avro":
            return _RecordEncoder(
                self.options.enable_row_checksum,
                self.options.producer,
            )
        return _WireEncoder(
            self.options.enable_row_checksum,
            self.options.producer,
        )


def _dissect_any(value: bytes, tables: TableStore | None = None) -> list[Span]:
    """Records begin with a byte with which no object does."""
    return _dissect_record(value, tables) if value[:1] == b'\x16' else _dissect(value, tables)


_codec: DescribedCodec[Options, Event, Events] = DescribedCodec(NAME, Events, Decoder, Encoder, _dissect_any)
decode = _codec.decode
decode_batch = _codec.decode_batch
encode = _codec.encode
encode_batch = _codec.encode_batch
dissect = _codec.dissect
