"""What the page of a protocol says of the columns in schemas of records."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from ..model import Spec
from ..pages.markdown import Markdown, mono, names, say, sentence, series, together
from ..pages.parts import PageTable
from ..pages.types import type_names
from .column_forms import SchemaColumn

DEFAULTS: Mapping[str, str] = {
    "number": "a number",
    "single": "the number of 32 bits that is the nearest",
    "double": "a number",
    "text": "a text",
    "base64": "the bytes in base64",
}
"""As what defaults are written, in words."""


def column_table(spec: Spec, lines: Sequence[SchemaColumn]) -> PageTable:
    """How columns are said in schemas, and how their values are written."""
    rows = tuple(
        (
            type_names(spec, line.types, line.flagged),
            _said(line),
            together(sentence(spec.primitives.codecs[line.codec].about), *_more(line)),
        )
        for line in lines
    )
    return PageTable(("Columns", "The schema says", "Values"), rows)


def _said(line: SchemaColumn) -> Markdown:
    found = [mono(line.type)]
    if line.logical is not None:
        found.append(say("the logical type {}", mono(line.logical)))
    if line.precision is not None:
        found.append(say("the precision {}, and nothing else", mono(str(line.precision))))
    if line.word is not None:
        found.append(mono(line.word))
    if line.small is not None:
        found.append(say("the type {}", mono(line.small)))
    if line.semantic is not None:
        found.append(say("the name {}", mono(line.semantic)))
    for what, name in (("its length", line.length), ("its labels", line.labels)):
        if name is not None:
            found.append(say("{} in {}", what, mono(name)))
    return series(found)


def _more(line: SchemaColumn) -> Iterator[Markdown]:
    if line.default is not None and line.word is not None:
        yield say("A default is {}.", DEFAULTS[line.default])
    if line.length_within is not None:
        yield say("Of columns of length {} only.", _range(line.length_within))
    if line.fraction_within is not None:
        yield say("Of columns with {} digits behind the point of seconds only.", _range(line.fraction_within))
    if line.unscaled:
        yield Markdown("Of columns without declared digits behind the point only.")
    if line.when is not None:
        yield say("With {} only.", mono(f"{line.when[0]}={line.when[1]}"))
    if line.producers:
        yield say("Only {} writes it.", names(line.producers))


def _range(limits: tuple[int, int]) -> Markdown:
    low, high = limits
    return mono(str(low)) if low == high else say("{} to {}", mono(str(low)), mono(str(high)))
