"""Schema registries: Avro schemas by the id that a message carries, from a registry or from a saved file.

`SchemaResolver` is what decoders and encoders ask. It remembers what it was told and asks once for each id, whatever
the number of threads; where it asks is a `RegistryClient` (a Confluent-compatible REST API) or `SavedSchemas` (a file).
The sources know nothing of threads waiting for one another, and the resolver nothing of HTTP. A cache inside of the
client, with a lock for each stripe of ids, would have held a lock during requests and been of no use to saved files.
"""

from __future__ import annotations

from tidewire.runtime.registry.client import RegistryClient
from tidewire.runtime.registry.errors import (
    SchemaRefusedError,
    SchemaRegistryError,
    SchemaUnavailableError,
    UnknownSchemaError,
)
from tidewire.runtime.registry.resolver import SchemaResolver, shared_resolver
from tidewire.runtime.registry.saved import SavedSchemas, save_schemas, snapshot
from tidewire.runtime.registry.schemas import RegisteredSchema, SchemaId
from tidewire.runtime.registry.settings import RegistrySettings

__all__ = [
    "RegisteredSchema",
    "RegistryClient",
    "RegistrySettings",
    "SavedSchemas",
    "SchemaId",
    "SchemaRefusedError",
    "SchemaRegistryError",
    "SchemaResolver",
    "SchemaUnavailableError",
    "UnknownSchemaError",
    "save_schemas",
    "shared_resolver",
    "snapshot",
]
