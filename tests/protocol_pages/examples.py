"""The example on the page of each protocol: one change, as it was recorded, and what `tidewire dissect` shows of it.

A row with two columns is inserted into a table: the same one on the pages of all protocols of which our own scenarios
are recorded, so that they can be compared.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any, NamedTuple

from commands import tidewire
from recorded import GOLDEN, OWN, Recorded, every_stream, header, messages, option_set, reader_arguments

import tidewire as package

ROOT = Path(__file__).resolve().parents[2]
EXAMPLES = ROOT / "spec" / "examples"
OPTION_SETS = {
    **dict.fromkeys(("avro", "canal-json", "debezium-avro"), ("tidb-extension",)),
    "simple": ("json",),
}
"""The recordings that are shown; of protocols that are not here those with the default options."""
WIDTH = 108
"""Columns of a block that needs no scrolling on GitHub."""
SETTING = ("time-zone", "now_ms")
"""What headers of recordings say of how they were made; the rest are options."""

PROTOCOLS = list(package.protocols())


class Change(NamedTuple):
    """A row that is inserted."""

    scenario: str
    event: int
    """Its number in the truth of the scenario."""
    archive: Path
    """The folder with the archives of such recordings."""
    table: str
    row: dict[str, Any]
    told: str
    """It, in sentences."""


OF_MOST = Change(
    "rename-columns",
    25,
    OWN,
    "other.s1",
    {"id": 1, "two": "two"},
    "A row was inserted into the table `s1` of the database `other`: its `id` is 1, and its column `two`, a VARCHAR, "
    'is "two". The pages of most protocols show this change.',
)
CHANGES = {
    "debezium-avro": Change(
        "partitions",
        1,
        GOLDEN,
        "test.p",
        {"id": 1, "v": "a"},
        "A row was inserted into the table `p` of the database `test`: its `id` is 1, and its column `v`, a VARCHAR, "
        'is "a".',
    )
}
"""The changes that are shown of protocols of which no scenarios of our own are recorded."""


def change_of(protocol: str) -> Change:
    """The change that the page of a protocol shows."""
    return CHANGES.get(protocol, OF_MOST)


def producer_of(protocol: str) -> str:
    """Whose message is shown: that of the first one that writes the protocol."""
    return package.protocols()[protocol].producers[0]


class Shown(NamedTuple):
    """A recorded message that a page shows."""

    stream: Path
    message: Recorded
    parts: dict[str, bytes]
    """What there is of key and value."""


def shown(protocol: str) -> list[Shown]:
    """The messages that the page of a protocol shows.

    Raises:
        LookupError: nothing is recorded.
    """
    found = []
    producer, change = producer_of(protocol), change_of(protocol)
    for name in OPTION_SETS.get(protocol, ("default",)):
        streams = [
            stream
            for stream in every_stream(protocol)
            if stream.parts[-3:-1] == (producer, change.scenario) and option_set(stream) == name
        ]
        for stream in streams:
            for message in messages(stream):
                if change.event in message.events:
                    parts = {"key": message.key, "value": message.value}
                    found.append(Shown(stream, message, {what: data for what, data in parts.items() if data}))
    if not found:
        wanted = f"{producer}/{change.scenario}/{protocol}.*.jsonl"
        raise LookupError(f"no stream {wanted} in {change.archive.name}/{protocol}.tar.xz has it")
    return found


def example(protocol: str) -> str:
    """The example of a protocol, as Markdown, with its picture."""
    title = package.protocols()[protocol].title
    picture = f"![A message of {title}, its bytes coloured by field](../pictures/messages/{protocol}.png)"
    told = "As a picture, each field of the message in a colour of its own, and below it what it says:"
    return "\n".join([*(_one(protocol, one) for one in shown(protocol)), told, "", picture, ""])


def _one(protocol: str, one: Shown) -> str:
    change = change_of(protocol)
    said = {name: value for name, value in header(one.stream)["options"].items() if name not in SETTING}
    options = f" with {', '.join(f'`{name}={_text(value)}`' for name, value in said.items())}" if said else ""
    lines = [
        f"{change.told} This is what `{producer_of(protocol)}` wrote{options}; it is one of the messages in "
        f"`tests/{change.archive.name}/{protocol}.tar.xz`.",
    ]
    for what, data in one.parts.items():
        how, folded = spelled(data)
        lines += ["", f"The {what} has {len(data):,} bytes{how}:", "", "```", *folded, "```"]
    schemas = " -o schema-registry=FILE" if reader_arguments(one.stream) else ""
    lines += ["", f"`tidewire dissect -p {protocol}{schemas}` shows it field by field:", ""]
    return "\n".join([*lines, "```", *dissected(protocol, one), "```", ""])


def _text(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def spelled(data: bytes) -> tuple[str, list[str]]:
    """How bytes are shown, and their lines: as text with escapes for other bytes, or as hexadecimal digits."""
    pieces = [chr(byte) if _seen(byte) else f"\\x{byte:02x}" for byte in data]
    escapes = [piece for piece in pieces if len(piece) > 1]
    if len(escapes) > len(data) / 4:
        return ", here in hexadecimal digits", _folded([f"{byte:02x} " for byte in data])
    lines = _folded(pieces)
    folded = ", one line of text that is folded here" if len(lines) > 1 else ""
    escaped = f"; an escape such as `{escapes[0]}` is one byte" if escapes else ""
    return f"{folded}{escaped}", lines


def _seen(byte: int) -> bool:
    return 0x20 <= byte < 0x7F and byte != ord("\\")


def _folded(pieces: list[str]) -> list[str]:
    lines = [""]
    for piece in pieces:
        if len(lines[-1]) + len(piece.rstrip()) > WIDTH:
            lines.append("")
        lines[-1] += piece
    return [line.removesuffix(" ") if pieces[0].endswith(" ") else line for line in lines]


def dissected(protocol: str, one: Shown) -> list[str]:
    """What the dissector shows of the message, behind those before it, which may describe its table."""
    place = [other.number for other in messages(one.stream)].index(one.message.number)
    given = ("-", "-m", place, *reader_arguments(one.stream))
    result = tidewire("dissect", "-p", protocol, *given, stdin=one.stream.read_bytes(), width=WIDTH)
    assert result.exit_code == 0, result.output
    _, *lines = result.stdout.rstrip().split("\n")  # the first one says which file it was
    return [line.rstrip() for line in lines]


def read_back(lines: list[str]) -> bytes:
    """The bytes that the lines of a block say."""
    if all(re.fullmatch(r"[0-9a-f]{2}( [0-9a-f]{2})*", line) for line in lines):
        return bytes.fromhex(" ".join(lines))
    return re.sub(rb"\\x([0-9a-f]{2})", lambda found: bytes.fromhex(found[1].decode()), "".join(lines).encode())
