"""Hard links for files in another folder, so that they remain when the first name is removed."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress

from tidewire.spark.sync.targets.shapes import TargetError


class Unfit(Exception):
    """A table cannot adopt files unchanged: it is partitioned, or its files use other column names."""


@contextmanager
def linked(paths: Sequence[str], folder: str, prefix: str) -> Iterator[list[str] | None]:
    """Links files into a folder of the same disk, so that they remain when their first names are removed.

    The links are removed if the commit in the block is refused. After any other error a commit may name them, and they
    stay.

    Args:
        paths: of the files.
        folder: for the links; created if missing.
        prefix: of their names, not used before.

    Yields:
        The linked paths; None if the folder is on another disk, or not local.
    """
    names = _links(paths, folder, [f"{prefix}-{number:05d}.parquet" for number in range(len(paths))])
    try:
        yield names
    except (TargetError, Unfit):
        _removed(folder, names or ())
        raise


def _links(paths: Sequence[str], folder: str, names: list[str]) -> list[str] | None:
    if "://" in folder:
        return None
    os.makedirs(folder, exist_ok=True)
    made = []
    try:
        for path, name in zip(paths, names, strict=True):
            full = os.path.join(folder, name)
            os.link(path, full)
            made.append(name)
            os.utime(full)  # uncommitted files are cleaned up by their age
    except OSError:
        _removed(folder, made)
        return None
    entry = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(entry)
    finally:
        os.close(entry)
    return names


def _removed(folder: str, names: Sequence[str]) -> None:
    for name in names:
        with suppress(OSError):
            os.unlink(os.path.join(folder, name))
