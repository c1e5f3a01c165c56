"""What the records of a protocol tell of rows, beside how they lie in bytes: printed from a spec, for those who hold
messages against what happened.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from tidewire.runtime.registered.parts import is_written
from tidewire.runtime.registered.schema_types import FieldForms


class RecordFacts(NamedTuple):
    """What records tell."""

    forms: FieldForms
    """What their schemas say of columns."""
    keys: Mapping[str, int]
    """By producer the flag of the columns of keys."""
    kind: tuple[str, ...]
    """The options with one of which a record says what happened; else every record reads as an insert. None: it always
    does."""
    before: tuple[str, ...]
    """Those with one of which it has the row before; the key alone tells deleted rows without."""
    commit_ts: tuple[str, ...]
    """Those with one of which it says when the transaction committed."""
    deleted: tuple[str, ...]
    """Those with one of which a message of a deleted row without a record says that."""
    deleted_by: tuple[str, ...]
    """The producers who write it."""
    unsent: tuple[str, ...]
    """The producers whose records have the columns of a table that its rows lack, as null."""
    keyless: str
    """The name under which nothing is said of a row that is gone and has no key."""

    def told(self, when: tuple[str, ...], options: Mapping[str, Any]) -> bool:
        """Whether something is told with these options."""
        return is_written(when, options)
