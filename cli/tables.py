"""Descriptions of tables in event files: saved, loaded, and shown as SQL."""

from __future__ import annotations

import codecs
import json
import os
import re
from collections.abc import Iterator
from contextlib import suppress
from urllib.parse import unquote

from tidewire.cli.eventjson import EventJsonError, from_json, to_json
from tidewire.events import Event
from tidewire.reading.files.jsontext import parse_object
from tidewire.reading.files.streams import DamagedError, joined, lines, opened
from tidewire.runtime.whole_files import written_whole
from tidewire.tables import TableStore

DESCRIBING = ("ddl", "bootstrap")
"""Kinds of events that can describe tables."""

WIDE = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
"""How a text in UTF-16 begins."""
_OF_DUMPLING = re.compile(r"([^.]+)\.[^.]+-schema\.sql(?:\.\w+)?")
"""What Dumpling calls the file of a table; a point in a name is %2E there."""


def save_tables(store: TableStore, path: str | os.PathLike[str]) -> None:
    """Writes the descriptions of a store into an event file, one bootstrap a line, as `tidewire decode --exact` prints
    events. A file that is there is replaced when all is written.

    Args:
        store: the descriptions.
        path: of the file.
    """
    with written_whole(path) as out:
        for event in store.to_events():
            out.write(json.dumps(to_json(event), ensure_ascii=False, separators=(",", ":")) + "\n")


def load_tables(path: str | os.PathLike[str], store: TableStore | None = None) -> TableStore:
    """A store with the descriptions of an event file, whatever other events it has; gzip and zstd are unpacked.

    Args:
        path: of the file.
        store: to which they are added; None for a new one.

    Raises:
        EventJsonError: a line is no event; the text says where.
        ContradictionError: two descriptions of one version of a table contradict each other.
    """
    found = TableStore() if store is None else store
    found.add_events(describing_events(os.fspath(path)))
    return found


def describing_events(path: str) -> Iterator[Event]:
    """The events of a file that can describe tables.

    Args:
        path: of the file; - is standard input.

    Raises:
        EventJsonError: a line is no event; the text says where.
    """
    number = 0
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


def looks_like_events(path: str) -> bool:
    """Whether a file begins as one of events does; else it is SQL."""
    with opened(path) as stream, suppress(DamagedError):
        for piece in stream.pieces():
            if piece.strip():
                return piece.lstrip().startswith(b"{")
    return False


def _database(path: str) -> str | None:
    """The database whose table a file of Dumpling's describes, which its name tells alone."""
    found = _OF_DUMPLING.fullmatch(os.path.basename(path))
    return None if found is None else unquote(found[1])


def load_sql(path: str, store: TableStore) -> None:
    """Adds the tables that a file of SQL creates, such as the mysql client, mysqldump and Dumpling print it; gzip and
    zstd are unpacked.

    Raises:
        ValueError: it is no text in UTF-8, or does not say of which database a table is.
        SqlError, DescriptionError, ContradictionError: as `TableStore.add_sql`.
    """
    with opened(path) as stream:
        text = joined(stream.pieces())
    try:
        made = store.add_sql(text.decode(), _database(path))
    except UnicodeDecodeError as error:
        wide = "; it looks like UTF-16: convert it, such as iconv -f UTF-16 -t UTF-8" if text[:2] in WIDE else ""
        raise ValueError(f"not UTF-8 at byte {error.start}{wide}") from None
    bare = [one.table for one in made if one.schema is None]
    if bare:
        raise ValueError(
            f"it does not say of which database `{bare[0]}` is: put USE, such as USE shop; before the statement, or "
            f"name the table `shop`.`{bare[0]}`"
        )
