"""How much memory and time a message can cost: both grow with its bytes and with nothing that it claims."""

from __future__ import annotations

from collections.abc import Callable
from hashlib import sha256
from importlib import import_module
from typing import Any

import pytest
from canal_json.costly import many_columns
from canal_json.test_reading import insert
from open_protocol.wire import key
from open_protocol.wire import message as frames_of
from timed import fastest, spent

import tidewire.runtime
from tidewire.events import Events, Watermark

pytestmark = pytest.mark.codec

COSTLY = {name: import_module(f"{name}.costly") for name in ("craft", "canal_json", "open_protocol")}
SHAPES = [(name, shape, most) for name, module in COSTLY.items() for shape, most in module.SHAPES]
IDS = [f"{name}-{shape.__name__}" for name, shape, _ in SHAPES]
COUNTS = (2000, 50_000) if tidewire.runtime.compiled else (2000,)
"""Items of a message: interpreted, the larger number takes long and shows nothing that the smaller one does not."""


def reader(name: str) -> Any:
    """A decoder that has seen nothing."""
    return import_module(f"tidewire.{name}.decoder").Decoder()


@pytest.mark.parametrize("count", COUNTS)
@pytest.mark.parametrize(("name", "shape", "most"), SHAPES, ids=IDS)
def test_memory_is_a_multiple_of_the_message(name: str, shape: Callable[[int], Any], most: int, count: int) -> None:
    """Bytes held for each byte of the message, at its worst, above what a decoder takes for itself.

    A layout is an object of some hundred bytes, which a wire says in 10, and a table an entry of a list and of an
    index, which one says in 6.
    """
    module = COSTLY[name]
    little, message = module.sent(module.many_rows, 1), module.sent(shape, count)
    # the first message of a kind pays for what the process makes once; it is another one, so that what is kept of
    # the measured one counts
    for once in (little, module.sent(shape, count // 2)):
        Events(reader(name).decode(*once))
    own, _ = spent(lambda: Events(reader(name).decode(*little)))
    held, _ = spent(lambda: Events(reader(name).decode(*message)))
    factor = 1 if tidewire.runtime.compiled else 4
    assert (held - own) / sum(len(one) for (one,) in message) < factor * most


@pytest.mark.parametrize(("name", "shape", "_most"), SHAPES, ids=IDS)
def test_time_grows_with_the_message(name: str, shape: Callable[[int], Any], _most: int) -> None:
    """Eight times the message: about eight times the time, not 64."""
    size = 1000 if tidewire.runtime.compiled else 200
    small, large = (COSTLY[name].sent(shape, count) for count in (size, 8 * size))

    def spent_on(message: Any) -> float:
        return fastest(lambda: reader(name).decode(*message))

    assert spent_on(large) < 40 * max(spent_on(small), 100e-6)


@pytest.mark.once
@pytest.mark.parametrize("name", COSTLY)
def test_a_decoder_keeps_less_than_it_read(name: str) -> None:
    """What it remembers is bounded in bytes: 200 messages of a megabyte, never with the same names."""
    module, decoder = COSTLY[name], reader(name)

    def work() -> None:
        for k in range(200):
            decoder.decode(*module.sent(lambda k: module.named(sha256(b"%d" % k).hexdigest() * 12_000), k))

    _, kept = spent(work)
    assert kept < 100 << 20


@pytest.mark.once
def test_a_table_that_had_many_columns_costs_its_next_messages_nothing() -> None:
    """Small messages of a table are as fast when one message before them named 50,000 columns."""
    keys = [insert("int", '"1"', pkNames=names) for names in ('["c"]', "null")] * 200

    def spent_after(first: bytes) -> float:
        decoder = reader("canal_json")
        decoder.decode([first])
        assert not decoder.decode(keys).errors
        return fastest(lambda: decoder.decode(keys))

    assert spent_after(many_columns(50_000)) < 4 * spent_after(keys[0])


def with_member(name: str, member: bytes) -> tuple[list[bytes], ...]:
    """A message with one member more, which nobody knows."""
    more = b'{"other":' + member + b","
    if name == "open-protocol":
        made = frames_of((key(), more + b'"u":{"c":{"t":3,"f":0,"v":1}}}'))
        return [made.value], [made.key]
    module = import_module(f"tidewire.{name.replace('-', '_')}")
    extended = {one.python_name: True for one in module.OPTIONS if one.name == "enable-tidb-extension"}
    (sent,) = module.encode([Watermark(1 << 40, sent_ms=1)], module.Options(**extended))
    before, begin, rest = sent.value.partition(b'"payload":{' if name == "debezium" else b"{")
    return ([before + begin[:-1] + more + rest],)


@pytest.mark.parametrize("name", ["canal-json", "debezium", "open-protocol", "simple"])
@pytest.mark.parametrize(("opened", "closed"), [(b"[", b"]"), (b'{"a":', b"}")])
def test_nesting_has_a_limit_and_no_stack(name: str, opened: bytes, closed: bytes) -> None:
    """Arrays and objects in one another, in members that nobody knows."""
    decoder = reader(name.replace("-", "_"))
    for depth, whole in ((512, True), (513, True), (100_000, False), (100_000, True)):
        message = with_member(name, opened * depth + b"1" + closed * (depth if whole else 0))
        columns = decoder.decode(*message)
        assert [error.code for error in columns.errors] == ([] if depth == 512 else ["depth"])
        assert columns.num_events == (depth == 512)
