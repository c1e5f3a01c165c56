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
"""The changefeed's option that enables checksums in classic TiCDC's encoders, and the encoder option that follows from
it.
"""
PRODUCER_ONLY = frozenset({TIME_ZONE, "patched", "encoder", CLOCK})
"""Header options that are not options of the codec: time zone (visible in values only), whether the producer was
patched, the encoder that ran, and its fixed clock.
"""


@dataclass(frozen=True, slots=True)
class RecordedStream:
    """A recorded stream, from its header and file name."""

    path: Path
    producer: str
    scenario: str
    protocol: str
    option_set: str
    """The part of the file name between protocol and `.jsonl`, such as `batch4`."""
    options: Mapping[str, str]
    """Codec options with non-default values, under the producer's names."""
    mended: bool
    """Whether the producer was patched to have no known defects."""
    sent_ms: int | None = None
    """The producer's fixed clock, in milliseconds since 1970; None if the header does not contain it."""
    time_zone: str | None = None
    """The producer's time zone; None if the header does not contain it."""

    @property
    def truth(self) -> Path:
        """Path of the file with the recorded events."""
        return self.path.with_name(TRUTH)

    @property
    def claims(self) -> Path:
        """The folder with the files that messages point to; it exists only if there are any."""
        return self.path.with_suffix(".claims")


@dataclass(frozen=True, slots=True)
class RecordedLine:
    """One line of a stream: a message, or an event that the producer refused."""

    number: int
    """Number of the message in the stream (member `m`)."""
    kind: str
    key: bytes | None
    value: bytes | None
    events: tuple[int, ...]
    """Numbers of the events in the message (member `n`), in order."""
    error: str | None = None
    """The producer's error if it refused the event; None for a message."""
    line_number: int = 0
    """Line number in the file, from 1."""
    said: Mapping[str, Any] = field(default_factory=dict)
    """Other members of the line about its events: any of `ts`, `schema`, `table` and `rows`."""


def find(root: Path) -> list[RecordedStream]:
    """All streams in a folder, ordered by producer, protocol, option set and scenario.

    Raises:
        CommandError: there is no stream, or a file cannot be read as one.
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
    """The codec option for a header option; a changefeed option is translated to the codec option that follows from it.
    """
    if name == INTEGRITY:
        return CHECKSUMS, json.dumps(value == "correctness")
    return _own_name(name, known), _option_text(value)


def _own_name(option: str, known: frozenset[str]) -> str:
    """The codec's name of an option that a producer's configuration may have in a section: the codec option may include
    the section's name as a prefix or omit it. Unknown names are returned unchanged and cause an error later.
    """
    tried = (option, option.replace(".", "-"), option.rpartition(".")[2], option.partition("-")[2])
    return next((one for one in tried if one in known), option)


@cache
def _known(protocol: str) -> frozenset[str]:
    """The option names of a protocol; empty if it is unknown."""
    info = tidewire.protocols().get(protocol)
    return frozenset() if info is None else frozenset(one.name for one in info.load().OPTIONS)


def _option_text(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value)


def count(stream: RecordedStream) -> int:
    """Number of messages of a stream, without parsing them."""
    with stream.path.open("rb") as file:
        return sum(1 for line in file if line.strip()) - 1


def read(stream: RecordedStream) -> list[RecordedLine]:
    """The lines of a stream.

    Raises:
        CommandError: a line has another format.
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
