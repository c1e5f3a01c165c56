"""TiCDC Open Protocol.

Kafka key and value are two sequences of JSON objects, each preceded by its length. Object i of both is event i:
the key says what happened, when and to which table, the value holds the row, every column with its type and
flags, or the statement.

Sources:
    document: TiCDC Open Protocol (tidb documentation, dev/ticdc/ticdc-open-protocol)
    tiflow: pingcap/tiflow pkg/sink/codec/open at c7b2588
    ticdc: pingcap/ticdc pkg/sink/codec/open at b813e76
"""
# Generated from spec/open-protocol.yaml by "make generate". Do not edit.

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from tidewire import other_protocols
from tidewire.events import ROLES, Event, Events
from tidewire.messages.codec import Codec, Message
from tidewire.messages.delivery.message_writer import Store, Way
from tidewire.messages.detecting.signs import Signs
from tidewire.messages.facade import FacadeDecoder, FacadeEncoder
from tidewire.messages.options import CLAIM_CHECK, INVALID_TEXT, MAX_UNPACKED_BYTES, CodecOptions, KeptColumns, option
from tidewire.messages.protocol_facts import Defect, ProtocolFacts, Large, Random
from tidewire.open_protocol.decoder import Decoder as _WireDecoder
from tidewire.open_protocol.dissector import dissect as _dissect
from tidewire.open_protocol.encoder import Encoder as _WireEncoder
from tidewire.runtime import require_api

require_api(1)

__all__ = [
    "CARRIED_FLAGS", "CARRIES", "NAME", "Decoder", "Encoder", "Message", "Options", "decode", "decode_batch", "dissect",
    "encode", "encode_batch"
]

FACTS: Final = ProtocolFacts(
    name="open-protocol",
    text=True,
    producers=("tiflow", "ticdc"),
    sorted=("tiflow",),
    kinds=("insert", "update", "delete", "ddl", "watermark"),
    carries=frozenset(
        (
            "kind", "commit_ts", "schema", "table", "partition_id", "row_id", "handle_key_only", "claim_check",
            "ddl_type", "query"
        )
    ),
    carried_flags=-1,
    signs=Signs(b'\x00\x00\x00\x00\x00\x00\x00\x01', part="key"),
    roles=ROLES,
    exchanged={"tiflow": False, "ticdc": True},
    keyed=True,
    compression="large-message-handle-compression",
    item_prefix=8,
    large=Large(
        option="large-message-handle-option",
        bytes="max-message-bytes",
        overhead=36,
        ways={
            "handle-key-only": Way(2, "handle_key_only", False),
            "claim-check": Way(2, "claim_check", True),
        },
        store="claim-check-storage-uri",
        gathered=True,
    ),
    differences={
        "updated-null-loses-its-name": Defect(
            ("ticdc",), (1, 2, 9, 3, 8, 4, 5, 246, 15, 254, 252, 16, 247, 248, 245, 10, 11, 12, 7, 13, 225),
            "With only-output-updated-columns the new encoder writes what became NULL without the column's name: "
            "members of the column stand in p by themselves. Nobody can tell the column, so such a message is an "
            "error here, and none is written.",
            nameless=("p", "u"),
        ),
        "updated-empty-becomes-null": Defect(
            ("ticdc",), (15, 254, 253, 249, 250, 251, 252, 247, 248, 10, 12, 7, 11, 246, 245, 225),
            "With only-output-updated-columns the new encoder writes null for an old value that is empty or zero. "
            "Here the value is written.",
        ),
        "text-replaced": Defect(
            ("tiflow", "ticdc"), (15, 253, 254),
            "TiCDC writes U+FFFD for every byte of a text that is not UTF-8, and nobody can tell what was there. "
            "Here such a text is refused. TEXT loses nothing: it is written in base64.",
        ),
        "decoder-fails-above-int64": Defect(
            ("tiflow",), (16, 247, 248, 13),
            "TiCDC's own decoder fails at a BIT, ENUM or SET above an int64, and at a YEAR without its unsigned "
            "flag. The message is right, and read here.",
        ),
    },
    producer_differences={
        "statement": {
            "tiflow": "q is the statement as it was written.",
            "ticdc": "q is the statement as TiDB restores it.",
        },
        "column-order": {
            "tiflow": "Columns are sorted by the bytes of their names.",
            "ticdc": "Columns are in the order of the table.",
        },
        "p-of-no-columns": {
            "tiflow": "omit",
            "ticdc": "{}",
        },
    },
    random={
        "ccl-value": Random(("ccl",), "value", "ccl has another value every time it is written."),
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

    output_old_value: bool = option(True, "Updates carry the row before; without it they read as inserts.", shows="old")
    only_output_updated_columns: bool = option(
        False, "Of an update's old row, the columns whose value changed.", keeps=KeptColumns("update", "old")
    )
    delete_only_output_handle_key_columns: bool = option(
        False, "A delete carries its handle key columns only.", keeps=KeptColumns("delete", "old", 2)
    )
    max_batch_size: int = option(16, "Most rows in a message.", range=(1, 2147483647))
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
        "none", "What each row and statement of a message is compressed with.", choices=("none", "snappy", "lz4")
    )
    claim_check_storage_uri: str = option("", "Where rows are stored whose messages are too long.")
    max_batched_bytes: int = option(
        10485760, "Most bytes of a message with several rows.", range=(1, 2147483647), producers=("ticdc",)
    )
    producer: str = option("tiflow", "Whose bytes are written.", choices=("tiflow", "ticdc"))
    invalid_text: str = INVALID_TEXT.field()
    claim_check: str = CLAIM_CHECK.field()
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
        return _WireDecoder(self.options.invalid_text)


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
            self.options.output_old_value,
            self.options.only_output_updated_columns,
            self.options.delete_only_output_handle_key_columns,
            self.options.max_batch_size,
            self.options.max_message_bytes,
            self.options.max_batched_bytes,
            self.options.producer,
            compress=self._compressor(),
        )


_codec: Codec[Options, Event, Events] = Codec(NAME, Events, Decoder, Encoder, _dissect, keyed=True)
decode = _codec.decode
decode_batch = _codec.decode_batch
encode = _codec.encode
encode_batch = _codec.encode_batch
dissect = _codec.dissect
