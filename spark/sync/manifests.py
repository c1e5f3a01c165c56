"""The folder of manifests and lists, on this machine or on any storage that fsspec knows."""

from __future__ import annotations

import secrets
from collections.abc import Iterable

from tidewire.spark.sync.changelog import FileList, Manifest, Source, StagedRows, StateError
from tidewire.spark.sync.file_lists import listed, needed, to_merge
from tidewire.spark.sync.rules import Rules
from tidewire.spark.sync.storage import Storage, storage
from tidewire.spark.sync.written import read, read_list, written, written_list

_MANIFESTS = "manifests"
_LISTS = "lists"
_KEPT = 16
"""Manifests that `collect` leaves, the newest ones: the state is in the newest, and the others are for people."""


class Manifests:
    """The manifests of one state.

    A manifest is there whole or not at all, and once it is there nobody changes it: of two writers one has lost, and is
    told. On this machine a finished file gets its name by a link; elsewhere the storage's own create-if-absent is used,
    and one that has none is refused.
    """

    def __init__(self, state: str, source: Source) -> None:
        """Opens the state in a folder, and makes the folder where there is none.

        Args:
            state: a path, or an address that fsspec knows (`s3://bucket/folder`).
            source: what is read; the state of another source is refused.
        """
        self.source = source
        self.files: Storage = storage(state)

    def newest(self) -> Manifest:
        """The newest manifest; one without anything where there is none yet."""
        numbers = self._numbers()
        return self.read(numbers[-1]) if numbers else Manifest(self.source)

    def read(self, number: int) -> Manifest:
        """The manifest of a number."""
        path = _path(number)
        return read(self.files.read(path), self.source, self.files.shown(path))

    def create(self, manifest: Manifest) -> bool:
        """Writes a manifest; False where one of its number is there: another writer was first, and its one counts."""
        numbers = self._numbers()
        if numbers and numbers[-1] + 1 < manifest.number:
            raise StateError(
                f"manifest {manifest.number} was to be written after {numbers[-1]}: files of the state are missing;"
                " restore them"
            )
        return self.files.create(_path(manifest.number), written(manifest))

    def listed(self, rows: Iterable[StagedRows], before: Manifest, tier: int = 0) -> FileList | None:
        """Writes the list of staged files, under a name that nobody has had; None where there are none.

        Args:
            rows: what is staged.
            before: the newest manifest, behind which the list will be named.
            tier: of a list that is made of lists.
        """
        rows = list(rows)
        found = listed(f"{_LISTS}/{before.number + 1:012d}-{secrets.token_hex(8)}.json", rows, tier)
        if found is not None and not self.files.create(found.path, written_list(rows)):
            raise StateError(f"{self.files.shown(found.path)} is there already: try again")
        return found

    def merged(
        self, manifest: Manifest, rules: Rules, everything: bool = False
    ) -> tuple[FileList | None, tuple[str, ...]]:
        """Merges lists where there are many: the new one, and those that it stands for (`Staged.merged`, `without`).

        Args:
            manifest: the newest.
            rules: what was chosen.
            everything: merges all lists, as a batch that loads a table has to: files that they name may be gone, which
                that table would ask for.
        """
        many = manifest.lists if everything else to_merge(manifest)
        if not many:
            return None, ()
        rows = needed(manifest, self._rows(many), rules)
        return self.listed(rows, manifest, max(one.tier for one in many) + 1), tuple(one.path for one in many)

    def rows(self, manifest: Manifest) -> list[StagedRows]:
        """What is staged and may be needed."""
        return self._rows(manifest.lists)

    def pending(self, manifest: Manifest) -> tuple[StagedRows, ...]:
        """What is staged and may be at or above R."""
        lists = [one for one in manifest.lists if one.hi >= manifest.resolved]
        return tuple(one for one in self._rows(lists) if one.hi >= manifest.resolved)

    def collect(self, manifest: Manifest, rules: Rules) -> set[str]:
        """Removes manifests and lists that the newest manifest does not need, and says which staged files it needs.

        All other files that were staged for it or for those before are garbage. What was staged for one that is not
        there yet is not: another writer may be about to name it.
        """
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
