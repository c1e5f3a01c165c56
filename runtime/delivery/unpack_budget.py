"""A byte budget for everything that is fetched and decompressed for a batch of messages."""

from __future__ import annotations

from tidewire.runtime.options import MAX_UNPACKED_BYTES


class Divide(Exception):
    """A batch is too large for one allowance: the messages before this one are to be read first.

    Attributes:
        message: its number in the batch.
    """

    def __init__(self, message: int) -> None:
        super().__init__(message)
        self.message = message


class Allowance:
    """The bytes that a batch may still fetch and unpack.

    Args:
        most: how many there are.
        divides: whether a batch that needs more is divided; if not, each message that needs more is an error.
    """

    def __init__(self, most: int, divides: bool = False) -> None:
        self.most = self.left = most
        self.divides = divides
        self.stop: int | None = None
        """Where the batch was divided: the number of the first message that has not been read."""

    def take(self, size: int) -> bool:
        """Takes that many bytes if there are as many; whether there were."""
        if size > self.left:
            return False
        self.left -= size
        return True

    @property
    def reason(self) -> str:
        """What is wrong with a message that needs more, and what to do."""
        return (
            f"a batch may become {self.most} bytes, fetched and decompressed, and {self.left} are left: decode fewer "
            f"messages at once or set {MAX_UNPACKED_BYTES.name} to more"
        )
