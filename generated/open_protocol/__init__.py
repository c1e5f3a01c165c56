"""TiCDC Open Protocol.

Kafka key and value are two runs of JSON objects, each behind its length. Object i of both is event i: the key
says what happened, when and to which table, the value holds the row, every column with its type and flags, or
the statement.

Sources:
    document: TiCDC Open Protocol (tidb documentation, dev/ticdc/ticdc-open-protocol)
    tiflow: pingcap/tiflow pkg/sink/codec/open at c7b2588
    ticdc: pingcap/ticdc pkg/sink/codec/open at b813e76
"""
# Generated from spec/open-protocol.yaml by "make generate". Do not edit.

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Final

import pyarrow as pa

from tidewire import other_protocols
from tidewire.events import ROLES, Event, Events
from tidewire.open_protocol.decoder import Decoder as _WireDecoder
from tidewire.open_protocol.dissector import dissect as _dissect
from tidewire.open_protocol.encoder import Encoder as _WireEncoder
from tidewire.runtime import require_api
from tidewire.runtime.codec import Codec, Message, recognized
from tidewire.runtime.delivery.claims import ClaimFiles
from tidewire.runtime.delivery.items import Packing
from tidewire.runtime.delivery.message_reader import MessageReader
from tidewire.runtime.delivery.message_writer import Limit, MessageWriter, Prepared, Store, Way
from tidewire.runtime.detecting.signs import Signs
from tidewire.runtime.options import (
    CLAIM_CHECK,
    INVALID_TEXT,
    MAX_UNPACKED,
    CodecOptions,
    Kept,
    OptionSpec,
)
from tidewire.runtime.batch.partial_rows import refuse_parts

if TYPE_CHECKING:
    from tidewire.runtime.batch import EventColumns

require_api(1)

__all__ = [
    "CARRIED_FLAGS", "CARRIES", "NAME", "Decoder", "Encoder", "Message", "Options", "decode", "decode_batch", "dissect",
    "encode", "encode_batch"
]

NAME: Final = "open-protocol"
"""The protocol's name, as TiCDC's configuration has it."""

TEXT: Final = True
"""Whether its messages are text."""

PRODUCERS: Final = ("tiflow", "ticdc")
"""The producers that write it."""

SORTED: Final[tuple[str, ...]] = ("tiflow",)
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
        "row_id",
        "handle_key_only",
        "claim_check",
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
        "output-old-value",
        "bool",
        True,
        "Updates carry the row before; without it they read as inserts.",
    ),
    OptionSpec(
        "only-output-updated-columns",
        "bool",
        False,
        "Of an update's old row, the columns whose value changed.",
        keeps=Kept("update", "old"),
    ),
    OptionSpec(
        "delete-only-output-handle-key-columns",
        "bool",
        False,
        "A delete carries its handle key columns only.",
        keeps=Kept("delete", "old", 2),
    ),
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
        "Most bytes of a message, key and overhead included.",
        range=(1, 2147483647),
    ),
    OptionSpec(
        "large-message-handle-option",
        "choice",
        "none",
        "What becomes of a row whose message is too long: refused, cut down to its handle key, or stored elsewhere.",
        choices=("none", "handle-key-only", "claim-check"),
        choice_needs={"claim-check": ("claim-check-storage-uri",)},
    ),
    OptionSpec(
        "large-message-handle-compression",
        "choice",
        "none",
        "What each row and statement of a message is compressed with.",
        choices=("none", "snappy", "lz4"),
    ),
    OptionSpec(
        "claim-check-storage-uri",
        "text",
        "",
        "Where rows are stored whose messages are too long.",
    ),
    OptionSpec(
        "max-batched-bytes",
        "int",
        10485760,
        "Most bytes of a message with several rows.",
        range=(1, 2147483647),
        producers=("ticdc",),
    ),
    OptionSpec(
        "producer",
        "choice",
        "tiflow",
        "Whose bytes are written.",
        choices=("tiflow", "ticdc"),
    ),
    INVALID_TEXT,
    CLAIM_CHECK,
    MAX_UNPACKED,
)
"""The options, with their ranges and what they do."""

DEFECTS: Final[dict[str, tuple[tuple[str, ...], tuple[int, ...], str]]] = {
}
"""Known defects of producers that are not reproduced: who writes them, in columns of which type codes, and what they
are."""

OVERWRITTEN: Final[dict[str, tuple[int, tuple[str, ...]]]] = {
}
"""What such a defect damages: all of a value behind that many bytes can be the first bytes of the next value that is
written with one of these codecs, as far as that one reaches.
"""

DIFFERENCES: Final[dict[str, tuple[tuple[str, ...], tuple[int, ...], str]]] = {
    "updated-null-loses-its-name": (
        ("ticdc",),
        (1, 2, 9, 3, 8, 4, 5, 246, 15, 254, 252, 16, 247, 248, 245, 10, 11, 12, 7, 13, 225),
        "With only-output-updated-columns the new encoder writes what became NULL without the column's name: "
        "members of the column stand in p by themselves. Nobody can tell the column, so such a message is an "
        "error here, and none is written.",
    ),
    "updated-empty-becomes-null": (
        ("ticdc",),
        (15, 254, 253, 249, 250, 251, 252, 247, 248, 10, 12, 7, 11, 246, 245, 225),
        "With only-output-updated-columns the new encoder writes null for an old value that is empty or zero. "
        "Here the value is written.",
    ),
    "text-replaced": (
        ("tiflow", "ticdc"),
        (15, 253, 254),
        "TiCDC writes U+FFFD for every byte of a text that is not UTF-8, and nobody can tell what was there. Here "
        "such a text is refused. TEXT loses nothing: it is written in base64.",
    ),
    "decoder-fails-above-int64": (
        ("tiflow",),
        (16, 247, 248, 13),
        "TiCDC's own decoder fails at a BIT, ENUM or SET above an int64, and at a YEAR without its unsigned flag. "
        "The message is right, and read here.",
    ),
}
"""The same of what damages no value that can be read: a recording is excused by none of these but those of
`NAMELESS`."""

NAMELESS: Final[dict[str, tuple[str, str]]] = {
    "updated-null-loses-its-name": ("p", "u"),
}
"""What loses names of columns, so that nobody can read the message: columns of the first member that are NULL in the
second."""

PRODUCER_DIFFERENCES: Final[dict[str, dict[str, str]]] = {
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
}
"""What producers write differently where none is wrong: by producer."""

RANDOM: Final[dict[str, tuple[tuple[str, ...], str, str]]] = {
    "ccl-value": (("ccl",), "value", "ccl has another value every time it is written."),
}
"""Members that a producer writes differently every time: their path, whether it is the order or the value, and a
sentence."""

COMPRESSION: Final[str | None] = "large-message-handle-compression"
"""The option that says what messages are compressed with."""

ITEM_PREFIX: Final = 8
"""Bytes of the length before each item of a value, where items are compressed; 0: values are compressed as a whole."""

KEYED: Final = True
"""Whether keys say something of the events, so that messages cannot be read without theirs."""

TERMINATOR: Final[str | None] = None
"""The option that says what follows every row where several share a value."""

SIGNS: Final = Signs(b'\x00\x00\x00\x00\x00\x00\x00\x01', part="key")
"""By what its messages are known, also those that are cut off: bytes that they begin with, members of the object."""

REASONS: Final[dict[str, str]] = {
    "updated-null-loses-its-name": DIFFERENCES["updated-null-loses-its-name"][2],
    "ccl-value": RANDOM["ccl-value"][2],
    "compressed-otherwise": "The producer's encoder finds other repetitions: the same bytes, decompressed.",
}
"""Why a recording may differ from what is written here, and still agree: name and sentence."""

WAYS: Final = {
    "handle-key-only": Way(2, "handle_key_only", False),
    "claim-check": Way(2, "claim_check", True),
}
"""What becomes of a row whose message is too long, by the choices of `LARGE`."""

LARGE: Final = "large-message-handle-option"
"""The option that chooses one of them."""

STORE: Final = "claim-check-storage-uri"
"""The option that says where messages are kept that are too long to send."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Options(CodecOptions):
    """Options of the protocol.

    Attributes:
        output_old_value: Updates carry the row before; without it they read as inserts.
        only_output_updated_columns: Of an update's old row, the columns whose value changed.
        delete_only_output_handle_key_columns: A delete carries its handle key columns only.
        max_batch_size: Most rows in a message.
        max_message_bytes: Most bytes of a message, key and overhead included.
        large_message_handle_option: What becomes of a row whose message is too long: refused, cut down to its handle
            key, or stored elsewhere.
        large_message_handle_compression: What each row and statement of a message is compressed with.
        claim_check_storage_uri: Where rows are stored whose messages are too long.
        max_batched_bytes: Most bytes of a message with several rows.
        producer: Whose bytes are written.
        invalid_text: What becomes of text that is not UTF-8, when decoding: error, replace (by U+FFFD) or bytes (it is
            given as bytes).
        claim_check: Where the files lie that messages point to when they were too long, when decoding: a directory or a
            URL of fsspec.
            Empty: events stay as they were sent, and say that they are not whole.
        max_unpacked_bytes: Most bytes that may be fetched and decompressed at once, when decoding. Messages that need
            more, after those before them, are errors.

    Raises:
        OptionError: a value is not one that its option can have, or goes with none of the others.
    """

    PROTOCOL = NAME
    SPECS = OPTIONS

    output_old_value: bool = True
    only_output_updated_columns: bool = False
    delete_only_output_handle_key_columns: bool = False
    max_batch_size: int = 16
    max_message_bytes: int = 10485760
    large_message_handle_option: str = "none"
    large_message_handle_compression: str = "none"
    claim_check_storage_uri: str = ""
    max_batched_bytes: int = 10485760
    producer: str = "tiflow"
    invalid_text: str = "error"
    claim_check: str = ""
    max_unpacked_bytes: int = 268435456


class Decoder:
    """Messages to columns. Keeps what it learns of tables and names: reuse it for the batches of one topic."""

    def __init__(self, options: Options | None = None) -> None:
        self.options = options or Options()
        self._wire = _WireDecoder(self.options.invalid_text)
        self.files = (
            ClaimFiles(NAME, CLAIM_CHECK.name, self.options.claim_check, False)
            if self.options.claim_check
            else None
        )
        self.reusable = self.files is None and self.options.large_message_handle_compression == "none"
        self._reader = MessageReader(
            NAME,
            self._wire,
            ROLES,
            Packing(self.options.large_message_handle_compression, ITEM_PREFIX),
            "large-message-handle-compression",
            files=self.files,
            most=self.options.max_unpacked_bytes,
            keyed=True,
        )

    def decode(
        self, values: pa.Array | pa.ChunkedArray | Sequence[bytes | None], keys: object = None
    ) -> EventColumns:
        """A batch of messages as columns; messages that cannot be decoded are in its `errors` and cost the others
        nothing. Where none can be, the errors say which protocol they look like.

        Args:
            values: the messages' values, a binary array or a sequence of bytes; of a null, which is no empty
                message, there are no events: it is among the `tombstones`.
            keys: the messages' keys, one for each value; a message with a value and without a key is an error.

        Raises:
            ValueError: there are not as many keys as values.
        """
        columns = self._reader.decode(values, keys)
        return recognized(columns, values, keys, other_protocols(NAME)) if columns.errors else columns

    def attempt(
        self, values: pa.Array | pa.ChunkedArray | Sequence[bytes | None], keys: object = None
    ) -> EventColumns:
        """The same without a look at other protocols, where no message can be decoded."""
        return self._reader.decode(values, keys)

    def parts(
        self, values: pa.Array | pa.ChunkedArray | Sequence[bytes | None], keys: object = None
    ) -> Iterator[EventColumns]:
        """The same in parts, each of some messages in their order, which are numbered through: for batches that may
        become more than is wanted in memory at once. Each part may become `max_unpacked_bytes`.
        """
        return self._reader.parts(values, keys, partial(recognized, others=other_protocols(NAME)))


class Encoder:
    """Columns to messages. Keeps what it learns of names: reuse it for the batches of one topic.

    Args:
        options: of the protocol.
        store: where messages are kept that are too long to send; else files below claim-check-storage-uri.
    """

    def __init__(self, options: Options | None = None, store: Store | None = None) -> None:
        self.options = options or Options()
        self._wire = _WireEncoder(
            self.options.output_old_value,
            self.options.only_output_updated_columns,
            self.options.delete_only_output_handle_key_columns,
            self.options.max_batch_size,
            self.options.max_message_bytes,
            self.options.max_batched_bytes,
            self.options.producer,
            compress=Packing(self.options.large_message_handle_compression).compressor(),
        )
        self._store = store or self._files()
        self.reusable = self._store is None
        self._writer = MessageWriter(
            NAME,
            self._wire.write,
            limit=self._limit(),
            store=self._store,
            alone=partial(self._wire.write, alone=True),
        )

    def _limit(self) -> Limit | None:
        return Limit(self.options.max_message_bytes, 36, LARGE, self.options.large_message_handle_option, WAYS)

    def _files(self) -> ClaimFiles | None:
        way = WAYS.get(self.options.large_message_handle_option)
        if way is None or not way.stored:
            return None
        return ClaimFiles(NAME, STORE, self.options.claim_check_storage_uri, False)

    def encode(self, columns: EventColumns) -> pa.RecordBatch:
        """Events as messages, in their order: columns key and value (binary), first_event and events (int64).

        Raises:
            EncodeError: the protocol cannot carry an event, or its message is too long.
        """
        refuse_parts(NAME, columns)
        return self._writer.encode(columns)

    def check(self, columns: EventColumns) -> None:
        """Raises what `encode` would raise, and leaves nothing behind."""
        refuse_parts(NAME, columns)
        self._writer.prepare(columns)

    def prepare(self, columns: EventColumns) -> Prepared:
        """The same as `encode`, where what is kept in the store is written later, by `keep` of what this gives.

        Raises:
            EncodeError: as above.
        """
        refuse_parts(NAME, columns)
        return self._writer.prepare(columns)

    def messages(self, columns: EventColumns) -> list[tuple[bytes | None, bytes | None, int, int]]:
        """The same as a list, which costs less for a few: key, value, first event and number of events of each message.

        Raises:
            EncodeError: as above.
        """
        refuse_parts(NAME, columns)
        return self._writer.messages(columns)


_codec: Codec[Options, Event, Events] = Codec(NAME, Events, Decoder, Encoder, _dissect, keyed=True)
decode = _codec.decode
decode_batch = _codec.decode_batch
encode = _codec.encode
encode_batch = _codec.encode_batch
dissect = _codec.dissect
