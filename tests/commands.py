"""Runs the command line in this process."""

from __future__ import annotations

import json
from typing import Any

from typer.testing import CliRunner

from tidewire.cli.main import app

# test.t1, id 1, val aa
INSERT = "018280c087fbe38be2050101000201020402030f0a4002040261610404020203746573747431696476616c021a06011a011a07"
RESOLVED = "018380c0ba83e48be20503010101021a19010005"


def tidewire(*arguments: object, stdin: str | bytes = "", width: int = 120) -> Any:
    """The result of a command; whatever it raises that is no exit code fails the test."""
    result = CliRunner().invoke(app, [str(a) for a in arguments], input=stdin, env={"COLUMNS": str(width)})
    assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
    return result


def events(result: Any) -> list[dict[str, Any]]:
    """The JSON lines that a command printed."""
    return [json.loads(line) for line in result.stdout.split("\n") if line]
