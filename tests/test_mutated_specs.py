"""Specs of which a node was left out, doubled, renamed or put in place of another: a report, or files; nothing else.

`python -m tests.test_mutated_specs SEED COUNT` tries more of them and shows the first that is neither.
"""

from __future__ import annotations

import copy
import random
import sys
from collections.abc import Iterator
from typing import Any

import pytest
import yaml
from bad_specs import MORE_BASES, base, beside

from tidewire.generator import check
from tidewire.generator.load import Source
from tidewire.generator.pages.printing import print_pages
from tidewire.generator.plugins import PLUGINS
from tidewire.generator.printing import print_files
from tidewire.generator.problems import report

BASES = [*(one.name for one in PLUGINS), *MORE_BASES, *check.SHARED]
HUGE = "HUGE"
"""Stands for a number of more digits than Python writes."""
SCALARS: list[Any] = [
    *(None, True, False, 0, 1, -1, 2**70, HUGE, 1.5, float("nan"), "", "x", "nothing", "text", "int", "kind"),
    *("a b", "{x}", "é", "n" * 5000, "\u202e", [], {}, ["x"], {"x": "y"}, [[]], {"x": {}}),
]
"""What a node is replaced by."""
Path = tuple[Any, ...]


def nodes(node: Any, path: Path = ()) -> Iterator[tuple[Path, Any]]:
    """All nodes below one, each with its path."""
    yield path, node
    for key, below in node.items() if isinstance(node, dict) else enumerate(node) if isinstance(node, list) else ():
        yield from nodes(below, (*path, key))


def holder(top: Any, path: Path) -> Any:
    """What holds the node of a path."""
    for key in path[:-1]:
        top = top[key]
    return top


def mutated(text: str, chance: random.Random) -> str:
    """A spec with one node changed."""
    top = copy.deepcopy(yaml.safe_load(text))
    every = [one for one in nodes(top) if one[0]]
    path, node = chance.choice(every)
    other, another = chance.choice(every)
    around, key = holder(top, path), path[-1]
    match chance.randrange(6):
        case 0:
            del around[key]
        case 1 if isinstance(around, list):
            around.insert(key, copy.deepcopy(node))
        case 1:
            around[f"{key}_2"] = copy.deepcopy(node)
        case 2:
            around[key] = copy.deepcopy(another)
        case 3:
            around[key] = copy.deepcopy(chance.choice(SCALARS))
        case 4 if isinstance(around, dict):
            names = [one[-1] for one, _ in every if isinstance(one[-1], str)]
            pairs = list(around.items())
            around.clear()
            around.update((chance.choice(names) if name == key else name, below) for name, below in pairs)
        case _:
            if other[: len(path)] != path and path[: len(other)] != other:
                holder(top, other)[other[-1]], around[key] = copy.deepcopy(node), copy.deepcopy(another)
    return yaml.safe_dump(top, sort_keys=False, allow_unicode=True).replace(HUGE, "9" * 5000)


def printed(of: str, text: str) -> str:
    """The report of a changed base; of one without problems everything is printed."""
    shared = of in check.SHARED
    given = {f"shared/{one}.yaml": base(one) for one in check.SHARED if one != of}
    given |= beside(of)
    given |= {"shared/wrong.yaml": base("json")} if shared else {}
    given[f"shared/{of}.yaml" if shared else "spec_bad/wrong.yaml"] = text
    spec, problems = check.check_sources([Source(name, one.encode()) for name, one in given.items()], "spec_bad")
    if spec is not None:
        print_files(spec)
        print_pages(spec, {})
    return report(problems)


def try_some(of: str, seed: int, count: int) -> None:
    """Changes a base so often; each time in another way."""
    chance = random.Random(f"{of} {seed}")
    for _ in range(count):
        text = mutated(base(of), chance)
        try:
            said = printed(of, text)
        except Exception as error:
            raise AssertionError(f"{type(error).__name__}: {error}\n{text}") from error
        assert said.isprintable() or "\n" in said


@pytest.mark.parametrize("of", BASES)
def test_a_changed_spec_is_reported_or_printed(of: str) -> None:
    try_some(of, 1, 25)


if __name__ == "__main__":
    for every in range(int(sys.argv[2])):
        for one in BASES:
            try_some(one, int(sys.argv[1]) + every, 1)
