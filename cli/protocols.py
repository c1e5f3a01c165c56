"""From a protocol's name to its module, and from option strings to its options."""

from __future__ import annotations

import dataclasses
import difflib
import json
from collections.abc import Mapping, Sequence
from typing import Annotated, Any

import typer
from rich.table import Table
from rich.text import Text

import tidewire
from tidewire.cli.shell import CommandError, console


def module_name(protocol: str) -> str:
    """The name of a protocol's module from TiCDC's name: open-protocol is open_protocol."""
    return protocol.replace("-", "_").lower()


def load(protocol: str) -> Any:
    """The module of a protocol, by its name or TiCDC's.

    Raises:
        CommandError: there is no such protocol, or it is not built yet.
    """
    known = tidewire.protocols()
    name = module_name(protocol)
    if name not in known:
        near = difflib.get_close_matches(name, known, n=1)
        hint = f"did you mean {near[0]}?" if near else f"there are: {', '.join(known)}"
        raise CommandError(f"no protocol is called {protocol!r}; {hint}")
    info = known[name]
    if info.state != "ready":
        ready = ", ".join(n for n, i in known.items() if i.state == "ready")
        raise CommandError(f"{info.title} is not built yet; ready: {ready}")
    return info.load()


def pairs(options: Sequence[str]) -> dict[str, str]:
    """`name=value` strings as a dictionary.

    Raises:
        CommandError: a string has no `=`, or a name is there twice.
    """
    found: dict[str, str] = {}
    for option in options:
        name, equals, value = option.partition("=")
        if not equals:
            raise CommandError(f"-o {option}: an option is written name=value")
        if name in found:
            raise CommandError(f"-o {option}: {name} is given twice")
        found[name] = value
    return found


def knows(protocol: Any, field: str) -> bool:
    """Whether a protocol has the option whose Python name is `field`."""
    return any(f.name == field for f in dataclasses.fields(protocol.Options))


def options(protocol: Any, strings: Mapping[str, str], **defaults: str) -> Any:
    """The protocol's options from TiCDC's dashed names.

    Args:
        protocol: module of the protocol.
        strings: what the user said.
        defaults: what holds when the user did not say; by Python name, and only where the protocol has such an option.

    Raises:
        OptionError: an unknown name or an impossible value; the text names the legal ones.
    """
    given = {name.replace("-", "_") for name in strings}
    extra = {k: v for k, v in defaults.items() if k not in given and knows(protocol, k)}
    return protocol.Options.from_strings({**extra, **strings})


def protocols(as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False) -> None:
    """List the protocols and their state."""
    known = tidewire.protocols()
    if as_json:
        listed = [{"name": i.name, "title": i.title, "state": i.state} for i in known.values()]
        typer.echo(json.dumps(listed, indent=2, ensure_ascii=False))
        return
    table = Table(box=None, pad_edge=False, padding=(0, 3, 0, 0), header_style="bold")
    for title in ("protocol", "what it is", "state"):
        table.add_column(title)
    for info in known.values():
        ready = info.state == "ready"
        table.add_row(info.name, info.title, Text("✓ ready", "green") if ready else Text("not yet", "dim"))
    console().print(table)
