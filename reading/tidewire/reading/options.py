"""Options for reading typed rows, given as strings like Spark's: names ignore case, unknown names are errors."""

from __future__ import annotations

import dataclasses
import difflib
import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Literal, get_args

import pyarrow as pa
import pyarrow.compute as pc

from tidewire.messages.options import TIME_ZONE
from tidewire.reading.table_names import quoted
from tidewire.runtime.arrow.literals import column_of
from tidewire.runtime.errors import OptionError
from tidewire.runtime.shortened import shown
from tidewire.runtime.time_zones import unknown_zone

Mode = Literal["PERMISSIVE", "DROPMALFORMED", "FAILFAST"]
ZeroDate = Literal["null", "error", "string"]
Time = Literal["string", "interval"]
InvalidText = Literal["error", "replace", "bytes"]
Enum = Literal["number", "label"]
Json = Literal["string", "variant"]
KeptFields = tuple[tuple[str, str], ...]
"""Message columns that rows keep: name, and its name in the rows."""


@dataclass(frozen=True)
class ReadOptions:
    """How messages are decoded and values are converted.

    Attributes:
        mode: handling of messages that cannot be decoded and values that do not fit their column. PERMISSIVE: a row
            with the bytes and the reason in the corrupt-record column. DROPMALFORMED: no row. FAILFAST: the query
            fails.
        corrupt_column: name of the corrupt-record column, which exists in mode PERMISSIVE only.
        misfit_column: name of a separate column with the reason why a value does not fit its column or a row is
            incomplete; the corrupt-record column is then used for undecodable messages only. None: the corrupt-record
            column is used for both. Exists in mode PERMISSIVE only.
        timezone: time zone of TIMESTAMP values, which is that of the changefeed: an IANA name or ``+08:00``. An
            ambiguous or skipped local time is read with the earlier offset, the one before the change.
        zoned: whether the user set `timezone`.
        zero_date: handling of dates that do not exist (``0000-00-00``, ``2020-02-00``). null: NULL; error: as `mode`
            says; string: derived schemas have STRING columns for dates and times.
        time: type of TIME columns in a derived schema: STRING or INTERVAL DAY TO SECOND.
        enum: value of ENUM and SET in STRING columns, and their type in a derived schema: the label, the labels
            separated by commas, or the number.
        json: type of JSON columns in a derived schema: STRING or VARIANT.
        keep: message columns that rows keep after the table's columns.
        rescued_column: name of a column for values that the schema lacks or cannot hold; None: no such column.
        schema_location: directory, or URL of fsspec, for table descriptions; None: they are not stored.
        codec: options of the protocol under TiCDC's names; hidden in the repr, since they may contain a password.
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
"""The options of all readers with their valid values; None: any text."""
_INVALID_TEXT = "invalid-text"
_TIMEZONE = "timezone"
_KEPT_COLUMN = re.compile(r"\s*(`[^`]+`|[^`\s]+)(?:\s+as\s+(`[^`]+`|[^`\s]+))?\s*", re.IGNORECASE)


def read_options(
    module: Any,
    options: Mapping[str, Any] | None,
    timezone: str,
    names: Mapping[str, tuple[str, ...] | None] = READ,
) -> tuple[ReadOptions, dict[str, str]]:
    """The options of a reader, and those among them that the user set, under their canonical names.

    Args:
        options: options set by the user.
        timezone: default time zone.
        names: options of the reader: `READ`, and its own, which it parses itself.

    Raises:
        OptionError: an option is unknown or invalid.
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
    """Options for the rows of a table: rows whose messages name no table are assigned to it, unless options name
    another.
    """
    unnamed = module.FACTS.unnamed
    if unnamed is None:
        return options
    codec = dict(options.codec)
    codec.setdefault(unnamed, ".".join(map(quoted, table)))
    return replace(options, codec=tuple(sorted(codec.items())))


def _tell_zone(module: Any, own: dict[str, str], codec: dict[str, str]) -> None:
    """Makes `timezone` and the protocol's own time zone option agree, if it has one.

    Raises:
        OptionError: both are set and differ.
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
    """Refuses an unknown time zone.

    Args:
        name: of the time zone.
        said: name of the option, for the error.

    Raises:
        OptionError: the time zone is unknown.
    """
    try:
        pc.assume_timezone(column_of([0], pa.int64()).cast(pa.timestamp("us")), name)
    except (pa.ArrowInvalid, pa.ArrowKeyError):
        raise OptionError(f"{said} {unknown_zone(name)}") from None


def _kept(text: str) -> KeptFields:
    """Parses ``topic, offset AS at``.

    Raises:
        OptionError: the text has another form.
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
    """Splits options into those of the reader, under their canonical names, and those of the protocol, under TiCDC's.
    """
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
    """Refuses an invalid option.

    Raises:
        OptionError: `wrong` is true.
    """
    if wrong:
        raise OptionError(sentence)
