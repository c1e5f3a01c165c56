"""Options of a protocol: their types, ranges and names, checked in one place."""

from __future__ import annotations

import difflib
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from tidewire.runtime.errors import OptionError


@dataclass(frozen=True, slots=True)
class OptionSpec:
    """One option, as the spec has it."""

    name: str
    """With dashes, as TiCDC writes it."""
    type: str
    """int, bool or choice."""
    default: int | bool | str
    about: str
    range: tuple[int, int] | None = None
    """Least and greatest value of an int."""
    choices: tuple[str, ...] = ()
    """The values of a choice."""

    @property
    def field(self) -> str:
        """With underscores, as Python writes it."""
        return self.name.replace("-", "_")

    def check(self, protocol: str, value: Any) -> None:
        """Raises OptionError when the value is not one that the option can have."""
        if self.type == "bool":
            legal, wanted = isinstance(value, bool), "true or false"
        elif self.type == "int":
            low, high = self.range or (-(2**63), 2**63 - 1)
            legal = isinstance(value, int) and not isinstance(value, bool) and low <= value <= high
            wanted = f"an integer from {low} to {high}"
        else:
            legal, wanted = value in self.choices, f"one of {', '.join(self.choices)}"
        if not legal:
            raise OptionError(f"{protocol}: option {self.name} is {wanted}, not {value!r}")

    def parse(self, protocol: str, text: str) -> int | bool | str:
        """The value that a string stands for."""
        folded = text.strip().lower()
        if self.type == "bool" and folded in ("true", "false"):
            return folded == "true"
        if self.type == "int":
            try:
                return int(folded)
            except ValueError:
                pass
        if self.type == "choice":
            return folded
        low, high = self.range or (0, 0)
        wanted = "true or false" if self.type == "bool" else f"an integer from {low} to {high}"
        raise OptionError(f"{protocol}: option {self.name} is {wanted}, not {text!r}")


def check_options(protocol: str, specs: tuple[OptionSpec, ...], options: Any) -> None:
    """Checks every option of an options object.

    Raises:
        OptionError: a value is not one that its option can have.
    """
    for spec in specs:
        spec.check(protocol, getattr(options, spec.field))


def parse_options(
    protocol: str, specs: tuple[OptionSpec, ...], given: Mapping[str, Any]
) -> dict[str, int | bool | str]:
    """Options given as strings, under their names with dashes or underscores, by the names of their fields.

    Raises:
        OptionError: a name is unknown (the text lists the legal ones) or a value cannot be read.
    """
    known = {spec.field: spec for spec in specs}
    parsed: dict[str, int | bool | str] = {}
    for name, text in given.items():
        spec = known.get(str(name).strip().lower().replace("-", "_"))
        if spec is None:
            legal = ", ".join(spec.name for spec in specs)
            near = difflib.get_close_matches(str(name).replace("_", "-"), [spec.name for spec in specs], 1)
            hint = f" Did you mean {near[0]}?" if near else ""
            raise OptionError(f"{protocol}: there is no option {name!r}.{hint} The options are {legal}.")
        if isinstance(text, str):
            parsed[spec.field] = spec.parse(protocol, text)
        else:
            spec.check(protocol, text)
            parsed[spec.field] = text
    return parsed


INVALID_TEXT = OptionSpec(
    "invalid-text",
    "choice",
    "error",
    "What becomes of text that is not UTF-8: an error, replaced by U+FFFD, or given as bytes.",
    choices=("error", "replace", "bytes"),
)
"""The policy for text that is not UTF-8, which every protocol's decoder has."""
