"""TiCDC Craft.

A binary, columnar protocol: one Kafka value holds one or more events. Numbers that repeat are kept as deltas,
names once in a dictionary, sizes in tables at the end. The Kafka key is empty.

Sources:
    document: TiCDC Craft (tidb documentation, dev/ticdc/ticdc-craft)
    encoder: pingcap/tiflow pkg/sink/codec/craft at c7b2588
"""
# Generated from spec/craft.yaml by "make generate". Do not edit.

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import pyarrow as pa

from tidewire import other_protocols
from tidewire.craft.decoder import Decoder as _WireDecoder
from tidewire.craft.dissector import dissect as _dissect
from tidewire.craft.encoder import Encoder as _WireEncoder
from tidewire.events import Event, Events
from tidewire.runtime import require_api
from tidewire.runtime.codec import Codec, Message, recognized
from tidewire.runtime.delivery.message_writer import Prepared
from tidewire.runtime.detecting.signs import Signs
from tidewire.runtime.options import INVALID_TEXT, CodecOptions, Kept, OptionSpec
from tidewire.runtime.batch.partial_rows import refuse_parts

if TYPE_CHECKING:
    from tidewire.runtime.batch import EventColumns

require_api(1)

__all__ = [
    "CARRIED_FLAGS", "CARRIES", "NAME", "Decoder", "Encoder", "Message", "Options", "decode", "decode_batch", "dissect",
    "encode", "encode_batch"
]

NAME: Final = "craft"
"""The protocol's name, as TiCDC's configuration has it."""

TEXT: Final = False
"""Whether its messages are text."""

PRODUCERS: Final = ("tiflow",)
"""The producers that write it."""

SORTED: Final[tuple[str, ...]] = ()
"""Those of them that write the columns of a row in the order of their names, so that the table's is not to be told."""

KINDS: Final = ("insert", "update", "delete", "ddl", "watermark")
"""The kinds of events that it has messages for, with some options."""

CARRIES: Final = frozenset(
    (
        "kind",
        "commit_ts",
        "schema",
        "table",
        "partition_id",
        "ddl_type",
        "query",
    )
)
"""The fields of events that a message says; others are absent after decoding."""

CARRIED_FLAGS: Final = -1
"""The column flags that a message says of every column, as bits (-1: all); of others it says those only that change
what the column's type stores (`tidewire.mysql.telling_flags`).
"""

OPTIONS: Final = (
    OptionSpec(
        "max-batch-size",
        "int",
        16,
        "Most rows in a message.",
        range=(1, 2147483647),
    ),
    OptionSpec(
        "max-message-bytes",
        "int",
        10485760,
        "Estimated size at which a message is closed, in bytes.",
        range=(1, 2147483647),
    ),
    OptionSpec(
        "delete-only-output-handle-key-columns",
        "bool",
        False,
        "A delete carries its handle key columns only.",
        keeps=Kept("delete", "old", 2),
    ),
    OptionSpec(
        "producer",
        "choice",
        "tiflow",
        "Whose bytes are written.",
        choices=("tiflow",),
    ),
    INVALID_TEXT,
)
"""The options, with their ranges and what they do."""

DEFECTS: Final[dict[str, tuple[tuple[str, ...], tuple[int, ...], str]]] = {
    "float-overwritten": (
        ("tiflow",),
        (4,),
        "The encoder reserves 4 bytes for a FLOAT and writes 8 (since v8.2.0): the next number it writes "
        "overwrites bytes 4 to 7. A reader cannot repair it. Not reproduced here; recordings with it are told "
        "apart by this name.",
    ),
}
"""Known defects of producers that are not reproduced: who writes them, in columns of which type codes, and what they
are."""

OVERWRITTEN: Final[dict[str, tuple[int, tuple[str, ...]]]] = {
    "float-overwritten": (4, ("varint", "uvarint", "float64")),
}
"""What such a defect damages: all of a value behind that many bytes can be the first bytes of the next value that is
written with one of these codecs, as far as that one reaches.
"""

DIFFERENCES: Final[dict[str, tuple[tuple[str, ...], tuple[int, ...], str]]] = {
    "empty-text-becomes-null": (
        ("tiflow",),
        (7, 10, 11, 12, 14, 246, 245),
        "The encoder writes an empty text of these types as null. TiDB has no such values, so it is never seen; "
        "here an empty text stays one.",
    ),
    "value-of-no-type-dropped": (
        ("tiflow",),
        (0, 6, 255),
        "The encoder writes a value of a type that has none as null. TiDB has no such values; here they are "
        "refused.",
    ),
    "decoder-loses-vectors": (
        ("tiflow",),
        (225,),
        "TiCDC's own decoder gives null for every vector, because it takes success for failure. The bytes are "
        "right, and here they are read.",
    ),
}
"""The same of what damages no value that can be read: a recording is excused by none of these but those of
`NAMELESS`."""

NAMELESS: Final[dict[str, tuple[str, str]]] = {
}
"""What loses names of columns, so that nobody can read the message: columns of the first member that are NULL in the
second."""

PRODUCER_DIFFERENCES: Final[dict[str, dict[str, str]]] = {
}
"""What producers write differently where none is wrong: by producer."""

RANDOM: Final[dict[str, tuple[tuple[str, ...], str, str]]] = {
}
"""Members that a producer writes differently every time: their path, whether it is the order or the value, and a
sentence."""

COMPRESSION: Final[str | None] = None
"""The option that says what messages are compressed with."""

ITEM_PREFIX: Final = 0
"""Bytes of the length before each item of a value, where items are compressed; 0: values are compressed as a whole."""

KEYED: Final = False
"""Whether keys say something of the events, so that messages cannot be read without theirs."""

TERMINATOR: Final[str | None] = None
"""The option that says what follows every row where several share a value."""

SIGNS: Final = Signs(b'\x01')
"""By what its messages are known, also those that are cut off: bytes that they begin with, members of the object."""

REASONS: Final[dict[str, str]] = {
    "float-overwritten": DEFECTS["float-overwritten"][2],
}
"""Why a recording may differ from what is written here, and still agree: name and sentence."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Options(CodecOptions):
    """Options of the protocol.

    Attributes:
        max_batch_size: Most rows in a message.
        max_message_bytes: Estimated size at which a message is closed, in bytes.
        delete_only_output_handle_key_columns: A delete carries its handle key columns only.
        producer: Whose bytes are written.
        invalid_text: What becomes of text that is not UTF-8, when decoding: error, replace (by U+FFFD) or bytes (it is
            given as bytes).

    Raises:
        OptionError: a value is not one that its option can have.
    """

    PROTOCOL = NAME
    SPECS = OPTIONS

    max_batch_size: int = 16
    max_message_bytes: int = 10485760
    delete_only_output_handle_key_columns: bool = False
    producer: str = "tiflow"
    invalid_text: str = "error"


class Decoder:
    """Messages to columns. Keeps what it learns of tables and names: reuse it for the batches of one topic."""

    def __init__(self, options: Options | None = None) -> None:
        self.options = options or Options()
        self._wire = _WireDecoder(self.options.invalid_text)
        self.reusable = True

    def decode(
        self, values: pa.Array | pa.ChunkedArray | Sequence[bytes | None], keys: object = None
    ) -> EventColumns:
        """A batch of messages as columns; messages that cannot be decoded are in its `errors` and cost the others
        nothing. Where none can be, the errors say which protocol they look like.

        Args:
            values: the messages' values, a binary array or a sequence of bytes; of a null, which is no empty
                message, there are no events: it is among the `tombstones`.
            keys: the messages' keys; this protocol does not use them.
        """
        columns = self._wire.decode(values)
        return recognized(columns, values, keys, other_protocols(NAME)) if columns.errors else columns

    def attempt(
        self, values: pa.Array | pa.ChunkedArray | Sequence[bytes | None], keys: object = None
    ) -> EventColumns:
        """The same without a look at other protocols, where no message can be decoded."""
        return self._wire.decode(values)

    def parts(
        self, values: pa.Array | pa.ChunkedArray | Sequence[bytes | None], keys: object = None
    ) -> Iterator[EventColumns]:
        """The same in parts, each of some messages in their order, which are numbered through: for batches that may
        become more than is wanted in memory at once.
        """
        yield self.decode(values, keys)


class Encoder:
    """Columns to messages. Keeps what it learns of names: reuse it for the batches of one topic."""

    def __init__(self, options: Options | None = None) -> None:
        self.options = options or Options()
        self._wire = _WireEncoder(
            self.options.max_batch_size,
            self.options.max_message_bytes,
            self.options.delete_only_output_handle_key_columns,
            self.options.producer,
        )
        self.reusable = True

    def encode(self, columns: EventColumns) -> pa.RecordBatch:
        """Events as messages, in their order: columns key and value (binary), first_event and events (int64).

        Raises:
            EncodeError: the protocol cannot carry an event.
        """
        refuse_parts(NAME, columns)
        return self._wire.encode(columns)

    def check(self, columns: EventColumns) -> None:
        """Raises what `encode` would raise, and leaves nothing behind."""
        refuse_parts(NAME, columns)
        self._wire.encode(columns)

    def prepare(self, columns: EventColumns) -> Prepared:
        """The same as `encode`, where what is kept in the store is written later, by `keep` of what this gives.

        Raises:
            EncodeError: as above.
        """
        refuse_parts(NAME, columns)
        return Prepared(self._wire.encode(columns))

    def messages(self, columns: EventColumns) -> list[tuple[bytes | None, bytes | None, int, int]]:
        """The same as a list, which costs less for a few: key, value, first event and number of events of each message.

        Raises:
            EncodeError: as above.
        """
        refuse_parts(NAME, columns)
        return self._wire.write(columns).rows()


_codec: Codec[Options, Event, Events] = Codec(NAME, Events, Decoder, Encoder, _dissect)
decode = _codec.decode
decode_batch = _codec.decode_batch
encode = _codec.encode
encode_batch = _codec.encode_batch
dissect = _codec.dissect
