"""Runs a micro-batch without Spark: stage, create a manifest, apply in memory, publish, compare."""

from __future__ import annotations

from dataclasses import replace

from sync.in_memory import CrashError, FencedError, InMemory, StagedRow
from tidewire.spark.sync import plan as planning
from tidewire.spark.sync import resolved
from tidewire.spark.sync.changelog import (
    DELETE_RANK,
    UPSERT_RANK,
    DeadLetter,
    Manifest,
    Outcome,
    Request,
    Source,
    Staged,
    StagedRows,
    Statement,
)
from tidewire.spark.sync.file_lists import listed, needed, to_merge, to_plan
from tidewire.spark.sync.rehearsal.histories import History
from tidewire.spark.sync.rehearsal.source import Message, Truth
from tidewire.spark.sync.rules import Rules
from tidewire.spark.sync.shapes import Shape, ShapeColumn
from tidewire.spark.sync.written import read, read_list, written, written_list

SOURCE = Source("t0,t1", "any")
_SHAPES = {
    "": "",
    **{
        one: Shape(tuple(ShapeColumn(name, "int", None, name == one) for name in ("id", "u"))).text()
        for one in ("id", "u")
    },
}
"""Of rows with such a handle key."""


class WrongError(AssertionError):
    """What was published is not what the source was."""


class Driver:
    """One synchronisation of one history, which may die at some point and be started again."""

    def __init__(self, history: History, crash_after: int = -1) -> None:
        self.history = history
        self.files: dict[str, list[StagedRow]] = {}
        self.lists: dict[str, list[StagedRows] | str] = {}
        self.target = InMemory(self.files, history.lenient)
        self.target.crash_after = crash_after
        self.rules = Rules(mode=lambda _: "lenient" if history.lenient else "evolve", hold=history.hold)
        self.manifests: list[Manifest | str] = []
        self.published: dict[int, int] = {}
        self.truth = Truth(history.log, history.lenient, history.columns)
        self.outcomes: dict[str, Outcome] | None = {}
        self.attempt = 0
        self.stale: list[planning.TablesPlan] = []
        self.compared = 0
        self.held = 0
        self.crashed = 0
        self.late = 0
        self.waited = 0
        self.done: list[str] = []

    def run(self) -> Driver:
        """All batches, each until it is done."""
        for number in range(len(self.history.batches)):
            while not self.batch(number):
                self.crashed += 1
                self.outcomes = None  # what a driver remembers is gone
        while not self.all_applied():
            self.crashed += 1
            self.outcomes = None
        if self.compared == 0:
            raise WrongError("nothing was published")
        return self

    def batch(self, number: int) -> bool:
        """One micro-batch; False where the process died."""
        self.attempt += 1
        point = self.target.point
        try:
            point()
            if len(self.manifests) <= number:
                before = self.newest()
                staged = self.staged(number, before)
                point()
                manifest = resolved.advance(before, staged, self.history.known(number), self.rules)
                self.manifests.append(written(manifest) if self.history.texts else manifest)
                self.heard(number, manifest)
                point()
            self.apply(number, self.newest())
            point()
        except CrashError:
            return False
        return True

    def all_applied(self) -> bool:
        """Applies what waits for later batches; False where the process died."""
        newest = self.newest()
        number = len(self.history.batches)
        try:
            if newest.held:
                staged = Staged(newest.batch, outcomes=self.remembered(number, newest))
                rules = replace(self.rules, hold=None)
                self.manifests.append(resolved.advance(newest, staged, self.history.known(number - 1), rules))
                self.target.point()
            if len(self.manifests) > number:
                self.apply(number, self.newest())
        except CrashError:
            return False
        return True

    def newest(self) -> Manifest:
        if not self.manifests:
            return Manifest(SOURCE)
        found = self.manifests[-1]
        return read(found, SOURCE, "manifest") if isinstance(found, str) else found

    # ---- staging

    def staged(self, number: int, before: Manifest) -> Staged:
        """What the workers of a batch hand in."""
        history = self.history
        r0 = before.resolved
        requests, again = self.requests(number, before)
        readable = {id(one) for one in again}
        rows: list[StagedRow] = []
        watermarks: dict[str, dict[int, int]] = {}
        statements: list[Statement] = []
        dead: list[DeadLetter] = []
        partial: dict[str, tuple[int, str]] = {}
        messages = 0
        late: dict[str, int] = {}
        for (topic, partition), items in history.batches[number].items():
            messages += len(items)
            for item in items:
                if isinstance(item, Message):
                    table, key, *_ = item.changes[0]
                    if item.dead and id(item) not in readable:
                        dead.append(DeadLetter("dead", "no schema", topic, partition, 0, table, key, item.ts))
                    elif item.partial:
                        partial[table] = min(partial.get(table, (item.ts, "")), (item.ts, "no key"))
                    elif item.ts >= r0 or not history.dropped:
                        rows += _rows(item)
                    if item.ts < r0:
                        late[table] = late.get(table, 0) + 1
                elif isinstance(item, Statement):
                    statements.append(item)
                elif isinstance(item, int):
                    of = watermarks.setdefault(topic, {})
                    of[partition] = max(item, of.get(partition, 0))
        if number in history.late and r0 > 1 and not history.dropped:
            # a row that the source has, and that should have come before
            table = next(iter(before.names), "s.a")
            rows.append((table, r0 - 1, UPSERT_RANK, "late", {"id": "late", "v": -1}, ""))
            late[table] = late.get(table, 0) + 1
            self.late += 1
        for message in again:
            rows += _rows(message)
        staged = self.written(rows, late, number)
        without: tuple[str, ...] = ()
        merged = None
        loads = any(one.kind == "load" for one in requests)
        if many := before.lists if loads else to_merge(before, 3):
            kept = needed(before, [one for each in many for one in self.listed(each.path)], self.rules)
            merged = listed(f"merged-{self.attempt}", kept, many[0].tier + 1)
            without = tuple(one.path for one in many)
            self.lists[f"merged-{self.attempt}"] = kept
        path = f"list-{self.attempt}"
        self.lists[path] = written_list(staged) if history.texts else staged
        return Staged(
            number,
            tuple(staged),
            listed(path, staged),
            merged,
            without,
            watermarks,
            tuple(statements),
            tuple(dead),
            partial,
            letters={"dead": len(dead)} if dead else {},
            requests=requests,
            outcomes=self.remembered(number, before),
            messages=messages,
            pending=tuple(
                one
                for each in before.lists
                for one in self.listed(each.path)
                if each.hi >= r0 and one.hi >= r0
            ),
        )

    def written(self, rows: list[StagedRow], late: dict[str, int], number: int) -> list[StagedRows]:
        """Rows in files: small tables together in one, as two tasks would."""
        found = []
        tasks = [rows] if number % 2 else [rows[::2], rows[1::2]]
        for i, task in enumerate(tasks):
            if not task:
                continue
            path = f"{self.attempt}-{i}"
            self.files[path] = task
            by_table: dict[tuple[str, str], list[int]] = {}
            for one in task:
                by_table.setdefault((one[0], one[5]), []).append(one[1])
            for (table, handle), each in by_table.items():
                shape = _SHAPES[handle]
                found.append(StagedRows(table, path, len(each), min(each), max(each), late.pop(table, 0), shape))
        return found

    def requests(self, number: int, before: Manifest) -> tuple[tuple[Request, ...], list[Message]]:
        """Dead letters that can be read now, and tables that are made anew: rows staged for them."""
        history = self.history
        asked = []
        again: list[Message] = []
        if number in history.replays:
            for name, of in before.names.items():
                table = before.tables[of]
                if table.keys:
                    asked.append(Request(f"{number}-{name}", "replay", name))
                    for message in self.delivered(number):
                        if message.dead and message.changes[0].table == name:
                            again.append(message)
        if number in history.resumes:
            for name, of in before.names.items():
                parked = before.tables[of].parked
                if parked is not None and parked.by == "statement":
                    asked.append(Request(f"{number}+{name}", "resume", name))
        if number in history.resets and before.names:
            name = sorted(before.names)[number % len(before.names)]
            again = [one for one in self.delivered(number) if any(each.table == name for each in one.changes)]
            again = [Message(one.ts, tuple(each for each in one.changes if each.table == name), 0) for one in again]
            said = tuple(one for one in self.said(number) if one.table == name)
            asked.append(Request(f"{number}", "load", name, statements=said))
        return tuple(asked), again

    def heard(self, number: int, manifest: Manifest) -> None:
        """Dead letters of tables that were replayed are messages like others from here on."""
        self.done += manifest.done
        for request in manifest.done:
            if "+" in request:
                del self.truth.tables[request.split("+", 1)[1]].waits[0]
            if "-" in request:
                name = request.split("-", 1)[1]
                for message in self.delivered(number):
                    if message.dead and message.changes[0].table == name:
                        message.dead = False
                self.truth.freed(name)

    def delivered(self, number: int) -> list[Message]:
        """Each message of the batches before."""
        batches = self.history.batches[:number]
        found = {id(one): one for batch in batches for of in batch.values() for one in of if isinstance(one, Message)}
        return list(found.values())

    def said(self, number: int) -> list[Statement]:
        """Each statement of the batches before."""
        batches = self.history.batches[:number]
        return [one for batch in batches for of in batch.values() for one in of if isinstance(one, Statement)]

    def remembered(self, number: int, before: Manifest) -> dict[str, Outcome]:
        """What the apply before came to; a driver that died looks at the tables."""
        if self.outcomes is None and number:
            self.outcomes = self.with_ended(before, self.plan(before).outcomes(self.target.where()))
        return self.outcomes or {}

    def with_ended(self, manifest: Manifest, outcomes: dict[str, Outcome]) -> dict[str, Outcome]:
        """With the keys that wait no longer, by the files that are there."""
        rows = [one for each in manifest.lists for one in self.listed(each.path)]
        for of, outcome in outcomes.items():
            table = manifest.tables[of]
            if table.keys and of in self.target.tables:
                ended = self.target.ended(table.name, table, rows, outcome.reached.ts)
                outcomes[of] = outcome._replace(ended=ended)
        return outcomes

    # ---- applying

    def plan(self, manifest: Manifest) -> planning.TablesPlan:
        rows = [one for each in to_plan(manifest) for one in self.listed(each.path)]
        return planning.plan(manifest, rows, self.target.where(), self.rules)

    def listed(self, path: str) -> list[StagedRows]:
        found = self.lists[path]
        return read_list(found, path) if isinstance(found, str) else found

    def apply(self, number: int, manifest: Manifest) -> None:
        """All steps, then the record; then what nobody needs is removed."""
        plan = self.plan(manifest)
        if plan.lost or plan.ahead:
            raise WrongError(f"lost {plan.lost}, ahead {plan.ahead}")
        if number in self.history.skips:
            self.outcomes = self.with_ended(manifest, plan.outcomes(self.target.where()))
            return
        order = list(plan.steps)
        if number % 2:
            order.reverse()
        for of in order:
            for step in plan.steps[of]:
                self.target.do(step)
        self.outcomes = self.with_ended(manifest, plan.outcomes(self.target.where(), plan.steps))
        self.truth.advance(manifest.resolved)
        self.waited += len(manifest.held)
        self.bounded(manifest)
        if not manifest.held and manifest.resolved > max(self.published, default=0):
            self.compare(manifest, plan)
            self.published[manifest.resolved] = number
        self.other_driver(plan)
        kept = {one.path for each in manifest.lists for one in needed(manifest, self.listed(each.path), self.rules)}
        for path in self.files.keys() - kept:
            del self.files[path]

    def bounded(self, manifest: Manifest) -> None:
        """No change waits longer than the manifest says."""
        for number, waits in manifest.held.items():
            table = manifest.tables[number]
            every = (each for rows in self.files.values() for each in rows if each[0] == table.name)
            oldest = min((ts for _, ts, *_ in every if table.applied.ts <= ts < manifest.resolved), default=waits.since)
            if oldest < waits.since:
                raise WrongError(f"history {self.history.seed} at {manifest.resolved}: {oldest} waits, and not {waits}")

    def other_driver(self, plan: planning.TablesPlan) -> None:
        """One that was held since the batch before goes on with what it planned then: nothing of it is committed."""
        for old in self.stale:
            for steps in old.steps.values():
                for step in steps:
                    try:
                        self.target.do(step)
                    except FencedError:
                        break
                    except KeyError:
                        break  # its files are gone
        self.stale = [plan]

    # ---- what was published

    def compare(self, manifest: Manifest, plan: planning.TablesPlan) -> None:
        """Every table against the truth at R."""
        self.compared += 1
        where = f"history {self.history.seed} at {manifest.resolved}"
        for name, true in self.truth.tables.items():
            columns, rows = true.shown()
            table = self.target.tables.get(plan.tables.get(name, ""))
            parked = plan.parked.get(plan.tables.get(name, ""))
            if parked is not None and parked.by == "keys" and all(ts > parked.ts for *_, ts in true.waits):
                self.held += 1  # until the next batch, which is told that these keys wait no longer
                continue
            if table is None:
                if rows:
                    raise WrongError(f"{where}: {name} is not there, with {len(rows)} rows")
                continue
            found = table.rows
            if self.history.lenient:
                found = {key: {one: row.get(one) for one in columns} for key, row in found.items()}
            elif table.columns is not None and table.columns.keys() != columns:
                raise WrongError(f"{where}: {name} has columns {set(table.columns)} for {columns}")
            if found != rows:
                different = [key for key in found.keys() | rows.keys() if found.get(key) != rows.get(key)]
                first = different[0]
                raise WrongError(f"{where}: {name} {first} is {found.get(first)} for {rows.get(first)} ({different})")
            if not true.waits and table.name != name:
                raise WrongError(f"{where}: {name} is called {table.name}")
        for name, of in plan.tables.items():
            if name not in self.truth.tables and of in self.target.tables and self.target.tables[of].rows:
                raise WrongError(f"{where}: {name} is there, and the source has none")


def _rows(message: Message) -> list[StagedRow]:
    ts = message.ts
    return [
        (one.table, ts, DELETE_RANK if one.row is None else UPSERT_RANK, one.by or one.key, one.row, one.handle)
        for one in message.changes
    ]
