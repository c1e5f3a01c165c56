"""Labels of ENUM and SET columns: texts for numbers, numbers for texts."""

from __future__ import annotations

from collections import Counter
from typing import Any

from tidewire.runtime.wire.value_codec import RefusedValueError

MOST_KNOWN = 1 << 12
"""The most texts of a column whose numbers are cached."""
MOST_LABELS = 64
"""The most labels of a SET; further ones have no bit."""


class LabelNumbers:
    """The labels of a column.

    Labels in messages may be changed: with backslashes before commas or backslashes, or without quotes. A label that
    the column does not have is looked up in these forms. If two labels have the same changed form, it is ambiguous.

    Attributes:
        several: whether it is a SET.
        labels: labels of the column.
        numbers: number by text, as far as known.
        doubtful: labels with quotes that have the same changed form as another one.
    """

    def __init__(self, several: bool, labels: tuple[str, ...]) -> None:
        self.several = several
        self.labels = labels
        self.numbers: dict[bytes, int] = {}
        quoted = Counter(label.encode() for label in labels if "'" in label)
        self.doubtful = frozenset(label for label, count in quoted.items() if count > 1)
        for position, label in enumerate(labels[:MOST_LABELS] if several else labels):
            number = 1 << position if several else position + 1
            self.numbers.setdefault(label.encode(), number)
        for text in self.doubtful:
            self.numbers.pop(text, None)
        for text, number in list(self.numbers.items()):
            self.numbers.setdefault(text.replace(b"\\", b"\\\\").replace(b",", b"\\,"), number)
            self.numbers.setdefault(text.replace(b",", b"\\,"), number)
            self.numbers.setdefault(text.replace(b"\\", b"\\\\"), number)
            self.numbers.setdefault(text.replace(b"\\\\", b"\\"), number)

    def number_of(self, text: bytes) -> int:
        """The number of an ENUM's label, from 1, or the bitmap of a SET's labels separated by commas.

        An empty text is 0, the invalid value of an ENUM, unless the ENUM has an empty label, whose number it then is;
        for a SET it is always 0 (ParseSet, pingcap/tidb pkg/types/set.go).

        Raises:
            ValueError: it is not a label of the column.
        """
        if self.several and not text:
            return 0
        found = self.numbers.get(text)
        if found is None:
            found = self._members(text)
            if text and len(self.numbers) < MOST_KNOWN:  # an empty text is no label
                self.numbers[text] = found
        return found

    def _members(self, text: bytes) -> int:
        """The number of a text that is not exactly one label."""
        found = 0
        if text:
            for label in text.split(b",") if self.several else [text]:
                number = self.numbers.get(label)
                if number is None:  # quotes in a label of a list may have lost their escapes
                    number = self.numbers.get(label.replace(b"\\'", b"'").replace(b"''", b"'"))
                if number is None:
                    raise RefusedValueError(f"{label[:40].decode(errors='replace')!r} is {self._why(label)}")
                found |= number
        return found

    def _why(self, label: bytes) -> str:
        """Why a label is invalid, for the end of a sentence."""
        if label.replace(b"\\'", b"'").replace(b"''", b"'") in self.doubtful:
            return "one of two labels of the column that are listed alike"
        return "no label of the column"

    def text_of(self, value: Any) -> bytes:
        """The label of an ENUM's number, or the labels of a SET's bitmap; nothing for 0.

        Raises:
            ValueError: the column has no such label.
        """
        if self.several:
            if value >> len(self.labels):
                raise RefusedValueError(f"{value} has bits for more than the {len(self.labels)} labels of the column")
            text = ",".join([label for position, label in enumerate(self.labels) if value >> position & 1])
            if value and not text:
                raise RefusedValueError(
                    "its only label is the empty one, and an empty text is read as no label at all: write another "
                    "protocol, which has numbers of labels"
                )
            return text.encode()
        if value > len(self.labels):
            raise RefusedValueError(f"there is no label {value}: the column has {len(self.labels)} labels")
        return self.labels[value - 1].encode() if value else b""
