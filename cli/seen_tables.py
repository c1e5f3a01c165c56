"""The descriptions of tables that a command has seen, for protocols whose rows are read by them."""

from __future__ import annotations

from contextlib import suppress
from typing import Any

from tidewire.runtime.errors import DecodeError
from tidewire.runtime.registry import SchemaRegistry


class SeenTables:
    """What a command gives to a protocol's functions: a store that grows with the messages, where the protocol needs
    one.

    Attributes:
        given: the arguments for `decode`, `decode_batch`, `encode`, `dissect` and `Decoder`; none for other protocols.
    """

    def __init__(self, module: Any, schemas: SchemaRegistry | None = None) -> None:
        """
        Args:
            module: of the protocol.
            schemas: gives the schemas of records; None: what the options name.
        """
        self.given: dict[str, Any] = {}
        self._module = module
        if module.FACTS.described:
            from tidewire.tables import TableStore

            self.given = {"tables": TableStore()}
        if schemas is not None:
            self.given["schemas"] = schemas

    def learn(self, value: bytes | None, key: bytes | None, options: Any) -> None:
        """Takes the descriptions that a message has which is not shown."""
        if self.given:
            with suppress(DecodeError):
                self._module.decode(value, key, options, **self.given)
