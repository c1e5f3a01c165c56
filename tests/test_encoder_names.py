"""Options of encoders: none becomes an attribute that an encoder of the runtime has for itself."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from tidewire.generator.plan.options import ENCODER_NAMES, option_attribute

GENERATED = Path(__file__).parent.parent / "generated/tidewire"
RUNTIME = Path(__file__).parent.parent / "runtime/tidewire/runtime"
MODULES = (
    "encoding/message_encoder.py",
    "json/encoders.py",
    "json/connect_encoder.py",
    "binary/encoder.py",
    "record/encoder.py",
    "registered/encoder.py",
)


def names_of(module: str) -> set[str]:
    """What the classes of a module call their methods and attributes."""
    found: set[str] = set()
    for held in ast.parse((RUNTIME / module).read_text(encoding="utf-8")).body:
        if not isinstance(held, ast.ClassDef):
            continue
        for node in ast.walk(held):
            if isinstance(node, ast.FunctionDef):
                found.add(node.name)
            elif isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == "self":
                found.add(node.attr)
    return {name for name in found if not name.startswith("_")}


def test_the_generator_knows_the_names_of_encoders() -> None:
    known = set().union(*map(names_of, MODULES))
    assert len(known) > 50
    assert known | {"images_of"} == ENCODER_NAMES, (
        "plan/options.py lists them; images_of is printed for binary messages"
    )


@pytest.mark.parametrize("name", ["events", "keyed", "most-bytes", "position", "self", "super", "with-blocks"])
def test_an_option_of_such_a_name_has_an_attribute_of_its_own(name: str) -> None:
    assert option_attribute(name) == f"{name.replace('-', '_')}_"
    assert option_attribute(name) not in ENCODER_NAMES


def test_other_options_have_their_own_names() -> None:
    assert option_attribute("max-batch-size") == "max_batch_size"


def test_constructors_of_encoders_use_no_other_names_that_options_could_have() -> None:
    """An option of such a name would be the parameter, and hide what is called."""
    used: set[str] = set()
    for path in GENERATED.glob("*/*encoder.py"):
        for held in ast.parse(path.read_text(encoding="utf-8")).body:
            if isinstance(held, ast.ClassDef) and held.name.endswith("Encoder"):
                used |= names_in_constructor(held)
    assert "super" in used
    assert not {name for name in used if option_attribute(name) == name}


def names_in_constructor(encoder: ast.ClassDef) -> set[str]:
    """The names that the constructor of a printed class uses, without constants, classes and its parameters."""
    (made,) = (one for one in encoder.body if isinstance(one, ast.FunctionDef) and one.name == "__init__")
    names = {one.id for one in ast.walk(made) if isinstance(one, ast.Name)}
    return {name for name in names if name == name.lower()} - {one.arg for one in made.args.args}
