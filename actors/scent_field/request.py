"""What somebody asks for, checked and parsed, and what keeps it out."""

from __future__ import annotations

import re
from typing import Final, NamedTuple

from actors.runtime.errors import Misuse
from actors.scent_field.lease import Lease
from actors.scent_field.limits import FieldLimits
from actors.scent_field.messages import Claim, ClaimAny
from actors.scent_field.space import ClaimSpace
from actors.scent_field.state import FieldState
from actors.scent_field.target import Target, TargetKind, parse_target
from actors.scent_field.waiter import Waiter

MODES: Final = ("exclusive", "shared")
_CONTROL: Final = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029]")


class Request(NamedTuple):
    """A claim, whether new or queued; a queued one has a ticket. `targets` are `texts`, parsed."""

    space: ClaimSpace
    session_id: str
    lineage: tuple[str, ...]
    texts: tuple[str, ...]
    targets: tuple[Target, ...]
    shared: bool
    any_of: bool
    intent: str
    ticket: int | None

    def choices(self) -> list[Request]:
        """What would satisfy it: all its targets at once or, for `any_of`, each alone."""
        if not self.any_of:
            return [self]
        return [self._replace(texts=(target.text,), targets=(target,), any_of=False) for target in self.targets]


class Blockers(NamedTuple):
    """What keeps a request out, for one of its targets."""

    target: str
    leases: list[Lease]
    waiters: list[Waiter]


def blockers_of(request: Request) -> list[Blockers]:
    """What keeps a request out, target by target; empty if nothing does."""
    space, lineage, shared = request.space, request.lineage, request.shared
    found = []
    for target in request.targets:
        leases = space.leases.blocking(target, lineage, shared)
        waiters = space.waiters.ahead(target, lineage, shared, request.ticket) if space.waiters.waiters else []
        if waiters and not leases and _is_held_already(request, target):
            continue
        if leases or waiters:
            found.append(Blockers(target.text, leases, waiters))
    return found


def _is_held_already(request: Request, target: Target) -> bool:
    """Whether the asker holds this file anyway, so that those who wait for it lose nothing."""
    return target.kind in (TargetKind.FILE, TargetKind.LABEL) and request.space.leases.covers_own(
        request.session_id, target
    )


def queued_request(space: ClaimSpace, waiter: Waiter, lineage: tuple[str, ...]) -> Request:
    """The request of somebody who waits."""
    targets = tuple(parse_target(text) for text in waiter.targets)
    return Request(
        space,
        waiter.session_id,
        lineage,
        waiter.targets,
        targets,
        waiter.shared,
        waiter.any_of,
        waiter.intent,
        waiter.ticket,
    )


def check_claim(command: Claim | ClaimAny, limits: FieldLimits) -> None:
    """Raise `Misuse` for a claim whose mode, intent, wait or number of targets makes no sense."""
    check_terms(command.mode, command.intent, limits)
    if not 0 < len(command.targets) <= limits.max_targets:
        raise Misuse(f"a claim takes 1 to {limits.max_targets} targets, not {len(command.targets)}: split it")
    if len(command.targets) > limits.max_globs:
        _check_globs(command, limits)
    if not 0.0 <= command.wait_s <= limits.max_wait_s:
        raise Misuse(f"wait_s={command.wait_s:g} is not between 0 and {limits.max_wait_s:g} s")


def check_terms(mode: str, intent: str, limits: FieldLimits) -> None:
    """Raise `Misuse` for an unknown mode, or an intent that is too long or no line."""
    if mode not in MODES:
        raise Misuse(f"mode {mode[:40]!r} is not one of {', '.join(MODES)}")
    check_said("an intent", intent, limits.max_intent)


def check_said(what: str, text: str, max_chars: int) -> None:
    """Raise `Misuse` for a text that is too long, or that would look like other lines where others are shown it."""
    if len(text) > max_chars:
        raise Misuse(f"{what} has at most {max_chars} characters, this one {len(text)}")
    if _CONTROL.search(text):
        raise Misuse(f"{what} is one line without control characters: others are shown it within a line of theirs")


def _check_globs(command: Claim | ClaimAny, limits: FieldLimits) -> None:
    n_globs = sum(1 for text in command.targets if parse_target(text).kind is TargetKind.GLOB)
    if n_globs > limits.max_globs:
        raise Misuse(f"a claim takes at most {limits.max_globs} globs, not {n_globs}: name folders, or split it")


def check_space(state: FieldState, name: str) -> None:
    """Raise `Misuse` for a space that has no usable name, or one too many."""
    if name in state.spaces:
        return
    if not 0 < len(name) <= 200 or not name.isprintable():
        raise Misuse(f"a space's name has 1 to 200 printable characters, not {name[:60]!r}")
    if len(state.spaces) >= state.limits.max_spaces:
        raise Misuse(f"{state.limits.max_spaces} spaces exist, which is the limit: use one of them")
