"""Plays the transcripts in tests/scenarios/quality_loop and compares every line.

A transcript opens with a paragraph that says why it is there. Then come commands, each followed by its exact output, in
lines that begin with `->` or are indented:

    at TIME outcome PATH MODE OUTCOME CAUSE     an edit ended; MODE `-` means that the file was never read through us
    at TIME auto PATH CANDIDATE                 an automatic read asks for its mode
    at TIME peek PATH CANDIDATE                 the same, for display
    at TIME read PATH MODE SOURCE SENT TOTAL    a file was shown; SOURCE `-` means that the agent named the mode
    at TIME changed PATH [PATH ...]             files were changed from outside
    at TIME report                              the section on edit quality
    at TIME escalations | pairs | outcomes | sources | penalties | reads      counters
    at TIME give up                             the last `auto` was answered, but its caller had gone
    at TIME repeat N VERB ...                   `{n}` runs from 1 to N; equal outputs are counted, not repeated
    restart                                     snapshot, fresh store, restore

TIME is a sum of numbers with a unit, such as `30d+1s`. PATH may name its claim space, `other:src/a.rs`; else it is
`home`. `#` begins a remark. After every command the store's invariants are checked; at the end its events are replayed
into a fresh store, which must be equal. Nothing is ever rewritten here: a transcript is changed by hand.
"""

from __future__ import annotations

from itertools import groupby
from pathlib import Path

import pytest

from actors.quality_store.machine import QualityStore
from actors.quality_store.messages import (
    DropEscalation,
    GetEditQuality,
    GetStatistics,
    PeekMode,
    Recorded,
    RecordOutcome,
    RecordRead,
    Resolved,
    ResolveMode,
)
from actors.quality_store.report import edit_quality_lines
from actors.runtime.errors import Misuse
from actors.runtime.machine import NOBODY, Caller, Now

FOLDER = Path(__file__).parents[2] / "scenarios" / "quality_loop"
SECONDS = {"s": 1, "m": 60, "h": 3600, "d": 86_400}
EPOCH_S = 1_700_000_000.0
AGENT = Caller("ada#1")


def seconds(time: str) -> float:
    return sum(float(part[:-1]) * SECONDS[part[-1]] for part in time.split("+"))


def where(path: str) -> tuple[str, str]:
    space, colon, rest = path.partition(":")
    return (space, rest) if colon else ("home", path)


def dash(word: str) -> str:
    return "" if word == "-" else word


class Player:
    def __init__(self):
        self.store = QualityStore()
        self.events = []
        self.last_resolved = None

    def play(self, command: str) -> list[str]:
        if command == "restart":
            return self.restart()
        at, time, verb, *words = command.split()
        assert at == "at"
        now = Now(0.0, EPOCH_S + seconds(time))
        try:
            return getattr(self, f"play_{verb}")(now, *words)
        except Misuse as refusal:
            return [f"refused: {refusal.message}"]

    def play_repeat(self, now, n, verb, *words):
        play = getattr(self, f"play_{verb}")
        answers = ["; ".join(play(now, *(word.replace("{n}", str(i)) for word in words))) for i in range(1, int(n) + 1)]
        return [f"{len(list(equal))} x {answer}" for answer, equal in groupby(answers)]

    def ask(self, message, now):
        before = list(self.store.snapshot())
        try:
            answer = self.store.perform(AGENT, message, now)
        except Misuse:
            assert list(self.store.snapshot()) == before
            raise
        if type(message) in self.store.schema.queries:
            assert list(self.store.snapshot()) == before
        self.store.check_invariants()
        self.events += self.store.take_events()
        return answer

    def restart(self) -> list[str]:
        before = list(self.store.snapshot())
        self.store = QualityStore()
        self.store.restore(before)
        return ["same state" if list(self.store.snapshot()) == before else "other state"]

    def play_outcome(self, now, path, mode, outcome, cause):
        answer: Recorded = self.ask(RecordOutcome(*where(path), dash(mode), outcome, cause), now)
        said = [answer.signal or "no signal", "escalation armed" * answer.escalated, "risky" * answer.risky]
        return [", ".join(word for word in said if word)]

    def play_auto(self, now, path, candidate):
        self.last_resolved = self.ask(ResolveMode(*where(path), candidate), now)
        return self.shown(self.last_resolved)

    def play_peek(self, now, path, candidate):
        return self.shown(self.ask(PeekMode(*where(path), candidate), now))

    def shown(self, answer: Resolved):
        return [f"{answer.mode} ({answer.source})" if answer.source else answer.mode]

    def play_give(self, now, up):
        assert up == "up"
        self.store.undo(AGENT, self.last_resolved, now)
        self.events += self.store.take_events()
        return ["undone"]

    def play_read(self, now, path, mode, source, n_tokens, n_total):
        row = self.ask(RecordRead(*where(path), mode, dash(source), int(n_tokens), int(n_total)), now)
        return [f"counted as {row.extension}|{row.mode}"]

    def play_changed(self, now, *paths):
        spaces = {where(path)[0] for path in paths}
        assert len(spaces) == 1
        dropped = self.ask(DropEscalation(spaces.pop(), tuple(where(path)[1] for path in paths)), now)
        return [f"{dropped.n_escalations} dropped"]

    def play_report(self, now):
        return edit_quality_lines(self.ask(GetEditQuality(), now))

    def statistics(self, now):
        return self.store.perform(NOBODY, GetStatistics(), now)

    def play_escalations(self, now):
        counts = self.statistics(now)
        names = ("pending", "armed", "returned", "served", "expired", "evicted", "changed")
        return [" ".join(f"{name} {getattr(counts, f'escalations_{name}')}" for name in names)]

    def play_pairs(self, now):
        counts = self.statistics(now)
        return [f"kept {len(counts.pairs)} evicted {counts.pairs_evicted} decayed {counts.pairs_decayed}"]

    def play_outcomes(self, now):
        return [f"{row.extension} {row.cause} {row.n}" for row in self.statistics(now).outcomes]

    def play_sources(self, now):
        return [f"{row.source} {row.n}" for row in self.statistics(now).sources]

    def play_penalties(self, now):
        return [f"{row.extension}|{row.mode} {row.n}" for row in self.statistics(now).penalties]

    def play_reads(self, now):
        return [
            f"{row.extension}|{row.mode} reads {row.n_reads} sent {row.n_tokens} of {row.n_total_tokens} "
            f"saved {row.n_saved_tokens}"
            for row in self.statistics(now).reads
        ]


def played(transcript: str, player: Player) -> str:
    """The transcript with the outputs that the store really gave."""
    preface, _, body = transcript.partition("\n\n")
    lines = [preface, ""]
    for line in body.splitlines():
        if line.startswith(("->", "   ")):
            continue
        lines.append(line)
        if line.strip() and not line.startswith("#"):
            first, *more = player.play(line) or ["nothing"]
            lines += [f"-> {first}", *(f"   {further}" for further in more)]
    return "\n".join(lines) + "\n"


@pytest.mark.parametrize("path", sorted(FOLDER.glob("*.txt")), ids=lambda path: path.stem)
def test_the_transcript_is_what_the_store_does(path):
    transcript = path.read_text(encoding="utf-8")
    player = Player()
    assert played(transcript, player) == transcript

    replica = QualityStore()
    for event in player.events:
        replica.evolve(event)
    assert list(replica.snapshot()) == list(player.store.snapshot())


def test_there_are_transcripts_and_each_says_why():
    transcripts = sorted(FOLDER.glob("*.txt"))
    assert len(transcripts) >= 14
    for path in transcripts:
        why = path.read_text(encoding="utf-8").partition("\n\n")[0]
        assert len(why.split()) >= 10, f"{path.name} does not say why it is there"
        assert "at " in path.read_text(encoding="utf-8").partition("\n\n")[2]


def test_a_wrong_line_in_a_transcript_is_found():
    transcript = "Why.\n\nat 0s outcome src/a.rs map success applied\n-> failure\n"
    assert played(transcript, Player()) != transcript
