"""Options, batching and what they act on.

- Every option is read, once: by `count` or `bytes` of batching, which need an int, or by its own `keep`, which needs
  a bool.
- A default has the option's type and lies in its range; a range is for an int and begins before it ends.
- Events of the class that is gathered are carried; `keep` is for a kind of them that has the row image.
"""

from __future__ import annotations

from collections.abc import Iterator

from ..model import Option
from ..problems import Problem, listed, problem, quoted
from .context import Context


def check(context: Context) -> list[Problem]:
    """The problems of this pass."""
    found: list[Problem] = []
    batching = context.protocol.batching
    carried = [str(case.event) for case in context.switch[1].cases.values()]
    readers: dict[str, list[str]] = {}
    if batching is not None:
        if batching.gather not in carried:
            text = f"no case carries events of class {quoted(batching.gather)}"
            found.append(problem(batching.gather.place, text, f"Carried are {listed(carried)}."))
        for word, name in (("count", batching.count), ("bytes", batching.bytes)):
            if name is not None:
                readers.setdefault(name, []).append(f"batching.{word}")
                if context.protocol.options[name].type != "int":
                    text = f"the option {quoted(name)} is no int"
                    found.append(problem(name.place, text, f"batching.{word} needs one."))
    for option in context.protocol.options.values():
        found += _option(option)
        by = readers.get(option.name, []) + (["keep"] if option.keep is not None else [])
        if len(by) != 1:
            text = f"the option is read by {listed(by)}" if by else "nothing reads the option"
            found.append(problem(option.place, text, "Name it in batching, say keep:, or remove it."))
        if option.keep is not None:
            kind = context.spec.events.kinds[option.keep.event]
            if kind.cls not in carried:
                text = f"no case carries events of kind {quoted(kind.name)}"
                found.append(problem(option.keep.event.place, text, f"Carried are the classes {listed(carried)}."))
            elif kind.images is not None and option.keep.image not in kind.images:
                text = f"events of kind {quoted(kind.name)} have no image {quoted(option.keep.image)}"
                found.append(problem(option.keep.image.place, text, f"They have {listed(kind.images)}."))
    return found


def _option(option: Option) -> Iterator[Problem]:
    if isinstance(option.default, bool) != (option.type == "bool"):
        shown = str(option.default).lower()
        yield problem(option.at("default"), f"the default {shown} is no {option.type}", "Give it the option's type.")
    elif (
        option.range is not None
        and isinstance(option.default, int)
        and not option.range[0] <= option.default <= option.range[1]
    ):
        text = f"the default {option.default} is out of the range {option.range[0]} to {option.range[1]}"
        yield problem(option.at("default"), text, "Change one of them.")
    if option.range is not None and option.type != "int":
        yield problem(option.at("range"), f"range: is for int, the option is {option.type}", "Remove it.")
    if option.range is not None and option.range[0] > option.range[1]:
        yield problem(option.at("range"), "the range ends before it begins", "Write the smaller number first.")
    if option.keep is not None and option.type != "bool":
        yield problem(option.at("keep"), f"keep: is switched by a bool, the option is {option.type}", "Make it a bool.")
