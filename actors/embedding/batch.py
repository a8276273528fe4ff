"""How texts of different lengths become micro-batches: like with like, so that little is computed for padding."""

from __future__ import annotations

from collections.abc import Sequence

from actors.runtime.errors import InvariantBroken


def micro_batches(lengths: Sequence[int], *, max_tokens: int, is_padded: bool) -> list[list[int]]:
    """Split texts, given by their numbers of tokens, into lists of indices; each text is in one of them.

    A batch is computed as its longest text times its size; that product is at most `max_tokens`, but a text that is
    longer has a batch of its own. Without `is_padded` all texts of a batch have one length. Shortest first, equal
    lengths by index: the same lengths always give the same batches.
    """
    if max_tokens < 1:
        raise InvariantBroken(f"a micro-batch of {max_tokens} tokens holds nothing")
    batches: list[list[int]] = []
    n_longest = -1
    for index in sorted(range(len(lengths)), key=lengths.__getitem__):
        n_tokens = lengths[index]
        fits = bool(batches) and n_tokens * (len(batches[-1]) + 1) <= max_tokens
        if fits and (is_padded or n_tokens == n_longest):
            batches[-1].append(index)
        else:
            batches.append([index])
        n_longest = n_tokens
    return batches
