"""Prints the result of decoding batches of images in this process, for test_modes.py."""

from __future__ import annotations

from both_modes import show

from .images import batches
from .peer import Reader

reader = Reader()
show(
    repr(outcome)
    for number, batch in enumerate(batches(3, 40, 40))
    for outcome in reader.read(batch, table=f"t{number % 5}")
)
