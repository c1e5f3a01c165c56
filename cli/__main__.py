"""`python -m tidewire.cli`, and where the `tidewire` command starts."""

from __future__ import annotations

from tidewire.cli.main import app

__all__ = ["app"]

if __name__ == "__main__":
    app(prog_name="tidewire")
