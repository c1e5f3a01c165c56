"""The tables of README.md that count what was recorded: the recorder writes them anew.

python -m tests.native_debezium.readme_tables
"""

from __future__ import annotations

import json
import re
from collections import Counter
from pathlib import Path

import yaml

from .recordings import folder, payload, scenarios, streams, truth

HERE = Path(__file__).parent
OPS = {"c": "insert", "u": "update", "d": "delete", "r": "row of a snapshot", "t": "TRUNCATE TABLE"}
KINDS = {
    "row": "a change of a row, a row of a snapshot, or a TRUNCATE: topic `native.<database>.<table>`",
    "tombstone": "null value, same topic and key as the delete before it",
    "ddl": "a schema change: topic `native`, partition 0",
    "transaction": "begin and end of a transaction: topic `native.transaction`",
    "heartbeat": "topic `__debezium-heartbeat.native`, partition 0",
}


def main() -> None:
    """Rewrites the sections and the versions."""
    described = yaml.safe_load((HERE / "streams.yaml").read_text("utf-8"))
    sql = [yaml.safe_load(path.read_text("utf-8")) for path in sorted((HERE / "scenarios").glob("*.yaml"))]
    sets = {
        name: [
            ", ".join(f"`{form}`" for form in what["forms"]),
            ", ".join(what.get("scenarios", ["all"])),
            ", ".join(f"`{option}={value}`" for option, value in what.get("options", {}).items())
            + (" from a snapshot on" if what.get("snapshot") else ""),
        ]
        for name, what in described["sets"].items()
    }
    ops: Counter[str] = Counter()
    kinds: Counter[str] = Counter()
    for stream in streams():
        for message in stream.messages:
            kinds[message.kind] += 1
            if message.kind == "row" and message.value is not None:
                ops[payload(message.value)["op"]] += 1
    kept = {kind: "varies" if kind == "heartbeat" else str(kinds[kind]) for kind in KINDS}
    found = {s["name"]: [str(len(truth(s["name"]))), s["comment"].replace("|", "\\|")] for s in sql}
    assert set(found) == set(scenarios())
    tables = {
        "Scenarios": _table("scenario | events | what", found),
        "Option sets": _table("set | forms | scenarios | options", sets),
        "Operations": _table("op | records | what", {op: [str(ops[op]), OPS[op]] for op in OPS}),
        "Kinds of records": _table("kind | records | what", {kind: [kept[kind], KINDS[kind]] for kind in KINDS}),
    }
    text = (HERE / "README.md").read_text("utf-8")
    for title, table in tables.items():
        text = re.sub(rf"(## {title}\n\n).*?(?=\n## |\Z)", lambda m, t=table: m[1] + t, text, flags=re.DOTALL)  # type: ignore[misc]
    versions = json.loads((folder() / "versions.json").read_text("utf-8"))
    text = re.sub(r"(\| MariaDB, .* \| ).*( \|)", lambda m: m[1] + versions["mariadb"] + m[2], text)
    text = re.sub(r"(\| Java \| ).*( \|)", lambda m: m[1] + versions["java"] + m[2], text)
    (HERE / "README.md").write_text(text, "utf-8")


def _table(heads: str, rows: dict[str, list[str]]) -> str:
    lines = [f"| {heads} |", "|" + "---|" * len(heads.split("|"))]
    lines += [f"| `{name}` | {' | '.join(cells)} |" for name, cells in rows.items()]
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    main()
