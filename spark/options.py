"""Options of readers and writers, as strings in Spark's way: names in any case, unknown ones refused."""

from __future__ import annotations

import dataclasses
import difflib
import os
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, get_args

import pyarrow as pa
import pyarrow.compute as pc

import tidewire
from tidewire.runtime.arrow.literals import column_of
from tidewire.runtime.by_protocol import UnknownProtocolError
from tidewire.runtime.errors import OptionError
from tidewire.runtime.options import COMPUTE_CHECKSUM, TIME_ZONE
from tidewire.runtime.shortened import shown
from tidewire.spark.registries import check_location, for_executors

Mode = Literal["PERMISSIVE", "DROPMALFORMED", "FAILFAST"]
ZeroDate = Literal["null", "error", "string"]
Time = Literal["string", "interval"]
Grouping = Literal["gather", "keep"]
InvalidText = Literal["error", "replace", "bytes"]
Enum = Literal["number", "label"]
Json = Literal["string", "variant"]
KeptFields = tuple[tuple[str, str], ...]
"""Columns of messages that rows keep: name, and name among the rows."""


@dataclass(frozen=True)
class ReadOptions:
    """How messages are decoded and values converted.

    Attributes:
        mode: what becomes of a message that cannot be decoded, or a value that its column cannot hold. PERMISSIVE: a
            row that keeps the bytes and the reason in the corrupt-record column. DROPMALFORMED: no row. FAILFAST: the
            query fails.
        corrupt_column: name of the corrupt-record column; it is there in mode PERMISSIVE only.
        timezone: in which TIMESTAMP values are written: the time zone of the changefeed. An IANA name or ``+08:00``.
            A time that the clock passed twice, or skipped, is read with the earlier offset, the one from before the
            change.
        zero_date: what becomes of dates that no calendar has (``0000-00-00``, ``2020-02-00``). null; error: as `mode`
            says; string: a derived table schema has STRING columns for dates and times.
        time: what a TIME column becomes in a derived schema: STRING or INTERVAL DAY TO SECOND.
        enum: what ENUM and SET become in a STRING column, and so in a derived schema: the label, labels with commas
            between, or the number.
        json: what JSON becomes in a derived schema: STRING or VARIANT.
        keep: columns of the messages that their rows keep, behind the table's.
        rescued_column: name of a column for what the schema lacks or cannot hold; None: there is none.
        schema_location: where descriptions of tables are kept, a directory or a URL of fsspec; None: nowhere.
        codec: the protocol's own options under TiCDC's names; not in the repr, since there may be a password.
    """

    mode: Mode = "PERMISSIVE"
    corrupt_column: str = "_corrupt_record"
    timezone: str = "UTC"
    zero_date: ZeroDate = "null"
    time: Time = "string"
    enum: Enum = "number"
    json: Json = "string"
    keep: KeptFields = ()
    rescued_column: str | None = None
    schema_location: str | None = None
    codec: tuple[tuple[str, str], ...] = field(default=(), repr=False)


@dataclass(frozen=True)
class WriteOptions:
    """How events are encoded.

    Attributes:
        topic: when given, a column `topic` with this value, as the Kafka sink reads it. Where the protocol has an
            option of this name, ``{schema}`` and ``{table}`` in it stand for the names of each message's table.
        messages: gather: rows are gathered into messages as the producer does it. keep: an event of another message
            (`topic`, `partition`, `offset`) starts a message, so that a message that was decoded becomes the same
            message again.
        codec: the protocol's own options under TiCDC's names; not in the repr, since there may be a password.
        mode: what becomes of an event that the protocol cannot say. FAILFAST: the query fails. PERMISSIVE: a row
            without a message and with the reason. DROPMALFORMED: no row.
        corrupt_column: name of the column with the reason, in mode PERMISSIVE.
        schema_location: where descriptions of tables are, by which checksums of rows are computed and schemas made.
    """

    topic: str | None = None
    messages: Grouping = "gather"
    codec: tuple[tuple[str, str], ...] = field(default=(), repr=False)
    mode: Mode = "FAILFAST"
    corrupt_column: str = "_corrupt_record"
    schema_location: str | None = None


_READ: dict[str, tuple[str, ...] | None] = {
    "mode": get_args(Mode),
    "columnNameOfCorruptRecord": None,
    "timezone": None,
    "zeroDate": get_args(ZeroDate),
    "time": get_args(Time),
    "invalidText": get_args(InvalidText),
    "keep": None,
    "enum": get_args(Enum),
    "json": get_args(Json),
    "rescuedDataColumn": None,
    "schemaLocation": None,
}
_OF_ROWS = ("enum", "json", "rescuedDataColumn")
"""Options that readers of events do not have."""
_WRITE: dict[str, tuple[str, ...] | None] = {
    "topic": None,
    "messages": get_args(Grouping),
    "mode": get_args(Mode),
    "columnNameOfCorruptRecord": None,
    "schemaLocation": None,
}
_INVALID_TEXT = "invalid-text"
_TOPIC = "topic"
_TIMEZONE = "timezone"
_KEPT_COLUMN = re.compile(r"\s*(`[^`]+`|[^`\s]+)(?:\s+as\s+(`[^`]+`|[^`\s]+))?\s*", re.IGNORECASE)


def load(protocol: str) -> Any:
    """The module of a protocol, by TiCDC's name; `-` and `_` are the same.

    Raises:
        OptionError: there is none of that name.
    """
    try:
        return tidewire.protocols()[protocol].load()
    except UnknownProtocolError as error:
        raise OptionError(str(error)) from None


def read_options(
    protocol: str, options: Mapping[str, Any] | None, timezone: str, of_events: bool = False
) -> ReadOptions:
    """Options of `from_ticdc` and its kin.

    Args:
        protocol: name of the protocol.
        options: what the user said.
        timezone: the session's, which holds when the user named none.
        of_events: whether messages become events; options of rows are refused then.

    Raises:
        OptionError: an option is unknown or has a value that it cannot have.
    """
    own, codec = _split(protocol, options, _READ, "read")
    for name in _OF_ROWS:
        _refuse_if(of_events and name in own, f"option {name} is one of rows_from_ticdc; events keep what was sent")
    if "invalidText" in own:
        _refuse_if(_INVALID_TEXT not in codec_names(protocol), f"invalidText: {protocol} has no such option")
        codec[_INVALID_TEXT] = own["invalidText"]
    _tell_zone(protocol, own, codec)
    codec = _for_executors(protocol, codec)
    chosen: dict[str, Any] = {
        "mode": own.get("mode", "PERMISSIVE"),
        "corrupt_column": own.get("columnNameOfCorruptRecord", "_corrupt_record"),
        "timezone": own.get("timezone", timezone),
        "zero_date": own.get("zeroDate", "null"),
        "time": own.get("time", "string"),
        "enum": own.get("enum", "number"),
        "json": own.get("json", "string"),
        "keep": _kept(own["keep"]) if "keep" in own else (),
        "rescued_column": own.get("rescuedDataColumn"),
        "schema_location": _location(protocol, own["schemaLocation"]) if "schemaLocation" in own else None,
    }
    for name in ("columnNameOfCorruptRecord", "rescuedDataColumn"):
        _refuse_if(not own.get(name, "x").strip(), f"option {name} is the name of a column, not {own.get(name)!r}")
    if "timezone" in own:
        check_timezone(own["timezone"])
    module = load(protocol)
    check_location(module.FACTS, module.Options.from_strings(codec), chosen["schema_location"])
    return ReadOptions(codec=tuple(sorted(codec.items())), **chosen)


def write_options(protocol: str, options: Mapping[str, Any] | None) -> WriteOptions:
    """Options of `to_ticdc`.

    Raises:
        OptionError: an option is unknown or has a value that it cannot have.
    """
    own, codec = _split(protocol, options, _WRITE, "write")
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
        _refuse_if(needless, f"option schemaLocation is for {need}, which is not set; leave it out")
    return WriteOptions(own.get("topic"), messages, tuple(sorted(codec.items())), mode, corrupt_column, location)


def _tell_zone(protocol: str, own: dict[str, str], codec: dict[str, str]) -> None:
    """Makes `timezone` and the protocol's own option for the same, where it has one, say the same.

    Raises:
        OptionError: they contradict each other.
    """
    name = TIME_ZONE.name
    if name not in codec_names(protocol):
        return
    _refuse_if(
        own.get(_TIMEZONE, codec.get(name)) != codec.get(name, own.get(_TIMEZONE)),
        f"options {_TIMEZONE} and {name} are both the time zone of the changefeed, and differ; leave one of them out",
    )
    if _TIMEZONE in own:
        codec[name] = own[_TIMEZONE]
    elif codec.get(name):
        own[_TIMEZONE] = codec[name]


def check_timezone(name: str) -> None:
    """Refuses a time zone that is not known here.

    Raises:
        OptionError: it is not.
    """
    try:
        pc.assume_timezone(column_of([0], pa.int64()).cast(pa.timestamp("us")), name)
    except (pa.ArrowInvalid, pa.ArrowKeyError) as error:
        raise OptionError(
            f"timezone {name!r}: {error}. It is the time zone of the changefeed: an IANA name such as Asia/Shanghai, "
            "or +08:00"
        ) from None


def _kept(text: str) -> KeptFields:
    """``topic, offset AS at`` taken apart.

    Raises:
        OptionError: it is not written like that.
    """
    found = [_KEPT_COLUMN.fullmatch(part) for part in text.split(",")]
    names = [(one[1].strip("`"), (one[2] or one[1]).strip("`")) for one in found if one is not None]
    _refuse_if(
        len(names) < len(found),
        f"option keep lists columns of the messages, such as topic,partition,offset,timestamp or offset AS at, not "
        f"{text!r}",
    )
    return tuple(names)


def _location(protocol: str, url: str) -> str:
    """Where descriptions are kept, as executors find it.

    Raises:
        OptionError: the protocol's rows need none, or it is no place for files.
    """
    _refuse_if(
        not load(protocol).FACTS.described,
        f"option schemaLocation: messages of {protocol} say themselves what the columns of their rows are; "
        "leave it out",
    )
    _refuse_if(not url.strip(), "option schemaLocation is a directory or a URL of fsspec, not empty")
    if "://" not in url:
        return os.path.abspath(url)
    # a secret may stand there, so that it is not repeated
    _refuse_if(
        "?" in url or "#" in url,
        f"option schemaLocation: {url.partition('://')[0]}://… has something behind ? or #. Leave it out: credentials "
        "come from the environment of the executors",
    )
    return url


MOST_NUMBER = (1 << 64) - 1


def _split(
    protocol: str, options: Mapping[str, Any] | None, table: Mapping[str, tuple[str, ...] | None], verb: str
) -> tuple[dict[str, str], dict[str, str]]:
    """Ours, under the names as we write them, and the protocol's, under TiCDC's."""
    _refuse_if(not isinstance(options, Mapping | None), f"options are values by their names, not {shown(options)}")
    names = {name.lower(): name for name in table}
    known = codec_names(protocol)
    own: dict[str, str] = {}
    codec: dict[str, str] = {}
    for given, value in (options or {}).items():
        _refuse_if(not isinstance(given, str), f"the name of an option is a text, not {shown(given)}")
        huge = isinstance(value, int) and not -MOST_NUMBER <= value <= MOST_NUMBER
        _refuse_if(huge, f"option {shown(given)} is no number of 64 bits")
        text = ",".join(map(str, value)) if isinstance(value, list | tuple) else str(value)
        if isinstance(value, bool):
            text = text.lower()
        key = given.lower()
        dashed = key.replace("_", "-")
        if key in names:
            name = names[key]
            legal = table[name]
            if legal is not None:
                match = [choice for choice in legal if choice.lower() == text.lower()]
                _refuse_if(not match, f"option {name} is one of {', '.join(legal)}, not {shown(text)}")
                text = match[0]
            _refuse_if(name in own, f"option {name} is given twice")
            own[name] = text
        elif dashed in known:
            _refuse_if(dashed in codec, f"option {dashed} is given twice")
            codec[dashed] = text
        else:
            all_names = [*table, *sorted(known)]
            near = difflib.get_close_matches(given, all_names, n=1)
            hint = f": did you mean {near[0]}?" if near else "."
            raise OptionError(
                f"{given!r} is no option to {verb} {protocol} with{hint} There are: {', '.join(all_names)}"
            )
    return own, codec


def codec_names(protocol: str) -> set[str]:
    """The names of a protocol's options, as TiCDC writes them."""
    return {one.name.replace("_", "-") for one in dataclasses.fields(load(protocol).Options)}


def _for_executors(protocol: str, codec: Mapping[str, str]) -> dict[str, str]:
    """The protocol's options, checked, as executors can use them."""
    module = load(protocol)
    return for_executors(module.FACTS, module.Options.from_strings(codec), codec)


def _refuse_if(wrong: bool, sentence: str) -> None:
    if wrong:
        raise OptionError(sentence)
