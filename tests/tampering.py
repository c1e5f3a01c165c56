"""Small changes of a recorded stream, each with what the conformance run has to say of it."""

from __future__ import annotations

import copy
from collections.abc import Callable

from tapes import Expected, Json, Tape, of_a_line, of_an_event, of_bytes, put, value

# --- what happens to whole lines --------------------------------------------------------------------------------------


def remove_a_message(tape: Tape) -> Expected:
    line = tape.rows()[2]
    tape.lines.remove(line)
    return {"event": line["events"][0], "what": "cover", "got": "it is in no line"}


def remove_a_message_and_count_on(tape: Tape) -> Expected:
    line = tape.rows()[2]
    tape.lines.remove(line)
    for number, one in enumerate(tape.lines):
        one["m"] = number
    return {"event": line["events"][-1], "what": "cover", "got": "it is in no line"}


def remove_the_last_message(tape: Tape) -> Expected:
    return {"event": tape.lines.pop()["events"][0], "what": "cover"}


def remove_every_message(tape: Tape) -> Expected:
    number = tape.rows()[-1]["events"][0]
    tape.lines.clear()
    return {"event": number, "what": "cover"}


def remove_every_message_of_a_table(tape: Tape) -> Expected:
    table = tape.rows()[0]["table"]
    gone = [one for one in tape.lines if one.get("table") == table]
    tape.lines = [one for one in tape.lines if one not in gone]
    return {"event": gone[-1]["events"][0], "what": "cover"}


def repeat_a_message(tape: Tape) -> Expected:
    line = tape.rows()[1]
    place = tape.place(line)
    tape.lines.insert(place - 1, copy.deepcopy(line))
    return {"line": place + 1, "where": "events", "event": line["events"][0]}


def repeat_a_message_at_the_end(tape: Tape) -> Expected:
    line = tape.rows()[1]
    tape.lines.append({**line, "m": len(tape.lines)})
    return {"line": len(tape.lines) + 1, "where": "events", "event": line["events"][0]}


def swap_messages_of_two_statements(tape: Tape) -> Expected:
    return {"line": _swap(tape, lambda one, other: bool(one["ts"] != other["ts"])) + 1, "where": "order"}


def swap_messages_of_one_statement(tape: Tape) -> Expected:
    return {"line": _swap(tape, lambda one, other: bool(one["ts"] == other["ts"])), "what": "encode from truth"}


def _swap(tape: Tape, chosen: Callable[[Json, Json], bool]) -> int:
    """Two messages that follow one another change places but not numbers: the place of the first."""
    pairs = zip(tape.lines, tape.lines[1:], strict=False)
    one, other = next((a, b) for a, b in pairs if "value" in a and "value" in b and chosen(a, b))
    k = tape.lines.index(one)
    tape.lines[k : k + 2] = [{**other, "m": one["m"]}, {**one, "m": other["m"]}]
    return k + 2


def turn_the_stream_round(tape: Tape) -> Expected:
    tape.lines.reverse()
    return {"line": 2, "where": "m"}


def swap_the_contents_of_two_messages(tape: Tape) -> Expected:
    one, other = tape.rows()[0], tape.rows()[3]
    one["value"], other["value"] = other["value"], one["value"]
    return {"line": tape.place(one), "what": "decode"}


def number_a_message_otherwise(tape: Tape) -> Expected:
    tape.lines[3]["m"] = 300
    return {"line": 5, "where": "m", "got": "300"}


def call_a_message_refused(tape: Tape) -> Expected:
    line = tape.rows()[1]
    del line["key"], line["value"]
    line["error"] = "runtime error: invalid memory address or nil pointer dereference"
    return {"line": tape.place(line), "event": line["events"][0], "where": "error"}


def call_an_event_refused_as_well(tape: Tape) -> Expected:
    number = tape.rows()[1]["events"][0]
    tape.lines.append({"m": len(tape.lines), "kind": "row", "events": [number], "error": "no"})
    return {"line": len(tape.lines) + 1, "event": number, "where": "events"}


# --- what a line says -------------------------------------------------------------------------------------------------


def drop_an_event_of_a_message(tape: Tape) -> Expected:
    line = tape.rows()[1]
    number = line["events"].pop()
    return {"event": number, "what": "cover", "got": "it is in no line"}


@of_a_line(where="events", got="none")
def drop_all_events_of_a_message(line: Json) -> None:
    line["events"] = []


def add_an_event_to_a_message(tape: Tape) -> Expected:
    line = tape.rows()[1]
    line["events"].append(tape.rows()[-1]["events"][0])
    return {"line": tape.place(line), "what": "decode"}


@of_a_line(event=4711, where="events")
def name_an_event_that_is_not_there(line: Json) -> None:
    line["events"][0] = 4711


def name_an_event_twice_in_a_message(tape: Tape) -> Expected:
    line = tape.rows()[1]
    line["events"] = line["events"] + line["events"][:1]
    return {"line": tape.place(line), "event": line["events"][0], "where": "events"}


@of_a_line(where="kind", got="ddl")
def name_another_kind(line: Json) -> None:
    line["kind"] = "ddl"


@of_a_line(where="rows")
def name_another_number_of_rows(line: Json) -> None:
    line["rows"] += 1


@of_a_line(where="table", got="nobodys")
def name_another_table(line: Json) -> None:
    line["table"] = "nobodys"


@of_a_line(where="ts")
def name_another_commit_ts(line: Json) -> None:
    line["ts"] += 1


@of_a_line(where="key")
def give_a_message_a_key(line: Json) -> None:
    line["key"] = "a2V5"


@of_a_line(what="decode")
def take_a_messages_value(line: Json) -> None:
    line["value"] = None


# --- bytes ------------------------------------------------------------------------------------------------------------


@of_bytes(what="decode")
def cut_a_message(data: bytes) -> bytes:
    return data[:-4]


@of_bytes(what="encode from truth")
def append_to_a_message(data: bytes) -> bytes:
    return data + b" "


@of_a_line()
def flip_a_bit_in_the_middle(line: Json) -> None:
    data = bytearray(value(line))
    data[len(data) // 2] ^= 1
    put(line, bytes(data))


@of_a_line(what="decode", where="table")
def put_another_letter_into_a_name(line: Json) -> None:
    name = str(line["table"]).encode()
    put(line, value(line).replace(name, b"X" + name[1:], 1))


# --- the header -------------------------------------------------------------------------------------------------------


def name_an_unknown_producer(tape: Tape) -> Expected:
    tape.header["producer"] = "somebody"
    return {"line": 1, "where": "producer", "got": "somebody"}


def set_an_unknown_option(tape: Tape) -> Expected:
    tape.header["options"]["max-rows"] = 3
    return {"line": 1, "where": "options"}


def set_an_option_to_nonsense(tape: Tape) -> Expected:
    tape.header["options"]["max-message-bytes"] = "many"
    return {"line": 1, "where": "options"}


def set_deletes_to_keys_otherwise(tape: Tape) -> Expected:
    name = "delete-only-output-handle-key-columns"
    if tape.header["options"].pop(name, None) is None:
        tape.header["options"][name] = True
    return {"what": "decode"}


# --- the truth --------------------------------------------------------------------------------------------------------


def remove_an_event(tape: Tape) -> Expected:
    line = tape.rows()[1]
    tape.events.remove(tape.event(line["events"][0]))
    return {"line": tape.place(line), "event": line["events"][0], "where": "events"}


def remove_an_event_from_truth_and_message(tape: Tape) -> Expected:
    line = tape.rows()[1]
    number = line["events"].pop(0)
    tape.events.remove(tape.event(number))
    return {"event": number, "where": "events.jsonl"}


def add_an_event(tape: Tape) -> Expected:
    last = copy.deepcopy(tape.event(tape.rows()[-1]["events"][0]))
    tape.events.append({**last, "n": len(tape.events)})
    return {"event": len(tape.events) - 1, "what": "cover"}


def change_a_value(tape: Tape) -> Expected:
    event = next(one for one in tape.events if one["kind"] == "insert" and {"int": "1"} in one["new"])
    event["new"][event["new"].index({"int": "1"})] = {"int": "7"}
    return {"event": event["n"], "what": "decode"}


def change_a_commit_ts(tape: Tape) -> Expected:
    event = tape.event(tape.rows()[1]["events"][0])
    event["commit_ts"] += 1 << 18
    return {"event": event["n"], "what": "decode"}


@of_an_event("insert", where="kind")
def change_a_kind(event: Json) -> None:
    event.update(kind="delete", old=event["new"], new=None)


@of_an_event("ddl", where="query")
def change_a_statement(event: Json) -> None:
    event["query"] += " "


@of_an_event("insert", where="new columns")
def change_a_columns_type(event: Json) -> None:
    event["columns"][0]["type"] = 8
    event["columns"][0]["mysql_type"] = "bigint(20)"


@of_an_event("insert", where="new columns")
def rename_a_column(event: Json) -> None:
    event["columns"][0]["name"] = "renamed"


def make_a_value_null(tape: Tape) -> Expected:
    event = next(one for one in tape.events if one["kind"] == "insert" and len(one["new"]) > 1)
    at = next(k for k, one in reversed(list(enumerate(event["new"]))) if one is not None)
    event["new"][at] = None
    return {"event": event["n"], "what": "decode"}


# --- JSON -------------------------------------------------------------------------------------------------------------


def put_space_between_declared_types(tape: Tape) -> Expected:
    line = next(
        one for one in tape.rows() if value(one).partition(b'"mysqlType":{')[2].partition(b"}")[0].count(b":") > 1
    )
    head, middle, tail = value(line).partition(b'"mysqlType":{')
    put(line, head + middle + tail.replace(b'","', b'", "', 1))
    return {"line": tape.place(line), "what": "encode from truth"}


@of_a_line(what="encode from truth")
def put_space_behind_the_declared_types(line: Json) -> None:
    head, middle, tail = value(line).partition(b'"mysqlType":{')
    put(line, head + middle + tail.replace(b"}", b" }", 1))


@of_bytes(what="encode from truth")
def put_space_before_the_declared_types(data: bytes) -> bytes:
    return data.replace(b'"mysqlType":{', b'"mysqlType":{ ', 1)


@of_bytes(what="encode from truth")
def put_space_behind_a_member(data: bytes) -> bytes:
    return data.replace(b'"sql":"",', b'"sql":"" ,', 1)


@of_bytes(what="encode from truth")
def add_a_member(data: bytes) -> bytes:
    return data.replace(b'{"id":0,', b'{"id":0,"gtid":"",', 1)


@of_bytes(what="encode from truth")
def write_a_number_otherwise(data: bytes) -> bytes:
    return data.replace(b'"id":0', b'"id":-0', 1)


@of_bytes(what="decode", where="sent_ms")
def change_the_clock(data: bytes) -> bytes:
    return data.replace(b'"ts":17', b'"ts":16', 1)


def switch_the_extension(tape: Tape) -> Expected:
    del tape.header["options"]["enable-tidb-extension"]
    return {"what": "encode from truth"}


# --- refusals, and messages that hold several rows --------------------------------------------------------------------


def remove_a_refusal(tape: Tape) -> Expected:
    line = next(one for one in tape.lines if "error" in one)
    tape.lines.remove(line)
    return {"event": line["events"][0], "what": "cover"}


def refuse_without_a_reason(tape: Tape) -> Expected:
    line = next(one for one in tape.lines if "error" in one)
    line["events"] = []
    return {"line": tape.place(line), "where": "events"}


def move_an_event_to_the_next_message(tape: Tape) -> Expected:
    line = tape.rows(2)[0]
    tape.lines[tape.lines.index(line) + 1]["events"].insert(0, line["events"].pop())
    return {"line": tape.place(line), "what": "decode"}


def turn_the_events_of_a_message_round(tape: Tape) -> Expected:
    line = tape.rows(2)[0]
    line["events"].reverse()
    return {"line": tape.place(line), "what": "decode"}


def cut_messages_elsewhere(tape: Tape) -> Expected:
    tape.header["options"]["max-batch-size"] = 3
    return {"what": "encode from truth"}


def join_two_messages(tape: Tape) -> Expected:
    one, other = next((a, b) for a, b in zip(tape.rows(), tape.rows()[1:], strict=False) if a["ts"] == b["ts"])
    put(one, value(one) + value(other))
    one["events"] += other["events"]
    one["rows"] += other["rows"]
    tape.lines.remove(other)
    return {"line": tape.place(one), "what": "encode from truth"}


EVERY = (
    remove_a_message,
    remove_a_message_and_count_on,
    remove_the_last_message,
    remove_every_message,
    remove_every_message_of_a_table,
    repeat_a_message,
    repeat_a_message_at_the_end,
    swap_messages_of_two_statements,
    turn_the_stream_round,
    swap_the_contents_of_two_messages,
    number_a_message_otherwise,
    call_a_message_refused,
    call_an_event_refused_as_well,
    drop_an_event_of_a_message,
    drop_all_events_of_a_message,
    add_an_event_to_a_message,
    name_an_event_that_is_not_there,
    name_an_event_twice_in_a_message,
    name_another_kind,
    name_another_number_of_rows,
    name_another_table,
    name_another_commit_ts,
    give_a_message_a_key,
    take_a_messages_value,
    cut_a_message,
    append_to_a_message,
    flip_a_bit_in_the_middle,
    put_another_letter_into_a_name,
    name_an_unknown_producer,
    set_an_unknown_option,
    set_an_option_to_nonsense,
    set_deletes_to_keys_otherwise,
    remove_an_event,
    remove_an_event_from_truth_and_message,
    add_an_event,
    change_a_value,
    change_a_commit_ts,
    change_a_kind,
    change_a_columns_type,
    rename_a_column,
    make_a_value_null,
)
TEXT = (
    put_space_between_declared_types,
    put_space_behind_the_declared_types,
    put_space_before_the_declared_types,
    put_space_behind_a_member,
    add_a_member,
    write_a_number_otherwise,
    change_the_clock,
    switch_the_extension,
)
REFUSED = (remove_a_refusal, refuse_without_a_reason)
GATHERED = (move_an_event_to_the_next_message, turn_the_events_of_a_message_round)
