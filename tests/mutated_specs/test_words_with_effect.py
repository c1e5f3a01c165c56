"""Small specs that get one word more, which others like them have: the word is refused, or changes what is printed.

`PYTHONPATH=tests python -m tests.mutated_specs.test_words_with_effect SEED COUNT [BASE ...]` tries more of them and
shows those without effect.
"""

from __future__ import annotations

import json
import random
import sys
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from bad_specs import base

from tidewire.generator import check
from tidewire.generator.plan.package import module_name
from tidewire.generator.plugins import plugin_of

from .mutants import Place, Words, read, with_word, written
from .test_mutated_bases import BASES, checked

EVERY_WORD = Path(__file__).resolve().parent.parent / "spec_every_word"
OF_PROTOCOLS = [one for one in BASES if one not in check.SHARED]
WITHOUT_EFFECT = {
    "of": "the classes that have the member anyway",
    "letters": "false, which it is when left out",
    "exponent": "1, which it is when left out",
    "json": "a codec of the wire of other protocols, which can have the same chapter",
    "record": "likewise",
}
"""Words that may be there without effect, and what they say then."""


@cache
def data_of(name: str) -> Any:
    return read(name, base(name).encode())


@cache
def words() -> Words:
    every = {one: data_of(one) for one in OF_PROTOCOLS}
    every |= {path.stem: read(path.name, path.read_bytes()) for path in sorted(EVERY_WORD.glob("*.yaml"))}
    return Words(every)


def codec_of(name: str, data: Any) -> dict[str, str] | None:
    """The printed codec of a changed base; None if it is refused."""
    spec, _ = checked(name, written(data))
    if spec is None:
        return None
    protocol = spec.protocols["wrong"]
    plugin = plugin_of(protocol)
    return plugin.codec(plugin.context(spec, protocol), module_name("wrong"))


@cache
def unchanged(name: str) -> dict[str, str]:
    found = codec_of(name, data_of(name))
    assert found is not None
    return found


def without_effect(name: str, place: Place, values: list[Any]) -> list[Any]:
    """The values of a word that are taken, if none of them changes anything."""
    taken = []
    for value in values:
        files = codec_of(name, with_word(data_of(name), place, value))
        if files is not None and files != unchanged(name):
            return []
        taken += [] if files is None else [value]
    return taken


def found(name: str, seed: int, count: int) -> list[str]:
    """The words without effect among so many that are added."""
    chance = random.Random(f"{name} {seed}")
    additions = [words().addition(data_of(name), chance) for _ in range(count)]
    return [
        f"{name}: {'/'.join(map(str, place))}: {json.dumps(taken)}"
        for place, values in additions
        if place[-1] not in WITHOUT_EFFECT and (taken := without_effect(name, place, values))
    ]


@pytest.mark.parametrize("name", OF_PROTOCOLS)
def test_a_word_is_refused_or_has_an_effect(name: str) -> None:
    assert found(name, 1, 15) == []


if __name__ == "__main__":
    for one in sys.argv[3:] or OF_PROTOCOLS:
        print(*found(one, int(sys.argv[1]), int(sys.argv[2])), sep="\n", flush=True)
