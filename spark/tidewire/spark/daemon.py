"""The process from which Spark forks its Python workers, with the modules that tasks need already loaded.

`local_session` uses it in place of Spark's own daemon, through `spark.python.daemon.module`. Spark's own workers load
pandas, pyarrow and this package in their first task. They also run the garbage collector over all loaded modules after
each task, and read the directories of Spark's zip files again before each: a tenth of a second for every task.
"""

from __future__ import annotations

import gc
import re
import sys
from contextlib import suppress
from importlib import import_module

_NEEDED = ("pandas", "pyarrow.compute", "pyspark.sql.pandas.serializers", "tidewire.spark.sync.stage_task")


def prepare() -> None:
    """Loads what tasks need before workers are forked, and excludes it from garbage collection."""
    for name in _NEEDED:
        with suppress(Exception):  # a task that needs the module reports the error; others work without it
            import_module(name)
    # Spark's own modules are loaded; the rest is found through its packages
    zips = tuple(place for place in sys.path if re.search(r"/(pyspark|py4j-[^/]*)\.zip$", place))
    sys.path[:] = [place for place in sys.path if place not in zips]
    for place in [place for place in sys.path_importer_cache if place.startswith(zips)]:
        del sys.path_importer_cache[place]
    gc.collect()
    gc.freeze()


if __name__ == "__main__":
    from pyspark.daemon import manager

    prepare()
    manager()  # type: ignore[no-untyped-call]
