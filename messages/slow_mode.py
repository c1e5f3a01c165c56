"""Warns once that the codecs run interpreted although nobody asked for that."""

from __future__ import annotations

import os
import warnings
from collections.abc import Callable

from tidewire import runtime

FACTOR = 100
"""About how many times slower the interpreted modules are (docs/install.md)."""
SAID = "TIDEWIRE_SLOW_MODE_SAID"
"""Environment variable with the cause that was said last: child processes, such as Spark's local workers, see it and
stay quiet."""


class SlowModeWarning(UserWarning):
    """The codecs run interpreted; the text says why, how much that costs and what mends it."""


def sentence() -> str | None:
    """What is wrong and what to do; None when the compiled modules run, or when TIDEWIRE_PURE=1 asks for the others."""
    cause = runtime.compiled_reason.removeprefix("pure: ")
    if runtime.compiled or os.environ.get("TIDEWIRE_PURE") == "1":
        return None
    return (
        f"Tidewire runs interpreted, with the same results, about {FACTOR} times slower: {cause.partition(';')[0]}. "
        "Install a C compiler and Python's headers (Debian: apt install gcc python3-dev), then install Tidewire again, "
        "or in its repository run make build. TIDEWIRE_PURE=1 keeps this quiet"
    )


def say_once(tell: Callable[[str], None]) -> None:
    """Passes the sentence, if there is one, to `tell`, unless this process or a parent of it already did."""
    text = sentence()
    if text is not None and os.environ.get(SAID) != runtime.compiled_reason:
        os.environ[SAID] = runtime.compiled_reason
        tell(text)


def warn_once() -> None:
    """`say_once` with a Python warning; for the module that every protocol's module imports."""
    # The line that is shown with it is that of the program: behind this function, say_once, the lambda, the codecs'
    # common module and a protocol's module.
    say_once(lambda text: warnings.warn(text, SlowModeWarning, stacklevel=6))
