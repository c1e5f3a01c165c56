"""Archives of recordings are unpacked once, whichever processes want them."""

from __future__ import annotations

from pathlib import Path

import archives
import pytest


def packed(folder: Path, text: str) -> Path:
    source = folder / "source.txt"
    source.write_text(text)
    archives.pack([source], folder, folder / f"{text}.tar.xz")
    return folder / f"{text}.tar.xz"


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(archives, "UNPACKED", tmp_path / "build" / "unpacked")
    return tmp_path / "build" / "unpacked"


def test_what_is_unpacked_stays_until_the_archive_is_another_one(tmp_path: Path, place: Path) -> None:
    one, other = packed(tmp_path, "one"), packed(tmp_path, "other")
    folder = archives.unpacked(one)
    assert (folder / "source.txt").read_text() == "one"
    (folder / "source.txt").write_text("not unpacked again")
    assert archives.unpacked(one) == folder
    assert (folder / "source.txt").read_text() == "not unpacked again"
    assert (archives.unpacked(other) / "source.txt").read_text() == "other"
    one.write_bytes(other.read_bytes())
    assert archives.unpacked(one) == archives.unpacked(other) != folder
    assert len(list(place.iterdir())) == 2


def test_of_two_processes_one_has_unpacked_it(tmp_path: Path, place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    archive = packed(tmp_path, "one")
    unpack = archives.unpack

    def late(path: Path, folder: Path) -> None:
        monkeypatch.setattr(archives, "unpack", unpack)
        first = archives.unpacked(path)
        (first / "source.txt").write_text("of the first")
        unpack(path, folder)

    monkeypatch.setattr(archives, "unpack", late)
    folder = archives.unpacked(archive)
    assert (folder / "source.txt").read_text() == "of the first"
    assert list(place.iterdir()) == [folder]
