"""`python -m tests.protocol_pages`: prints the examples of all protocols in spec/examples anew, and draws them."""

from __future__ import annotations

from .examples import EXAMPLES, PROTOCOLS, example
from .picture import PICTURES, figure, path

EXAMPLES.mkdir(exist_ok=True)
PICTURES.mkdir(exist_ok=True)
for name in PROTOCOLS:
    (EXAMPLES / f"{name}.md").write_text(example(name), encoding="utf-8")
    figure(name).savefig(path(name))
