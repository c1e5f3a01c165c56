"""What is installed and how it runs. Imports no more than that needs: `tidewire --version` answers at once."""

from __future__ import annotations

import platform
from importlib.metadata import version as installed

from tidewire import runtime


def version() -> str:
    """One line for people."""
    parts = f"{runtime.compiled_reason}; Python {platform.python_version()}, Arrow {installed('pyarrow')}"
    return f"tidewire {runtime.installed_version()}, {parts}"
