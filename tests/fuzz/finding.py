"""The findings of the fuzzer."""

from __future__ import annotations

from collections.abc import Sequence


class Finding(Exception):
    """Something that must not happen.

    Attributes:
        what: a sentence.
        inputs: the messages with which it happens.
    """

    def __init__(self, what: str, inputs: Sequence[bytes]) -> None:
        super().__init__(what)
        self.what = what
        self.inputs = list(inputs)
