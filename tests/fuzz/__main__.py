"""`python -m tests.fuzz [--seconds N] [--inputs N] [--seed N] [--seldom N] [--out DIR]`, or with `--replay FILE`.

The inputs are tried in a process of their own: when it is killed by a signal, its last batch is made again and the
message looked for that kills a decoder. Exit code 1 when something was found; the messages are in a file, a line of
hex each.
"""

from __future__ import annotations

import argparse
import multiprocessing
import os
import sys
from pathlib import Path

import tidewire.runtime
from tidewire.events import Events

from .engine import Engine
from .session import ENGINES, made, save, work


def main() -> int:
    """Parses the arguments and tries the inputs."""
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz", description="Mutated messages against the decoder.")
    parser.add_argument("--seconds", type=float, default=60, help="stop after so many seconds (default 60)")
    parser.add_argument("--inputs", type=int, default=0, help="stop after so many inputs, whatever the time")
    parser.add_argument("--seed", type=int, default=1, help="another seed, other inputs (default 1)")
    parser.add_argument(
        "--seldom", type=int, default=1, help="compare with the twin and the other ways so many times less often"
    )
    parser.add_argument("--out", type=Path, default=Path("out/fuzz"), help="where findings go (default out/fuzz)")
    parser.add_argument(
        "--replay", type=Path, help="decode the messages of a finding's file, one batch, and say what comes out"
    )
    parser.add_argument("--protocol", choices=list(ENGINES), help="only this one (default: one after the other)")
    given = parser.parse_args()
    print(f"tidewire: {tidewire.runtime.compiled_reason}; seed {given.seed}", flush=True)
    protocols = [given.protocol] if given.protocol else list(ENGINES)
    if given.replay:
        return replay(protocols[0], given.replay)
    seconds = given.seconds / len(protocols)
    return max(fuzz(one, seconds, given.inputs, given.seed, given.out, given.seldom) for one in protocols)


def fuzz(protocol: str, seconds: float, inputs: int, seed: int, out: Path, seldom: int) -> int:
    """Tries the inputs of one protocol in a process of its own."""
    context = multiprocessing.get_context("spawn")
    number = context.Value("q", 0)
    child = context.Process(target=work, args=(protocol, seconds, inputs, seed, out, seldom, number))
    child.start()
    child.join()
    if child.exitcode is not None and child.exitcode < 0:
        return post_mortem(protocol, -child.exitcode, seed, number.value, out)
    return child.exitcode or 0


def replay(protocol: str, path: Path) -> int:
    """Decodes the messages of a finding's file."""
    values = [bytes.fromhex(line) for line in path.read_text(encoding="ascii").splitlines()]
    columns = made(protocol, 1).fresh().decode(values)
    for event in Events(columns):
        print(event)
    for error in columns.errors:
        print(f"message {error.message}: {error.code}: {error}")
    return 0


def post_mortem(protocol: str, signal: int, seed: int, number: int, out: Path) -> int:
    """Finds the message that killed the process, if one does it alone."""
    engine = made(protocol, seed)
    values = engine.batch(number)
    guilty = [value for value in values if _kills(engine, value)]
    path = save(guilty[:1] or values, seed, number, out)
    alone = f"{len(guilty)} messages do it alone, the first one" if guilty else "no message does it alone, the batch"
    print(f"FOUND: signal {signal} in batch {number}; {alone} is saved: {path}", flush=True)
    return 1


def _kills(engine: Engine, value: bytes) -> bool:
    """Whether decoding the message kills a process."""
    child = os.fork()
    if child == 0:
        engine.fresh().decode([value])
        os._exit(0)
    return os.WIFSIGNALED(os.waitpid(child, 0)[1])


if __name__ == "__main__":
    sys.exit(main())
