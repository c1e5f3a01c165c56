"""`tidewire schema`: Spark schemas as DDL text or JSON, without starting Spark; described tables as SQL."""

from __future__ import annotations

import difflib
import json
import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

import tidewire
from tidewire.cli.completion import complete_schema
from tidewire.cli.eventjson import EventJsonError
from tidewire.cli.inputs import batches, read
from tidewire.cli.protocols import OptionPairs, load, module_name, options, pairs
from tidewire.cli.seen_tables import SeenTables, TablesFiles, described, told
from tidewire.cli.shell import FOUND_BAD, CommandError, complain, json_text, printable
from tidewire.cli.tables import describing_events
from tidewire.cli.troubles import Troubles
from tidewire.cli.which import Named, settle
from tidewire.reading.files.formats import Format
from tidewire.reading.images import text_where_possible
from tidewire.reading.options import read_options
from tidewire.reading.table_columns import SeenColumns, columns_of, note
from tidewire.reading.tables import asked
from tidewire.reading.types import SchemaError, sql_name
from tidewire.runtime.batch import EventColumns
from tidewire.runtime.errors import DescriptionError
from tidewire.tables import TableDescription, TableStore

if TYPE_CHECKING:
    from pyspark.sql.types import StructType

UNSPECIFIED = "unspecified"
"""TiDB's type of a view's columns: mysql.TypeUnspecified, pingcap/tidb pkg/ddl/create_table.go."""
PLAIN_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")


def schema(
    what: Annotated[
        str,
        typer.Argument(
            help="events, table, sql, or a protocol, such as craft, for its message as it is written.",
            autocompletion=complete_schema,
        ),
    ],
    file: Annotated[
        str | None,
        typer.Argument(
            help="For table: a file with messages, whose tables are shown. For sql: a file with events, whose "
            "descriptions of tables are shown."
        ),
    ] = None,
    protocol: Named = None,
    form: Annotated[Format, typer.Option("--from", help="What the file holds.")] = Format.auto,
    option: OptionPairs = None,
    tables: TablesFiles = None,
    as_json: Annotated[
        bool, typer.Option("--json", help="Print JSON instead of DDL text: Spark's, or with sql the descriptions.")
    ] = False,
) -> None:
    """Show the Spark schema of events, of a table's rows, or of a protocol's message; or described tables as SQL.

    `schema events` is what from_ticdc gives. `schema table` is what rows_from_ticdc adds to a table's columns; with a
    file of messages, the columns of the tables in it, as they can be given to rows_from_ticdc. `schema sql` is a CREATE
    TABLE for each version of a table that a file of events describes (lines of decode --exact), and a comment for a
    view or sequence; with --protocol, which is needed there, a file of messages.
    """
    strings = pairs(option or [])
    if what == "sql":
        _print_sql(_described(file, form, protocol, strings, described(tables)), file or "-", as_json)
        return
    if file is not None and what != "table":
        near = difflib.get_close_matches(what, ("table", "sql"), n=1)
        meant = f"; did you mean schema {near[0]}?" if near else ""
        raise CommandError(f"a file goes with schema table and schema sql only{meant}")
    if file is not None:
        _print_tables(_tables(file, form, protocol, strings, described(tables)), as_json)
        return
    struct = _struct(what)
    if as_json:
        typer.echo(json_text(json.loads(struct.json()), indent=2))
    else:
        typer.echo(_ddl((field.name, field.dataType.simpleString()) for field in struct))


def _struct(what: str) -> StructType:
    """The generated schema that the user names."""
    try:
        from tidewire import schemas
    except ImportError as error:
        raise CommandError(f"Spark's types are needed ({error}): pip install '.[spark]' in Tidewire's folder") from None
    if what == "events":
        return schemas.EVENTS
    if what == "table":
        return schemas.ROW_METADATA
    if module_name(what) not in tidewire.protocols():
        if Path(what).is_file():
            raise CommandError(f"{what} is a file: tidewire schema table {what} shows the tables in it")
        raise CommandError(
            f"no schema is called {what!r}; there are events, table, sql, {', '.join(tidewire.protocols())}"
        )
    load(what)
    return schemas.MESSAGES[module_name(what)]


def _ddl(fields: Iterable[tuple[str, str]]) -> str:
    """DDL text with one column per line. Names with invisible characters are escaped; JSON contains them as they are.
    """
    named = [
        (name if PLAIN_NAME.fullmatch(name) else "`" + printable(name).replace("`", "``") + "`", kind)
        for name, kind in fields
    ]
    width = max((len(name) for name, _ in named), default=0)
    return ",\n".join(f"{name:<{width}} {kind}" for name, kind in named)


def _tables(
    file: str, form: Format, protocol: str | None, strings: Mapping[str, str], tables: TableStore | None
) -> dict[str, list[tuple[str, str]]]:
    """Name and Spark type of the columns of each table in a file, as in its typed rows."""
    known = settle(protocol, batches([file], form, [], "schema", prints=False), strings, tables)
    chosen, _ = read_options(known.module, known.options, "UTC")
    opts = options(known.module, dict(chosen.codec), invalid_text="replace")
    decoder = known.module.Decoder(opts, **SeenTables(known.module, tables=tables).given)
    seen: SeenColumns = {}
    troubles = Troubles(known.module.NAME, options=known.options)
    for batch in known.batches:
        readable = troubles.unreadable(batch)
        for decoded in decoder.parts([m.value for m in readable], [m.key for m in readable]):
            text_where_possible(decoded.layouts)
            note(seen, decoded, range(len(decoded.tables)))
            troubles.errors(readable, decoded.errors)
    troubles.finish()
    if not seen:
        raise CommandError(f"{file}: there is no change of any table in these messages")
    found = {}
    for name, columns in seen.items():
        try:
            found[asked(name)] = [(one.name, sql_name(one.type).lower()) for one in columns_of(columns, chosen)]
        except SchemaError as error:
            complain(f"{asked(name)}: {error}")
    return found


def _decoded(
    file: str, form: Format, protocol: str | None, strings: Mapping[str, str], tables: TableStore | None
) -> EventColumns:
    """The events in a file of messages, whose protocol is given or detected; undecodable messages are reported."""
    known = settle(protocol, ([message] for message in read(file, form)), strings, tables)
    messages = [message for batch in known.batches for message in batch if message.problem is None]
    opts = options(known.module, known.options, invalid_text="replace")
    decoder = known.module.Decoder(opts, **SeenTables(known.module, tables=tables).given)
    decoded: EventColumns = decoder.decode([m.value for m in messages], [m.key for m in messages])
    if decoded.errors:
        complain(
            f"{len(decoded.errors)} of {len(messages)} messages could not be decoded, the first: "
            f"{told(decoded.errors[0])}"
        )
    return decoded


def _print_tables(tables: dict[str, list[tuple[str, str]]], as_json: bool) -> None:
    if as_json:
        typer.echo(json_text({name: dict(columns) for name, columns in tables.items()}, indent=2))
        return
    for index, (name, columns) in enumerate(tables.items()):
        typer.echo(f"{chr(10) if index else ''}-- {printable(name)}\n{_ddl(columns)}")


def _described(
    file: str | None, form: Format, protocol: str | None, strings: Mapping[str, str], tables: TableStore | None
) -> list[TableDescription]:
    """The table descriptions in a file, sorted by name and version."""
    if file is None:
        raise CommandError("schema sql needs a file with events that describe tables")
    store = TableStore()
    try:
        if protocol is None:
            store.add_events(describing_events(file))
        else:
            store.add_events(_decoded(file, form, protocol, strings, tables))
    except EventJsonError as error:
        raise CommandError(f"{error}; of a file of messages, name the protocol with -p") from None
    except DescriptionError as error:
        raise CommandError(str(error)) from None
    if not len(store):
        raise CommandError(f"{file}: no event describes a table")
    return sorted(store, key=lambda one: (one.schema or "", one.table, one.version or 0))


def _print_sql(tables: Sequence[TableDescription], file: str, as_json: bool) -> None:
    if as_json:
        typer.echo(json_text([one.to_json() for one in tables], indent=2))
        return
    bad = printed = 0
    for one in tables:
        said = {"version": one.version, "id": one.id}
        head = ", ".join(f"{name} {value}" for name, value in said.items() if value is not None)
        if all(column.mysql_type == UNSPECIFIED for column in one.columns):
            name = printable(".".join(part for part in (one.schema, one.table) if part))
            why = "is a view: its columns have no types" if one.columns else "has no columns, as sequences have none"
            typer.echo("\n" * (printed > 0) + f"-- {head}{', ' if head else ''}{name} {why}")
            printed += 1
            continue
        try:
            text = one.to_sql()
        except DescriptionError as error:
            bad += 1
            complain(f"{file}: {printable(str(error))}")
            continue
        shown = "\n".join(map(printable, text.split("\n")))
        if shown != text:
            head += f"{', ' if head else ''}escaped to be seen: --json has its names as they are"
        typer.echo("\n" * (printed > 0) + (f"-- {head}\n" if head else "") + f"{shown};")
        printed += 1
    if bad:
        raise typer.Exit(FOUND_BAD)
