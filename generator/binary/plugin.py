"""The wire `binary`: structs of sections and chunks of bytes."""

from __future__ import annotations

from ..wire import Wire
from .build import protocol
from .passes import PASSES, BinaryContext, codecs
from .printing import codec
from .schema import binary_message

BINARY = Wire(codecs.WIRE, protocol, BinaryContext, PASSES, codec, binary_message, (codecs.check,))
