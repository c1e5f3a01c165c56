"""Events as columns: the result of decoding a batch of messages, and the input of encoders."""

from __future__ import annotations

from tidewire.runtime.batch.event_columns import EventColumns
from tidewire.runtime.batch.layout import Layout
from tidewire.runtime.batch.table_parts import Column, TableName
from tidewire.runtime.wire.messages import Messages, messages

__all__ = ["Column", "EventColumns", "Layout", "Messages", "TableName", "messages"]
