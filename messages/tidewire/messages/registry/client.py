"""A schema registry, by the REST API that most of them have: subjects, versions, schemas by id.

docs/registry.md has the address of its description.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple
from urllib.parse import quote

from tidewire.messages.registry.settings import RegistrySettings
from tidewire.runtime.errors import OptionError
from tidewire.runtime.registry.errors import (
    LOOK_AT_URL,
    IncompatibleSchemaError,
    InvalidSchemaError,
    SchemaRefusedError,
    SchemaUnavailableError,
    UnknownSchemaError,
)
from tidewire.runtime.registry.schemas import (
    RegisteredSchema,
    SchemaKey,
    avro_text,
    checked_number,
    checked_uuid,
    checked_version,
    kind_of,
    named,
    positive,
)
from tidewire.runtime.shortened import shortened, shown

if TYPE_CHECKING:
    from tidewire.messages.registry.exchange import Answer

_UNKNOWN = (40401, 40402, 40403)
"""Error codes: the subject, version or schema does not exist."""
_WRONG_VERSION = 42202
"""Error code: the requested version is invalid; this is not about the schema."""
_REMEDIES = {
    401: "Give user and password, or a token",
    403: "The user lacks the right to do this",
    404: LOOK_AT_URL,
    409: "The schema is not compatible with the subject's others",
    422: "The registry takes the schema for a wrong one",
}
_ANY_REMEDY = "Look into the registry's log"
"""Remedies for final answers, by status."""
_MOST_REASONS = 20
"""The most reasons taken from an answer about compatibility."""


def _quoted(subject: str) -> str:
    """A subject, quoted for a path.

    Raises:
        OptionError: it cannot be part of a path.
    """
    try:
        found = quote(subject, safe="")
    except UnicodeEncodeError:
        found = ""
    # . and .. would be resolved before sending
    if found in ("", ".", ".."):
        raise OptionError(f"subject {shown(subject)}: the name of a subject is expected, such as orders-value")
    return found


class Compatibility(NamedTuple):
    """A registry's verdict on a schema for a version of a subject.

    Attributes:
        compatible: whether the registry would accept it.
        reasons: why not, in the registry's words, with secrets masked. Some registries give none.
    """

    compatible: bool
    reasons: tuple[str, ...]


class RegistryClient:
    """A client of a schema registry, safe for concurrent threads. It has no cache; `SchemaResolver` adds one."""

    def __init__(self, settings: RegistrySettings) -> None:
        """Opens no connection yet.

        Raises:
            OptionError: the settings name no URL.
        """
        if not settings.urls:
            raise OptionError("registry urls: there is none, and a client needs one")
        # urllib3 is needed only for requests
        from tidewire.messages.registry.exchange import Exchange

        self._exchange = Exchange(settings)
        self.settings = settings

    def __repr__(self) -> str:
        return f"RegistryClient({self.where!r})"

    @property
    def where(self) -> str:
        """The registry's URLs, without user and password."""
        return ", ".join(self.settings.urls)

    def schema(self, id: SchemaKey) -> str:
        """The text of a schema.

        Args:
            id: a number, or the UUID that some registries assign as well. AWS Glue is not supported; schemas with its
                UUIDs are read from a saved file.

        Raises:
            UnknownSchemaError: the registry has no schema with this id.
            SchemaUnavailableError: it does not answer, or not as a registry does.
            SchemaRefusedError: it refuses the request, or the schema is not Avro.
        """
        what = named(id)
        if not isinstance(id, int):
            known = checked_uuid(id, self.where) if isinstance(id, str) else id
            answer, url = self._object("GET", f"/schemas/guids/{known}", what)
            return avro_text(answer, what, url)
        answer, url = self._object("GET", f"/schemas/ids/{checked_number(id, self.where)}", what)
        if "id" in answer and answer["id"] != id:
            raise SchemaUnavailableError(what, url, "the answer is about a schema with another id")
        return avro_text(answer, what, url)

    def version(self, subject: str, version: int | str = "latest") -> RegisteredSchema:
        """The schema of a subject's version.

        Args:
            subject: name of the subject, such as ``orders-value``.
            version: from 1, or ``latest``.

        Raises:
            OptionError: the subject name or version is invalid.
            UnknownSchemaError: there is no such subject or version.
            SchemaUnavailableError, SchemaRefusedError: as in `schema`.
        """
        what = f"subject {subject}, version {checked_version(version)}"
        answer, url = self._object("GET", f"/subjects/{_quoted(subject)}/versions/{version}", what)
        found = positive(answer.get("version"), "version", what, url)
        if version not in ("latest", found) or answer.get("subject", subject) != subject:
            raise SchemaUnavailableError(what, url, "the answer is about another subject or version")
        text = avro_text(answer, what, url)
        return RegisteredSchema(positive(answer.get("id"), "id", what, url), subject, found, text)

    def register(self, subject: str, text: str) -> int:
        """Registers an Avro schema under a subject and returns its id; an identical schema keeps its id.

        Args:
            subject: its name, such as ``orders-value``.
            text: the schema.

        Raises:
            OptionError: the subject name is invalid.
            IncompatibleSchemaError: the compatibility rules of the subject do not allow it.
            InvalidSchemaError: the registry does not accept it as a schema.
            SchemaRefusedError: the registry refuses for another reason, such as missing permissions.
            SchemaUnavailableError: it does not answer, or not as a registry does.
        """
        what = f"subject {subject}"
        path = f"/subjects/{_quoted(subject)}/versions"
        answer, url = self._object("POST", path, what, {"schema": text})
        return positive(answer.get("id"), "id", what, url)

    def compatibility(self, subject: str, text: str, version: int | str = "latest") -> Compatibility:
        """Asks the registry whether a schema is compatible with a version of the subject. Registers nothing.

        Args:
            subject: its name, such as ``orders-value``.
            text: the schema.
            version: the version to compare it with: from 1, or ``latest``.

        Raises:
            OptionError: the subject name or version is invalid.
            UnknownSchemaError: there is no such subject or version.
            InvalidSchemaError: the registry does not accept the text as a schema.
            SchemaUnavailableError, SchemaRefusedError: as `register`.
        """
        what = f"subject {subject}, version {checked_version(version)}"
        path = f"/compatibility/subjects/{_quoted(subject)}/versions/{version}?verbose=true"
        answer, url = self._object("POST", path, what, {"schema": text})
        found, reasons = answer.get("is_compatible"), answer.get("messages")
        if not isinstance(found, bool):
            detail = f"the answer's `is_compatible` is {kind_of(found)}; true or false is expected"
            raise SchemaUnavailableError(what, url, detail)
        told = [one for one in reasons if isinstance(one, str)] if isinstance(reasons, list) and not found else []
        without = self.settings.without_secrets
        return Compatibility(found, tuple(shortened(without(one)) for one in told[:_MOST_REASONS]))

    def subjects(self) -> list[str]:
        """The names of all subjects, sorted."""
        what = "subjects"
        answer, url = self._value("GET", "/subjects", what)
        if not isinstance(answer, list) or not all(isinstance(name, str) for name in answer):
            raise SchemaUnavailableError(what, url, f"the answer is {kind_of(answer)}; a list of names is expected")
        return sorted(answer)

    def versions(self, subject: str) -> list[int]:
        """The versions that a subject has, ascending.

        Raises:
            UnknownSchemaError: there is no such subject.
        """
        what = f"subject {subject}"
        answer, url = self._value("GET", f"/subjects/{_quoted(subject)}/versions", what)
        if not isinstance(answer, list):
            raise SchemaUnavailableError(what, url, f"the answer is {kind_of(answer)}; a list of versions is expected")
        return sorted(positive(version, "version", what, url) for version in answer)

    def _object(self, method: str, path: str, what: str, body: object = None) -> tuple[dict[str, object], str]:
        answer, url = self._value(method, path, what, body)
        if not isinstance(answer, dict):
            raise SchemaUnavailableError(what, url, f"the answer is {kind_of(answer)}; an object is expected")
        return answer, url

    def _value(self, method: str, path: str, what: str, body: object = None) -> tuple[object, str]:
        from tidewire.messages.registry.exchange import parsed

        answer = self._exchange.ask(method, path, what, body)
        if answer.status != 200:
            raise self._refused(answer, what, sent=body is not None)
        return parsed(answer, what), answer.url

    def _refused(self, answer: Answer, what: str, *, sent: bool) -> Exception:
        """The error for a final answer; `sent` tells whether the request contained a schema."""
        from tidewire.messages.registry.exchange import parsed

        try:
            told = parsed(answer, what)
        except SchemaUnavailableError:
            told = None
        code = told.get("error_code") if isinstance(told, dict) else None
        said = told.get("message") if isinstance(told, dict) else None
        text = f": {shown(self.settings.without_secrets(said))}" if isinstance(said, str) else ""
        if answer.status == 404 and code in _UNKNOWN:
            detail = f"the registry does not know it{text}. Look whether another registry has it"
            return UnknownSchemaError(what, answer.url, detail)
        status, kind = answer.status, SchemaRefusedError
        if sent and status == 409:
            kind = IncompatibleSchemaError
        elif sent and status == 422 and code != _WRONG_VERSION:
            kind = InvalidSchemaError
        return kind(what, answer.url, f"the registry answers {status}{text}. {_REMEDIES.get(status, _ANY_REMEDY)}")
