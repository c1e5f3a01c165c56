"""`python -m tidewire.cli`, and where the `tidewire` command starts."""

from __future__ import annotations

import sys
from collections.abc import Sequence

__all__ = ["app"]


def app(arguments: Sequence[str] | None = None) -> None:
    """Run the command line; without arguments, those of this process."""
    given = sys.argv[1:] if arguments is None else list(arguments)
    if given == ["--version"]:  # before what reads arguments, which takes longer to import than to answer
        from tidewire.cli.version import version

        print(version())
        return
    from tidewire.cli.main import app as commands

    commands(given, prog_name="tidewire")


if __name__ == "__main__":
    app()
