"""The numbers of the codecs stand twice, for Python and for C; both say the same."""

from __future__ import annotations

import re
from pathlib import Path

from tidewire.runtime import codecs

PXD = Path(__file__).resolve().parent.parent / "runtime" / "codec_numbers.pxd"


def test_numbers_for_c_are_those_for_python() -> None:
    declared = {name: int(value) for name, value in re.findall(r"^    (\w+) = (\d+)$", PXD.read_text(), re.MULTILINE)}
    assert declared == {name: value for name, value in vars(codecs).items() if name.isupper()}
