"""Small specs of every plug-in in which something was changed: a report, or files; nothing else.

`PYTHONPATH=tests python -m tests.mutated_specs.test_mutated_bases SEED COUNT` tries more of them and shows the first
that is neither.
"""

from __future__ import annotations

import random
import sys

import pytest
from bad_specs import MORE_BASES, base, beside

from tidewire.generator import check
from tidewire.generator.load import Source
from tidewire.generator.model import Spec
from tidewire.generator.pages.printing import print_pages
from tidewire.generator.plugins import PLUGINS
from tidewire.generator.printing import print_files
from tidewire.generator.problems import Problem, report

from .mutants import Mutants, read, written

BASES = [*(one.name for one in PLUGINS), *MORE_BASES, *check.SHARED]


def checked(of: str, text: bytes) -> tuple[Spec | None, list[Problem]]:
    """A changed base, with what it needs beside it; or all that is wrong with it."""
    shared = of in check.SHARED
    others = {f"shared/{one}.yaml": base(one) for one in check.SHARED if one != of}
    others |= beside(of)
    others |= {"shared/wrong.yaml": base("json")} if shared else {}
    given = {name: one.encode() for name, one in others.items()}
    given[f"shared/{of}.yaml" if shared else "spec_bad/wrong.yaml"] = text
    return check.check_sources([Source(name, one) for name, one in given.items()], "spec_bad")


def printed(of: str, text: bytes) -> str:
    """The report of a changed base; of one without problems everything is printed."""
    spec, problems = checked(of, text)
    if spec is not None:
        print_files(spec)
        print_pages(spec, {})
    return report(problems)


def try_some(of: str, seed: int, count: int) -> None:
    """Changes a base so often; each time in another way."""
    chance = random.Random(f"{of} {seed}")
    mutants = Mutants(read(of, base(of).encode()))
    for _ in range(count):
        done, changed = mutants.drawn(chance)
        try:
            said = printed(of, written(changed))
        except Exception as error:
            raise AssertionError(f"{type(error).__name__}: {error}, in {of}, {done}") from error
        assert said.isprintable() or "\n" in said


@pytest.mark.parametrize("of", BASES)
def test_a_changed_spec_is_reported_or_printed(of: str) -> None:
    try_some(of, 1, 25)


if __name__ == "__main__":
    for every in range(int(sys.argv[2])):
        for one in BASES:
            try_some(one, int(sys.argv[1]) + every, 1)
