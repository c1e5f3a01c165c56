"""A byte budget for everything that is fetched and decompressed for a batch of messages."""

from __future__ import annotations

from tidewire.messages.options import MAX_UNPACKED_BYTES


class Divide(Exception):
    """A batch is too large for one allowance: the messages before this one must be read first.

    Attributes:
        message: its index in the batch.
    """

    def __init__(self, message: int) -> None:
        super().__init__(message)
        self.message = message


class Allowance:
    """The bytes that a batch may still fetch and unpack.

    Args:
        most: the initial number of bytes.
        divides: whether a batch that needs more is divided; otherwise each message that needs more is an error.
    """

    def __init__(self, most: int, divides: bool = False) -> None:
        self.most = self.left = most
        self.divides = divides
        self.stop: int | None = None
        """Where the batch was divided: the index of the first unread message."""

    def take(self, size: int) -> bool:
        """Takes this many bytes if they are available. Returns whether they were."""
        if size > self.left:
            return False
        self.left -= size
        return True

    @property
    def reason(self) -> str:
        """The error text for a message that exceeds the allowance."""
        return (
            f"a batch may become {self.most} bytes, fetched and decompressed, and {self.left} are left: decode fewer "
            f"messages at once or set {MAX_UNPACKED_BYTES.name} to more"
        )
