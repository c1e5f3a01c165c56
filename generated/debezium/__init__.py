"""Debezium.

An object for a changed row, a statement or a watermark, in Kafka Connect's envelope: a schema block beside it
says what it is. The key has the columns that tell the row.

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
from tidewire.runtime import require_api
from tidewire.runtime.codec import DescribedCodec, Message
from tidewire.runtime.detecting.signs import Signs
from tidewire.runtime.facade import FacadeDecoder, FacadeEncoder, ProtocolFacts
from tidewire.runtime.options import INVALID_TEXT, MAX_UNPACKED_BYTES, CodecOptions, option
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
    keyed=True,
    compression="large-message-handle-compression",
    blocks=True,
    packed_keys=True,
)
"""What the protocol is, beside what its decoder and encoder do."""

NAME: Final = FACTS.name
"""The protocol's name, as TiCDC's configuration has it."""

CARRIES: Final = FACTS.carries
"""The fields of events that a message says; others are absent after decoding."""

CARRIED_FLAGS: Final = FACTS.carried_flags
"""The column flags that a message says of every column, as bits (-1: all)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Options(CodecOptions):
    """Options of the protocol. What an option cannot be, and options that do not go together, are an `OptionError`."""

    PROTOCOL = NAME

    enable_tidb_extension: bool = option(False, "Watermarks are sent, and schema blocks have TiDB's types.")
    debezium_disable_schema: bool = option(False, "Messages have no schema block.")
    debezium_output_old_value: bool = option(True, "Updates have the row as it was before.", shows="old")
    debezium_include_start_ts: bool = option(False, "Rows say when their transaction began.", producers=("ticdc",))
    cluster_id: str = option("default", "The name of the cluster.")
    large_message_handle_compression: str = option(
        "none", "How messages are compressed: snappy blocks or lz4 frames.", choices=("none", "snappy", "lz4")
    )
    producer: str = option("tiflow", "Whose bytes are written.", choices=("tiflow", "ticdc"))
    invalid_text: str = INVALID_TEXT.field()
    max_unpacked_bytes: int = MAX_UNPACKED_BYTES.field()


OPTIONS: Final = Options.SPECS
"""The options, with their ranges and what they do."""


class Decoder(FacadeDecoder[Options]):
    """Messages to columns. Keeps what it learns of tables and names: reuse it for the batches of one topic.

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
        return _WireDecoder(self.options.invalid_text, store=self.tables)


class Encoder(FacadeEncoder[Options]):
    """Columns to messages. Keeps what it learns of names: reuse it for the batches of one topic.

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
