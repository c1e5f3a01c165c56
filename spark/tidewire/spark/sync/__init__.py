"""From a topic to live tables: changes are staged, resolved by watermarks, applied, and published at one TSO.

    from tidewire.spark import snapshot, sync

The modules that decide are pure and need no Spark: `changelog` (what a micro-batch staged, and the manifest),
`resolved` (the next manifest), `file_lists` and `manifests` (where both are stored) and `plan` (the steps for each
table). `staging` and `steps` carry this out with Spark, the latter on the tables of `targets`: Iceberg, Delta and
Parquet. `batches` takes a micro-batch through all of them, `publish` is for readers, `run` has the functions that
users call, `how_far` reports progress.
"""

from __future__ import annotations

import sys
from importlib import import_module
from types import ModuleType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from tidewire.spark.sync.exact import snapshot
    from tidewire.spark.sync.how_far import status
    from tidewire.spark.sync.row_versions import scd2
    from tidewire.spark.sync.run import Sync, sync

__all__ = ["scd2", "snapshot", "status", "sync"]

_FROM = {"scd2": "row_versions", "snapshot": "exact", "status": "how_far", "sync": "run"}
"""The module of each name, imported on first use: the deciding modules of this package need no Spark."""


def __getattr__(name: str) -> Any:
    """Imports a name of `_FROM` on its first use."""
    if name not in _FROM:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    found = globals()[name] = getattr(import_module(f"{__name__}.{_FROM[name]}"), name)
    return found


class _Callable(ModuleType):
    """The type of this package, which makes it callable like its function `sync`. Importing any module of the package
    makes Python bind the package to the name `sync` in `tidewire.spark`, where users expect the function.
    """

    def __call__(self, *args: Any, **named: Any) -> Sync:
        """Calls the function `sync`."""
        found: Sync = self.sync(*args, **named)
        return found


sys.modules[__name__].__class__ = _Callable
