"""Carries out the requests of users: stages what they need, in the form of the next manifest."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Protocol

from tidewire.reading.database.dumped_text import DumpError
from tidewire.spark.sync.began import check_whole
from tidewire.spark.sync.changelog import Manifest, Outcome, Request, Staged, StateError
from tidewire.spark.sync.choices import Chosen
from tidewire.spark.sync.dump_rows import table_of
from tidewire.spark.sync.dumped import DumpAt
from tidewire.spark.sync.loading import Dumped, from_topic
from tidewire.spark.sync.named import spelled
from tidewire.spark.sync.replayed_histories import add_replayed
from tidewire.spark.sync.requests import Asking, check, of_no_name, replayed, too_old
from tidewire.spark.sync.retained import Reading, check_since, time_before
from tidewire.spark.sync.staged_files import OF_MESSAGES, full
from tidewire.spark.sync.state import Identity
from tidewire.spark.sync.steps import Steps
from tidewire.spark.sync.targets.confs import files_of

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

    from tidewire.spark.sync.wanted import Wanted


class Stage(Protocol):
    """Stages messages; `batches.Batches` has it."""

    def __call__(
        self, df: DataFrame, before: Manifest, wanted: Wanted, resolved: int, *, firsts: bool = False
    ) -> Staged:
        """The staged rows, statements and watermarks of the messages."""
        ...


class Answers:
    """What is done for the requests of one synchronisation."""

    def __init__(
        self,
        steps: Steps,
        identity: Identity,
        chosen: Chosen,
        state: str,
        stage: Stage,
        whole: Callable[[Mapping[str, Mapping[int, int]]], DataFrame],
        since: Reading,
    ) -> None:
        """Args:
            identity: of the state.
            chosen: the user's choices.
            state: the folder of the state.
            stage: stages messages.
            whole: gives the messages from the start of the topics up to given offsets.
            since: gives the messages up to given offsets that were sent since a time.
        """
        self._steps = steps
        self._identity = identity
        self._chosen = chosen
        self._state = state
        self._stage = stage
        self._whole = whole
        self._since = since

    def to(self, one: Asking, before: Manifest, outcomes: Mapping[str, Outcome]) -> tuple[Staged, tuple[str, ...]]:
        """What is staged for a request, and notes for the user; if it cannot be carried out, they say why.

        Args:
            one: the request.
            before: the newest manifest.
            outcomes: of applying it.
        """
        one = one._replace(table=spelled(one.table, before.names))
        nothing = Staged(before.batch, requests=(Request(one.number, "replay", ""),))
        try:
            check(one.kind, one.table, before, self._chosen.wanted.named, one.dump)
            if one.kind == "resume":
                return replace(nothing, requests=(Request(one.number, "resume", one.table),)), ()
            if one.kind == "replay":
                return self._replayed(one, before, outcomes)
            replaces = self._replaced(before, one.table)
            staged, notes = self._from_dump(one, before) if one.dump else self._from_topic(one, before)
            return replace(staged, requests=tuple(each._replace(replaces=replaces) for each in staged.requests)), notes
        except (StateError, DumpError) as error:
            return nothing, (f"{one.kind} {one.table}".rstrip() + f" was not done: {error}",)

    def _from_topic(self, one: Asking, before: Manifest) -> tuple[Staged, tuple[str, ...]]:
        stage = partial(self._stage, self._whole(before.offsets), before, resolved=0, firsts=True)
        check = partial(check_whole, before, table=one.table)
        return from_topic(one.number, one.table, before, self._state, stage, check)

    def _from_dump(self, one: Asking, before: Manifest) -> tuple[Staged, tuple[str, ...]]:
        at = DumpAt.parse(one.dump)
        if self._chosen.by_key:
            raise StateError("with consistency=key tables are at no TSO, from which they could follow a dump")
        dump = at.opened()

        def there(name: str) -> None:
            table_of(dump, name, self._steps.options)

        found = self._since(before.offsets, time_before(at.tso))
        stage = partial(self._stage, found.messages, before, resolved=0, firsts=True)

        def enough(staged: Staged) -> None:
            check_since(before, staged, found.begins, one.table, at.tso, at.start_ts)

        return from_topic(
            one.number, one.table, before, self._state, stage, enough, Dumped(at.tso + 1, one.dump, there)
        )

    def _replayed(
        self, one: Asking, before: Manifest, outcomes: Mapping[str, Outcome]
    ) -> tuple[Staged, tuple[str, ...]]:
        paths = [full(self._state, path) for path in before.dead]
        letters = files_of(self._steps.spark, paths)
        # a message with several rows is there once for each
        each = letters.select(*OF_MESSAGES).dropDuplicates()
        found = self._stage(each, before, self._chosen.wanted, before.resolved)
        add_replayed(self._steps, before, found.rows, outcomes)
        staged = replayed(one.number, before, found)
        notes = of_no_name(before, staged)
        if not self._chosen.by_key and not letters.where("table = ''").isEmpty():
            notes = (*notes, *too_old(before, staged))
        return staged, notes

    def _replaced(self, before: Manifest, name: str) -> str:
        """The id of the table that keeps a name until the new one is published; empty for none.

        Raises:
            StateError: the existing table cannot be renamed, or is somebody else's.
        """
        into = self._identity.into.partition(":")[2]
        number = before.names.get(name)
        there = None if number is None else self._steps.table(number, before.tables[number])
        if there is not None and not there.movable():
            raise StateError(
                f"its catalog renames no tables, so that the one that is there cannot be kept aside: drop {there.name}"
                f" from {into} by hand, and ask again"
            )
        owner = self._steps.owner_of(name)
        if owner is not None and owner != self._identity.id:
            raise StateError(
                f"table {name} exists already in {into} and does not belong to this synchronisation: drop it, rename"
                " it, or choose other names for the target"
            )
        if number is None or there is None or self._chosen.by_key:
            return ""
        # one that was to be replaced itself, and did not get so far
        earlier = before.tables[number].replaces
        return earlier if earlier and there.name != name else number
