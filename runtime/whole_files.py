"""Files that are there whole or not at all."""

from __future__ import annotations

import io
import os
import secrets
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO, TextIO

if sys.platform != "win32":
    import fcntl

_RIGHTS = 0o666
"""Of a new file, of which the process's umask takes some away, as of any other. The files of `tempfile` are their
owner's alone, and executors may run as somebody else."""
_PAUSE = 0.01
"""Seconds between two looks at a lock that another process has."""


class LockedError(Exception):
    """Another process has the lock of a file for longer than was to be waited."""


@contextmanager
def written_whole(path: str | os.PathLike[str]) -> Iterator[TextIO]:
    """A text file, UTF-8, that takes its place when the block ends. If the block raises, what stood there still does.

    Args:
        path: of the file.

    Raises:
        OSError: it cannot be written.
    """
    with bytes_written_whole(path) as out:
        text = io.TextIOWrapper(out, "utf-8")
        yield text
        text.detach()


@contextmanager
def bytes_written_whole(path: str | os.PathLike[str]) -> Iterator[BinaryIO]:
    """The same of bytes.

    Args:
        path: of the file.

    Raises:
        OSError: it cannot be written.
    """
    target = Path(path).absolute()
    part = target.with_name(f".{secrets.token_hex(8)}.part")
    with _named(path):
        handle = os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL, _RIGHTS)
    try:
        with open(handle, "wb") as out:
            yield out
            with _named(path):
                out.flush()
                os.fsync(out.fileno())
        with _named(path):
            os.replace(part, target)
    except BaseException:
        os.unlink(part)
        raise


@contextmanager
def _named(path: str | os.PathLike[str]) -> Iterator[None]:
    """Errors of the file name it as the caller does, not the part of it that is written first."""
    try:
        yield
    except OSError as error:
        raise OSError(error.errno, error.strerror, os.fspath(path)) from None


@contextmanager
def locked(path: str | os.PathLike[str], seconds: float) -> Iterator[None]:
    """One process at a time is in such a block for a path: for reading a file, changing it and writing it again.

    While the block runs there is a file beside the path, with ``.lock`` behind its name. The system gives back the lock
    of a process that dies. On Windows nobody waits for anybody.

    Args:
        path: of the file, which need not be there.
        seconds: for how long another process is waited for.

    Raises:
        LockedError: another one has the lock for longer.
        OSError: the folder is not there or cannot be written.
    """
    if sys.platform == "win32":
        yield
        return
    name = f"{os.fspath(path)}.lock"
    end = time.monotonic() + seconds
    while True:
        handle = os.open(name, os.O_RDWR | os.O_CREAT, _RIGHTS)
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
            # who had it before has removed it, and a third one may have made it anew
            if os.path.samestat(os.fstat(handle), os.stat(name)):
                break
        except FileNotFoundError:
            pass
        except BlockingIOError:
            if time.monotonic() >= end:
                os.close(handle)
                raise LockedError(f"another process has had its lock, {name}, for {seconds:g} s") from None
            time.sleep(_PAUSE)
        except BaseException:
            os.close(handle)
            raise
        os.close(handle)
    try:
        yield
    finally:
        os.unlink(name)
        os.close(handle)
