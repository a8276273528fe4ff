"""Why an entry or a fact is gone."""

from __future__ import annotations

from typing import Final

HARMFUL: Final = "harmful"
UNCONFIRMED: Final = "unconfirmed"
EXPIRED: Final = "expired"
FULL: Final = "full"
ASKED: Final = "asked"
