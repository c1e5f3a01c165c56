"""The steps of a scenario, and its recorded events for `events.jsonl`."""

from __future__ import annotations

from typing import Any

from . import truth
from .server import Session
from .truth import State

Json = dict[str, Any]

BASE = 1767323045
"""The server's clock at the first step of a scenario, in seconds; each step is a second later."""


class Steps:
    """Runs the steps of a scenario and keeps the truth of it.

    Args:
        session: a connection.
    """

    def __init__(self, session: Session) -> None:
        self.events: list[Json] = []
        self._session = session
        self._state: State = truth.read_state(session)
        self._number = -1
        self._rows: dict[int, list[list[truth.Change]]] = {}

    def run(self, step: Json) -> None:
        """Runs a step.

        `ddl`: a statement that changes definitions. `dml`: statements that change rows, one or a list of them, which
        run one by one. `exec`: statements of which nothing is told, as SET. `snapshot`: nothing but the rows there are.

        Raises:
            SqlError: a statement was refused.
        """
        self._number += 1
        second = BASE + self._number
        self._session.run(f"set timestamp = {second}")
        if "exec" in step:
            self._session.run(step["exec"])
            self._state = truth.read_state(self._session)
        elif "ddl" in step:
            self._ddl(step, second)
        elif "dml" in step:
            self._dml(step["dml"], second)
        else:
            for name, table in self._state.items():
                for row in table.rows:
                    change = truth.Change("read", name, table, row, None)
                    self.events.append(_event(change, second, self._number))

    def _ddl(self, step: Json, second: int) -> None:
        self._session.run(step["ddl"])
        after = truth.read_state(self._session)
        changed = [name for name, table in after.items() if name not in self._state or _other(self._state[name], table)]
        gone = [name for name in self._state if name not in after]
        emptied = step["ddl"].split()[0].lower() == "truncate"
        if emptied:
            changed = [name for name, table in after.items() if self._state[name].rows != table.rows]
        event: Json = {"kind": "ddl", "step": self._number, "ts_ms": second * 1000, "query": step["ddl"]}
        event["ddl_type_name"] = "truncate table" if emptied else None
        event["tables"] = [_described(name, after[name]) for name in changed]
        event["dropped"] = [{"schema": schema, "table": table} for schema, table in gone]
        self.events.append(event)
        self._state = after

    def _dml(self, statements: str | list[str], second: int) -> None:
        done = []
        for statement in [statements] if isinstance(statements, str) else statements:
            self._session.run(statement)
            after = truth.read_state(self._session)
            done.append(truth.changes(self._state, after))
            self._state = after
        self._rows[self._number] = done
        self.events.append({"step": self._number, "second": second})

    def order(self, binlog: str) -> None:
        """Puts rows in the order of the binary log, and numbers all events.

        Raises:
            SqlError: the binary log and the tables disagree about what happened.
        """
        done = truth.operations(binlog)
        told: list[Json] = []
        for event in self.events:
            if "kind" in event:
                told.append(event)
                continue
            for changes in truth.in_order(done.get(event["second"], []), self._rows[event["step"]]):
                for change in changes:
                    row = _event(change, event["second"], event["step"])
                    told.append({**row, "key_changed": True} if len(changes) > 1 else row)
        self.events = [{"n": n, **event} for n, event in enumerate(told)]


def _other(was: truth.Table, now: truth.Table) -> bool:
    return was.columns != now.columns or was.indexes != now.indexes


def _described(name: tuple[str, str], table: truth.Table) -> Json:
    return {"schema": name[0], "table": name[1], "columns": table.columns, "indexes": table.indexes}


def _event(change: truth.Change, second: int, step: int) -> Json:
    columns = change.table.columns

    def image(row: truth.Values | None) -> list[Json | None] | None:
        if row is None:
            return None
        return [truth.value(column, shown) for column, shown in zip(columns, row, strict=True)]

    event: Json = {"kind": change.kind, "step": step, "ts_ms": second * 1000}
    event |= {"schema": change.name[0], "table": change.name[1], "columns": columns}
    return event | {"new": image(change.new), "old": image(change.old)}
