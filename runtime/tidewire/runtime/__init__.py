"""The runtime of the generated codecs: primitives of wire formats, event columns, errors.

Attributes:
    API_VERSION: the version that generated code requires; `require_api` compares it.
    compiled: whether the compiled modules are used (True) or their interpreted sources.
    compiled_reason: the same in words: "compiled", or "pure: " and the reason.
"""

from __future__ import annotations

import sys

if sys.version_info < (3, 11):  # noqa: UP036 - a sentence instead of the first syntax that an older Python lacks
    raise ImportError(
        f"Tidewire needs Python 3.11 or newer; {sys.executable} is {sys.version.split()[0]}. In Spark, PYSPARK_PYTHON "
        "says which Python the executors run"
    )

from typing import Final

from tidewire.runtime import switch as _switch

__all__ = ["API_VERSION", "compiled", "compiled_reason", "installed_version", "require_api"]

API_VERSION: Final = 1

compiled: bool
compiled_reason: str
compiled, compiled_reason = _switch.install(_switch.folders())


def require_api(version: int) -> None:
    """Generated modules call this with the version they were printed for; ImportError when it is another."""
    if version != API_VERSION:
        raise ImportError(
            f"the generated modules expect version {version} of tidewire.runtime, this is version {API_VERSION}: "
            "run make generate, or install both from one release"
        )


def installed_version() -> str:
    """The version of the installed package, such as ``0.1.0``; ``unknown`` when it runs without being installed."""
    from importlib.metadata import PackageNotFoundError, version

    try:
        return version("tidewire")
    except PackageNotFoundError:
        return "unknown"
