"""The table of what each protocol carries, in spec/README.md, says what the specs say."""

from __future__ import annotations

from pathlib import Path

from tidewire.generator.binary.carried import carried_fields
from tidewire.generator.binary.model import BinaryProtocol
from tidewire.generator.binary.resolve import resolve
from tidewire.generator.check import load_spec
from tidewire.generator.json.carried import carried_fields as json_fields
from tidewire.generator.json.model import JsonProtocol
from tidewire.generator.model import Protocol, Spec

SPEC = Path(__file__).resolve().parent.parent / "spec"


def carried_by(spec: Spec, protocol: Protocol) -> tuple[set[str], set[str]]:
    """The kinds of events and the fields that a protocol carries, with some options."""
    if isinstance(protocol, JsonProtocol):
        kinds = {str(case.event) for case in protocol.message.cases.values() if case.event is not None}
        kinds |= {str(protocol.message.rest.event)} if protocol.message.rest is not None else set()
        return kinds, set(json_fields(spec, protocol))
    assert isinstance(protocol, BinaryProtocol)
    found = resolve(spec, protocol)
    classes = {one.cls.key for one in found.cases.values()}
    kinds = {str(kind.name) for kind in spec.events.kinds.values() if kind.cls in classes}
    return kinds, set(carried_fields(spec.events, found))


def expected() -> list[str]:
    """The table's lines, from the specs."""
    spec, problems = load_spec(SPEC)
    assert spec is not None, problems
    titles = [protocol.title for protocol in spec.protocols.values()]
    lines = [f"| | {' | '.join(titles)} |", f"|---|{'---|' * len(titles)}"]
    carried = [carried_by(spec, protocol) for protocol in spec.protocols.values()]
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
