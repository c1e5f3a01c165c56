"""`python -m tidewire.cli`, and the entry point of the `tidewire` command."""

from __future__ import annotations

import sys
from collections.abc import Sequence

__all__ = ["app"]


def app(arguments: Sequence[str] | None = None) -> None:
    """Runs the command line; without arguments, those of this process."""
    given = sys.argv[1:] if arguments is None else list(arguments)
    if given == ["--version"]:  # before the parser of arguments is imported, which takes longer than the answer
        from tidewire.cli.version import version

        print(version())
        return
    from tidewire.cli.main import app as commands

    commands(given, prog_name="tidewire")


if __name__ == "__main__":
    app()
