"""Small files that are written atomically, on this machine or on any storage that fsspec supports."""

from __future__ import annotations

import errno
import os
import secrets
import shutil
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, suppress
from typing import TYPE_CHECKING, Any

from tidewire.runtime.shortened import public, shortened, without_secrets
from tidewire.spark.sync.changelog import StateError

if TYPE_CHECKING:
    import pyarrow as pa


def storage(place: str) -> Storage:
    """The storage of a folder.

    Args:
        place: a path, or a URL that fsspec supports (`s3://bucket/folder`).
    """
    return Remote(place) if "://" in place and not place.startswith("file://") else Local(place)


class Storage:
    """The file operations that a state, and a Parquet table, need."""

    def read(self, path: str) -> str:
        """The text of a file."""
        with self.opened(path) as file:
            text: bytes = file.read()
        return text.decode()

    def opened(self, path: str) -> AbstractContextManager[Any]:
        """A file, open for reading bytes."""
        raise NotImplementedError

    def create(self, path: str, text: str) -> bool:
        """Writes a file atomically; False if a file of its name exists."""
        raise NotImplementedError

    def write(self, path: str, content: bytes | pa.Buffer) -> None:
        """Writes a file whose name nothing else uses; it is durable when `synced` was called for its folder, too."""
        raise NotImplementedError

    def synced(self, folder: str) -> None:
        """Makes the names of files in a folder of the state durable."""
        raise NotImplementedError

    def names(self, folder: str) -> list[str]:
        """The names of the files in a folder; empty if the folder does not exist."""
        raise NotImplementedError

    def remove(self, path: str) -> None:
        """Removes a file; a missing file is no error."""
        raise NotImplementedError

    def kept(self, folder: str) -> None:
        """Makes files durable that another program wrote into a folder."""
        raise NotImplementedError

    def remove_folder(self, folder: str) -> None:
        """Removes a folder of files."""
        raise NotImplementedError

    def shown(self, path: str) -> str:
        """The path for errors, without user and password."""
        raise NotImplementedError


class Local(Storage):
    """A local folder."""

    def __init__(self, folder: str) -> None:
        self.folder = os.path.abspath(folder.removeprefix("file://"))

    @contextmanager
    def opened(self, path: str) -> Iterator[Any]:
        try:
            with open(os.path.join(self.folder, path), "rb") as file:
                yield file
        except FileNotFoundError:
            raise _missing(self.shown(path)) from None
        except PermissionError as error:
            raise _closed(self.shown(path), error) from None

    def create(self, path: str, text: str) -> bool:
        target = os.path.join(self.folder, path)
        folder = os.path.dirname(target)
        if not os.path.isdir(folder):
            try:
                os.makedirs(folder, exist_ok=True)
            except OSError as error:
                raise _full(folder, error) from None
            synced(self.folder)
            synced(os.path.dirname(self.folder))
        made = f"{target}.{secrets.token_hex(4)}.tmp"
        try:
            with open(made, "w", encoding="utf-8") as file:
                file.write(text)
                file.flush()
                os.fsync(file.fileno())
            os.link(made, target)
        except FileExistsError:
            return False
        except OSError as error:
            raise _full(target, error) from None
        finally:
            self.remove(made)
        synced(folder)
        return True

    def write(self, path: str, content: bytes | pa.Buffer) -> None:
        target = os.path.join(self.folder, path)
        try:
            os.makedirs(os.path.dirname(target), exist_ok=True)
            with open(target, "xb") as file:
                file.write(content)
                file.flush()
                os.fsync(file.fileno())
        except OSError as error:
            raise _full(target, error) from None

    def synced(self, folder: str) -> None:
        while folder:
            synced(os.path.join(self.folder, folder))
            folder = os.path.dirname(folder)
        synced(self.folder)

    def names(self, folder: str) -> list[str]:
        try:
            return os.listdir(os.path.join(self.folder, folder))
        except FileNotFoundError:
            return []
        except NotADirectoryError:
            raise StateError(f"{self.shown(folder)} is no folder: name another folder") from None
        except PermissionError as error:
            raise _closed(self.shown(folder), error) from None

    def remove(self, path: str) -> None:
        try:
            os.unlink(os.path.join(self.folder, path))
        except FileNotFoundError:
            return

    def kept(self, folder: str) -> None:
        whole = os.path.join(self.folder, folder)
        for name in os.listdir(whole):
            synced(os.path.join(whole, name))
        synced(whole)
        synced(os.path.dirname(whole))

    def remove_folder(self, folder: str) -> None:
        shutil.rmtree(os.path.join(self.folder, folder), ignore_errors=True)

    def shown(self, path: str) -> str:
        return os.path.join(self.folder, path)


class Remote(Storage):
    """A folder of a storage that fsspec supports."""

    def __init__(self, address: str) -> None:
        import fsspec

        self.address = address.rstrip("/")
        self.storage: Any
        try:
            self.storage, self.folder = fsspec.core.url_to_fs(self.address)
        except (ImportError, ValueError) as error:
            raise StateError(f"{public(self.address)} cannot be opened: {error}") from None
        self.creates_once = False

    @contextmanager
    def opened(self, path: str) -> Iterator[Any]:
        with self._reached(path), self.storage.open(f"{self.folder}/{path}", "rb") as file:
            yield file

    def create(self, path: str, text: str) -> bool:
        if not self.creates_once:
            # some storages accept the option but overwrite nevertheless
            probe = f"probe-{secrets.token_hex(8)}"
            self.creates_once = self._created(probe, b"") and not self._created(probe, b"")
            self.remove(probe)
            if not self.creates_once:
                raise self._cannot()
        return self._created(path, text.encode())

    def write(self, path: str, content: bytes | pa.Buffer) -> None:
        whole = f"{self.folder}/{path}"
        try:
            with self._reached(path, missing=False):
                self.storage.makedirs(whole.rpartition("/")[0], exist_ok=True)
                self.storage.pipe_file(whole, bytes(content))
        except FileNotFoundError as error:
            raise self._nowhere(error) from None

    def synced(self, folder: str) -> None:
        return

    def _created(self, path: str, content: bytes) -> bool:
        try:
            with self._reached(path, missing=False):
                self.storage.pipe_file(f"{self.folder}/{path}", content, mode="create")
        except FileExistsError:
            return False
        except FileNotFoundError as error:
            raise self._nowhere(error) from None
        except TypeError:
            raise self._cannot() from None
        return True

    def _nowhere(self, error: FileNotFoundError) -> StateError:
        return StateError(
            f"{public(self.address)} cannot be written ({shortened(str(error), 300)}): make the bucket, or name another"
        )

    def _cannot(self) -> StateError:
        return StateError(
            f"{public(self.address)} is on a storage that cannot create a file only if it is absent, which one writer"
            " at a time rests on: use one that can, or a folder of this machine"
        )

    def names(self, folder: str) -> list[str]:
        try:
            with self._reached(folder, missing=False):
                self.storage.invalidate_cache()
                found: list[str] = self.storage.ls(f"{self.folder}/{folder}", detail=False)
        except FileNotFoundError:
            return []
        return [one.rsplit("/", 1)[-1] for one in found]

    def remove(self, path: str) -> None:
        with suppress(FileNotFoundError), self._reached(path, missing=False):
            self.storage.rm_file(f"{self.folder}/{path}")

    def kept(self, folder: str) -> None:
        return

    def remove_folder(self, folder: str) -> None:
        with suppress(FileNotFoundError), self._reached(folder, missing=False):
            self.storage.rm(f"{self.folder}/{folder}", recursive=True)

    def shown(self, path: str) -> str:
        return f"{public(self.address)}/{path}".rstrip("/")

    @contextmanager
    def _reached(self, path: str, missing: bool = True) -> Iterator[None]:
        """Turns an error of the storage's client in the block into a sentence: each client has errors of its own.

        Args:
            path: that is asked for.
            missing: whether a missing file is such an error, too.

        Raises:
            StateError: the storage did not answer, or refused.
            FileNotFoundError, FileExistsError, TypeError: as fsspec raises them.
        """
        try:
            yield
        except FileNotFoundError:
            if not missing:
                raise
            raise _missing(self.shown(path)) from None
        except (FileExistsError, TypeError, StateError):
            raise
        except Exception as error:
            text = without_secrets(str(error).strip() or type(error).__name__, self.address)
            raise StateError(
                f"{self.shown(path)} cannot be reached: {shortened(text, 300)}. Check the address, and that this user"
                " may read and write there; then start again: what was done counts, and the rest is done then"
            ) from None


def _full(path: str, error: OSError) -> StateError:
    return StateError(
        f"{path} cannot be written ({error.strerror or type(error).__name__}): make room or give access, and start"
        " again; what was done counts, and the rest is done then"
    )


def _closed(path: str, error: OSError) -> StateError:
    return StateError(f"{path} cannot be read ({error.strerror}): give access to the user who runs this, and try again")


def _missing(path: str) -> StateError:
    return StateError(
        f"{path} is missing: it belongs to the state; restore it, or begin anew with another folder as state"
    )


def synced(folder: str) -> None:
    """Syncs a folder: only then is a new name in it durable."""
    try:
        handle = os.open(folder, os.O_RDONLY)
    except OSError as error:
        if error.errno in (errno.EACCES, errno.EISDIR):
            return  # Windows does not open folders
        raise
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
