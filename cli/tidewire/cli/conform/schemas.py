"""The schemas that were registered while a stream was recorded."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from tidewire.cli.shell import CommandError
from tidewire.messages.registry import MemorySchemas, SavedSchemas, SchemaRegistryError


class RecordedSchemas(MemorySchemas):
    """The schemas of a recording, in memory; the recording itself is not modified.

    The recorder may have used other topic names than TiCDC, which replaces characters that Kafka does not allow. So a
    schema that was recorded under another subject is found by its text, if that is unique.
    """

    def id_of(self, subject: str, text: str) -> int:
        """The id of a schema, as `MemorySchemas.id_of`."""
        if self.known_id(subject, text) is None:
            _, _, side = subject.rpartition("-")
            same = {one.id for one in self.schemas if one.text == text and one.subject.endswith(f"-{side}")}
            if len(same) == 1:
                (id,) = same
                if isinstance(id, int):
                    return id
        return super().id_of(subject, text)


def recorded_schemas(path: Path, protocol: Any) -> RecordedSchemas | None:
    """The schemas stored beside a stream; None if the protocol registers none.

    Args:
        path: path of the stream.
        protocol: module of the protocol.

    Raises:
        CommandError: the file cannot be read.
    """
    if protocol.FACTS.registry is None:
        return None
    file = path.with_suffix(".registry.json")
    try:
        return RecordedSchemas(SavedSchemas(str(file)).schemas if file.is_file() else ())
    except SchemaRegistryError as error:
        raise CommandError(f"{file}: {error}") from None
