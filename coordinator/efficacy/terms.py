"""The terms of efficacy as they are set."""

from __future__ import annotations

from coordinator.efficacy.figure import Terms
from coordinator.settings import Settings


def terms_of(settings: Settings) -> Terms:
    """Those of these settings."""
    return Terms(settings.holdout_share, settings.smallest_effect, settings.token_price)
