"""The user's choices for tables: how their DDL is followed, and what happens to late rows."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from tidewire.runtime.shortened import shown
from tidewire.spark.sync.changelog import Action, Hold, Parked
from tidewire.spark.sync.reserved import TAKEN, reserved
from tidewire.spark.sync.wanted import EVERYTHING, Wanted

MODES = ("evolve", "lenient", "park", "stop", "ignore")
"""How the DDL of a table is followed: evolve: as in the source; lenient: without dropping columns; park: the table
waits; stop: everything stops; ignore: DDL is ignored.
"""
LATE = ("count", "verify", "stop")
"""What happens to rows below the resolved ts that the changelog lacks."""
MOST_KEYS = 1000
"""Maximum number of keys of a table whose rows wait because one of them cannot be read (parked keys); with more, the
whole table waits.
"""

COLUMNS = {"AddColumn", "DropColumn", "RenameColumn", "ModifyColumn"}
NOTHING = {"NoEffect", "SetDefault", "DropDefault", "CreateDatabase"}
"""The actions that change columns, and the actions without effect on rows and columns."""
ANEW = "tidewire sync reset FILE {0} makes it anew from the topic"
ADDED = "tidewire sync add FILE {0} makes it from the topic"
_CANNOT = {
    "ExchangePartition": "a partition was exchanged, which moves rows that no message tells of",
    "TruncatePartition": "a partition was truncated, and no message tells of its rows",
    "DropPartition": "a partition was dropped, and no message tells of its rows",
    "RecoverTable": "it was recovered with rows that no message has",
    "ChangedKey": "its primary key was changed, so that rows before and after have different keys",
    "Unknown": "its definition was changed by a statement that Tidewire does not know",
}
_COMPUTED = "a column was added that the database computes, and no message has its values in rows that are there"
_UNNAMED = (
    "its column {} was renamed to {}, and schema_changes of the table is ignore: rows have no value under the old name"
)
_RENAMED = "rename the column in the source, and run tidewire sync resume FILE {}"
_SELECTED = "it was created with the rows of a query, which no message has"


def by_hand(table: str) -> str:
    """The advice for a statement that cannot be followed."""
    return f"change the table by hand and run tidewire sync resume FILE {table}; or {ANEW.format(table)}"


def _computed(default: Any) -> bool:
    """Whether a default is an expression, other than the time of the statement."""
    facts = dict(default) if isinstance(default, tuple) else {}
    return bool(facts.get("expression")) and facts.get("text") != "CURRENT_TIMESTAMP"


def _lenient(_table: str) -> str:
    """The default mode."""
    return "lenient"


def _state(_table: str) -> bool:
    """False: by default no table is a history table."""
    return False


@dataclass(frozen=True, slots=True)
class Rules:
    """The choices.

    Attributes:
        mode: gives the mode of a table by its name, one of `MODES`.
        history: whether a table, by its name, is a history table, which has all changes: nothing is merged, so that
            rows need no key, and rows are never removed.
        late: one of `LATE`.
        wanted: which tables are kept.
        keep: for how many milliseconds staged files are kept after all tables have applied them, for late=verify and
            resets.
        hold: how long changes wait; None: they are applied with their batch.
    """

    mode: Callable[[str], str] = _lenient
    history: Callable[[str], bool] = _state
    late: str = "count"
    keep: int = 0
    wanted: Wanted = EVERYTHING
    hold: Hold | None = None

    def parks(self, table: str, ts: int, action: Action) -> Parked | None:
        """The reason for which a table waits at this action; None if it does not."""
        mode = self.mode(table)
        kind = action.kind
        if (mode != "park" or kind == "CreateTable") and (name := reserved(action)):
            return Parked(ts, f"its column {shown(name)} {TAKEN}", _RENAMED.format(table), "column")
        if kind == "RenameColumn" and mode == "ignore" and action.get("old").lower() != action.get("new").lower():
            return Parked(ts, _UNNAMED.format(shown(action.get("old")), shown(action.get("new"))), by_hand(table))
        if mode == "ignore" or kind == "DropTable" or kind in NOTHING:
            return None
        if self.history(table) and mode != "park":
            return None
        reason = _CANNOT.get(kind)
        if kind == "AddColumn" and (action.get("stored") or _computed(action.get("default"))):
            reason = _COMPUTED
        if kind == "CreateTable" and action.get("query"):
            reason = _SELECTED
        if reason is None and mode == "park" and kind != "CreateTable":
            reason = f"its definition was changed ({action.kind}), and schema_changes of the table is park"
        remedy = ANEW.format(table)
        if kind in ("ChangedKey", "Unknown", "AddColumn") or mode == "park":
            remedy = by_hand(table)
        return None if reason is None else Parked(ts, reason, remedy)

    def stops(self, table: str, action: Action) -> bool:
        """Whether the whole synchronisation stops at this action."""
        return action.kind != "CreateTable" and action.kind not in NOTHING and self.mode(table) == "stop"

    def followed(self, table: str, action: Action) -> Action | None:
        """What the target does for an action of the source; None for nothing."""
        mode = self.mode(table)
        if mode == "ignore" or action.kind in NOTHING:
            return None
        history = self.history(table)
        if history and action.kind not in COLUMNS:
            return None
        if mode == "lenient" or history:
            if action.kind == "RenameColumn":
                # the old column stays and keeps its values, also those of later rows under the old name
                return Action("CopyColumn", action.facts)
            if action.kind == "DropColumn":
                return Action("KeepColumn", action.facts)
        return action


DEFAULT = Rules()
"""The rules if the user chose none."""
