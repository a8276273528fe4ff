"""What a gateway was started with, and what that differs in from how it would be started now. Pure.

A gateway keeps its settings for as long as it lives: starting it anew would end the sessions of all MCP clients, and
with them their claims. So nobody does that by the way; whoever changes a setting is told what to do.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from coordinator.gateway.settings import GatewaySettings

NEXT_STEP: Final = "`scentfield down`, then `scentfield up`: the sessions of MCP clients end with it"
_NOT_ITS_OWN: Final = frozenset({"enabled"})


def as_started(settings: GatewaySettings, root: Path) -> dict[str, Any]:
    """What a gateway tells of its start: `root` is the tree where it was started."""
    return {"root": str(root), "settings": settings.model_dump(mode="json")}


def differences(told: Mapping[str, Any], settings: GatewaySettings, root: Path) -> list[str]:
    """What a gateway was started with other than these settings, one sentence for each; none for one that says nothing.

    `root` is the tree of whoever asks: one that agents may not work in is a difference too.
    """
    if not told:
        return []
    now, before = settings.model_dump(mode="json"), told["settings"]
    found = [
        f"{name} is {before.get(name)!r} there, and {value!r} in the settings"
        for name, value in now.items()
        if name not in _NOT_ITS_OWN and before.get(name) != value
    ]
    served = [Path(one) for one in before.get("roots") or [told["root"]]]
    if not any(root.is_relative_to(one) for one in served):
        listed = ", ".join(map(str, served[:5]))
        found.append(f"agents may work in {listed}, and not in {root}: add it to roots under [gateway]")
    return found
