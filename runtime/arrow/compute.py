"""The functions of pyarrow.compute, which is imported when the first of them is asked for.

To import it takes 50 ms, and what only decodes messages does without.
"""

from __future__ import annotations

from typing import Any


def __getattr__(name: str) -> Any:
    """The function of that name."""
    if name.startswith("_"):
        raise AttributeError(name)
    import pyarrow.compute

    function = globals()[name] = getattr(pyarrow.compute, name)
    return function
