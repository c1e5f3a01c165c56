"""Zero bytes shared by all columns that are null in every row: read-only, and mostly never paged in."""

from __future__ import annotations


class _Zeros:
    """The largest buffer requested so far."""

    def __init__(self) -> None:
        self.kept = bytes(1 << 12)

    def of(self, size: int) -> bytes:
        """At least `size` zero bytes."""
        kept = self.kept  # read once: threads share this
        if len(kept) < size:
            self.kept = kept = bytes(max(size, 2 * len(kept)))
        return kept


_zeros = _Zeros()


def zeros_of(rows: int) -> bytes:
    """Enough zero bytes for this many values, for their bitmap, or for their ends."""
    return _zeros.of(8 * rows + 8)
