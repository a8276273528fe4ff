"""Keeps the totals in a file that exporter, gateway and command line share, so that all of them show the same.

What is shown is on the disk before it is shown. A file that cannot be used costs no scrape: this process then goes on
from what it remembers itself, and `is_kept` says that nobody else would.
"""

from __future__ import annotations

import asyncio
import json
import logging
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Any, Final, TypeAlias

from actors.runtime.errors import ScentfieldError
from coordinator.domain import EMBEDDING
from coordinator.editing.file_lock import locked
from coordinator.folder import private_folder, write_private
from coordinator.metrics.actor_metric import PROCESS_COUNTS
from coordinator.metrics.collector import Sighting
from coordinator.metrics.model_metric import MODEL_COUNTS
from coordinator.metrics.total import Tally, Totals
from coordinator.retrieval.account import RetrievalAccount

MAX_BYTES: Final = 2**20
MAX_PENDING: Final = 8
"""Looks that wait for a disk that does not answer; further ones do without it."""
_INDICES: Final = "retrieval"
"""The kind of the counts that indices keep, one a tree: an index may be away, and what it had counted is still so."""
_LOCK_S: Final = 0.2
_PATIENCE_S: Final = 0.5
_LOG: Final = logging.getLogger(__name__)

Shown: TypeAlias = dict[str, dict[str, float]]
"""The totals of each actor, and those of all indices together."""


class TotalFile:
    """The totals of one namespace, in its state folder."""

    def __init__(self, state_dir: Path, namespace: str, *, patience_s: float = _PATIENCE_S) -> None:
        self.state_dir = state_dir
        self._path = state_dir / f"metric-totals-{namespace}.json"
        self._patience_s = patience_s
        self._totals = Totals()
        self._floor: Shown = {}
        self._writer = ThreadPoolExecutor(1, "metric-totals")
        self._n_pending = 0
        self.is_kept = True

    async def carried(
        self, sightings: Sequence[Sighting], model: Mapping[str, Any] | None, indices: RetrievalAccount
    ) -> tuple[list[Sighting], Mapping[str, Any] | None, RetrievalAccount]:
        """The same sights, their counts being those of all processes, and of all indices, that were seen.

        Waits for the disk for `patience_s` seconds at most.
        """
        accounts = {one.domain: one.account for one in sightings if one.account is not None}
        seen = {actor: _tally(account, PROCESS_COUNTS) for actor, account in accounts.items()}
        if model is not None:
            seen[EMBEDDING] = _tally(model, MODEL_COUNTS)
        seen |= {f"{_INDICES}/{one.name}": Tally(one.inode, None, one.tally) for one in indices.trees if one.tally}
        shown = self._not_below_the_floor(await self._updated(seen))
        told = [
            one if one.account is None else replace(one, account={**one.account, **shown[one.domain]})
            for one in sightings
        ]
        return (
            told,
            None if model is None else {**model, **shown[EMBEDDING]},
            replace(indices, tally=shown[_INDICES]),
        )

    async def _updated(self, seen: Mapping[str, Tally]) -> Shown:
        if self._n_pending < MAX_PENDING:
            self._n_pending += 1
            update = asyncio.get_running_loop().run_in_executor(self._writer, self._update, seen)
            update.add_done_callback(self._done)
            await asyncio.wait([update], timeout=self._patience_s)
            if update.done():
                return update.result()
        self.is_kept = False
        return _look(self._totals.copy(), seen)

    def _done(self, _update: object) -> None:
        self._n_pending -= 1

    def _update(self, seen: Mapping[str, Tally]) -> Shown:
        """Take the looks into account, in the file if that can be done."""
        try:
            private_folder(self._path.parent)
            with locked(self._path.with_suffix(".lock"), _LOCK_S):
                totals = self._read() or self._totals.copy()
                shown = _look(totals, seen)
                write_private(self._path, json.dumps(totals.document()).encode(), may_replace=True)
        except (ScentfieldError, OSError) as error:
            self._say(f"totals are not kept: {error}")
            totals = self._totals.copy()
            shown = _look(totals, seen)
            self.is_kept = False
        else:
            self.is_kept = True
        self._totals = totals
        return shown

    def _read(self) -> Totals | None:
        """What the file says; None if it is not there, or says nothing that could be used."""
        try:
            if self._path.stat().st_size > MAX_BYTES:
                raise ValueError(f"it is larger than {MAX_BYTES} bytes")
            return Totals.of(json.loads(self._path.read_bytes()))
        except FileNotFoundError:
            return None
        except (ValueError, RecursionError) as error:
            self._say(f"{str(self._path)!r} cannot be read and is made anew: {error}")
            return None

    def _say(self, problem: str) -> None:
        """Once, not at each scrape."""
        if self.is_kept:
            _LOG.warning("%s", problem)

    def _not_below_the_floor(self, shown: Shown) -> Shown:
        """What this process has shown before is the least that it shows, whatever became of the file."""
        for actor, counts in shown.items():
            floor = self._floor.get(actor, {})
            self._floor[actor] = {name: max(n, floor.get(name, 0)) for name, n in counts.items()}
        return {actor: self._floor[actor] for actor in shown}


def _look(totals: Totals, seen: Mapping[str, Tally]) -> Shown:
    shown = {actor: totals.see(actor, tally) for actor, tally in seen.items() if not actor.startswith(f"{_INDICES}/")}
    for actor in seen.keys() - shown.keys():
        totals.see(actor, seen[actor])
    totals.fold(_INDICES, seen)
    return {**shown, _INDICES: totals.sum_of(_INDICES)}


def _tally(account: Mapping[str, Any], names: Sequence[str]) -> Tally:
    counts = {name: account[name] for name in names if account.get(name) is not None}
    return Tally(account["pid"], account.get("epoch"), counts)
