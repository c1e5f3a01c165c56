"""A sample of messages, and how a protocol reads it: with which compression and row terminator."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from types import MappingProxyType
from typing import Any, NamedTuple

import pyarrow as pa

from tidewire.messages.delivery.compression import NAMES, NONE, CompressionError
from tidewire.messages.delivery.items import Packing
from tidewire.messages.detecting.modes import advised
from tidewire.runtime.batch import EventColumns
from tidewire.runtime.errors import ArgumentError, MissingTableError, OptionError
from tidewire.runtime.registered.errors import MissingSchemaError
from tidewire.runtime.shortened import shown
from tidewire.runtime.wire.messages import image_of

MOST_MESSAGES = 256
"""The most messages that are examined; of more, this many are taken evenly."""
MOST_BYTES = 4 << 20
"""The most bytes that are examined, unless the first message is longer."""
MOST_UNPACKED = 32 << 20
"""The most bytes of all examined messages together when they are unpacked."""
MOST_TERMINATOR = 64
"""The most characters of a terminator."""
_SPACE = " \t\r\n"


class Sample(NamedTuple):
    """The examined messages."""

    values: list[bytes]
    keys: list[bytes | None] | None
    messages: int
    """Number of all messages."""
    empty: int
    """Number of messages without a value, or with an empty one."""


def sample(
    values: Any, keys: Any, most: int = MOST_MESSAGES, longest: int | None = None, refuses_text: bool = True
) -> Sample:
    """Some of the messages, evenly spread.

    Args:
        values: a binary array, a sequence of bytes and None, or a single message.
        keys: likewise the keys; None: there are none.
        most: size of the sample.
        longest: maximum length of a message in bytes; None: no limit.
        refuses_text: whether to refuse lists of texts, which decoders would encode as UTF-8.

    Raises:
        ArgumentError: the arguments are not messages, or a value is of another type.
    """
    if isinstance(values, bytes | bytearray | memoryview):
        values, keys = [bytes(values)], None if keys is None else [keys]
    for given in (values, keys):
        if given is not None and not isinstance(given, Sequence | pa.Array | pa.ChunkedArray):
            raise ArgumentError(f"messages are a binary array or a sequence of bytes, not {shown(given)}")
    if values is None:
        raise ArgumentError("messages are a binary array or a sequence of bytes, not None")
    if isinstance(values, Sequence) and isinstance(next(iter(values), None), str) and refuses_text:
        raise ArgumentError("a message is bytes or None, not str; text has to be encoded first")
    count = len(values)
    if keys is not None and len(keys) != count:
        raise ArgumentError(f"every value has a key, which may be None: there are {len(keys)} keys for {count} values")
    positions = range(count) if count <= most else sorted({k * count // most for k in range(most)})
    found: list[bytes] = []
    own_keys: list[bytes | None] = []
    empty = size = 0
    for position in positions:
        value = image_of(values[position])
        if not value:
            empty += 1
            continue
        if longest is not None and len(value) > longest:
            continue
        size += len(value)
        if found and size > MOST_BYTES:
            break
        found.append(value)
        own_keys.append(None if keys is None else image_of(keys[position]))
    return Sample(found, None if keys is None else own_keys, count, empty)


@dataclass(slots=True)
class Reading:
    """The result of decoding a sample by one protocol.

    Attributes:
        module: module of the protocol.
        compression: the compression with which most messages can be decoded.
        terminator: the text after every row.
        encoded: the encoding; empty: the protocol's default.
        values: the decompressed messages; None for those that cannot be decompressed.
        keys: the keys of the messages; None: they have none.
        events: number of events of each decodable message, by index in the sample.
        columns: the events.
        problem: error of the first message that cannot be decoded.
        short: the same error without protocol and position.
    """

    module: Any
    compression: str = NONE
    terminator: str = ""
    encoded: str = ""
    values: Sequence[bytes | None] = ()
    keys: Sequence[bytes | None] | None = None
    events: dict[int, int] = field(default_factory=dict)
    columns: EventColumns | None = None
    problem: str | None = None
    undescribed: frozenset[int] = frozenset()
    """The indexes of messages that are rows of tables which none of the messages describes."""
    unregistered: frozenset[int] = frozenset()
    """The indexes of messages that, by their first bytes, are records whose schemas are unavailable."""
    registry: str = ""
    """The given location of schemas; empty if there is none."""
    short: str = ""
    known: Mapping[str, str] = field(default_factory=dict)
    """Options that the caller knows."""
    tables: Sequence[Any] = ()
    """Table descriptions that the caller knows."""
    decoder: Any = None
    """The decoder that read the messages."""

    def take_problem(self) -> None:
        """Takes `problem` and `short` from the first error, if there is one."""
        if self.columns is not None and self.columns.errors:
            first = self.columns.errors[0]
            self.problem = str(first)
            self.short = f"{f'{first.part} {first.field}'.strip()}: {first.detail}"

    def advise(self) -> Reading:
        """The result, with the mode (an option) in `problem` that could decode the value, if there is one. It creates
        decoders for all other modes, so it is called only if the problem is shown.
        """
        if self.columns is not None and self.columns.errors and self.module.FACTS.modes:
            self.columns = advised(self.columns, self.values, self.keys, self.decoder)
            self.take_problem()
        return self

    @property
    def eventful(self) -> int:
        """Number of messages with events, including rows of tables without a description."""
        return sum(1 for count in self.events.values() if count) + len(self.undescribed)

    @property
    def unavailable(self) -> str:
        """Why the first of the missing schemas is unavailable."""
        errors = [] if self.columns is None else self.columns.errors
        return next((one.detail for one in errors if isinstance(one, MissingSchemaError)), "")

    @property
    def understood(self) -> int:
        """Number of messages that can be decoded, or could be if their tables were described."""
        return len(self.events) + len(self.undescribed)

    @property
    def options(self) -> dict[str, str]:
        """The options that reading needs, by their names in the configuration."""
        found = {}
        if self.compression != NONE:
            found[self.module.FACTS.compression] = self.compression
        if self.terminator:
            found[self.module.FACTS.terminator] = self.terminator
        if self.encoded:
            found[self.module.FACTS.records.option] = self.encoded
        if self.registry:
            found[self.module.FACTS.registry] = self.registry
        return found


def read(
    module: Any, given: Sample, known: Mapping[str, str] = MappingProxyType({}), tables: Sequence[Any] = ()
) -> Reading:
    """The way in which a protocol decodes most of the messages.

    Args:
        given: the messages.
        known: options that cannot be detected from bytes: location of schemas, formats of values.
        tables: descriptions of tables that the messages themselves do not describe.
    """
    if module.FACTS.registry is not None:
        registry = known.get(module.FACTS.registry, "")
        return _own(_registered(module, given, registry, _usable(module, known), tables))
    attempt = partial(_attempt, module, known=_usable(module, known), tables=tables)
    best = attempt(NONE, "", given.values, given.keys)
    if module.FACTS.compression is not None and best.understood < len(given.values):
        for name in NAMES:
            values = None if name == NONE else unpacked(Packing(name, module.FACTS.item_prefix), given.values)
            keys = given.keys
            if name != NONE and keys is not None and module.FACTS.packed_keys:
                keys = unpacked(Packing(name), keys)
            if values is not None and values != given.values:
                best = max(best, attempt(name, "", values, keys), key=_reads)
    if module.FACTS.terminator is not None:
        ends = Counter(terminator(value) for value in best.values if value is not None)
        del ends[""]
        if ends:
            ((end, _),) = ends.most_common(1)
            found = attempt(best.compression, end, best.values, best.keys)
            best = found if _reads(found) >= _reads(best) else best
    return _own(best)


def own_options(module: Any, known: Mapping[str, str]) -> dict[str, str]:
    """The known options that a protocol has and that are not detected.

    Raises:
        OptionError: one has a value that the protocol does not accept.
    """
    facts = module.FACTS
    encoding = None if facts.records is None else facts.records.option
    found_out = (facts.compression, facts.terminator, facts.registry, encoding)
    own = {one.name for one in module.OPTIONS}
    given = {name: value for name, value in known.items() if name in own and name not in found_out}
    module.Options.from_strings(given)
    return given


def _usable(module: Any, known: Mapping[str, str]) -> dict[str, str]:
    """`own_options`; empty instead of an error, since it is not known yet whether the messages are of this protocol."""
    try:
        return own_options(module, known)
    except OptionError:
        return {}


def _registered(module: Any, given: Sample, registry: str, known: Mapping[str, str], tables: Sequence[Any]) -> Reading:
    """Decodes messages whose schemas are in a registry."""
    options = {**known, **({module.FACTS.registry: registry} if registry else {})}
    found = _attempt(module, NONE, "", given.values, given.keys, options, tables)
    found.registry = registry
    signs = module.FACTS.signs
    keys: Sequence[bytes | None] = given.keys or [None] * len(given.values)
    found.unregistered = frozenset(
        at
        for at in found.unregistered
        if signs.seen(given.values[at]) and ((key := keys[at]) is None or signs.seen(key))
    )
    return found


def _own(found: Reading) -> Reading:
    """The reading without messages that can be read but contain another protocol's members."""
    signs = found.module.FACTS.signs
    parts = found.values if signs.part == "value" else found.keys or [None] * len(found.values)
    for at in list(found.events):
        strange = signs.strange(parts[at] or b"")
        if strange is not None:
            del found.events[at]
            found.problem = found.problem or f"{found.module.NAME} message: {strange}"
            found.short = found.short or strange
    return found


def _reads(one: Reading) -> tuple[int, int]:
    return one.eventful, one.understood


def _attempt(
    module: Any,
    compression: str,
    end: str,
    values: Sequence[bytes | None],
    keys: Sequence[bytes | None] | None,
    known: Mapping[str, str] = MappingProxyType({}),
    tables: Sequence[Any] = (),
) -> Reading:
    options = {"invalid-text": "bytes", **known}
    if end:
        options[module.FACTS.terminator] = end
    encoded = _encoded(module, values)
    if encoded:
        options[module.FACTS.records.option] = encoded
    decoder = decoder_of(module, options, tables)
    columns = decoder.attempt(list(values), keys)
    bad = {error.message for error in columns.errors}
    # Arrow columns without events cost more than the reading that found none
    counts = Counter(columns.events.column("message").to_pylist() if columns.num_events else ())
    events = {at: counts[at] for at, value in enumerate(values) if value is not None and at not in bad}
    undescribed, unregistered = (
        frozenset(one.message for one in columns.errors if isinstance(one, kind) and one.message is not None)
        for kind in (MissingTableError, MissingSchemaError)
    )
    found = Reading(
        module,
        compression,
        end,
        encoded,
        values,
        keys,
        events,
        columns,
        undescribed=undescribed,
        unregistered=unregistered,
        known=known,
        tables=tables,
        decoder=decoder,
    )
    found.take_problem()
    return found


def decoder_of(module: Any, options: Mapping[str, str], tables: Iterable[Any]) -> Any:
    """A protocol's decoder with these table descriptions."""
    decoder = module.Decoder(module.Options.from_strings(options))
    for one in tables if module.FACTS.described else ():
        decoder.tables.add(one)
    return decoder


def _encoded(module: Any, values: Sequence[bytes | None]) -> str:
    """The choice of encoding with which most messages can be decoded; empty for the default."""
    records = sum(1 for value in values if value is not None and module.FACTS.are_records(value))
    return module.FACTS.records.choice if 2 * records > len(values) else ""


def unpacked(packing: Packing, values: Sequence[bytes | None]) -> list[bytes | None] | None:
    """The messages, or their keys, decompressed, with None for each that is missing or cannot be decompressed. Returns
    None if that is all of them.
    """
    left = MOST_UNPACKED
    found: list[bytes | None] = []
    for value in values:
        if value is None:
            found.append(None)
            continue
        try:
            plain = packing.unpack(value, left)
        except CompressionError:
            found.append(None)
            continue
        left -= len(plain)
        found.append(plain or None)
    return found if any(found) else None


def objects(text: str, end: str = "") -> list[Any]:
    """The JSON objects of a value, which white space and terminators may separate.

    Raises:
        ValueError: it contains something else.
        RecursionError: they are nested too deeply.
    """
    found = []
    at = _passed(text, 0, end)
    while at < len(text):
        one, at = json.JSONDecoder().raw_decode(text, at)
        found.append(one)
        at = _passed(text, at, end)
    return found


def _passed(text: str, at: int, end: str) -> int:
    while at < len(text) and (text[at] in _SPACE or (end and text.startswith(end, at))):
        at += len(end) if end and text.startswith(end, at) else 1
    return at


def terminator(value: bytes) -> str:
    """The text after the first JSON object of a value, up to the next object or the end; empty if there is none."""
    if not value.startswith(b"{"):
        return ""
    try:
        text = value.decode()
        _, at = json.JSONDecoder().raw_decode(text)
    except (ValueError, RecursionError):
        return ""
    rest = text[at : at + MOST_TERMINATOR + 1].partition("{")[0]
    return rest if len(rest) <= MOST_TERMINATOR else ""


def without(value: Any, paths: Sequence[Sequence[str]]) -> Any:
    """An object without the members at these paths."""
    for path in paths:
        inside = value
        for name in path[:-1]:
            inside = inside.get(name) if isinstance(inside, Mapping) else None
        if isinstance(inside, dict):
            inside.pop(path[-1], None)
    return value
