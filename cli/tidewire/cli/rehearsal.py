"""The drill of `tidewire sync rehearse`: a hostile topic through a copy of a file, in processes that are killed."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import tempfile
from collections.abc import Callable
from contextlib import suppress
from dataclasses import asdict, dataclass, field
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING, Any

from tidewire.cli.rehearsal_copy import copied, environment
from tidewire.cli.rehearsal_process import ASKED, TOLD
from tidewire.cli.shell import CommandError
from tidewire.cli.sync_values import SyncFile

if TYPE_CHECKING:
    from tidewire.spark.sync.changelog import DeadLetter, Manifest
    from tidewire.spark.sync.choices import Chosen
    from tidewire.spark.sync.how_far import Status
    from tidewire.spark.sync.rehearsal.hostile import Hostile

_REFUSED = ("JarError", "JavaError", "OptionError", "CommandError")
"""Errors of a process that has not begun, as of a session that cannot be made."""


@dataclass
class Rehearsed:
    """The result of a rehearsal.

    Attributes:
        seed, events: the options of the command.
        protocol: of the messages.
        tables: names of the source tables that are kept current.
        skipped: name of a source table that is not.
        left_out: settings of the user that the rehearsal leaves out.
        messages: how many were sent.
        partitions: number of partitions, by topic.
        batches: micro-batches with their messages and resolved ts, by number.
        versions: what was published, each compared.
        again: how many comparisons there were of versions that had been compared before, as tables were maintained.
        maintained: how often tables were maintained, in how many of these times to the end, and sums of what was done;
            empty without `maintain.every`.
        statements: commit ts, table, text, and what the settings made of it.
        kills: where the process was killed, and what was found.
        unreached: kills for which there were too few batches.
        parked: by table, why it waits.
        keys: by table, how many keys wait.
        letters: messages that cannot be read.
        damaged: how many were sent that cannot be read.
        late: table and batch of the row that came late; None for none.
        late_counted: by table, rows below the resolved ts.
        unknown: of these, those that are no replays.
        notes: of the newest batch.
        stopped: why it stopped before the end.
        wrong: sentences about differences from the source and defects that were not reported.
    """

    seed: int
    events: int
    protocol: str
    tables: tuple[str, ...] = ()
    skipped: str = ""
    left_out: list[str] = field(default_factory=list)
    messages: int = 0
    partitions: dict[str, int] = field(default_factory=dict)
    batches: dict[int, dict[str, Any]] = field(default_factory=dict)
    versions: list[dict[str, Any]] = field(default_factory=list)
    again: int = 0
    maintained: dict[str, int] = field(default_factory=dict)
    statements: list[dict[str, Any]] = field(default_factory=list)
    kills: list[dict[str, Any]] = field(default_factory=list)
    unreached: int = 0
    parked: dict[str, str] = field(default_factory=dict)
    keys: dict[str, int] = field(default_factory=dict)
    letters: list[dict[str, Any]] = field(default_factory=list)
    damaged: int = 0
    late: tuple[str, int] | None = None
    late_counted: dict[str, int] = field(default_factory=dict)
    unknown: dict[str, int] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    stopped: str = ""
    wrong: list[str] = field(default_factory=list)

    @property
    def right(self) -> bool:
        """Whether every published version was right, and nothing was silent."""
        return not self.wrong and not any(one["wrong"] for one in self.versions)


def rehearse(of: SyncFile, seed: int, events: int, kills: int, say: Callable[[str], None]) -> Rehearsed:
    """Runs a drill in a scratch folder, which is removed.

    Args:
        of: the user's file.
        seed: every choice follows from it.
        events: rows and statements of the source.
        kills: how often the process is killed.
        say: receives lines of progress.

    Raises:
        CommandError: this file cannot be rehearsed.
    """
    from tidewire.spark.options import load
    from tidewire.spark.sync.choices import chosen
    from tidewire.spark.sync.rehearsal.hostile import Hostile
    from tidewire.spark.sync.rehearsal.kills import drawn, points_for

    with tempfile.TemporaryDirectory(prefix="tidewire-rehearsal-", ignore_cleanup_errors=True) as folder:
        scratch = Path(folder).resolve()
        copy, left_out = copied(of, scratch)
        protocol = load(copy.protocol or "").NAME
        choice = chosen(copy.tables, copy.options)
        hostile = Hostile(seed, events, protocol, choice)
        hostile.write(scratch / "topic")
        found = Rehearsed(
            seed,
            events,
            protocol,
            hostile.names,
            hostile.skipped,
            left_out,
            hostile.sent,
            {topic: len(each) for topic, each in hostile.history.partitions.items()},
            damaged=len(hostile.damaged),
        )
        points = drawn(points_for(choice, copy.into.partition(":")[0]), kills, Random(seed))
        _Drill(found, hostile, copy, scratch, say).run(points)
        _look(found, hostile, choice, copy.state)
    return found


class _Drill:
    """The processes, one after the other."""

    def __init__(
        self, found: Rehearsed, hostile: Hostile, copy: SyncFile, scratch: Path, say: Callable[[str], None]
    ) -> None:
        self.found = found
        self.hostile = hostile
        self.copy = copy
        self.scratch = scratch
        self.say = say
        self.environment = environment(scratch)

    def run(self, points: list[tuple[str, int, float]]) -> None:
        """Until the topic is read to its end, or it stops."""
        waiting = list(points)
        while True:
            point = waiting.pop(0) if waiting else None
            self.say(f"process {len(self.found.kills) + 1} of {len(points) + 1} at most")
            if not self._process(point):
                break
        if point is not None:
            self.found.unreached = len(waiting) + 1

    def _process(self, point: tuple[str, int, float] | None) -> bool:
        """Runs one; whether it was killed."""
        from tidewire.spark.sync.rehearsal.hurried import age

        if self.copy.warehouse:
            age(Path(self.copy.warehouse))
        asked = {
            "file": asdict(self.copy),
            "seed": self.found.seed,
            "events": self.found.events,
            "kill": point,
            "seen": [one["resolved"] for one in self.found.versions],
        }
        (self.scratch / ASKED).write_text(json.dumps(asked))
        lines = self.scratch / TOLD
        lines.write_text("")
        command = [sys.executable, "-P", "-m", "tidewire.cli.rehearsal_process", str(self.scratch)]
        with (self.scratch / "stderr").open("wb+") as out:
            process = subprocess.Popen(
                command, env=self.environment, cwd=self.scratch, stdout=out, stderr=out, start_new_session=True
            )
            try:
                process.wait()
            finally:
                if process.poll() is None:
                    with suppress(ProcessLookupError):
                        os.killpg(process.pid, signal.SIGKILL)
                    process.wait()
            out.seek(0)
            said = out.read().decode(errors="replace").strip().splitlines()
        told = [json.loads(one) for one in lines.read_text().splitlines()]
        killed = next((one["killed"] for one in told if "killed" in one), None)
        for one in told:
            if "batch" in one:
                self.found.batches.setdefault(one["batch"], one)
            if "compared" in one:
                self._compared(one["compared"])
        if killed is not None and process.returncode == -signal.SIGKILL:
            self.found.kills.append({"where": killed, **_left(self.copy.state)})
            return True
        ended = next((one for one in told if "ended" in one), None)
        if ended is None:
            last = next((one for one in reversed(said) if one.strip()), f"exit code {process.returncode}")
            self.found.wrong.append(f"the process ended by itself: {last.strip()}")
        elif ended["ended"]:
            if ended["kind"] in _REFUSED and not any("started" in one for one in told):
                raise CommandError(ended["ended"])
            self.found.stopped = ended["ended"]
            if ended["kind"] != "StateError":
                self.found.wrong.append(ended["ended"])
        return False

    def _compared(self, version: dict[str, Any]) -> None:
        """Adds a version, or what is wrong of one that was compared before."""
        before = next((one for one in self.found.versions if one["resolved"] == version["resolved"]), None)
        if before is None:
            self.found.versions.append(version)
            return
        self.found.again += 1
        before["wrong"] += [one for one in version["wrong"] if one not in before["wrong"]]


def _left(state: str) -> dict[str, Any]:
    """Contents of the state's folder after a kill: newest micro-batch, resolved ts, files that no manifest names."""
    from tidewire.spark.sync.publish import Published
    from tidewire.spark.sync.staged_files import FOLDER
    from tidewire.spark.sync.state import known

    if known(state) is None:
        return {"batch": 0, "manifest": False, "published": 0, "unnamed": 0}
    manifests, newest = _newest(state)
    named = {one.path for one in manifests.rows(newest)} | {*newest.dead}
    staged = {str(one.relative_to(state)) for one in Path(state, FOLDER).rglob("*.parquet")}
    records = Published(state).resolved()
    return {
        "batch": newest.batch,
        "published": records[-1] if records else 0,
        "pending": newest.resolved > (records[-1] if records else 0),
        "unnamed": len(staged - named),
    }


def _newest(state: str) -> tuple[Any, Manifest]:
    from tidewire.spark.sync.manifests import Manifests
    from tidewire.spark.sync.state import identity

    manifests = Manifests(state, identity(state).source)
    return manifests, manifests.newest()


def _look(found: Rehearsed, hostile: Hostile, choice: Chosen, state: str) -> None:
    """Adds the final state to `found`, with everything that the synchronisation failed to report."""
    from tidewire.spark.sync.how_far import status
    from tidewire.spark.sync.letters import told
    from tidewire.spark.sync.rehearsal.encoded import START

    _, newest = _newest(state)
    now = status(state)
    letters = told(state, newest.dead, sys.maxsize)
    found.letters = [
        {"topic": one.topic, "partition": one.partition, "offset": one.offset, "table": one.table, "reason": one.reason}
        for one in letters
    ]
    found.parked = {name: one.reason for name, one in now.parked.items()}
    found.keys = {**now.keys}
    found.late, found.late_counted, found.unknown = hostile.late, {**now.late}, {**now.unknown}
    found.notes = now.notes
    found.stopped = now.stopped or found.stopped
    if choice.maintain_every:
        _look_at_maintenance(found, state)
    found.statements = _statements(hostile, choice, newest.resolved - START)
    found.wrong += _silent(found, hostile, letters, newest, now)


def _look_at_maintenance(found: Rehearsed, state: str) -> None:
    from tidewire.spark.sync.maintaining.last import Maintained

    every = Maintained(state).every()
    found.maintained = {
        "times": len(every),
        "finished": sum(one.seconds is not None for one in every),
        "tables": sum(one.tables for one in every),
        "compacted": sum(one.compacted for one in every),
        "expired": sum(one.expired for one in every),
        "removed": sum(one.removed for one in every),
    }
    failures = [f"maintenance of {name} failed: {reason}" for one in every for name, reason in one.failures.items()]
    found.wrong += dict.fromkeys(failures)


def _silent(
    found: Rehearsed, hostile: Hostile, letters: tuple[DeadLetter, ...], newest: Manifest, now: Status
) -> list[str]:
    """Sentences about defects that the synchronisation did not report, and about messages that it did not read."""
    from tidewire.spark.sync.rehearsal.encoded import START

    wrong = []
    known = {(one.topic, one.partition, one.offset) for one in letters}
    for place, batch in sorted(hostile.damaged.items()):
        if batch <= newest.batch and place not in known:
            wrong.append(f"the damaged message {_place(place)} is not among those that cannot be read")
    wrong += [
        f"the message {_place(place)} is whole, and is among those that cannot be read"
        for place in sorted(known - hostile.damaged.keys())
    ]
    if hostile.late is not None and hostile.late[1] <= newest.batch and not found.stopped:
        name = hostile.late[0]
        if name not in {*now.late, *now.unknown, *now.parked}:
            wrong.append(f"the late row of {name} is counted nowhere")
    if not found.versions:
        wrong.append("nothing was published")
    if not found.stopped:
        read = sum(count for each in newest.offsets.values() for count in each.values())
        if newest.offsets and read != hostile.sent:
            wrong.append(f"{hostile.sent - read} messages were not read")
        last = START + next(one for one in hostile.history.sent[-1] if isinstance(one, int))
        if newest.resolved != last:
            wrong.append(f"the resolved ts is {newest.resolved - last} behind the last watermark")
    return wrong


def _statements(hostile: Hostile, choice: Chosen, resolved: int) -> list[dict[str, Any]]:
    """Each action of a DDL statement, with what the settings of the user do about it."""
    from tidewire.spark.sync.rehearsal.encoded import sql_of

    found = []
    for one in hostile.statements:
        for action in one.actions:
            if not choice.rules.wanted.named(one.table):
                what = "its table is not kept"
            elif choice.rules.stops(one.table, action):
                what = "everything stops there"
            elif (parked := choice.rules.parks(one.table, one.ts, action)) is not None:
                what = f"the table waits: {parked.reason}"
            elif action.kind in ("CreateTable", "DropTable", "RenameTable"):
                what = "followed"
            elif (followed := choice.rules.followed(one.table, action)) is None:
                what = "nothing is done"
            else:
                what = _LENIENT.get(followed.kind, "followed")
            read = "" if one.ts < resolved else " (not reached)"
            text = "; ".join(sql_of(one._replace(actions=(action,))))
            found.append({"ts": one.ts, "table": one.table, "kind": action.kind, "text": text, "what": what + read})
    return found


_LENIENT = {
    "CopyColumn": "a second column with the same values; the old one stays",
    "KeepColumn": "the column stays, and is null from there on",
}


def _place(of: tuple[str, int, int]) -> str:
    return f"at offset {of[2]} of partition {of[1]} of {of[0]}"
