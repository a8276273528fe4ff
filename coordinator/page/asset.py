"""The page's own files: read once, served with their hash, and the same for everybody."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Final

from starlette.requests import Request
from starlette.responses import Response

FOLDER: Final = Path(__file__).with_name("asset")
INDEX: Final = "index.html"
HEADERS: Final[Mapping[str, str]] = MappingProxyType(
    {
        "content-security-policy": (
            "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; "
            "base-uri 'none'; form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; "
            "trusted-types 'none'"
        ),
        "x-content-type-options": "nosniff",
        "referrer-policy": "no-referrer",
        "cross-origin-resource-policy": "same-origin",
        "cross-origin-opener-policy": "same-origin",
        "permissions-policy": "camera=(), geolocation=(), microphone=()",
    }
)
"""No script or style but our own files, nobody else's frame, and no HTML made from text anywhere (trusted types)."""
_TYPES: Final = {
    ".html": "text/html; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".svg": "image/svg+xml",
}


@dataclass(frozen=True, slots=True)
class Asset:
    """One file: its bytes, its media type, and its entity tag."""

    body: bytes
    media_type: str
    etag: str


class Assets:
    """All of them by name. `version` changes with any of them."""

    def __init__(self, folder: Path = FOLDER) -> None:
        self._assets = dict(_read(folder))
        tags = "".join(f"{name}{asset.etag}" for name, asset in sorted(self._assets.items()))
        self.version = hashlib.sha256(tags.encode()).hexdigest()[:16]

    def __iter__(self) -> Iterator[str]:
        return iter(self._assets)

    def response(self, name: str, request: Request) -> Response:
        """A file, or that the browser has it already, or that there is none."""
        asset = self._assets.get(name)
        if asset is None:
            return Response("there is no such file of the page\n", 404, HEADERS, "text/plain; charset=utf-8")
        headers = {**HEADERS, "etag": asset.etag, "cache-control": "no-cache"}
        if request.headers.get("if-none-match") == asset.etag:
            return Response(status_code=304, headers=headers)
        return Response(asset.body, headers=headers, media_type=asset.media_type)


def _read(folder: Path) -> Iterator[tuple[str, Asset]]:
    for path in sorted(folder.iterdir()):
        if path.suffix in _TYPES:
            body = path.read_bytes()
            yield path.name, Asset(body, _TYPES[path.suffix], f'"{hashlib.sha256(body).hexdigest()[:32]}"')
