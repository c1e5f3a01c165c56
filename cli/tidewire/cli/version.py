"""Version and environment. It imports as little as possible, so that `tidewire --version` is fast."""

from __future__ import annotations

import platform
from importlib.metadata import version as installed

from tidewire import runtime


def version() -> str:
    """The version in one line."""
    parts = f"{runtime.compiled_reason}; Python {platform.python_version()}, Arrow {installed('pyarrow')}"
    return f"tidewire {runtime.installed_version()}, {parts}"
