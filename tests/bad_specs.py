"""Bad specs: what is changed in a right one, line by line, and the problems that the changed lines then have.

`tests/spec_bad/BASE/PASS.diff` has what the pass PASS refuses, as changes of `tests/spec_bad/base/BASE.yaml`, which
is right. A case is

    === what is wrong
     a line of the base that is there once, or several
    -what stood there
    +what stands there instead
    !parts.row.sections: the problem that the line above has, as the report words it
    ...
    +another place, behind "..."

`as NAME.yaml` below the title gives the spec another file name than `wrong.yaml`. In a problem, `{containers}` are all
that a part can be, and `{values}` all that a value can be: a case need not change because there is one more container.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from tidewire.generator import meta
from tidewire.generator.check import SHARED
from tidewire.generator.plugins import PLUGINS

FOLDER = Path(__file__).resolve().parent / "spec_bad"
MORE_BASES = {"connect": "json", "described": "json", "envelopes": "registered", "records": "json"}
"""Bases that are more right specs of a plug-in, for what its first base does not have."""
BESIDE = {"envelopes": {"beside": "connect", "plain": "json"}}
"""Bases that need other protocols: these, and the bases that they are."""
CONTAINERS = ", ".join(meta.containers())
VALUES = ", ".join(kind for plugin in PLUGINS for kind in plugin.roots)


@dataclass(frozen=True)
class BadSpec:
    """A wrong spec.

    Attributes:
        base: which right one it is made of: a plug-in's, one of `MORE_BASES`, or a shared file without suffix.
        refused_by: the pass that refuses it, or `yaml` (the loader), `shape` (the JSON Schema) or `layout` (who looks
            for its plug-in).
        title: what is wrong.
        file: its name in reports.
        text: it, whole.
        report: the lines of the report.
    """

    base: str
    refused_by: str
    title: str
    file: str
    text: str
    report: tuple[str, ...]

    @property
    def of(self) -> str:
        """The plug-in, or the shared file."""
        return MORE_BASES.get(self.base, self.base)

    @property
    def id(self) -> str:
        """A name of the case, as tests show it."""
        return f"{self.base}-{self.refused_by}-{self.title.replace(' ', '_')}"


@cache
def base(name: str) -> str:
    """The text of a base: binary, json, or a shared file without suffix."""
    return (FOLDER / "base" / f"{name}.yaml").read_text(encoding="utf-8")


def beside(name: str) -> dict[str, str]:
    """The texts of the protocols that a base needs, by file."""
    return {
        f"spec_bad/{stem}.yaml": base(other).replace("protocol: wrong", f"protocol: {stem}")
        for stem, other in BESIDE.get(name, {}).items()
    }


@cache
def bad_specs() -> tuple[BadSpec, ...]:
    """All cases, by file and in their order there."""
    return tuple(one for path in sorted(FOLDER.glob("*/*.diff")) for one in cases(path))


def cases(path: Path) -> Iterator[BadSpec]:
    """The cases of a file.

    Raises:
        ValueError: a case is not written as the module says, or does not fit the base.
    """
    head, *parts = re.split(r"^=== (.+)\n", path.read_text(encoding="utf-8"), flags=re.MULTILINE)
    if head:
        raise ValueError(f"{path.name}: a case begins with ===, its title behind it")
    for title, body in zip(parts[::2], parts[1::2], strict=True):
        try:
            yield case(path.parent.name, path.stem, title, body)
        except ValueError as error:
            raise ValueError(f"{path.parent.name}/{path.name}, {title}: {error}") from None


def case(of: str, refused_by: str, title: str, body: str) -> BadSpec:
    """A case from its text.

    Raises:
        ValueError: as in `cases`.
    """
    lines = [line for line in body.split("\n") if line]
    stem = of if of in SHARED else "wrong"
    if lines and (named := re.fullmatch(r"as (\w+)\.yaml", lines[0])):
        stem = named[1]
        lines.pop(0)
    file = f"spec_bad/{stem}.yaml"
    text = base(of).splitlines()
    said: dict[int, list[str]] = {}
    # Lines get their numbers once all hunks are in place.
    placed: list[tuple[int, int, list[str], list[tuple[int, str]]]] = []
    for hunk in "\n".join(lines).split("\n...\n"):
        old: list[str] = []
        new: list[str] = []
        problems: list[tuple[int, str]] = []
        for line in hunk.split("\n"):
            sign, rest = line[:1], line[1:]
            if sign not in " -+!":
                raise ValueError(f"{line!r} begins with none of ' ', '-', '+', '!'")
            if sign == "!":
                rest = rest.replace("{containers}", CONTAINERS).replace("{values}", VALUES)
                problems.append((len(new) - 1, rest))
            else:
                old += [rest] if sign != "+" else []
                new += [rest] if sign != "-" else []
        placed.append((_found(text, old), len(old), new, problems))
    shift = 0
    for at, length, new, problems in sorted(placed):
        first = at + shift
        text[first : first + length] = new
        shift += len(new) - length
        for k, problem in problems:
            said.setdefault(first + k + 1, []).append(problem)
    report = [f"{file}:{number}  {problem}" for number, problems in sorted(said.items()) for problem in problems]
    return BadSpec(of, refused_by, title, file, "\n".join(text) + "\n", tuple(report))


def _found(text: list[str], old: list[str]) -> int:
    """Where lines stand in the base, all after one another."""
    if not old:
        raise ValueError("no line of the base stands before an added one: say behind which it comes")
    places = [k for k in range(len(text) - len(old) + 1) if text[k : k + len(old)] == old]
    if len(places) != 1:
        raise ValueError(f"{old} stand {len(places)} times in the base, not once")
    return places[0]
