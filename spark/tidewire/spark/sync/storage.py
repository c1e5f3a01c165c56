"""Small files that are written atomically, on this machine or on any storage that fsspec supports."""

from __future__ import annotations

import errno
import os
import secrets
import shutil
from typing import Any
from urllib.parse import urlsplit

from tidewire.spark.sync.changelog import StateError


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
        raise NotImplementedError

    def create(self, path: str, text: str) -> bool:
        """Writes a file atomically; False if a file of its name exists."""
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

    def read(self, path: str) -> str:
        try:
            with open(os.path.join(self.folder, path), encoding="utf-8") as file:
                return file.read()
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

        self.storage: Any
        try:
            self.storage, self.folder = fsspec.core.url_to_fs(address)
        except (ImportError, ValueError) as error:
            parts = urlsplit(address)
            raise StateError(
                f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}{parts.path} cannot be opened: {error}"
            ) from None
        self.creates_once = False

    def read(self, path: str) -> str:
        try:
            text: bytes = self.storage.cat_file(f"{self.folder}/{path}")
        except FileNotFoundError:
            raise _missing(self.shown(path)) from None
        return text.decode()

    def create(self, path: str, text: str) -> bool:
        if not self.creates_once:
            # some storages accept the option but overwrite nevertheless
            probe = f"{self.folder}/probe-{secrets.token_hex(8)}"
            self.creates_once = self._created(probe, b"") and not self._created(probe, b"")
            self.storage.rm_file(probe)
            if not self.creates_once:
                raise self._cannot()
        return self._created(f"{self.folder}/{path}", text.encode())

    def _created(self, path: str, content: bytes) -> bool:
        try:
            self.storage.pipe_file(path, content, mode="create")
        except FileExistsError:
            return False
        except TypeError:
            raise self._cannot() from None
        return True

    def _cannot(self) -> StateError:
        return StateError(
            f"{self.folder} is on a storage that cannot create a file only if it is absent, which one writer at a time"
            " rests on: use one that can, or a folder of this machine"
        )

    def names(self, folder: str) -> list[str]:
        try:
            self.storage.invalidate_cache()
            found: list[str] = self.storage.ls(f"{self.folder}/{folder}", detail=False)
        except FileNotFoundError:
            return []
        return [one.rsplit("/", 1)[-1] for one in found]

    def remove(self, path: str) -> None:
        try:
            self.storage.rm_file(f"{self.folder}/{path}")
        except FileNotFoundError:
            return

    def kept(self, folder: str) -> None:
        return

    def remove_folder(self, folder: str) -> None:
        try:
            self.storage.rm(f"{self.folder}/{folder}", recursive=True)
        except FileNotFoundError:
            return

    def shown(self, path: str) -> str:
        return f"{self.folder}/{path}"


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
