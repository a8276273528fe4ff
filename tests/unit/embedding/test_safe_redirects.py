"""A hub behind TLS may lead elsewhere, and never out of TLS: two real servers, one with a certificate of its own."""

from __future__ import annotations

import datetime
import ipaddress
import ssl
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat

from actors.embedding.download import Download
from actors.runtime.errors import Unavailable


def certified(folder: Path) -> Path:
    """A key and a certificate for 127.0.0.1 that vouches for itself, in one file."""
    key, name = ec.generate_private_key(ec.SECP256R1()), x509.Name([])
    now = datetime.datetime.now(datetime.UTC)
    certificate = (
        x509.CertificateBuilder(name, name, key.public_key(), 1)
        .not_valid_before(now - datetime.timedelta(days=1))
        .not_valid_after(now + datetime.timedelta(days=1))
        .add_extension(x509.SubjectAlternativeName([x509.IPAddress(ipaddress.ip_address("127.0.0.1"))]), critical=True)
        .sign(key, hashes.SHA256())
    )
    path = folder / "hub.pem"
    private = key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
    path.write_bytes(private + certificate.public_bytes(Encoding.PEM))
    return path


class Guide(BaseHTTPRequestHandler):
    """Leads `/to/ADDRESS` to that address, and answers everything else with five bytes."""

    def do_GET(self) -> None:  # the server's name for it
        target = self.path.removeprefix("/to/")
        self.send_response(302 if target != self.path else 200)
        if target != self.path:
            self.send_header("Location", target)
        self.send_header("Content-Length", "0" if target != self.path else "5")
        self.end_headers()
        self.wfile.write(b"" if target != self.path else b"bytes")

    def log_message(self, *_: Any) -> None:
        pass


@pytest.fixture
def safe_hub(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """The address of a server with TLS that this process trusts."""
    pem = certified(tmp_path)
    server = ThreadingHTTPServer(("127.0.0.1", 0), Guide)
    server.daemon_threads = True
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(pem)
    server.socket = context.wrap_socket(server.socket, server_side=True)
    thread = threading.Thread(target=lambda: server.serve_forever(poll_interval=0.01))
    thread.start()
    monkeypatch.setenv("SSL_CERT_FILE", str(pem))
    yield f"https://127.0.0.1:{server.server_address[1]}"
    server.shutdown()
    thread.join(timeout=10)
    server.server_close()


def fetched(url: str, folder: Path) -> bytes:
    partial = folder / "file.part"
    Download(url, partial, stall_s=30.0, max_bytes=1_000).run(lambda *_: None, threading.Event())
    return partial.read_bytes()


def test_from_tls_to_tls_is_followed(safe_hub: str, tmp_path: Path) -> None:
    assert fetched(f"{safe_hub}/to/{safe_hub}/file", tmp_path) == b"bytes"
    assert fetched(f"{safe_hub}/to//file", tmp_path) == b"bytes"


@pytest.mark.parametrize("scheme", ["http", "HTTP", "ftp"])
def test_out_of_tls_is_refused_before_anybody_is_asked(safe_hub: str, hub: Any, tmp_path: Path, scheme: str) -> None:
    hub.files["/file"] = b"bytes"
    elsewhere = hub.url.replace("http", scheme, 1)
    with pytest.raises(Unavailable, match=r"not as safe as what was asked for.*choose another hub_url"):
        fetched(f"{safe_hub}/to/{elsewhere}/file", tmp_path)
    assert hub.asked == []
    assert not (tmp_path / "file.part").exists()


def test_out_of_tls_by_way_of_tls_is_refused_too(safe_hub: str, hub: Any, tmp_path: Path) -> None:
    hub.files["/file"] = b"bytes"
    with pytest.raises(Unavailable, match="not as safe"):
        fetched(f"{safe_hub}/to/{safe_hub}/to/{hub.url}/file", tmp_path)
    assert hub.asked == []


def test_a_hub_that_was_chosen_without_tls_may_lead_elsewhere_without_it_and_into_it(
    safe_hub: str, hub: Any, tmp_path: Path
) -> None:
    hub.files["/file"] = b"bytes"
    for address in (f"{hub.url}/file", f"{safe_hub}/file"):
        hub.raw = [f"HTTP/1.1 302 Found\r\nLocation: {address}\r\nContent-Length: 0\r\n\r\n".encode()]
        assert fetched(f"{hub.url}/first", tmp_path) == b"bytes"


def test_without_tls_nobody_is_led_to_another_protocol(hub: Any, tmp_path: Path) -> None:
    hub.raw = [b"HTTP/1.1 302 Found\r\nLocation: ftp://127.0.0.1:9/file\r\nContent-Length: 0\r\n\r\n"]
    with pytest.raises(Unavailable, match="not as safe"):
        fetched(f"{hub.url}/first", tmp_path)
