"""The rows of what the quality store tells about itself."""

from __future__ import annotations

from typing import NamedTuple


class PairRow(NamedTuple):
    """What is known of one (extension, mode). `fail_rate` is a share, 0 to 1."""

    extension: str
    mode: str
    n_fails: int
    n_successes: int
    fail_rate: float
    risky: bool


class OutcomeRow(NamedTuple):
    """So many edits of files of this extension ended by this cause, with signal or without."""

    extension: str
    cause: str
    n: int


class PenaltyRow(NamedTuple):
    """So many automatic reads that would have used this mode were answered with `full`, or held out from that."""

    extension: str
    mode: str
    n: int


class SourceRow(NamedTuple):
    """So many automatic reads got their mode from this source."""

    source: str
    n: int


class ReadRow(NamedTuple):
    """Views of one (extension, mode) and what they showed of the files' tokens, before bounces and retries."""

    extension: str
    mode: str
    n_reads: int
    n_tokens: int
    n_total_tokens: int

    @property
    def n_saved_tokens(self) -> int:
        """Tokens that were not sent; negative where the view was longer than the file."""
        return self.n_total_tokens - self.n_tokens


class RateRow(NamedTuple):
    """How often reads of an extension bounce. `bounce_rate` is a share, 0 to 1, in which a day weighs 0.98 ^ age.

    `means_full`: automatic reads of such files are `full`.
    """

    extension: str
    n_reads: int
    n_bounces: int
    bounce_rate: float
    means_full: bool


class LedgerRow(NamedTuple):
    """What views of one extension, mode and arm showed, and what they cost afterwards.

    `n_views` counts all, `n_reads` only whole files that were not shown so before; only these save anything:
    `n_saved_tokens` is the files' tokens less the views', negative where a view was longer. A bounce costs the tokens
    of the full view, a retry the failed edit's call and answer and the next read of the file.
    """

    extension: str
    mode: str
    arm: str
    n_views: int
    n_reads: int
    n_tokens: int
    n_saved_tokens: int
    n_bounces: int
    n_bounce_tokens: int
    n_clean: int
    n_wasted: int
    n_retries: int
    n_retry_tokens: int

    @property
    def n_net_tokens(self) -> int:
        """Tokens saved, less what bounces and retries cost."""
        return self.n_saved_tokens - self.n_bounce_tokens - self.n_retry_tokens


class LedgerSheet(NamedTuple):
    """The rows of one UTC day, `2023-11-14`, or month, `2023-11`, sorted by name."""

    period: str
    rows: tuple[LedgerRow, ...]
