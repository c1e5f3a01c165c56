"""The functions of pyarrow.compute, which is imported on first use.

Importing it takes 50 ms, which merely decoding messages should not cost.
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
