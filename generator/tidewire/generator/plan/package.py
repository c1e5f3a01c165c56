"""The plan of the package that lists the protocols."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

from ..model import Spec


@dataclass(frozen=True)
class ListedProtocol:
    """A protocol in the package's list."""

    name: str
    module: str
    title: str
    producers: tuple[str, ...]
    writes: bool
    """Whether it has an encoder."""


@dataclass(frozen=True)
class PackagePlan:
    """The package."""

    protocols: tuple[ListedProtocol, ...]


def module_name(protocol: str) -> str:
    """The module name of a protocol."""
    return protocol.replace("-", "_")


def package_plan(spec: Spec, only_read: Collection[str]) -> PackagePlan:
    """The plan of the package.

    Args:
        only_read: the protocols without an encoder.
    """
    return PackagePlan(
        tuple(
            ListedProtocol(name, module_name(name), one.title, tuple(one.producers), name not in only_read)
            for name, one in spec.protocols.items()
        )
    )
