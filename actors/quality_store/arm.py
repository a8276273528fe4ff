"""Which learned layers a view did without: its arm. The treatment, with all layers, is the empty arm."""

from __future__ import annotations

from typing import Final

from actors.runtime.errors import Misuse
from actors.runtime.holdout import EDIT_PENALTY, ENTROPY_DELTA, EXPECTED_COST, UNIT_RANKING

TREATMENT: Final = ""
READING_LAYERS: Final = (EDIT_PENALTY, ENTROPY_DELTA, EXPECTED_COST, UNIT_RANKING)


def arm_of(layers: tuple[str, ...]) -> str:
    """The layers' names in order, joined by "+": an arm, or a set of layers that had a say.

    Raises `Misuse` for one that is no layer of reading.
    """
    if not layers:
        return TREATMENT
    for layer in layers:
        if layer not in READING_LAYERS:
            raise Misuse(f"unknown layer {layer[:80]!r} was held out: give some of {', '.join(READING_LAYERS)}")
    return "+".join(sorted(set(layers)))


def layers_of(joined: str) -> list[str]:
    """The layers of what `arm_of` has joined."""
    return joined.split("+") if joined else []


def holds_out(arm: str, layer: str) -> bool:
    """Whether a view of this arm did without the layer."""
    return layer in arm.split("+")
