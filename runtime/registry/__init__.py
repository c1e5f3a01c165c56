"""Schema registries: Avro schemas by the id that a message carries, and ids for schemas, from a registry or a file.

`SchemaRegistry` is the interface for decoders and encoders, and `open_registry` opens a URL or a path. Behind it a
`SchemaResolver` caches answers and asks once, whatever the number of threads; it asks a `RegistryClient` (the REST API
of a registry) or `SavedSchemas` (a file). The sources need not handle concurrent threads, and the resolver knows
nothing of HTTP. A cache inside of the client, with a lock for each stripe of ids, would have held a lock during
requests and been useless for saved files. `MemorySchemas` is a registry that needs none of this, for transcoding and
tests.
"""

from __future__ import annotations

from tidewire.runtime.registry.chosen import chosen_registry, chosen_settings
from tidewire.runtime.registry.client import Compatibility, RegistryClient
from tidewire.runtime.registry.errors import (
    IncompatibleSchemaError,
    InvalidSchemaError,
    SchemaRefusedError,
    SchemaRegistryError,
    SchemaUnavailableError,
    UnknownSchemaError,
)
from tidewire.runtime.registry.memory import MemorySchemas, save_schemas
from tidewire.runtime.registry.resolver import SchemaResolver, open_registry, shared_resolver
from tidewire.runtime.registry.saved import SavedSchemas, snapshot
from tidewire.runtime.registry.schemas import RegisteredSchema, SchemaId, SchemaKey, SchemaRegistry
from tidewire.runtime.registry.settings import RegistrySettings

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
