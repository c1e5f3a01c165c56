"""Options and what they affect.

- Every option is used by one word: a word of a container (`when` in any number of places), `batching`, `compression`,
  `large`, or its own `keep`; an option that `implies` others needs no use. It has the type that the word requires.
- A default has the option's type and is one of its choices or in its range; only an int has a range, which begins
  before it ends; only a choice has choices, and aliases differ from them.
- `implies` connects bools; needed options are bool, choice or text, since an int is always set; only a choice has
  `needs` by choice. There are no cycles.
- `keep` belongs to a bool, and to a kind of event that is carried and has the row image; `changed` compares two images,
  for messages that can leave out columns.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from ..meaning import images_of
from ..model import Option, Word
from ..problems import Problem, listed, problem, quoted
from ..schema_types.model import SchemaTypes
from .common import CommonContext, OptionUse


def check(context: CommonContext) -> list[Problem]:
    """The problems of this pass."""
    found: list[Problem] = []
    options = context.protocol.options
    readers: dict[str, dict[str, None]] = {}
    for use in (*context.option_uses(), *_common_uses(context)):
        readers.setdefault(use.name, {})[use.by] = None
        if options[use.name].type != use.type:
            text = f"the option {quoted(use.name)} is no {use.type}"
            found.append(problem(use.name.location, text, f"{use.by} needs one."))
    for option in options.values():
        found += _values(option)
        by = [*readers.get(option.name, {}), *(["keep"] if option.keep is not None else [])]
        if option.ignored:
            if by:
                text = f"the option is ignored, and read by {listed(by)}"
                found.append(problem(option.at("ignored"), text, "Remove ignored:, or what reads it."))
            continue
        if len(by) > 1 or not (by or option.implies):
            text = f"the option is read by {listed(by)}" if by else "nothing reads the option"
            found.append(problem(option.location, text, "Name it once where it acts, or remove it."))
        found += _others(context, option)
        found += _keep(context, option)
    return found


def _common_uses(context: CommonContext) -> Iterator[OptionUse]:
    """The uses of options by words outside containers."""
    protocol, large, batching = context.protocol, context.protocol.large, context.protocol.batching
    if batching is not None:
        limits = [("count", batching.count), ("bytes", batching.bytes)]
        limits += [("bytes", name) for name in dict.fromkeys(batching.bytes_of.values())]
        for word, name in limits:
            # the maximum length may be that of a message with one or with several events
            if name is not None and (large is None or name != large.bytes):
                yield OptionUse(name, f"batching.{word}", "int")
    if protocol.schema_types is not None:
        yield from _of_schema_types(protocol.schema_types, protocol.options)
    if protocol.compression is not None:
        yield OptionUse(protocol.compression, "compression", "choice")
    if large is not None:
        yield OptionUse(large.option, "large.option", "choice")
        yield OptionUse(large.bytes, "large.bytes", "int")
        for way in large.ways.values():
            if way.store is not None:
                yield OptionUse(way.store, f"{way.choice}.store", "text")
            if way.raw is not None:
                yield OptionUse(way.raw, f"{way.choice}.raw", "bool")


def _of_schema_types(said: SchemaTypes, options: Mapping[str, Option]) -> Iterator[OptionUse]:
    """The uses of the protocol's options in schema types; a shared chapter may name options of other protocols as well.
    """
    if said.exact is not None and said.exact.when is not None:
        yield OptionUse(said.exact.when, "when", "bool")
    for line in said.columns:
        for word, chosen in (("when", line.when), ("mode", line.mode)):
            if chosen is not None and chosen[0] in options:
                yield OptionUse(chosen[0], f"schema_types.columns.{word}", "choice")


def _values(option: Option) -> Iterator[Problem]:
    python = {"int": int, "bool": bool, "choice": str, "text": str}[option.type]
    if type(option.default) is not python:
        text = f"the default {str(option.default).lower()} is no {option.type}"
        yield problem(option.at("default"), text, "Give it the option's type.")
    elif isinstance(option.default, int) and option.range is not None:
        if not option.range[0] <= option.default <= option.range[1]:
            text = f"the default {option.default} is out of the range {option.range[0]} to {option.range[1]}"
            yield problem(option.at("default"), text, "Change one of them.")
    elif option.type == "choice" and option.choices and option.default not in option.choices:
        text = f"the default {quoted(option.default)} is none of the choices"
        yield problem(option.at("default"), text, f"Choices are {listed(option.choices)}.")
    if option.range is not None and option.type != "int":
        yield problem(option.at("range"), f"range: is for int, the option is {option.type}", "Remove it.")
    if option.range is not None and option.range[0] > option.range[1]:
        yield problem(option.at("range"), "the range ends before it begins", "Write the smaller number first.")
    if option.choices and option.type != "choice":
        yield problem(option.at("choices"), f"choices: is for choice, the option is {option.type}", "Remove it.")
    for alias in option.aliases:
        if option.type != "choice":
            yield problem(alias.location, f"aliases: is for choice, the option is {option.type}", "Remove it.")
        elif alias in option.choices:
            yield problem(alias.location, f"{quoted(alias)} is a choice itself", "Remove it here or there.")
    if not option.choices and option.type == "choice":
        yield problem(option.location, "nothing says what the choices are", "Say choices: [...].")


def _others(context: CommonContext, option: Option) -> Iterator[Problem]:
    options = context.protocol.options
    if option.implies and option.type != "bool":
        yield problem(option.at("implies"), f"implies: is for bool, the option is {option.type}", "Use needs:.")
    for name in option.implies:
        if options[name].type != "bool":
            text = f"the option {quoted(name)} is {options[name].type}, so nothing says what is implied"
            yield problem(name.location, text, "Imply a bool, or say needs:.")
    if option.choice_needs and option.type != "choice":
        text = f"needs: by choice is for choice, the option is {option.type}"
        yield problem(option.at("needs"), text, "List what it needs.")
    for name in _needed(option):
        if options[name].type == "int":
            yield problem(name.location, f"the option {quoted(name)} is an int, which is always set", "Remove it.")
    for word, names in (("implies", option.implies), ("needs", _needed(option))):
        for name in names:
            path = _way_back(context, name, option.name, word)
            if path is not None:
                circle = " -> ".join([option.name, *path])
                yield problem(name.location, f"{word}: goes in a circle: {circle}", "Leave one of them out.")


def _needed(option: Option) -> tuple[Word, ...]:
    return (*option.needs, *(one for names in option.choice_needs.values() for one in names))


def _way_back(context: CommonContext, start: str, goal: str, word: str) -> list[str] | None:
    """The shortest path from one option to another by one word; None if there is none."""
    ways = {start: [start]}
    queue = [start]
    for name in queue:
        if name == goal:
            return ways[name]
        option = context.protocol.options[name]
        for following in option.implies if word == "implies" else _needed(option):
            if following not in ways:
                ways[following] = [*ways[name], str(following)]
                queue.append(following)
    return None


def _keep(context: CommonContext, option: Option) -> Iterator[Problem]:
    if option.keep is None:
        return
    if option.type != "bool":
        yield problem(option.at("keep"), f"keep: is switched by a bool, the option is {option.type}", "Make it a bool.")
    kind = context.spec.events.kinds[option.keep.event]
    images = images_of(context.spec, kind)
    if kind.cls not in context.carried():
        text = f"no case carries events of kind {quoted(kind.name)}"
        carried = listed(context.carried())
        yield problem(option.keep.event.location, text, f"Carried are the classes {carried}.")
    elif option.keep.image not in images:
        text = f"events of kind {quoted(kind.name)} have no image {quoted(option.keep.image)}"
        yield problem(option.keep.image.location, text, f"They have {listed(images)}.")
    elif option.keep.changed and not context.partial_images:
        text = "messages of this protocol cannot leave out the columns that did not change"
        yield problem(option.keep.at("changed"), text, "Say flagged:.")
    elif option.keep.changed and len(images) < 2:
        text = f"events of kind {quoted(kind.name)} have one row image, so none of its values has changed"
        yield problem(option.keep.at("changed"), text, "Say flagged:, or take a kind with two images.")
