"""Events as columns: what a batch of messages decodes to, and what encoders take."""

from __future__ import annotations

from tidewire.runtime.arrivals import Messages, messages
from tidewire.runtime.event_columns import EventColumns
from tidewire.runtime.layout import Layout
from tidewire.runtime.table_parts import Column, TableName

__all__ = ["Column", "EventColumns", "Layout", "Messages", "TableName", "messages"]
