"""Files that get a second name in another folder, so that they stay there when the first one goes."""

from __future__ import annotations

import os
from collections.abc import Sequence


def linked(paths: Sequence[str], folder: str, prefix: str) -> list[str] | None:
    """Gives files a second name each in a folder of the same disk, so that they stay when the first one goes.

    Args:
        paths: of the files.
        folder: where they get it; made where there is none.
        prefix: of these names, which nobody has had.

    Returns:
        Their names there; None where the folder is on another disk, or not on this machine.
    """
    if "://" in folder:
        return None
    os.makedirs(folder, exist_ok=True)
    names = []
    for number, path in enumerate(paths):
        names.append(f"{prefix}-{number:05d}.parquet")
        try:
            os.link(path, os.path.join(folder, names[-1]))
        except OSError:
            return None
    entry = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(entry)
    finally:
        os.close(entry)
    return names
