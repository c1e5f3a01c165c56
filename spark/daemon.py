"""The process from which Spark forks its Python workers, with what tasks need loaded already.

`local_session` has it run in place of Spark's own, as `spark.python.daemon.module` allows. Workers of Spark's own load
pandas, pyarrow and this package when their first task comes. After each task they look for garbage in all that is
loaded, and before each they read the directories of Spark's zip files anew: a tenth of a second for every task.
"""

from __future__ import annotations

import gc
import re
import sys
from contextlib import suppress
from importlib import import_module

_NEEDED = ("pandas", "pyarrow.compute", "pyspark.sql.pandas.serializers", "tidewire.spark.sync.stage_task")


def prepare() -> None:
    """Loads what tasks need, so that workers have it when they are forked, and nothing looks for garbage in it."""
    for name in _NEEDED:
        with suppress(Exception):  # a task that needs it says what is wrong, and others do without
            import_module(name)
    # Spark's own modules are loaded; what is not is found by the packages that it belongs to
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
