"""Which requests of an MCP session have no answer yet: a second one under the same id could not be told from the first.

Pure. The library answers whichever came last, and the other's caller would wait for ever.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from pydantic_core import from_json

MAX_ID_LENGTH: Final = 200
_GREATEST: Final = 10**MAX_ID_LENGTH


class InFlight:
    """The ids that are taken, by session."""

    def __init__(self) -> None:
        self._taken: set[tuple[str, str]] = set()

    def __len__(self) -> int:
        return len(self._taken)

    def took(self, session: str, request_id: str | int) -> bool:
        """Take an id; False if a request that has it is being answered. Ids count by how they are written."""
        key = (session, str(request_id))
        if key in self._taken:
            return False
        self._taken.add(key)
        return True

    def answered(self, session: str, request_id: str | int) -> None:
        """The id is free again."""
        self._taken.discard((session, str(request_id)))


def request_id(body: bytes) -> str | int | None:
    """The id of the request that a body holds; None for a notification, an answer, and what is no message."""
    try:
        message = from_json(body)
    except ValueError:
        return None
    if not isinstance(message, Mapping) or "method" not in message:
        return None
    found = message.get("id")
    return found if isinstance(found, str | int) and not isinstance(found, bool) else None


def is_too_long(asked: str | int) -> bool:
    """Whether an id is longer than anybody needs: numbers of many thousand digits cannot be written down at all."""
    return len(asked) > MAX_ID_LENGTH if isinstance(asked, str) else abs(asked) >= _GREATEST
