"""A block of lines between two marks in a text that is somebody else's: put in, replaced, taken out. Pure."""

from __future__ import annotations

from dataclasses import dataclass

from actors.runtime.errors import Misuse


@dataclass(frozen=True, slots=True)
class Marks:
    """The lines before and after the block; a text holds each of them once, or not at all."""

    begin: str
    end: str

    def put(self, text: str, block: str) -> str:
        """The text with the block: where it was, else at the end. Raises `Misuse` where one mark is alone."""
        before, after = self._around(text)
        if before and not before.endswith("\n\n"):
            before += "\n" if before.endswith("\n") else "\n\n"
        return f"{before}{self.begin}\n{block.rstrip()}\n{self.end}\n{after}"

    def take(self, text: str) -> str:
        """The text without it; empty if nothing else is there. Raises as `put` does."""
        before, after = self._around(text)
        if self.begin not in text:
            return text
        rest = f"{before.rstrip()}\n{after}" if before.strip() else after.lstrip("\n")
        return rest if rest.strip() else ""

    def _around(self, text: str) -> tuple[str, str]:
        if (text.count(self.begin), text.count(self.end)) == (0, 0):
            return text, ""
        before, began, rest = text.partition(self.begin)
        _, ended, after = rest.partition(self.end)
        if not began or not ended or self.begin in after or self.end in before + after:
            raise Misuse(f"its marks {self.begin!r} and {self.end!r} do not match: correct them by hand")
        return before, after.removeprefix("\n")
