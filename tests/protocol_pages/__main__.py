"""`python -m tests.protocol_pages`: prints the examples of all protocols anew, those in spec/examples."""

from __future__ import annotations

from .examples import EXAMPLES, PROTOCOLS, example

EXAMPLES.mkdir(exist_ok=True)
for name in PROTOCOLS:
    (EXAMPLES / f"{name}.md").write_text(example(name), encoding="utf-8")
