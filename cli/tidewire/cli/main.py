"""The command and its subcommands; only the subcommand that runs is imported."""

from __future__ import annotations

import warnings
from importlib import import_module
from typing import Annotated, Any, Final, NamedTuple, TextIO

import typer

from tidewire.cli.completion import use_bash_script
from tidewire.cli.shell import Command, Commands, complain
from tidewire.cli.version import version
from tidewire.messages import slow_mode
from tidewire.runtime.connect.unknown import UnknownTypeWarning
from tidewire.runtime.decoding.rows_without_table import UnnamedTableWarning
from tidewire.runtime.json.skipped import SkippedStatementWarning
from tidewire.runtime.wire.strange_keys import StrangeKeyWarning

LOOK: Final[dict[str, Any]] = {
    "rich_markup_mode": "markdown",  # help texts are wrapped by paragraph
    "pretty_exceptions_enable": False,
}


class Place(NamedTuple):
    """The location of a command's code, and its help text."""

    module: str
    """The module with a function named like the command, or with a group of commands."""
    about: str
    """The first paragraph of that function's docstring, or of the group's callback."""

    def load(self, name: str) -> Any:
        """The command of that name; imports it."""
        found = getattr(import_module(self.module), name)
        if isinstance(found, typer.Typer):
            for one in found.registered_commands:
                one.cls = Command
            return typer.main.get_command(found)
        alone = typer.Typer(add_completion=False, **LOOK)
        alone.command(name, cls=Command)(found)
        return typer.main.get_command(alone)


COMMANDS: Final = {
    "decode": Place("tidewire.cli.decode", "Turn messages into change events, one JSON object a line."),
    "encode": Place("tidewire.cli.encode", "Turn change events, one JSON object a line, into messages."),
    "transcode": Place("tidewire.cli.transcode", "Turn messages of one protocol into messages of another."),
    "detect": Place(
        "tidewire.cli.detect",
        "Detect protocol, compression, batching and, as far as possible, producer and options of messages.",
    ),
    "check": Place("tidewire.cli.check", "Read all messages of files, write them again, and say what does not work."),
    "dissect": Place(
        "tidewire.cli.dissect", "Show which bytes of a message are which field, what they say and what that means."
    ),
    "conform": Place("tidewire.cli.conform.command", "Hold recorded messages against the codecs."),
    "protocols": Place(
        "tidewire.cli.protocols",
        "List the protocols, who writes them and their state, or what differs between the producers of one.",
    ),
    "schema": Place(
        "tidewire.cli.schema",
        "Show the Spark schema of events, of a table's rows, or of a protocol's message; or described tables as SQL.",
    ),
    "registry": Place(
        "tidewire.cli.registry",
        "Show, register and compare Avro schemas of a registry, or save them, so that messages can be read without it.",
    ),
    "sync": Place(
        "tidewire.cli.sync",
        "Keep tables of Iceberg, Delta or Parquet current from a topic, all of them as the source was at one TSO.",
    ),
}
"""The commands by name, in the order of the list."""


class LazyCommands(Commands):
    """The group of commands. It has placeholders with help texts, and imports only the command that runs."""

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """Name and command at the beginning of the arguments, and the remaining arguments."""
        name, command, rest = super().resolve_command(ctx, args)
        return name, COMMANDS[name].load(name) if name in COMMANDS else command, rest


use_bash_script()
app = typer.Typer(
    name="tidewire",
    cls=LazyCommands,
    help="TiDB's change-data protocols: messages to events and back, byte by byte.",
    no_args_is_help=True,
    context_settings={"help_option_names": ["-h", "--help"]},
    **LOOK,
)


def _print_version(wanted: bool) -> None:
    if wanted:
        typer.echo(version())
        raise typer.Exit


@app.callback()
def main(
    context: typer.Context,
    show_version: Annotated[
        bool, typer.Option("--version", is_eager=True, callback=_print_version, help="Print the version and leave.")
    ] = False,
) -> None:
    """TiDB's change-data protocols: messages to events and back, byte by byte."""
    slow_mode.say_once(complain)
    context.with_resource(warnings.catch_warnings())
    others = warnings.showwarning

    def show(
        message: Warning | str,
        category: type[Warning],
        filename: str,
        lineno: int,
        file: TextIO | None = None,
        line: str | None = None,
    ) -> None:
        if issubclass(category, UnknownTypeWarning | UnnamedTableWarning | StrangeKeyWarning | SkippedStatementWarning):
            complain(str(message))
        else:
            others(message, category, filename, lineno, file, line)

    warnings.showwarning = show


def _stand_in() -> None:
    """A placeholder that never runs."""


for name, command in COMMANDS.items():
    app.command(name, help=command.about)(_stand_in)
