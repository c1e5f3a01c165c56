"""The registry that a protocol's options select."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from tidewire.messages.options import (
    REGISTRY_CA_FILE,
    REGISTRY_CERTIFICATE,
    REGISTRY_KEY,
    REGISTRY_PASSWORD,
    REGISTRY_TOKEN,
    REGISTRY_USER,
    CodecOptions,
)
from tidewire.messages.registry.resolver import shared_resolver
from tidewire.messages.registry.settings import RegistrySettings
from tidewire.runtime.errors import ArgumentError, OptionError
from tidewire.runtime.shortened import shown

if TYPE_CHECKING:
    from tidewire.runtime.registry.schemas import SchemaRegistry

FILES: Final = {"ca_file": REGISTRY_CA_FILE, "certificate": REGISTRY_CERTIFICATE, "key": REGISTRY_KEY}
"""The options that are file paths, by the name of the setting."""
ACCESS: Final = {"user": REGISTRY_USER, "password": REGISTRY_PASSWORD, "token": REGISTRY_TOKEN, **FILES}
"""All options about access to a registry."""


def chosen_settings(options: CodecOptions, registry: str | None, *, files: bool = True) -> RegistrySettings | None:
    """The location of a registry and the access to it; None if the options name none.

    Args:
        registry: name of the option with the location of schemas; None: the protocol has none.
        files: whether files for TLS are checked; they may be on another machine.

    Raises:
        OptionError: an option, or a combination of options, is invalid.
    """
    if registry is None:
        return None
    if not isinstance(options, CodecOptions):
        raise ArgumentError(f"options are an object of the protocol's class Options, not {shown(options)}")
    where = options.value(registry)
    access = {setting: options.value(one.name) for setting, one in ACCESS.items()}
    given = [ACCESS[setting].name for setting, value in access.items() if value]
    if where:
        # files are checked when the settings are made
        settings = RegistrySettings.of(where, **{name: access[name] for name in access if files or name not in FILES})
        if settings.urls or not given:
            return settings
    if given:
        raise OptionError(
            f"{options.PROTOCOL}: option {given[0]} is for a registry that is asked: set {registry} to its URL, or "
            f"leave {given[0]} out"
        )
    return None


def chosen_registry(options: CodecOptions, registry: str | None) -> SchemaRegistry | None:
    """The schema registry that the options select, shared within the process for equal options; None if they select
    none.

    Args:
        registry: name of the option with the location of schemas.

    Raises:
        OptionError: as in `chosen_settings`.
    """
    settings = chosen_settings(options, registry)
    return None if settings is None else shared_resolver(settings)
