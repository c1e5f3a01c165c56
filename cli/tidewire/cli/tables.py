"""Table descriptions in event files: saving and loading them, and showing them as SQL."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator

from tidewire.cli.eventjson import EventJsonError, from_json, to_json
from tidewire.cli.shell import say_waiting
from tidewire.events import Event
from tidewire.reading.files.jsontext import parse_object
from tidewire.reading.files.streams import DamagedError, lines, opened
from tidewire.runtime.whole_files import written_whole
from tidewire.tables import TableStore

DESCRIBING = ("ddl", "bootstrap")
"""Kinds of events that can describe tables."""


def save_tables(store: TableStore, path: str | os.PathLike[str]) -> None:
    """Writes the descriptions of a store to an event file, as one bootstrap event per line like `tidewire decode
    --exact`. An existing file is replaced after everything was written.

    Args:
        store: the descriptions.
    """
    with written_whole(path) as out:
        for event in store.to_events():
            out.write(json.dumps(to_json(event), ensure_ascii=False, separators=(",", ":")) + "\n")


def load_tables(path: str | os.PathLike[str], store: TableStore | None = None) -> TableStore:
    """Loads the descriptions of an event file; other events are ignored, and gzip and zstd are decompressed.

    Args:
        store: the store to add them to; None for a new one.

    Raises:
        EventJsonError: a line is not an event; the text names the place.
        ContradictionError: two descriptions of one version of a table contradict each other.
    """
    found = TableStore() if store is None else store
    found.add_events(describing_events(os.fspath(path)))
    return found


def describing_events(path: str) -> Iterator[Event]:
    """The events of a file that can describe tables.

    Args:
        path: path of the file; - is standard input.

    Raises:
        EventJsonError: a line is not an event; the text names the place.
    """
    number = 0
    say_waiting(path)
    with opened(path) as stream:
        try:
            for some in lines(stream.pieces()):
                for text in some:
                    number += 1
                    if not text.strip():
                        continue
                    found = parse_object(text, "a line is a JSON object: an event")
                    if "kind" not in found:
                        raise ValueError("this object has no `kind`, and is no event as decode --exact prints it")
                    if found.get("kind") in DESCRIBING:
                        yield from_json(found)
        except DamagedError as error:
            raise EventJsonError(f"{path}:{number + 1}: {error}") from None
        except (ValueError, RecursionError) as error:
            raise EventJsonError(f"{path}:{number}: {error}") from None
