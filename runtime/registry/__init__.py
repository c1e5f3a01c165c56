"""Schema registries: Avro schemas by the id that a message carries, and ids for schemas, from a registry or a file.

`SchemaRegistry` is what decoders and encoders ask, and `open_registry` makes one of a URL or a path. Behind it is a
`SchemaResolver`, which remembers what it was told and asks once, whatever the number of threads; where it asks is a
`RegistryClient` (the REST API of a registry) or `SavedSchemas` (a file). The sources know nothing of threads
waiting for one another, and the resolver nothing of HTTP. A cache inside of the client, with a lock for each stripe of
ids, would have held a lock during requests and been of no use to saved files. `MemorySchemas` is a registry that needs
none of this, for transcoding and tests.
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
