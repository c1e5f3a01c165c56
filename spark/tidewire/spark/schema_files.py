"""The files of option schemaLocation: one for each version of a table description.

A file holds one event, the bootstrap of its table, in the event format of the command line. It is written atomically
and never changed.
"""

from __future__ import annotations

import hashlib
import json
import os
import posixpath
import uuid
from contextlib import suppress
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from tidewire.runtime.errors import DescriptionError, OptionError
from tidewire.tables import TableDescription

if TYPE_CHECKING:
    from collections.abc import Callable

OPTION = "schemaLocation"
MOST_LETTERS = 80
"""The most characters of an encoded name in a file name; a longer one is cut, followed by a hash of the whole."""
_NO_NAME, _EMPTY = "-", "%"
"""In a file name: an absent name or version, and an empty name. No encoded name looks like these."""
_WHOLE_OR_NOT = frozenset(("s3", "s3a", "gs", "gcs", "abfs", "abfss", "az", "adl", "memory"))
"""Stores in which a file appears only when it is complete, and which can refuse to replace one."""


class UnreadSchemaError(Exception):
    """A file that may exist could not be read, or holds something else; the text gives the reason, without secrets."""


class DamagedSchemaError(UnreadSchemaError):
    """The file exists but holds no description, or that of another table. This remains so until somebody deletes it."""


class SchemaFiles:
    """The files in a directory, or at a URL that fsspec supports (s3://, gs://, abfs://, ...).

    Args:
        url: the directory or URL.

    Attributes:
        url: the same; for a directory its absolute path.
        shown: the URL for error texts: without user, password and the part after ``?``.

    Raises:
        OptionError: no backend supports the URL, or it is not installed.
    """

    def __init__(self, url: str) -> None:
        # importing takes 50 ms, which only users of the option should pay
        from fsspec.core import url_to_fs

        self.url = url.rstrip("/") or "/"
        parts = urlsplit(self.url) if "://" in self.url else None
        self.shown, self._secrets = self.url, list[str]()
        if parts is not None:
            user, _, host = parts.netloc.rpartition("@")
            self.shown = f"{parts.scheme}://{host}{parts.path}"
            self._secrets = [one for one in (self.url, user, *user.split(":", 1)[1:], parts.query) if one]
        try:
            self._storage, root = url_to_fs(self.url)
        except Exception as error:  # backends raise the errors of their libraries
            raise OptionError(f"option {OPTION}: {self.shown!r} cannot be used: {self._told(error)}") from None
        self._root = root.rstrip("/")
        kinds = self._storage.protocol
        self._kinds = frozenset((kinds,) if isinstance(kinds, str) else kinds)

    def read(self, schema: str | None, table: str, version: int | None) -> TableDescription | None:
        """Reads a description; None if that version has no file.

        Raises:
            UnreadSchemaError: its file cannot be read, or holds something else.
        """
        name = file_name(schema, table, version)
        try:
            data: bytes = self._storage.cat_file(f"{self._root}/{name}")
        except FileNotFoundError:
            return None
        except Exception as error:
            raise UnreadSchemaError(f"{self.shown}/{name} cannot be read: {self._told(error)}") from None
        try:
            found = description(data)
        except ValueError as error:
            raise DamagedSchemaError(
                f"{self.shown}/{name} holds no description of a table: {error}. No such file is ever changed: delete "
                "it, and it is written again with the next message that describes this version"
            ) from None
        if (found.schema, found.table, found.version) != (schema, table, version):
            raise DamagedSchemaError(
                f"{self.shown}/{name} describes version {found.version} of {found.schema!r}.{found.table!r}, and has "
                "the name of another one: delete it"
            )
        return found

    def names(self) -> frozenset[str]:
        """The names of all current files.

        Raises:
            UnreadSchemaError: the location cannot be listed.
        """
        try:
            # other tasks may have written files since the last listing
            self._storage.invalidate_cache(self._root)
            found: list[str] = self._storage.ls(self._root, detail=False)
        except FileNotFoundError:
            return frozenset()
        except Exception as error:
            raise UnreadSchemaError(f"{self.shown} cannot be listed: {self._told(error)}") from None
        return frozenset(posixpath.basename(one.replace(os.sep, "/")) for one in found)

    def write(self, one: TableDescription) -> TableDescription:
        """Writes a description unless its version already has a file. Returns what the file then holds.

        Raises:
            OptionError: it cannot be written.
            UnreadSchemaError: another task has just written the file, and it cannot be read.
        """
        name = file_name(one.schema, one.table, one.version)
        try:
            self._storage.makedirs(self._root, exist_ok=True)
            written = self._created(f"{self._root}/{name}", line(one))
        except Exception as error:
            raise OptionError(
                f"option {OPTION}: {self.shown}/{name} cannot be written: {self._told(error)}. Rows in other tasks "
                "would miss this description: name a place in which all executors may create files"
            ) from None
        return one if written else self.read(one.schema, one.table, one.version) or one

    def _created(self, path: str, data: bytes) -> bool:
        """Writes a file unless it exists. Returns whether it was written."""
        if self._kinds & _WHOLE_OR_NOT:
            with suppress(NotImplementedError, TypeError):
                try:
                    self._storage.pipe_file(path, data, mode="create")
                except FileExistsError:
                    return False
                return True
        folder, name = posixpath.split(path)
        # readers never ask for such a name
        part = f"{folder}/.{name[:MOST_LETTERS]}.{uuid.uuid4().hex}.part"
        move: Callable[[str, str], Any] = _linked if "file" in self._kinds else self._moved
        try:
            self._storage.pipe_file(part, data)
            move(part, path)
        except FileExistsError:
            return False
        finally:
            with suppress(Exception):
                self._storage.rm_file(part)
        return True

    def _moved(self, part: str, path: str) -> None:
        """Renames a file in a store that cannot refuse to replace another; two tasks that write at the same time write
        the same bytes.
        """
        if self._storage.exists(path):
            raise FileExistsError(path)
        self._storage.mv(part, path)

    def _told(self, error: Exception) -> str:
        text = f"{type(error).__name__}: {error}"
        for secret in self._secrets:
            text = text.replace(secret, self.shown if secret == self.url else "…")
        return text


def _linked(part: str, path: str) -> None:
    """Hard-links a local file to its final name, unless that name is taken."""
    try:
        os.link(part, path)
    except FileExistsError:
        raise
    except OSError:
        # some file systems have no links; a file of that name is another task's and has the same bytes
        if os.path.exists(path):
            raise FileExistsError(path) from None
        os.rename(part, path)


def file_name(schema: str | None, table: str, version: int | None) -> str:
    """The file name of a table version: schema, table and version, separated by dots.

    Everything but lower-case letters, digits and ``_`` is percent-encoded; upper-case letters too, because some file
    systems ignore case. So no name contains a dot or a slash, and no two tables share a file.
    """
    names = [_NO_NAME if schema is None else _encoded(schema), _encoded(table)]
    return ".".join([*names, _NO_NAME if version is None else str(version), "json"])


def versions(names: frozenset[str], schema: str | None, table: str) -> list[int | None]:
    """The versions of a table for which these file names include one."""
    start, end = file_name(schema, table, None).removesuffix(f"{_NO_NAME}.json"), ".json"
    found = [name[len(start) : -len(end)] for name in names if name.startswith(start) and name.endswith(end)]
    known = sorted(int(one) for one in found if one.isdecimal())
    return [*known, *([None] if _NO_NAME in found else [])]


def _encoded(name: str) -> str:
    data = name.encode("utf-8", "surrogatepass")
    plain = frozenset(b"abcdefghijklmnopqrstuvwxyz0123456789_")
    found = "".join(chr(byte) if byte in plain else f"%{byte:02X}" for byte in data) or _EMPTY
    if len(found) <= MOST_LETTERS:
        return found
    return f"{found[:MOST_LETTERS]}~{hashlib.sha256(data).hexdigest()[:32]}"


def line(one: TableDescription) -> bytes:
    """A description as a line of an event file."""
    event = {"kind": "bootstrap", "commit_ts": 0, "schema": one.schema, "table": one.table, "table_id": one.id}
    event["table_after"] = one.to_json()
    return json.dumps(event, ensure_ascii=False, separators=(",", ":")).encode() + b"\n"


def description(data: bytes) -> TableDescription:
    """The description in a line of an event file.

    Raises:
        ValueError: there is none.
    """
    try:
        event = json.loads(data)
        return TableDescription.from_json(event["table_after"])
    except DescriptionError:
        raise
    except (ValueError, KeyError, TypeError, RecursionError) as error:
        raise ValueError(f"a JSON object with table_after is expected ({type(error).__name__}: {error})") from None
