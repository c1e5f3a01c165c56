"""Options of readers and writers as strings, like Spark's: names ignore case, unknown names are errors."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Literal, get_args

import tidewire
from tidewire.messages.by_protocol import UnknownProtocolError
from tidewire.messages.options import COMPUTE_CHECKSUM
from tidewire.reading.options import READ, Json, Mode, ReadOptions, refuse_if, split
from tidewire.reading.options import codec_names as names_of_options
from tidewire.reading.options import read_options as own_options
from tidewire.runtime.errors import OptionError
from tidewire.spark.registries import check_location, for_executors

Grouping = Literal["gather", "keep"]


@dataclass(frozen=True)
class WriteOptions:
    """How events are encoded.

    Attributes:
        topic: if set, a column `topic` with this value, as the Kafka sink reads it. If the protocol has an option of
            this name, ``{schema}`` and ``{table}`` in it stand for the names of each message's table.
        messages: gather: rows are gathered into messages as the producer does. keep: an event of another message
            (`topic`, `partition`, `offset`) starts a new message, so that decoded messages are reproduced.
        codec: the protocol's own options under TiCDC's names; not in the repr, since there may be a password.
        mode: what happens to an event that the protocol cannot express. FAILFAST: the query fails. PERMISSIVE: a row
            without a message and with the reason. DROPMALFORMED: no row.
        corrupt_column: name of the column with the reason, in mode PERMISSIVE.
        schema_location: location of table descriptions, which are used for row checksums and schemas.
    """

    topic: str | None = None
    messages: Grouping = "gather"
    codec: tuple[tuple[str, str], ...] = field(default=(), repr=False)
    mode: Mode = "FAILFAST"
    corrupt_column: str = "_corrupt_record"
    schema_location: str | None = None


_READ: dict[str, tuple[str, ...] | None] = {
    **READ,
    "json": get_args(Json),
    "rescuedDataColumn": None,
    "schemaLocation": None,
}
_OF_ROWS = ("misfitColumn", "enum", "json", "rescuedDataColumn")
"""Options for rows, which readers of events do not have."""
_WRITE: dict[str, tuple[str, ...] | None] = {
    "topic": None,
    "messages": get_args(Grouping),
    "mode": get_args(Mode),
    "columnNameOfCorruptRecord": None,
    "schemaLocation": None,
}
_TOPIC = "topic"


def load(protocol: str) -> Any:
    """The module of a protocol, by TiCDC's name; `-` and `_` are equivalent.

    Raises:
        OptionError: there is no protocol of that name.
    """
    try:
        return tidewire.protocols()[protocol].load()
    except UnknownProtocolError as error:
        raise OptionError(str(error)) from None


def read_options(
    protocol: str, options: Mapping[str, Any] | None, timezone: str, of_events: bool = False
) -> ReadOptions:
    """Parses options of `from_ticdc` and the other readers.

    Args:
        protocol: name of the protocol.
        options: the user's options.
        timezone: time zone of the session, used if the user sets none.
        of_events: whether messages become events; options for rows are refused then.

    Raises:
        OptionError: an option is unknown or invalid.
    """
    module = load(protocol)
    chosen, own = own_options(module, options, timezone, _READ)
    for name in _OF_ROWS:
        refuse_if(of_events and name in own, f"option {name} is one of rows_from_ticdc; events keep what was sent")
    codec = _for_executors(protocol, dict(chosen.codec))
    location = _location(protocol, own["schemaLocation"]) if "schemaLocation" in own else None
    check_location(module.FACTS, module.Options.from_strings(codec), location)
    given: dict[str, Any] = {"json": own.get("json", "string"), "rescued_column": own.get("rescuedDataColumn")}
    return replace(chosen, codec=tuple(sorted(codec.items())), schema_location=location, **given)


def write_options(protocol: str, options: Mapping[str, Any] | None) -> WriteOptions:
    """Parses options of `to_ticdc`.

    Raises:
        OptionError: an option is unknown or invalid.
    """
    own, codec = split(load(protocol), options, _WRITE, "write")
    if _TOPIC in own and _TOPIC in codec_names(protocol):
        codec[_TOPIC] = own[_TOPIC]
    codec = _for_executors(protocol, codec)
    messages: Any = own.get("messages", "gather")
    mode: Any = own.get("mode", "FAILFAST")
    corrupt_column = own.get("columnNameOfCorruptRecord", "_corrupt_record")
    location = None
    if "schemaLocation" in own:
        location = _location(protocol, own["schemaLocation"])
        need = COMPUTE_CHECKSUM.name
        computes = codec.get(need, "").strip().lower() == "true"
        needless = not computes and load(protocol).FACTS.registry is None
        refuse_if(needless, f"option schemaLocation is for {need}, which is not set; leave it out")
    return WriteOptions(own.get("topic"), messages, tuple(sorted(codec.items())), mode, corrupt_column, location)


def _location(protocol: str, url: str) -> str:
    """The location of table descriptions in a form that executors can use.

    Raises:
        OptionError: the protocol's rows need no descriptions, or files cannot be stored there.
    """
    refuse_if(
        not load(protocol).FACTS.described,
        f"option schemaLocation: messages of {protocol} say themselves what the columns of their rows are; "
        "leave it out",
    )
    refuse_if(not url.strip(), "option schemaLocation is a directory or a URL of fsspec, not empty")
    if "://" not in url:
        return os.path.abspath(url)
    # the URL may contain a secret and is not repeated
    refuse_if(
        "?" in url or "#" in url,
        f"option schemaLocation: {url.partition('://')[0]}://… has something behind ? or #. Leave it out: credentials "
        "come from the environment of the executors",
    )
    return url


def codec_names(protocol: str) -> set[str]:
    """The names of a protocol's options, as TiCDC writes them."""
    return names_of_options(load(protocol))


def _for_executors(protocol: str, codec: Mapping[str, str]) -> dict[str, str]:
    """The protocol's options, checked, in a form that executors can use."""
    module = load(protocol)
    return for_executors(module.FACTS, module.Options.from_strings(codec), codec)
