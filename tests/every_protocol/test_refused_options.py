"""Options of each protocol, as its spec declares them: what they cannot be, and what does not go together, is refused
in a sentence that says what is possible.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

import tidewire
from tidewire.messages.options import BEGINNING, OptionSpec
from tidewire.runtime.errors import OptionError, TidewireError

SPECS = Path(__file__).parents[2] / "spec"
MODULES = {name: one.load() for name, one in tidewire.protocols().items()}
each_protocol = pytest.mark.parametrize("name", MODULES)
OPTIONS = [(name, one) for name, module in MODULES.items() for one in module.OPTIONS]
OF_OTHER_TYPES: dict[str, Any] = {
    "int": ("16", True, 1.5),
    "bool": (1, "true", None),
    "choice": ("x", None),
    "text": (5, None),
}
"""By type of an option, what it cannot be in Python."""


def sentence(name: str, one: OptionSpec) -> str:
    """How refusals of a value begin."""
    legal = {"bool": "true or false", "choice": f"one of {', '.join(one.choices)}", "text": "text"}
    if one.range is not None:
        legal["int"] = f"an integer from {one.range[0]} to {one.range[1]}"
    return f"{name}: option {one.name} is {legal[one.type]}"


def refused(given: Callable[..., object], text: str, *options: dict[str, str], **values: Any) -> None:
    """These options are refused in a sentence with the text."""
    with pytest.raises(OptionError, match=re.escape(text)) as caught:
        given(*options, **values)
    assert isinstance(caught.value, TidewireError)
    assert isinstance(caught.value, ValueError)


@each_protocol
def test_they_are_those_of_the_spec(name: str) -> None:
    declared = yaml.safe_load((SPECS / f"{name}.yaml").read_text("utf-8"))["options"]
    found = {one.name: one for one in MODULES[name].OPTIONS}
    assert declared.keys() <= found.keys()
    for option, said in declared.items():
        one, needs = found[option], said.get("needs", ())
        assert (one.type, one.default, one.about) == (said["type"], said["default"], said["about"])
        assert list(one.range or ()) == said.get("range", [])
        assert list(one.choices) == said.get("choices", [])
        assert list(one.producers) == said.get("producers", [])
        assert set(said.get("implies", ())) <= set(one.implies)
        assert one.choice_needs == ({k: tuple(v) for k, v in needs.items()} if isinstance(needs, dict) else {})
        assert set(() if isinstance(needs, dict) else needs) <= set(one.needs)


@each_protocol
def test_unknown_ones_are_refused_with_those_there_are(name: str) -> None:
    module = MODULES[name]
    strings = module.Options.from_strings
    legal = f"The options are {', '.join(one.name for one in module.OPTIONS)}."
    refused(strings, f"{name}: there is no option 'wibble'. {legal}", {"wibble": "true"})
    for one in module.OPTIONS:
        other = f"{one.name}s"
        refused(strings, f"{name}: there is no option '{other}'. Did you mean {one.name}? {legal}", {other: "1"})
    foreign = {one.name for _, one in OPTIONS} - {one.name for one in module.OPTIONS}
    for other in foreign:
        refused(strings, f"{name}: there is no option '{other}'.", {other: "true"})


def wrong_values(one: OptionSpec) -> Iterator[Any]:
    """Values of the right type."""
    if one.range is not None:
        yield from (one.range[0] - 1, one.range[1] + 1)
    if one.type == "text":
        yield "\ud800"
    if one.escapes:  # such a text could not be told from the next message
        yield from (BEGINNING, f'{BEGINNING}"id":0', f" {BEGINNING}", f"\r\n{BEGINNING}}}")


@pytest.mark.parametrize(("name", "one"), OPTIONS, ids=lambda one: getattr(one, "name", one))
def test_values_that_one_cannot_have_are_refused(name: str, one: OptionSpec) -> None:
    options, said = MODULES[name].Options, sentence(name, one)
    for value in OF_OTHER_TYPES[one.type]:
        refused(options, f"{said}; what it is" if one.secret else f"{said}, not {value!r}", **{one.python_name: value})
    for value in wrong_values(one):
        refused(options, said, **{one.python_name: value})
        refused(options.from_strings, said, {one.name: str(value)})
    if one.type != "text":
        refused(options.from_strings, f"{said}, not 'yes'", {one.name: "yes"})
    for zone in ("System", "local", "Mars/Olympus", "+25:00", "8") if one.zone else ():
        refused(options, f"{name}: option {one.name} {zone!r} is not known", **{one.python_name: zone})


@pytest.mark.parametrize(("name", "one"), OPTIONS, ids=lambda one: getattr(one, "name", one))
def test_one_without_what_it_needs_is_refused(name: str, one: OptionSpec) -> None:
    """Each of the others on its own, and the producer that has it."""
    module, known = MODULES[name], {other.name: other for other in MODULES[name].OPTIONS}
    set_to: dict[str, Any] = {"bool": True, "text": "x", "int": 5}

    def value(option: str) -> Any:
        said = known[option]
        return said.choices[-1] if said.type == "choice" else set_to[said.type]

    for chosen, needs in {**({set_to["bool"]: one.needs} if one.needs else {}), **one.choice_needs}.items():
        given = {one.python_name: chosen, **({"producer": one.producers[0]} if one.producers else {})}
        whole = {known[other].python_name: value(other) for other in needs}
        assert getattr(module.Options(**given, **whole), one.python_name) == chosen
        for other in needs:
            if not known[other].default:
                less = {key: found for key, found in whole.items() if key != known[other].python_name}
                refused(module.Options, f" needs {other}: set {other}", **given, **less)
    for implied in one.implies:
        for other in known[implied].needs:
            rest = {known[need].python_name: value(need) for need in known[implied].needs if need != other}
            refused(module.Options, f"option {implied} needs {other}: set", **{one.python_name: True, **rest})
    others = set(module.FACTS.producers) - set(one.producers) if one.producers else ()
    for producer in others:
        given = {one.python_name: value(one.name), "producer": producer}
        text = f"{name}: option {one.name} is one of {' and '.join(one.producers)}; {producer} has no"
        refused(module.Options, text, **given)


@each_protocol
def test_they_are_given_under_both_names_and_in_any_case(name: str) -> None:
    module = MODULES[name]
    assert module.Options.from_strings({}) == module.Options()
    for one in module.OPTIONS:
        if one.type == "text" or one.needs or one.producers or one.implies:
            continue
        value = {"int": one.range and one.range[1], "bool": not one.default, "choice": one.default}[one.type]
        expected = module.Options(**{one.python_name: value})
        for given in (one.name, one.python_name, one.name.upper()):
            assert module.Options.from_strings({given: f" {str(value).upper()} "}) == expected


@pytest.mark.parametrize("name", [name for name, one in OPTIONS if one.name == "table"])
@pytest.mark.parametrize("named", ["orders", "shop.", ".orders", "a.b.c", "`a.b", "a" * 5000])
def test_a_table_is_named_with_its_database(name: str, named: str) -> None:
    module = MODULES[name]
    with pytest.raises(OptionError, match=r"option table is .*: a table is named schema\.table, such as") as caught:
        module.Decoder(module.Options(table=named))
    assert len(str(caught.value)) < 400
