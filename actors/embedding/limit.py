"""What the embedding actor takes and keeps at most, as plain numbers that cross to its process."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from actors.runtime.errors import Misuse


@dataclass(frozen=True, slots=True)
class EmbeddingLimits:
    """Over `max_queued_texts` the answer is `BusyFor`; over the others it is `Misuse`, and nothing is done.

    `max_vectors` are kept in the cache, least recently used out.
    """

    max_texts: int = 1_024
    max_text_chars: int = 32_768
    max_call_chars: int = 2**20
    max_queued_texts: int = 8_192
    max_vectors: int = 16_384

    def check(self, texts: Sequence[str]) -> None:
        """Raise `Misuse` for texts that are too many, too long or no texts; says which."""
        if len(texts) > self.max_texts:
            raise Misuse(f"{len(texts)} texts in one call are over the limit of {self.max_texts}: send them in parts")
        n_chars = self._n_sound_chars(texts)
        if n_chars > self.max_call_chars:
            raise Misuse(
                f"{n_chars} characters in one call are over the limit of {self.max_call_chars}: send them in parts"
            )

    def _n_sound_chars(self, texts: Sequence[str]) -> int:
        """The length of all texts, which are looked at one by one only if something is wrong with one of them."""
        try:
            together = "".join(texts)
            together.encode()
            is_sound = max(map(len, texts), default=0) <= self.max_text_chars
        except (TypeError, UnicodeEncodeError):
            is_sound = False
        if not is_sound:
            for number, text in enumerate(texts):
                self._check_text(number, text)
        return len(together)

    def _check_text(self, number: int, text: str) -> None:
        if not isinstance(text, str):
            raise Misuse(f"text {number} is no text but {text!r}: give a string")
        if len(text) > self.max_text_chars:
            raise Misuse(
                f"text {number} has {len(text)} characters, over the limit of {self.max_text_chars}: cut or split it"
            )
        try:
            text.encode()
        except UnicodeEncodeError as error:
            raise Misuse(f"text {number} holds half a surrogate pair at {error.start}: replace it") from error
