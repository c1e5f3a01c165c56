"""The meanings of event fields, independent of their names.

The names of the fields follow from `means` in the spec of the events: `tidewire.events.ROLES`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeAlias

Roles: TypeAlias = Mapping[str, str]
"""The name of the field with each meaning."""

TSO = "tso"
"""The commit time as a TSO."""
PHYSICAL = "physical"
"""The milliseconds of the commit time."""
SENT = "sent"
"""When the message was written, in milliseconds."""
DDL_TYPE = "ddl_type"
"""The number of a DDL action."""
DDL_CLASS = "ddl_class"
"""The class of a DDL action."""
STATEMENT = "statement"
"""A DDL statement."""
PARTIAL = "partial"
"""Whether a row has only its handle key columns."""
LOCATION = "location"
"""The location of the whole message, if this one only points to it."""
TIME_ZONE = "time_zone"
"""The time zone of TIMESTAMP values."""
CHECKSUM = "checksum"
"""The checksum of the row; 0 for none."""
CHECKSUM_BEFORE = "checksum_before"
"""The checksum of the row before the change; 0 for none."""
CHECKSUM_VERSION = "checksum_version"
"""The producer's version number of the checksum algorithm."""
CHECKSUM_CORRUPTED = "checksum_corrupted"
"""Whether the producer found that the row differs from its checksum."""
TABLE_AFTER = "table_after"
"""The description of the table after the event."""
TABLE_BEFORE = "table_before"
"""The description of the table before the event."""


def described(roles: Roles) -> list[str]:
    """The names of the fields that describe tables."""
    return [roles[role] for role in (TABLE_AFTER, TABLE_BEFORE) if role in roles]
