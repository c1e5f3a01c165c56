"""Cached texts of row images whose columns are objects, {"id":{"t":3,"v":1},…}: everything around the values."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tidewire.runtime.json.codecs import NOTHING as NULL_ONLY
from tidewire.runtime.json.json_literals import text_json
from tidewire.runtime.json.row_writer import RowTexts

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tidewire.runtime.batch import Column
    from tidewire.runtime.json.codec import JsonCodec
    from tidewire.runtime.json.sink import Spelling


class ColumnObjectTexts(RowTexts):
    """The constant text around the values of row images with these columns."""

    def __init__(
        self,
        protocol: str,
        columns: Sequence[Column],
        chosen: Sequence[int],
        codecs: Sequence[JsonCodec | None],
        opens: Sequence[bytes],
        close: bytes,
        spelling: Spelling,
    ) -> None:
        """
        Args:
            protocol, columns, codecs: as in `RowTexts`.
            chosen: positions of the columns that are written, in the order of writing.
            opens: for each of them, the text between the colon after its name and its value.
            close: the text after each value.
            spelling: how names are escaped.

        Raises:
            EncodeError: the protocol has no representation of a column's type.
        """
        self.choose(protocol, columns, chosen, codecs, NULL_ONLY)
        names = [text_json(protocol, column.name, spelling) for column in self.columns]
        self.spell([b",%b:%b" % (name, opened) for name, opened in zip(names, opens)], close)
