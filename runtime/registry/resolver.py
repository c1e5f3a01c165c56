"""Schemas by id, asked for once in a process."""

from __future__ import annotations

import copy
import os
import time
from collections.abc import Callable, Hashable
from concurrent.futures import Future
from threading import Lock
from typing import TypeVar

from tidewire.runtime.registry.client import RegistryClient
from tidewire.runtime.registry.errors import SchemaRegistryError
from tidewire.runtime.registry.saved import SavedSchemas
from tidewire.runtime.registry.schemas import SchemaId
from tidewire.runtime.registry.settings import RegistrySettings

MOST_FAILURES = 1024
"""Ids of which it is remembered for a moment that they could not be had."""

_Found = TypeVar("_Found", str, int)


class SchemaResolver:
    """Gives the text of schemas by their ids, and ids to schemas.

    What an id means never changes, so it is never forgotten. A failure is remembered for `failure_seconds` only, so
    that a topic full of one unknown id does not become a request for each message. Threads that need the same id wait
    for one request. A resolver can be pickled: its settings are sent, and nothing is opened before it is asked.
    """

    def __init__(self, settings: RegistrySettings) -> None:
        self.settings = settings
        self._lock = Lock()
        self._source: RegistryClient | SavedSchemas | None = None
        self._texts: dict[Hashable, str] = {}
        self._ids: dict[Hashable, int] = {}
        self._asked: dict[Hashable, Future[None]] = {}
        self._failures: dict[Hashable, tuple[float, SchemaRegistryError]] = {}

    def __reduce__(self) -> tuple[type[SchemaResolver], tuple[RegistrySettings]]:
        return type(self), (self.settings,)

    def schema(self, id: SchemaId) -> str:
        """The text of the schema that a message's id names.

        Args:
            id: a number, or a UUID (AWS Glue).

        Raises:
            UnknownSchemaError: there is no such schema.
            SchemaUnavailableError: it cannot be had now.
            SchemaRefusedError: the registry refuses to give it, or it is not Avro.
        """
        return self._once(id, self._texts, lambda: self._opened().schema(id))

    def register(self, subject: str, text: str) -> int:
        """The id of a schema, which is registered under the subject if need be.

        Raises:
            SchemaRefusedError: the registry does not take it; without a registry, the file does not have it.
            SchemaUnavailableError: the registry gives no answer.
        """
        key = (subject, text)
        return self._once(key, self._ids, lambda: self._opened().register(subject, text))

    def _opened(self) -> RegistryClient | SavedSchemas:
        with self._lock:
            if self._source is None:
                settings = self.settings
                self._source = SavedSchemas(settings.file) if settings.file else RegistryClient(settings)
            return self._source

    def _once(self, key: Hashable, known: dict[Hashable, _Found], ask: Callable[[], _Found]) -> _Found:
        while True:
            # a dictionary that only grows is read without the lock
            found = known.get(key)
            if found is not None:
                return found
            with self._lock:
                if key in known:
                    return known[key]
                failed = self._failures.get(key)
                if failed is not None and time.monotonic() < failed[0]:
                    raise copy.copy(failed[1])
                asked = self._asked.get(key)
                first = asked is None
                if asked is None:
                    asked = self._asked[key] = Future()
            if not first:
                failure = asked.exception()
                if isinstance(failure, SchemaRegistryError):
                    raise copy.copy(failure)
                # it has the answer, or was interrupted, and then another thread asks
                continue
            failure = None
            try:
                found = ask()
                with self._lock:
                    known[key] = found
                    self._failures.pop(key, None)
                return found
            except BaseException as error:
                failure = error
                if isinstance(error, SchemaRegistryError):
                    self._remember(key, error)
                raise
            finally:
                with self._lock:
                    del self._asked[key]
                if failure is None:
                    asked.set_result(None)
                else:
                    asked.set_exception(failure)

    def _remember(self, key: Hashable, error: SchemaRegistryError) -> None:
        with self._lock:
            if len(self._failures) >= MOST_FAILURES:
                self._failures.clear()
            self._failures[key] = (time.monotonic() + self.settings.failure_seconds, copy.copy(error))


_shared: dict[RegistrySettings, SchemaResolver] = {}
_shared_lock = Lock()


def shared_resolver(settings: RegistrySettings) -> SchemaResolver:
    """The process's resolver for these settings: all tasks of an executor's Python process share it."""
    with _shared_lock:
        if settings not in _shared:
            _shared[settings] = SchemaResolver(settings)
        return _shared[settings]


def _forget_after_fork() -> None:
    """A child has none of its parent's threads, so nobody would give back a lock or finish a request."""
    global _shared_lock
    _shared_lock = Lock()
    _shared.clear()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget_after_fork)
