"""The table of what each protocol carries, in spec/README.md, says what the specs say."""

from __future__ import annotations

from pathlib import Path

from tidewire.generator.check import load_spec
from tidewire.generator.resolve import resolve

SPEC = Path(__file__).resolve().parent.parent / "spec"


def expected() -> list[str]:
    """The table's lines, from the specs."""
    spec, problems = load_spec(SPEC)
    assert spec is not None, problems
    resolved = {name: resolve(spec, protocol) for name, protocol in spec.protocols.items()}
    titles = [protocol.title for protocol in spec.protocols.values()]
    lines = [f"| | {' | '.join(titles)} |", f"|---|{'---|' * len(titles)}"]
    for kind in spec.events.kinds.values():
        cells = ["yes" if any(one.cls.key == kind.cls for one in r.cases.values()) else "no" for r in resolved.values()]
        lines.append(f"| {kind.name} events | {' | '.join(cells)} |")
    for field in spec.events.fields.values():
        if field.name == "kind":
            continue
        cells = ["yes" if any(one.event is field for one in r.bindings) else "absent" for r in resolved.values()]
        lines.append(f"| `{field.name}` | {' | '.join(cells)} |")
    return lines


def test_the_table_of_what_is_carried_is_true() -> None:
    assert "\n".join(expected()) in (SPEC / "README.md").read_text(encoding="utf-8")
