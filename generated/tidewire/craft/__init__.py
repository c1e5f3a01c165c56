"""TiCDC Craft.

A binary, columnar protocol: one Kafka value holds one or more events. Numbers that repeat are kept as deltas,
names once in a dictionary, sizes in tables at the end. The Kafka key is empty.

Sources:
    document: TiCDC Craft (tidb documentation, dev/ticdc/ticdc-craft)
    encoder: pingcap/tiflow pkg/sink/codec/craft at c7b2588
"""
# Generated from spec/craft.yaml by "make generate". Do not edit.

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from tidewire import other_protocols
from tidewire.craft.decoder import Decoder as _WireDecoder
from tidewire.craft.dissector import dissect as _dissect
from tidewire.craft.encoder import Encoder as _WireEncoder
from tidewire.events import ROLES, Event, Events
from tidewire.messages.codec import Codec, Message
from tidewire.messages.detecting.signs import Signs
from tidewire.messages.facade import FacadeDecoder, FacadeEncoder
from tidewire.messages.options import INVALID_TEXT, CodecOptions, KeptColumns, option
from tidewire.messages.protocol_facts import Defect, ProtocolFacts
from tidewire.runtime import require_api

require_api(1)

__all__ = [
    "CARRIED_FLAGS", "CARRIES", "NAME", "Decoder", "Encoder", "Message", "Options", "decode", "decode_batch", "dissect",
    "encode", "encode_batch"
]

FACTS: Final = ProtocolFacts(
    name="craft",
    text=False,
    producers=("tiflow",),
    kinds=("insert", "update", "delete", "ddl", "watermark"),
    carries=frozenset(("kind", "commit_ts", "schema", "table", "partition_id", "ddl_type", "query")),
    carried_flags=-1,
    signs=Signs(b'\x01'),
    roles=ROLES,
    defects={
        "float-overwritten": Defect(
            ("tiflow",), (4,),
            "The encoder reserves 4 bytes for a FLOAT and writes 8 (since v8.2.0): the next number it writes "
            "overwrites bytes 4 to 7. A reader cannot repair it. Not reproduced here; recordings with it are told "
            "apart by this name.",
            keeps=4,
            by=("varint", "uvarint", "float64"),
        ),
    },
    differences={
        "empty-text-becomes-null": Defect(
            ("tiflow",), (7, 10, 11, 12, 14, 246, 245),
            "The encoder writes an empty text of these types as null. TiDB has no such values, so it is never "
            "seen; here an empty text stays one.",
        ),
        "value-of-no-type-dropped": Defect(
            ("tiflow",), (0, 6, 255),
            "The encoder writes a value of a type that has none as null. TiDB has no such values; here they are "
            "refused.",
        ),
        "decoder-loses-vectors": Defect(
            ("tiflow",), (225,),
            "TiCDC's own decoder gives null for every vector, because it takes success for failure. The bytes are "
            "right, and here they are read.",
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

    max_batch_size: int = option(16, "Most rows in a message.", range=(1, 2147483647))
    max_message_bytes: int = option(
        10485760, "Estimated size at which a message is closed, in bytes.", range=(1, 2147483647)
    )
    delete_only_output_handle_key_columns: bool = option(
        False, "A delete carries its handle key columns only.", keeps=KeptColumns("delete", "old", 2)
    )
    producer: str = option("tiflow", "Whose bytes are written.", choices=("tiflow",))
    invalid_text: str = INVALID_TEXT.field()


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
    """

    FACTS = FACTS

    def __init__(self, options: Options | None = None) -> None:
        super().__init__(options or Options())

    def _wire(self) -> _WireEncoder:
        return _WireEncoder(
            self.options.max_batch_size,
            self.options.max_message_bytes,
            self.options.delete_only_output_handle_key_columns,
            self.options.producer,
        )


_codec: Codec[Options, Event, Events] = Codec(NAME, Events, Decoder, Encoder, _dissect)
decode = _codec.decode
decode_batch = _codec.decode_batch
encode = _codec.encode
encode_batch = _codec.encode_batch
dissect = _codec.dissect
