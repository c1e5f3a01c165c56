"""Protocol modules by name, and options from strings."""

from __future__ import annotations

import dataclasses
import difflib
import json
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any, NamedTuple, TypeAlias

import typer

import tidewire
from tidewire.cli.completion import complete_option, complete_protocol
from tidewire.cli.shell import CommandError, console
from tidewire.messages.by_protocol import UnknownProtocolError
from tidewire.reading.files.pairs import key_head as head_of_keys

OptionPairs: TypeAlias = Annotated[
    list[str] | None,
    typer.Option(
        "--option",
        "-o",
        metavar="NAME=VALUE",
        help="An option of the protocol; may be repeated.",
        autocompletion=complete_option,
    ),
]
"""Options of a protocol on the command line."""


def module_name(protocol: str) -> str:
    """The name of a protocol's module from TiCDC's name: open-protocol is open_protocol."""
    return protocol.replace("-", "_").lower()


def python_name(option: str) -> str:
    """The attribute name of an option."""
    return option.replace("-", "_")


def load(protocol: str) -> Any:
    """The module of a protocol, by its name or TiCDC's.

    Raises:
        CommandError: there is no such protocol.
    """
    try:
        return tidewire.protocols()[protocol].load()
    except UnknownProtocolError as error:
        file = f". {protocol} is a file, which stands without -p" if Path(protocol).is_file() else ""
        raise CommandError(f"{error}{file}") from None


def key_head() -> bytes:
    """The bytes that keys begin with, for the protocol that is recognized by them; empty if no protocol is."""
    return head_of_keys(tidewire.protocols())


def pairs(options: Sequence[str]) -> dict[str, str]:
    """Parses `name=value` strings into a dictionary.

    Raises:
        CommandError: a string has no `=`, or a name occurs twice.
    """
    found: dict[str, str] = {}
    for option in options:
        name, equals, value = option.partition("=")
        if not equals:
            raise CommandError(f"-o {option}: an option is written name=value; a file to write is named by --out or >")
        if name in found:
            raise CommandError(f"-o {option}: {name} is given twice")
        found[name] = value
    return found


def knows(protocol: Any, field: str) -> bool:
    """Whether a protocol has the option whose Python name is `field`."""
    return any(f.name == field for f in dataclasses.fields(protocol.Options))


def options(protocol: Any, strings: Mapping[str, str], **defaults: str) -> Any:
    """The protocol's options from strings under TiCDC's names (with dashes).

    Args:
        protocol: module of the protocol.
        strings: options given by the user.
        defaults: default values by Python name; ignored if the protocol lacks the option.

    Raises:
        CommandError: an option applies to typed rows only.
        OptionError: a name is unknown or a value invalid; the text lists the valid ones.
    """
    own = [one.name for one in protocol.OPTIONS]
    for name, value in strings.items():
        if not knows(protocol, python_name(name)):
            refuse_if_of_rows(name, value, own)
    return protocol.Options.from_strings(with_defaults(protocol, strings, **defaults))


def refuse_if_of_rows(name: str, value: str, others: Iterable[str]) -> None:
    """Refuses options that apply to typed rows only; events have values as in their messages.

    Args:
        name: name of an option that the protocol lacks.
        others: names of other options that may be meant.

    Raises:
        CommandError: it is such an option, or most similar to one.
    """
    from tidewire.reading.options import READ  # here, since most commands never need it

    folded = {one.lower(): one for one in READ}
    given = name.lower().replace("_", "-")
    own, said = folded.get(given.replace("-", "")), "this option"
    if own is None:
        near = difflib.get_close_matches(given, [*folded, *others], n=1)
        own = folded.get(near[0]) if near else None
        said = f"did you mean {own}? It"
    if own is None:
        return
    if own == "invalidText":
        raise CommandError(f"-o {name}: {said} is invalid-text here")
    raise CommandError(
        f"-o {name}: {said} is for typed rows, which --to writes: tidewire decode FILE --table shop.orders "
        f"--to parquet --out orders.parquet -o {own}={value}. Events have their values as the message has them"
    )


def with_defaults(protocol: Any, strings: Mapping[str, str], **defaults: str) -> dict[str, str]:
    """Option strings with defaults, for those options that the protocol has."""
    given = {name.replace("-", "_") for name in strings}
    extra = {k: v for k, v in defaults.items() if k not in given and knows(protocol, k)}
    return {**extra, **strings}


class ProducerDifference(NamedTuple):
    """A difference between producers of a protocol."""

    protocol: str
    name: str
    producer: str
    says: str


def differences(protocol: Any) -> list[ProducerDifference]:
    """The differences between the producers of a protocol: formats, options that only some support, defects."""
    found = [
        ProducerDifference(protocol.NAME, name, producer, text)
        for name, says in protocol.FACTS.producer_differences.items()
        for producer, text in says.items()
    ]
    found += [
        ProducerDifference(protocol.NAME, f"option {one.name}", producer, one.about)
        for one in protocol.OPTIONS
        for producer in one.producers
    ]
    for name, (producers, _types, about, *_) in {**protocol.FACTS.defects, **protocol.FACTS.differences}.items():
        found += [ProducerDifference(protocol.NAME, f"defect {name}", producer, about) for producer in producers]
    return found


def _show_differences(name: str | None, as_json: bool) -> None:
    chosen = [load(name)] if name is not None else [one.load() for one in tidewire.protocols().values()]
    found = [one for module in chosen for one in differences(module)]
    if as_json:
        typer.echo(json.dumps([one._asdict() for one in found], indent=2, ensure_ascii=False))
        return
    from rich.table import Table
    from rich.text import Text

    table = Table(box=None, pad_edge=False, padding=(0, 3, 1, 0), header_style="bold")
    for title in ("protocol", "what", "producer", "what it does"):
        table.add_column(title, no_wrap=title in ("protocol", "producer"), overflow="fold")
    for before, one in zip([None, *found], found, strict=False):
        again = before is not None and before[:2] == one[:2]
        table.add_row(
            "" if again else one.protocol, "" if again else one.name, Text(one.producer, "cyan"), Text(one.says)
        )
    console().print(table)


def protocols(
    name: Annotated[str | None, typer.Argument(help="Only this protocol.", autocompletion=complete_protocol)] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
    differ: Annotated[
        bool, typer.Option("--differences", help="Show what its producers write differently, and what is wrong.")
    ] = False,
) -> None:
    """List the protocols, who writes them and their state, or what differs between the producers of one."""
    if differ:
        _show_differences(name, as_json)
        return
    known = tidewire.protocols()
    listed = list(known.values()) if name is None else [known[load(name).NAME]]
    if as_json:
        found = [{"name": i.name, "title": i.title, "producers": i.producers, "state": i.state} for i in listed]
        typer.echo(json.dumps(found, indent=2, ensure_ascii=False))
        return
    from rich.table import Table
    from rich.text import Text

    table = Table(box=None, pad_edge=False, padding=(0, 3, 0, 0), header_style="bold")
    for title in ("protocol", "what it is", "producers", "state"):
        table.add_column(title)
    for info in listed:
        ready = "✓ ready" if info.writes else "✓ ready, read only"
        state = Text(ready, "green") if info.state == "ready" else Text("missing: make generate", "red")
        table.add_row(info.name, info.title, ", ".join(info.producers), state)
    console().print(table)
