"""Who is let in: the names a request may use for this server, the page it may come from, and the token.

Pure: judges headers, and sends nothing. A page in a browser that has a name of its own resolved to this machine (DNS
rebinding) is told apart by `Host` and `Origin`, which it cannot choose.
"""

from __future__ import annotations

import hmac
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final
from urllib.parse import urlsplit

_OWN_NAMES: Final = frozenset({"localhost", "127.0.0.1", "::1"})


@dataclass(frozen=True, slots=True)
class Refusal:
    """Why a request is not let in, as an HTTP status and one sentence with the next step."""

    status: int
    message: str
    headers: tuple[tuple[str, str], ...] = ()


class Guard:
    """Judges requests; `token` is empty where none is needed."""

    def __init__(self, host: str, hosts: tuple[str, ...], token: str) -> None:
        self._names = _OWN_NAMES | {host.lower(), *(name.lower() for name in hosts)}
        self._token = token.encode()

    def refusal(self, headers: Mapping[str, str]) -> Refusal | None:
        """What is wrong with a request's headers, whose names are in lower case; None if nothing is."""
        return self._wrong_host(headers) or self._wrong_origin(headers) or self._wrong_token(headers)

    def _wrong_host(self, headers: Mapping[str, str]) -> Refusal | None:
        host = headers.get("host", "")
        if host_name(f"//{host}") in self._names:
            return None
        return Refusal(
            421, f"this server is not called {host[:100]!r}: use 127.0.0.1, or add the name to hosts under [gateway]"
        )

    def _wrong_origin(self, headers: Mapping[str, str]) -> Refusal | None:
        origin = headers.get("origin")
        if origin is None or (origin.startswith(("http://", "https://")) and host_name(origin) in self._names):
            return None
        return Refusal(403, f"pages of {origin[:100]!r} may not ask here: add its host to hosts under [gateway]")

    def _wrong_token(self, headers: Mapping[str, str]) -> Refusal | None:
        if not self._token:
            return None
        kind, _, given = headers.get("authorization", "").partition(" ")
        if kind.lower() == "bearer" and hmac.compare_digest(given.strip().encode(), self._token):
            return None
        return Refusal(
            401,
            "a token is needed: send 'Authorization: Bearer TOKEN' with what gateway.token in the state folder holds",
            (("www-authenticate", 'Bearer realm="scentfield"'),),
        )


def host_name(url: str) -> str:
    """The host that a URL names, in lower case and without its port; empty for what is no URL."""
    try:
        parts = urlsplit(url)
        _ = parts.port  # a port that is no number is no URL either
        return "" if parts.username is not None or parts.path not in ("", "/") else (parts.hostname or "").lower()
    except ValueError:
        return ""
