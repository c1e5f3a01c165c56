"""What a query failed for, as a sentence."""

from __future__ import annotations

import re

from pyspark.errors import PySparkException

from tidewire.spark.sync.changelog import SourceError, StateError

_RAISED = re.compile(r"\[USER_RAISED_EXCEPTION\] (.*?)(?: SQLSTATE: \w+)?$", re.MULTILINE)


def sentence_of(error: Exception) -> str:
    """What a query failed for; raised again where it is not for the rows that it read.

    Raises:
        SourceError: a registry does not answer.
        Exception: the error, which is not about a row.
    """
    found = _RAISED.search(str(error))
    if found is not None:
        return found[1]
    lines = re.findall(r"^(?:[\w.]+\.)?(?:MalformedError|SchemaError): (.*)$", str(error), re.MULTILINE)
    if lines:
        return str(lines[-1])
    if lines := re.findall(r"^(?:[\w.]+\.)?SourceError: (.*)$", str(error), re.MULTILINE):
        raise SourceError(lines[-1]) from None
    if "[PATH_NOT_FOUND]" in str(error):
        lines = re.findall(r"Path does not exist: (\S+?)\.?(?: SQLSTATE|\s|$)", str(error))
        raise StateError(
            f"{lines[0] if lines else 'a staged file'} is missing: it belongs to the state; restore it, or begin anew"
            " with another folder as state"
        ) from None
    condition = (error.getCondition() or "") if isinstance(error, PySparkException) else ""
    if condition.startswith(("CAST_", "NUMERIC_VALUE_OUT_OF_RANGE", "ARITHMETIC_OVERFLOW", "INVALID_UTF8")):
        return str(error).splitlines()[0]
    raise error
