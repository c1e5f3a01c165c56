"""Code shared by all commands: output, errors, exit codes, progress."""

from __future__ import annotations

import json
import os
import re
import shutil
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import typer
from typer.core import TyperCommand, TyperGroup

from tidewire.runtime.errors import TidewireError
from tidewire.runtime.shortened import public, shortened

if TYPE_CHECKING:
    # Imported on use: rich takes 0.1 s to import, and most commands print plain lines.
    from rich.console import Console
    from rich.progress import Progress, TaskID

FOUND_BAD = 1
"""Exit code of a command that completed and found bad messages, events or differences."""
CANNOT = 2
"""Exit code of a command that could not run: an unknown option, a missing file."""


_OF_TYPER = "Value error, "
"""Beginning of the texts that typer has from pydantic for wrong values, with a class name that users do not know."""
INDENT = "  "
PIPE_WIDTH = 120
"""Width in columns of output into a pipe or a file."""


UNSEEN = re.compile(
    "[\x00-\x1f\x7f-\x9f\xad\u034f\u0600-\u0605\u061c\u06dd\u070f\u0890\u0891\u08e2\u115f\u1160\u17b4\u17b5"
    "\u180b-\u180f\u200b-\u200f\u2028-\u202e\u2060-\u206f\u2800\u3164\ud800-\udfff\ufe00-\ufe0f\ufeff\uffa0"
    "\ufff0-\ufffb\U000110bd\U000110cd\U00013430-\U0001343f\U0001bca0-\U0001bca3\U0001d173-\U0001d17a"
    "\U000e0000-\U000e0fff]"
)
"""Control characters, characters that change the direction of text, and invisible characters."""


class CommandError(Exception):
    """The command cannot go on; the text says what is wrong, where, and what to do. Never shown as a traceback.

    Attributes:
        more: additional lines.
    """

    def __init__(self, text: str, more: Sequence[str] = ()) -> None:
        super().__init__(text)
        self.more = more


def console(*, stderr: bool = False) -> Console:
    """A console for standard output or standard error that prints text literally, without markup and emoji. It is
    created for each use, because tests and pipes replace the streams.
    """
    from rich.console import Console

    out = Console(stderr=stderr, highlight=False, markup=False, emoji=False)
    if not out.is_terminal and "COLUMNS" not in os.environ:
        out.width = PIPE_WIDTH
    return out


def printable(text: str) -> str:
    """A text with escapes (such as \\u202e) for control characters and characters without width or that change the
    direction.

    All text from messages and files is passed through here before printing, so that it cannot move the cursor, change
    colours, or appear in another order.
    """
    return UNSEEN.sub(_escape, text)


def json_text(found: Any, *, indent: int | None = None, compact: bool = False) -> str:
    """JSON text in one line or several. Characters that control a terminal are escaped, which changes no value."""
    text = json.dumps(found, ensure_ascii=False, indent=indent, separators=(",", ":") if compact else None)
    if text.isascii() and "\x7f" not in text:
        return text  # JSON has escaped the other control characters
    return UNSEEN.sub(lambda found: found[0] if found[0] == "\n" else json.dumps(found[0])[1:-1], text)


def _escape(found: re.Match[str]) -> str:
    code = ord(found[0])
    short = {"\n": "\\n", "\r": "\\r", "\t": "\\t"}.get(found[0])
    return short or (f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}")


def complain(text: str, more: Sequence[str] = ()) -> None:
    """Prints a line to standard error, followed by lines that explain it."""
    typer.echo(f"tidewire: {printable(text)}", err=True)
    for one in more:
        typer.echo(f"{INDENT}{printable(one)}", err=True)


def say_waiting(path: str) -> None:
    """Says that a command waits for input, if it reads standard input and that is a terminal."""
    if path == "-" and sys.stdin.isatty():
        complain("reading standard input; Ctrl-D ends it")


def cut(text: str) -> str:
    """An explanatory line, cut to the width of the terminal."""
    room = shutil.get_terminal_size((PIPE_WIDTH, 0)).columns - len(INDENT)
    line = printable(text)
    return line if len(line) <= room else f"{line[: room - 1]}…"


def many(count: int, what: str) -> str:
    """A count with its noun: 1 event, 1,024 events."""
    return f"{count:,} {what}{'' if count == 1 else 's'}"


def _without_types(params: list[Any]) -> list[Any]:
    """Parameters as help shows them: a flag takes no value, so it has no type."""
    for one in params:
        if getattr(one, "is_flag", False) and one.metavar is None:
            one.metavar = ""
    return params


class Command(TyperCommand):
    """A command whose help shows types of values only."""

    def get_params(self, ctx: Any) -> list[Any]:
        """The parameters."""
        return _without_types(super().get_params(ctx))


class Commands(TyperGroup):
    """The command group, which turns a command's intended errors into a sentence and an exit code."""

    def get_params(self, ctx: Any) -> list[Any]:
        """The parameters of the group itself."""
        return _without_types(super().get_params(ctx))

    def invoke(self, ctx: Any) -> Any:
        """Runs the command that the user named."""
        try:
            return super().invoke(ctx)
        except BrokenPipeError:
            # The reader of the output has closed it, as `head` does. Python would report that again when it closes
            # stdout.
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            raise typer.Exit(0) from None
        except typer.BadParameter as error:
            error.message = error.message.removeprefix(_OF_TYPER)
            raise
        except CommandError as error:
            complain(str(error), error.more)
        except TidewireError as error:
            complain(str(error))
        except OSError as error:
            complain(f"{shortened(public(str(error.filename)))}: {error.strerror}" if error.filename else str(error))
        raise typer.Exit(CANNOT)


class Meter:
    """A progress bar; does nothing if standard error is not a terminal."""

    def __init__(self, progress: Progress | None, task: TaskID | None) -> None:
        self._progress = progress
        self._task = task

    def advance(self, by: float = 1) -> None:
        """Advances the bar, in the unit of its total."""
        if self._progress is not None and self._task is not None:
            self._progress.advance(self._task, by)

    def say(self, text: str) -> None:
        """Sets the description of the current work."""
        if self._progress is not None and self._task is not None:
            self._progress.update(self._task, detail=printable(text))


@contextmanager
def meter(title: str, total: float | None, *, prints: bool) -> Iterator[Meter]:
    """A progress bar on standard error while the block runs, if that is a terminal.

    Args:
        title: the activity, in a word.
        total: amount of work, None if unknown.
        prints: whether the block writes to standard output; if that is a terminal too, there is no bar, since its lines
            show the progress.
    """
    if not sys.stderr.isatty() or (prints and sys.stdout.isatty()):
        yield Meter(None, None)
        return
    from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

    bar = Progress(
        TextColumn("{task.description}", markup=False),
        BarColumn(),
        TextColumn("{task.percentage:>3.0f}%"),
        TimeRemainingColumn(),
        TextColumn("{task.fields[detail]}", style="dim", markup=False),
        console=console(stderr=True),
        transient=True,
        redirect_stdout=False,  # otherwise lines for a redirected standard output would be printed beside the bar
    )
    with bar as progress:
        yield Meter(progress, progress.add_task(title, total=total, detail=""))
