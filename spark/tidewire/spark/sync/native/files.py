"""Files that workers read and write by their addresses: on this machine, or in S3."""

from __future__ import annotations

import os
from contextlib import suppress
from typing import Any

import pyarrow as pa
from pyarrow import parquet

from tidewire.spark.sync.s3 import is_s3
from tidewire.spark.sync.storage import synced
from tidewire.spark.sync.targets.names import plain_path

_GROUP = 100_000
"""Rows of a row group."""


def of(location: str) -> dict[str, Any]:
    """The arguments by which pyarrow opens a file: its path, and for S3 its file system."""
    if not is_s3(location):
        return {"source": plain_path(location)}
    system, path = _remote(location)
    return {"source": path, "filesystem": system}


def metadata(location: str) -> parquet.FileMetaData:
    """The footer of a Parquet file."""
    with parquet.ParquetFile(**of(location)) as file:
        return file.metadata


def write(location: str, rows: pa.Table, compression: str) -> int:
    """Writes a Parquet file, which no other file has the name of. Returns its bytes."""
    kinds = {"compression": compression, "store_decimal_as_integer": True, "row_group_size": _GROUP}
    if is_s3(location):
        sink = pa.BufferOutputStream()
        parquet.write_table(rows, sink, **kinds)
        content = sink.getvalue()
        system, path = _remote(location)
        system.pipe_file(path, content.to_pybytes())
        return int(content.size)
    path = plain_path(location)
    os.makedirs(os.path.dirname(path), exist_ok=True)
    try:
        with open(path, "xb") as file:
            parquet.write_table(rows, file, **kinds)
            file.flush()
            os.fsync(file.fileno())
        synced(os.path.dirname(path))
    except BaseException:
        remove(location)
        raise
    return os.path.getsize(path)


def remove(location: str) -> None:
    """Removes a file that no commit names; if that fails, it is left behind."""
    if is_s3(location):
        with suppress(Exception):  # clients of a storage have errors of their own
            system, path = _remote(location)
            system.rm_file(path)
    else:
        with suppress(OSError):
            os.unlink(plain_path(location))


def _remote(location: str) -> tuple[Any, str]:
    from fsspec.core import url_to_fs

    system, path = url_to_fs(location)
    return system, path
