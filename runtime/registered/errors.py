"""The error of a message whose schema cannot be had."""

from __future__ import annotations

from typing import Any

from tidewire.runtime.errors import MISSING, DecodeError, WireError
from tidewire.runtime.registry.errors import SchemaRegistryError, SchemaUnavailableError
from tidewire.runtime.shortened import sentence, shortened

REMEDY = "set schema-registry to the URL of the registry, or to the path of a file with its schemas"


class MissingSchemaError(DecodeError, LookupError):
    """A record whose schema cannot be had. The message can be kept, and decoded again once the schema is there.

    Attributes:
        id: of the schema, as a message carries it: digits, or a UUID.
        where: the registry's URL without user and password, or the path of the file; empty where none is known.
        reason: what happened, and what to do.
        later: whether the registry gave no answer, so that asking it again may help.
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
        id, where, reason = shortened(id), shortened(where), sentence(reason)
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
        """The same error with a protocol that the message looks like; its sentence stays, which says what to do."""
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
    """A `WireError`: the schema of a record cannot be had."""

    def __init__(self, field: int, offset: int, id: str, cause: SchemaRegistryError | None) -> None:
        """
        Args:
            field: whose schema it is.
            offset: where its id stands.
            id: of the schema.
            cause: what the registry said; None: none is known.
        """
        super().__init__(MISSING, field, offset, 0, 0)
        self.id = id
        self.cause = cause

    def of_its_own(self, protocol: str, field: str, part: str) -> DecodeError:
        cause = self.cause
        where, reason = ("", f"no registry is known; {REMEDY}") if cause is None else (cause.where, cause.detail)
        later = isinstance(cause, SchemaUnavailableError)
        return MissingSchemaError(self.id, where, reason, later, protocol, field, self.offset, part=part)
