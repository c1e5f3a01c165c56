"""primitives.yaml and the runtime name the same codecs of values."""

from __future__ import annotations

import importlib
from pathlib import Path
from types import ModuleType

import pytest
import yaml

from tidewire.runtime.arrow import storage
from tidewire.runtime.binary import codecs
from tidewire.runtime.binary.codec import BinaryCodec
from tidewire.runtime.json import codecs as json_codecs
from tidewire.runtime.json.codec import JsonCodec
from tidewire.runtime.record import branches, fields
from tidewire.runtime.wire import codec_ids
from tidewire.runtime.wire.value_codec import ValueCodec

ROOT = Path(__file__).resolve().parent.parent
CODECS = yaml.safe_load((ROOT / "spec" / "primitives.yaml").read_text(encoding="utf-8"))["codecs"]
CLASSES: dict[str, type[ValueCodec]] = {"binary": BinaryCodec, "json": JsonCodec, "record": ValueCodec}


def named(wire: str) -> dict[str, tuple[str, ValueCodec]]:
    """The storage kind and the runtime's codec of each name that the page has for a wire, module and constant."""
    found = {}
    for line in CODECS.values():
        wires = line.get("wire", wire)  # one, or a list of them
        for kind, path in line["storage"].items() if wire in ([wires] if isinstance(wires, str) else wires) else ():
            module, constant = path.split(".")
            found[path] = (kind, getattr(importlib.import_module(f"tidewire.runtime.{wire}.{module}"), constant))
    return found


def of_the_runtime(wire: str) -> list[ValueCodec]:
    """The codecs that are constants of any module."""
    modules = [importlib.import_module(f"tidewire.runtime.{wire}.{path.stem}") for path in modules_of(wire)]
    return [value for module in modules for value in vars(module).values() if isinstance(value, ValueCodec)]


def modules_of(wire: str) -> list[Path]:
    return [path for path in (ROOT / "runtime/tidewire/runtime" / wire).glob("*.py") if path.stem != "__init__"]


@pytest.mark.parametrize("wire", CLASSES)
def test_every_line_has_a_codec_and_every_codec_a_line(wire: str) -> None:
    """A line without a codec fails with the name that is missing."""
    assert {codec for _, codec in named(wire).values()} == set(of_the_runtime(wire))


@pytest.mark.parametrize("wire", CLASSES)
def test_a_codec_holds_what_its_line_says(wire: str) -> None:
    for path, (kind, codec) in named(wire).items():
        inline = codec.number >= 0 and codec.number != codec_ids.CALLED and wire != "record"
        assert type(codec) is CLASSES[wire] if inline else isinstance(codec, CLASSES[wire]), path
        assert codec.storage == getattr(storage, kind.upper()), path
        assert codec.stored(True) == codec.storage
        assert codec.stored(False) == (storage.RAW_TEXT if kind == "text" else codec.storage), path


def test_every_number_of_json_is_that_of_a_codec() -> None:
    numbers = {value for value in vars(codec_ids).values() if isinstance(value, int)}
    known = {number for codec in of_the_runtime("json") for number in (codec.number, codec.unchecked)}
    assert numbers - {codec_ids.CALLED} == known - {storage.NOTHING, codec_ids.CALLED}


def numbers_of(module: ModuleType) -> dict[str, int]:
    return {name: value for name, value in vars(module).items() if isinstance(value, int)}


def test_no_number_is_that_of_two_codecs() -> None:
    """Readers and writers handle codecs in place by their numbers, whatever the wire."""
    numbers = [number for module in (codec_ids, branches, fields) for number in numbers_of(module).values()]
    assert len(numbers) == len(set(numbers))


def test_codecs_of_json_are_called_as_their_numbers() -> None:
    numbers = numbers_of(codec_ids)
    inline = {name: one.number for name, one in vars(json_codecs).items() if isinstance(one, JsonCodec)}
    assert {name: number for name, number in inline.items() if numbers.get(name) not in (None, number)} == {}
    # these have no number, or two: of text that is checked, and of text that is not
    assert inline.keys() - numbers.keys() == {"NOTHING", "TEXT", "UNDECLARED_TEXT", "BASE64_TEXT"}


def test_codecs_of_records_with_one_number_write_one_type() -> None:
    """Writers select by the number alone; what is converted (`CONVERTED_FIELD`) is read by the schema's type."""
    types: dict[int, set[str | None]] = {}
    for line in CODECS.values():
        for path in line["storage"].values() if line.get("wire") == "record" else ():
            module, constant = path.split(".")
            codec = getattr(importlib.import_module(f"tidewire.runtime.record.{module}"), constant)
            if codec.number != fields.CONVERTED_FIELD:
                types.setdefault(codec.number, set()).add(line.get("avro"))
    assert {number: found for number, found in types.items() if len(found) > 1} == {}
    assert types[branches.LONG_VALUE] == {"long"}


def test_a_codec_without_a_reader_says_what_is_missing() -> None:
    class Unread(BinaryCodec):
        """Has neither a reader nor a writer."""

    with pytest.raises(NotImplementedError, match=r"Unread has no read, or none that its \.pxd declares"):
        Unread(storage.INT).decoded(b"1")


ON_BOTH: dict[str, dict[bytes, int | float]] = {
    "INT_TEXT": {b"-9223372036854775808": -(2**63), b"0": 0, b"-0": 0, b"007": 7, b"9223372036854775807": 2**63 - 1},
    "UINT_TEXT": {b"18446744073709551615": 2**64 - 1, b"0" * 30 + b"5": 5},
    "FLOAT64_TEXT": {b"1.5": 1.5, b"-0": -0.0, b"1e3": 1000.0, b"5e-324": 5e-324, b"0.1": 0.1},
}
NO_NUMBERS = {
    "INT_TEXT": [b"", b"-", b"--1", b"+1", b"1_0", b" 1", b"9223372036854775808", b"9" * 5000, "\u0661".encode()],
    "UINT_TEXT": [b"", b"-1", b"18446744073709551616", b"1.0", b"0x1"],
    "FLOAT64_TEXT": [b"", b"nan", b"inf", b"1e999", b".5", b"1.", b"1_0.0", b"0x1p3"],
}


def test_numbers_as_text_are_one_codec_on_all_wires() -> None:
    """In primitives.yaml one line says the wires; bytes take the same texts as JSON does."""
    lines = {path.removeprefix("codecs."): line for line in CODECS.values() for path in line["storage"].values()}
    both = ["json", "binary"]
    assert [lines[name]["wire"] for name in ON_BOTH] == [both, [*both, "record"], both]


@pytest.mark.parametrize("name", ON_BOTH)
def test_numbers_are_read_from_text_of_a_binary_message(name: str) -> None:
    codec = getattr(codecs, name)
    for text, value in ON_BOTH[name].items():
        found = codec.decoded(text)
        assert (found, type(found), str(found)) == (value, type(value), str(value)), text
    for text in NO_NUMBERS[name]:
        with pytest.raises((ValueError, OverflowError)):
            codec.decoded(text)
