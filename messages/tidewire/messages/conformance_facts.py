"""What records of a protocol state about rows, apart from their binary format; generated from a spec, for tools that
compare messages with the actual changes.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from tidewire.runtime.registered.parts import is_written
from tidewire.runtime.registered.schema_types import FieldForms


class RecordFacts(NamedTuple):
    """What records state."""

    forms: FieldForms
    """How their schemas state columns."""
    keys: Mapping[str, int]
    """By producer, the flag of columns that keys contain."""
    kind: tuple[str, ...]
    """Records state their operation if one of these options is set; otherwise every record reads as an insert. Empty:
    always.
    """
    before: tuple[str, ...]
    """Records have the row before the change if one of these options is set; otherwise a deleted row is only known by
    its key.
    """
    commit_ts: tuple[str, ...]
    """Records have the commit time if one of these options is set."""
    deleted: tuple[str, ...]
    """A message without a record states a deletion if one of these options is set."""
    deleted_by: tuple[str, ...]
    """Producers that write a message without a record for a deletion."""
    unsent: tuple[str, ...]
    """Producers whose records have the columns that a row lacks, as null."""
    keyless: str
    """Name of the fact that a deleted row without a key cannot be stated."""

    def told(self, when: tuple[str, ...], options: Mapping[str, Any]) -> bool:
        """Whether records state a fact under these options. `when`: options of which one must be set; empty: always."""
        return is_written(when, options)
