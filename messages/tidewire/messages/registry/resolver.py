"""A cache of schemas by id, so that a process requests each schema once."""

from __future__ import annotations

import copy
import os
import time
from collections.abc import Callable
from concurrent.futures import Future
from threading import Lock
from typing import Generic, TypeVar

from tidewire.messages.registry.client import RegistryClient
from tidewire.messages.registry.saved import SavedSchemas
from tidewire.messages.registry.settings import RegistrySettings
from tidewire.runtime.registry.errors import SchemaRegistryError
from tidewire.runtime.registry.schemas import SchemaKey, SchemaRegistry

MOST_FAILURES = 1024
"""Maximum number of ids whose failed lookup is remembered for a short time."""
MOST_REMEMBERED = 1 << 26
"""Maximum size of each cache of a resolver, in characters of schema texts; each entry counts 256 characters more."""
_EACH = 256

_Found = TypeVar("_Found", str, int)
_Key = SchemaKey | tuple[str, str]
"""An id, or subject and text."""


class SchemaResolver:
    """Resolves schema ids to texts and texts to ids, from a schema registry or a file.

    The meaning of an id never changes, so results are cached up to `MOST_REMEMBERED`, then the oldest are evicted. A
    failure is cached for `failure_seconds` only, so that a topic full of one unknown id does not cause one request per
    message. Threads that need the same id wait for one request. Pickling a resolver sends its settings; the receiving
    process uses its own shared resolver.
    """

    def __init__(self, settings: RegistrySettings) -> None:
        """Sends no request yet. Use `shared_resolver` to get one resolver per process."""
        self.settings = settings
        self._lock = Lock()
        self._source: RegistryClient | SavedSchemas | None = None
        self._texts: _Remembered[str] = _Remembered()
        self._ids: _Remembered[int] = _Remembered()
        self._asked: dict[_Key, Future[None]] = {}
        self._failures: dict[_Key, tuple[float, SchemaRegistryError]] = {}

    def __reduce__(self) -> tuple[Callable[[RegistrySettings], SchemaResolver], tuple[RegistrySettings]]:
        return shared_resolver, (self.settings,)

    def schema(self, id: SchemaKey) -> str:
        """The text of the schema with an id, as `SchemaRegistry.schema`.

        Args:
            id: a number, or a UUID, also as a string.

        Raises:
            UnknownSchemaError: there is no such schema.
            SchemaUnavailableError: it is unavailable for now.
            SchemaRefusedError: the registry refuses the request, or the schema is not Avro.
        """
        return self._once(id, self._texts, lambda: self._opened().schema(id))

    def id_of(self, subject: str, text: str) -> int:
        """The id of a schema, which is registered first if necessary, as `SchemaRegistry.id_of`.

        Raises:
            IncompatibleSchemaError: the compatibility rules of the subject do not allow it.
            InvalidSchemaError: the text is not an Avro schema.
            SchemaRefusedError: the registry refuses for another reason.
            SchemaUnavailableError: the registry does not answer, or the file cannot be written.
        """
        key = (subject, text)
        return self._once(key, self._ids, lambda: self._opened().register(subject, text))

    def _opened(self) -> RegistryClient | SavedSchemas:
        with self._lock:
            if self._source is None:
                settings = self.settings
                if settings.file:
                    self._source = SavedSchemas(settings.file, settings.deadline)
                else:
                    self._source = RegistryClient(settings)
            return self._source

    def _once(self, key: _Key, known: _Remembered[_Found], ask: Callable[[], _Found]) -> _Found:
        while True:
            # a look into a dictionary needs no lock
            found = known.found.get(key)
            if found is not None:
                return found
            with self._lock:
                found = known.found.get(key)
                if found is not None:
                    return found
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
                # the result is in the cache, or the other thread was interrupted and this one sends the request
                continue
            failure = None
            try:
                found = ask()
                with self._lock:
                    known.add(key, found)
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

    def _remember(self, key: _Key, error: SchemaRegistryError) -> None:
        with self._lock:
            if len(self._failures) >= MOST_FAILURES:
                self._failures.clear()
            self._failures[key] = (time.monotonic() + self.settings.failure_seconds, copy.copy(error))


class _Remembered(Generic[_Found]):
    """A cache that evicts the oldest entries if it becomes too large."""

    def __init__(self) -> None:
        self.found: dict[_Key, _Found] = {}
        self._size = 0

    def add(self, key: _Key, found: _Found) -> None:
        """Adds an entry; the caller must hold the lock."""
        self.found[key] = found
        self._size += self._weight(key, found)
        while self._size > MOST_REMEMBERED and len(self.found) > 1:
            oldest = next(iter(self.found))
            self._size -= self._weight(oldest, self.found.pop(oldest))

    @staticmethod
    def _weight(key: _Key, found: _Found) -> int:
        size = len(found) if isinstance(found, str) else 0
        if isinstance(key, tuple):
            subject, text = key
            size += len(subject) + len(text)
        return _EACH + size


_shared: dict[RegistrySettings, SchemaResolver] = {}
_shared_lock = Lock()


def shared_resolver(settings: RegistrySettings) -> SchemaResolver:
    """The process's resolver for these settings: all tasks of an executor's Python process share it."""
    with _shared_lock:
        if settings not in _shared:
            _shared[settings] = SchemaResolver(settings)
        return _shared[settings]


def open_registry(where: str, **others: object) -> SchemaRegistry:
    """The registry at a location, shared within the process: a schema registry, or a file with saved schemas.

    Args:
        where: URLs of one registry separated by commas, or the path of a file.
        others: attributes of `RegistrySettings` besides `urls` and `file`, such as `token`.

    Raises:
        OptionError: the location or another setting is invalid.
    """
    return shared_resolver(RegistrySettings.of(where, **others))


def _forget_after_fork() -> None:
    """Resets locks and pending requests: a forked child does not have the threads of its parent that would release
    them.
    """
    global _shared_lock
    _shared_lock = Lock()
    _shared.clear()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget_after_fork)
