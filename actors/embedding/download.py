"""One file from an HTTP server, into a partial file that a later try goes on with.

A try resumes only when the server says by its strong ETag that it still has the same content (RFC 9110, If-Range);
otherwise it begins again, so that a file is never put together from two versions.
"""

from __future__ import annotations

import http.client
import os
import re
import threading
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any, Final

from actors.runtime.errors import Unavailable

_CHUNK_BYTES: Final = 2**18
_OK, _PARTIAL, _NOT_SATISFIABLE = 200, 206, 416
_NOT_THERE: Final = {401: "without a login", 403: "for everybody", 404: "", 410: "any more"}
"""Answers that stay the same; a hub says 401 of a repository that does not exist, for it might be a secret one."""
_SIZE: Final = r"[0-9]{1,18}"
_CONTENT_LENGTH: Final = re.compile(_SIZE)
_CONTENT_RANGE: Final = re.compile(rf"bytes (?:({_SIZE})-{_SIZE}|\*)/({_SIZE})")

Progress = Callable[[int, int], None]
"""Hears (bytes that are there, bytes in all or 0 when the server did not say)."""


class NotThere(Unavailable):
    """The server has no such file; asking again will not help."""


class SafeRedirects(urllib.request.HTTPRedirectHandler):
    """Follows a server elsewhere, but never out of TLS: what is pinned at first use must have come as it was asked for.

    A hub that is asked by plain HTTP was chosen so by its user, and may lead to another address of the same kind.
    """

    def redirect_request(
        self, req: urllib.request.Request, fp: IO[bytes], code: int, msg: str, headers: Any, newurl: str
    ) -> urllib.request.Request | None:
        """The request that follows. Raises `Unavailable` unless it is HTTPS, or as what was asked for."""
        scheme = urllib.parse.urlsplit(newurl).scheme.lower()
        if scheme != "https" and scheme != urllib.parse.urlsplit(req.full_url).scheme.lower():
            raise Unavailable(
                f"{req.full_url} leads to {newurl[:200]!r}, which is not as safe as what was asked for: nothing is "
                "fetched from there. Look who answers in the hub's place, or choose another hub_url"
            )
        return super().redirect_request(req, fp, code, msg, headers, newurl)


@dataclass(frozen=True, slots=True)
class Download:
    """One file to fetch. A server that is silent for `stall_s` seconds is given up; so is a file over `max_bytes`."""

    url: str
    partial: Path
    stall_s: float
    max_bytes: int

    def run(self, progress: Progress, stop: threading.Event) -> None:
        """One try; afterwards `partial` is whole. Raises `Unavailable` when it was cut, and keeps what has arrived.

        Raises `NotThere` where waiting will not help. Whatever the server sends, it is one of these.
        """
        try:
            self._fetch(progress, stop)
        except (OSError, http.client.HTTPException, ValueError) as error:  # the last of what is no address, no size
            raise Unavailable(f"{self.url} could not be fetched ({_said(error)})") from error

    def _fetch(self, progress: Progress, stop: threading.Event) -> None:
        self.partial.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        try:
            answer = urllib.request.build_opener(SafeRedirects).open(self._request(), timeout=self.stall_s)
        except urllib.error.HTTPError as error:
            with error:
                self._refused(error)
            return
        with answer:
            self._take(answer, progress, stop)

    def _request(self) -> urllib.request.Request:
        headers = {"User-Agent": "scentfield", "Accept-Encoding": "identity"}
        n_there, etag = self._there()
        if n_there:
            headers |= {"Range": f"bytes={n_there}-", "If-Range": etag}
        return urllib.request.Request(self.url, headers=headers)

    def _there(self) -> tuple[int, str]:
        """How much is there already, and of which version; (0, "") to begin again."""
        try:
            etag = self._etag_file.read_text(encoding="ascii")
            return (self.partial.stat().st_size, etag) if etag else (0, "")
        except (FileNotFoundError, ValueError):
            return 0, ""

    @property
    def _etag_file(self) -> Path:
        return self.partial.with_name(self.partial.name + ".etag")

    def _refused(self, error: urllib.error.HTTPError) -> None:
        if error.code in _NOT_THERE:
            raise NotThere(f"there is no {self.url} {_NOT_THERE[error.code]}".rstrip()) from error
        there = self._there()
        if error.code == _NOT_SATISFIABLE and there == (_content_range(error.headers)[1], error.headers.get("ETag")):
            return  # the last try was cut after the last byte
        if error.code == _NOT_SATISFIABLE:
            self.forget()
        raise Unavailable(f"{self.url} was answered with {error.code} {error.reason}") from error

    def _take(self, answer: Any, progress: Progress, stop: threading.Event) -> None:
        n_there, n_total = self._begin(answer)
        with self.partial.open("ab" if n_there else "wb") as file:
            while chunk := answer.read1(_CHUNK_BYTES):  # what is there: a slow server is heard of, and kept from
                n_there += len(chunk)
                self._check_size(max(n_there, n_total))
                file.write(chunk)
                progress(n_there, n_total)
                if stop.is_set():
                    raise Unavailable("the embedding actor stops")
            file.flush()
            os.fsync(file.fileno())
        if n_total and n_there != n_total:
            raise Unavailable(f"{self.url} was cut off after {n_there} of {n_total} bytes")

    def _begin(self, answer: Any) -> tuple[int, int]:
        """(bytes that are there already, bytes in all or 0); notes which version arrives."""
        if answer.status == _PARTIAL:
            return self._go_on(answer.headers)
        if answer.status != _OK:
            raise Unavailable(f"{self.url} was answered with {answer.status} {answer.reason}")
        n_total = self._length(answer)
        self._check_size(n_total)
        etag = answer.headers.get("ETag") or ""
        self._etag_file.write_text(etag if etag.isascii() and etag.startswith('"') else "", encoding="ascii")
        return 0, n_total

    def _go_on(self, headers: Any) -> tuple[int, int]:
        """The same where the rest of a file arrives. Raises `Unavailable`, to begin again, if it is not that rest.

        Some servers do not know If-Range, and send the rest of another version.
        """
        n_there, etag = self._there()
        start, n_total = _content_range(headers)
        if n_there and start == n_there <= n_total and headers.get("ETag") == etag:
            return n_there, n_total
        self.forget()
        if n_there and start == n_there:
            raise Unavailable(f"{self.url}: the server sent the rest of another version than the one that was begun")
        raise Unavailable(f"{self.url}: the server sent bytes from {start} on, {n_there} were asked for")

    def _length(self, answer: Any) -> int:
        """Bytes in all; 0 where they come in chunks, the last of which says so. Raises `Unavailable` for no length.

        A file that ends where the connection does could be cut, and would be pinned so.
        """
        told = answer.headers.get("Content-Length")
        if told is None and answer.chunked:
            return 0
        if told is None or _CONTENT_LENGTH.fullmatch(told) is None:
            raise Unavailable(f"{self.url}: the server does not say how long the file is ({(told or '')[:40]!r})")
        return int(told)

    def _check_size(self, n_bytes: int) -> None:
        if n_bytes > self.max_bytes:
            self.forget()
            raise NotThere(f"{self.url} is larger than {self.max_bytes} bytes, the most that is kept of one file")

    def forget(self) -> None:
        """Throw away what has arrived."""
        self.partial.unlink(missing_ok=True)
        self._etag_file.unlink(missing_ok=True)


def _content_range(headers: Any) -> tuple[int, int]:
    """(first byte, bytes in all) of a Content-Range; (-1, 0) without one."""
    match = _CONTENT_RANGE.fullmatch(headers.get("Content-Range") or "")
    if match is None:
        return -1, 0
    return (-1 if match[1] is None else int(match[1])), int(match[2])


def _said(error: Exception) -> str:
    return f"{type(error).__name__}: {error}" if str(error) else type(error).__name__
