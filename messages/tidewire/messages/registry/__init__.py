"""Schema registries: Avro schemas by the id in a message, and ids for schemas, from a registry or a file.

`open_registry` opens a URL or a path as a `SchemaRegistry`, the interface of `tidewire.runtime.registry`. It returns a
`SchemaResolver`, which caches results and sends one request per id, whatever the number of threads. Its source is a
`RegistryClient` (the REST API of a registry) or `SavedSchemas` (a file), which therefore need no cache and no locks.
"""

from __future__ import annotations

from tidewire.messages.registry.chosen import chosen_registry, chosen_settings
from tidewire.messages.registry.client import Compatibility, RegistryClient
from tidewire.messages.registry.resolver import SchemaResolver, open_registry, shared_resolver
from tidewire.messages.registry.saved import SavedSchemas, snapshot
from tidewire.messages.registry.settings import RegistrySettings
from tidewire.runtime.registry import (
    IncompatibleSchemaError,
    InvalidSchemaError,
    MemorySchemas,
    RegisteredSchema,
    SchemaId,
    SchemaKey,
    SchemaRefusedError,
    SchemaRegistry,
    SchemaRegistryError,
    SchemaUnavailableError,
    UnknownSchemaError,
    save_schemas,
)

__all__ = [
    "Compatibility",
    "IncompatibleSchemaError",
    "InvalidSchemaError",
    "MemorySchemas",
    "RegisteredSchema",
    "RegistryClient",
    "RegistrySettings",
    "SavedSchemas",
    "SchemaId",
    "SchemaKey",
    "SchemaRefusedError",
    "SchemaRegistry",
    "SchemaRegistryError",
    "SchemaResolver",
    "SchemaUnavailableError",
    "UnknownSchemaError",
    "chosen_registry",
    "chosen_settings",
    "open_registry",
    "save_schemas",
    "shared_resolver",
    "snapshot",
]
