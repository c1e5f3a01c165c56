"""Runs tasks in the executors' Python and brings their errors back."""

from __future__ import annotations

import pickle
import re
import sys
from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING, Any

from pyspark.errors import PythonException

from tidewire.reading.message_batch import MalformedError
from tidewire.reading.types import SchemaError
from tidewire.runtime.errors import OptionError
from tidewire.spark.sync.changelog import StateError

if TYPE_CHECKING:
    import pyarrow as pa
    from pyspark.sql import DataFrame, Row
    from pyspark.sql.types import StructType

Task = Callable[[Iterable["pa.RecordBatch"]], Iterator["pa.RecordBatch"]]

_RAISED: dict[str, type[Exception]] = {
    error.__name__: error for error in (MalformedError, OptionError, SchemaError, StateError, ImportError)
}


def run_on(df: DataFrame, task: Task, schema: StructType) -> DataFrame:
    """The rows that a task makes of a frame's Arrow batches.

    Args:
        df: what the task reads.
        task: it must be picklable.
        schema: of the rows that the task makes.
    """
    return df.mapInArrow(_carried(pickle.dumps(task), sys.executable), schema)


def collected(df: DataFrame) -> list[Row]:
    """The rows of a frame. An error of a task is raised again with its sentence alone.

    Raises:
        MalformedError, SchemaError, OptionError, StateError, ImportError: a task raised it.
    """
    try:
        return df.collect()
    except PythonException as error:
        names = "|".join(_RAISED)
        found = re.findall(rf"^(?:[\w.]+\.)?({names}): (.*)$", str(error), re.MULTILINE)
        if not found:
            raise
        name, sentence = found[-1]
        raise _RAISED[name](sentence) from None


def _carried(payload: bytes, driver: str) -> Any:
    """A function for `mapInArrow` that unpickles and runs a task in the executor.

    It is defined inside a function, so that it is pickled as code and not as a name to import: an executor without
    Tidewire then raises the sentence below instead of an obscure serialization error. It may use nothing but its
    arguments.
    """

    def run(batches: Iterable[Any]) -> Iterator[Any]:
        import pickle
        import platform
        import sys

        try:
            task = pickle.loads(payload)
            from tidewire.runtime.errors import TidewireError
        except (ImportError, AttributeError, TypeError) as error:
            lacks = isinstance(error, ModuleNotFoundError) and error.name == "tidewire"
            what = "has no Tidewire" if lacks else f"cannot load this job's Tidewire ({error})"
            raise ImportError(
                f"the Python of Spark's executors, {sys.executable} on {platform.node()}, {what}: install there what "
                f"the driver's Python, {driver}, has (pip install . in Tidewire's folder), or start the session with "
                "PYSPARK_PYTHON (or spark.pyspark.python) set to a Python that has it on every executor"
            ) from None
        try:
            yield from task(batches)
        except TidewireError as error:
            # only the sentence, without the traceback through our modules
            raise error.with_traceback(None) from None

    return run
