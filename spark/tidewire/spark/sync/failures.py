"""The reason of a failed query, as a sentence."""

from __future__ import annotations

import errno
import itertools
import re
from typing import Any

from py4j.protocol import Py4JJavaError, Py4JNetworkError
from pyspark.errors import PySparkException

from tidewire.runtime.shortened import shortened, shown
from tidewire.spark.sync.changelog import SourceError, StateError
from tidewire.spark.sync.staged_files import FOLDER

JAVA_ENDED = (ConnectionError, Py4JNetworkError)
"""Errors of calls to Java after it has ended, such as by a signal to the whole group of processes."""
_RAISED = re.compile(r"\[USER_RAISED_EXCEPTION\] (.*?)(?: SQLSTATE: \w+)?$", re.MULTILINE)


_NO_ROOM = "No space left on device"
_GONE = re.compile(
    r"(?:Path does not exist: |\[FAILED_READ_FILE.FILE_NOT_EXIST\] Encountered error while reading file |"
    r"NotFoundException: (?:Failed to open input stream for file: |File does not exist: |File )?)([^\s,;]+)"
)
"""The error texts of Spark, Hadoop and Iceberg for a missing file."""
_UNREADABLE = re.compile(r"Encountered error while reading file ([^\s,;]+)")
_OF_ALL_CLASSES = re.compile(
    r"^java\.net\.|^java\.sql\.|^org\.sqlite\.|SQLException|Timeout|Timed|Connect|Interrupted|UnknownHost|TTransport|"
    r"MetaException|SdkClient|ServiceUnavailable|OutOfMemory|VirtualMachine|NoClassDefFound|ClassNotFound|NoSuchMethod"
)
"""Java exceptions about a catalog, a network, the session or its memory, which no single table's rows or settings
cause.
"""
_OF_ALL_TEXTS = re.compile(
    r"SparkContext|ExecutorLost|Python worker (?:exited|failed)|OutOfMemoryError|Connection (?:refused|reset)"
)
_MOST_CAUSES = 20
_LONGEST = 500
_OF_A_PATH = {errno.EACCES, errno.EPERM, errno.EEXIST, errno.ENOTEMPTY, errno.ENOTDIR, errno.EISDIR}
"""Errors of single files and folders."""
_GENERAL = re.compile(r"Job aborted|Writing job aborted|\[TASK_WRITE_FAILED|Task failed|Exception thrown in")
_STAGE = re.compile(r"^Job aborted due to stage failure: .*?: (?:[\w$]+\.)+[\w$]+: ", re.DOTALL)
_CLASS = re.compile(r"^(?:(?:[a-z][\w$]*\.)+[\w$]+: )+")
_END = re.compile(r" SQLSTATE: \w+.*$")


def sentence_of(error: Exception, table: str) -> str:
    """The reason why a step failed, for which its table has to wait. An error concerns only this table unless it is
    known to concern all.

    Args:
        error: the error, however Spark wrapped it.
        table: name of the table.

    Raises:
        SourceError: a registry does not answer.
        StateError: a disk is full, or a staged file is missing or unreadable.
        Exception: the given error, if it is about the session, a network or a catalog, or does not come from Spark.
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
    found = _UNREADABLE.search(str(error))
    if found is not None and f"/{FOLDER}/" in found[1]:
        raise StateError(
            f"{re.sub('^file:/+', '/', found[1].rstrip('.'))} cannot be read: it belongs to the state; restore it, or"
            " begin anew with another folder as state"
        ) from error
    if isinstance(error, OSError) and error.errno in _OF_A_PATH:
        return f"it cannot be written ({shown(str(error))})"
    if not isinstance(error, PySparkException | Py4JJavaError):
        raise error
    causes = _causes(error)
    if any(_OF_ALL_CLASSES.search(name) or _OF_ALL_TEXTS.search(text) for name, text in causes):
        raise error
    texts = [text for _, text in causes if text] or [str(error)]
    return _useful(next((text for text in texts if not _GENERAL.match(text)), texts[-1]))


def _causes(error: Exception) -> list[tuple[str, str]]:
    """Class and message of a Java exception and its causes, outermost first."""
    found: Any = error.java_exception if isinstance(error, Py4JJavaError) else getattr(error, "_origin", None)
    causes = [] if found is not None else [("", str(error))]
    while found is not None and len(causes) < _MOST_CAUSES:
        causes.append((str(found.getClass().getName()), str(found.getMessage() or "")))
        found = found.getCause()
    return causes


def _useful(text: str) -> str:
    """The informative line of a message, with the lines below it that it announces."""
    if "Traceback (most recent call last)" in text:
        lines = [one for one in text.splitlines() if re.match(r"[\w.]+(?:Error|Exception)\b", one)]
        return shortened(lines[-1] if lines else text.splitlines()[-1], _LONGEST)
    first, *others = [one.strip() for one in _CLASS.sub("", _STAGE.sub("", text)).strip().splitlines()] or [""]
    if first.endswith(":"):
        listed = [one[2:] for one in itertools.takewhile(lambda one: one.startswith("- "), others)]
        first = f"{first} {', '.join(listed)}"
    return shortened(_END.sub("", first), _LONGEST)
