"""The first line of a view: what the agent is looking at.

    …a3f1 map (map_over_400_lines): 1834 of 19785 tokens; "…a3f1 N-M NAME" = omitted: get lines:N-M or expand NAME

It begins like a marker, with the tag that occurs nowhere in the file, so it cannot be taken for a line of the file.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from coordinator.reading.marker import SIGIL
from coordinator.reading.token_count import count_below


@dataclass(frozen=True, slots=True)
class Header:
    """What a header says. `facts` follow the number of tokens; `has_markers` asks for the words that explain them."""

    tag: str
    mode: str
    why: str
    total_tokens: int
    is_whole: bool = False
    has_markers: bool = False
    facts: Sequence[str] = ()

    def text(self, tokens: int) -> str:
        """The header of a view that prints `tokens` in all, as one line with its ending."""
        share = f"all {self.total_tokens} tokens" if self.is_whole else f"{tokens} of {self.total_tokens} tokens"
        legend = [f'"{SIGIL}{self.tag} N-M NAME" = omitted: get lines:N-M or expand NAME'] if self.has_markers else []
        facts = "; ".join([share, *(fact for fact in self.facts if fact), *legend])
        return " ".join(f"{SIGIL}{self.tag} {self.mode} ({self.why}): {facts}".split()) + "\n"

    def settle(self, body: str, body_tokens: int) -> tuple[str, int]:
        """The header above `body`, and the tokens of both, which the header states and is a part of.

        `body_tokens` are those of the body alone. Tokens grow with the number's digits, so counting again from below
        ends at the first number that is true.
        """
        tokens = self.total_tokens if self.is_whole else 0
        while True:
            text = self.text(tokens)
            counted = count_below(text, body, body_tokens)
            if counted == tokens or self.is_whole:
                return text, counted
            tokens = counted
