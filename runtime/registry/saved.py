"""Schemas in a file: a list of objects with `id`, `subject`, `version` and `schema`, the schema's text."""

from __future__ import annotations

import json
import uuid
from collections.abc import Iterable, Sequence

from tidewire.runtime.registry.client import RegistryClient
from tidewire.runtime.registry.errors import SchemaRefusedError, SchemaUnavailableError, UnknownSchemaError
from tidewire.runtime.registry.schemas import RegisteredSchema, SchemaId, avro_text, named, positive
from tidewire.runtime.shortened import shown
from tidewire.runtime.whole_files import written_whole

MOST_BYTES = 1 << 28
"""Of a file with saved schemas."""


class SavedSchemas:
    """The schemas of a file. It is read once."""

    def __init__(self, path: str) -> None:
        """Reads the file.

        Args:
            path: of a file that `save_schemas` or the command `tidewire registry snapshot` wrote, or one of that form.
                An `id` is a number, or a UUID as a text (AWS Glue).

        Raises:
            SchemaUnavailableError: there is no such file, or it is none of saved schemas.
            SchemaRefusedError: one of its schemas is not Avro.
        """
        self.where = path
        self._texts: dict[SchemaId, str] = {}
        self.schemas: list[RegisteredSchema] = []
        for index, entry in enumerate(self._entries(path)):
            what = f"entry {index + 1} of the saved schemas"
            if not isinstance(entry, dict):
                raise SchemaUnavailableError(what, path, f"it is {shown(entry)}; an object is expected")
            id = self._id(entry.get("id"), what)
            text = avro_text(entry, what, path)
            if self._texts.setdefault(id, text) != text:
                raise SchemaUnavailableError(what, path, f"{named(id)} stands there before, with another text")
            subject = entry.get("subject", "")
            if not isinstance(subject, str):
                raise SchemaUnavailableError(what, path, f"`subject` is {shown(subject)}; a name is expected")
            version = positive(entry["version"], "version", what, path) if entry.get("version") else 0
            self.schemas.append(RegisteredSchema(id, subject, version, text))

    @staticmethod
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
            raise SchemaUnavailableError(what, path, f"the file is no JSON: {data[:80]!r}") from None
        if not isinstance(entries, list):
            raise SchemaUnavailableError(what, path, f"the file holds {shown(entries)}; a list is expected")
        return entries

    def _id(self, value: object, what: str) -> SchemaId:
        if not isinstance(value, str):
            return positive(value, "id", what, self.where)
        try:
            return uuid.UUID(value)
        except ValueError:
            detail = f"`id` is {shown(value)}; a number or a UUID is expected"
            raise SchemaUnavailableError(what, self.where, detail) from None

    def schema(self, id: SchemaId) -> str:
        """The text of a schema.

        Raises:
            UnknownSchemaError: the file has none of this id.
        """
        try:
            return self._texts[id]
        except KeyError:
            detail = "the file has no such schema; save the registry's schemas again, with tidewire registry snapshot"
            raise UnknownSchemaError(named(id), self.where, detail) from None

    def register(self, subject: str, text: str) -> int:
        """The id that a schema has in the file, since nothing can be registered there.

        Raises:
            SchemaRefusedError: the file has no such schema of this subject.
        """
        for schema in self.schemas:
            if schema.subject == subject and schema.text == text and isinstance(schema.id, int):
                return schema.id
        detail = "the file has no such schema, and nothing is registered without a registry: give its URL"
        raise SchemaRefusedError(f"subject {subject}", self.where, detail)


def snapshot(client: RegistryClient, subjects: Sequence[str] | None = None) -> list[RegisteredSchema]:
    """All versions of a registry's subjects, by subject and version.

    Args:
        client: asks the registry.
        subjects: their names; None for all that the registry has.

    Raises:
        SchemaRefusedError: a schema is not Avro. Name the subjects that are, where a registry has others as well.
        SchemaUnavailableError, UnknownSchemaError: as the client.
    """
    names = client.subjects() if subjects is None else subjects
    return [client.version(name, version) for name in names for version in client.versions(name)]


def save_schemas(path: str, schemas: Iterable[RegisteredSchema]) -> None:
    """Writes a file that `SavedSchemas` reads. It is there whole or not at all.

    Raises:
        OSError: it cannot be written; what stood there still does.
    """
    entries = [
        {
            "id": schema.id if isinstance(schema.id, int) else str(schema.id),
            "subject": schema.subject,
            "version": schema.version,
            "schema": schema.text,
        }
        for schema in schemas
    ]
    with written_whole(path) as out:
        json.dump(entries, out, indent=1)
        out.write("\n")
