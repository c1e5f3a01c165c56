"""From a topic to live tables: changes are staged, resolved by watermarks, applied, and published at one TSO.

    from tidewire.spark import snapshot, sync

What decides is pure and needs no Spark: `changelog` (what a micro-batch staged, and the manifest), `resolved` (the next
manifest), `file_lists` and `manifests` (where both are kept) and `plan` (what each table has to do). `staging` and
`steps` do it with Spark, the latter to the tables of `targets`: Iceberg, Delta and Parquet. `batches` is the way of a
micro-batch through all of them, `publish` what readers see, `run` what people call, `how_far` what they are told.
"""

from __future__ import annotations

import sys
from importlib import import_module
from types import ModuleType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from tidewire.spark.sync.how_far import status
    from tidewire.spark.sync.publish import snapshot
    from tidewire.spark.sync.run import Sync, sync

__all__ = ["snapshot", "status", "sync"]

_FROM = {"snapshot": "publish", "status": "how_far", "sync": "run"}
"""The module of each name, imported when it is asked for: those of this package that decide need no Spark."""


def __getattr__(name: str) -> Any:
    """A name of `_FROM`, the first time it is asked for."""
    if name not in _FROM:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    found = globals()[name] = getattr(import_module(f"{__name__}.{_FROM[name]}"), name)
    return found


class _Callable(ModuleType):
    """This package, which is called as its function `sync`: as soon as any module of it is imported, Python puts the
    package under the name `sync` into `tidewire.spark`, where people expect the function.
    """

    def __call__(self, *args: Any, **named: Any) -> Sync:
        """What the function does."""
        found: Sync = self.sync(*args, **named)
        return found


sys.modules[__name__].__class__ = _Callable
