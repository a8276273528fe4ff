"""The stretch of a file that is closest to a text which is not in it.

Tells an agent where its quotation went wrong; nothing is ever written on its word. Candidates come from whole lines
that both share, rarest first, and from rare words; only these few are compared in depth, so the work is linear in the
file and bounded beyond that. White space never counts for similarity. Same input, same answer; the earlier place wins.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, replace
from difflib import SequenceMatcher
from itertools import accumulate
from typing import Final

from coordinator.editing.quotation import first_difference, look_alikes, plain, white_space
from coordinator.editing.text_line import n_alike_at_head, n_alike_at_tail, split_lines

MIN_RATIO: Final = 0.3
"""What is less alike is not close to anything."""

_MAX_PROBES: Final = 8
_MAX_PLACES_A_PROBE: Final = 32
_MAX_COMPARED: Final = 5
_MAX_ALIGNED_LINES: Final = 200
_MAX_BLOCK_CHARS: Final = 400
_MAX_BLOCKS: Final = 20
_MAX_WORD_LINES: Final = 2000
_MAX_COLUMN_CHARS: Final = 10_000
_WORD: Final = re.compile(r"\w+")


@dataclass(frozen=True, slots=True)
class NearMiss:
    """Lines `first_line` to `last_line` (1-based, inclusive).

    `ratio` is the share of alike characters in 0..1 with white space left out, as `difflib` counts it; it is 1.0 where
    `is_whitespace_only`, and where the texts look the same. `difference` says in what they differ then. `unit` is the
    name of the definition that holds the lines; `yours` and `theirs` are the first lines that differ.
    """

    first_line: int
    last_line: int
    ratio: float
    is_whitespace_only: bool = False
    difference: str = ""
    unit: str = ""
    yours: str = ""
    theirs: str = ""


def closest_stretch(text: str, old: str) -> NearMiss | None:
    """The stretch of `text` closest to `old`, and how they differ; None where nothing reaches `MIN_RATIO`."""
    lines = split_lines(text)
    near = _closest(lines, old)
    return None if near is None else _explained(near, "".join(lines[near.first_line - 1 : near.last_line]), old)


def _explained(near: NearMiss, stretch: str, old: str) -> NearMiss:
    lines = first_difference(old, stretch)
    if lines is not None:
        near = replace(near, yours=lines[0], theirs=lines[1])
    if near.is_whitespace_only:
        return replace(near, difference=white_space(old, stretch))
    return replace(near, difference=look_alikes(old, stretch)) if near.difference else near


def _closest(lines: list[str], old: str) -> NearMiss | None:
    keys = [squeezed(line) for line in lines]
    old_keys = [squeezed(line) for line in split_lines(old)]
    n_blank_head = next((n for n, key in enumerate(old_keys) if key), None)
    if n_blank_head is None:
        return None
    old_keys = old_keys[n_blank_head:]
    while not old_keys[-1]:
        old_keys.pop()
    return (
        _same_but_white_space(lines, keys, old)
        or _same_to_the_eye(lines, old)
        or _most_alike(lines, keys, split_lines(old), old_keys, n_blank_head)
    )


def _same_to_the_eye(lines: list[str], old: str) -> NearMiss | None:
    """The first place that is `old` but for characters that look the same, and white space."""
    if old.isascii() and all(line.isascii() for line in lines):
        return None
    plain_lines = [plain(line) for line in lines]
    near = _same_but_white_space(plain_lines, [squeezed(line) for line in plain_lines], plain(old))
    return None if near is None else replace(near, is_whitespace_only=False, difference="look-alike characters")


def squeezed(text: str) -> str:
    """`text` without white space."""
    return "".join(text.split())


def _same_but_white_space(lines: list[str], keys: list[str], old: str) -> NearMiss | None:
    """The first place that is `old` once white space is left out, and does not begin or end within a word."""
    joined, wanted = "".join(keys), squeezed(old)
    ends = list(accumulate(len(key) for key in keys))
    at = joined.find(wanted)
    for _ in range(_MAX_PROBES):
        if at < 0:
            return None
        first, last = bisect_right(ends, at), bisect_right(ends, at + len(wanted) - 1)
        before, after = at - (ends[first] - len(keys[first])), at + len(wanted) - (ends[last] - len(keys[last]))
        if not _cuts_word(lines[first], before) and not _cuts_word(lines[last], after):
            return NearMiss(first + 1, last + 1, 1.0, is_whitespace_only=True)
        at = joined.find(wanted, at + 1)
    return None


def _cuts_word(line: str, n_before: int) -> bool:
    """Whether a word of `line` goes on across the point that has `n_before` visible characters before it."""
    if len(line) > _MAX_COLUMN_CHARS:
        return False
    columns = [column for column, char in enumerate(line) if not char.isspace()]
    if not 0 < n_before < len(columns):
        return False
    left, right = columns[n_before - 1], columns[n_before]
    return right == left + 1 and _is_word(line[left]) and _is_word(line[right])


def _is_word(char: str) -> bool:
    return char.isalnum() or char == "_"


def _most_alike(
    lines: list[str], keys: list[str], old_lines: list[str], old_keys: list[str], n_skipped: int
) -> NearMiss | None:
    starts = _starts_by_line(keys, old_keys)
    starts += _starts_by_word(lines, old_lines[n_skipped : n_skipped + len(old_keys)])
    best: NearMiss | None = None
    for start in sorted(set(starts)):
        candidate = _compared(keys, old_keys, start)
        if best is None or candidate.ratio > best.ratio:
            best = candidate
    return best if best is not None and best.ratio >= MIN_RATIO else None


def _starts_by_line(keys: list[str], old_keys: list[str]) -> list[int]:
    """Where `old` would begin if its rarest lines were those of the file, best first."""
    found = _positions(keys, {key for key in old_keys if key})
    anchors = sorted((len(found[key]), -len(key), at) for at, key in enumerate(old_keys) if key in found)
    starts = {
        position - at for _, _, at in anchors[:_MAX_PROBES] for position in found[old_keys[at]][:_MAX_PLACES_A_PROBE]
    }
    return sorted(starts, key=lambda start: (-_n_alike_in_place(keys, old_keys, start), start))[:_MAX_COMPARED]


def _positions(keys: list[str], wanted: set[str]) -> dict[str, list[int]]:
    found: dict[str, list[int]] = defaultdict(list)
    for position, key in enumerate(keys):
        if key in wanted:
            found[key].append(position)
    return found


def _n_alike_in_place(keys: list[str], old_keys: list[str], start: int) -> int:
    """Characters of equal lines if `old` began at `start`, over 200 lines spread evenly."""
    step = 1 + len(old_keys) // _MAX_ALIGNED_LINES
    window = range(0, len(old_keys), step)
    return sum(len(old_keys[at]) for at in window if 0 <= start + at < len(keys) and keys[start + at] == old_keys[at])


def _starts_by_word(lines: list[str], old_lines: list[str]) -> list[int]:
    """Where `old` would begin if its longest lines were those of the file that share their rarest words."""
    longest = sorted(range(len(old_lines)), key=lambda at: (-len(old_lines[at]), at))[:_MAX_PROBES]
    words = {at: sorted(set(_WORD.findall(old_lines[at]))) for at in longest}
    found = _word_positions(lines, {word for probe in words.values() for word in probe})
    scores: Counter[int] = Counter()
    for at in longest:
        for position, score in _lines_by_word(words[at], found):
            scores[position - at] += score
    return [start for start, _ in sorted(scores.items(), key=lambda item: (-item[1], item[0]))[:_MAX_COMPARED]]


def _word_positions(lines: list[str], wanted: set[str]) -> dict[str, list[int]]:
    found: dict[str, list[int]] = defaultdict(list)
    for position, line in enumerate(lines):
        for word in wanted.intersection(_WORD.findall(line)):
            found[word].append(position)
    return found


def _lines_by_word(words: list[str], found: dict[str, list[int]]) -> list[tuple[int, int]]:
    """The lines that share most with a probe: (position, score). A word counts by its length over its frequency."""
    scores: Counter[int] = Counter()
    rarest = sorted((len(found[word]), word) for word in words if word in found)
    for n_lines, word in rarest:
        if n_lines > _MAX_WORD_LINES and scores:
            break
        for position in found[word][:_MAX_WORD_LINES]:
            scores[position] += 1000 * len(word) // n_lines
    return sorted(scores.items(), key=lambda item: (-item[1], item[0]))[:_MAX_PLACES_A_PROBE]


def _compared(keys: list[str], old_keys: list[str], start: int) -> NearMiss:
    """`old` at `start`, line for line or with lines added or left out, whichever is more alike."""
    if len(old_keys) > _MAX_ALIGNED_LINES:
        return _compared_as_bag(keys, old_keys, start)
    in_place = _aligned(keys, old_keys, start, n_slack=0)
    shifted = _aligned(keys, old_keys, start, n_slack=2 + len(old_keys) // 4)
    return shifted if shifted.ratio > in_place.ratio else in_place


def _aligned(keys: list[str], old_keys: list[str], start: int, *, n_slack: int) -> NearMiss:
    low, high = max(0, start - n_slack), min(len(keys), start + len(old_keys) + n_slack)
    matcher = SequenceMatcher(None, old_keys, keys[low:high], autojunk=False)
    codes = [code for code in matcher.get_opcodes() if code[0] != "insert"]
    if not any(tag == "equal" and any(old_keys[first:end]) for tag, first, end, *_ in codes):
        low, high = max(0, start), min(len(keys), start + len(old_keys))
        codes = [("replace", 0, len(old_keys), 0, high - low)]
    return _measured(keys[low:high], old_keys, codes, low)


def _measured(
    window: list[str], old_keys: list[str], codes: Sequence[tuple[str, int, int, int, int]], low: int
) -> NearMiss:
    """Sum up aligned blocks of lines; lines of the window beyond the first and last of them do not count."""
    n_alike, first, last = 0, len(window), 0
    n_window = 0
    for n_blocks, (tag, old_first, old_end, win_first, win_end) in enumerate(codes):
        if tag == "replace" and n_blocks == 0:
            win_first = max(win_first, win_end - (old_end - old_first))
        if tag == "replace" and n_blocks == len(codes) - 1:
            win_end = min(win_end, win_first + (old_end - old_first))
        block, old_block = "".join(window[win_first:win_end]), "".join(old_keys[old_first:old_end])
        alike, n_block = (len(block), len(block)) if tag == "equal" else _alike(old_block, block, n_blocks)
        n_alike, n_window = n_alike + alike, n_window + n_block
        if tag != "delete":
            first, last = min(first, win_first), max(last, win_end)
    n_old = sum(len(key) for key in old_keys)
    return NearMiss(low + first + 1, low + max(last, first + 1), 2 * n_alike / max(1, n_old + n_window))


def _alike(old_block: str, block: str, n_blocks: int) -> tuple[int, int]:
    """Alike characters of two blocks, and how many of `block` were compared.

    A block longer than the quotation is compared where it fits best: agents quote parts of lines.
    """
    if n_blocks >= _MAX_BLOCKS or not old_block or not block:
        return 0, len(block)
    wanted, given = old_block[:_MAX_BLOCK_CHARS], _excerpt(block, old_block)
    if len(given) > len(wanted):
        run = SequenceMatcher(None, wanted, given, autojunk=False).find_longest_match()
        given = given[max(0, run.b - run.a) :][: len(wanted)]
    scale = len(old_block) / len(wanted)
    return int(_n_alike(wanted, given) * scale), int(len(given) * scale)


def _n_alike(wanted: str, given: str) -> int:
    """Characters in common. Both ends go first: in rulers and the like, `difflib` would align the wrong ones."""
    n_head = n_alike_at_head(wanted, given)
    n_tail = n_alike_at_tail(wanted, given, n_head)
    middle = SequenceMatcher(
        None, wanted[n_head : len(wanted) - n_tail], given[n_head : len(given) - n_tail], autojunk=False
    )
    return n_head + n_tail + sum(piece.size for piece in middle.get_matching_blocks())


def _excerpt(block: str, old_block: str) -> str:
    """Enough of a very long block, around the longest word that both share."""
    if len(block) <= 2 * _MAX_BLOCK_CHARS:
        return block
    words = sorted(set(_WORD.findall(old_block[:_MAX_BLOCK_CHARS])), key=lambda word: (-len(word), word))
    at = next((at for at in (block.find(word) for word in words[:_MAX_PROBES]) if at >= 0), 0)
    start = max(0, at - _MAX_BLOCK_CHARS)
    return block[start : start + 2 * _MAX_BLOCK_CHARS]


def _compared_as_bag(keys: list[str], old_keys: list[str], start: int) -> NearMiss:
    """A long quotation is compared by the lines that both hold, whatever their order."""
    low, high = max(0, start), min(len(keys), start + len(old_keys))
    window = keys[low:high]
    shared = Counter(window) & Counter(old_keys)
    n_alike = sum(len(key) * n_times for key, n_times in shared.items())
    n_all = sum(len(key) for key in window) + sum(len(key) for key in old_keys)
    return NearMiss(low + 1, max(low + 1, high), 2 * n_alike / max(1, n_all))
