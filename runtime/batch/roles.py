"""What the fields of events mean, whatever they are called.

The names of the fields follow from `means` in the spec of the events: `tidewire.events.ROLES`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeAlias

Roles: TypeAlias = Mapping[str, str]
"""The name of the field that means something."""

TSO = "tso"
"""When the event was committed, as a TSO."""
PHYSICAL = "physical"
"""The milliseconds of the same."""
SENT = "sent"
"""When the message was written, in milliseconds."""
DDL_TYPE = "ddl_type"
"""The number of a DDL action."""
DDL_CLASS = "ddl_class"
"""The class of a DDL action."""
STATEMENT = "statement"
"""A DDL statement."""
PARTIAL = "partial"
"""Whether a row has its handle key columns only."""
LOCATION = "location"
"""Where the whole message lies, when this one only points to it."""
TIME_ZONE = "time_zone"
"""In which time zone TIMESTAMP values are."""
CHECKSUM = "checksum"
"""The checksum of the row; 0 for none."""
CHECKSUM_BEFORE = "checksum_before"
"""The checksum of the row before the change; 0 for none."""
CHECKSUM_VERSION = "checksum_version"
"""The producer's number of how the checksum was made."""
CHECKSUM_CORRUPTED = "checksum_corrupted"
"""Whether the producer found that the row differs from its checksum."""
TABLE_AFTER = "table_after"
"""The table as the event leaves it: a description."""
TABLE_BEFORE = "table_before"
"""The table as the event finds it: a description."""


def described(roles: Roles) -> list[str]:
    """The names of the fields that describe tables."""
    return [roles[role] for role in (TABLE_AFTER, TABLE_BEFORE) if role in roles]
