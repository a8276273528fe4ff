"""Resources outside of the house that fence: they compare generations and know nothing else (Kleppmann 2016)."""

from __future__ import annotations


class Resource:
    """For each path the newest generation that has written to it."""

    def __init__(self) -> None:
        self._newest: dict[tuple[str, str], int] = {}

    def accepts(self, space: str, path: str, generation: int) -> bool:
        """Write with this generation; False if a newer one has written."""
        place = (space, path)
        if generation < self._newest.get(place, 0):
            return False
        self._newest[place] = generation
        return True
