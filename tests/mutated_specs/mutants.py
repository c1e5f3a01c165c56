"""Specs with one node changed: left out, doubled, renamed, put in place of another, of another type."""

from __future__ import annotations

import copy
import json
import random
from collections.abc import Iterator
from typing import Any

from tidewire.generator.load import Source, load

HUGE = "HUGE"
"""Stands for a number of more digits than Python writes."""
SCALARS: list[Any] = [
    *(None, True, False, 0, 1, -1, 2**70, HUGE, 1.5, float("nan"), "", "x", "nothing", "text", "int", "omit"),
    *("null", "integer", "kind", "a b", "{x}", "é", "n" * 5000, "\u202e"),
    *([], {}, ["x"], {"x": "y"}, [[]], {"x": {}}),
]
"""What a node is replaced by."""
FOR_PEOPLE = {"about", "sources", "title", "differences", "language"}
"""Keys whose values change texts only."""
Place = tuple[Any, ...]
"""Keys, and numbers of elements, that lead to a node."""
Node = dict[Any, Any] | list[Any]


def read(name: str, data: bytes) -> Any:
    """The data of a spec."""
    top, problems = load(Source(name, data))
    assert top is not None
    assert not problems
    return top.plain()


def written(data: Any) -> bytes:
    """A spec as a file: JSON is YAML."""
    return json.dumps(data, ensure_ascii=False).replace(f'"{HUGE}"', "9" * 5000).encode()


def nodes(node: Any, place: Place = ()) -> Iterator[tuple[Place, Any]]:
    """All nodes below one that say something to programs, each with its place."""
    yield place, node
    for key, below in node.items() if isinstance(node, dict) else enumerate(node) if isinstance(node, list) else ():
        if key not in FOR_PEOPLE:
            yield from nodes(below, (*place, key))


def holder(top: Any, place: Place) -> Any:
    """What holds the node of a place."""
    for key in place[:-1]:
        top = top[key]
    return top


def word(place: Place) -> tuple[Any, bool]:
    """By what name a node goes, and whether it goes by itself or is an element of what has the name."""
    named = next((one for one in reversed(place) if isinstance(one, str)), None)
    return named, not place or isinstance(place[-1], str)


class Words:
    """The words that specs use, by what holds them, with the values that they have there."""

    def __init__(self, specs: dict[str, Any]) -> None:
        self.values: dict[Any, dict[str, list[Any]]] = {}
        for data in specs.values():
            for place, node in nodes(data):
                if place and isinstance(place[-1], str):
                    self.values.setdefault(word(place[:-1]), {}).setdefault(place[-1], []).append(node)

    def addition(self, data: Any, chance: random.Random) -> tuple[Place, list[Any]]:
        """A word that a node of a spec lacks and that others of its kind have, and values for it: first those that the
        word has elsewhere in the spec, whose names are there.
        """
        every = [(place, node) for place, node in [((), data), *nodes(data)] if isinstance(node, dict)]
        while True:
            place, node = chance.choice(every)
            known = self.values.get(word(place), {})
            lacking = [name for name in known if name not in node and name not in FOR_PEOPLE]
            if lacking:
                name = chance.choice(lacking)
                own = [below for above, below in nodes(data) if above and above[-1] == name]
                values: dict[str, Any] = {}
                for some in (own, known[name]):
                    drawn = chance.sample(some, min(len(some), 3))
                    values |= {json.dumps(one): one for one in drawn}
                return (*place, name), list(values.values())


def with_word(data: Any, place: Place, value: Any) -> Any:
    """A spec with one word more."""
    top = copy.deepcopy(data)
    holder(top, place)[place[-1]] = copy.deepcopy(value)
    return top


class Mutants:
    """The changes of a spec. A seed always gives the same ones."""

    def __init__(self, data: Any) -> None:
        self.data = data
        self.every = [one for one in nodes(data) if one[0]]
        self.names = sorted({place[-1] for place, _ in self.every if isinstance(place[-1], str)})
        self.texts = sorted({node for _, node in self.every if isinstance(node, str)})
        self.by_word: dict[Any, list[tuple[Place, Any]]] = {}
        for one in self.every:
            self.by_word.setdefault(word(one[0]), []).append(one)

    def drawn(self, chance: random.Random) -> tuple[str, Any]:
        """One of them: what was done, and the data."""
        while True:
            place, node = chance.choice(self.every)
            top = copy.deepcopy(self.data)
            around, key = holder(top, place), place[-1]
            if chance.random() < 0.5:
                done = self._of_its_own(chance, around, key, node)
            else:
                done = self._of_others(chance, top, around, place)
            # the order of keys is a change as well
            if done and json.dumps(top) != json.dumps(self.data):
                return f"{'/'.join(map(str, place))} {done}"[:300], top

    def _of_its_own(self, chance: random.Random, around: Any, key: Any, node: Any) -> str:
        """A change that takes nothing from elsewhere."""
        match chance.randrange(5):
            case 0:
                del around[key]
                return "is left out"
            case 1 if isinstance(around, list):
                around.insert(key, copy.deepcopy(node))
                return "is there twice"
            case 1:
                around[f"{key}_2"] = copy.deepcopy(node)
                return f"is called {key}_2 as well"
            case 2:
                around[key] = copy.deepcopy(chance.choice(SCALARS))
                return f"is {json.dumps(around[key])}"
            case 3:
                other = chance.choice(list(around) if isinstance(around, dict) else range(len(around)))
                around[key], around[other] = around[other], around[key]
                return f"and {other} change places"
            case _ if isinstance(around, dict):
                others = [one for one in around.items() if one[0] != key]
                others.insert(chance.randrange(len(others) + 1), (key, node))
                around.clear()
                around.update(others)
                return "stands elsewhere"
        return ""

    def _of_others(self, chance: random.Random, top: Any, around: Any, place: Place) -> str:
        """A change to what stands elsewhere."""
        key = place[-1]
        alike = self.by_word[word(place)]
        match chance.randrange(5):
            case 0:
                around[key] = copy.deepcopy(chance.choice(alike)[1])
                return f"is {json.dumps(around[key])}"
            case 1 if isinstance(around[key], str):
                around[key] = chance.choice(self.texts)
                return f"is {around[key]}"
            case 2 if isinstance(around, dict):
                name = chance.choice(list(around) if chance.random() < 0.5 else self.names)
                others = [(name if one == key else key if one == name else one, below) for one, below in around.items()]
                around.clear()
                around.update(others)
                return f"is called {name}"
            case 3:
                other, _ = chance.choice(alike)
                if other[: len(place)] != place and place[: len(other)] != other:
                    there = holder(top, other)
                    there[other[-1]], around[key] = around[key], there[other[-1]]
                    return f"and {'/'.join(map(str, other))} change places"
            case 4 if isinstance(around, dict) and len(place) > 1:
                beside = [one for one in self.every if len(one[0]) > 1 and word(one[0][:-1]) == word(place[:-1])]
                name, below = chance.choice([(one[-1], node) for one, node in beside])
                if name not in around:
                    around[name] = copy.deepcopy(below)
                    return f"has {name}: {json.dumps(below)} beside it"
        return ""
