"""Names in protocols.

- A protocol has the name of its file, which is not the name of another module of the package.
- No name is a Python keyword: names become attributes, variables and modules of generated code.
- No option has the name of an option of every encoder; differences, losses and defects have different names.
"""

from __future__ import annotations

from ..model import Word
from ..problems import Problem, problem, quoted
from .common import CommonContext, keywords

RESERVED = frozenset(
    {"cli", "codec", "events", "generator", "mysql", "names", "protocols", "reading"}
    | {"runtime", "schemas", "spark", "tables"}
)
"""Modules of the package that are not protocols."""
RESERVED_OPTIONS = frozenset({"producer"})
"""Options that every encoder has."""


def check(context: CommonContext) -> list[Problem]:
    """The problems of this pass."""
    protocol = context.protocol
    found: list[Problem] = []
    stem = protocol.file.rsplit("/", 1)[-1].removesuffix(".yaml")
    if protocol.name != stem:
        found.append(
            problem(
                protocol.name.location,
                f"the protocol {quoted(protocol.name)} is in a file of another name",
                f"Name the file {protocol.name}.yaml, or the protocol {quoted(stem)}.",
            )
        )
    if protocol.name in RESERVED:
        found.append(problem(protocol.name.location, f"a module {quoted(protocol.name)} exists", "Take another name."))
    found += keywords([*(one.name for one in protocol.values.values()), protocol.name])
    for option in protocol.options.values():
        found += keywords([Word(option.python_name, option.location)])
        if option.name in RESERVED_OPTIONS:
            text = f"every encoder has an option {quoted(option.name)}"
            found.append(problem(option.location, text, "Take another name."))
    for name, lost in protocol.losses.items():
        if name in protocol.defects:
            text = f"a defect is called {quoted(name)} as well"
            found.append(problem(lost.location, text, "Take another name."))
    for name, difference in protocol.differences.items():
        if name in protocol.defects or name in protocol.losses:
            what = "defect" if name in protocol.defects else "loss"
            text = f"a {what} is called {quoted(name)} as well"
            found.append(problem(difference.location, text, "Take another name."))
    return found
