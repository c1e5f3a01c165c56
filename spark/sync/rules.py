"""What a person chose for tables: how their DDL is followed, and what becomes of rows that came too late."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from tidewire.spark.sync.changelog import Action, Parked
from tidewire.spark.sync.wanted import EVERYTHING, Wanted

MODES = ("evolve", "lenient", "park", "stop", "ignore")
"""How the DDL of a table is followed: as the source did it, without taking columns away, not at all but waiting with
the table, or with everything, or as if there were none."""
LATE = ("count", "verify", "stop")
"""What becomes of rows below the resolved ts that the changelog does not have."""
MOST_KEYS = 1000
"""Parked keys of one table; with more of them the table is parked."""

COLUMNS = {"AddColumn", "DropColumn", "RenameColumn", "ModifyColumn"}
NOTHING = {"NoEffect", "SetDefault", "DropDefault", "CreateDatabase"}
"""Actions that change columns, and those after which rows and columns are as before."""
_REBUILT = "tidewire sync reset FILE {0} builds it anew from the topic"
_CANNOT = {
    "ExchangePartition": "a partition was exchanged, which moves rows that no message tells of",
    "TruncatePartition": "a partition was truncated, and no message tells of its rows",
    "DropPartition": "a partition was dropped, and no message tells of its rows",
    "RecoverTable": "it was recovered with rows that no message has",
    "ChangedKey": "its primary key was changed, so that rows before and after have different keys",
    "Unknown": "its definition was changed by a statement that Tidewire does not know",
}
_COMPUTED = "a column was added that the database computes, and no message has its values in rows that are there"
_SELECTED = "it was created with the rows of a query, which no message has"


def by_hand(table: str) -> str:
    """What to do where a statement cannot be followed."""
    return f"change the table by hand and run tidewire sync resume FILE {table}; or {_REBUILT.format(table)}"


def _computed(default: Any) -> bool:
    """Whether a default is an expression; one that is the time of the statement can be told."""
    facts = dict(default) if isinstance(default, tuple) else {}
    return bool(facts.get("expression")) and facts.get("text") != "CURRENT_TIMESTAMP"


def _lenient(_table: str) -> str:
    """The mode of all tables where nothing else was chosen."""
    return "lenient"


def _state(_table: str) -> bool:
    """No table is a history table where nothing else was chosen."""
    return False


@dataclass(frozen=True, slots=True)
class Rules:
    """What was chosen.

    Attributes:
        mode: the mode of a table by its name, one of `MODES`.
        history: whether a table, by its name, has all changes instead of the rows as they are: nothing is merged,
            so that rows need no key, and what takes rows away does not.
        late: one of `LATE`.
        wanted: which tables are kept.
        keep: for how many milliseconds staged files are kept after all tables have them, for late=verify and resets.
    """

    mode: Callable[[str], str] = _lenient
    history: Callable[[str], bool] = _state
    late: str = "count"
    keep: int = 0
    wanted: Wanted = EVERYTHING

    def parks(self, table: str, ts: int, action: Action) -> Parked | None:
        """Whether a table waits at this action."""
        mode = self.mode(table)
        kind = action.kind
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
        remedy = _REBUILT.format(table)
        if kind in ("ChangedKey", "Unknown", "AddColumn") or mode == "park":
            remedy = by_hand(table)
        return None if reason is None else Parked(ts, reason, remedy)

    def stops(self, table: str, action: Action) -> bool:
        """Whether the whole synchronisation waits at this action."""
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
                # the old column stays with what it has, and rows that have a value under the old name keep it
                return Action("CopyColumn", action.facts)
            if action.kind == "DropColumn":
                return Action("KeepColumn", action.facts)
        return action


DEFAULT = Rules()
"""What holds where nobody chose."""
