"""A file's text, decoded without losing a byte."""

from __future__ import annotations

import codecs
import hashlib
import re
from dataclasses import dataclass

from actors.runtime.errors import Misuse

_BOMS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
_LINE = re.compile(r"[^\r\n]*(?:\r\n|\r|\n)|[^\r\n]+\Z")
_SNIFFED_BYTES = 8192


class BinaryFile(Misuse):
    """The file holds no text that could be shown or edited."""

    code = "binary_file"


@dataclass(frozen=True, slots=True)
class SourceText:
    """What a file holds, as text, and how to write it back.

    `text` keeps its line endings; `encode` is the exact inverse of `decode`. `content_hash` is the SHA-256 of the
    file's bytes, 64 hex digits.
    """

    text: str
    encoding: str
    bom: bytes
    content_hash: str

    @property
    def lines(self) -> list[str]:
        """The lines with their endings; joined they give `text`. Only CR, LF and CRLF end a line."""
        return _LINE.findall(self.text)

    @property
    def newline(self) -> str:
        """The ending that most lines have; LF for a file without any."""
        crlf = self.text.count("\r\n")
        bare = {"\r\n": crlf, "\n": self.text.count("\n") - crlf, "\r": self.text.count("\r") - crlf}
        return max(("\n", "\r\n", "\r"), key=lambda ending: bare[ending])

    def encode(self, text: str) -> bytes:
        """`text` as bytes in this file's encoding, with its byte order mark.

        Raises `Misuse` where the encoding has no such character.
        """
        try:
            return self.bom + text.encode(self.encoding)
        except UnicodeEncodeError as error:
            wanted = text[error.start : error.end]
            raise Misuse(
                f"{wanted!r} cannot be written in this file's encoding, {self.encoding}: "
                "use other characters, or convert the file to UTF-8 first"
            ) from error


def content_hash(raw: bytes) -> str:
    """SHA-256 of a file's bytes, 64 hex digits."""
    return hashlib.sha256(raw).hexdigest()


def decode(raw: bytes) -> SourceText:
    """Decode a file's bytes: by byte order mark, else UTF-8, else Latin-1.

    Raises `BinaryFile` for bytes that hold a NUL without a byte order mark that explains it.
    """
    for bom, encoding in _BOMS:
        if raw.startswith(bom):
            decoded = _strictly(raw[len(bom) :], encoding)
            if decoded is not None:
                return SourceText(decoded, encoding, bom, content_hash(raw))
    if b"\0" in raw[:_SNIFFED_BYTES] or b"\0" in raw:
        raise BinaryFile("the file is binary (it holds NUL bytes): it can be neither shown nor edited as text")
    decoded = _strictly(raw, "utf-8")
    if decoded is not None:
        return SourceText(decoded, "utf-8", b"", content_hash(raw))
    return SourceText(raw.decode("latin-1"), "latin-1", b"", content_hash(raw))


def _strictly(raw: bytes, encoding: str) -> str | None:
    """`raw` decoded, or None where decoding would not give the same bytes back."""
    try:
        text = raw.decode(encoding)
        return text if text.encode(encoding) == raw else None
    except UnicodeError:
        return None
