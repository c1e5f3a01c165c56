"""Checks the values of a synchronisation file, and reports errors with their lines before Spark is started."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Mapping
from functools import partial
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from tidewire.cli.shell import CommandError
from tidewire.runtime.errors import TidewireError

if TYPE_CHECKING:
    from tidewire.cli.sync_values import SyncFile
    from tidewire.generator.load import YamlNode
    from tidewire.generator.problems import Problem

APPLY = {
    "schema_changes": "schemaChanges",
    "consistency": "consistency",
    "order": "order",
    "engine": "engine",
    "late": "late",
    "after": "applyAfter",
    "rows": "applyRows",
    "keep_staged": "keepStaged",
    "threads": "threads",
}
"""The values of `apply`, with the option of `sync` that each sets."""
MAINTAIN = {"every": "maintainEvery", "compact": "compact", "keep_published": "keepPublished"}
"""The values of `maintain`, in the same way."""
_WITH = {"order": "consistency", "applyRows": "applyAfter"}
"""Options that are only valid beside others."""
TIMEZONE = "timezone"
_MEANT = re.compile(r"[:;,]? did you mean ([^?]+)\?")
"""The suggestion in an error; the list of valid values behind it is not shown."""


def problems_of(of: SyncFile, top: YamlNode, reads: bool) -> list[Problem]:
    """The errors in a file with the right structure.

    Args:
        of: parsed values.
        top: the same values with their lines.
        reads: whether messages will be read.
    """
    checks = _Checks()
    source, into = top["source"], top["into"]
    _check_source(checks, of, source, reads)
    from tidewire.spark.sync.choices import chosen, seconds
    from tidewire.spark.sync.targets.opened import target_of, targets_of

    fine = checks.fine(into["table"], partial(target_of, of.into))
    if of.warehouse is not None and "{" in into["table"].plain().split(".")[0]:
        checks.fine(into["table"], _no_catalog)
    for name in ("warehouse", "catalog"):
        if name in into:
            checks.fine(into[name], partial(_check_catalog, of, name))
    if fine and of.history is not None and checks.fine(into["history"], partial(target_of, of.history)):
        by_key = of.options.get("consistency") == "key"
        checks.fine(into["history"], partial(targets_of, of.into, of.history, by_key))
    places = _places(top)
    fine = True
    for one in _given(top):
        fine = checks.fine(top["tables"][one], partial(chosen, {one: of.tables[one]}, {})) and fine
    if "apply" in top and "every" in top["apply"]:
        checks.fine(top["apply"]["every"], partial(seconds, "every", of.every))
    wrong: set[str] = set()
    for name, value in of.options.items():
        needed = _WITH.get(name, "")
        if needed in wrong:
            continue  # its own error says it
        beside = {needed: of.options[needed]} if needed in of.options else {}
        if not checks.fine(places[name], partial(chosen, {}, {**beside, name: value})):
            wrong.add(name)
            fine = False
    _check_verify(checks, of, top)
    if fine and checks.fine(top.get("apply") or top, partial(chosen, of.tables, of.options)):
        _check_reading(checks, of, source, places, chosen(of.tables, of.options).reading)
    return checks.problems


class _Checks:
    """Collects the errors."""

    def __init__(self) -> None:
        self.problems: list[Problem] = []

    def fine(self, node: YamlNode, check: Callable[[], Any]) -> bool:
        """Whether a check raises no error; an error is reported for the value of the node."""
        from tidewire.generator.problems import problem

        try:
            check()
        except (TidewireError, CommandError) as error:
            text = str(error)
            found = _MEANT.search(text)
            if found is not None:
                self.problems.append(problem(node.location, text[: found.start()], f"Did you mean {found[1]}?"))
            else:
                self.problems.append(problem(node.location, text.removesuffix(".")))
            return False
        return True


def _given(top: YamlNode) -> list[str]:
    """The table patterns."""
    return list(top["tables"].map()) if "tables" in top else []


def _places(top: YamlNode) -> dict[str, YamlNode]:
    """The node of each option of `sync`."""
    source, apply, maintain = top["source"], top.get("apply"), top.get("maintain")
    found = dict(source["options"].items()) if "options" in source else {}
    if TIMEZONE in source:
        found[TIMEZONE] = source[TIMEZONE]
    if apply is not None:
        found |= {option: apply[name] for name, option in APPLY.items() if name in apply}
    if maintain is not None:
        found |= {option: maintain[name] for name, option in MAINTAIN.items() if name in maintain}
    return found


def _check_source(checks: _Checks, of: SyncFile, source: YamlNode, reads: bool) -> None:
    """Checks the source."""
    from tidewire.spark.options import load
    from tidewire.spark.sync.kafka import options_of

    if of.files is not None:
        checks.fine(source["files"], partial(_check_files, of.files, reads))
    else:
        checks.fine(source.get("startingOffsets") or source, partial(options_of, of.source))
    if of.protocol is not None:
        checks.fine(source["protocol"], partial(load, of.protocol))


def _check_files(place: str, reads: bool) -> None:
    """Refuses a location that contains a password or, if `reads`, does not exist.

    Raises:
        CommandError: the text says why.
    """
    if urlsplit(place).username is not None:
        raise CommandError(
            "it has a user or a password in it: leave it out, and give it to the storage by its own settings"
        )
    if reads and "://" not in place and not os.path.exists(place):
        raise CommandError(f"there are no messages in {place}")


def _check_verify(checks: _Checks, of: SyncFile, top: YamlNode) -> None:
    """Checks how dumps are written."""
    from tidewire.reading.database.dump import check_format
    from tidewire.reading.database.dumped_text import DumpFormat
    from tidewire.reading.options import check_timezone

    if "timezone" in of.verify:
        checks.fine(top["verify"]["timezone"], partial(check_timezone, of.verify["timezone"]))
    if "csv" in of.verify:
        checks.fine(top["verify"]["csv"], partial(check_format, DumpFormat(**of.verify["csv"])))


def _no_catalog() -> None:
    raise CommandError(
        "it does not begin with the name of a catalog, which the warehouse is of: write it as in lake.{schema}.{table}"
    )


def _check_catalog(of: SyncFile, name: str) -> None:
    """Refuses a warehouse or a catalog that no catalog of Iceberg can have.

    Raises:
        CommandError: the text says why.
    """
    from tidewire.spark.sync.s3 import is_s3

    place = (of.warehouse if name == "warehouse" else of.catalog) or ""
    if urlsplit(place).username is not None:
        raise CommandError(
            "it has a user or a password in it: leave it out, and give it under spark: by the catalog's own settings"
        )
    rest = of.catalog is not None and of.catalog.startswith(("http://", "https://"))
    if name == "catalog" and "://" in place and not rest:
        raise CommandError(
            "it is neither a local file nor the http:// address of a REST catalog: give other catalogs under spark:, by"
            " the settings spark.sql.catalog.NAME…"
        )
    if name == "catalog" and not rest and of.warehouse is None:
        raise CommandError("a catalog in a file has its tables in a warehouse: name it beside, as s3://bucket/folder")
    if name == "warehouse" and "://" in place and of.catalog is None:
        raise CommandError(
            "the names of tables cannot be in a file at a URL: name beside it, as catalog, a local file or the http://"
            " address of a REST catalog; or leave both out, and give a catalog under spark:"
        )
    if name == "warehouse" and "://" in place and not rest and not is_s3(place):
        raise CommandError("a catalog in a file has its tables in a folder or in S3: give others under spark:")


def _check_reading(
    checks: _Checks, of: SyncFile, source: YamlNode, places: Mapping[str, YamlNode], reading: Mapping[str, Any]
) -> None:
    """Checks the options for reading messages; one by one if they are invalid together."""
    from tidewire.reading.options import check_timezone
    from tidewire.spark.options import load
    from tidewire.spark.sync.staging import staging_options

    if of.protocol is None:
        if TIMEZONE in reading:
            checks.fine(places[TIMEZONE], partial(check_timezone, str(reading[TIMEZONE])))
        return
    try:
        protocol = load(of.protocol).NAME
    except TidewireError:
        return  # an unknown protocol has been reported already
    every = _Checks()
    if every.fine(source.get("options") or source, partial(staging_options, protocol, reading, "UTC")):
        return
    told = len(checks.problems)
    for name, value in reading.items():
        checks.fine(places[name], partial(staging_options, protocol, {name: value}, "UTC"))
    if len(checks.problems) == told:
        checks.problems += every.problems
