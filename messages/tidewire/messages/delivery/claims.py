"""Claim checks: messages that were too long to send are in files; the message that was sent has only the location.

A file holds the message itself (raw), or an object with key and value in base64. It is found by the last part of the
sent location, in the directory or below the URL that the reader configures: producers and readers see the same storage
under different names, and nothing outside of the directory can be requested.
"""

from __future__ import annotations

import base64
import binascii
import json
import re
import uuid
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any, NamedTuple

from tidewire.messages.delivery.unpack_budget import Allowance
from tidewire.messages.options import MAX_UNPACKED_BYTES
from tidewire.runtime.errors import DecodeError, EncodeError, OptionError
from tidewire.runtime.shortened import public, sentence, shortened, shown, without_secrets

AT_ONCE = 8
"""The most files that are fetched at the same time, as stores answer slowly. They share the remaining allowance."""
PIECE = 1 << 24
"""Bytes that are read of a file at once: what is allowed may be more than there is memory."""


MOST_LOCATION = 4096
"""The most characters of a location, and of a value of a key, in an error."""
_USER = re.compile(r"(?<=://)[^/]*@")
_NOT_IN_NAMES = "\\%?#:"


class ClaimError(DecodeError):
    """The complete message, to which a message points, could not be fetched.

    Attributes:
        location: location of the complete message.
        schema: schema of the event; None if the message does not carry it.
        table: table of the event; None if the message does not carry it.
        commit_ts: commit ts of the event; None if the message does not carry it.
        key: the row's handle key by column, as far as the message carries it; without names and values too long for a
            key.
    """

    def __init__(
        self,
        protocol: str,
        message: int | None,
        location: str,
        reason: str,
        schema: str | None = None,
        table: str | None = None,
        commit_ts: int | None = None,
        key: Mapping[str, Any] | None = None,
    ) -> None:
        location = shortened(public(location), MOST_LOCATION)
        reason = sentence(reason)
        key = {name: value for name, value in (key or {}).items() if _is_short(name) and _is_short(value)}
        named = ".".join(shortened(name) for name in (schema, table) if name) or "a row"
        values = ", ".join(f"{shortened(name)}={shown(value)}" for name, value in key.items())
        whose = f"{named}({values})" if values else named
        at = "" if commit_ts is None else f" at {commit_ts}"
        detail = f"{whose}{at} lies in {shown(location)}: {reason}"
        super().__init__(protocol, "claim check", 0, "claim", detail, message=message)
        self.location = location
        self.reason = reason
        self.schema = None if schema is None else shortened(schema)
        self.table = None if table is None else shortened(table)
        self.commit_ts = commit_ts
        self.key = key

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (
            self.protocol,
            self.message,
            self.location,
            self.reason,
            self.schema,
            self.table,
            self.commit_ts,
            self.key,
        )


class Claimed(NamedTuple):
    """The contents of a file."""

    key: bytes | None
    value: bytes


class Unclaimed(Exception):
    """A file could not be fetched; the text says why.

    Attributes:
        too_long: whether the allowance was exhausted.
    """

    def __init__(self, reason: str, too_long: bool = False) -> None:
        super().__init__(reason)
        self.too_long = too_long


class ClaimFiles:
    """The files in a directory, or at a URL that fsspec supports (s3://, gs://, abfs://, memory://, ...).

    Args:
        protocol: name for errors.
        option: name of the option with `url`, for errors.
        url: location of the files.
        raw: whether a file contains only the message itself.

    Raises:
        OptionError: no backend supports the URL, or it is not installed.
    """

    def __init__(self, protocol: str, option: str, url: str, raw: bool) -> None:
        # importing takes 50 ms, which only users of claim checks should pay
        from fsspec.core import url_to_fs

        # the query (after ?) has settings of the producer's own client
        self.url = (url.partition("?")[0] if "://" in url else url).rstrip("/")
        self.shown = public(self.url)
        try:
            self._storage, root = url_to_fs(self.url)
        except (ImportError, ValueError, OSError) as error:
            said = f"{self.shown!r} cannot be used: {_told(error, self.url)}"
            raise OptionError(f"{protocol}: option {option}: {said}") from None
        self._root = root.rstrip("/")
        self._streams = "http" in self._storage.protocol
        self._raw = raw
        self._protocol = protocol

    def fetch(self, locations: Sequence[str]) -> list[Claimed | Unclaimed]:
        """The contents of the files at these locations, in order; each file is fetched once."""
        different = list(dict.fromkeys(locations))
        found = self.each(different, Allowance(int(MAX_UNPACKED_BYTES.default)))
        by_location = dict(zip(different, found, strict=True))
        return [by_location[location] for location in locations]

    def each(self, locations: Sequence[str], allowance: Allowance) -> Iterator[Claimed | Unclaimed]:
        """The contents of the files at these distinct locations, one after the other.

        Several are fetched at a time, each limited to an equal share of the remaining allowance. A longer file is
        fetched alone. So memory never exceeds the allowance, and which files are too long does not depend on their
        order of arrival.
        """
        with ThreadPoolExecutor(AT_ONCE, "claim-check") as pool:
            for first in range(0, len(locations), AT_ONCE):
                some = locations[first : first + AT_ONCE]
                share = allowance.left // len(some)
                read = list(pool.map(self._read, some, [share] * len(some)))
                for data in read:
                    if isinstance(data, bytes):
                        allowance.take(len(data))
                for at, location in enumerate(some):
                    data, read[at] = read[at], None
                    if data is None:
                        data = self._read(location, allowance.left)
                        if isinstance(data, bytes):
                            allowance.take(len(data))
                    if data is None:
                        yield Unclaimed(f"it is too long: {allowance.reason}", too_long=True)
                    else:
                        yield data if isinstance(data, Unclaimed) else self._unwrapped(data)

    def _unfetched(self, error: BaseException) -> Unclaimed:
        return Unclaimed(f"it could not be fetched: {type(error).__name__}: {_told(error, self.url)}")

    def _unwrapped(self, data: bytes) -> Claimed | Unclaimed:
        try:
            return Claimed(None, data) if self._raw else unwrap(data)
        except Unclaimed as error:
            return error

    def _read(self, location: str, most: int) -> bytes | Unclaimed | None:
        """The bytes of a file; None if there are more than `most`."""
        try:
            data = self._bytes(f"{self._root}/{file_name(location)}", most + 1)
        except Unclaimed as error:
            return error
        except FileNotFoundError as error:
            # for a web server fsspec raises this for any answer, and for none
            cause = error.__cause__ if self._streams else None
            if cause is None or getattr(cause, "status", None) == 404:
                return Unclaimed(f"there is no such file below {self.shown}")
            return self._unfetched(cause)
        # Backends raise the errors of their libraries; those that retry have already done so.
        except Exception as error:
            return self._unfetched(error)
        return None if len(data) > most else data

    def _bytes(self, path: str, most: int) -> bytes:
        """The first `most` bytes of a file, whatever length the store reports."""
        parts: list[bytes] = []
        if not self._streams:
            for start in range(0, most, PIECE):
                parts.append(self._storage.cat_file(path, start=start, end=min(start + PIECE, most)))
                if len(parts[-1]) < PIECE:
                    break
            return b"".join(parts)
        # a web server may ignore a range
        with self._storage.open(path, "rb") as file:
            while most and (part := file.read(min(most, PIECE))):
                parts.append(part)
                most -= len(part)
        return b"".join(parts)

    def location(self) -> str:
        """A new location, without a file so far."""
        # readers configure the directory themselves, and need no user or password
        return f"{_USER.sub('', self.url)}/{uuid.uuid4()}.json"

    def write(self, location: str, value: bytes, key: bytes | None) -> None:
        """Writes a file.

        Raises:
            EncodeError: it cannot be written.
        """
        try:
            self._storage.makedirs(self._root, exist_ok=True)
            path = f"{self._root}/{file_name(location)}"
            self._storage.pipe_file(path, value if self._raw else wrap(value, key))
        except Exception as error:  # as above
            reason = f"{location} could not be written: {type(error).__name__}: {_told(error, self.url)}"
            raise EncodeError(self._protocol, None, None, reason) from error

    def store(self, value: bytes, key: bytes | None) -> str:
        """Writes a file. Returns its location.

        Raises:
            EncodeError: it cannot be written.
        """
        location = self.location()
        self.write(location, value, key)
        return location


def _is_short(value: object) -> bool:
    return not isinstance(value, str | bytes) or len(value) <= MOST_LOCATION


def _told(error: BaseException, url: str) -> str:
    """The error text of a store's library, with the URL removed."""
    return without_secrets(str(error), url)


def file_name(location: str) -> str:
    """The last part of a location.

    Raises:
        Unclaimed: it is not a plain file name: stores would take it for another directory, a query, another file system
            or an escape.
    """
    name = location.rpartition("/")[2]
    if name in ("", ".", "..") or not name.isprintable() or any(sign in name for sign in _NOT_IN_NAMES):
        raise Unclaimed(f"that does not end in the name of a file, which is printable and has none of {_NOT_IN_NAMES}")
    return name


def wrap(value: bytes, key: bytes | None) -> bytes:
    """Key and value as a file that is not raw, byte for byte as TiCDC writes it."""
    coded = "null" if key is None else f'"{base64.b64encode(key).decode()}"'
    return f'{{"key":{coded},"value":"{base64.b64encode(value).decode()}"}}'.encode()


def unwrap(data: bytes) -> Claimed:
    """Key and value of a file that is not raw.

    Raises:
        Unclaimed: the file is something else.
    """
    try:
        found = json.loads(data)
        key, value = found.get("key"), found["value"]
        return Claimed(None if key is None else _unbase64(key), _unbase64(value))
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        raise Unclaimed(
            "the file is no object with key and value in base64 (a raw message is read with claim-check-raw-value)"
        ) from None


def _unbase64(text: str) -> bytes:
    try:
        return base64.b64decode(text, validate=True)
    except binascii.Error as error:
        raise ValueError(str(error)) from None
