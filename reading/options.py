"""Options of readers of typed rows, as strings in Spark's way: names in any case, unknown ones refused."""

from __future__ import annotations

import dataclasses
import difflib
import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Literal, get_args

import pyarrow as pa
import pyarrow.compute as pc

from tidewire.reading.table_names import quoted
from tidewire.runtime.arrow.literals import column_of
from tidewire.runtime.errors import OptionError
from tidewire.runtime.options import TIME_ZONE
from tidewire.runtime.shortened import shown
from tidewire.runtime.time_zones import unknown_zone

Mode = Literal["PERMISSIVE", "DROPMALFORMED", "FAILFAST"]
ZeroDate = Literal["null", "error", "string"]
Time = Literal["string", "interval"]
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
        misfit_column: name of a column with the reason where a value of a row does not fit its column, or a row is not
            whole; the corrupt-record column then has only what could not be decoded. None: there is none, and the
            corrupt-record column has both. It is there in mode PERMISSIVE only.
        timezone: in which TIMESTAMP values are written: the time zone of the changefeed. An IANA name or ``+08:00``.
            A time that the clock passed twice, or skipped, is read with the earlier offset, the one from before the
            change.
        zoned: whether the user named that time zone.
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
    misfit_column: str | None = None
    timezone: str = "UTC"
    zoned: bool = False
    zero_date: ZeroDate = "null"
    time: Time = "string"
    enum: Enum = "number"
    json: Json = "string"
    keep: KeptFields = ()
    rescued_column: str | None = None
    schema_location: str | None = None
    codec: tuple[tuple[str, str], ...] = field(default=(), repr=False)


READ: dict[str, tuple[str, ...] | None] = {
    "mode": get_args(Mode),
    "columnNameOfCorruptRecord": None,
    "misfitColumn": None,
    "timezone": None,
    "zeroDate": get_args(ZeroDate),
    "time": get_args(Time),
    "invalidText": get_args(InvalidText),
    "keep": None,
    "enum": get_args(Enum),
}
"""The options of all readers, and what each can be; None: any text."""
_INVALID_TEXT = "invalid-text"
_TIMEZONE = "timezone"
_KEPT_COLUMN = re.compile(r"\s*(`[^`]+`|[^`\s]+)(?:\s+as\s+(`[^`]+`|[^`\s]+))?\s*", re.IGNORECASE)


def read_options(
    module: Any,
    options: Mapping[str, Any] | None,
    timezone: str,
    names: Mapping[str, tuple[str, ...] | None] = READ,
) -> tuple[ReadOptions, dict[str, str]]:
    """Options of a reader, and those of ours that the user gave, under the names as we write them.

    Args:
        module: of the protocol.
        options: what the user said.
        timezone: what holds when the user named none.
        names: the options that the reader has: `READ` and its own, which it reads itself.

    Raises:
        OptionError: an option is unknown or has a value that it cannot have.
    """
    own, codec = split(module, options, names, "read")
    if "invalidText" in own:
        refuse_if(_INVALID_TEXT not in codec_names(module), f"invalidText: {module.NAME} has no such option")
        codec[_INVALID_TEXT] = own["invalidText"]
    _tell_zone(module, own, codec)
    chosen: dict[str, Any] = {
        "mode": own.get("mode", "PERMISSIVE"),
        "corrupt_column": own.get("columnNameOfCorruptRecord", "_corrupt_record"),
        "misfit_column": own.get("misfitColumn"),
        "timezone": own.get(_TIMEZONE, timezone),
        "zoned": _TIMEZONE in own,
        "zero_date": own.get("zeroDate", "null"),
        "time": own.get("time", "string"),
        "enum": own.get("enum", "number"),
        "keep": _kept(own["keep"]) if "keep" in own else (),
    }
    for name in ("columnNameOfCorruptRecord", "misfitColumn", "rescuedDataColumn"):
        refuse_if(not own.get(name, "x").strip(), f"option {name} is the name of a column, not {own.get(name)!r}")
    module.Options.from_strings(codec)
    if _TIMEZONE in own:
        check_timezone(own[_TIMEZONE])
    return ReadOptions(codec=tuple(sorted(codec.items())), **chosen), own


def of_table(module: Any, options: ReadOptions, table: tuple[str, str]) -> ReadOptions:
    """Options with which rows that name no table are of the one that is asked for, unless they say another one."""
    unnamed = module.FACTS.unnamed
    if unnamed is None:
        return options
    codec = dict(options.codec)
    codec.setdefault(unnamed, ".".join(map(quoted, table)))
    return replace(options, codec=tuple(sorted(codec.items())))


def _tell_zone(module: Any, own: dict[str, str], codec: dict[str, str]) -> None:
    """Makes `timezone` and the protocol's own option for the same, where it has one, say the same.

    Raises:
        OptionError: they contradict each other.
    """
    name = TIME_ZONE.name
    if name not in codec_names(module):
        return
    refuse_if(
        own.get(_TIMEZONE, codec.get(name)) != codec.get(name, own.get(_TIMEZONE)),
        f"options {_TIMEZONE} and {name} are both the time zone of the changefeed, and differ; leave one of them out",
    )
    if _TIMEZONE in own:
        codec[name] = own[_TIMEZONE]
    elif codec.get(name):
        own[_TIMEZONE] = codec[name]


def check_timezone(name: str, said: str = "timezone") -> None:
    """Refuses a time zone that is not known here.

    Args:
        name: of the time zone.
        said: where it is said.

    Raises:
        OptionError: it is not.
    """
    try:
        pc.assume_timezone(column_of([0], pa.int64()).cast(pa.timestamp("us")), name)
    except (pa.ArrowInvalid, pa.ArrowKeyError):
        raise OptionError(f"{said} {unknown_zone(name)}") from None


def _kept(text: str) -> KeptFields:
    """``topic, offset AS at`` taken apart.

    Raises:
        OptionError: it is not written like that.
    """
    found = [_KEPT_COLUMN.fullmatch(part) for part in text.split(",")]
    names = [(one[1].strip("`"), (one[2] or one[1]).strip("`")) for one in found if one is not None]
    refuse_if(
        len(names) < len(found),
        f"option keep lists columns of the messages, such as topic,partition,offset,timestamp or offset AS at, not "
        f"{text!r}",
    )
    return tuple(names)


MOST_NUMBER = (1 << 64) - 1


def split(
    module: Any, options: Mapping[str, Any] | None, table: Mapping[str, tuple[str, ...] | None], verb: str
) -> tuple[dict[str, str], dict[str, str]]:
    """Ours, under the names as we write them, and the protocol's, under TiCDC's."""
    refuse_if(not isinstance(options, Mapping | None), f"options are values by their names, not {shown(options)}")
    names = {name.lower(): name for name in table}
    known = codec_names(module)
    own: dict[str, str] = {}
    codec: dict[str, str] = {}
    for given, value in (options or {}).items():
        refuse_if(not isinstance(given, str), f"the name of an option is a text, not {shown(given)}")
        huge = isinstance(value, int) and not -MOST_NUMBER <= value <= MOST_NUMBER
        refuse_if(huge, f"option {shown(given)} is no number of 64 bits")
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
                refuse_if(not match, f"option {name} is one of {', '.join(legal)}, not {shown(text)}")
                text = match[0]
            refuse_if(name in own, f"option {name} is given twice")
            own[name] = text
        elif dashed in known:
            refuse_if(dashed in codec, f"option {dashed} is given twice")
            codec[dashed] = text
        else:
            all_names = [*table, *sorted(known)]
            near = difflib.get_close_matches(given, all_names, n=1)
            hint = f": did you mean {near[0]}?" if near else "."
            raise OptionError(
                f"{given!r} is no option to {verb} {module.NAME} with{hint} There are: {', '.join(all_names)}"
            )
    return own, codec


def codec_names(module: Any) -> set[str]:
    """The names of a protocol's options, as TiCDC writes them."""
    return {one.name.replace("_", "-") for one in dataclasses.fields(module.Options)}


def refuse_if(wrong: bool, sentence: str) -> None:
    """Refuses an option that is wrong.

    Raises:
        OptionError: it is.
    """
    if wrong:
        raise OptionError(sentence)
