"""The folder of staged files, on this machine or on any storage that fsspec supports."""

from __future__ import annotations

import os
import posixpath
import secrets
from collections.abc import Sequence
from urllib.parse import urlsplit

import pyarrow as pa
from pyarrow import parquet

from tidewire.spark.sync.changelog import StateError

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
        self._state = state
        self._part = part
        self._task = secrets.token_hex(8)
        self._count = 0
        self._there: set[str] = set()

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
        data = sink.getvalue()
        try:
            if "://" in self._state and not self._state.startswith("file://"):
                self._send(path, data)
            else:
                self._keep(os.path.join(self._state.removeprefix("file://"), path), data)
        except OSError as error:
            raise StateError(
                f"{shown(self._state)}/{path} cannot be written: {type(error).__name__}"
                f"{f' ({error.strerror})' if error.strerror else ''}. Make room or give the executors access, and "
                "start again: what is staged counts only when a manifest names it"
            ) from None
        return path

    def done(self) -> None:
        """Called when all files are written: makes their names durable, too."""
        if "://" in self._state and not self._state.startswith("file://"):
            return
        for folder in self._there:
            for name in (folder, os.path.dirname(folder), os.path.dirname(os.path.dirname(folder))):
                entry = os.open(name, os.O_RDONLY)
                try:
                    os.fsync(entry)
                finally:
                    os.close(entry)

    def _keep(self, path: str, data: pa.Buffer) -> None:
        folder = os.path.dirname(path)
        if folder not in self._there:
            os.makedirs(folder, exist_ok=True)
            self._there.add(folder)
        with open(path, "xb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())

    def _send(self, path: str, data: pa.Buffer) -> None:
        from fsspec.core import url_to_fs

        storage, root = url_to_fs(self._state)
        whole = posixpath.join(root, path)
        folder = posixpath.dirname(whole)
        if folder not in self._there:
            storage.makedirs(folder, exist_ok=True)
            self._there.add(folder)
        storage.pipe_file(whole, data.to_pybytes())


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
