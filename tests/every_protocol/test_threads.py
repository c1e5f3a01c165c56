"""Decoders, encoders and transcoders in the hands of several threads, or of a call that leads to another one.

What a call gives is right, or it is refused with a sentence; a call that was cut off costs the next one nothing.
"""

from __future__ import annotations

import ctypes
import gc
import itertools
import pickle
import random
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import pyarrow as pa
import pytest
from described import schemas_of

import tidewire
from tidewire.events import Events, RowChange
from tidewire.messages.in_use import InUseError
from tidewire.mysql import ColumnFlag, ColumnType
from tidewire.runtime.batch import Column
from tidewire.tables import TableStore

pytestmark = pytest.mark.codec

TS = 470607536966860800
MODULES = {name: one.load() for name, one in tidewire.protocols().items() if name != "simple"}
every_protocol = pytest.mark.parametrize("name", MODULES)
Run = Callable[[], object]


@pytest.fixture(autouse=True)
def _threads_take_turns_often() -> Iterator[None]:
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(before)


def rows(table: str, seed: int, count: int = 12) -> list[RowChange]:
    """Rows of a table with some columns, which differ from table to table."""
    chance = random.Random(seed)
    columns = [Column("id", ColumnType.BIGINT, int(ColumnFlag.HANDLE_KEY | ColumnFlag.PRIMARY_KEY))]
    columns += [Column(f"c{k}", ColumnType.VARCHAR, int(ColumnFlag.NULLABLE)) for k in range(1 + seed % 5)]
    return [
        RowChange(
            "insert",
            TS + at,
            "s",
            table,
            {
                one.name: at if one.name == "id" else chance.choice([None, "x" * chance.randrange(40)])
                for one in columns
            },
            columns=columns,
            sent_ms=1,
        )
        for at in range(count)
    ]


def tape(module: Any, seed: int) -> tuple[list[bytes], list[bytes]]:
    """Messages, values and keys, of rows of several tables."""
    events = [one for k in range(4) for one in rows(f"t{seed}_{k}", seed + k)]
    messages = module.encode(events, **schemas_of(module))
    return [one.value for one in messages], [one.key for one in messages]


def same(found: Any, wanted: Any) -> bool:
    """Whether these are the same events."""
    return list(Events(found)) == list(Events(wanted)) and not found.errors


def at_once(runs: Sequence[Run]) -> list[BaseException]:
    """Runs each in a thread of its own, all at the same time, and gives what they raised."""
    raised: list[BaseException] = []
    start = threading.Barrier(len(runs))

    def run(one: Run) -> None:
        start.wait()
        try:
            one()
        except BaseException as error:
            raised.append(error)

    threads = [threading.Thread(target=run, args=(one,)) for one in runs]
    for one in threads:
        one.start()
    for one in threads:
        one.join()
    return raised


@every_protocol
def test_a_decoder_in_two_threads_is_right_or_refuses(name: str) -> None:
    module = MODULES[name]
    decoder = module.Decoder(**schemas_of(module))
    tapes = [tape(module, seed) for seed in (1, 2)]
    wanted = [module.Decoder(**schemas_of(module)).decode(*one) for one in tapes]
    wrong: list[object] = []
    refused = itertools.count()

    def use(at: int) -> None:
        for _ in range(150):
            try:
                found = decoder.decode(*tapes[at])
            except InUseError:
                next(refused)
            else:
                if not same(found, wanted[at]):
                    wrong.append(found)

    assert at_once([lambda: use(0), lambda: use(1)]) == []
    assert wrong == []
    assert same(decoder.decode(*tapes[0]), wanted[0])


@every_protocol
def test_an_encoder_in_two_threads_is_right_or_refuses(name: str) -> None:
    module = MODULES[name]
    encoder = module.Encoder(**schemas_of(module))
    batches = [Events.of([one for k in range(3) for one in rows(f"t{k}", seed + k)]).columns for seed in (3, 4)]
    wanted = [module.Encoder(**schemas_of(module)).encode(one) for one in batches]
    wrong: list[object] = []

    def use(at: int) -> None:
        for turn in range(150):
            try:
                found: Any = encoder.encode(batches[at]) if turn % 2 else encoder.messages(batches[at])
            except InUseError:
                continue
            values = [one[1] for one in found] if isinstance(found, list) else found.column("value").to_pylist()
            if values != wanted[at].column("value").to_pylist():
                wrong.append(values)

    assert at_once([lambda: use(0), lambda: use(1)]) == []
    assert wrong == []


class Leading(Sequence[bytes]):
    """Messages that lead to a call when they are asked for."""

    def __init__(self, messages: list[bytes], call: Run) -> None:
        self.messages = messages
        self.call = call

    def __len__(self) -> int:
        return len(self.messages)

    def __getitem__(self, at: Any) -> Any:
        self.call()
        return self.messages[at]


@every_protocol
def test_a_call_within_a_call_is_refused_and_the_next_one_is_not(name: str) -> None:
    module = MODULES[name]
    decoder = module.Decoder(**schemas_of(module))
    values, keys = tape(module, 5)
    wanted = module.Decoder(**schemas_of(module)).decode(values, keys)
    with pytest.raises(InUseError, match="this decoder is in use by another call"):
        decoder.decode(Leading(values, lambda: decoder.decode(values, keys)), keys)
    assert same(decoder.decode(values, keys), wanted)
    with pytest.raises(InUseError):
        list(decoder.parts(Leading(values, lambda: decoder.attempt(values, keys)), keys))
    assert same(decoder.decode(values, keys), wanted)
    # functions have decoders of their own, and parts leave the decoder free between them
    assert same(
        decoder.decode(Leading(values, lambda: module.decode_batch(values, keys, **schemas_of(module))), keys), wanted
    )
    for _ in decoder.parts(values, keys):
        assert same(decoder.decode(values, keys), wanted)


def test_a_transcoder_within_itself() -> None:
    values, _ = tape(MODULES["craft"], 6)
    transcoder = tidewire.transcoder("craft", "open-protocol")
    with pytest.raises(InUseError, match="this transcoder is in use"):
        transcoder.transcode(Leading(values, lambda: transcoder.transcode(values)))
    batch, report = transcoder.transcode(values)
    assert batch.num_rows
    assert report.errors == []


def test_the_error_is_pickled() -> None:
    error = InUseError("decoder")
    again = pickle.loads(pickle.dumps(error))
    assert str(again) == str(error)
    assert again.what == "decoder"


@pytest.mark.once
def test_eight_threads_call_the_functions_of_all_protocols() -> None:
    wrong: list[object] = []
    batches: dict[tuple[str, int], Any] = {}
    for name, module in MODULES.items():
        for seed in range(4):
            values, keys = tape(module, seed)
            wanted = list(module.decode_batch(values, keys, **schemas_of(module)))
            spans = module.dissect(values[0], keys[0], **schemas_of(module))
            batches[name, seed] = (values, keys, wanted, spans)

    def use(thread: int) -> None:
        chance = random.Random(thread)
        for _ in range(60):
            name, seed = chance.choice(list(batches))
            module, (values, keys, wanted, spans) = MODULES[name], batches[name, seed]
            given = schemas_of(module)
            if list(module.decode_batch(values, keys, **given)) != wanted:
                wrong.append((name, "decode_batch"))
            found = [one for value, key in zip(values, keys, strict=True) for one in module.decode(value, key, **given)]
            if found != wanted:
                wrong.append((name, "decode"))
            if module.dissect(values[0], keys[0], **given) != spans:
                wrong.append((name, "dissect"))
            again = module.encode(wanted, **given)
            if list(module.decode_batch([x.value for x in again], [x.key for x in again], **given)) != wanted:
                wrong.append((name, "encode"))

    assert at_once([lambda thread=thread: use(thread) for thread in range(8)]) == []  # type: ignore[misc]
    assert wrong == []


def test_threads_share_a_store_and_events() -> None:
    store = TableStore()
    values, _ = tape(MODULES["craft"], 7)
    shared = MODULES["craft"].decode_batch(values)
    wanted = list(MODULES["craft"].decode_batch(values))
    wrong: list[object] = []

    def use(thread: int) -> None:
        for turn in range(60):
            store.add_sql(f"create table t{turn} (a int, b varchar({thread % 2 + 1}))", f"s{thread}")
            store.add_sql(f"create table t{turn} (a int)", "shared")
            if [dict(one.new) for one in shared] != [dict(one.new) for one in wanted]:
                wrong.append(turn)

    assert at_once([lambda thread=thread: use(thread) for thread in range(8)]) == []  # type: ignore[misc]
    assert wrong == []
    assert len(store) == 60 * 9


class Interrupted(BaseException):
    """What cuts a call off."""


@every_protocol
def test_a_call_that_was_cut_off_costs_the_next_one_nothing(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    module = MODULES[name]
    dropped: list[object] = []  # where an exception could not be raised, as in callbacks of collections
    monkeypatch.setattr(sys, "unraisablehook", lambda unraisable: dropped.append(unraisable.object))
    values, keys = tape(module, 8)
    arrays = pa.array(values), pa.array(keys, pa.binary())
    decoder, encoder = module.Decoder(**schemas_of(module)), module.Encoder(**schemas_of(module))
    wanted = module.Decoder(**schemas_of(module)).decode(values, keys)
    own = threading.get_ident()
    cut = 0
    for turn in range(84):
        armed = threading.Event()

        def interrupt(armed: threading.Event = armed, turns: int = turn * 7) -> None:
            armed.wait()
            for _ in range(turns):
                pass
            ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(own), ctypes.py_object(Interrupted))

        other = threading.Thread(target=interrupt)
        try:
            other.start()
            armed.set()
            for _ in range(4):
                decoder.decode(*arrays)
                encoder.encode(wanted)
            other.join()
        except Interrupted:
            cut += 1
        try:
            other.join()
            for _ in range(100):  # an exception that is on its way comes now
                pass
        except Interrupted:
            cut += 1
        assert same(decoder.decode(values, keys), wanted)
        assert encoder.encode(wanted).num_rows == len(values)
    assert all(one in gc.callbacks for one in dropped)
    assert cut + len(dropped) == 84
