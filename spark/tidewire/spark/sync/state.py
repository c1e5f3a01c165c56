"""The identity of a state: a file that is created once and never changes."""

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
    """The identity of a synchronisation.

    Attributes:
        id: unique; it is in the properties of its tables, so that no other synchronisation writes them.
        source: what is read.
        into: where the tables are, in the form of `targets.opened.target_of`.
        consistency: tables; or key, with what orders the changes of a key.
        history: where the history tables are, in the same form; empty for none.
    """

    id: str
    source: Source
    into: str
    consistency: str = "tables"
    history: str = ""


def identity(state: str) -> Identity:
    """The identity of a state.

    Raises:
        StateError: there is no state in this folder, or it cannot be read.
    """
    found = _found(state)
    if found is None:
        raise StateError(
            f"there is no synchronisation in {shown(state)}: start one (tidewire sync FILE, or sync(…,"
            " state=…)), or name the folder of one that was started"
        )
    return found


def opened(state: str, source: Source, into: str, consistency: str = "tables", history: str = "") -> Identity:
    """The identity of a state; created if the folder has none.

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
        found = checked(state, source, into, consistency, history)  # another process may have been first
        assert found is not None
    return found


def checked(state: str, source: Source, into: str, consistency: str = "tables", history: str = "") -> Identity | None:
    """The identity of a state; None if the folder has none.

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
    """The error text for a state that has records but no manifest."""
    return (
        f"{shown(state)} has records of what was published, and no manifest: its folder manifests was removed; restore"
        " it, or begin anew with another folder as state"
    )


def known(state: str) -> Identity | None:
    """The identity of a state; None if the folder has none."""
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
