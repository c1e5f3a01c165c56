"""Files that get a second name in another folder, so that they stay there when the first one goes."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress

from tidewire.spark.sync.targets.shapes import TargetError


class Unfit(Exception):
    """A table takes no files as they are: its rows lie by partitions, or columns have other names in files."""


@contextmanager
def linked(paths: Sequence[str], folder: str, prefix: str) -> Iterator[list[str] | None]:
    """Gives files a second name each in a folder of the same disk, so that they stay when the first one goes.

    The names go again where the block that commits them is refused. Where it ends in another way a commit may have
    them: they stay.

    Args:
        paths: of the files.
        folder: where they get it; made where there is none.
        prefix: of these names, which nobody has had.

    Yields:
        Their names there; None where the folder is on another disk, or not on this machine.
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
            os.utime(full)  # what removes old files that no commit names yet goes by their age
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
