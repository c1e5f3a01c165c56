"""Warns once if the codecs run interpreted without having been asked to."""

from __future__ import annotations

import os
import warnings
from collections.abc import Callable

from tidewire import runtime

FACTOR = 100
"""About how many times slower the interpreted modules are (docs/install.md)."""
SAID = "TIDEWIRE_SLOW_MODE_SAID"
"""Environment variable with the reason of the last warning: child processes, such as Spark's local workers, inherit it
and do not warn again.
"""


class SlowModeWarning(UserWarning):
    """The codecs run interpreted; the text has the reason, the slowdown and the remedy."""


def sentence() -> str | None:
    """The text of the warning; None if the compiled modules are used, or if TIDEWIRE_PURE=1 selects the others."""
    cause = runtime.compiled_reason.removeprefix("pure: ")
    if runtime.compiled or os.environ.get("TIDEWIRE_PURE") == "1":
        return None
    return (
        f"Tidewire runs interpreted, with the same results, about {FACTOR} times slower: {cause.partition(';')[0]}. "
        "Install a C compiler and Python's headers (Debian: apt install gcc python3-dev), then install Tidewire again, "
        "or in its repository run make build. TIDEWIRE_PURE=1 keeps this quiet"
    )


def say_once(tell: Callable[[str], None]) -> None:
    """Passes the warning, if there is one, to `tell`, unless this process or a parent already did."""
    text = sentence()
    if text is not None and os.environ.get(SAID) != runtime.compiled_reason:
        os.environ[SAID] = runtime.compiled_reason
        tell(text)


def warn_once() -> None:
    """`say_once` with a Python warning; for the module that every protocol's module imports."""
    # The warning shows the line of the user's program: skips the frames of this function, say_once, the lambda, the
    # codecs' common module and a protocol's module.
    say_once(lambda text: warnings.warn(text, SlowModeWarning, stacklevel=6))
