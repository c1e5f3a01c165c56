"""Requests to a synchronisation: `tidewire sync replay`, `resume`, `reset` and `add`."""

from __future__ import annotations

from tidewire.cli.shell import CommandError
from tidewire.cli.sync_values import SyncFile


def ask(
    of: SyncFile,
    kind: str,
    table: str = "",
    dump: str | None = None,
    at: int | None = None,
    start_ts: int | None = None,
    timezone: str | None = None,
) -> str:
    """Stores a request for the running process. Returns what becomes of it.

    Args:
        of: the synchronisation file; its `verify` says how dumps are written.
        kind, table: of the request.
        dump: the folder of a dump, for reset and add.
        at, start_ts, timezone: of the dump and the changefeed, as in `dumped.found_dump`.

    Raises:
        CommandError: an option is for a dump, and none is named.
        TidewireError: it cannot be carried out.
    """
    from tidewire.spark.sync.choices import chosen
    from tidewire.spark.sync.dumped import found_dump
    from tidewire.spark.sync.how_far import ask as asked

    given = {"--at": at, "--start-ts": start_ts, "--timezone": timezone}
    if dump is None and (alone := [name for name, value in given.items() if value is not None]):
        raise CommandError(f"{alone[0]} is for a dump: name its folder, with --dump DIR")
    found = None
    if dump is not None:
        zone = timezone or of.verify.get("timezone")
        found = found_dump(dump, of.verify.get("csv"), zone, at, start_ts or 0)
    asked(of.state, kind, table, chosen(of.tables, of.options).wanted.named, found)
    what = f"{kind} {table}".rstrip()
    if found is not None:
        return (
            f"{what} with the dump of TSO {found.tso}: asked for; it is loaded with the next batch whose resolved ts is"
            " greater, or at a start where none runs"
        )
    return f"{what}: asked for; it is done with the next batch, or at the next start where none runs"
