"""Schemas in a registry: what the driver derives from the options, and what tasks check where they run."""

from __future__ import annotations

import logging
import os
import platform
from typing import TYPE_CHECKING

from tidewire.messages.options import VERIFY_CHECKSUM
from tidewire.messages.registry.chosen import FILES, chosen_settings
from tidewire.runtime.errors import OptionError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tidewire.messages.options import CodecOptions
    from tidewire.messages.protocol_facts import ProtocolFacts

_log = logging.getLogger("tidewire.spark")
_told: set[str] = set()
"""Protocols for which a task of this process has warned of messages without an event."""


def for_executors(facts: ProtocolFacts, options: CodecOptions, codec: Mapping[str, str]) -> dict[str, str]:
    """A protocol's options in a form that tasks can use on any machine: with absolute paths.

    The registry is not contacted and files are not checked, since executors may run on other machines.

    Args:
        codec: the options as strings.

    Raises:
        OptionError: the options do not say where schemas are, or contradict each other.
    """
    if facts.registry is None:
        return dict(codec)
    settings = chosen_settings(options, facts.registry, files=False)
    if settings is None:
        raise OptionError(
            f"messages of {facts.name} are records whose schemas are elsewhere: set option {facts.registry} to the URL "
            "of the registry, or to the path of a file with its schemas that all executors see"
        )
    whole = dict(codec)
    for name in (facts.registry, *(one.name for one in FILES.values())):
        if whole.get(name) and (name != facts.registry or settings.file):
            whole[name] = os.path.abspath(whole[name])
    return whole


def check_location(facts: ProtocolFacts, options: CodecOptions, location: str | None) -> None:
    """Refuses to verify row checksums without a location of descriptions, and a location that would not be used.

    Args:
        options: how messages are read.
        location: of table descriptions; None if there is none.

    Raises:
        OptionError: one of the two is set without the other.
    """
    if facts.registry is None or not facts.checked or options.value(VERIFY_CHECKSUM.name) == (location is not None):
        return
    if location is None:
        raise OptionError(
            f"option {VERIFY_CHECKSUM.name}: messages of {facts.name} do not describe tables, and checksums are "
            "verified by descriptions: set option schemaLocation to where these are"
        )
    raise OptionError(f"option schemaLocation is for {VERIFY_CHECKSUM.name}, which is not set; leave it out")


def check_files(facts: ProtocolFacts, options: CodecOptions, reads: bool) -> None:
    """Refuses options with files that do not exist on the task's machine: all messages would be corrupt.

    Args:
        reads: whether schemas are read; a file for registering them may not exist yet.

    Raises:
        OptionError: a file does not exist.
    """
    if facts.registry is None:
        return
    names = [one.name for one in FILES.values()]
    settings = chosen_settings(options, facts.registry, files=False)
    if reads and settings is not None and settings.file:
        names.insert(0, facts.registry)
    for name in names:
        path = options.value(name)
        if path and not os.path.isfile(path):
            raise OptionError(
                f"option {name}: there is no file {path} on {platform.node()}, where a task of Spark runs. All "
                "executors have to see it: put it on storage that they share, or at the same place on each of them"
            )


def said_nothing(facts: ProtocolFacts, messages: int) -> None:
    """Warns, once in a process, of messages without an event; they are not errors.

    Args:
        messages: how many there were.
    """
    if facts.registry is None or not messages or facts.name in _told:
        return
    _told.add(facts.name)
    _log.warning(
        "tidewire: %s neither key nor record, and %s left out. The key tells which row is deleted, and a table without "
        "one has none",
        f"{messages:,} messages of a task have" if messages > 1 else "1 message of a task has",
        "are" if messages > 1 else "is",
    )
