"""What can go wrong with schemas that are kept elsewhere."""

from __future__ import annotations

from typing import Any

from tidewire.runtime.errors import TidewireError
from tidewire.runtime.shortened import public, sentence, shortened

LOOK_AT_URL = "Look whether the URL is that below which the registry's REST API has /subjects and /schemas"
"""What to do when something answers that is no registry."""


class SchemaRegistryError(TidewireError, LookupError):
    """A schema that a registry did not give, or did not take. No text of it holds a password or token.

    Attributes:
        what: the schema or the subject that it is about, such as ``schema 7`` or ``subject orders-value, version 2``.
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
    """The schema cannot be had now: the registry is down, or gives no answer that makes sense. The messages that need
    it can be kept and decoded later."""


class UnknownSchemaError(SchemaRegistryError):
    """The registry is there, and says that it has no such schema, subject or version."""


class SchemaRefusedError(SchemaRegistryError):
    """Asking again changes nothing: the registry refuses the request, or the schema is of a type that is not read."""


class IncompatibleSchemaError(SchemaRefusedError):
    """The registry does not take a schema, since its rules of compatibility forbid it beside the subject's others."""


class InvalidSchemaError(SchemaRefusedError):
    """What was to be registered or compared is no Avro schema."""
