"""Registries that are asked by https: whose certificate is believed, and which one is shown."""

from __future__ import annotations

import ssl
from pathlib import Path
from typing import Any

import pytest
import trustme
from registry_server import reply, serving

from tidewire.messages.registry import RegistryClient, RegistrySettings, SchemaRegistryError

TEXT = '{"type":"record","name":"t","fields":[]}'


class Authority:
    """Who vouches for certificates, and files with them."""

    def __init__(self, folder: Path) -> None:
        folder.mkdir()
        self._authority = trustme.CA()
        self.file = folder / "authority.pem"
        self.certificate, self.key, self.both = (folder / f"{one}.pem" for one in ("certificate", "key", "both"))
        self._authority.cert_pem.write_to_path(self.file)
        shown = self._authority.issue_cert("a.client@example.org")
        shown.cert_chain_pems[0].write_to_path(self.certificate)
        shown.private_key_pem.write_to_path(self.key)
        shown.private_key_and_cert_chain_pem.write_to_path(self.both)

    def server(self, name: str = "127.0.0.1", *, asks: bool = False) -> ssl.SSLContext:
        """What a server of this name has; with `asks` it wants a certificate of the same authority."""
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        self._authority.issue_cert(name).configure_cert(context)
        if asks:
            self._authority.configure_trust(context)
            context.verify_mode = ssl.CERT_REQUIRED
        return context


@pytest.fixture
def authority(tmp_path: Path) -> Authority:
    return Authority(tmp_path / "one")


def schema(url: str, **others: Any) -> str:
    files = {name: str(value) for name, value in others.items()}
    return RegistryClient(RegistrySettings((url,), deadline=5.0, retries=1, **files)).schema(1)  # type: ignore[arg-type]


def test_a_certificate_of_the_authority_in_the_file_is_believed(authority: Authority) -> None:
    with serving(reply({"schema": TEXT}), tls=authority.server()) as server:
        assert schema(server.url, ca_file=authority.file) == TEXT


def test_other_certificates_are_refused_before_anything_is_sent(authority: Authority, tmp_path: Path) -> None:
    another = Authority(tmp_path / "another")
    with serving(reply({"schema": TEXT}), tls=authority.server()) as server:
        for given in ({}, {"ca_file": another.file}):
            with pytest.raises(SchemaRegistryError, match=r"TLS fails: .*CERTIFICATE_VERIFY_FAILED.*Look at ca_file"):
                schema(server.url, **given)
    assert server.asked == []
    with (
        serving(reply({"schema": TEXT}), tls=authority.server("registry.example.org")) as server,
        pytest.raises(SchemaRegistryError, match=r"TLS fails: .*127\.0\.0\.1"),
    ):
        schema(server.url, ca_file=authority.file)
    assert server.asked == []


@pytest.mark.parametrize("together", [False, True])
def test_the_client_shows_its_certificate(authority: Authority, together: bool) -> None:
    apart = {"certificate": authority.certificate, "key": authority.key}
    shown = {"certificate": authority.both} if together else apart
    with serving(reply({"schema": TEXT}), tls=authority.server(asks=True)) as server:
        assert schema(server.url, ca_file=authority.file, **shown) == TEXT


def test_a_client_without_a_certificate_is_told_so(authority: Authority) -> None:
    with (
        serving(reply({"schema": TEXT}), tls=authority.server(asks=True)) as server,
        pytest.raises(SchemaRegistryError, match=r"TLS fails: .*CERTIFICATE_REQUIRED"),
    ):
        schema(server.url, ca_file=authority.file)
    assert server.asked == []


@pytest.mark.parametrize("name", ["ca_file", "certificate"])
def test_a_file_that_is_no_certificate(authority: Authority, tmp_path: Path, name: str) -> None:
    wrong = tmp_path / "wrong.pem"
    wrong.write_text("-----BEGIN NOTHING-----")
    given = {"ca_file": authority.file, name: wrong}
    with (
        serving(reply({"schema": TEXT}), tls=authority.server()) as server,
        pytest.raises(SchemaRegistryError, match=r"TLS fails: .*Look at ca_file, certificate and key"),
    ):
        schema(server.url, **given)
    assert server.asked == []


def test_a_registry_that_speaks_no_tls_is_told(authority: Authority) -> None:
    refused = pytest.raises(SchemaRegistryError, match=r"TLS fails: .*whether the registry speaks https")
    with serving(reply({})) as server, refused:
        schema(server.url.replace("http:", "https:"), ca_file=authority.file)
