"""The plan of the package that lists the protocols."""

from __future__ import annotations

from dataclasses import dataclass

from ..model import Spec


@dataclass(frozen=True)
class ListedProtocol:
    """A protocol in the package's list."""

    name: str
    module: str
    title: str
    producers: tuple[str, ...]


@dataclass(frozen=True)
class PackagePlan:
    """The package."""

    protocols: tuple[ListedProtocol, ...]


def module_name(protocol: str) -> str:
    """The module name of a protocol."""
    return protocol.replace("-", "_")


def package_plan(spec: Spec) -> PackagePlan:
    """The plan of the package."""
    protocols = spec.protocols.values()
    return PackagePlan(
        tuple(ListedProtocol(one.name, module_name(one.name), one.title, tuple(one.producers)) for one in protocols)
    )
