"""A copy of the package with the containers of `overlay/`, printed and compiled once for all tests here."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from whole_copy import compile_package, copy_package, print_package

OVERLAY = Path(__file__).resolve().parent / "overlay"


@pytest.fixture(scope="session")
def package(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder with the package and the containers."""
    home = tmp_path_factory.mktemp("outside")
    copy_package(home)
    shutil.copytree(OVERLAY, home, dirs_exist_ok=True)
    print_package(home)
    compile_package(home)
    return home
