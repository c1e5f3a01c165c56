"""Shell completion of protocols, options and their values, and the script for bash."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import suppress
from typing import Any

import typer

import tidewire

BASH = """
%(complete_func)s() {
    # bash takes = for the end of a word, and an option and its value are one word here
    local IFS=$'\\n' line=$COMP_LINE word words=() i
    for ((i = 0; i <= COMP_CWORD; i++)); do
        word=${COMP_WORDS[i]}
        if [[ $i != 0 && -n $word && $line == "$word"* ]]; then
            words[${#words[@]}-1]+=$word
        else
            line=${line#"${line%%%%[![:space:]]*}"}
            words+=("$word")
        fi
        line=${line#"$word"}
    done
    local current=${words[${#words[@]}-1]}
    local before=${current%%"$2"}
    COMPREPLY=( $( env COMP_WORDS="${words[*]}" \\
                   COMP_CWORD=$((${#words[@]} - 1)) \\
                   %(autocomplete_var)s=complete_bash $1 ) )
    if [[ ${COMPREPLY[*]} == *= ]] && type compopt > /dev/null 2>&1; then
        compopt -o nospace
    fi
    COMPREPLY=( "${COMPREPLY[@]#"$before"}" )
    return 0
}

complete -o default -F %(complete_func)s %(prog_name)s
"""
"""Typer's script, changed: ``NAME=VALUE`` is one word, and no blank follows ``NAME=``."""


def use_bash_script() -> None:
    """Replaces the bash script that typer prints and installs, if this version of typer has it where others do."""
    with suppress(ImportError, AttributeError):
        from typer import _completion_classes, _completion_shared

        scripts: dict[str, str] = _completion_shared._completion_scripts
        scripts["bash"] = BASH
        _completion_classes.BashComplete.source_template = BASH


def complete_protocol(incomplete: str) -> list[str]:
    """Protocols; the shell adds files itself."""
    return [name for name in tidewire.protocols() if name.startswith(incomplete.lower())]


def complete_schema(incomplete: str) -> list[str]:
    """Completes the first argument of `schema`."""
    return [name for name in ("events", "table", "sql", *tidewire.protocols()) if name.startswith(incomplete.lower())]


def complete_option(context: typer.Context, incomplete: str) -> list[str]:
    """Options of the protocol in the command line, else of all protocols; and the values of a choice."""
    name, equals, value = incomplete.partition("=")
    found = dict(_options(context))
    if not equals:
        wanted = name.replace("_", "-").lower()
        return [f"{one}=" for one in sorted(found, key=str.lower) if one.lower().startswith(wanted)]
    own = next((one for one in found if one.lower() == name.replace("_", "-").lower()), None)
    return [] if own is None else [f"{name}={one}" for one in found[own] if one.startswith(value.lower())]


def _options(context: typer.Context) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Names of options, each with its values if it is a choice."""
    known = tidewire.protocols()
    given = [one for one in _words([*context.params.values(), context.args]) if one in known]
    values: dict[str, dict[str, None]] = {}
    for name in given or known:
        for one in known[name].load().OPTIONS:
            choices = ("true", "false") if one.type == "bool" else one.choices
            values.setdefault(one.name, {}).update(dict.fromkeys(choices))
    yield from ((name, tuple(some)) for name, some in values.items())
    if context.info_name == "decode":
        from tidewire.reading.options import READ

        yield from ((name, choices or ()) for name, choices in READ.items())


def _words(values: Iterable[Any]) -> Iterator[str]:
    for one in values:
        if isinstance(one, str):
            yield one
        elif isinstance(one, list | tuple):
            yield from _words(one)
