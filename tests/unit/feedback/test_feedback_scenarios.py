"""Plays the transcripts in tests/scenarios/feedback and compares every line.

A transcript opens with a paragraph that says why it is there. Then come commands, each followed by its exact output, in
lines that begin with `->` or are indented:

    measure QUESTION | ANSWER       what the contract's scorers make of an answer; `*N` repeats the word before it
    diagnose R C H A                the weakest side of an answer with these four measures, and what the table does
    loop [NAME VALUE ...]           begin with a question; names are threshold, iterations, improvement, top_k, level,
                                    max_top_k, and `learned WEAKNESS=PLAN`
    answers R C H A [found N]       the round gave an answer with these measures, from N passages (all that were asked)
    nothing                         the generator returned an empty text
    fails WORDS                     the round failed
    unchanged                       the passages were those of the round before
    best                            which round is returned
    monitor [NAME VALUE ...]        begin with a monitor; names are window_size and threshold
    record QUALITY [xN]             N answers of this quality
    degrading                       what the monitor says

`#` begins a remark. Nothing is ever rewritten here: a transcript is changed by hand.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from actors.runtime.errors import Misuse
from coordinator.feedback.diagnosis import name_of, plan_of
from coordinator.feedback.exchange import Exchange
from coordinator.feedback.iteration import Outcome
from coordinator.feedback.loop import QualityFeedbackLoop
from coordinator.feedback.monitor import QualityMonitor
from coordinator.feedback.quality import NOTHING, Dimension, Quality
from coordinator.feedback.refinement import Refinement, Rules
from coordinator.feedback.scorer import Scorecard
from coordinator.feedback.selection import Selection

FOLDER = Path(__file__).parents[2] / "scenarios" / "feedback"
RULES = {"threshold": "quality_threshold", "iterations": "max_iterations", "improvement": "min_improvement"}


def number(word: str) -> float | int:
    return float(word) if "." in word else int(word)


class Player:
    def __init__(self):
        self.loop = None
        self.monitor = None

    def play(self, command: str) -> list[str]:
        verb, *words = command.split()
        try:
            return getattr(self, f"play_{verb}")(*words)
        except Misuse as refusal:
            return [f"refused: {refusal.message}"]

    def play_measure(self, *words):
        query, _, response = " ".join(words).partition("|")
        said = re.sub(r"(\S+) \*(\d+)", lambda found: found[1] * int(found[2]), response.strip())
        quality = Scorecard().measure(Exchange(query.strip(), (), said))
        sides = " ".join(f"{name} {quality[name]:.3f}" for name in Dimension)
        return [f"{sides}: quality {quality.overall:.3f}"]

    def play_diagnose(self, *measures):
        quality = Quality(*map(float, measures))
        found = QualityFeedbackLoop().diagnose(quality)
        return [f"{found.weakness}: {' + '.join(one.name for one in found.strategies)} ({found.reason})"]

    def play_loop(self, *words):
        given = dict(zip(words[::2], words[1::2], strict=True))
        weakness, _, plan = given.pop("learned", "").partition("=")
        advice = {weakness: name_of(plan_of(plan))} if plan else {}
        first = Selection(int(given.pop("top_k", 10)), float(given.pop("level", 0.5)))
        rules = Rules(**{RULES.get(name, name): number(value) for name, value in given.items()})
        self.loop = Refinement(rules, first, advice)
        return self.told()

    def play_answers(self, r, c, h, a, *found):
        asked = self.loop.wanted.selection.top_k if self.loop.wanted else 0
        n_passages = int(found[1]) if found else asked
        quality = Quality(float(r), float(c), float(h), float(a))
        self.loop.take(Outcome(quality, "an answer", n_passages))
        gain = self.loop.iterations[-1].gain
        return [f"quality {quality.overall:.3f}" + (f", gain {gain:+.3f}" if gain is not None else ""), *self.told()]

    def play_nothing(self):
        self.loop.take(Outcome(NOTHING, "", self.loop.wanted.selection.top_k))
        return self.told()

    def play_fails(self, *words):
        self.loop.take(Outcome(None, problem=" ".join(words)))
        return self.told()

    def play_unchanged(self):
        self.loop.take(Outcome(None, n_passages=self.loop.wanted.selection.top_k, is_unchanged=True))
        return self.told()

    def play_best(self):
        best = self.loop.best
        return ["none" if best is None else f"round {best.tried.number}, quality {best.outcome.quality.overall:.3f}"]

    def told(self) -> list[str]:
        wanted = self.loop.wanted
        if wanted is None:
            return [f"ended: {self.loop.ending}"]
        plan = name_of(wanted.plan) or "-"
        return [f"round {wanted.number}: {plan} by {wanted.origin} -> {wanted.selection}", wanted.reason]

    def play_monitor(self, *words):
        given = dict(zip(words[::2], map(number, words[1::2]), strict=True))
        self.monitor = QualityMonitor(**given)
        return self.play_degrading()

    def play_record(self, quality, times="x1"):
        for _ in range(int(times[1:])):
            self.monitor.record(float(quality))
        return self.play_degrading()

    def play_degrading(self):
        seen = self.monitor
        if not len(seen):
            return ["no answers"]
        drop = "unknown" if seen.drop is None else f"{seen.drop:.1%}"
        counts = f"{len(seen)} answers, mean {seen.mean:.3f}, {seen.share_below:.0%} below {seen.threshold:g}"
        return [f"{counts}, drop {drop}: {'degrading' if seen.detect_degradation() else 'not degrading'}"]


def played(transcript: str, player: Player) -> str:
    """The transcript with the outputs that the loop really gave."""
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
def test_the_transcript_is_what_the_loop_does(path):
    transcript = path.read_text(encoding="utf-8")
    assert played(transcript, Player()) == transcript


def test_there_are_transcripts_and_each_says_why():
    transcripts = sorted(FOLDER.glob("*.txt"))
    assert len(transcripts) >= 12
    for path in transcripts:
        why, _, body = path.read_text(encoding="utf-8").partition("\n\n")
        assert len(why.split()) >= 10, f"{path.name} does not say why it is there"
        assert "-> " in body


def test_a_wrong_line_in_a_transcript_is_found():
    transcript = "Why.\n\ndiagnose 0.4 1.0 1.0 0.85\n-> coherence\n"
    assert played(transcript, Player()) != transcript
