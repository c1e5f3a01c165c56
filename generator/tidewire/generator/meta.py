"""Validates specs against their JSON Schemas, with errors worded as sentences.

A schema defines the allowed words and their shape; the passes check their meaning. An unknown key is reported with the
legal keys and the closest one, a wrong type with the right one, a pattern with its `remedy`. The `description` of a
word is what spec/README.md says of it.

The schema of a protocol is composed of the words that every protocol has and of the containers of its parts, one file
each: in the folder `words` of a plug-in, or in `spec/meta/containers` if several plug-ins share it. A container may
bring `chapters`, words of the protocol itself.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any, cast

from jsonschema import Draft202012Validator, validators
from jsonschema.exceptions import ValidationError

from .folders import folders
from .load import YamlNode
from .problems import Problem, did_you_mean, listed, problem, quoted

SCHEMAS = Path(__file__).resolve().parents[3] / "spec" / "meta"

_TYPES: Mapping[str, str] = {
    "object": "a mapping",
    "array": "a list",
    "string": "text",
    "integer": "an integer",
    "number": "a number",
    "boolean": "true or false",
}


PROTOCOL = "protocol"


def schema(name: str) -> dict[str, Any]:
    """The JSON Schema of a kind of file: protocol, events, mysql_types or primitives."""
    loaded = _loaded(SCHEMAS / f"{name}.schema.json")
    if name != PROTOCOL:
        return loaded
    forms: list[dict[str, Any]] = []
    for kind in containers():
        own = container(kind)
        words = {"about": {"$ref": "#/$defs/text"}} | own["properties"]
        shape = {"type": "object", "additionalProperties": False, "properties": words}
        forms.append({"if": {"required": [kind]}, "then": shape})
        loaded["$defs"] |= own.get("$defs", {})
        for word, said in own.get("chapters", {}).items():
            if word in loaded["properties"]:
                raise ValueError(f"the container {kind} brings the chapter {word}, which is there: take another name")
            loaded["properties"][word] = said
    one = {
        "oneOf": [{"required": [kind]} for kind in containers()],
        "remedy": f"A part has exactly one of {listed(containers())}.",
    }
    loaded["$defs"]["part"] = {"type": "object", "allOf": [one, *forms]}
    return loaded


@cache
def containers() -> tuple[str, ...]:
    """The containers that a part can be, by the word that selects each."""
    return tuple(sorted(_containers()))


def container(kind: str) -> dict[str, Any]:
    """The words of a container besides `about`: `properties`, its `chapters`, and the `$defs` that both need."""
    return _loaded(_containers()[kind])


@cache
def _containers() -> dict[str, Path]:
    """The schema files of containers, by the word that selects each.

    Raises ValueError if a container has two.
    """
    found: dict[str, Path] = {}
    for folder in (SCHEMAS / "containers", *(one / "words" for one in folders())):
        for path in folder.glob("*.schema.json"):
            kind = path.name.removesuffix(".schema.json")
            if kind in found:
                raise ValueError(f"{path}: the container {kind} is in {found[kind]} already; give it another name")
            found[kind] = path
    return found


def _loaded(path: Path) -> dict[str, Any]:
    loaded: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return loaded


def _pattern(_: object, pattern: str, found: object, __: object) -> Iterator[ValidationError]:
    # In JSON Schema `$` is the end of the text; Python's also matches before a final newline.
    if isinstance(found, str) and not re.search(re.sub(r"\$$", r"\\Z", pattern), found):
        yield ValidationError(f"{found!r} does not match {pattern!r}")


_Validator: Any = validators.extend(Draft202012Validator, {"pattern": _pattern})  # type: ignore[no-untyped-call]


@cache
def _validator(name: str) -> Any:
    return _Validator(schema(name))


def validate(top: YamlNode, name: str) -> list[Problem]:
    """The problems of a file's shape. `name`: protocol, events, mysql_types or primitives."""
    return _validated(top, _validator(name))


def validate_by(top: YamlNode, schema: Mapping[str, Any]) -> list[Problem]:
    """The problems of the shape of a file that is not a spec, by a JSON Schema of its own."""
    return _validated(top, _Validator(schema))


def _validated(top: YamlNode, validator: Any) -> list[Problem]:
    errors = list(validator.iter_errors(top.plain()))
    # if it is not a mapping, that error is enough
    errors = [one for one in errors if not (one.validator == "oneOf" and _by_words(one) and _no_mapping(one))]
    # it is unknown which of several forms is meant, so errors about each form's words would only confuse
    unclear = {tuple(error.absolute_path) for error in errors if error.validator == "oneOf"}
    found = [
        one
        for error in errors
        if error.validator == "oneOf" or tuple(error.absolute_path) not in unclear
        for one in _problems(top, error)
    ]
    return sorted(set(found))


def _by_words(error: ValidationError) -> bool:
    """Whether the forms of a `oneOf` are distinguished by a required word in each."""
    return all("required" in form for form in cast(Any, error.validator_value))


def _no_mapping(error: ValidationError) -> bool:
    return not isinstance(error.instance, dict)


def _problems(top: YamlNode, error: ValidationError) -> Iterator[Problem]:
    node = _at(top, error.absolute_path)
    rule, value = str(error.validator), cast(Any, error.validator_value)
    found: Any = error.instance
    shape: Mapping[str, Any] = error.schema if isinstance(error.schema, Mapping) else {}
    remedy = str(shape.get("remedy", ""))
    if "propertyNames" in error.absolute_schema_path:
        yield problem(node[str(found)].location, f"the key {quoted(found)} is not as it should be", remedy)
    elif rule == "additionalProperties":
        legal = list(shape.get("properties", {}))
        patterns = list(shape.get("patternProperties", {}))
        for key, below in node.items():
            if key not in legal and not any(re.search(one, key) for one in patterns):
                close = did_you_mean(key, legal, "keys")
                meant = f"{close} " if close.startswith("Did") else ""
                yield problem(below.location, f"unknown key {quoted(key)}", f"{meant}Legal keys: {listed(legal)}.")
    elif rule == "required":
        for key in value:
            if key not in node:
                yield problem(node.location, f"the key {quoted(key)} is missing", f"Needed are {listed(value)}.")
    elif rule == "dependentRequired":
        for key, others in value.items():
            for other in others:
                if key in node and other not in node:
                    yield problem(node.location, f"{quoted(key)} needs {quoted(other)} beside it", "Add it.")
    elif rule == "enum":
        legal = [str(one) for one in value]
        yield problem(node.location, f"unknown value {_shown(found)}", did_you_mean(str(found), legal, "values"))
    elif rule == "anyOf" and not _by_words(error):
        yield from _of_forms(top, error)
    else:
        yield problem(node.location, *_sentence(rule, value, found, remedy))


def _of_forms(top: YamlNode, error: ValidationError) -> Iterator[Problem]:
    """The problems of a value that is either a word or a mapping."""
    forms = cast(Any, error.validator_value)
    if isinstance(error.instance, dict):
        for one in error.context or ():
            if forms[one.schema_path[0]].get("type") == "object":
                yield from _problems(top, one)
        return
    words = [str(form["const"]) for form in forms if "const" in form]
    remedy = did_you_mean(str(error.instance), words, "values")
    yield problem(
        _at(top, error.absolute_path).location, f"unknown value {_shown(error.instance)}", f"{remedy} Or a mapping."
    )


def _sentence(rule: str, value: Any, found: Any, remedy: str) -> tuple[str, str]:
    match rule:
        case "type":
            types = [value] if isinstance(value, str) else list(value)
            return f"is {_kind(found)}, {_shown(found)}", f"Needed is {' or '.join(_TYPES[one] for one in types)}."
        case "pattern":
            return f"{_shown(found)} is not as it should be", remedy
        case "oneOf" if not all("required" in one for one in value):
            return f"is {_kind(found)}, {_shown(found)}", remedy
        case "oneOf" | "anyOf":
            names = [one["required"][0] for one in value]
            there = [name for name in names if name in found]
            return f"has {listed(there) if there else 'none of ' + listed(names)}", remedy
        case "const":
            remedy = "Write true or leave the key out." if value is True else f"This generator knows {value} only."
            return f"is {_shown(found)}", remedy
        case "minimum":
            return f"{found} is too small", f"The smallest is {value}."
        case "maximum":
            return f"{found} is too big", f"The biggest is {value}."
        case "minLength" | "minProperties":
            return "is empty", "Write something or leave the key out."
        case "maxLength":
            return f"has {len(found)} characters", f"At most {value}."
        case "minItems" | "maxItems" | "maxProperties":
            entries = "1 entry" if len(found) == 1 else f"{len(found)} entries"
            return f"has {entries}", f"{'At most' if rule.startswith('max') else 'At least'} {value}."
        case "uniqueItems":
            again = sorted({str(one) for one in found if found.count(one) > 1})
            return f"has {listed(again)} twice", "Name each once."
    raise AssertionError(f"no sentence for the JSON Schema rule {rule}")


def _at(top: YamlNode, path: Sequence[str | int]) -> YamlNode:
    node = top
    for step in path:
        node = node.list()[step] if isinstance(step, int) else node[step]
    return node


def _kind(found: Any) -> str:
    if isinstance(found, bool):
        return "a truth value"
    names = {dict: "a mapping", list: "a list", str: "text", int: "an integer", float: "a number"}
    return names[type(found)]


def _shown(found: Any) -> str:
    if isinstance(found, str):
        return quoted(found)
    return "{...}" if isinstance(found, dict) else "[...]" if isinstance(found, list) else str(found).lower()
