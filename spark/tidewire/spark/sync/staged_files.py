"""The folder of staged files, on this machine or on any storage that fsspec supports."""

from __future__ import annotations

import os
import posixpath
import secrets
from collections.abc import Sequence
from urllib.parse import urlsplit

import pyarrow as pa
from pyarrow import parquet

from tidewire.spark.sync.storage import storage

FOLDER = "staged"
"""The folder in the state; paths of staged files begin with it."""
ROWS, MESSAGES, LETTERS, WAITING = "rows", "messages", "letters", "waiting"
"""The kinds of files, with which their names begin: rows of one table; messages of tables with few rows; messages that
cannot be read; messages whose tables were not described yet.
"""

OF_MESSAGES = ("key", "value", "topic", "partition", "offset")
"""The message columns in files of dead letters and of waiting messages."""


class StagedFiles:
    """Writes files under new names; no manifest names the files of a task that was killed."""

    def __init__(self, state: str, part: str) -> None:
        """

        Args:
            state: a path, or a URL that fsspec supports.
            part: the folder of the micro-batch, below `FOLDER`.
        """
        self._storage = storage(state)
        self._part = part
        self._task = secrets.token_hex(8)
        self._count = 0

    def write(
        self, holds: str, table: pa.Table, dictionary: Sequence[str] | bool = True, group: int | None = None
    ) -> str:
        """Writes a file durably. Returns its path in the state.

        Args:
            holds: one of `ROWS`, `MESSAGES`, `LETTERS`, `WAITING`.
            table: the contents.
            dictionary: columns with repeated values.
            group: rows of a row group; None for all.
        """
        self._count += 1
        path = posixpath.join(FOLDER, self._part, f"{holds}-{self._task}-{self._count:04d}.parquet")
        sink = pa.BufferOutputStream()
        parquet.write_table(
            table, sink, compression="zstd", use_dictionary=dictionary, row_group_size=group or max(1, table.num_rows)
        )
        self._storage.write(path, sink.getvalue())
        return path

    def done(self) -> None:
        """Called when all files are written: makes their names durable, too."""
        if self._count:
            self._storage.synced(posixpath.join(FOLDER, self._part))


def holds(path: str) -> str:
    """The kind of a staged file, from its path."""
    return posixpath.basename(path).partition("-")[0]


def full(state: str, path: str) -> str:
    """The path of a staged file for Spark."""
    return f"{state.rstrip('/')}/{path}" if "://" in state else os.path.join(os.path.abspath(state), path)


def shown(state: str) -> str:
    """The state's location for errors, without user and password."""
    if "://" not in state:
        return state
    parts = urlsplit(state)
    return f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}{parts.path}"
