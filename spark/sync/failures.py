"""The reason of a failed query, as a sentence."""

from __future__ import annotations

import re

from pyspark.errors import PySparkException

from tidewire.spark.sync.changelog import SourceError, StateError
from tidewire.spark.sync.staged_files import FOLDER

_RAISED = re.compile(r"\[USER_RAISED_EXCEPTION\] (.*?)(?: SQLSTATE: \w+)?$", re.MULTILINE)


_NO_ROOM = "No space left on device"
_GONE = re.compile(
    r"(?:Path does not exist: |\[FAILED_READ_FILE.FILE_NOT_EXIST\] Encountered error while reading file |"
    r"NotFoundException: (?:Failed to open input stream for file: |File does not exist: |File )?)([^\s,;]+)"
)
"""What Spark, Hadoop and Iceberg report if a file that they read does not exist."""


def sentence_of(error: Exception, table: str) -> str:
    """The reason why a step failed. The error is raised again unless it is about the rows or the files of the table.

    Args:
        error: of Spark, however it is wrapped.
        table: the name of the table.

    Raises:
        SourceError: a registry does not answer.
        StateError: a disk is full, or a staged file is missing.
        Exception: the given error, if it is about something else.
    """
    if _NO_ROOM in str(error):
        raise StateError(
            f"table {table} cannot be written ({_NO_ROOM}): make room for tables, the state and temporary files of"
            " Spark, and start again; what was done counts, and the rest is done then"
        ) from None
    found = _RAISED.search(str(error))
    if found is not None:
        return found[1]
    lines = re.findall(r"^(?:[\w.]+\.)?(?:MalformedError|SchemaError): (.*)$", str(error), re.MULTILINE)
    if lines:
        return str(lines[-1])
    if lines := re.findall(r"^(?:[\w.]+\.)?SourceError: (.*)$", str(error), re.MULTILINE):
        raise SourceError(lines[-1]) from None
    if (found := _GONE.search(str(error))) is not None:
        path = re.sub("^file:/+", "/", found[1].rstrip("."))
        if f"/{FOLDER}/" not in path:
            return f"{path} is missing, a file of the table: restore it, or make the table anew with reset"
        raise StateError(
            f"{path} is missing: it belongs to the state; restore it, or begin anew with another folder as state"
        ) from None
    condition = (error.getCondition() or "") if isinstance(error, PySparkException) else ""
    if condition.startswith(("CAST_", "NUMERIC_VALUE_OUT_OF_RANGE", "ARITHMETIC_OVERFLOW", "INVALID_UTF8")):
        return str(error).splitlines()[0]
    raise error
