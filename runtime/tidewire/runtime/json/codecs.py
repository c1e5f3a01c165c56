"""Codecs of column values in JSON that readers and writers inline, by codec number.

Null is JSON null in every codec.
"""

from __future__ import annotations

from typing import Final

from tidewire.runtime.arrow import storage
from tidewire.runtime.json.codec import JsonCodec
from tidewire.runtime.wire import codec_ids

NOTHING: Final = JsonCodec(storage.NOTHING, storage.NOTHING)
"""No value but null."""
INT_TEXT: Final = JsonCodec(storage.INT, codec_ids.INT_TEXT)
UINT_TEXT: Final = JsonCodec(storage.UINT, codec_ids.UINT_TEXT)
ENUM_TEXT: Final = JsonCodec(storage.UINT, codec_ids.ENUM_TEXT)
SET_TEXT: Final = JsonCodec(storage.UINT, codec_ids.SET_TEXT)
FLOAT32_TEXT: Final = JsonCodec(storage.FLOAT, codec_ids.FLOAT32_TEXT)
FLOAT64_TEXT: Final = JsonCodec(storage.FLOAT, codec_ids.FLOAT64_TEXT)
TEXT: Final = JsonCodec(storage.TEXT, codec_ids.CHECKED_TEXT, codec_ids.UNCHECKED_TEXT)
UNDECLARED_TEXT: Final = JsonCodec(storage.TEXT, codec_ids.CHECKED_TEXT, codec_ids.UNCHECKED_TEXT, writes=False)
"""Text of a type that messages do not state; read only."""
LATIN1_TEXT: Final = JsonCodec(storage.BYTES, codec_ids.LATIN1_TEXT)
INT_NUMBER: Final = JsonCodec(storage.INT, codec_ids.INT_NUMBER)
UINT_NUMBER: Final = JsonCodec(storage.UINT, codec_ids.UINT_NUMBER)
FLOAT32_NUMBER: Final = JsonCodec(storage.FLOAT, codec_ids.FLOAT32_NUMBER)
FLOAT64_NUMBER: Final = JsonCodec(storage.FLOAT, codec_ids.FLOAT64_NUMBER)
BASE64_BYTES: Final = JsonCodec(storage.BYTES, codec_ids.BASE64_BYTES)
BASE64_TEXT: Final = JsonCodec(storage.TEXT, codec_ids.BASE64_CHECKED_TEXT, codec_ids.BASE64_UNCHECKED_TEXT)
QUOTED_BYTES: Final = JsonCodec(storage.BYTES, codec_ids.QUOTED_BYTES)
LOCATED_TEXT: Final = JsonCodec(storage.TEXT, codec_ids.LOCATED_TEXT)
"""Text with the location that it is in; the writer is given the location of the row."""
