"""What a state is of: the file that says it, which is created once and never changes."""

from __future__ import annotations

import json
import secrets
from typing import NamedTuple

from tidewire.spark.sync.changelog import Source, StateError
from tidewire.spark.sync.staged_files import shown
from tidewire.spark.sync.storage import storage

_FILE = "sync.json"
_FORMAT = 1


class Identity(NamedTuple):
    """What a synchronisation is.

    Attributes:
        id: of its own; tables have it in their properties, so that no other synchronisation writes them.
        source: what is read.
        into: where the tables are, as `targets.opened.target_of` takes it.
        consistency: what is kept true: tables; or key, and what the changes of a key are in the order of.
        history: where the histories of these tables are, likewise; empty for none.
    """

    id: str
    source: Source
    into: str
    consistency: str = "tables"
    history: str = ""


def identity(state: str) -> Identity:
    """What a state is of.

    Raises:
        StateError: there is no state in this folder, or one that cannot be read.
    """
    found = _found(state)
    if found is None:
        raise StateError(
            f"there is no synchronisation in {shown(state)}: start one (tidewire sync FILE, or sync(…,"
            " state=…)), or name the folder of one that was started"
        )
    return found


def opened(state: str, source: Source, into: str, consistency: str = "tables", history: str = "") -> Identity:
    """The identity of a state; made where the folder has none.

    Raises:
        StateError: the state is of another source, or of other tables.
    """
    found = checked(state, source, into, consistency, history)
    if found is None:
        made = {
            "format": _FORMAT,
            "id": secrets.token_hex(8),
            "topics": source.topics,
            "protocol": source.protocol,
            "into": into,
            "consistency": consistency,
            "history": history,
        }
        storage(state).create(_FILE, json.dumps(made, indent=1, ensure_ascii=False))
        found = checked(state, source, into, consistency, history)  # of another process, where that one was first
        assert found is not None
    return found


def checked(state: str, source: Source, into: str, consistency: str = "tables", history: str = "") -> Identity | None:
    """The identity of a state; None where the folder has none.

    Raises:
        StateError: the state is of another source, or of other tables.
    """
    found = _found(state)
    if found is None:
        return None
    if found.source != source:
        raise StateError(
            f"the state {shown(state)} is of {found.source.topics} ({found.source.protocol}), and {source.topics}"
            f" ({source.protocol}) was asked for: name another folder as state for another source"
        )
    if (found.into, found.history) != (into, history):
        raise StateError(
            f"the state {shown(state)} is of tables in {_places(found.into, found.history)}, and"
            f" {_places(into, history)} was asked for: name another folder as"
            " state for other tables"
        )
    if found.consistency != consistency:
        raise StateError(
            f"the state {shown(state)} is of consistency={found.consistency}, and {consistency} was asked for: name"
            " another folder as state, and other names for the tables"
        )
    return found


def _places(into: str, history: str) -> str:
    return f"{into} with histories in {history}" if history else into


def lost_manifests(state: str) -> str:
    """What to say of a state that has records and no manifest."""
    return (
        f"{shown(state)} has records of what was published, and no manifest: its folder manifests was removed; restore"
        " it, or begin anew with another folder as state"
    )


def known(state: str) -> Identity | None:
    """The identity of a state; None where the folder has none."""
    return _found(state)


def _found(state: str) -> Identity | None:
    files = storage(state)
    if _FILE not in files.names(""):
        return None
    try:
        of = json.loads(files.read(_FILE))
        if of["format"] != _FORMAT:
            raise StateError(
                f"{files.shown(_FILE)} is of format {of['format']}, and this version of Tidewire reads {_FORMAT}: run"
                " the version that wrote it, or begin anew with another folder as state"
            )
        return Identity(of["id"], Source(of["topics"], of["protocol"]), of["into"], of["consistency"], of["history"])
    except (ValueError, KeyError, TypeError) as error:
        if isinstance(error, StateError):
            raise
        raise StateError(f"{files.shown(_FILE)} is damaged: restore it from a copy") from None
