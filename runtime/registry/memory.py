"""Schemas in memory: for transcoding and tests, and what saved files are read into."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable
from threading import Lock

from tidewire.runtime.registry.errors import (
    InvalidSchemaError,
    SchemaRefusedError,
    SchemaUnavailableError,
    UnknownSchemaError,
)
from tidewire.runtime.registry.schemas import (
    RegisteredSchema,
    SchemaId,
    SchemaKey,
    checked_uuid,
    checked_version,
    may_be_schema,
    named,
)
from tidewire.runtime.whole_files import written_whole

MOST_BYTES = 1 << 28
"""Of a file with saved schemas, and of schemas in memory, were they saved."""
_MEMBERS = 100
"""Bytes, at most, of an entry of the file without its subject and text."""


class MemorySchemas:
    """A registry in memory: an id for each subject and text, counted from 1, and a version for each text of a subject.

    Threads may share it. A copy, as pickling or a fork makes one, knows the schemas that were there, and registers no
    others: two processes would give one id to two schemas. It can be saved, and filled from a file:
    ``MemorySchemas(SavedSchemas(path).schemas)``.
    """

    def __init__(self, schemas: Iterable[RegisteredSchema] = (), where: str = "schemas in memory") -> None:
        """Takes schemas as they are.

        Args:
            schemas: with their ids.
            where: what errors call it.

        Raises:
            SchemaUnavailableError: one id with two texts.
            SchemaRefusedError: more than `MOST_BYTES`.
        """
        self.where = where
        self._lock = Lock()
        self._process = os.getpid()
        self._known: set[RegisteredSchema] = set()
        self._latest: dict[str, int] = {}  # versions by subject
        self._schemas: list[RegisteredSchema] = []
        self._texts: dict[SchemaId, str] = {}
        self._ids: dict[tuple[str, str], int] = {}
        self._size = 5
        self._last = 0
        for schema in schemas:
            self.add(schema)

    def __reduce__(self) -> tuple[object, ...]:
        return _copied, (self.schemas, self.where)

    @property
    def schemas(self) -> list[RegisteredSchema]:
        """All of them, in the order in which they came."""
        return self._schemas.copy()

    @property
    def last(self) -> int:
        """The highest id that is a number; 0 where there is none."""
        return self._last

    def add(self, schema: RegisteredSchema) -> None:
        """Takes a schema as it is, with its id; one that is there already changes nothing.

        Raises:
            SchemaUnavailableError: the id stands for another text.
            SchemaRefusedError: there is more than `MOST_BYTES`.
        """
        with self._lock:
            self._add(schema)

    def _add(self, schema: RegisteredSchema) -> None:
        if self._texts.get(schema.id, schema.text) != schema.text:
            raise SchemaUnavailableError(named(schema.id), self.where, "this id stands there before, with another text")
        if schema in self._known:
            return
        self._size = self._size_with(schema.subject, schema.text)
        self._known.add(schema)
        self._latest[schema.subject] = max(self._latest.get(schema.subject, 0), schema.version)
        self._schemas.append(schema)
        self._texts[schema.id] = schema.text
        if isinstance(schema.id, int):
            self._last = max(self._last, schema.id)
            self._ids.setdefault((schema.subject, schema.text), schema.id)

    def _size_with(self, subject: str, text: str) -> int:
        size = self._size + len(json.dumps(subject)) + len(json.dumps(text)) + _MEMBERS
        if size > MOST_BYTES:
            detail = f"all schemas together would take up more than {MOST_BYTES:,} bytes in a file"
            raise SchemaRefusedError(f"subject {subject}", self.where, detail)
        return size

    def schema(self, id: SchemaKey) -> str:
        """The text of a schema, as `SchemaRegistry.schema`.

        Raises:
            UnknownSchemaError: there is none of this id.
        """
        found = self._texts.get(id) if not isinstance(id, str) else self._texts.get(checked_uuid(id, self.where))
        if found is None:
            raise UnknownSchemaError(named(id), self.where, "no schema was registered with this id")
        return found

    def known_id(self, subject: str, text: str) -> int | None:
        """The number that a schema has; None where it was not registered."""
        return self._ids.get((subject, text))

    def id_of(self, subject: str, text: str) -> int:
        """The id of a schema, which is registered if need be, as `SchemaRegistry.id_of`.

        Raises:
            InvalidSchemaError: the text is no Avro schema.
            SchemaRefusedError: this is a copy, there are no ids left, or there is more than `MOST_BYTES`.
        """
        found = self._ids.get((subject, text))
        if found is not None:
            return found
        if self._process != os.getpid():
            detail = (
                "these schemas are a copy of another process's, and a schema that is registered in a copy would get an "
                "id that means another one elsewhere: register it before, or give the URL of a registry or a file"
            )
            raise SchemaRefusedError(f"subject {subject}", self.where, detail)
        with self._lock:
            if (subject, text) not in self._ids:
                self._add(self.next_one(subject, text))
            return self._ids[subject, text]

    def next_one(self, subject: str, text: str) -> RegisteredSchema:
        """A schema that was not registered, with the id and version that it would have; it is not added.

        Raises:
            InvalidSchemaError: the text is no Avro schema.
            SchemaRefusedError: there are no ids left, or there is more than `MOST_BYTES`.
        """
        what = f"subject {subject}"
        if not may_be_schema(text):
            raise InvalidSchemaError(what, self.where, "the text is no Avro schema: it is not JSON of the right kind")
        self._size_with(subject, text)
        id = self._last + 1
        if id >= 1 << 32:
            raise SchemaRefusedError(what, self.where, "there is no id left: messages have four bytes for it")
        return RegisteredSchema(id, subject, self._latest.get(subject, 0) + 1, text)

    def version(self, subject: str, version: int | str = "latest") -> RegisteredSchema:
        """A schema of a subject.

        Args:
            subject: its name, such as ``orders-value``.
            version: from 1, or ``latest``.

        Raises:
            OptionError: a version that cannot be one.
            UnknownSchemaError: there is no such subject or version.
        """
        checked_version(version)
        found = [one for one in self.schemas if one.subject == subject and version in ("latest", one.version)]
        if not found:
            raise UnknownSchemaError(f"subject {subject}, version {version}", self.where, "there is no such one")
        return max(found, key=lambda one: one.version)

    def save(self, path: str) -> None:
        """Writes a file that `SavedSchemas` reads. It is there whole or not at all.

        Raises:
            OSError: it cannot be written; what stood there still does.
        """
        save_schemas(path, self.schemas)


def _copied(schemas: list[RegisteredSchema], where: str) -> MemorySchemas:
    copy = MemorySchemas(schemas, where)
    copy._process = 0
    return copy


def save_schemas(path: str, schemas: Iterable[RegisteredSchema]) -> None:
    """Writes a file that `SavedSchemas` reads. It is there whole or not at all.

    Raises:
        OSError: it cannot be written; what stood there still does.
    """
    entries = (
        {
            "id": schema.id if isinstance(schema.id, int) else str(schema.id),
            "subject": schema.subject,
            "version": schema.version,
            "schema": schema.text,
        }
        for schema in schemas
    )
    with written_whole(path) as out:
        between = "[\n"
        for entry in entries:
            out.write(between + json.dumps(entry))
            between = ",\n"
        out.write("[]\n" if between == "[\n" else "\n]\n")
