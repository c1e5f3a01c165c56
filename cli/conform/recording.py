"""Recorded streams: `<producer>/<scenario>/<protocol>.<option set>.jsonl`, a header line and one line per message."""

from __future__ import annotations

import base64
import binascii
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

import tidewire
from tidewire.cli.shell import CommandError
from tidewire.runtime.shortened import public

TRUTH = "events.jsonl"
CLOCK = "now_ms"
SAID = ("ts", "schema", "table", "rows")
TIME_ZONE = "time-zone"
INTEGRITY, CHECKSUMS = "integrity-check-level", "enable-row-checksum"
"""The changefeed's option with which classic TiCDC has its encoders write checksums, and that of the encoders."""
PRODUCER_ONLY = frozenset({TIME_ZONE, "patched", "encoder", CLOCK})
"""Header options that are not the codec's: the time zone (it shows in values only), whether the producer was patched,
which of its encoders ran, and its fixed clock.
"""


@dataclass(frozen=True, slots=True)
class RecordedStream:
    """One recorded stream, as its header and its name describe it."""

    path: Path
    producer: str
    scenario: str
    protocol: str
    option_set: str
    """What stands between the protocol and `.jsonl` in the name, such as `batch4`."""
    options: Mapping[str, str]
    """The codec's options that are not the default, under the producer's names."""
    mended: bool
    """Whether the producer ran without its known defects."""
    sent_ms: int | None = None
    """The producer's fixed clock, in milliseconds since 1970; None when the header does not say."""
    time_zone: str | None = None
    """The producer's time zone, likewise."""

    @property
    def truth(self) -> Path:
        """The events that the stream carries."""
        return self.path.with_name(TRUTH)

    @property
    def claims(self) -> Path:
        """The folder with the files that messages point to; it is there where some do."""
        return self.path.with_suffix(".claims")


@dataclass(frozen=True, slots=True)
class RecordedLine:
    """One line of a stream: a message, or an event that the producer refused."""

    number: int
    """`m`, the number of the message in its stream."""
    kind: str
    key: bytes | None
    value: bytes | None
    events: tuple[int, ...]
    """`n` of the events that it carries, in order."""
    error: str | None = None
    """What the producer said when it refused; None for a message."""
    line_number: int = 0
    """Its line in the file, from 1."""
    said: Mapping[str, Any] = field(default_factory=dict)
    """What else the line says about the events: any of `ts`, `schema`, `table` and `rows`."""


def find(root: Path) -> list[RecordedStream]:
    """All streams below a folder, ordered by producer, protocol, option set and scenario.

    Raises:
        CommandError: there is no stream, or a file that should be one cannot be read.
    """
    if not root.is_dir():
        found = public(str(root))
        raise CommandError(
            f"{found} is no folder; recordings lie in <producer>/<scenario>/ with an {TRUTH} beside them"
        )
    streams = [
        _header(path) for path in root.rglob("*.jsonl") if path.name != TRUTH and path.with_name(TRUTH).is_file()
    ]
    if not streams:
        packed = sorted(path for path in root.rglob("*.tar*") if path.is_file())
        if packed:
            raise CommandError(
                f"{root} has archives, which are unpacked first: mkdir -p out/golden; tar -xf {packed[0]} -C out/golden"
                "; tidewire conform out/golden"
            )
        raise CommandError(
            f"no recorded messages below {root}: expected files <protocol>.<option set>.jsonl beside an {TRUTH}"
        )
    return sorted(streams, key=lambda s: (s.producer, s.protocol, s.option_set, s.scenario, s.path))


def _header(path: Path) -> RecordedStream:
    with path.open(encoding="utf-8") as file:
        text = file.readline()
    try:
        header = json.loads(text)
        protocol, options = header["protocol"], header.get("options") or {}
        name = path.name.removesuffix(".jsonl")
        if not name.startswith(f"{protocol}."):
            raise CommandError(
                f"{path}:1: the header says protocol {protocol}; the file of such a stream is called "
                f"{protocol}.<option set>.jsonl"
            )
        return RecordedStream(
            path=path,
            producer=header["producer"],
            scenario=header["scenario"],
            protocol=protocol,
            option_set=name.removeprefix(f"{protocol}."),
            options=dict(_option(k, v, _known(protocol)) for k, v in options.items() if k not in PRODUCER_ONLY),
            mended="patched" in options,
            sent_ms=None if options.get(CLOCK) is None else int(options[CLOCK]),
            time_zone=options.get(TIME_ZONE),
        )
    except (ValueError, KeyError, TypeError, AttributeError):
        raise CommandError(
            f"{path}:1: a stream starts with a header: an object with protocol, producer, scenario, options"
        ) from None


def _option(name: str, value: Any, known: frozenset[str]) -> tuple[str, str]:
    """An option of the codec, of one of a header; that of a changefeed which makes the codec's follow from it."""
    if name == INTEGRITY:
        return CHECKSUMS, json.dumps(value == "correctness")
    return _own_name(name, known), _option_text(value)


def _own_name(option: str, known: frozenset[str]) -> str:
    """The codec's name of an option that may be in a section of the producer's configuration: the codec's has the
    section's name before it, or does without. Any other stays as it is, and is an error for who reads the stream.
    """
    tried = (option, option.replace(".", "-"), option.rpartition(".")[2], option.partition("-")[2])
    return next((one for one in tried if one in known), option)


@cache
def _known(protocol: str) -> frozenset[str]:
    """The names of a protocol's options; none of one that is not there."""
    info = tidewire.protocols().get(protocol)
    return frozenset() if info is None else frozenset(one.name for one in info.load().OPTIONS)


def _option_text(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value)


def count(stream: RecordedStream) -> int:
    """How many messages a stream has, without reading them."""
    with stream.path.open("rb") as file:
        return sum(1 for line in file if line.strip()) - 1


def read(stream: RecordedStream) -> list[RecordedLine]:
    """The lines of a stream.

    Raises:
        CommandError: a line is not in the format.
    """
    lines = []
    with stream.path.open(encoding="utf-8") as file:
        for number, text in enumerate(file, 1):
            if number > 1 and text.strip():
                try:
                    lines.append(_line(json.loads(text), number))
                except (ValueError, KeyError, TypeError) as error:
                    raise CommandError(f"{stream.path}:{number}: not a recorded message: {error!r}") from None
    return lines


def _line(found: dict[str, Any], line_number: int) -> RecordedLine:
    error = found.get("error")
    if error is not None and not (isinstance(error, str) and error):
        raise ValueError("error is the text with which the producer refused")
    return RecordedLine(
        number=int(found["m"]),
        kind=found["kind"],
        key=_bytes(found.get("key")),
        value=_bytes(found["value"] if error is None else None),
        events=tuple(int(n) for n in found["events"]),
        error=error,
        line_number=line_number,
        said={name: found[name] for name in SAID if found.get(name) is not None},
    )


def _bytes(text: str | None) -> bytes | None:
    try:
        return None if text is None else base64.b64decode(text, validate=True)
    except binascii.Error as error:
        raise ValueError(f"not base64: {error}") from None
