"""Avro schemas by the id in a message: the interface and the errors of schema registries.

`SchemaRegistry` is the interface that decoders and encoders call; `MemorySchemas` is one that needs no server, for
transcoding and tests. Clients for a server or a saved file are in `tidewire.messages.registry`.
"""

from __future__ import annotations

from tidewire.runtime.registry.errors import (
    IncompatibleSchemaError,
    InvalidSchemaError,
    SchemaRefusedError,
    SchemaRegistryError,
    SchemaUnavailableError,
    UnknownSchemaError,
)
from tidewire.runtime.registry.memory import MemorySchemas, save_schemas
from tidewire.runtime.registry.schemas import RegisteredSchema, SchemaId, SchemaKey, SchemaRegistry

__all__ = [
    "IncompatibleSchemaError",
    "InvalidSchemaError",
    "MemorySchemas",
    "RegisteredSchema",
    "SchemaId",
    "SchemaKey",
    "SchemaRefusedError",
    "SchemaRegistry",
    "SchemaRegistryError",
    "SchemaUnavailableError",
    "UnknownSchemaError",
    "save_schemas",
]
