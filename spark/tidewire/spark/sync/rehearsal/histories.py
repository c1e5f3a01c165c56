"""Random histories from a seed: the transactions and statements of a source, and their messages by batch and partition.

The tests run thousands of them; a rehearsal uses one with the user's table names and with every kind of defect.
"""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from typing import NamedTuple

from tidewire.spark.sync.changelog import Action, Hold, Statement
from tidewire.spark.sync.rehearsal.source import Change, Damaged, Message, Row, SourceTable, alter

Item = Message | Damaged | Statement | int
"""An item of a partition: a message, a damaged message, a DDL statement, or a watermark (its commit ts)."""
Batch = dict[tuple[str, int], list[Item]]


UNREADABLE = 1234567
"""The value that is replaced by letters in messages with an unreadable value (`Message.dead`)."""


class Asked(NamedTuple):
    """The tables and defects that a rehearsal needs in its history.

    Attributes:
        names: of the first tables.
        new: makes the name of a table that is renamed or created later from a word; None: no tables are.
        values: whether messages can have a value that cannot be read.
    """

    names: tuple[str, ...]
    new: Callable[[str], str] | None = None
    values: bool = True


class History:
    """A source's log and its delivery.

    Attributes:
        log: what the source did, in order of commit ts.
        batches: what each micro-batch delivers.
        partitions: of each topic.
        lenient: whether schema_changes is lenient; else evolve.
        dropped: whether workers leave out rows below R0.
        late: batches that are preceded by a row below the resolved ts.
        replays: the batches with which dead letters are read after all.
        resumes: the batches with which a user lets parked tables continue.
        resets: the batches with which a table is made anew.
        since: the batch from which on all partitions are known; the last one of t0 can be new.
        skips: the batches that are staged and not applied, as many small ones are with the next.
        texts: whether manifests are kept as text.
        hold: how long changes wait for those of later batches; None: not at all.
        columns: of a new table. With `u` it has no primary key, and an index that is dropped changes its handle key.
    """

    def __init__(self, seed: int, events: int = 0, asked: Asked | None = None) -> None:
        self.seed = seed
        self.random = Random(seed)
        self.log: list[Message | Statement] = []
        self.sent: list[list[Item]] = []
        self.count = 0
        self.value = 0
        self.tables: dict[str, SourceTable] = {}
        self.gone: list[str] = []
        chance = self.random.random
        self.ts = 100
        self.lenient = chance() < 0.15
        self.dropped = chance() < 0.4
        self.texts = chance() < 0.1
        self.ddl = chance() * 0.35 if chance() < 0.6 else 0.0
        self.waits = 0.06 if chance() < 0.25 else 0.0
        self.parks = chance() < 0.25
        self.moves = not self.waits and chance() < 0.5
        indexes = not self.waits and not self.parks and Random(-seed - 1).random() < 0.15
        self.moves = self.moves and not indexes
        self.asked = asked
        self.damages = False
        if asked is not None:
            indexes = self.lenient = self.parks = False
            self.waits, self.ddl, self.moves = 0.0, 0.2, asked.new is not None
        self.columns = {"id": "int", "v": "int", **({"u": "int"} if indexes else {})}
        self._source(events or 10 + int(chance() ** 2 * 50))
        self._deliver()
        count = len(self.batches)
        quiet = not self.waits and not self.parks and "u" not in self.columns
        self.late = {1 + self._below(count) for _ in range(2)} if quiet and chance() < 0.25 else set()
        self.replays = {1 + self._below(count) for _ in range(3)} if self.waits else set()
        self.skips = (
            {one for one in range(count - 1) if chance() < 0.5} if quiet and not self.late and chance() < 0.2 else set()
        )
        draw = Random(-seed - 2)
        held = asked is None and not self.late and draw.random() < 0.25  # a table that waits takes late rows, too
        self.hold = Hold(draw.randint(5, 80), draw.randint(2, 30)) if held else None
        self.resumes = {1 + self._below(count) for _ in range(2)} if self.parks and not self.waits else set()
        self.resets = (
            {1 + self._below(count)}
            if not self.waits and not self.parks and not self.moves and not self.late and chance() < 0.2
            else set()
        )

    def _below(self, number: int) -> int:
        return int(self.random.random() * number)

    # ---- the source

    def _source(self, events: int) -> None:
        """Makes the log of the database: transactions, statements and watermarks."""
        chance = self.random.random
        often = 0.1 + chance() * 0.5
        if self.asked is not None:
            often += 0.3
        for name in self.asked.names if self.asked else ("s.a", "s.b", "s.c")[: 1 + self._below(3)]:
            if chance() < 0.5:
                self.tables[name] = SourceTable(dict(self.columns))
            else:
                self._create(name)
        while self.count < events:
            self.ts += 1 + self._below(3)
            if self.asked is not None and self.count > events * 0.6:
                # tables that wait from here on are not renamed
                self.damages, self.moves, self.parks = True, False, self.count > events * 0.8
            if chance() < self.ddl:
                self._statement()
            elif self.tables:
                self._transaction()
            else:
                self._create(self.gone.pop() if self.gone else self._named("a"))
            if chance() < often:
                # the next transaction may have this very commit ts: it is not promised
                self.sent.append([self.ts + 1])
        self.ts += 5
        self.sent.append([self.ts])

    def _row(self, table: SourceTable, key: str) -> Row:
        self.value += 1
        row: Row = {name: self.value if of == "int" else str(self.value) for name, of in table.columns.items()}
        row["id"] = key
        if "u" in row:
            row["u"] = f"u{self.value}"
        return row

    def _named(self, word: str) -> str:
        """The name of a table that comes later."""
        if self.asked is None:
            return f"s.{word}"
        return self.asked.names[0] if self.asked.new is None else self.asked.new(word)

    def _table(self) -> str:
        names = list(self.tables)
        return names[self._below(len(names))]

    def _transaction(self) -> None:
        """Some rows that change at one commit ts."""
        chance = self.random.random
        name, other = self._table(), self._table()
        table = self.tables[name]
        keys = list(table.rows)
        kind = chance()
        effects: list[list[Change]] = []
        if kind < 0.3 or len(keys) < 2:
            for of in {name: None, other: None}:
                key = f"k{self._below(12)}"
                effects.append([Change(of, key, self._row(self.tables[of], key))])
        elif kind < 0.45:  # keys swapped
            one, two = self.random.sample(keys, 2)
            first, second = {**table.rows[one], "id": two}, {**table.rows[two], "id": one}
            if chance() < 0.5:
                effects = [[Change(name, one, None)], [Change(name, two, None)]]
                effects += [[Change(name, two, first)], [Change(name, one, second)]]
            else:
                effects = [
                    [Change(name, one, None), Change(name, two, first)],
                    [Change(name, two, None), Change(name, one, second)],
                ]
        elif kind < 0.55:  # an update that changes the key
            one = keys[self._below(len(keys))]
            two = f"k{self._below(12)}"
            if two not in table.rows:
                effects = [[Change(name, one, None), Change(name, two, {**table.rows[one], "id": two})]]
        elif kind < 0.7:
            effects = [[Change(name, keys[self._below(len(keys))], None)]]
        elif kind < 0.78:  # deleted and inserted in one transaction
            key = keys[self._below(len(keys))]
            effects = [[Change(name, key, None)], [Change(name, key, self._row(table, key))]]
        elif kind < 0.84:  # a row that was there before all messages
            effects = [[Change(name, f"old{self._below(3)}", None)]]
        else:
            effects = [[Change(name, keys[self._below(len(keys))], None)]]
            key = effects[0][0].key
            effects = [[Change(name, key, self._row(table, key))]]
            far = self.tables[other]
            if name != other and far.rows:
                key = list(far.rows)[self._below(len(far.rows))]
                effects.append([Change(other, key, self._row(far, key))])
        self._commit(effects)

    def _commit(self, effects: list[list[Change]]) -> None:
        """Messages of one transaction: the source deletes before it inserts, and they are sent in any order."""
        chance = self.random.random
        effects = [[each for change in one for each in self._by_handle(change)] for one in effects]
        # any partition can have a row: nothing rests on a key's partition
        messages = [Message(self.ts, tuple(one), chance()) for one in effects]
        self.count += len(messages)
        if self.waits and len(messages) == 1 and len(effects[0]) == 1 and chance() < self.waits * 3:
            messages[0].dead = chance() < 0.8
            messages[0].partial = not messages[0].dead
        if self.damages and len(messages) == 1 and len(effects[0]) == 1 and chance() < 0.3:
            self._damage(messages[0])
        deletes = [each for one in effects for each in one if each.row is None]
        upserts = [each for one in effects for each in one if each.row is not None]
        for each in deletes:
            self.tables[each.table].rows.pop(each.key, None)
        for each in upserts:
            assert each.row is not None
            self.tables[each.table].rows[each.key] = each.row
        if len(messages) == 1 and len(messages[0].changes) == 1:
            self.log += messages
        else:
            self.log.append(Message(self.ts, (*deletes, *upserts), 0))
        self.random.shuffle(messages)
        self.sent.append(list(messages))

    def _damage(self, message: Message) -> None:
        """A message that comes damaged, whenever it comes: as a whole, or in a value."""
        row = message.changes[0].row
        numbers = [name for name, value in (row or {}).items() if isinstance(value, int)]
        if row is None or not numbers or (self.asked and not self.asked.values) or self.random.random() < 0.4:
            message.lost = True
        else:
            row[numbers[0]] = UNREADABLE
            message.dead = True

    def _create(self, name: str) -> None:
        self.tables[name] = SourceTable(dict(self.columns))
        self._state(name, [Action("CreateTable", (("columns", tuple(self.columns)),))])

    def _by_handle(self, change: Change) -> list[Change]:
        """A change as it is sent: one that changes the handle key deletes the row of the old one."""
        table = self.tables[change.table]
        if not table.handle:
            return [change]
        before = table.rows.get(change.key, {}).get(table.handle) or f"gone {change.key}"
        if change.row is None:
            return [change._replace(by=before, handle=table.handle)]
        after = change._replace(by=change.row[table.handle], handle=table.handle)
        if change.key in table.rows and before != after.by:
            return [change._replace(row=None, by=before, handle=table.handle), after]
        return [after]

    def _state(self, name: str, actions: list[Action]) -> None:
        """One statement, or one for each action, at one commit ts."""
        self.count += 1
        text = f"statement at {self.ts}"
        if len(actions) > 1 and actions[0].kind == "RenameTable" and self.random.random() < 0.5:
            sent = [Statement(self.ts, one.get("old"), (one,), text) for one in actions]
        else:
            sent = [Statement(self.ts, name, tuple(actions), text)]
        self.log.append(Statement(self.ts, name, tuple(actions), text))
        self.sent.append(list(sent))

    def _statement(self) -> None:
        """DDL."""
        chance = self.random.random
        kind = self._below(15)
        name = self._table() if self.tables else ""
        if not name or (kind == 0 and self.gone):
            self._create(self.gone.pop() if self.gone else self._named(f"n{self.ts}"))
            return
        table = self.tables[name]
        columns = [one for one in table.columns if one not in ("id", "u")]
        if table.handle == "id" and chance() < 0.3:
            table.handle = "u"
            self._state(name, [Action("NoEffect", (("reason", "an index"), ("unique", True)))])
            return
        actions: list[Action] = []
        if kind in (1, 2, 3):
            actions.append(_added(f"c{self.ts}", self.ts))
            if kind == 3 and columns:
                actions.append(Action("DropColumn", (("name", columns[0]),)))
        elif kind == 4 and columns:
            actions.append(Action("DropColumn", (("name", columns[self._below(len(columns))]),)))
        elif kind in (5, 6) and columns:
            old = columns[self._below(len(columns))]
            actions.append(Action("RenameColumn", (("old", old), ("new", f"r{self.ts}"))))
        elif kind == 7 and columns:
            facts = (("name", columns[self._below(len(columns))]), ("type", "text"))
            actions.append(Action("ModifyColumn", facts))
        elif kind in (8, 9):
            actions.append(Action("Truncate"))
        elif kind == 10 and not self.waits and not self.damages and table.handle != "u":
            self._state(name, [Action("DropTable")])
            del self.tables[name]
            self.gone.append(name)
            return
        elif kind in (11, 13) and self.moves:
            self._move(name)
            return
        elif kind in (12, 14) and self.parks:
            other = self._table()
            which = self._below(3)
            if which == 0 and other != name:
                actions.append(
                    Action("ExchangePartition", (("partition", "p0"), ("table", other), ("partitioned", name)))
                )
            else:
                actions.append(Action("ChangedKey" if which == 1 else "Unknown"))
        elif chance() < 0.3:
            actions.append(Action("NoEffect", (("reason", "an index"),)))
        else:
            return
        self._state(name, actions)
        for one in actions:
            table.columns = alter(table.columns, table.rows, one)

    def _move(self, name: str) -> None:
        """RENAME TABLE: to a new name, or two tables that swap theirs."""
        other = self._table()
        if other == name:
            new = self._named(f"m{self.ts}")
            self.tables[new] = self.tables.pop(name)
            self._state(name, [_moved(name, new)])
            if self.random.random() < 0.5:
                self.ts += 1
                self._create(name)
        else:
            self.tables[name], self.tables[other] = self.tables[other], self.tables[name]
            between = self._named("t")
            through = [_moved(name, between), _moved(other, name), _moved(between, other)]
            self._state(name, through)

    # ---- the delivery

    def _deliver(self) -> None:
        """How the messages come."""
        chance = self.random.random
        self.far = self.asked.names[-1] if self.asked else "s.b"
        topics = 2 if chance() < 0.2 else 1
        self.partitions = {f"t{i}": range(1 + self._below(3)) for i in range(topics)}
        streams: Batch = {(topic, p): [] for topic, of in self.partitions.items() for p in of}
        # the last partition of t0 can come later than the others
        grows = len(self.partitions["t0"]) > 1 and chance() < 0.15
        self.grown = self._below(len(self.sent)) if grows and self.asked is None else 0
        self.before: dict[tuple[str, int], int] = {}
        rare = {one: chance() * 0.8 if chance() < 0.4 else 0.0 for one in streams}
        skew = chance() < 0.3
        hop = 0.0
        replays = chance() < 0.7
        for i, items in enumerate(self.sent):
            if i == self.grown:
                self.before = {one: len(stream) for one, stream in streams.items()}
            self._send(items, streams, hop, skew, rare if i + 1 < len(self.sent) else {})
            if replays and chance() < 0.12:
                begin = self._below(i + 1)
                if chance() < 0.5:
                    hop = chance()
                for again in self.sent[begin : begin + 1 + self._below(i + 1 - begin)]:
                    self._send(again, streams, hop, skew, rare)
        if self.asked is not None:
            self._spoil(streams)
        self.batches: list[Batch] = self._cut(streams)

    def _spoil(self, streams: Batch) -> None:
        """Puts damaged copies in front of messages, as writers that try again leave them."""
        for stream in streams.values():
            rows = [at for at, item in enumerate(stream) if isinstance(item, Message)]
            for at in sorted(self.random.sample(rows, min(1, len(rows))), reverse=True):
                found = stream[at]
                assert isinstance(found, Message)
                stream.insert(at, Damaged(found))

    def _send(
        self, items: list[Item], streams: Batch, hop: float, skew: bool, rare: dict[tuple[str, int], float]
    ) -> None:
        for item in items:
            if isinstance(item, Message):
                topic = "t1" if "t1" in self.partitions and item.changes[0].table == self.far else "t0"
                count = len(self.partitions[topic]) - (topic == "t0" and self.grown > 0 and not self.before)
                lane = (item.lane + hop) % 1.0
                streams[topic, int(lane**3 * count) if skew else int(lane * count)].append(item)
            elif isinstance(item, Statement):
                moves = item.actions and item.actions[0].kind in ("RenameTable", "ExchangePartition")
                topic = "t1" if "t1" in self.partitions and item.table == self.far else "t0"
                for one in streams:
                    if (moves or one[0] == topic) and (self.before or one != self._newest()):
                        streams[one].append(item)
            else:
                for one, stream in streams.items():
                    if (not rare or self.random.random() >= rare[one]) and (self.before or one != self._newest()):
                        stream.append(item)

    def _newest(self) -> tuple[str, int] | None:
        """The partition that comes later than the others."""
        return ("t0", len(self.partitions["t0"]) - 1) if self.grown else None

    def known(self, batch: int) -> dict[str, range]:
        """The partitions that the offset log of a batch names."""
        if batch < self.since:
            return {**self.partitions, "t0": range(len(self.partitions["t0"]) - 1)}
        return self.partitions

    def _cut(self, streams: Batch) -> list[Batch]:
        """Streams into batches: a partition may be silent in the first ones, or in all but the last."""
        chance = self.random.random
        count = 2 + self._below(6) + len(self.sent) // 40
        if self.asked is not None:
            count = 5 + self._below(3) + max(0, len(self.sent) - 120) // 25
        batches: list[Batch] = [{} for _ in range(count)]
        for one, stream in streams.items():
            silent = self._below(count) if chance() < 0.3 else 0
            if self.asked is not None:
                silent = 1 if one == next(reversed(streams)) else min(silent, 2)
            cuts = sorted(self._below(len(stream) + 1) for _ in range(count - 1 - silent))
            if self.asked is not None:
                # partitions are read at about one speed, so that much is published in between
                ends = [(at + chance() - 0.5) / count for at in range(silent + 1, count)]
                cuts = sorted(int(max(0.0, end) * len(stream)) for end in ends)
            cuts = [0] * silent + cuts
            for batch, begin, end in zip(batches, [0, *cuts], [*cuts, len(stream)], strict=True):
                if begin < end:
                    batch[one] = stream[begin:end]
        self.since = 0
        if (newest := self._newest()) is not None:
            # whoever reads what was sent since then knows of the partition
            self.since = count - 1
            read = dict.fromkeys(streams, 0)
            for i, batch in enumerate(batches):
                for one, items in batch.items():
                    read[one] += len(items)
                if any(read[one] > self.before[one] for one in read if one != newest):
                    self.since = i
                    break
            early = [item for batch in batches[: self.since] for item in batch.pop(newest, [])]
            if early:
                batches[self.since][newest] = early + batches[self.since].get(newest, [])
        return batches


def _added(name: str, default: int) -> Action:
    return Action("AddColumn", (("name", name), ("type", "int"), ("default", default)))


def _moved(old: str, new: str) -> Action:
    return Action("RenameTable", (("old", old), ("new", new)))
