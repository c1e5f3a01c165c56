"""The table of what each protocol carries, in spec/README.md, says what the specs say."""

from __future__ import annotations

from pathlib import Path

from tidewire.generator.check import load_spec
from tidewire.generator.plugins import plugin_of

SPEC = Path(__file__).resolve().parent.parent / "spec"


def expected() -> list[str]:
    """The table's lines, from the specs."""
    spec, problems = load_spec(SPEC)
    assert spec is not None, problems
    titles = [protocol.title for protocol in spec.protocols.values()]
    lines = [f"| | {' | '.join(titles)} |", f"|---|{'---|' * len(titles)}"]
    meanings = [plugin_of(one).context(spec, one).meaning for one in spec.protocols.values()]
    carried = [(one.kinds(spec), one.fields(spec)) for one in meanings]
    for kind in spec.events.kinds.values():
        cells = ["yes" if kind.name in kinds else "no" for kinds, _ in carried]
        lines.append(f"| {kind.name} events | {' | '.join(cells)} |")
    for field in spec.events.fields.values():
        if field.name == "kind":
            continue
        cells = ["yes" if field.name in fields else "absent" for _, fields in carried]
        lines.append(f"| `{field.name}` | {' | '.join(cells)} |")
    return lines


def test_the_table_of_what_is_carried_is_true() -> None:
    assert "\n".join(expected()) in (SPEC / "README.md").read_text(encoding="utf-8")
