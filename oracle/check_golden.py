#!/usr/bin/env python3
"""Re-encode recorded streams with the oracle and compare.

    check_golden.py ORACLE GOLDEN [--protocol craft] [--scenario keys] [--show 3]

ORACLE is the built program, GOLDEN a folder of recorded messages (``tiflow/<scenario>/<protocol>.<set>.jsonl`` with
the ``events.jsonl`` they stand for). Every stream of the classic producer is encoded again from its events, under the
options of its header, and compared message by message: key, value or error, rows, events, and for Avro the registered
schemas.

A message is *identical* (same bytes), *equivalent* (JSON with other member order, Avro maps in other order: both are
random in TiCDC), or *different*. Streams of a patched producer (``-float8``) are left out: TiCDC as it is writes the
defect.
Exit status 1 when anything is different.
"""

from __future__ import annotations

import argparse
import base64
import json
import pathlib
import subprocess
import sys
from collections import Counter
from collections.abc import Callable
from typing import Any

Line = dict[str, Any]


def read(path: pathlib.Path) -> list[Line]:
    return [json.loads(line) for line in path.read_text().splitlines() if line]


def recorded_claims(stream: pathlib.Path, recorded: list[Line]) -> list[str]:
    """Names of a stream's claim-check files in the order in which its messages mention them."""
    folder = stream.with_suffix(".claims")
    if not folder.is_dir():
        return []
    text = b"".join(base64.b64decode(m.get(part) or "") for m in recorded for part in ("key", "value"))
    found = [(text.find(f.name.encode()), f.name) for f in folder.iterdir()]
    # A file that no message mentions (the event was refused after it was written) came last.
    return [name for _, name in sorted((at if at >= 0 else len(text), name) for at, name in found)]


def same_parsed(a: str | None, b: str | None) -> bool:
    """Whether two values are JSON that differs in member order only, or binary with the same bytes in another order."""
    if a is None or b is None:
        return False
    left, right = base64.b64decode(a), base64.b64decode(b)
    try:
        return bool(json.loads(left) == json.loads(right))
    except ValueError:
        try:
            lines = zip(left.split(b"\n"), right.split(b"\n"), strict=True)
            return all(x == y or json.loads(x) == json.loads(y) for x, y in lines)
        except ValueError:
            return len(left) == len(right) and sorted(left) == sorted(right)


def compare(want: Line, got: Line, ask: Callable[[Line], Line], codec: str) -> str:
    if "error" in want or "error" in got:
        return "identical" if want.get("error") == got.get("error") and want["events"] == got["events"] else "different"
    if want["rows"] != got["rows"] or want["events"] != got["events"] or want["key"] != got["key"]:
        return "different"
    if want["value"] == got["value"]:
        return "identical"
    left, right = want["value"], got["value"]
    if codec != "none":
        left, right = ask({"inflate": {"codec": codec, "values": [left, right]}})["values"]
    return "equivalent" if same_parsed(left, right) else "different"


def compare_files(want: bytes, got: str | None) -> str:
    """A claim-check file: the message itself, or JSON with its key and value in base64."""
    if got is None:
        return "different"
    if want == base64.b64decode(got):
        return "identical"
    try:
        left, right = json.loads(want), json.loads(base64.b64decode(got))
    except ValueError:
        return "different"
    if left == right or (left.get("key") == right.get("key") and same_parsed(left.get("value"), right.get("value"))):
        return "equivalent"
    return "different"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("oracle")
    parser.add_argument("golden", type=pathlib.Path)
    parser.add_argument("--protocol", help="only this protocol")
    parser.add_argument("--scenario", help="only this scenario")
    parser.add_argument("--show", type=int, default=3, help="differences to print")
    args = parser.parse_args()

    process = subprocess.Popen([args.oracle], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    assert process.stdin

    def ask(request: Line) -> Line:
        assert process.stdin
        assert process.stdout
        process.stdin.write(json.dumps(request) + "\n")
        process.stdin.flush()
        return dict(json.loads(process.stdout.readline()))

    counts: dict[str, Counter[str]] = {}
    shown = 0
    for events_file in sorted((args.golden / "tiflow").glob("*/events.jsonl")):
        if args.scenario and events_file.parent.name != args.scenario:
            continue
        events = read(events_file)
        for stream in sorted(events_file.parent.glob("*.jsonl")):
            if stream == events_file:
                continue
            header, *recorded = read(stream)
            if "patched" in header["options"] or (args.protocol and header["protocol"] != args.protocol):
                continue
            request = {
                "id": str(stream),
                "protocol": header["protocol"],
                "options": header["options"],
                "events": events,
                "claim_names": recorded_claims(stream, recorded),
            }
            answer = ask(request)
            codec = header["options"].get("large-message-handle-compression", "none")
            count = counts.setdefault(header["protocol"], Counter())
            count["streams"] += 1
            verdicts: Counter[str] = Counter()
            messages = answer.get("messages") or []
            problems = [f"request: {answer['error']}"] if answer["error"] else []
            if len(messages) != len(recorded):
                problems.append(f"{len(messages)} messages, recorded {len(recorded)}")
                verdicts["different"] += abs(len(messages) - len(recorded))
            for want, got in zip(recorded, messages, strict=False):
                verdict = compare(want, got, ask, codec)
                verdicts[verdict] += 1
                if verdict == "different":
                    problems.append(f"message {want['m']}:\n    recorded {brief(want)}\n    oracle   {brief(got)}")
            registry = stream.with_name(stream.stem + ".registry.json")
            if registry.exists():
                same = json.loads(registry.read_text()) == answer.get("registry", [])
                count["registries identical" if same else "registries different"] += 1
                if not same:
                    problems.append("registered schemas differ")
            folder = stream.with_suffix(".claims")
            for file in sorted(folder.iterdir()) if folder.is_dir() else []:
                got_file = next((c["content"] for c in answer.get("claims") or [] if c["name"] == file.name), None)
                count[f"claim files {compare_files(file.read_bytes(), got_file)}"] += 1
            count.update(verdicts)
            if problems:
                count["streams with differences"] += 1
                if shown < args.show:
                    shown += 1
                    print(f"{stream}:", *problems[:3], sep="\n  ")
    process.stdin.close()
    process.wait()
    bad = False
    for protocol, count in sorted(counts.items()):
        bad |= any(n for name, n in count.items() if name.endswith("different"))
        print(f"{protocol}: " + ", ".join(f"{name} {n}" for name, n in sorted(count.items())))
    return 1 if bad or not counts else 0


def brief(message: Line) -> str:
    def text(part: str | None) -> str:
        return repr(base64.b64decode(part))[:1500] if part is not None else "null"

    if "error" in message:
        return f"{message['kind']} {message['events']} error {message['error']}"
    start = f"{message['kind']} {message['events']} rows {message['rows']}"
    return f"{start} key {text(message['key'])} value {text(message['value'])}"


if __name__ == "__main__":
    sys.exit(main())
