"""The command and its subcommands."""

from __future__ import annotations

from typing import Annotated

import typer

from tidewire.cli.conform.command import conform
from tidewire.cli.decode import decode
from tidewire.cli.dissect import dissect
from tidewire.cli.encode import encode
from tidewire.cli.protocols import protocols
from tidewire.cli.schema import schema
from tidewire.cli.shell import Commands, complain, version
from tidewire.cli.transcode import transcode
from tidewire.runtime import slow_mode

app = typer.Typer(
    name="tidewire",
    cls=Commands,
    help="TiDB's change-data protocols: messages to events and back, byte by byte.",
    no_args_is_help=True,
    rich_markup_mode="markdown",  # paragraphs of help are wrapped anew
    context_settings={"help_option_names": ["-h", "--help"]},
    pretty_exceptions_enable=False,
)


def _print_version(wanted: bool) -> None:
    if wanted:
        version()
        raise typer.Exit


@app.callback()
def main(
    show_version: Annotated[
        bool, typer.Option("--version", is_eager=True, callback=_print_version, help="Print the version and leave.")
    ] = False,
) -> None:
    """TiDB's change-data protocols: messages to events and back, byte by byte."""
    slow_mode.say_once(complain)


for command in (decode, encode, transcode, dissect, conform, protocols, schema):
    app.command()(command)
