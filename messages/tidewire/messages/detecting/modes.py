"""Finds, for values that do not fit their columns, the mode (an option that messages do not carry) that can decode
them.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from tidewire.runtime.batch.event_columns import EventColumns
from tidewire.runtime.errors import KIND, OUTSIDE, REASONS, VALUE, DecodeError
from tidewire.runtime.wire.messages import image_of

LOOKED_AT = 16
"""The most errors of a batch that are examined."""
_OF_VALUES = (REASONS[VALUE][0], REASONS[KIND][0], REASONS[OUTSIDE][0])


def advised(columns: EventColumns, values: Any, keys: Any, decoder: Any) -> EventColumns:
    """The columns; errors of values that another mode can decode name the option to set.

    Args:
        columns: the decoded columns, with errors.
        decoder: the decoder that read them.
    """
    left, made = LOOKED_AT, _Others(decoder)
    for at, error in enumerate(columns.errors):
        if type(error) is not DecodeError or error.code not in _OF_VALUES or error.message is None:
            continue
        if not left:
            break
        left -= 1
        said = made.suggestion(
            error, image_of(values[error.message]), None if keys is None else image_of(keys[error.message])
        )
        if said:
            columns.errors[at] = error.with_detail(f"{error.detail}; {said}", error.looks_like)
    return columns


class _Others:
    """Decoders with other modes, created on first use."""

    def __init__(self, decoder: Any) -> None:
        self._decoder = decoder
        self._made: dict[tuple[str, str], Any] = {}

    def suggestion(self, error: DecodeError, value: bytes | None, key: bytes | None) -> str:
        """A sentence with the option value that can decode a failed message; empty if no other value can.

        Args:
            value, key: value and key of the message.
        """
        modes = self._decoder.FACTS.modes
        named = [name for name in modes if f"option {name} " in error.detail or f" or {name} " in error.detail]
        for name in named or modes:
            likely = [choice for choice, one in self._with(name) if _reads(one, value, key, error)]
            if likely:
                return f"the topic looks like {' or '.join(likely)}: -o {name}={likely[0]}"
        return ""

    def _with(self, name: str) -> Iterator[tuple[str, Any]]:
        """Decoders with the other choices of an option."""
        options: Any = self._decoder.options
        (spec,) = [one for one in options.SPECS if one.name == name]
        for choice in spec.choices:
            if choice == options.value(name):
                continue
            if (name, choice) not in self._made:
                other = replace(options, **{spec.python_name: choice})
                self._made[name, choice] = self._decoder.with_options(other)
            yield choice, self._made[name, choice]


def _reads(decoder: Any, value: bytes | None, key: bytes | None, error: DecodeError) -> bool:
    """Whether a decoder can decode the value that another one could not: it gives no error, or only
    one about a later value in another column.
    """
    found = decoder.attempt([value], None if key is None else [key]).errors
    if not found:
        return True
    behind = found[0].part != error.part or found[0].offset > error.offset
    return behind and found[0].code in _OF_VALUES and _column(found[0]) != _column(error)


def _column(error: DecodeError) -> str:
    return error.field.rpartition("/")[2]
