"""Location of and access to a schema registry. Settings hold no connection, so Spark can send them to executors, with
the password and token that executors need: pickled settings contain these secrets.
"""

from __future__ import annotations

import base64
import math
import os
import re
from dataclasses import dataclass, field, fields
from urllib.parse import quote, unquote, urlsplit, urlunsplit

from tidewire.runtime.errors import OptionError
from tidewire.runtime.shortened import HIDDEN, public, shortened, shown

_LIKE_URL = re.compile(
    r"[^/\\]*:[^/\\]*@|[\w.-]+:\d+(?:/|$)|https?:|//|[^?;]*[?;][^=]*=|.*:.*@|.*%(?:25)*(?:3f|3b).*=", re.IGNORECASE
)
"""A user with a password, a host with a port, or part of a URL: not a path, and not shown as one."""
_NO_USER = re.compile(r"[^:]*,|[^:]*:\d{1,5},|.*[\[\]]", re.DOTALL)
"""Text before an @ that is not a user with a password but another address of a list."""
_HOST = re.compile(r"[\w.-]+|[\w.:-]+(?:%[\w.-]+)?")
_NO_PATH = re.compile(r"[@,;=?#\s]")
"""Characters that the path of a registry's URL cannot contain, percent-encoded or not: those of users, settings and
lists of addresses.
"""


def _unquoted(path: str) -> str:
    """A path with percent-encoding removed, including nested encoding."""
    for _ in range(4):
        path = unquote(path)
    return path


def check_path(path: object) -> None:
    """Checks that a text can be the path of a file.

    Raises:
        OptionError: it cannot.
    """
    try:
        if isinstance(path, str) and "\0" not in path and os.fsencode(path):
            return
    except UnicodeEncodeError:
        pass
    said = shown(public(path) if isinstance(path, str) else path)
    raise OptionError(f"registry: the path of a file with saved schemas is expected, not {said}")


@dataclass(frozen=True)
class RegistrySettings:
    """A schema registry, or the file with its saved schemas.

    Attributes:
        urls: one or more URLs of one registry, such as ``https://registry:8081``; if one is down, the next is tried.
            User and password in a URL are moved to `user` and `password`.
        file: path of a file with saved schemas, used instead of `urls`.
        user: for basic authentication; empty for none.
        password: of `user`; never shown in reprs or errors.
        token: for bearer authentication, instead of `user`; never shown in reprs or errors.
        ca_file: path of a PEM file with the CA certificates to verify the registry's with; empty for the system's.
        certificate: path of the client's certificate (PEM); empty for none.
        key: path of the client's private key (PEM); empty if `certificate` contains it.
        deadline: maximum seconds of a request including retries and waits, above 0.
        attempt: maximum seconds of one attempt, above 0.
        retries: how many times all `urls` are tried again, 0 to 100.
        most_bytes: maximum size of a response, 1 KiB to 1 GiB.
        failure_seconds: how long a failed lookup of an id is cached, 0 to 3600.

    Raises:
        OptionError: the settings contradict one another, or a value is out of range.
    """

    urls: tuple[str, ...] = ()
    file: str = ""
    user: str = ""
    password: str = field(default="", repr=False)
    token: str = field(default="", repr=False)
    ca_file: str = ""
    certificate: str = ""
    key: str = ""
    deadline: float = 30.0
    attempt: float = 10.0
    retries: int = 4
    most_bytes: int = 8 << 20
    failure_seconds: float = 5.0

    def __post_init__(self) -> None:
        object.__setattr__(self, "urls", (self.urls,) if isinstance(self.urls, str) else tuple(self.urls))
        if bool(self.urls) == bool(self.file):
            raise OptionError("a registry is either urls or a file with saved schemas: give one of the two")
        for name, least, most in (
            ("deadline", 0.001, 86400.0),
            ("attempt", 0.001, 86400.0),
            ("retries", 0, 100),
            ("most_bytes", 1 << 10, 1 << 30),
            ("failure_seconds", 0, 3600),
        ):
            value = getattr(self, name)
            number = isinstance(value, (int, float)) and not isinstance(value, bool) and math.isfinite(value)
            if not number or not least <= value <= most:
                raise OptionError(
                    f"registry {name}: a number from {least:,} to {most:,} is expected, this is {shown(value)}"
                )
        if self.file:
            check_path(self.file)
        object.__setattr__(self, "urls", tuple(self._without_user(url) for url in self.urls))
        if self.token and (self.user or self.password):
            raise OptionError("registry: there is a token and a user or password; give one way to authenticate")
        for name in ("token", "user", "password"):
            if any(character < " " for character in getattr(self, name)):
                raise OptionError(f"registry {name}: it holds a line break or control character, and none can be sent")
        if not self.token.isascii():
            raise OptionError("registry token: it has characters other than ASCII, and none can be sent")
        if ":" in self.user:
            raise OptionError("registry user: it holds a colon, with which basic authentication ends a name")
        if self.key and not self.certificate:
            raise OptionError("registry key: a client's key is of no use without its certificate; give both")
        for name in ("ca_file", "certificate", "key"):
            path = getattr(self, name)
            if path and not os.path.isfile(path):
                path = shortened(public(path))
                raise OptionError(f"registry {name}: there is no file {path}; a PEM file is expected")

    @classmethod
    def of(cls, where: str, **others: object) -> RegistrySettings:
        """The settings for a location given as a text.

        Args:
            where: URLs separated by commas, for `urls`; any other text is a path, for `file`.
            others: other attributes, such as `token`.

        Raises:
            OptionError: the text is neither a URL nor a path, or a setting is unknown or invalid.
        """
        legal = [one.name for one in fields(cls) if one.name not in ("urls", "file")]
        for name in others:
            if name not in legal:
                raise OptionError(f"registry {shortened(name)}: there is no such setting; there are {', '.join(legal)}")
        if not where.strip():
            raise OptionError("registry: the URL of a registry or the path of a file with saved schemas is expected")
        if "://" not in where:
            if _LIKE_URL.match(where):
                raise OptionError("registry: what looks like a URL begins with neither http:// nor https://; add it")
            return cls(file=where, **others)  # type: ignore[arg-type]
        # a password may contain a comma; one that separates URLs is followed by a scheme
        return cls(tuple(re.split(r"\s*,\s*(?=https?://)", where.strip())), **others)  # type: ignore[arg-type]

    def _without_user(self, url: str) -> str:
        expected = "expected is http://host:port or https://host:port, with a path if need be"
        try:
            parts = urlsplit(url)
            host, port = parts.hostname, parts.port
        except ValueError:
            raise OptionError(f"registry urls: one of them is no URL; {expected}") from None
        named_as, at, _ = parts.netloc.rpartition("@")
        if (
            parts.scheme not in ("http", "https")
            or not host
            or _HOST.fullmatch(host) is None
            or any(c <= " " for c in url)
            or (at and _NO_USER.match(named_as))
        ):
            # the value is not shown, since it may contain a password
            raise OptionError(f"registry urls: one of them is no URL of a registry; {expected}")
        if parts.query or parts.fragment:
            raise OptionError(f"registry urls: the one of {host} has a query or fragment; {expected}")
        if _NO_PATH.search(_unquoted(parts.path)):
            raise OptionError(
                f"registry urls: the path of the one of {host} has one of the characters @ , ; = ? # or a space: "
                "each URL of a list begins with http:// or https://, user and password stand before the host, and a "
                f"token has an option of its own; {expected}"
            )
        if "@" in parts.netloc:
            named = unquote(parts.username or ""), unquote(parts.password or "")
            if (self.user or self.password) and (self.user, self.password) != named:
                raise OptionError(f"registry urls: user or password of {host} differ from those given elsewhere")
            object.__setattr__(self, "user", named[0])
            object.__setattr__(self, "password", named[1])
        address = f"[{host}]" if ":" in host else host
        netloc = address if port is None else f"{address}:{port}"
        return urlunsplit((parts.scheme, netloc, parts.path.rstrip("/"), "", ""))

    @property
    def authorization(self) -> str:
        """The value of the Authorization header; empty if none is sent."""
        if self.token:
            return f"Bearer {self.token}"
        if self.user or self.password:
            # UTF-8, as RFC 7617 recommends
            return "Basic " + base64.b64encode(f"{self.user}:{self.password}".encode()).decode()
        return ""

    def without_secrets(self, text: str) -> str:
        """A text from another program, with asterisks in place of the password and token."""
        plain = (self.password, self.token, self.authorization.partition(" ")[2])
        for secret in (*plain, *(quote(one, safe="") for one in plain)):
            if secret:
                text = text.replace(secret, HIDDEN)
        return text
