"""The error of a message whose schema is not available."""

from __future__ import annotations

from typing import Any

from tidewire.runtime.errors import MISSING, DecodeError, WireError
from tidewire.runtime.registry.errors import SchemaRegistryError, SchemaUnavailableError
from tidewire.runtime.shortened import public, sentence, shortened

REMEDY = "set schema-registry to the URL of the registry, or to the path of a file with its schemas"
NEEDED = (
    "-o schema-registry=URL, or the path of a file that `tidewire registry snapshot` made (in Python and Spark that "
    "option)"
)

LONGER = 4
"""Additional bytes of the schema ids that Apicurio's serializers write by default."""
LONG_IDS = (
    "its id has 8 bytes; ids of 8 bytes, as Apicurio's default writes them, are not read: have the producer write ids "
    "of 4 bytes, with apicurio.registry.as-confluent=true, or in apicurio.registry.id-handler the class "
    "Default4ByteIdHandler (Legacy4ByteIdHandler before Apicurio 3)"
)


class MissingSchemaError(DecodeError, LookupError):
    """The schema of a record is not available. The message can be stored and decoded again when the schema is.

    Attributes:
        id: id of the schema as in the message: digits, or a UUID.
        where: URL of the registry without user and password, or path of the file; empty: none is known.
        reason: what happened, and what to do.
        later: whether the registry did not answer, so that a retry may succeed.
        code: `missing_schema`.
    """

    def __init__(
        self,
        id: str,
        where: str,
        reason: str,
        later: bool,
        protocol: str,
        field: str,
        offset: int = 0,
        message: int | None = None,
        looks_like: str | None = None,
        part: str = "",
    ) -> None:
        id, where, reason = shortened(id), shortened(public(where)), sentence(reason)
        place = f" ({where})" if where else ""
        detail = f"schema {id} cannot be had{place}: {reason}"
        super().__init__(
            protocol, field, offset, "missing_schema", detail, message=message, looks_like=looks_like, part=part
        )
        self.id = id
        self.where = where
        self.reason = reason
        self.later = later

    def with_detail(self, detail: str, looks_like: str | None = None) -> DecodeError:
        """The same error with the protocol that the message resembles; the sentence is kept, because it has the advice.
        """
        return MissingSchemaError(
            self.id,
            self.where,
            self.reason,
            self.later,
            self.protocol,
            self.field,
            self.offset,
            self.message,
            looks_like,
            self.part,
        )

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (
            self.id,
            self.where,
            self.reason,
            self.later,
            self.protocol,
            self.field,
            self.offset,
            self.message,
            self.looks_like,
            self.part,
        )


class MissingSchema(WireError):
    """A `WireError`: the schema of a record is not available."""

    def __init__(
        self, field: int, offset: int, id: str, cause: SchemaRegistryError | None, reason: str | None = None
    ) -> None:
        """
        Args:
            offset: offset of the schema id.
            cause: error of the registry; None: no registry is known.
            reason: why it is not available; None: the cause, or that no registry is known.
        """
        super().__init__(MISSING, field, offset, 0, 0)
        self.id = id
        self.cause = cause
        self.reason = reason

    def of_its_own(self, protocol: str, field: str, part: str) -> DecodeError:
        cause = self.cause
        where, reason = ("", f"no registry is known; {REMEDY}") if cause is None else (cause.where, cause.detail)
        later = isinstance(cause, SchemaUnavailableError)
        if self.reason is not None:
            where, reason, later = "", self.reason, False
        return MissingSchemaError(self.id, where, reason, later, protocol, field, self.offset, part=part)


def missing_schema(field: int, id: object, behind: bytes, cause: SchemaRegistryError | None) -> MissingSchema:
    """The error of a record whose schema is not available.

    Args:
        id: the schema id; 0 is never a registry's id, but the first half of an id of 8 bytes.
        behind: the bytes after the id, as many as a longer id has.
        cause: error of the registry; None: no registry is known.
    """
    if id == 0 and is_rest_of_long_id(behind):
        return MissingSchema(field, 0, str(int.from_bytes(behind, "big")), cause, LONG_IDS)
    return MissingSchema(field, 0, str(id), cause)


def is_rest_of_long_id(behind: bytes) -> bool:
    """Whether the bytes after an id of 0 are the rest of an id of 8 bytes."""
    return len(behind) == LONGER and any(behind)
