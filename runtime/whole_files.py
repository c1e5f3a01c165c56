"""Files that are there whole or not at all."""

from __future__ import annotations

import os
import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TextIO

_RIGHTS = 0o666
"""Of a new file, of which the process's umask takes some away, as of any other. The files of `tempfile` are their
owner's alone, and executors may run as somebody else."""


@contextmanager
def written_whole(path: str | os.PathLike[str]) -> Iterator[TextIO]:
    """A text file, UTF-8, that takes its place when the block ends. If the block raises, what stood there still does.

    Args:
        path: of the file.

    Raises:
        OSError: it cannot be written.
    """
    target = Path(path).absolute()
    part = target.with_name(f".{secrets.token_hex(8)}.part")
    handle = os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL, _RIGHTS)
    try:
        with open(handle, "w", encoding="utf-8") as out:
            yield out
            out.flush()
            os.fsync(out.fileno())
        os.replace(part, target)
    except BaseException:
        os.unlink(part)
        raise
