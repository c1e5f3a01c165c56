"""A run of the fuzzer: batches until the time or the inputs are used up, or something is found."""

from __future__ import annotations

import sys
import time
from multiprocessing.sharedctypes import Synchronized
from pathlib import Path

from .avro_engine import AvroEngine
from .craft_engine import CraftEngine
from .debezium_avro_engine import DebeziumAvroEngine
from .debezium_engine import DebeziumEngine
from .engine import Engine, Tally
from .finding import Finding
from .json_engine import JsonEngine
from .open_engine import OpenEngine
from .records_engine import RecordsEngine
from .simple_engine import SimpleEngine

ENGINES: dict[str, type[Engine]] = {
    one.name: one
    for one in (
        *(CraftEngine, JsonEngine, OpenEngine, SimpleEngine, RecordsEngine),
        *(DebeziumEngine, AvroEngine, DebeziumAvroEngine),
    )
}
"""What is fuzzed; `simple-records` is Simple as records of Avro."""


def made(protocol: str, seed: int, seldom: int = 1) -> Engine:
    """The engine of a protocol, over its corpus; the slow comparisons are made so many times less often.

    Raises:
        ValueError: it is none that is fuzzed.
    """
    if protocol not in ENGINES:
        raise ValueError(f"{protocol!r} is not fuzzed: {', '.join(ENGINES)} are")
    return ENGINES[protocol](seed, seldom)


def work(
    protocol: str, seconds: float, inputs: int, seed: int, out: Path, seldom: int, number: Synchronized[int]
) -> None:
    """Tries batches until time or inputs are used up; exits with 1 when something is found."""
    engine = made(protocol, seed, seldom)
    size = sum(map(len, engine.corpus))
    print(
        f"{protocol}: {len(engine.corpus)} messages, {size} bytes; {len(engine.cuts)} truncations come first",
        flush=True,
    )
    start = shown = time.monotonic()
    while engine.tally.inputs < inputs if inputs else time.monotonic() - start < seconds:
        try:
            engine.run(number.value)
        except Finding as finding:
            report(engine.tally, time.monotonic() - start)
            print(f"FOUND in batch {number.value}: {finding.what}")
            print(f"saved: {save(finding.inputs, seed, number.value, out)}", flush=True)
            sys.exit(1)
        number.value += 1
        if time.monotonic() - shown > 15:
            shown = time.monotonic()
            speed = engine.tally.inputs / (shown - start)
            print(f"  {engine.tally.inputs} inputs, {speed:.0f}/s, {engine.tally.last_rss >> 20} MiB", flush=True)
    report(engine.tally, time.monotonic() - start)


def report(tally: Tally, seconds: float) -> None:
    """What has been tried."""
    speed = tally.inputs / seconds
    print(f"inputs {tally.inputs} in {seconds:.1f} s: {speed:.0f}/s, in the decoder {tally.decoding:.1f} s")
    print(f"accepted {tally.accepted} with {tally.events} events, refused {tally.codes.total()}:")
    for code, count in tally.codes.most_common():
        print(f"  {code:<10} {count}")
    print(f"worst: {tally.worst_ns / 1e6:.3f} ms for {len(tally.worst)} bytes, with a new decoder")
    print(f"what came out: {tally.digest:08x}")
    first, last = tally.first_rss >> 20, tally.last_rss >> 20
    print(f"memory: {first} MiB after the first batches, {last} MiB at the end", flush=True)


def save(inputs: list[bytes], seed: int, number: int, out: Path) -> Path:
    """Writes messages to a file, a line of hex each."""
    out.mkdir(parents=True, exist_ok=True)
    path = out / f"finding-{seed}-{number}.hex"
    path.write_text("".join(message.hex() + "\n" for message in inputs), encoding="ascii")
    return path
