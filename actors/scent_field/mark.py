"""What others have left on targets that somebody is about to work on: DONE, STUCK, AVOID; and how hot they are."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from actors.scent_field.messages import AgentHeat, Heat, SignalNote
from actors.scent_field.signal import SignalKind, SignalRow, Signals
from actors.scent_field.target import Target, TargetKind, overlaps, parse_target

TOLD: Final = (SignalKind.DONE, SignalKind.STUCK, SignalKind.AVOID)
MAX_NOTES: Final = 10
MAX_SCANNED: Final = 256


def marks_on(signals: Signals, targets: tuple[Target, ...], now_s: float) -> tuple[SignalNote, ...]:
    """The strongest 10 marks on the targets or on folders that hold them.

    For a folder or glob the 256 strongest marks of each kind are looked through.
    """
    kinds = signals.kinds_present(TOLD)
    if not kinds:
        return ()
    rows = {(row.kind, row.target): row for target in targets for row in _rows_on(signals, kinds, target, now_s)}
    strongest = sorted(rows.values(), key=lambda row: (-row.intensity, row.kind, row.target))
    return tuple([_note(row, now_s) for row in strongest[:MAX_NOTES]])


def heat_on(signals: Signals, target: Target, session_id: str, now_s: float) -> Heat:
    """The HOT signals of all others on a file and the folders that hold it."""
    heat: dict[str, float] = {}
    for row in _rows_on(signals, signals.kinds_present((SignalKind.HOT,)), target, now_s):
        for deposit in row.deposits:
            if deposit.agent_id != session_id:
                heat[deposit.agent_id] = heat.get(deposit.agent_id, 0.0) + deposit.intensity
    hottest = sorted(heat, key=lambda agent: (-heat[agent], agent))
    return Heat(tuple([AgentHeat(agent, heat[agent]) for agent in hottest[:MAX_NOTES]]))


def places_marked(signals: Signals, paths: Sequence[str]) -> list[int]:
    """Where among these files those are that may have a mark, on themselves or on a folder that holds them.

    All others surely have none. Faded marks that were not collected yet count.
    """
    kinds = signals.kinds_present(TOLD)
    if not kinds:
        return []
    is_below_mark: dict[str, bool] = {}
    places = []
    for place, path in enumerate(paths):
        folder = path.rpartition("/")[0]
        if folder not in is_below_mark:
            is_below_mark[folder] = any(signals.is_kept(kinds, above) for above in _folders(path))
        if is_below_mark[folder] or signals.is_kept(kinds, path):
            places.append(place)
    return places


def _rows_on(signals: Signals, kinds: tuple[SignalKind, ...], target: Target, now_s: float) -> Iterator[SignalRow]:
    if target.kind in (TargetKind.FILE, TargetKind.LABEL):
        named = [target.text, *(_folders(target.text) if target.kind is TargetKind.FILE else ())]
        for kind in kinds:
            for text in named:
                row = signals.row(kind, text, now_s)
                if row is not None:
                    yield row
        return
    for kind in kinds:
        for row in signals.strongest(now_s, MAX_SCANNED, (kind,)):
            if overlaps(target, parse_target(row.target)):
                yield row


def _folders(path: str) -> list[str]:
    """The folders that hold a file, the innermost first."""
    names = path.split("/")
    return [*("/".join(names[:n]) + "/" for n in range(len(names) - 1, 0, -1)), "./"]


def _note(row: SignalRow, now_s: float) -> SignalNote:
    strongest = row.deposits[0]
    return SignalNote(row.kind, row.target, strongest.agent_id, now_s - strongest.at_s, row.intensity)
