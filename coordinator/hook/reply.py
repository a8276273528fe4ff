"""What a hook answers its client: leave or refusal, and what its agent should know. Pure.

Silence is leave: nothing is ever allowed that the client itself would have asked its user about.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from coordinator.hook.payload import HookEvent


def reply(client: str, event: HookEvent, *, is_refused: bool, text: str) -> dict[str, Any]:
    """The document for the client's standard input; empty where there is nothing to say."""
    if is_refused and event.what == "before":
        return _REFUSALS.get(client, _refusal)(event, text)
    if not text:
        return {}
    if client == "cursor":
        return {"additional_context": text} if event.what == "start" else {"user_message": f"scentfield: {text}"}
    if event.what == "start":
        return {"hookSpecificOutput": {"hookEventName": event.given_name, "additionalContext": text}}
    return {"systemMessage": f"scentfield: {text}"}


def _refusal(event: HookEvent, text: str) -> dict[str, Any]:
    decision = {"permissionDecision": "deny", "permissionDecisionReason": text}
    return {"hookSpecificOutput": {"hookEventName": event.given_name, **decision}}


def _gemini_refusal(_event: HookEvent, text: str) -> dict[str, Any]:
    return {"decision": "deny", "reason": text}


def _cursor_refusal(_event: HookEvent, text: str) -> dict[str, Any]:
    return {"permission": "deny", "user_message": f"scentfield: {text}", "agent_message": text}


_REFUSALS: Final[dict[str, Callable[[HookEvent, str], dict[str, Any]]]] = {
    "gemini-cli": _gemini_refusal,
    "cursor": _cursor_refusal,
}
