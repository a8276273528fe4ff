"""One line of a story: what happened to whom and where, and because of what."""

from __future__ import annotations

from typing import Final, NamedTuple

MAX_CAUSES: Final = 4
MAX_TARGETS: Final = 20
MAX_DETAIL: Final = 400


class Draft(NamedTuple):
    """A fact before it has its place: what one event of a journal says.

    `causes` are the references of earlier facts; `others` agents that it concerns besides the one who acted, such as
    the holder who kept somebody out. `known_as` is what later facts may cite it by.
    """

    what: str
    agent: str = ""
    space: str = ""
    targets: tuple[str, ...] = ()
    detail: str = ""
    causes: tuple[str, ...] = ()
    others: tuple[str, ...] = ()
    known_as: tuple[object, ...] = ()


class Fact(NamedTuple):
    """A fact in its place. `ref` is the domain's letter, the journal's row and the event's place in it: `f12.3`.

    `request` is the number under which the agent asked for it, None for what nobody asked for. Of very many targets
    the first are kept; `n_targets` counts all.
    """

    ref: str
    at_utc_s: float
    domain: str
    row: int
    what: str
    agent: str
    space: str
    targets: tuple[str, ...]
    n_targets: int
    detail: str
    causes: tuple[str, ...]
    request: int | None


def bounded(draft: Draft, first: tuple[str, ...] = ()) -> Draft:
    """The draft with no more than the limits allow; targets in `first` come before the others."""
    targets = draft.targets
    if len(targets) > MAX_TARGETS:
        chosen = [text for text in targets if text in first][:MAX_TARGETS]
        targets = (*chosen, *[text for text in targets if text not in first][: MAX_TARGETS - len(chosen)])
    detail = draft.detail if len(draft.detail) <= MAX_DETAIL else f"{draft.detail[:MAX_DETAIL]}..."
    return draft._replace(targets=targets, detail=detail, causes=tuple(dict.fromkeys(draft.causes))[:MAX_CAUSES])
