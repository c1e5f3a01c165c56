"""Schemas in a file: a list of objects with `id`, `subject`, `version` and `schema`, the schema's text."""

from __future__ import annotations

import json
import os
import uuid
from collections.abc import Sequence
from threading import Lock

from tidewire.messages.registry.client import RegistryClient
from tidewire.messages.registry.settings import check_path
from tidewire.runtime.registry.errors import SchemaUnavailableError, UnknownSchemaError
from tidewire.runtime.registry.memory import MOST_BYTES, MemorySchemas, save_schemas
from tidewire.runtime.registry.schemas import RegisteredSchema, SchemaId, SchemaKey, avro_text, kind_of, named, positive
from tidewire.runtime.whole_files import LockedError, locked


class SavedSchemas:
    """The schemas of a file, which is read again after another process has changed it. Safe for concurrent threads."""

    def __init__(self, path: str, seconds: float = 30.0) -> None:
        """Reads the file. A missing file counts as empty; `register` creates it.

        Args:
            path: a file that `save_schemas` or the command `tidewire registry snapshot` wrote, or one in that format.
                An `id` is a number, or a UUID as a string (AWS Glue).
            seconds: how long `register` waits for another process that is writing the file.

        Raises:
            SchemaUnavailableError: the file cannot be read, or does not contain saved schemas.
            SchemaRefusedError: one of its schemas is not Avro.
            OptionError: the path is invalid.
        """
        check_path(path)
        self.where = path
        self._seconds = seconds
        self._lock = Lock()
        self._seen: tuple[int, int, int] | None = None
        self._kept = MemorySchemas(where=path)
        self._read_changes()

    @property
    def schemas(self) -> list[RegisteredSchema]:
        """All schemas, in the order of the file."""
        return self._kept.schemas

    def schema(self, id: SchemaKey) -> str:
        """The text of a schema.

        Raises:
            UnknownSchemaError: the file has no schema with this id.
            SchemaUnavailableError: the file is missing, or was replaced by one with other schemas for known ids.
        """
        try:
            return self._kept.schema(id)
        except UnknownSchemaError as unknown:
            what = unknown.what
        self._look_again()
        try:
            return self._kept.schema(id)
        except UnknownSchemaError:
            detail = "the file has no such schema; save the registry's schemas again, with tidewire registry snapshot"
            raise UnknownSchemaError(what, self.where, detail) from None

    def version(self, subject: str, version: int | str = "latest") -> RegisteredSchema:
        """A schema of a subject.

        Args:
            subject: its name, such as ``orders-value``.
            version: from 1, or ``latest``.

        Raises:
            OptionError: the version is invalid.
            UnknownSchemaError: there is no such subject or version in the file.
            SchemaUnavailableError: as in `schema`.
        """
        self._look_again()
        return self._kept.version(subject, version)

    def register(self, subject: str, text: str) -> int:
        """The id of a schema in the file. A new schema gets the next id and is added to the file atomically; processes
        that share the file wait for each other.

        Raises:
            InvalidSchemaError: the text is not an Avro schema.
            SchemaRefusedError: the file would become too large.
            SchemaUnavailableError: the file cannot be read or written, or another process holds its lock.
        """
        found = self._kept.known_id(subject, text)
        if found is not None:
            return found
        what = f"subject {subject}"
        try:
            with self._lock, locked(self.where, self._seconds):
                self._read_changes()
                found = self._kept.known_id(subject, text)
                if found is not None:
                    return found
                schema = self._kept.next_one(subject, text)
                save_schemas(self.where, [*self._kept.schemas, schema])
                # schemas that are not in the file have no id
                self._kept.add(schema)
                self._seen = _signature(self.where)
                return self._kept.last
        except LockedError as error:
            raise SchemaUnavailableError(what, self.where, str(error)) from None
        except OSError as error:
            detail = f"the file cannot be written: {error.strerror}"
            raise SchemaUnavailableError(what, self.where, detail) from None

    def _look_again(self) -> None:
        with self._lock:
            self._read_changes()
        if self._seen is None:
            detail = "No such file or directory; a file of `tidewire registry snapshot` is expected"
            raise SchemaUnavailableError("saved schemas", self.where, detail)

    def _read_changes(self) -> None:
        """Reads the file again if it has changed since it was read last."""
        signature = _signature(self.where)
        if signature is None or signature == self._seen:
            self._seen = signature
            return
        kept = MemorySchemas(where=self.where)
        for index, entry in enumerate(_entries(self.where)):
            what = f"entry {index + 1} of the saved schemas"
            if not isinstance(entry, dict):
                raise SchemaUnavailableError(what, self.where, f"it is {kind_of(entry)}; an object is expected")
            kept.add(_schema(entry, what, self.where))
        # ids that were returned keep their meaning even if the file was replaced
        for schema in self._kept.schemas:
            try:
                kept.add(schema)
            except SchemaUnavailableError:
                detail = "the file was replaced while it was in use, and this id means another schema now: start anew"
                raise SchemaUnavailableError(named(schema.id), self.where, detail) from None
        self._seen, self._kept = signature, kept


def _signature(path: str) -> tuple[int, int, int] | None:
    """Values that change when the file is replaced; None if there is no file."""
    try:
        found = os.stat(path)
    except OSError:
        return None
    return found.st_ino, found.st_mtime_ns, found.st_size


def _entries(path: str) -> list[object]:
    what = "saved schemas"
    try:
        with open(path, "rb") as file:
            data = file.read(MOST_BYTES + 1)
    except OSError as error:
        detail = f"{error.strerror}; a file of `tidewire registry snapshot` is expected"
        raise SchemaUnavailableError(what, path, detail) from None
    if len(data) > MOST_BYTES:
        raise SchemaUnavailableError(what, path, f"the file has more than {MOST_BYTES:,} bytes")
    try:
        entries = json.loads(data)
    except (ValueError, RecursionError):
        raise SchemaUnavailableError(
            what, path, "the file is no JSON; one of `tidewire registry snapshot` is expected"
        ) from None
    if not isinstance(entries, list):
        raise SchemaUnavailableError(what, path, f"the file holds {kind_of(entries)}; a list is expected")
    return entries


def _schema(entry: dict[str, object], what: str, where: str) -> RegisteredSchema:
    id = _id(entry.get("id"), what, where)
    text = avro_text(entry, what, where)
    subject = entry.get("subject", "")
    if not isinstance(subject, str):
        raise SchemaUnavailableError(what, where, f"`subject` is {kind_of(subject)}; a name is expected")
    version = positive(entry["version"], "version", what, where) if entry.get("version") else 0
    return RegisteredSchema(id, subject, version, text)


def _id(value: object, what: str, where: str) -> SchemaId:
    if not isinstance(value, str):
        return positive(value, "id", what, where)
    try:
        return uuid.UUID(value)
    except ValueError:
        detail = "`id` is a text that is no UUID; a number or a UUID is expected"
        raise SchemaUnavailableError(what, where, detail) from None


def snapshot(client: RegistryClient, subjects: Sequence[str] | None = None) -> list[RegisteredSchema]:
    """All versions of a registry's subjects, by subject and version.

    Args:
        client: a client of the registry.
        subjects: names of subjects; None for all.

    Raises:
        SchemaRefusedError: a schema is not Avro. If the registry has other types as well, name the Avro subjects.
        SchemaUnavailableError, UnknownSchemaError: as in `RegistryClient`.
    """
    names = client.subjects() if subjects is None else subjects
    return [client.version(name, version) for name in names for version in client.versions(name)]
