"""Files that are written atomically, and locks between processes."""

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
"""Permissions of a new file, before the process's umask is applied. Files of `tempfile` are readable for their owner
only, but executors may run as another user.
"""
_PAUSE = 0.01
"""Seconds between attempts to get a lock."""


class LockedError(Exception):
    """Another process holds the lock of a file for too long."""


@contextmanager
def written_whole(path: str | os.PathLike[str]) -> Iterator[TextIO]:
    """A text file (UTF-8) that replaces the target when the block ends; if the block raises, the target is unchanged.

    Args:
        path: path of the target.

    Raises:
        OSError: it cannot be written.
    """
    with bytes_written_whole(path) as out:
        text = io.TextIOWrapper(out, "utf-8")
        yield text
        text.detach()


@contextmanager
def bytes_written_whole(path: str | os.PathLike[str]) -> Iterator[BinaryIO]:
    """Like `written_whole`, for a binary file.

    Args:
        path: path of the target.

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
    """Makes errors in the block name the target rather than the temporary file."""
    try:
        yield
    except OSError as error:
        raise OSError(error.errno, error.strerror, os.fspath(path)) from None


@contextmanager
def locked(path: str | os.PathLike[str], seconds: float) -> Iterator[None]:
    """A lock for a path between processes, to read, change and rewrite a file.

    While the block runs, a file exists beside the path, with ``.lock`` appended to its name. The system releases the
    lock of a process that dies. On Windows there is no lock.

    Args:
        path: path of the file, which need not exist.
        seconds: maximum time to wait.

    Raises:
        LockedError: another process holds the lock for longer.
        OSError: the folder does not exist or is not writable.
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
            # the previous holder has removed the file, and a third process may have created it again
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
