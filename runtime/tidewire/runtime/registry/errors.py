"""Errors of schema registries and of files with saved schemas."""

from __future__ import annotations

from typing import Any

from tidewire.runtime.errors import TidewireError
from tidewire.runtime.shortened import public, sentence, shortened

LOOK_AT_URL = "Look whether the URL is that below which the registry's REST API has /subjects and /schemas"
"""Remedy when the server that answers is not a schema registry."""


class SchemaRegistryError(TidewireError, LookupError):
    """A schema registry did not return or accept a schema. No text of the error contains a password or token.

    Attributes:
        what: the schema or subject concerned, such as ``schema 7`` or ``subject orders-value, version 2``.
        where: the registry's URL without user and password, or the path of the saved file.
        detail: what happened, what was expected, and what to do.
    """

    def __init__(self, what: str, where: str, detail: str) -> None:
        what, where, detail = shortened(what), shortened(public(where)), sentence(detail)
        super().__init__(f"{what} ({where}): {detail}")
        self.what = what
        self.where = where
        self.detail = detail

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.what, self.where, self.detail)


class SchemaUnavailableError(SchemaRegistryError):
    """The schema is unavailable for now: the registry is down, or its answer is not that of a registry. Messages that
    need the schema can be kept and decoded later.
    """


class UnknownSchemaError(SchemaRegistryError):
    """The registry answered that this schema, subject or version does not exist."""


class SchemaRefusedError(SchemaRegistryError):
    """The registry refuses the request, or the schema is of an unsupported type. Retrying does not help."""


class IncompatibleSchemaError(SchemaRefusedError):
    """The registry rejects a schema because the compatibility rules of the subject do not allow it."""


class InvalidSchemaError(SchemaRefusedError):
    """The text to register or to compare is not an Avro schema."""
