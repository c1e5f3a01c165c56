"""The list of plug-ins, and the assignment of protocols to them.

Any subfolder with a `plugin.py` that defines `PLUGIN` is found; there is no other registration.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from importlib import import_module
from typing import Any

from .build_common import NO_KEY, container
from .folders import folders
from .load import YamlNode
from .model import Protocol, Spec
from .plugin import Plugin
from .problems import Problem, listed, problem, quoted, unknown

PLUGINS: tuple[Plugin[Any, Any], ...] = tuple(
    import_module(f".{folder.name}.plugin", __package__).PLUGIN for folder in folders()
)


def plugin_of(protocol: Protocol) -> Plugin[Any, Any]:
    """The plug-in for a protocol."""
    return _reading(protocol.container)


def build(top: YamlNode, file: str) -> Protocol:
    """Builds the model of a protocol's file, in which `layout` has found no problems."""
    protocol: Protocol = _reading(container(_value(top))).build(top, file)
    return protocol


def derived(spec: Spec) -> Spec:
    """The same specs, with what follows for each protocol from the shared files."""

    def one(protocol: Protocol) -> Protocol:
        derive = plugin_of(protocol).derive
        return protocol if derive is None else derive(spec, protocol)

    return replace(spec, protocols={name: one(protocol) for name, protocol in spec.protocols.items()})


def layout(top: YamlNode) -> list[Problem]:
    """Problems of a protocol's file with its plug-in: there is none for its containers, or the plug-in does not support
    a word. The file is valid by its JSON Schema.
    """
    root, parts = top["root"], top["parts"]
    for side in ("value", "key"):
        name = root[side].plain()
        if isinstance(name, str) and name not in parts and (side, name) != ("key", NO_KEY):
            return [unknown(root[side].location, "part", name, [key for key, _ in parts.items()])]
    kind = container(_value(top))
    roots = [one for plugin in PLUGINS for one in plugin.roots]
    if kind not in roots:
        text = f"the part {quoted(root['value'].value)} is {kind}, and a value is none"
        return [problem(root["value"].location, text, f"A value is one of {listed(roots)}.")]
    parts_and_words = [*_key(top, kind), *_parts(top, kind), *_words(top, kind)]
    return parts_and_words or list(_unread(top, kind))


def _value(top: YamlNode) -> YamlNode:
    return top["parts"][str(top["root"]["value"].value)]


def _reading(kind: str) -> Plugin[Any, Any]:
    """The plug-in for values that are this container."""
    return next(one for one in PLUGINS if kind in one.roots)


def _key(top: YamlNode, kind: str) -> Iterator[Problem]:
    key, plugin = top["root"]["key"], _reading(kind)
    forms = {"PART": kind in plugin.keyed, "{CLASS: PART}": kind in plugin.keyed_by_class}
    form = "{CLASS: PART}" if isinstance(key.plain(), dict) else "PART"
    if key.value == NO_KEY or forms[form]:
        return
    if not any(forms.values()):
        yield problem(key.location, f"messages whose value is {kind} have no key", f"Say key: {NO_KEY}.")
        return
    said = "a part for each class of events" if kind in plugin.keyed_by_class else "the same part in all messages"
    legal = next(one for one, there in forms.items() if there)
    yield problem(key.location, f"where a value is {kind}, the key is {said}", f"Say key: {legal}.")


def _parts(top: YamlNode, kind: str) -> Iterator[Problem]:
    reading = _reading(kind)
    inside = reading.inside.get(kind)
    legal = [one for one in reading.containers if inside is None or one in (kind, *inside)]
    for name, part in top["parts"].items():
        if container(part) not in legal:
            text = f"the part {quoted(name)} is {container(part)}, which a message whose value is {kind} does not have"
            yield problem(part.location, text, f"Its parts are {listed(legal)}.")


def _words(top: YamlNode, kind: str) -> Iterator[Problem]:
    """Problems with protocol words that not every plug-in supports: unsupported words, and missing required ones."""
    own = _reading(kind).roots[kind]
    for word in dict.fromkeys(word for plugin in PLUGINS for words in plugin.roots.values() for word in words):
        *above, last = word.split(".")
        holder = top
        for step in above:
            found = holder.get(step)
            if found is None:
                break
            holder = found
        else:
            if last in holder and word not in own and not (above and ".".join(above) not in own):
                yield problem(holder[last].location, f"says nothing where a value is {kind}", "Remove it.")
            elif last not in holder and own.get(word, False):
                yield problem(
                    holder.location, f"the key {quoted(last)} is missing", f"A value that is {kind} needs it."
                )


DESCRIBED = ("described", "told", "told_list")
"""The names in `Plugin.reads` for a part that describes a table, column or index, for its members and for their lists.
"""

NOTHING = "nothing"
"""The type of a member that says nothing."""
TOLD = ("tells", "list", "part")
"""A member of such a part has exactly one of these words."""


def _unread(top: YamlNode, kind: str) -> Iterator[Problem]:
    """Problems with words of shared containers: unsupported words, and missing required ones."""
    plugin = _reading(kind)
    for what, node in _nodes(top):
        where = "in a part that describes something" if what in DESCRIBED else f"where a value is {kind}"
        for word, below in node.map().items():
            if word not in plugin.reads.get(what, (word,)):
                yield problem(below.location, f"says nothing {where}", "Remove it.")
        type = node.get("type")
        if what == "told" and not any(word in node for word in TOLD) and (type is None or type.value != NOTHING):
            text = "it tells nothing of what the part describes"
            yield problem(node.location, text, f"Say tells:, list: or part:, or type: {NOTHING}.")
        for word in plugin.needs.get(what, ()):
            if word not in node:
                yield problem(node.location, f"the key {quoted(word)} is missing", f"A value that is {kind} needs it.")


def _nodes(top: YamlNode) -> Iterator[tuple[str, YamlNode]]:
    """The objects and choices of a file with everything in them, each with its name in `Plugin.reads`."""
    for _, part in top["parts"].items():
        if "choice" in part:
            yield from (("case", case) for _, case in part["choice"]["cases"].items())
        elif "object" in part:
            yield "object", part
            described = "describes" in part
            if described:
                yield "described", part
            for member in part["object"].list():
                yield "told" if described else "member", member
                if "list" in member:
                    yield "told_list" if described else "changes" if "event" in member else "list", member["list"]
                if "by_column" in member:
                    yield "by_column", member["by_column"]
