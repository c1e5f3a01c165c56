"""`make oracle`: TiCDC's encoders and decoders beside ours, on events at random.

    python -m tests.oracle.differential [--protocol NAME]... [--events N] [--seed N] [--case N]

Exit code 1 at the first difference of a protocol, with the smallest part of its case that still shows it.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import replace

import tidewire.runtime

from .cases import Case, Happening, Row, Table
from .checks import Different, check, smallest
from .client import Oracle, OracleError
from .maker import case
from .protocols import PROTOCOLS, Protocol
from .refusals import refusals

EVENTS = 120_000
"""How many of each protocol there are at least, unless another number is given."""


def main() -> int:
    """Parses the arguments and runs cases until there were enough events."""
    parser = argparse.ArgumentParser(prog="python -m tests.oracle.differential", description=__doc__.splitlines()[0])
    parser.add_argument("--protocol", action="append", choices=PROTOCOLS, help="only this one (repeatable)")
    parser.add_argument("--events", type=int, default=EVENTS, help="at least so many of each (default %(default)s)")
    parser.add_argument("--seed", type=int, default=1, help="another seed, other cases (default 1)")
    parser.add_argument("--case", type=int, help="only this case of the seed")
    given = parser.parse_args()
    try:
        with Oracle() as oracle:
            version = oracle.version()
            print(f"tidewire: {tidewire.runtime.compiled_reason}; seed {given.seed}")
            print("oracle: " + ", ".join(f"{name} {what}" for name, what in sorted(version.items())), flush=True)
            chosen = [PROTOCOLS[name] for name in given.protocol or PROTOCOLS]
            return max([run(oracle, protocol, given.events, given.seed, given.case) for protocol in chosen])
    except OracleError as error:
        print(f"oracle: {error}", file=sys.stderr)
        return 1


def run(oracle: Oracle, protocol: Protocol, wanted: int, seed: int, only: int | None) -> int:
    """Runs the cases of a protocol and prints what they came to; the exit code."""
    print(protocol.name, flush=True)
    facts = protocol.codec.FACTS
    unnamed = set(protocol.differences) - facts.defects.keys() - facts.differences.keys() - facts.losses.keys()
    if unnamed:
        print(f"the spec does not name {', '.join(sorted(unnamed))}")
        return 1
    counts: Counter[str] = Counter()
    start = shown = time.monotonic()
    number = only or 0
    try:
        if only is None:
            refusals(oracle, protocol, counts)
        while counts["events"] < wanted:
            one(oracle, protocol, case(protocol, seed, number), counts)
            counts["cases"] += 1
            number += 1
            if only is not None:
                break
            if time.monotonic() - shown > 20:
                shown = time.monotonic()
                print(f"  {counts['events']:,} events, {counts['events'] / (shown - start):,.0f}/s", flush=True)
    except Different as difference:
        report(counts, time.monotonic() - start)
        print(f"DIFFERENT: {difference}")
        return 1
    report(counts, time.monotonic() - start)
    print("the same messages, and each reads what the other wrote")
    return 0


def one(oracle: Oracle, protocol: Protocol, made: Case, counts: Counter[str]) -> None:
    """Runs a case; when it differs, says so of its smallest part.

    Raises:
        Different: with the part.
    """
    try:
        check(oracle, protocol, made, counts)
        return
    except (Different, OracleError) as error:
        found: Exception = error
    as_before = type(found)  # a part that TiCDC refuses to be asked shows nothing
    less = smallest(made, lambda part: isinstance(differs(oracle, protocol, part), as_before))
    less = narrower(less, lambda part: isinstance(differs(oracle, protocol, part), as_before))
    told = differs(oracle, protocol, less) or found
    lines = "\n".join(f"  {event!r}"[:3000] for event in less.events)
    raise Different(f"{made.name}\n{told}\noptions {dict(less.options)}\n{lines}")


def differs(oracle: Oracle, protocol: Protocol, made: Case) -> Exception | None:
    """What differs in a case; None when nothing does."""
    try:
        check(oracle, protocol, made, Counter())
    except (Different, OracleError) as error:
        return error
    return None


def narrower(made: Case, fails: Callable[[Case], bool]) -> Case:
    """The case without the columns that it still fails without."""
    position = 0
    while position < max((len(e.table.columns) for e in made.events if isinstance(e, Row)), default=0):
        part = _without(made, position)
        if part is not None and fails(part):
            made = part
        else:
            position += 1
    return made


def _without(made: Case, position: int) -> Case | None:
    """The case with a column less in every table that has it; None when a table has no other."""
    tables: dict[int, Table] = {}
    events: list[Happening] = []
    for event in made.events:
        if isinstance(event, Row) and position < len(event.table.columns):
            columns = event.table.columns[:position] + event.table.columns[position + 1 :]
            if not columns:
                return None
            table = tables.setdefault(id(event.table), replace(event.table, columns=columns))
            images = [i and i[:position] + i[position + 1 :] for i in (event.new, event.old)]
            event = replace(event, table=table, new=images[0], old=images[1])
        events.append(event)
    return replace(made, events=tuple(events))


def report(counts: Counter[str], seconds: float) -> None:
    """Prints the counts."""
    summary = f"{counts['events']:,} events in {counts['messages']:,} messages of {counts['cases']:,} cases"
    print(f"{summary}, {seconds:.0f} s")
    for name, count in sorted(counts.items()):
        if name not in ("events", "messages", "cases"):
            print(f"  {name:<50} {count:>12,}")


if __name__ == "__main__":
    sys.exit(main())
