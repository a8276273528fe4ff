"""Plays the transcripts in tests/scenarios/quality_loop and compares every line.

A transcript opens with a paragraph that says why it is there. Then come commands, each followed by its exact output, in
lines that begin with `->` or are indented:

    at TIME outcome PATH MODE OUTCOME CAUSE [TOKENS [LAYER ...]]      an edit ended; MODE `-` means that the file was
                                                never read through us, TOKENS what the failed call and its answer cost
    at TIME auto PATH CANDIDATE                 an automatic read asks for its mode
    at TIME peek PATH CANDIDATE                 the same, for display
    at TIME read PATH MODE SOURCE SENT TOTAL [unchanged] [LAYER ...]   a file was shown; SOURCE `-` means that the agent
                                                named the mode, LAYER that this learned layer was held out
    at TIME changed PATH [PATH ...]             files were changed from outside
    at TIME report                              the section on edit quality
    at TIME escalations | pairs | outcomes | sources | penalties | held_out | reads | paths | agents      counters
    at TIME ledger                              the sums since ever, by extension, mode and arm
    at TIME sheets N                            the ledger of the newest N days, and of the months
    at TIME rows                                how many rows the newest day has, and those of "other"
    at TIME closed                              the closed days, as their chain is verified
    at TIME rates                               how reads of each extension bounce
    at TIME notes                               what the other domains were told since the last `notes`
    at TIME answer FIRST QUALITY ENDING [held_out] [WEAKNESS:PLAN:GAIN ...]   a question was answered, after these steps
    at TIME advice DIGEST                       which strategies are tried first for a question
    at TIME windows | alerts | strategies | arms   the quality of answers, and what strategies achieved
    at TIME forget                              forget the windows and the strategies
    at TIME give up                             the last `auto` was answered, but its caller had gone
    at TIME repeat N VERB ...                   `{n}` runs from 1 to N; equal outputs, where `x{n}|` is one as well, are
                                                counted, not repeated
    at TIME by NAME VERB ...                    the same, done by another agent than ada
    at TIME passes                              a turn of the actor in which nobody asks anything
    restart                                     snapshot, fresh store, restore
    restart holdout SHARE                       the same, and from now on another share of the files goes without the
                                                penalty; until then it is 0

TIME is a sum of numbers with a unit, such as `30d+1s`, counted from 2023-11-14. PATH may name its claim space,
`other:src/a.rs`; else it is `home`. `#` begins a remark. After every command the store's invariants are checked; at the
end its events are replayed into a fresh store with other limits, which must be equal. Nothing is ever rewritten here: a
transcript is changed by hand.
"""

from __future__ import annotations

from itertools import groupby
from pathlib import Path

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from actors.quality_store.answer_message import (
    AskAdvice,
    GetAnswerQuality,
    RecordAnswer,
    ResetAnswers,
    StepTaken,
)
from actors.quality_store.day import day_name
from actors.quality_store.factory import make_quality_store
from actors.quality_store.ledger_chain import verify_chain
from actors.quality_store.limit import Limits
from actors.quality_store.machine import QualityStore
from actors.quality_store.messages import (
    DropEscalation,
    FollowMove,
    GetEditQuality,
    GetLedger,
    GetReadQuality,
    GetSavings,
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
EPOCH_S = 19_675 * 86_400.0
KEY = bytes(range(32))
PUBLIC_KEY = Ed25519PrivateKey.from_private_bytes(KEY).public_key().public_bytes_raw()


def seconds(time: str) -> float:
    return sum(float(part[:-1]) * SECONDS[part[-1]] for part in time.split("+"))


def where(path: str) -> tuple[str, str]:
    space, colon, rest = path.partition(":")
    return (space, rest) if colon else ("home", path)


def dash(word: str) -> str:
    return "" if word == "-" else word


class Player:
    def __init__(self):
        self.store = make_quality_store(ledger_key=KEY, penalty_holdout=0.0)
        self.events = []
        self.n_notes = {}
        self.agent = "ada"
        self.last_resolved = None

    def play(self, command: str) -> list[str]:
        if command.startswith("restart"):
            return self.restart(*command.split()[1:])
        at, time, verb, *words = command.split()
        assert at == "at"
        now = Now(0.0, EPOCH_S + seconds(time))
        try:
            return getattr(self, f"play_{verb}")(now, *words)
        except Misuse as refusal:
            return [f"refused: {refusal.message}"]

    def play_repeat(self, now, n, verb, *words):
        play = getattr(self, f"play_{verb}")
        answers = []
        for i in range(1, int(n) + 1):
            answer = "; ".join(play(now, *(word.replace("{n}", str(i)) for word in words)))
            answers.append(answer.replace(f"x{i}|", "x{n}|"))
        return [f"{len(list(equal))} x {answer}" for answer, equal in groupby(answers)]

    def play_by(self, now, name, verb, *words):
        self.agent = name
        try:
            return getattr(self, f"play_{verb}")(now, *words)
        finally:
            self.agent = "ada"

    def play_passes(self, now):
        self.store.expire(now)
        self.events += self.store.take_events()
        self.store.check_invariants()
        return ["passed"]

    def ask(self, message, now):
        before = list(self.store.snapshot())
        try:
            answer = self.store.perform(Caller(f"{self.agent}#1"), message, now)
        except Misuse:
            assert list(self.store.snapshot()) == before
            raise
        if type(message) in self.store.schema.queries:
            assert list(self.store.snapshot()) == before
        self.store.check_invariants()
        self.events += self.store.take_events()
        return answer

    def restart(self, option="holdout", share="0.0") -> list[str]:
        assert option == "holdout"
        before = list(self.store.snapshot())
        self.store = make_quality_store(ledger_key=KEY, penalty_holdout=float(share))
        self.store.restore(before)
        return ["same state" if list(self.store.snapshot()) == before else "other state"]

    def play_outcome(self, now, path, mode, outcome, cause, n_tokens="0", *layers):
        asked = RecordOutcome(*where(path), dash(mode), outcome, cause, int(n_tokens), layers)
        answer: Recorded = self.ask(asked, now)
        said = [answer.signal or "no signal", "escalation armed" * answer.escalated, "risky" * answer.risky]
        return [", ".join(word for word in said if word)]

    def play_auto(self, now, path, candidate):
        self.last_resolved = self.ask(ResolveMode(*where(path), candidate), now)
        return self.shown(self.last_resolved)

    def play_peek(self, now, path, candidate):
        return self.shown(self.ask(PeekMode(*where(path), candidate), now))

    def shown(self, answer: Resolved):
        held_out = ", held out" * answer.is_held_out
        return [(f"{answer.mode} ({answer.source})" if answer.source else answer.mode) + held_out]

    def play_give(self, now, up):
        assert up == "up"
        self.store.undo(Caller("ada#1"), self.last_resolved, now)
        self.events += self.store.take_events()
        return ["undone"]

    def play_read(self, now, path, mode, source, n_tokens, n_total, *more):
        layers = tuple(word for word in more if word not in ("unchanged", "changed"))
        sizes = int(n_tokens), int(n_total)
        asked = RecordRead(
            *where(path), mode, dash(source), *sizes, "unchanged" in more, arms=layers, is_changed="changed" in more
        )
        row = self.ask(asked, now)
        return [f"counted as {row.extension}|{row.mode}"]

    def play_changed(self, now, *paths):
        spaces = {where(path)[0] for path in paths}
        assert len(spaces) == 1
        dropped = self.ask(DropEscalation(spaces.pop(), tuple(where(path)[1] for path in paths)), now)
        return [f"{dropped.n_escalations} dropped"]

    def play_moved(self, now, path, new_path):
        dropped = self.ask(FollowMove(*where(path), where(new_path)[1]), now)
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

    def play_held_out(self, now):
        return [f"{row.extension}|{row.mode} {row.n}" for row in self.statistics(now).penalties_held_out]

    def play_paths(self, now):
        counts = self.statistics(now)
        n_gone = f"evicted {counts.paths_evicted} decayed {counts.paths_decayed}"
        return [f"remembered {counts.paths_remembered} full {counts.paths_full} {n_gone}"]

    def play_agents(self, now):
        counts = self.statistics(now)
        return [f"followed {counts.agents} evicted {counts.agents_evicted} files evicted {counts.files_evicted}"]

    def play_rates(self, now):
        quality = self.ask(GetReadQuality(), now)
        return [
            f"{row.extension} bounces {row.n_bounces} of {row.n_reads} rate {row.bounce_rate:.3f}"
            + " -> full" * row.means_full
            for row in quality.rates
        ]

    def play_ledger(self, now):
        return [ledger_line(row) for row in self.statistics(now).ledger]

    def play_sheets(self, now, n_days):
        savings = self.ask(GetSavings(int(n_days)), now)
        return [
            f"{sheet.period} {ledger_line(row)}" for sheet in (*savings.days, *savings.months) for row in sheet.rows
        ]

    def play_rows(self, now):
        (sheet,) = self.ask(GetSavings(1), now).days
        return [f"{len(sheet.rows)} rows", *(ledger_line(row) for row in sheet.rows if row.extension == "other")]

    def play_closed(self, now):
        page = self.ask(GetLedger(0, 1000), now)
        faults = verify_chain(page.records, PUBLIC_KEY, last_digest=page.last_digest)
        days = [day_name(record.day) for record in page.records]
        return [f"kept {page.n_kept} of {page.n_closed}, {len(faults)} faults", *days]

    def play_answer(self, now, first, quality, ending, *more):
        steps = [word.split(":") for word in more if ":" in word]
        taken = tuple(StepTaken(weakness, plan, float(gain)) for weakness, plan, gain in steps)
        asked = RecordAnswer(float(quality), float(first), ending, 1 + len(steps), 0, taken, "held_out" in more)
        counted = self.ask(asked, now)
        worse = [name for name, is_so in zip(("all", "its agent"), counted, strict=True) if is_so]
        return [f"counted{', degrading: ' if worse else ''}{' and '.join(worse)}"]

    def play_advice(self, now, digest):
        advice = self.ask(AskAdvice(digest), now)
        if advice.is_held_out:
            return ["held out"]
        return [f"{row.weakness}: {row.plan}" for row in advice.rows] or ["the table"]

    def play_windows(self, now):
        quality = self.ask(GetAnswerQuality(), now)
        return [
            f"{row.name or 'all'}: {row.n} answers, mean {row.mean:.3f}, drop "
            + (f"{row.drop:.1%}" if row.is_known else "unknown")
            + ", degrading" * row.is_degrading
            for row in (quality.counts.window, *quality.agents)
        ]

    def play_alerts(self, now):
        seen = self.statistics(now).answers
        kept = f"agents {seen.n_agents} degrading {seen.n_agents_degrading} dropped {seen.n_windows_dropped}"
        return [f"alerts of all {seen.n_alerts}, of agents {seen.n_agent_alerts}; {kept}"]

    def play_strategies(self, now):
        return [
            f"{row.weakness}: {row.plan} {row.n} times ({row.weight:g} today), gain {row.mean_gain:.4f}, "
            f"expected {row.estimate:.4f}" + ", table" * row.is_table + ", first" * row.is_first
            for row in self.statistics(now).answers.strategies
        ]

    def play_arms(self, now):
        return [
            f"{row.arm or 'treatment'} {row.ending}: {row.n}, asked {row.n_asked}, "
            f"quality {row.mean_first_quality:.3f} -> {row.mean_quality:.3f}"
            for row in self.statistics(now).answers.arms
        ]

    def play_forget(self, now):
        gone = self.ask(ResetAnswers(), now)
        return [f"{gone.n_strategies} strategies, {gone.n_windows} windows"]

    def play_notes(self, now):  # noqa: ARG002  # every verb is called with the time
        told = []
        for receiver in self.store.outbox.receivers:
            pending = self.store.outbox.pending(receiver)
            told += [f"{receiver}: {note_line(note)}" for note in pending.notes[self.n_notes.get(receiver, 0) :]]
            self.n_notes[receiver] = len(pending.notes)
        return told

    def play_reads(self, now):
        return [
            f"{row.extension}|{row.mode} reads {row.n_reads} sent {row.n_tokens} of {row.n_total_tokens} "
            f"saved {row.n_saved_tokens}"
            for row in self.statistics(now).reads
        ]


def ledger_line(row) -> str:
    arm = f"|{row.arm}" if row.arm else ""
    costs = f"bounces {row.n_bounces} cost {row.n_bounce_tokens} retries {row.n_retries} cost {row.n_retry_tokens}"
    ends = f"clean {row.n_clean} wasted {row.n_wasted} {costs}"
    counts = f"views {row.n_views} reads {row.n_reads} sent {row.n_tokens} saved {row.n_saved_tokens}"
    return f"{row.extension}|{row.mode}{arm} {counts} {ends} net {row.n_net_tokens}"


def note_line(note) -> str:
    file = note.path if note.space == "home" else f"{note.space}:{note.path}"
    tokens = f"{note.n_tokens} of {note.n_total_tokens}" + (f" +{note.n_extra_tokens}" if note.n_extra_tokens else "")
    return f"{note.topic} of {note.session_id} {file} ({note.extension}|{note.mode}) {tokens}"


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

    replica = QualityStore(
        Limits(max_rows=1, max_agents=1, max_files=1, max_paths=1, max_extensions=1, max_answering=1)
    )
    for event in player.events:
        replica.evolve(event)
    assert list(replica.snapshot()) == list(player.store.snapshot())


def test_there_are_transcripts_and_each_says_why():
    transcripts = sorted(FOLDER.glob("*.txt"))
    assert len(transcripts) >= 35
    for path in transcripts:
        why = path.read_text(encoding="utf-8").partition("\n\n")[0]
        assert len(why.split()) >= 10, f"{path.name} does not say why it is there"
        assert "at " in path.read_text(encoding="utf-8").partition("\n\n")[2]


def test_a_wrong_line_in_a_transcript_is_found():
    transcript = "Why.\n\nat 0s outcome src/a.rs map success applied\n-> failure\n"
    assert played(transcript, Player()) != transcript
