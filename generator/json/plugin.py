"""The wire `json`: JSON objects."""

from __future__ import annotations

from ..wire import Wire
from .build import protocol
from .passes import PASSES, JsonContext
from .printing import codec
from .schema import json_message

JSON = Wire("json", protocol, JsonContext, PASSES, codec, json_message)
