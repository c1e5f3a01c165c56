"""What errors and reprs show of names, values, addresses and files: in part, in plain characters, and no secrets."""

from __future__ import annotations

import json
import pickle
import tracemalloc
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import tidewire
from tidewire import avro, canal_json, craft, simple
from tidewire.events import RowChange
from tidewire.messages.delivery.claims import ClaimError, ClaimFiles
from tidewire.messages.registry import SavedSchemas
from tidewire.messages.registry.settings import RegistrySettings
from tidewire.runtime.batch import Column
from tidewire.runtime.errors import (
    ChecksumError,
    ContradictionError,
    DecodeError,
    DescriptionError,
    EncodeError,
    MissingTableError,
    OptionError,
    SqlError,
    TidewireError,
)
from tidewire.runtime.registered.errors import MissingSchemaError
from tidewire.runtime.registry.errors import SchemaRegistryError, SchemaUnavailableError
from tidewire.runtime.shortened import MOST_SAID, public, sentence, shortened, shown
from tidewire.tables import ColumnDescription, TableDescription, TableStore

SECRET = "Geheim4711"
LONG = "n" * 5_000_000
NASTY = "a\x1b[31mb\nc\u202ed\u2028e\x00f\ud800g\x7f\x9b"

TEXTS: list[Callable[[str], TidewireError]] = [
    lambda one: DecodeError("p", f"columns/{one}/value", 3, "kind", f"`{one}` is wrong", message=1),
    lambda one: EncodeError("p", 1, one, f"the value {one} is wrong"),
    lambda one: OptionError(f"{one} is no option"),
    lambda one: DescriptionError(one, f"columns/{one}", f"{one} is wrong"),
    lambda one: ContradictionError(one, 1, f"columns/{one}", one, None),
    lambda one: SqlError(1, one, f"{one} is wrong"),
    lambda one: MissingTableError(one, one, 7, "p", one, reason=one),
    lambda one: ChecksumError("p", 0, one, one, "new", 1, 2, one),
    lambda one: MissingSchemaError(one, one, one, True, "p", one),
    lambda one: SchemaRegistryError(one, one, one),
    lambda one: ClaimError("p", 0, one, one, one, one, 1, {one: one}),
]


@pytest.mark.codec
@pytest.mark.parametrize("make", TEXTS)
@pytest.mark.parametrize("one", [LONG, NASTY, NASTY * 100_000])
def test_a_text_of_an_error_is_one_line_that_can_be_read(make: Callable[[str], TidewireError], one: str) -> None:
    error = make(one)
    again = pickle.loads(pickle.dumps(error))
    for found in (error, again):
        assert str(found).isprintable()
        assert len(str(found)) <= 4 * MOST_SAID
        for name in ("field", "detail", "reason", "path", "where", "what"):
            said = getattr(found, name, "")
            assert said.isprintable()
            assert len(said) <= 4 * MOST_SAID
    assert str(again) == str(error)


@pytest.mark.codec
def test_what_is_shown_once_is_shown_so_again() -> None:
    for text in ("x", "x" * 201, NASTY, NASTY * 50, LONG):
        for show in (shortened, sentence):
            assert show(show(text)) == show(text)
    assert shown(2**100_000) == "int that cannot be shown (ValueError)"
    assert shown(b"x" * 300) == f"b'{'x' * 200}'… (300 bytes)"


def bad(name: str) -> bytes:
    """A message that cannot be read, with a name of five million characters."""
    said = {"id": 0, "database": "s", "table": "t", "type": "INSERT", "isDdl": False, "es": 1, "ts": 1, "sql": ""}
    types = {"sqlType": {name: 4}, "mysqlType": {name: "int"}, "data": [{name: "x"}], "old": None, "pkNames": []}
    return json.dumps({**said, **types}).encode()


@pytest.mark.codec
@pytest.mark.once
def test_errors_of_a_batch_hold_no_names_as_long_as_messages() -> None:
    message = bad("n" * 500_000)
    values = [message] * 50
    assert canal_json.decode_batch([message]).errors
    tracemalloc.start()
    try:
        found = canal_json.decode_batch(values)
        held, _ = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert len(found.errors) == 50
    assert all(len(str(one)) < 2000 for one in found.errors)
    assert held < 5_000_000


# ---- secrets

ADDRESSES = [
    f"http://bob:{SECRET}@h",
    f"http:/bob:{SECRET}@h",
    f"http:bob:{SECRET}@h",
    f"//bob:{SECRET}@h/x",
    f"bob:{SECRET}@h/x",
    f"HTTPS:/{SECRET}@h",
    f"ftp://bob:{SECRET}@h/x",
    f"jdbc:mysql://bob:{SECRET}@h/x",
    f"x.json?token={SECRET}",
    f"http://h/x?token={SECRET}",
    f"http://h/x#{SECRET}",
    f"/path/x.json?a=b&token={SECRET}",
    f"///bob:{SECRET}@h",
    f"s3://bob:{SECRET}@bucket/x?secret-access-key={SECRET}",
    f"nope://bob:{SECRET}@h",
]
FILES = ("schema-registry-ca-file", "schema-registry-certificate", "schema-registry-key")


def everything(call: Callable[[], Any]) -> str:
    """What a call shows: the repr of what it gives, or its error, with what led to that."""
    said = []
    try:
        found = call()
        said += [repr(found), str(getattr(found, "errors", ""))]
    except TidewireError as error:
        said += [str(error), repr(error), repr(error.__cause__), repr(vars(error))]
    return "\n".join(said)


@pytest.mark.codec
@pytest.mark.parametrize("address", ADDRESSES)
def test_no_address_shows_its_secret(address: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)  # some are paths of files, which are written
    assert SECRET not in public(address)
    shown_texts = [
        everything(lambda: avro.Options.from_strings({"schema-registry": address})),
        everything(lambda: avro.Options.from_strings({"schema-registry": address, "topic": "x", "producer": address})),
        everything(lambda: avro.Options.from_strings({"enable-tidb-extension": address})),
        everything(lambda: avro.Options.from_strings({"schema-registry": [address]})),  # type: ignore[dict-item]
        everything(lambda: RegistrySettings.of(address)),
        everything(lambda: SavedSchemas(address)),
        everything(lambda: SavedSchemas(address).schema(1)),
        everything(lambda: SavedSchemas(address).register("s", '"int"')),
        everything(lambda: canal_json.Options(claim_check=address)),
        everything(lambda: ClaimFiles("p", "claim-check", address, False)),
        everything(lambda: canal_json.Options(claim_check_storage_uri=address)),
    ]
    for name in FILES:
        given = {"schema-registry": "http://h", name: address, "schema-registry-certificate": address}
        shown_texts.append(everything(lambda given=given: avro.Decoder(avro.Options.from_strings(given))))  # type: ignore[misc]
    if not address.lower().startswith(("http://", "https://")):
        value = b"\0\0\0\0\1abc"
        options = avro.Options(schema_registry=address)
        shown_texts += [
            everything(lambda: avro.decode_batch([value], [value], options)),
            everything(lambda: avro.Decoder(options)),
            everything(lambda: tidewire.detect([value], [value], known={"schema-registry": address})),
        ]
    for text in shown_texts:
        assert SECRET not in text


@pytest.mark.codec
def test_a_location_in_a_message_has_no_password(tmp_path: Path) -> None:
    files = ClaimFiles("p", "claim-check-storage-uri", f"memory://bob:{SECRET}@place", False)
    assert SECRET not in files.location()
    assert SECRET not in repr(files.fetch([f"memory://bob:{SECRET}@place/x.json"]))


@pytest.mark.codec
def test_what_was_meant_as_a_url_is_no_path() -> None:
    for address in ("http:/h", "//h/x", "x.json?token=1", "HTTP:h"):
        with pytest.raises(OptionError, match="begins with neither http:// nor https://"):
            RegistrySettings.of(address)
    assert RegistrySettings.of("/data/me@corp/schemas.json").file


@pytest.mark.codec
@pytest.mark.parametrize(
    "content",
    [
        f"password={SECRET}\n",
        json.dumps({"password": SECRET}),
        json.dumps(SECRET),
        json.dumps([SECRET]),
        json.dumps([{"id": SECRET}]),
        json.dumps([{"id": 1, "subject": [SECRET], "schema": '"int"'}]),
        json.dumps([{"id": 1, "schema": SECRET}]),
        json.dumps([{"id": 1, "schema": {"x": SECRET}}]),
        json.dumps([{"id": 1, "schemaType": SECRET}]),
        json.dumps([{"id": 1, "version": SECRET, "schema": '"int"'}]),
    ],
)
def test_a_file_that_is_no_registrys_is_not_shown(content: str, tmp_path: Path) -> None:
    path = tmp_path / "private"
    path.write_text(content)
    with pytest.raises(SchemaRegistryError) as caught:
        SavedSchemas(str(path))
    assert SECRET not in str(caught.value)
    path.write_bytes(b"\x7fELF" + SECRET.encode())
    with pytest.raises(SchemaUnavailableError, match="the file is no JSON"):
        SavedSchemas(str(path))


# ---- names with characters that terminals obey


@pytest.mark.codec
def test_names_in_errors_cannot_move_a_cursor() -> None:
    columns = [Column("id", 8, 2), Column(NASTY.replace("\ud800", ""), 15, 0)]
    name = columns[1].name
    calls: list[Callable[[], object]] = [
        lambda: craft.encode([RowChange("insert", 1, "s", name, {"id": "x", name: "y"}, columns=columns)]),
        lambda: craft.encode([RowChange("insert", 1, "s", "t", {"id": 1, name: 5}, columns=columns)]),
        lambda: TableStore().add_sql(f"create table `{name}` (a int, a int)", name),
        lambda: TableStore().add_sql(f"create tabel {name}"),
        lambda: TableStore().find(name, name, 1),
        lambda: TableStore(
            [TableDescription(name, name, [ColumnDescription(name, kind)], version=1) for kind in ("int", "bigint")]
        ),
        lambda: simple.decode(json.dumps({"version": 1, "type": name, "database": name}).encode()),
        lambda: tidewire.protocols()[name],
        lambda: tidewire.transcode([b""], name, "craft"),
        lambda: craft.Options.from_strings({name: name}),
        lambda: craft.Options.from_strings({"producer": name}),
        lambda: canal_json.decode(bad(name)),
    ]
    for call in calls:
        with pytest.raises(TidewireError) as caught:
            call()
        assert str(caught.value).isprintable()


# ---- addresses in lists, in paths, in quotes, in sentences

LISTS = [
    f"http://127.0.0.1:1/,http:/bob:{SECRET}@h",
    f"http://127.0.0.1:1/,http:bob:{SECRET}@h",
    f"http://127.0.0.1:1/a,bob:{SECRET}@h",
    f"http://127.0.0.1:1/bob:{SECRET}@h",
    f"http://127.0.0.1:1/bob:{SECRET}%40h",
    f"http://127.0.0.1:1,bob:{SECRET}@h",
    f"http://a,bob:{SECRET}@h",
    f"http://a:1,{SECRET}@h",
    f"http://[::1]:1,bob:{SECRET}@h",
    f"http://a,//bob:{SECRET}@h",
    f"https://a, bob:{SECRET}@h",
    f"http://127.0.0.1:1/x;token={SECRET}",
    f"http://127.0.0.1:1/x;{SECRET}",
    f"http://127.0.0.1:1/%3Ftoken={SECRET}",
    f"http://127.0.0.1:1/%253ftoken%3D{SECRET}",
    f"http://127.0.0.1:1/x%3Btoken={SECRET}",
    f"http://127.0.0.1:1/x&token={SECRET}",
    f"http://h;token={SECRET}",
    f"http://h%3Ftoken={SECRET}",
    f"x.json;token={SECRET}",
    f"x.json%3Ftoken={SECRET}",
]


@pytest.mark.codec
@pytest.mark.parametrize("address", LISTS)
def test_what_is_no_list_of_registries_is_refused_unseen(address: str, tmp_path: Path) -> None:
    assert SECRET not in public(address)
    assert public(public(address)) == public(address)
    given = {"schema-registry": address}
    options = avro.Options.from_strings(given)
    assert SECRET not in repr(options)
    for call in (
        lambda: RegistrySettings.of(address),
        lambda: avro.Decoder(options),
        lambda: avro.decode(b"\0\0\0\0\1\2", options=options),
    ):
        with pytest.raises(OptionError, match="registry") as caught:
            call()
        assert SECRET not in str(caught.value)
    for text in (everything(lambda: SavedSchemas(address)), str(SchemaRegistryError("s", address, "why"))):
        assert SECRET not in text


@pytest.mark.codec
def test_registries_that_can_be_are_taken_as_before() -> None:
    with pytest.raises(OptionError, match="or a space"):
        RegistrySettings.of("https://[::1]:8081/x%20y")
    cases: list[tuple[str, tuple[str, ...]]] = [
        ("http://a:1/apis/v7,https://[::1]:8081/x-y", ("http://a:1/apis/v7", "https://[::1]:8081/x-y")),
        ("http://u:p,w@a,http://u:p,w@b", ("http://a", "http://b")),
        ("http://u%2Cv:12%2C3@a/~x-1.2_3:y", ("http://a/~x-1.2_3:y",)),
    ]
    for where, urls in cases:
        assert RegistrySettings.of(where).urls == urls


@pytest.mark.codec
@pytest.mark.parametrize("before", ["", "x " * 90, "x" * 190 + " ", "x " * 990])
@pytest.mark.parametrize("address", ADDRESSES[:4] + [one for one in LISTS if "@" in one and " " not in one])
def test_no_user_stands_in_a_sentence(before: str, address: str) -> None:
    """Wherever it stands, also where the text is cut in the middle of it."""
    text = f"{before}{address} is wrong" + " and more" * 1000
    errors = (OptionError(text), EncodeError("p", 0, "c", text))
    for said in (shortened(text), sentence(text), shown(text), *map(str, errors)):
        assert SECRET not in said
        assert shortened(said, 10_000) == said


@pytest.mark.codec
def test_texts_that_look_like_addresses_again_and_again_are_no_slower() -> None:
    """These would take minutes, were the time that they take quadratic."""
    for text in ("/" * 1_000_000 + "@", "@ " + "/" * 1_000_000, "//x" * 400_000 + " @", "http:" * 300_000 + " @"):
        assert len(sentence(text)) < 2100
        assert len(shortened(text)) < 300
        assert public(text)
    assert public("&a" * 500_000)
    assert public("%25" * 500_000)


@pytest.mark.codec
def test_a_location_with_a_token_is_not_shown(tmp_path: Path) -> None:
    files = ClaimFiles("p", "claim-check-storage-uri", f"{tmp_path.as_uri()}/x;token={SECRET}", False)
    assert SECRET not in files.shown
    assert SECRET not in repr(files.fetch([f"{files.url}/x.json"]))


# ---- names without an end


@pytest.mark.codec
def test_a_name_in_a_sentence_is_shortened_wherever_it_stands() -> None:
    name = "n" * 100_000
    path = "n" * 200 + "… (100,"
    for detail in (f"`data` does not describe column `{name}`", f"{name} is wrong", f"its name is {name}"):
        for error in (
            DecodeError("p", name, 3, "undescribed", detail),
            EncodeError("p", 1, None, detail),
            OptionError(f"p: {detail}"),
            DescriptionError("t", name, detail),
        ):
            assert len(str(error)) < 1000
            assert "n" * 202 not in str(error)
            assert "characters)" in str(error)
        assert DecodeError("p", name, 3, "undescribed", detail).field.startswith(path)
    assert sentence(f"a `{'n' * 220}` b") == f"a `{'n' * 220}` b"
    assert sentence(f"{name} b") == "n" * 200 + "… (100,002 characters)"
    assert sentence(f"{'n' * 1000} b") == "n" * 200 + "… (1,000 characters) b"
    for text in (f"{name} b", f"{'n' * 1000} b", "many words " * 1000):
        assert sentence(sentence(text)) == sentence(text)
    assert sentence("many words " * 1000).endswith("… (11,000 characters)")


@pytest.mark.codec
@pytest.mark.parametrize(
    "address", [f"s3://bob:{SECRET}@h/x", f"http://h/x;token={SECRET}", f"http://h/x?token={SECRET}"]
)
def test_an_address_in_a_name_is_shown_in_part(address: str) -> None:
    for call in (
        lambda: tidewire.protocols()[address],
        lambda: avro.Options.from_strings({address: "1"}),
        lambda: TableStore().find("s", address, 1),
    ):
        with pytest.raises(TidewireError) as caught:
            call()
        assert SECRET not in str(caught.value)
        assert "://" in str(caught.value)
    assert sentence("look at 'https://h/x'; then go on") == "look at 'https://h/x'; then go on"
    assert sentence("look at 'https://h/x?y=z'; then go on") == "look at 'https://h/x?***'; then go on"
