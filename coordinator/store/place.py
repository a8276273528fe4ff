"""Where one domain's state is kept, and how to try what is there."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

from actors.runtime.machine import Machine
from actors.runtime.store import Store

MakeMachine: TypeAlias = Callable[[], Machine]


@dataclass(frozen=True, slots=True)
class StorePlace:
    """The store of one domain, and what makes an empty machine that its content can be tried with."""

    domain: str
    store: Store
    make_machine: MakeMachine
