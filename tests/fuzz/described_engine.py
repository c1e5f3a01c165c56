"""The base of the engines for protocols whose rows are read by what other messages say of their tables.

What the corpus describes is known before the first batch.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any

from tidewire.runtime.errors import DecodeError, MissingTableError
from tidewire.tables import TableDescription, TableStore

from .engine import CODES, Engine, Wire


class DescribedEngine(Engine):
    """A decoder that begins anew, with what is known of tables, before each batch that is compared."""

    errors = (DecodeError, MissingTableError)
    codes = CODES | {MissingTableError("", "", None).code}

    def begin(self, number: int) -> None:
        if number % self.sample == 0 or number % self.ways == self.ways // 2:
            self.decoder = self.fresh()

    def decoder_with(self, tables: TableStore) -> Wire:
        """A decoder that knows these tables."""
        raise NotImplementedError

    def known_nothing(self) -> Any:
        """What the twin knows where it knows no table."""
        raise NotImplementedError

    def fresh(self) -> Wire:
        return self.decoder_with(self.store())

    def given(self, values: Sequence[bytes]) -> Mapping[str, Any]:
        known = self.store()
        self.module.Decoder(self.module.Options(**self.chosen), tables=known).decode(*self.halves(values))
        return {"tables": known}

    @classmethod
    @cache
    def _described(cls) -> TableStore:
        engine = cls.__new__(cls)
        store, options = TableStore(), cls.module.Options(**cls.chosen)
        for stream in cls.recorded():
            cls.module.decode_batch(*engine.halves(stream), options=options, tables=store)
        for _ in range(2):  # rows may come before what describes them
            found = cls.module.decode_batch(*engine.halves(cls.messages()), options=options, tables=store).errors
        assert not found, found[0]
        return store

    @classmethod
    @cache
    def described(cls) -> tuple[TableDescription, ...]:
        """The tables that well-formed messages describe."""
        return tuple(cls._described())

    @classmethod
    @cache
    def versions(cls) -> tuple[int | None, ...]:
        """Their versions."""
        return tuple(one.version for one in cls.described())

    @classmethod
    def store(cls) -> TableStore:
        """One of one's own with these tables; to add them anew would take a hundred times as long."""
        made, known = TableStore(), cls._described()
        made._known.update(known._known)
        made._latest.update(known._latest)
        made._versions.update({name: list(versions) for name, versions in known._versions.items()})
        return made
