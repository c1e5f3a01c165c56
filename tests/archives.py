"""Archives of recordings, the same bytes for the same files: USTAR, ordered by path, no owners, no times, `xz -9e`."""

from __future__ import annotations

import hashlib
import io
import lzma
import tarfile
from collections.abc import Iterable
from pathlib import Path
from tempfile import TemporaryDirectory

UNPACKED = Path(__file__).parents[1] / "build" / "unpacked"
"""What `unpacked` makes, for all processes and runs of the tests; `make clean` removes it."""


def pack(files: Iterable[Path], root: Path, target: Path) -> int:
    """Packs files under their paths below a root; how many bytes the archive has."""
    plain = io.BytesIO()
    with tarfile.open(fileobj=plain, mode="w", format=tarfile.USTAR_FORMAT) as archive:
        for path in sorted(files, key=str):
            data = path.read_bytes()
            entry = tarfile.TarInfo(str(path.relative_to(root)))
            entry.size, entry.mode = len(data), 0o644
            archive.addfile(entry, io.BytesIO(data))
    target.parent.mkdir(parents=True, exist_ok=True)
    return target.write_bytes(lzma.compress(plain.getvalue(), preset=9 | lzma.PRESET_EXTREME))


def unpack(archive: Path, folder: Path) -> None:
    """Unpacks an archive into a folder, nothing if there is no archive."""
    if archive.exists():
        with tarfile.open(archive) as opened:
            opened.extractall(folder, filter="data")


def unpacked(*archives: Path) -> Path:
    """A folder with what is in some archives. Never written to: copy what you change.

    Whoever comes first unpacks them; the folder is named after their bytes, and is whole as soon as it is there.
    """
    digest = hashlib.sha256()
    for path in archives:
        digest.update(hashlib.sha256(path.read_bytes()).digest())
    folder = UNPACKED / digest.hexdigest()[:16]
    if not folder.exists():
        UNPACKED.mkdir(parents=True, exist_ok=True)
        with TemporaryDirectory(dir=UNPACKED) as place:
            made = Path(place) / "made"
            for path in archives:
                unpack(path, made)
            try:
                made.rename(folder)
            except OSError:  # another process was quicker
                if not folder.exists():
                    raise
    return folder
