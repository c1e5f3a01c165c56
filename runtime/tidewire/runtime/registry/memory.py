"""A schema registry in memory, for transcoding, for tests and for saved files."""

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
"""Maximum size of a file with saved schemas; for schemas in memory, the size that such a file would have."""
_MEMBERS = 100
"""Maximum size of an entry of the file in bytes, without its subject and text."""


class MemorySchemas:
    """A registry in memory: ids count from 1, one for each subject and text; versions count the texts of a subject.

    Safe for concurrent threads. A copy (made by pickling or a fork) knows the schemas registered until then and cannot
    register others, because two processes would assign one id to different schemas. `save` writes it to a file, and
    ``MemorySchemas(SavedSchemas(path).schemas)`` reads it back.
    """

    def __init__(self, schemas: Iterable[RegisteredSchema] = (), where: str = "schemas in memory") -> None:
        """Adds schemas with their given ids.

        Args:
            schemas: schemas with their ids.
            where: its name in errors.

        Raises:
            SchemaUnavailableError: two texts have the same id.
            SchemaRefusedError: the schemas exceed `MOST_BYTES`.
        """
        self.where = where
        self._lock = Lock()
        self._process = os.getpid()
        self._known: set[RegisteredSchema] = set()
        self._latest: dict[str, int] = {}  # latest version by subject
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
        """All schemas, in the order in which they were added."""
        return self._schemas.copy()

    @property
    def last(self) -> int:
        """The highest numeric id; 0 if there is none."""
        return self._last

    def add(self, schema: RegisteredSchema) -> None:
        """Adds a schema with its given id; has no effect if it is there already.

        Raises:
            SchemaUnavailableError: the id belongs to another text.
            SchemaRefusedError: the schemas would exceed `MOST_BYTES`.
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
            UnknownSchemaError: no schema has this id.
        """
        found = self._texts.get(id) if not isinstance(id, str) else self._texts.get(checked_uuid(id, self.where))
        if found is None:
            raise UnknownSchemaError(named(id), self.where, "no schema was registered with this id")
        return found

    def known_id(self, subject: str, text: str) -> int | None:
        """The numeric id of a schema; None if it is not registered."""
        return self._ids.get((subject, text))

    def id_of(self, subject: str, text: str) -> int:
        """The id of a schema, which is registered first if necessary, as `SchemaRegistry.id_of`.

        Raises:
            InvalidSchemaError: the text is not an Avro schema.
            SchemaRefusedError: this object is a copy, no ids are left, or the schemas would exceed `MOST_BYTES`.
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
        """The entry that an unregistered schema would get, with id and version; it is not added.

        Raises:
            InvalidSchemaError: the text is not an Avro schema.
            SchemaRefusedError: no ids are left, or the schemas would exceed `MOST_BYTES`.
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
            OptionError: the version is invalid.
            UnknownSchemaError: there is no such subject or version.
        """
        checked_version(version)
        found = [one for one in self.schemas if one.subject == subject and version in ("latest", one.version)]
        if not found:
            raise UnknownSchemaError(f"subject {subject}, version {version}", self.where, "there is no such one")
        return max(found, key=lambda one: one.version)

    def save(self, path: str) -> None:
        """Writes a file that `SavedSchemas` reads, atomically.

        Raises:
            OSError: the file cannot be written; an existing one is unchanged.
        """
        save_schemas(path, self.schemas)


def _copied(schemas: list[RegisteredSchema], where: str) -> MemorySchemas:
    copy = MemorySchemas(schemas, where)
    copy._process = 0
    return copy


def save_schemas(path: str, schemas: Iterable[RegisteredSchema]) -> None:
    """Writes a file that `SavedSchemas` reads, atomically.

    Raises:
        OSError: the file cannot be written; an existing one is unchanged.
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
