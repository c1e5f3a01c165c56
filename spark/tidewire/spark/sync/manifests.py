"""The folder of manifests and lists, on this machine or on any storage that fsspec supports."""

from __future__ import annotations

import secrets
from collections.abc import Iterable

from tidewire.spark.sync.changelog import FileList, Manifest, Source, StagedRows, StateError
from tidewire.spark.sync.file_lists import listed, needed, to_merge, to_plan
from tidewire.spark.sync.rules import Rules
from tidewire.spark.sync.storage import Storage, storage
from tidewire.spark.sync.written import read, read_list, written, written_list

_MANIFESTS = "manifests"
_LISTS = "lists"
_KEPT = 16
"""How many of the newest manifests `collect` keeps. The state is in the newest; the others are for inspection."""


class Manifests:
    """The manifests of one state.

    A manifest is written atomically and never changed; of two writers one fails. Locally a finished file gets its name
    by a link; elsewhere the storage's own create-if-absent is used, and a storage without one is refused.
    """

    def __init__(self, state: str, source: Source) -> None:
        """Opens the state in a folder, which is created if missing.

        Args:
            state: a path, or a URL that fsspec supports (`s3://bucket/folder`).
            source: what is read; a state of another source is refused.
        """
        self.source = source
        self.files: Storage = storage(state)

    def newest(self) -> Manifest:
        """The newest manifest; an empty one if there is none yet."""
        numbers = self._numbers()
        return self.read(numbers[-1]) if numbers else Manifest(self.source)

    def read(self, number: int) -> Manifest:
        """The manifest of a number."""
        path = _path(number)
        return read(self.files.read(path), self.source, self.files.shown(path))

    def create(self, manifest: Manifest) -> bool:
        """Writes a manifest. False if its number already exists: another writer was first, and its manifest counts."""
        numbers = self._numbers()
        if numbers and numbers[-1] + 1 < manifest.number:
            raise StateError(
                f"manifest {manifest.number} was to be written after {numbers[-1]}: files of the state are missing;"
                " restore them"
            )
        return self.files.create(_path(manifest.number), written(manifest))

    def listed(self, rows: Iterable[StagedRows], before: Manifest, tier: int = 0) -> FileList | None:
        """Writes the list of staged files under a new name; None if there are none.

        Args:
            rows: what is staged.
            before: the newest manifest; the next one will name the list.
            tier: of a list merged from others.
        """
        rows = list(rows)
        found = listed(f"{_LISTS}/{before.number + 1:012d}-{secrets.token_hex(8)}.json", rows, tier)
        if found is not None and not self.files.create(found.path, written_list(rows)):
            raise StateError(f"{self.files.shown(found.path)} is there already: try again")
        return found

    def merged(
        self, manifest: Manifest, rules: Rules, everything: bool = False
    ) -> tuple[FileList | None, tuple[str, ...]]:
        """Merges lists if there are many: returns the new list and those that it replaces (`Staged.merged`, `without`).

        Args:
            manifest: the newest.
            rules: the choices for tables.
            everything: merges all lists, as a batch that loads a table must: the lists may name deleted files, which
                the new table would need.
        """
        many = manifest.lists if everything else to_merge(manifest)
        if not many:
            return None, ()
        rows = needed(manifest, self._rows(many), rules)
        return self.listed(rows, manifest, max(one.tier for one in many) + 1), tuple(one.path for one in many)

    def rows(self, manifest: Manifest) -> list[StagedRows]:
        """The staged rows that may still be needed."""
        return self._rows(manifest.lists)

    def to_plan(self, manifest: Manifest) -> list[StagedRows]:
        """The staged rows that tables that do not wait may need."""
        return self._rows(to_plan(manifest))

    def pending(self, manifest: Manifest) -> tuple[StagedRows, ...]:
        """The staged rows that may be at or above R."""
        lists = [one for one in manifest.lists if one.hi >= manifest.resolved]
        return tuple(one for one in self._rows(lists) if one.hi >= manifest.resolved)

    def collect(self, manifest: Manifest) -> None:
        """Removes manifests and lists that the newest manifest does not need."""
        numbers = self._numbers()
        if not numbers or numbers[-1] != manifest.number:
            raise StateError(
                f"manifest {manifest.number} is not the newest of {self.files.shown(_MANIFESTS)}: another writer is at"
                " work; stop one of the two"
            )
        for number in numbers[:-_KEPT]:
            self.files.remove(_path(number))
        named = {one.path for one in manifest.lists}
        for name in self.files.names(_LISTS):
            number_of = name.split("-", 1)[0]
            ours = number_of.isdigit() and int(number_of) <= manifest.number
            if ours and f"{_LISTS}/{name}" not in named:
                self.files.remove(f"{_LISTS}/{name}")

    def needed(self, manifest: Manifest, rules: Rules) -> set[str]:
        """The staged files that a manifest needs. All others that were staged for it or for earlier manifests are
        garbage. Files staged for a later one are not: another writer may be about to name them.
        """
        return {one.path for one in needed(manifest, self.rows(manifest), rules)} | set(manifest.dead)

    def _rows(self, lists: Iterable[FileList]) -> list[StagedRows]:
        found = []
        for one in lists:
            found += read_list(self.files.read(one.path), self.files.shown(one.path))
        return found

    def _numbers(self) -> list[int]:
        names = (name.removesuffix(".json") for name in self.files.names(_MANIFESTS) if name.endswith(".json"))
        return sorted(int(name) for name in names if name.isdigit())


def _path(number: int) -> str:
    return f"{_MANIFESTS}/{number:012d}.json"
