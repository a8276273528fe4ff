"""Plays the transcripts in tests/scenarios/learning and compares every line.

A transcript opens with a paragraph that says why it is there. Then come commands, each followed by its exact output, in
lines that begin with `->` or are indented. M is a machine, A to F; its origin is its letter eight times.

    M at TIME signal EXTENSION TOPIC [N]        N views of such a file, in mode `map`, came to this
    M at TIME view EXTENSION MODE TOPIC SENT TOTAL EXTRA [N]    the same, with the view's mode and tokens
    M at TIME placed PROFILE POSITION HITS MISSES       what came of what was placed
    M at TIME again                             the last notes are delivered once more
    M at TIME thresholds | placement | costs    the sections of the report
    M at TIME policy                            what readers use
    M at TIME export NAME                       keep a bundle under a name
    M at TIME import NAME                       merge it
    M at TIME print                             the bundle's text
    M at TIME reset [EXTENSION]                 forget it, or everything
    M at TIME counts                            what was counted
    M restart                                   snapshot, fresh machine, restore
    M copied from N                             M begins with a copy of N's store, and an origin of its own
    M lost                                      the store is gone, the origin is the same
    same NAME NAME [NAME ...]                   whether these bundles are equal, byte for byte

TIME is `0d` or `30d`: whole days after UTC day 19700. `#` begins a remark. After every command the machine's invariants
are checked, and a refused command or a query must have changed nothing; at the end each machine's events are replayed
into a fresh machine, which must be equal. Nothing is ever rewritten here: a transcript is changed by hand.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from actors.runtime.errors import Misuse
from actors.runtime.machine import NOBODY, Caller, Now
from actors.runtime.outbox import MAX_DELIVERY, Deliver, Note
from actors.thresholds.factory import make_thresholds
from actors.thresholds.messages import (
    ExportBundle,
    GetLearning,
    GetPolicy,
    GetStatistics,
    ImportBundle,
    RecordPlacement,
    ResetLearning,
)
from actors.thresholds.report import cost_lines, import_lines, placement_lines, threshold_lines

FOLDER = Path(__file__).parents[2] / "scenarios" / "learning"
FIRST_DAY = 19_700
DAY_S = 86_400.0
ADA = Caller("ada#1")


class Machine:
    def __init__(self, letter):
        self.origin = letter.lower() * 8
        self.thresholds = make_thresholds(origin=self.origin)
        self.events = []
        self.last_delivery = Deliver("quality_store@1", 0, ())

    def begin_with(self, other):
        self.thresholds.restore(list(other.thresholds.snapshot()))
        self.events, self.last_delivery = list(other.events), other.last_delivery

    def restart(self):
        before = list(self.thresholds.snapshot())
        self.thresholds = make_thresholds(origin=self.origin)
        self.thresholds.restore(before)
        return ["same state" if list(self.thresholds.snapshot()) == before else "other state"]

    def ask(self, message, now, caller=ADA):
        before = list(self.thresholds.snapshot())
        try:
            answer = self.thresholds.perform(caller, message, now)
        except Misuse:
            assert list(self.thresholds.snapshot()) == before
            raise
        if type(message) in self.thresholds.schema.queries:
            assert list(self.thresholds.snapshot()) == before
        self.thresholds.check_invariants()
        events = self.thresholds.take_events()
        if not events:
            assert list(self.thresholds.snapshot()) == before
        self.events += events
        return answer

    def deliver(self, notes, now):
        number = self.last_delivery.number + len(notes)
        self.last_delivery = Deliver("quality_store@1", number, tuple(notes))
        return self.ask(self.last_delivery, now, NOBODY)


class Player:
    def __init__(self):
        self.machines = {letter: Machine(letter) for letter in "ABCDEF"}
        self.bundles = {}

    def play(self, command: str) -> list[str]:
        first, *words = command.split()
        if first == "same":
            return ["same bytes" if len({self.bundles[name] for name in words}) == 1 else "other bytes"]
        if words == ["restart"]:
            return self.machines[first].restart()
        if words == ["lost"]:
            self.machines[first] = Machine(first)
            return ["an empty store"]
        if words[:2] == ["copied", "from"]:
            self.machines[first].begin_with(self.machines[words[2]])
            return ["a copy"]
        at, time, verb, *words = words
        assert (at, time[-1]) == ("at", "d")
        now = Now(0.0, (FIRST_DAY + int(time[:-1])) * DAY_S + 3600.0)
        try:
            return getattr(self, f"play_{verb}")(self.machines[first], now, *words)
        except Misuse as refusal:
            return [f"refused: {refusal.message}"]

    def play_signal(self, machine, now, extension, topic, n="1"):
        return self.play_view(machine, now, extension, "map", topic, "100", "1000", "0", n)

    def play_view(self, machine, now, extension, mode, topic, n_tokens, n_total, n_extra, n="1"):
        numbers = (int(n_tokens), int(n_total), int(n_extra))
        note = Note(topic, "ada#1", "home", f"a{extension}", extension, mode, *numbers, now.utc_s)
        for begin in range(0, int(n), MAX_DELIVERY):
            machine.deliver([note] * min(MAX_DELIVERY, int(n) - begin), now)
        return [f"applied up to {machine.last_delivery.number}"]

    def play_again(self, machine, now):
        return [f"applied up to {machine.ask(machine.last_delivery, now, NOBODY).number}"]

    def play_placed(self, machine, now, profile, position, n_hits, n_misses):
        counted = machine.ask(RecordPlacement(profile, position, int(n_hits), int(n_misses)), now)
        return [f"counted for {counted.profile}, begin share {counted.begin_share:.4f}"]

    def learning(self, machine, now):
        return machine.ask(GetLearning(), now, NOBODY)

    def play_thresholds(self, machine, now):
        return threshold_lines(self.learning(machine, now))

    def play_placement(self, machine, now):
        return placement_lines(self.learning(machine, now))

    def play_costs(self, machine, now):
        return cost_lines(self.learning(machine, now))

    def play_policy(self, machine, now):
        policy = machine.ask(GetPolicy(), now, NOBODY)
        deltas = [f"entropy .{row.extension} {row.delta:+.4f}" for row in policy.deltas]
        shares = [f"begin share {row.profile} {row.begin_share:.4f}" for row in policy.begin_shares]
        costs = [f"cost .{row.extension} {' '.join(map(str, row[1:]))}" for row in policy.costs]
        return [*deltas, *shares, *costs, f"begin share of others {policy.default_begin_share}"]

    def play_export(self, machine, now, name):
        self.bundles[name] = machine.ask(ExportBundle(), now, NOBODY).text
        return [f"{name} names {self.bundles[name].count(b'era')} origins"]

    def play_print(self, machine, now):
        return machine.ask(ExportBundle(), now, NOBODY).text.decode().splitlines()

    def play_import(self, machine, now, name):
        return import_lines(machine.ask(ImportBundle(self.bundles[name]), now))

    def play_reset(self, machine, now, extension=""):
        forgotten = machine.ask(ResetLearning(extension), now)
        return ["forgot {} contributions, {} profiles, {} costs".format(*forgotten)]

    def play_counts(self, machine, now):
        counts = machine.ask(GetStatistics(), now, NOBODY)
        lines = [
            " ".join([kind, *(f"{name} {n}" for name, n in getattr(counts, kind))])
            for kind in ("signals", "ignored", "evicted")
        ]
        names = ("origins", "extensions", "profiles", "costs", "outcomes", "placements", "imports", "resets")
        return [*lines, " ".join(f"{name} {getattr(counts, f'n_{name}')}" for name in names)]


def played(transcript: str, player: Player) -> str:
    """The transcript with the outputs that the machines really gave."""
    preface, _, body = transcript.partition("\n\n")
    lines = [preface, ""]
    for line in body.splitlines():
        if line.startswith(("->", "   ")):
            continue
        lines.append(line)
        if line.strip() and not line.startswith("#"):
            first, *more = player.play(line)
            lines += [f"-> {first}", *(f"   {further}" for further in more)]
    return "\n".join(lines) + "\n"


@pytest.mark.parametrize("path", sorted(FOLDER.glob("*.txt")), ids=lambda path: path.stem)
def test_the_transcript_is_what_the_machines_do(path):
    transcript = path.read_text(encoding="utf-8")
    player = Player()
    assert played(transcript, player) == transcript

    for machine in player.machines.values():
        replica = make_thresholds(origin="ffffffff")
        for event in machine.events:
            replica.evolve(event)
        assert list(replica.snapshot()) == list(machine.thresholds.snapshot())


def test_there_are_transcripts_and_each_says_why():
    transcripts = sorted(FOLDER.glob("*.txt"))
    assert len(transcripts) >= 20
    for path in transcripts:
        why, _, body = path.read_text(encoding="utf-8").partition("\n\n")
        assert len(why.split()) >= 10, f"{path.name} does not say why it is there"
        assert " at " in body


def test_a_wrong_line_in_a_transcript_is_found():
    transcript = "Why.\n\nA at 0d signal .rs bounce\n-> applied up to 2\n"
    assert played(transcript, Player()) != transcript
