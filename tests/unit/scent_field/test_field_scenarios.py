"""Plays the transcripts in tests/scenarios/field and compares every line.

A transcript opens with a paragraph that says why it is there. Then come commands, each followed by its exact output, in
lines that begin with `->` or are indented. They drive the real machine through the real kernel, request by request.

    at TIME NAME arrives [kept by decay|connection] [ttl SPAN] [under PARENT] [as NAME]
    at TIME NAME beats [every SPAN]          a heartbeat, or one every SPAN from now on, whatever is typed
    at TIME NAME falls silent                no more of them
    at TIME NAME leaves                      goodbye
    at TIME NAME claims [any of] TARGET... [shared] [waiting SPAN] [to INTENT]
    at TIME NAME releases TARGET... [done] | generation N [done]
    at TIME NAME transfers N to NAME [saying NOTE]
    at TIME NAME forces TARGET [though alive] because REASON
    at TIME NAME works on TARGET [heat X] [trouble X]
    at TIME NAME deposits KIND TARGET [X]
    at TIME NAME sets observe|warn|deny
    at TIME NAME gives back TARGETS generation N
    at TIME NAME gives up [N]                abandons its last request, or number N
    at TIME NAME repeats                     the last request arrives once more
    at TIME all NAME, NAME, ... claim TARGET   requests that arrive in one turn
    at TIME heat TARGET [by NAME]
    at TIME sync [LIMIT] | check TARGET [generation N] [by NAME] | watch N [waiting SPAN] | losses of NAME | audit
    at TIME sessions | count NAME...
    at TIME repeat N COMMAND                 `{n}` runs from 1 to N; equal outputs are counted, not repeated
    restart                                  replay the journal into a fresh machine, which must be equal, and wake it
    limits NAME=VALUE...                     before anything else
    nothing wakes the machine                only commands do, from here on

TIME and SPAN are sums of numbers with a unit, such as `27m+22s`. NAME is the latest session of that name, or an
identity such as `ann#1`; `ann@other` speaks of the space `other`, else it is `home`. Between two commands the machine
is woken at every deadline it names. After each command (repeated ones apart) the invariants are checked and a refusal
has changed nothing; at the end the journal is replayed into a fresh machine, which must be equal. Nothing is ever
rewritten here: a transcript is changed by hand.
"""

import re
from itertools import groupby
from pathlib import Path

import pytest

from actors.coordination.factory import make_coordination
from actors.coordination.messages import Alive, Heartbeat
from actors.runtime.kernel import Kernel
from actors.runtime.machine import Now
from actors.runtime.wire import BusyFor, Failed, pack, unpack
from actors.scent_field.messages import (
    Audit,
    Changes,
    Check,
    Checked,
    CheckHeat,
    Claim,
    ClaimAny,
    Deposited,
    FieldCounts,
    FieldStatistics,
    FieldView,
    ForceRelease,
    GiveBack,
    Granted,
    Heat,
    Held,
    LeaveSignal,
    ListAudit,
    ListLosses,
    Losses,
    Noted,
    Progress,
    Release,
    Released,
    SetStrictness,
    Sync,
    Transfer,
    Watch,
)
from actors.sessions.messages import Farewell, Goodbye, ListSessions, Register, Registered, SessionList

FOLDER = Path(__file__).parents[2] / "scenarios" / "field"
UNITS = {"s": 1, "m": 60, "h": 3600, "d": 86_400}


def seconds(text: str) -> float:
    return sum(float(part[:-1]) * UNITS[part[-1]] for part in text.split("+"))


def num(value: float) -> str:
    return f"{value:.3f}".rstrip("0").rstrip(".")


def option(words: list[str], *keys: str, rest: bool = False) -> str:
    """Take `keys VALUE` out of the words; empty if it is not there. With `rest`, VALUE is all that follows."""
    n_keys = len(keys)
    for at in range(len(words)):
        if tuple(words[at : at + n_keys]) == keys:
            end = len(words) if rest else at + n_keys + 1
            value = " ".join(words[at + n_keys : end])
            del words[at:end]
            return value
    return ""


def flag(words: list[str], *keys: str) -> bool:
    for at in range(len(words)):
        if tuple(words[at : at + len(keys)]) == keys:
            del words[at : at + len(keys)]
            return True
    return False


class Agent:
    """One session as its client sees it."""

    def __init__(self, session_id: str, token: str) -> None:
        self.session_id = session_id
        self.token = token
        self.number = 0
        self.last = None
        self.beat_every_s = 0.0
        self.next_beat_s = 0.0
        self.losses_through = 0


class Player:
    def __init__(self) -> None:
        self.options = {}
        self.now_s = 0.0
        self.journal = []
        self.agents = {}
        self.latest = {}
        self.n_tokens = 0
        self.is_woken = True
        self.is_checked = True
        self.slots = {}
        self.kernel = Kernel(make_coordination())

    @property
    def machine(self):
        return self.kernel.machine

    def play(self, line: str) -> list[str]:
        first, *words = line.split()
        if first == "restart":
            return self.restart()
        if first == "limits":
            assert not self.journal
            self.options = {name: float(value) for name, _, value in (word.partition("=") for word in words)}
            self.kernel = Kernel(make_coordination(**self.options))
            return []
        if first == "nothing":
            self.is_woken = False
            return []
        assert first == "at"
        heard = self.advance(seconds(words[0]))
        if words[1] == "repeat":
            return heard + self.repeat(int(words[2]), words[3:])
        return heard + self.command(words[1:])

    def repeat(self, n, words):
        self.is_checked = False
        said = ["; ".join(self.command([word.replace("{n}", str(i)) for word in words])) for i in range(1, n + 1)]
        self.is_checked = True
        self.kernel.check_invariants()
        said = [re.sub(r"\d+", "N", one) for one in said]
        return [f"{len(list(equal))} x {one}" for one, equal in groupby(said)]

    def command(self, words: list[str]) -> list[str]:
        subject, *rest = words
        if subject == "all":
            return self.play_all(rest)
        if subject in ("sync", "check", "heat", "watch", "losses", "audit", "sessions", "count"):
            return getattr(self, f"ask_{subject}")(rest)
        return getattr(self, f"play_{rest[0]}")(subject, rest[1:])

    # The shell: turns, heartbeats, answers.

    def advance(self, until_s: float) -> list[str]:
        """Wake the machine at each deadline and each heartbeat on the way."""
        heard = []
        if not self.is_woken:
            self.now_s = until_s
            return []
        while True:
            beats = [agent.next_beat_s for agent in self.agents.values() if agent.beat_every_s]
            deadline_s = self.machine.next_deadline_s()
            due_s = min([*beats, *([] if deadline_s is None else [max(deadline_s, self.now_s)])], default=until_s)
            if due_s > until_s:
                break
            spins = deadline_s is not None and deadline_s <= self.now_s
            heard += self.turn_at(due_s)
            deadline_s = self.machine.next_deadline_s()
            if spins:
                assert deadline_s is None or deadline_s > self.now_s, "the machine asks to be woken again and again"
            if due_s == until_s:
                break
        heard += self.turn_at(until_s)
        self.kernel.check_invariants()
        return heard

    def turn_at(self, at_s: float) -> list[str]:
        assert at_s >= self.now_s
        moved, self.now_s = at_s > self.now_s, at_s
        arrivals = []
        for agent in list(self.agents.values()):
            if agent.beat_every_s and agent.next_beat_s <= at_s:
                agent.next_beat_s = at_s + agent.beat_every_s
                arrivals.append(self.envelope(agent, 0, (Heartbeat(agent.losses_through),)))
        slots = [self.slot(None) for _ in arrivals]
        heard = self.turn(list(zip(slots, arrivals, strict=True)))
        when = f"at {num(at_s)} s " if moved else ""
        return [f"{when}{line}" for line in heard]

    def turn(self, arrivals) -> list[str]:
        """Run one turn; returns what those heard who were waiting."""
        turn = self.kernel.turn(arrivals, Now(self.now_s, self.now_s))
        self.journal += unpack(pack(self.kernel.events.pack_form(turn.events)))
        heard = []
        self.answers = {}
        for slot, packed in turn.answers:
            answers = [self.machine.schema.answer(fields) for fields in unpack(packed)]
            who = self.slots.pop(slot)
            if who is None:
                self.answers[slot] = answers
            else:
                heard += [
                    f"{who} hears: {first}" if at == 0 else f"  {first}" for at, first in enumerate(said(answers[0]))
                ]
        return heard

    def slot(self, who):
        number = len(self.journal) + len(self.slots) + 1
        while number in self.slots:
            number += 1
        self.slots[number] = who
        return number

    def envelope(self, agent, number, commands, abandoned=()):
        received = max(0, agent.number - 1) if number else 0
        wire = [self.machine.schema.wire_of(command) for command in commands]
        return unpack(pack([agent.session_id, agent.token, number, received, list(abandoned), wire]))

    def ask(self, agent, command, *, number=None, abandoned=()) -> list[str]:
        if number is None:
            agent.number += 1
            number = agent.number
        if number:
            agent.last = (number, command)
        return self.send(self.envelope(agent, number, (command,), abandoned), agent.session_id)

    def send(self, envelope, name) -> list[str]:
        before = self.state() if self.is_checked else None
        slot = self.slot(None)
        heard = self.turn([(slot, envelope)])
        if self.is_checked:
            self.kernel.check_invariants()
        if slot not in self.answers:
            self.slots[slot] = name
            return ["waits", *heard]
        (answer,) = self.answers[slot]
        self.last_answer = answer
        if isinstance(answer, (Failed, BusyFor)) and self.is_woken and self.is_checked:
            assert self.state() == before, "a refused command has changed something"
        return said(answer) + heard

    def query(self, command, name="") -> list[str]:
        before = self.state()
        answer = self.send(unpack(pack(["", "", 0, 0, [], [self.machine.schema.wire_of(command)]])), name)
        assert self.state() == before or not self.is_woken, "a query has changed something"
        return answer

    def state(self):
        self.machine.field.collect(self.now_s)
        return unpack(pack(list(self.machine.snapshot())))

    def restart(self) -> list[str]:
        before = self.state()
        kernel = self.replica()
        restored = Kernel(make_coordination(**self.options))
        restored.restore(unpack(pack(list(kernel.snapshot()))))
        assert unpack(pack(list(restored.snapshot()))) == unpack(pack(list(kernel.snapshot())))
        self.kernel = restored
        self.machine.wake(Now(self.now_s, self.now_s))
        assert self.state() == before
        self.kernel.check_invariants()
        return ["the same state"]

    def replica(self):
        """The journal, replayed into a fresh kernel."""
        kernel = Kernel(make_coordination(**self.options))
        for code, fields in self.journal:
            kernel.evolve(code, fields)
        kernel.machine.field.collect(self.now_s)
        kernel.machine.wake(Now(self.now_s, self.now_s))
        kernel.check_invariants()
        return kernel

    def agent(self, name):
        name = name.partition("@")[0]
        return self.agents[name if "#" in name else self.latest[name]]

    def space(self, name):
        return name.partition("@")[2] or "home"

    # What agents do.

    def play_arrives(self, name, words):
        token = option(words, "token")
        if not token:
            self.n_tokens += 1
            token = f"secret-token-of-number-{self.n_tokens}"
        kept_by = option(words, "kept", "by") or "heartbeat"
        ttl_s = seconds(option(words, "ttl") or "30s")
        parent = option(words, "under")
        parent = self.agent(parent).session_id if parent else ""
        command = Register(option(words, "as") or name, token, parent, kept_by, ttl_s)
        assert not words
        lines = self.query_free(command)
        if isinstance(self.last_answer, Registered):
            session_id = self.last_answer.session_id
            self.agents.setdefault(session_id, Agent(session_id, token))
            self.latest[name] = session_id
        return lines

    def query_free(self, command):
        return self.send(unpack(pack(["", "", 0, 0, [], [self.machine.schema.wire_of(command)]])), "")

    def play_beats(self, name, words):
        agent = self.agent(name)
        every = option(words, "every")
        if every:
            agent.beat_every_s = seconds(every)
            agent.next_beat_s = self.now_s + agent.beat_every_s
        lines = self.ask(agent, Heartbeat(agent.losses_through), number=0)
        if isinstance(self.last_answer, Alive) and self.last_answer.losses:
            agent.losses_through = self.last_answer.losses[-1].number
        return [] if every else lines

    def play_falls(self, name, words):
        assert words == ["silent"]
        self.agent(name).beat_every_s = 0.0
        return []

    def play_leaves(self, name, _words):
        self.agent(name).beat_every_s = 0.0
        return self.ask(self.agent(name), Goodbye())

    def claim_command(self, name, words):
        intent = option(words, "to", rest=True)
        wait_s = seconds(option(words, "waiting") or "0s")
        mode = "shared" if flag(words, "shared") else "exclusive"
        kind = ClaimAny if flag(words, "any", "of") else Claim
        return kind(self.space(name), tuple(words), mode, wait_s, intent)

    def play_claims(self, name, words):
        return self.ask(self.agent(name), self.claim_command(name, words))

    def play_all(self, words):
        names = " ".join(words).partition(" claim ")[0].split(", ")
        target = words[-1]
        arrivals = []
        for name in names:
            agent = self.agent(name)
            agent.number += 1
            slot = self.slot(f"{name}")
            arrivals.append(
                (slot, self.envelope(agent, agent.number, (Claim("home", (target,), "exclusive", 0.0, ""),)))
            )
        return [line for line in self.turn(arrivals) if " hears: " in line]

    def play_releases(self, name, words):
        done = flag(words, "done")
        generation = int(option(words, "generation") or 0)
        return self.ask(self.agent(name), Release(self.space(name), tuple(words), generation, done))

    def play_transfers(self, name, words):
        note = option(words, "saying", rest=True)
        generation, to, receiver = words
        assert to == "to"
        session_id = self.agent(receiver).session_id
        return self.ask(self.agent(name), Transfer(self.space(name), int(generation), session_id, note))

    def play_forces(self, name, words):
        reason = option(words, "because", rest=True)
        even_if_alive = flag(words, "though", "alive")
        (target,) = words
        return self.ask(self.agent(name), ForceRelease(self.space(name), target, reason, even_if_alive))

    def play_works(self, name, words):
        heat, trouble = float(option(words, "heat") or 0), float(option(words, "trouble") or 0)
        on, path = words
        assert on == "on"
        return self.ask(self.agent(name), Progress(self.space(name), path, heat, trouble))

    def play_deposits(self, name, words):
        kind, target, *intensity = words
        return self.ask(self.agent(name), LeaveSignal(self.space(name), kind, target, float(*intensity or ["1"])))

    def play_sets(self, name, words):
        return self.ask(self.agent(name), SetStrictness(self.space(name), *words))

    def play_gives(self, name, words):
        what, *number = words
        if what == "back":
            generation = int(option(number, "generation"))
            return self.ask(self.agent(name), GiveBack(self.space(name), tuple(number), generation))
        assert what == "up"
        agent = self.agent(name)
        lines = self.ask(agent, Heartbeat(0), number=0, abandoned=[int(*number or [agent.last[0]])])
        return [line for line in lines if "hears" in line]

    def play_repeats(self, name, _words):
        agent = self.agent(name)
        number, command = agent.last
        n_facts = len(self.journal)
        lines = self.ask(agent, command, number=number)
        assert len(self.journal) == n_facts, "a repeated request has changed something"
        return lines

    # What anybody may ask.

    def ask_sync(self, words):
        limit = int(words.pop(0)) if words and words[0].isdigit() else 15
        space = option(words, "in") or "home"
        return self.query(Sync(space, limit))

    def ask_check(self, words):
        by = option(words, "by")
        generation = int(option(words, "generation") or 0)
        space = option(words, "in") or "home"
        (path,) = words
        return self.query(Check(space, path, generation, self.agent(by).session_id if by else ""))

    def ask_heat(self, words):
        by = option(words, "by")
        space = option(words, "in") or "home"
        (path,) = words
        return self.query(CheckHeat(space, path, self.agent(by).session_id if by else ""))

    def ask_watch(self, words):
        timeout_s = seconds(option(words, "waiting") or "0s")
        (version,) = words
        return self.query(Watch("home", int(version), timeout_s), "the watcher")

    def ask_losses(self, words):
        return self.query(ListLosses(self.agent(words[1]).session_id))

    def ask_audit(self, _words):
        return self.query(ListAudit("home"))

    def ask_sessions(self, _words):
        return self.query(ListSessions(100))

    def ask_count(self, words):
        self.query(FieldStatistics())
        counts = {count.name: count.value for count in (*self.last_answer.gauges, *self.last_answer.counters)}
        return [", ".join(f"{name} {counts[name]}" for name in words)]


# How answers read.


def said(answer) -> list[str]:
    return WORDS[type(answer)](answer)


def said_granted(answer: Granted):
    what = "renewed" if answer.renewed else "granted"
    return [
        f"{what} {answer.generation}: {' '.join(answer.targets)}, {num(answer.expires_in_s)} s by {answer.kept_by}",
        *(f"{n.kind} on {n.target} by {n.agent}, {num(n.age_s)} s ago, {num(n.intensity)}" for n in answer.signals),
        *(f"warning: {warning}" for warning in answer.warnings),
    ]


def said_conflict(c):
    what = c.target if c.held_target == c.target else f"{c.target} (in {c.held_target})"
    intent = f" to {c.intent}" if c.intent else ""
    if c.waiting:
        return (
            f"{what}: {c.holder} waits for it ({c.mode}) since {num(c.age_s)} s, {num(c.expires_in_s)} s more{intent}"
        )
    idle = f", idle for {num(c.last_progress_s)} s" if c.last_progress_s != c.age_s else ""
    return (
        f"{what}: {c.holder} has it ({c.mode}, {c.generation}) since {num(c.age_s)} s{idle}, "
        f"{num(c.expires_in_s)} s more{intent}"
    )


def said_held(answer: Held):
    return [
        f"held, {answer.reason}",
        *map(said_conflict, answer.conflicts),
        *([f"and {answer.n_more} more"] if answer.n_more else []),
        *([f"cycle: {' '.join(answer.cycle)}"] if answer.cycle else []),
        answer.next_step,
    ]


def said_released(answer: Released):
    return [f"released {answer.n_released}", *(f"not {one.target}: {one.why}" for one in answer.not_released)]


def said_view(view: FieldView):
    lines = []
    for row in view.rows:
        generation = f", generation {row.generation}" if row.generation else ""
        intent = f", to {row.intent}" if row.intent else ""
        idle = f", idle for {num(row.idle_s)} s" if row.idle_s != row.age_s else ""
        agents = " ".join(row.agents)
        lines.append(
            f"{row.kind} {row.target} {num(row.intensity)} by {agents}, {num(row.age_s)} s{idle}{generation}{intent}"
        )
    total = f"{view.n_left_out} left out, {view.n_claims} claims, {view.n_waiters} wait, {view.strictness}"
    return [*lines, f"{total}, version {view.version}"]


def said_checked(answer: Checked):
    holder = "nobody"
    if answer.holder:
        intent = f" to {answer.intent}" if answer.intent else ""
        times = f"since {num(answer.age_s)} s, {num(answer.expires_in_s)} s more"
        holder = f"{answer.holder} with {answer.holder_generation} {times}{intent}"
    return [f"{'holds' if answer.holds else f'does not hold: {answer.why}'} [{holder}; {answer.strictness}]"]


def said_heat(answer: Heat):
    return [", ".join(f"{num(one.intensity)} by {one.agent_id}" for one in answer.agents) or "cold"]


def said_changes(answer: Changes):
    resync = ", resync" if answer.resync else ""
    return [
        f"version {answer.version}{resync}",
        *(f"{one.version} {one.what} {one.target} {one.agent} {one.detail}".rstrip() for one in answer.changes),
    ]


def said_loss(loss):
    holder = f"now {loss.new_holder}" if loss.new_holder else "now nobody"
    what = f"{' '.join(loss.targets)} ({loss.generation})"
    return f"lost {loss.number}: {what} {loss.reason} {num(loss.ago_s)} s ago, {holder}"


def said_alive(answer: Alive):
    wanted = [f"{one.waiter} waits for {one.target}" for one in answer.wanted]
    return [f"alive for {num(answer.expires_in_s)} s", *map(said_loss, answer.losses), *wanted]


def said_audit(answer: Audit):
    return [
        f"{num(line.at_utc_s)} s: {line.by} took {line.target} ({line.generation}) from {line.from_session}, "
        f"{'alive' if line.was_alive else 'not alive'}: {line.reason}"
        for line in answer.lines
    ]


def said_sessions(answer: SessionList):
    rows = [
        f"{row.session_id} by {row.kept_by} since {num(row.age_s)} s, {num(row.expires_in_s)} s more"
        + (f", under {row.parent}" if row.parent else "")
        for row in answer.rows
    ]
    return [*rows, f"{answer.n_live} alive"]


WORDS = {
    Failed: lambda answer: [f"refused, {answer.code}: {answer.message}"],
    BusyFor: lambda answer: [f"busy for {num(answer.retry_after_s)} s: {answer.what}"],
    Registered: lambda answer: [f"{answer.session_id}, {num(answer.expires_in_s)} s"],
    Farewell: lambda answer: [f"farewell, {answer.n_released} released"],
    Deposited: lambda answer: [num(answer.intensity)],
    Noted: lambda _answer: ["noted"],
    Granted: said_granted,
    Held: said_held,
    Released: said_released,
    FieldView: said_view,
    FieldCounts: lambda _answer: ["counted"],
    Checked: said_checked,
    Heat: said_heat,
    Changes: said_changes,
    Losses: lambda answer: [said_loss(loss) for loss in answer.losses],
    Alive: said_alive,
    Audit: said_audit,
    SessionList: said_sessions,
}


def played(transcript: str, player: Player) -> str:
    """The transcript with the outputs that the machine really gave."""
    preface, _, body = transcript.partition("\n\n")
    lines = [preface, ""]
    for line in body.splitlines():
        if line.startswith(("->", "   ")):
            continue
        lines.append(line)
        if line.strip() and not line.startswith("#"):
            output = player.play(line)
            lines += [f"{'->' if at == 0 else '  '} {further}" for at, further in enumerate(output)]
    return "\n".join(lines) + "\n"


@pytest.mark.parametrize("path", sorted(FOLDER.glob("*.txt")), ids=lambda path: path.stem)
def test_the_transcript_is_what_the_field_does(path):
    transcript = path.read_text(encoding="utf-8")
    player = Player()
    assert played(transcript, player) == transcript

    replica = player.replica()
    player.machine.field.collect(player.now_s)
    assert pack(list(replica.snapshot())) == pack(list(player.kernel.snapshot()))


def test_there_are_transcripts_and_each_says_why():
    transcripts = sorted(FOLDER.glob("*.txt"))
    assert len(transcripts) >= 30
    for path in transcripts:
        why = path.read_text(encoding="utf-8").partition("\n\n")[0]
        assert len(why.split()) >= 10, f"{path.name} does not say why it is there"
        assert "\nat " in path.read_text(encoding="utf-8")


def test_a_wrong_line_in_a_transcript_is_found():
    transcript = "Why.\n\nat 0s ann arrives\n-> ann#2, 30 s\n"
    assert played(transcript, Player()) != transcript
