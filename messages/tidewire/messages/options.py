"""Options of a protocol: types, ranges and names, validated in one place."""

from __future__ import annotations

import dataclasses
import difflib
import re
import textwrap
from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any, ClassVar, Self, TypeVar, cast

from tidewire.messages.checksums.zones import zone_of
from tidewire.runtime.errors import OptionError
from tidewire.runtime.shortened import MOST_SHOWN, public, shown
from tidewire.runtime.time_zones import unknown_zone


@dataclass(frozen=True, slots=True)
class KeptColumns:
    """The columns of a row image that remain with an option: those with a flag, or those that changed."""

    event: str
    """The kind of event."""
    image: str
    """new or old."""
    flag: int = 0
    """The flag's bit; 0: the columns that changed."""


_SPEC = "option"
"""Key of the field metadata under which an options class keeps an `OptionSpec`."""


@dataclass(frozen=True, slots=True)
class OptionSpec:
    """One option, as in the protocol's spec."""

    name: str
    """With dashes, as TiCDC writes it."""
    type: str
    """int, bool, choice or text."""
    default: int | bool | str
    about: str
    range: tuple[int, int] | None = None
    """Least and greatest value of an int."""
    choices: tuple[str, ...] = ()
    """The values of a choice."""
    aliases: Mapping[str, str] = field(default_factory=dict)
    """Other names of choices; in all of them `-` and `_` are the same."""
    implies: tuple[str, ...] = ()
    """Options (bool) that are true when this one is set."""
    needs: tuple[str, ...] = ()
    """Options that have to be set when this one is."""
    choice_needs: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """Values of this option, each with the options that must be set along with it."""
    producers: tuple[str, ...] = ()
    """The producers that support the option; empty: all of them."""
    keeps: KeptColumns | None = None
    """The columns that remain in row images with this option; decoded events lack the other columns."""
    shows: str = ""
    """The kind of event and row image that messages contain only with this option; empty: there is no such image."""
    escapes: bool = False
    """Whether the value separates messages: it must not begin like a message, and in option strings control characters
    are written as \\r, \\n, \\t.
    """
    ignored: bool = False
    """Whether producers accept it without any effect."""
    secret: bool = False
    """Whether it may hold a password or token; it is then hidden in reprs and errors."""
    zone: bool = False
    """Whether the value is the name of a time zone, or empty."""

    def field(self, implies: tuple[str, ...] = ()) -> Any:
        """The option as a dataclass field of the protocol's options.

        Args:
            implies: further options of the protocol (bool) that are true if this one is set.
        """
        spec = dataclasses.replace(self, implies=(*self.implies, *implies)) if implies else self
        return dataclasses.field(default=self.default, repr=not self.secret, metadata={_SPEC: spec})

    @property
    def cuts(self) -> bool:
        """Whether the option removes columns from row images."""
        return self.keeps is not None

    @property
    def python_name(self) -> str:
        """With underscores, as Python writes it."""
        return self.name.replace("-", "_")

    def has(self, producer: str) -> bool:
        """Whether the producer supports it."""
        return not self.producers or producer in self.producers

    def spelled(self, value: Any) -> Any:
        """The canonical name of a choice given with underscores or under an alias; any other value unchanged."""
        if self.type != "choice" or not isinstance(value, str) or value in self.choices:
            return value
        dashed = value.replace("_", "-")
        return self.aliases.get(dashed, dashed if dashed in self.choices else value)

    def check(self, protocol: str, value: Any) -> None:
        """Raises OptionError if the option cannot have this value."""
        if self.type == "bool":
            legal, wanted = isinstance(value, bool), "true or false"
        elif self.type == "int":
            low, high = self.range or (-(2**63), 2**63 - 1)
            legal = isinstance(value, int) and not isinstance(value, bool) and low <= value <= high
            wanted = f"an integer from {low} to {high}"
        elif self.type == "text":
            legal, wanted = isinstance(value, str), "text"
            if legal and not _is_unicode(value):
                legal, wanted = False, "text that UTF-8 has"
            elif legal and self.escapes and value.strip(WHITE_SPACE).startswith(BEGINNING):
                legal, wanted = False, f"text that does not begin like a message, with {BEGINNING}"
            elif legal and self.zone and value and zone_of(value) is None:
                raise OptionError(f"{protocol}: option {self.name} {unknown_zone(value)}")
        else:
            legal, wanted = value in self.choices, f"one of {', '.join(self.choices)}"
        if not legal:
            said = f", not {shown(public(value) if isinstance(value, str) else value)}"
            if self.secret:
                said = "; what it is set to is none and is not shown"
            raise OptionError(f"{protocol}: option {self.name} is {wanted}{said}")

    def parse(self, protocol: str, text: str) -> int | bool | str:
        """The value that a string represents."""
        if self.type == "text":
            return _ESCAPE.sub(lambda found: _ESCAPED[found[0]], text) if self.escapes else text
        folded = text.strip().lower()
        if self.type == "bool" and folded in ("true", "false"):
            return folded == "true"
        if self.type == "int":
            try:
                return int(folded)
            except ValueError:
                pass
        if self.type == "choice":
            return str(self.spelled(folded))
        low, high = self.range or (0, 0)
        wanted = "true or false" if self.type == "bool" else f"an integer from {low} to {high}"
        raise OptionError(f"{protocol}: option {self.name} is {wanted}, not {shown(public(text))}")

    def needed(self, value: Any) -> tuple[str, ...]:
        """The options that must be set if this one has the value."""
        if value == self.default:
            return ()
        return self.needs + (self.choice_needs.get(value, ()) if self.choice_needs else ())


WHITE_SPACE = " \t\r\n"
"""White space that may surround a JSON message."""
BEGINNING = "{"
"""The first character of messages that share a value; separators must begin with something else."""


def _is_unicode(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


_ESCAPED = {"\\r": "\r", "\\n": "\n", "\\t": "\t", "\\\\": "\\"}
_ESCAPE = re.compile(r"\\[rnt\\]")


def check_options(protocol: str, specs: tuple[OptionSpec, ...], options: Any) -> None:
    """Validates all options of an options object, and sets the options that others imply.

    Raises:
        OptionError: a value is invalid, the producer does not support the option, or it needs another that is not set.
    """
    known = {spec.name: spec for spec in specs}
    for spec in specs:
        given = getattr(options, spec.python_name)
        value = spec.spelled(given)
        if value is not given:
            # the dataclass is frozen for users
            object.__setattr__(options, spec.python_name, value)
        spec.check(protocol, value)
    for spec in specs:
        if getattr(options, spec.python_name) != spec.default:
            for name in spec.implies:
                object.__setattr__(options, known[name].python_name, True)
    for spec in specs:
        value = getattr(options, spec.python_name)
        if value == spec.default:
            continue
        said = spec.name if value is True or spec.secret else f"{spec.name}={public(str(value))}"
        if not spec.has(options.producer):
            raise OptionError(
                f"{protocol}: option {spec.name} is one of {' and '.join(spec.producers)}; {options.producer} has no "
                f"such option: set producer={spec.producers[0]} or leave it out"
            )
        for name in spec.needed(value):
            other = known[name]
            there = getattr(options, other.python_name)
            # a switch that is on by default has to stay on
            if there is False or (there is not True and there == other.default):
                to_what = "=true" if other.type == "bool" else ""
                raise OptionError(f"{protocol}: option {said} needs {name}: set {name}{to_what} too")


def parse_options(
    protocol: str, specs: tuple[OptionSpec, ...], given: Mapping[str, Any]
) -> dict[str, int | bool | str]:
    """Parses options given as strings by name, with dashes or underscores; returns them by field name.

    Raises:
        OptionError: a name is unknown (the text lists the valid ones), or a value cannot be parsed.
    """
    if not isinstance(given, Mapping):
        raise OptionError(f"{protocol}: options are given as strings by their names, not as {shown(given)}")
    known = {spec.python_name: spec for spec in specs}
    parsed: dict[str, int | bool | str] = {}
    for name, text in given.items():
        spec = known.get(str(name).strip().lower().replace("-", "_"))
        if spec is None:
            legal = ", ".join(spec.name for spec in specs)
            near = difflib.get_close_matches(str(name)[:MOST_SHOWN].replace("_", "-"), [spec.name for spec in specs], 1)
            hint = f" Did you mean {near[0]}?" if near else ""
            raise OptionError(f"{protocol}: there is no option {shown(name)}.{hint} The options are {legal}.")
        if isinstance(text, str):
            parsed[spec.python_name] = spec.parse(protocol, text)
        else:
            spec.check(protocol, spec.spelled(text))
            parsed[spec.python_name] = text
    return parsed


Value = TypeVar("Value", bool, int, str)


def option(
    default: Value,
    about: str,
    *,
    range: tuple[int, int] | None = None,
    choices: tuple[str, ...] = (),
    aliases: Mapping[str, str] = MappingProxyType({}),
    implies: tuple[str, ...] = (),
    needs: tuple[str, ...] = (),
    choice_needs: Mapping[str, tuple[str, ...]] = MappingProxyType({}),
    producers: tuple[str, ...] = (),
    keeps: KeptColumns | None = None,
    shows: str = "",
    escapes: bool = False,
    ignored: bool = False,
    secret: bool = False,
) -> Value:
    """Declares an attribute of an options class, named like the option but with underscores: default, a sentence about
    it, and the other attributes of `OptionSpec`.
    """
    kind = {bool: "bool", int: "int", str: "choice" if choices else "text"}[type(default)]
    spec = OptionSpec(
        "",
        kind,
        default,
        about,
        range,
        choices,
        aliases,
        implies,
        needs,
        choice_needs,
        producers,
        keeps,
        shows=shows,
        escapes=escapes,
        ignored=ignored,
        secret=secret,
    )
    return cast(Value, spec.field())


class CodecOptions:
    """Base class of the options of all protocols; each protocol's class is a dataclass whose attributes are declared
    with `option` and described at the end of its docstring.
    """

    __slots__ = ()
    PROTOCOL: ClassVar[str]
    SPECS: ClassVar[tuple[OptionSpec, ...]]

    def __init_subclass__(cls) -> None:
        """Collects the options that the subclass declares."""
        own = {name: value for name, value in vars(cls).items() if isinstance(value, dataclasses.Field)}
        if not own:  # dataclass(slots=True) creates the class twice, the second time without these attributes
            return
        cls.SPECS = tuple(
            dataclasses.replace(one.metadata[_SPEC], name=name.replace("_", "-")) for name, one in own.items()
        )
        about = [f"    {spec.python_name}: {spec.about}" for spec in cls.SPECS]
        wrapped = [textwrap.fill(text, 116, subsequent_indent=" " * 8) for text in about]
        cls.__doc__ = "\n".join([f"{cls.__doc__}\n", "Attributes:", *wrapped])

    def __repr__(self) -> str:
        """The options without secrets, including those in URLs."""
        values = {one.python_name: self.value(one.name) for one in self.SPECS if not one.secret}
        said = [f"{name}={(public(one) if isinstance(one, str) else one)!r}" for name, one in values.items()]
        return f"{type(self).__name__}({', '.join(said)})"

    def __post_init__(self) -> None:
        check_options(self.PROTOCOL, self.SPECS, self)

    def value(self, name: str) -> Any:
        """The value of an option, by its name with dashes."""
        return getattr(self, name.replace("-", "_"))

    @classmethod
    def from_strings(cls, given: Mapping[str, str]) -> Self:
        """Parses options given as strings, under TiCDC's names (with dashes) or the field names.

        Raises:
            OptionError: a name is unknown or a value is invalid; the text lists the valid ones.
        """
        return cls(**parse_options(cls.PROTOCOL, cls.SPECS, given))


INVALID_TEXT = OptionSpec(
    "invalid-text",
    "choice",
    "error",
    "What becomes of text that is not UTF-8, when decoding: an error, replaced by U+FFFD, or given as bytes.",
    choices=("error", "replace", "bytes"),
)
"""Option: the policy for text that is not UTF-8; for every decoder."""

COLUMN_TYPES = OptionSpec(
    "column-types",
    "text",
    "",
    "The types of columns of which messages do not tell them, when decoding: shop.orders (id bigint unsigned, amount "
    "decimal(10,2)); shop.customers (...). Such a column is text, as it stands in the message, when it is not among "
    "them.",
)
"""Option: the types of columns; for decoders of protocols whose messages may omit them."""

CLAIM_CHECK = OptionSpec(
    "claim-check",
    "text",
    "",
    "Where the files lie that messages point to when they were too long, when decoding: a directory or a URL of "
    "fsspec. Empty: events stay as they were sent, and say that they are not whole.",
)
"""Option: where to fetch messages that were too long to send; for decoders of protocols whose messages can point to
files.
"""

VERIFY_CHECKSUM = OptionSpec(
    "verify-checksum",
    "bool",
    False,
    "Whether rows are compared with TiDB's checksums that came with them, when decoding; one that differs is an error. "
    "Rows without a checksum are taken as they are, as are those of which it cannot be told: a warning says why.",
)
"""Option: whether checksums of rows are verified; for decoders of protocols with checksums."""

COMPUTE_CHECKSUM = OptionSpec(
    "compute-checksum",
    "bool",
    False,
    "Whether rows that come without checksums of TiDB get them, when encoding. The tables have to be described.",
)
"""Option: whether checksums of rows are computed; for encoders of protocols with checksums."""

TIME_ZONE = OptionSpec(
    "time-zone",
    "text",
    "",
    "The time zone of the changefeed, in which the texts of TIMESTAMP values are: Asia/Shanghai, +08:00. They count in "
    "UTC in checksums. Empty: checksums of rows with such values are not verified, and cannot be computed.",
    zone=True,
)
"""Option: the zone of local times in checksums; for protocols with checksums whose messages do not contain it."""

MOST_UNPACKED = 1 << 40
MAX_UNPACKED_BYTES = OptionSpec(
    "max-unpacked-bytes",
    "int",
    256 << 20,
    "Most bytes that may be fetched and decompressed at once, when decoding. Messages that need more, after those "
    "before them, are errors.",
    range=(1, MOST_UNPACKED),
)
"""Option: the maximum unpacked size of a batch in bytes; for decoders of protocols that compress messages or store them
in files.
"""

REGISTRY_USER = OptionSpec(
    "schema-registry-user", "text", "", "The user as whom the registry is asked, where its URL does not name one."
)
"""Option: user name for the schema registry. The options below are for protocols with a schema registry as well."""

REGISTRY_PASSWORD = OptionSpec(
    "schema-registry-password",
    "text",
    "",
    "The user's password, where the registry's URL does not have it.",
    secret=True,
)

REGISTRY_TOKEN = OptionSpec(
    "schema-registry-token", "text", "", "The token that the registry is asked with, instead of a user.", secret=True
)

REGISTRY_CA_FILE = OptionSpec(
    "schema-registry-ca-file",
    "text",
    "",
    "The path of the certificates, PEM, that the registry's is verified with. Empty: the system's.",
)

REGISTRY_CERTIFICATE = OptionSpec(
    "schema-registry-certificate", "text", "", "The path of the certificate, PEM, that is shown to the registry."
)

REGISTRY_KEY = OptionSpec(
    "schema-registry-key",
    "text",
    "",
    "The path of that certificate's private key, PEM. Empty: it stands in the certificate's file.",
)
