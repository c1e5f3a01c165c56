"""Shared by all commands: output, errors and exit codes, progress."""

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
from typer.core import TyperGroup

from tidewire.runtime.errors import TidewireError
from tidewire.runtime.shortened import public, shortened

if TYPE_CHECKING:
    # Only when something is drawn: rich takes 0.1 s to import, and most commands print plain lines.
    from rich.console import Console
    from rich.progress import Progress, TaskID

FOUND_BAD = 1
"""Exit code of a command that did its work and found bad messages, events or differences."""
CANNOT = 2
"""Exit code of a command that could not do its work: an unknown option, a file that is not there."""


_OF_TYPER = "Value error, "
"""How texts about values begin that typer has from pydantic, which means its own class."""
INDENT = "  "
PIPE_WIDTH = 120
"""Columns of what is printed into a pipe or a file, where there is no terminal that has a width."""


UNSEEN = re.compile(
    "[\x00-\x1f\x7f-\x9f\xad\u034f\u0600-\u0605\u061c\u06dd\u070f\u0890\u0891\u08e2\u115f\u1160\u17b4\u17b5"
    "\u180b-\u180f\u200b-\u200f\u2028-\u202e\u2060-\u206f\u2800\u3164\ud800-\udfff\ufe00-\ufe0f\ufeff\uffa0"
    "\ufff0-\ufffb\U000110bd\U000110cd\U00013430-\U0001343f\U0001bca0-\U0001bca3\U0001d173-\U0001d17a"
    "\U000e0000-\U000e0fff]"
)
"""Control characters, characters that change the direction of text, and invisible ones."""


class CommandError(Exception):
    """The command cannot go on; its text says what, where, and what to do. Never shown as a traceback.

    Attributes:
        more: lines that follow.
    """

    def __init__(self, text: str, more: Sequence[str] = ()) -> None:
        super().__init__(text)
        self.more = more


def console(*, stderr: bool = False) -> Console:
    """Standard output, or standard error, for people: text is printed as it is, without markup and without emoji.

    Made anew for each use, because tests and pipes replace the streams.
    """
    from rich.console import Console

    out = Console(stderr=stderr, highlight=False, markup=False, emoji=False)
    if not out.is_terminal and "COLUMNS" not in os.environ:
        out.width = PIPE_WIDTH
    return out


def printable(text: str) -> str:
    """A text with control characters, and those that have no width or change the direction, as escapes like \\u202e.

    What comes from messages and files goes through here before a terminal sees it: it can neither move the cursor,
    nor change colours, nor stand there in another order than it is.
    """
    return UNSEEN.sub(_escape, text)


def json_text(found: Any, *, indent: int | None = None, compact: bool = False) -> str:
    """A line, or lines, of JSON; what a terminal would obey rather than show is escaped, which changes no value."""
    text = json.dumps(found, ensure_ascii=False, indent=indent, separators=(",", ":") if compact else None)
    if text.isascii() and "\x7f" not in text:
        return text  # JSON has escaped the other controls
    return UNSEEN.sub(lambda found: found[0] if found[0] == "\n" else json.dumps(found[0])[1:-1], text)


def _escape(found: re.Match[str]) -> str:
    code = ord(found[0])
    short = {"\n": "\\n", "\r": "\\r", "\t": "\\t"}.get(found[0])
    return short or (f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}")


def complain(text: str, more: Sequence[str] = ()) -> None:
    """One line on standard error, and those that explain it."""
    typer.echo(f"tidewire: {printable(text)}", err=True)
    for one in more:
        typer.echo(f"{INDENT}{printable(one)}", err=True)


def say_waiting(path: str) -> None:
    """Says that a command waits for what is typed, where standard input, -, is a terminal."""
    if path == "-" and sys.stdin.isatty():
        complain("reading standard input; Ctrl-D ends it")


def cut(text: str) -> str:
    """As much of a line that explains another one as has room in the terminal."""
    room = shutil.get_terminal_size((PIPE_WIDTH, 0)).columns - len(INDENT)
    line = printable(text)
    return line if len(line) <= room else f"{line[: room - 1]}…"


def many(count: int, what: str) -> str:
    """A count and what is counted: 1 event, 1,024 events."""
    return f"{count:,} {what}{'' if count == 1 else 's'}"


class Commands(TyperGroup):
    """The command group: what a command raises on purpose becomes a sentence and an exit code."""

    def invoke(self, ctx: Any) -> Any:
        """Run the command that the user named."""
        try:
            return super().invoke(ctx)
        except BrokenPipeError:
            # The reader of our output went away, as `head` does. Python would complain again while it closes stdout.
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
    """A progress bar; nothing when standard error is no terminal."""

    def __init__(self, progress: Progress | None, task: TaskID | None) -> None:
        self._progress = progress
        self._task = task

    def advance(self, by: float = 1) -> None:
        """Advances the bar, in the unit of its total."""
        if self._progress is not None and self._task is not None:
            self._progress.advance(self._task, by)

    def say(self, text: str) -> None:
        """What is being worked on."""
        if self._progress is not None and self._task is not None:
            self._progress.update(self._task, detail=printable(text))


@contextmanager
def meter(title: str, total: float | None, *, prints: bool) -> Iterator[Meter]:
    """A progress bar on standard error while the block runs; only when that is a terminal.

    Args:
        title: what is done, in a word.
        total: how much there is to do, None when that is not known.
        prints: whether the block writes to standard output; when that is a terminal too, its lines are progress enough.
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
