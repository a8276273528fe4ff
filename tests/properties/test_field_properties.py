"""The field through its kernel against a twin that is dumb enough to be believed.

The twin keeps plain lists, compares every target with every other, and recomputes everything when asked. Both are
woken at the same moments and get the same commands; after every step their answers, claims, waiters, signals and counts
agree.
"""

import math
import random
from collections import Counter

import pytest

from actors.coordination.machine import Coordination
from actors.coordination.messages import Heartbeat
from actors.runtime.errors import ScentfieldError
from actors.runtime.kernel import Kernel
from actors.runtime.machine import Now
from actors.runtime.wire import BusyFor, Failed, pack, unpack
from actors.scent_field.limits import FieldLimits
from actors.scent_field.messages import (
    Check,
    CheckHeat,
    Claim,
    ClaimAny,
    FieldStatistics,
    ForceRelease,
    GiveBack,
    Granted,
    Held,
    LeaveSignal,
    ListLosses,
    Progress,
    Release,
    Sync,
    Transfer,
)
from actors.scent_field.signal import HALF_LIVES_S, SignalKind
from actors.scent_field.target import overlaps, parse_target
from actors.sessions.messages import Goodbye, Register, Registered

HALF_LIVES = {**HALF_LIVES_S, SignalKind.CLAIMED: 20.0}
LIMITS = FieldLimits(idle_s=40.0, max_wait_s=100.0, half_lives_s=HALF_LIVES)
FADE_S = 20.0 * math.log2(2.0 / 0.3)
LOCK_DELAY_S = 2.0
TARGETS = ("a", "a/", "a/b.py", "a/c.py", "a/*.py", "a/b*", "a/**", "b/x/y.py", "b/", "**/y.py", "./", "t:x", "t:y")
PATHS = ("a", "a/b.py", "a/c.py", "b/x/y.py", "c.py", "t:x")
SPACES = ("s", "t")
N_RUNS = 50
N_STEPS = 200


def covers(target: str, path: str) -> bool:
    """Whether a signal on `target` is on the file `path` too, or on a folder that holds it."""
    is_above = target.endswith("/") and not path.startswith("t:") and (target == "./" or path.startswith(target))
    return target == path or is_above


def meet(one: str, other: str) -> bool:
    return overlaps(parse_target(one), parse_target(other))


def inside(inner: str, outer: str) -> bool:
    """Whether a target covers all of another one, by their texts."""
    if parse_target(inner).kind in ("file", "label"):
        return meet(inner, outer)
    return inner == outer or outer == "./" or (outer.endswith("/") and "*" not in outer and inner.startswith(outer))


class Twin:
    """Sessions, leases and waiters as dicts in lists; nothing is indexed and nothing is remembered twice."""

    def __init__(self):
        self.now = 0.0
        self.sessions = {}
        self.dead = set()
        self.leases = []
        self.waiters = []
        self.generation = Counter()
        self.newest = Counter()
        self.claimed = {}
        self.signals = {}
        self.prevented = set()
        self.counts = Counter()
        self.losses = []
        self.n_leases = self.n_tickets = 0
        self.settled = []

    # Sessions.

    def register(self, session_id, parent, kept_by, ttl):
        lineage = (session_id, *(self.sessions[parent]["lineage"] if parent else ()))
        ttl = 86_400.0 if kept_by == "decay" else ttl
        self.sessions[session_id] = {
            "lineage": lineage, "kept_by": kept_by, "ttl": ttl, "parent": parent, "expires": self.now + ttl
        }  # fmt: skip

    def beat(self, session_id):
        self.sessions[session_id]["expires"] = self.now + self.sessions[session_id]["ttl"]

    def family(self, session_id):
        found = [session_id]
        for child, one in self.sessions.items():
            if one["parent"] == session_id and one["kept_by"] == "connection":
                found += self.family(child)
        return found

    def end_sessions(self, ended, reason):
        for one in ended:
            del self.sessions[one]
            self.dead.add(one)
        for one in list(self.waiters):
            if one["session"] in ended:
                self.leave(one, "withdrawn")
        n_ended = 0
        held = [one for one in self.leases if one["session"] in ended and self.is_live(one)]
        for lease in sorted(held, key=lambda one: (ended.index(one["session"]), one["space"], one["id"])):
            self.end(lease, reason, LOCK_DELAY_S if reason == "expired" else 0.0)
            n_ended += 1
        self.serve()
        return n_ended

    def lineage(self, session_id):
        one = self.sessions.get(session_id)
        return (session_id,) if one is None else one["lineage"]

    # Leases.

    def is_live(self, lease):
        return lease["blocked_until"] is None

    def conflicts(self, space, session_id, targets, shared, ticket=None):
        """(target, "lease" or "waiter", which) in target order, leases by age before waiters by place."""
        lineage = self.lineage(session_id)
        found = []
        for target in targets:
            for lease in self.leases:
                if (
                    lease["space"] == space
                    and lease["session"] not in lineage
                    and not (shared and lease["shared"])
                    and any(meet(target, held) for held in lease["targets"])
                ):
                    found.append((target, "lease", lease))
            if self.has_it_anyway(space, session_id, target) and not any(one[0] == target for one in found):
                continue
            for waiter in self.waiters:
                if (
                    waiter["space"] == space
                    and (ticket is None or waiter["ticket"] < ticket)
                    and not waiter["any_of"]
                    and waiter["session"] not in lineage
                    and not (shared and waiter["shared"])
                    and any(meet(target, wanted) for wanted in waiter["targets"])
                ):
                    found.append((target, "waiter", waiter))
        return found

    def has_it_anyway(self, space, session_id, target):
        """Whether the session holds this file or label exclusively, so that those who wait for it lose nothing."""
        return parse_target(target).kind in ("file", "label") and any(
            one["space"] == space and one["session"] == session_id and not one["shared"] and self.is_live(one)
            and any(meet(target, held) for held in one["targets"])
            for one in self.leases
        )  # fmt: skip

    def same(self, space, session_id, targets, shared):
        for lease in self.leases:
            if (lease["space"], lease["session"], lease["targets"], lease["shared"]) == (
                space, session_id, targets, shared
            ) and self.is_live(lease):  # fmt: skip
                return lease
        return None

    def touch(self, lease):
        lease["progress"] = self.now
        for target in lease["targets"]:
            self.claimed[lease["space"], target, lease["session"]] = self.now

    def take(self, space, session_id, targets, shared):
        """Renew or grant; nothing may be in the way."""
        lease = self.same(space, session_id, targets, shared)
        if lease is not None:
            self.touch(lease)
            lease["renewed"] = True
            self.counts["claims_renewed"] += 1
            return ("granted", lease["generation"], targets, True)
        generation = self.group(space, targets) if shared else 0
        generation = generation or self.generation[space] + 1
        assert generation > self.generation[space] or shared
        self.overtake(space, targets, generation)
        self.n_leases += 1
        lease = {
            "id": self.n_leases, "space": space, "session": session_id, "targets": targets, "shared": shared,
            "generation": generation, "blocked_until": None,
            "renewed": False, "overtaken": False, "fades": self.sessions[session_id]["kept_by"] == "decay",
        }  # fmt: skip
        self.leases.append(lease)
        self.touch(lease)
        self.counts["claims_granted"] += 1
        return ("granted", generation, targets, False)

    def group(self, space, targets):
        """The number of the group of sharers that a shared claim joins; 0 if it joins none."""
        sharers = [
            one for one in self.leases
            if one["space"] == space and one["shared"] and self.is_live(one) and not one["overtaken"]
            and any(meet(target, held) for target in targets for held in one["targets"])
        ]  # fmt: skip
        numbers = {one["generation"] for one in sharers}
        if len(numbers) != 1:
            return 0
        (number,) = numbers
        kept = [held for one in sharers for held in one["targets"]]
        is_newest = number == self.generation[space]
        return number if is_newest or all(any(inside(one, held) for held in kept) for one in targets) else 0

    def overtake(self, space, targets, generation):
        """A number is granted: it is never older than one that was granted on the same path before."""
        self.generation[space] = max(self.generation[space], generation)
        for path in PATHS:
            if any(meet(path, target) for target in targets):
                assert self.newest[space, path] <= generation
                self.newest[space, path] = generation
        for one in self.leases:
            is_met = any(meet(target, held) for target in targets for held in one["targets"])
            if one["space"] == space and one["shared"] and self.is_live(one) and is_met:
                one["overtaken"] |= one["generation"] < generation

    def end(self, lease, reason, delay=0.0):
        if delay:
            lease["blocked_until"] = self.now + delay
        else:
            self.leases.remove(lease)
        for target in lease["targets"]:
            self.unclaim(lease, target)
        if reason in ("expired", "faded", "idle", "forced"):
            self.counts[f"claims_{reason}"] += 1
            self.losses.append((lease["session"], lease["targets"], lease["generation"], reason))
        else:
            self.counts["claims_released"] += 1

    def unclaim(self, lease, target):
        others = [
            one for one in self.leases
            if one is not lease and self.is_live(one) and one["space"] == lease["space"]
            and one["session"] == lease["session"] and target in one["targets"]
        ]  # fmt: skip
        if not others:
            self.claimed.pop((lease["space"], target, lease["session"]), None)

    # Commands.

    def claim(self, session_id, command, *, any_of):
        space, shared = command.space, command.mode == "shared"
        targets = tuple(dict.fromkeys(command.targets)) if any_of else tuple(sorted(set(command.targets)))
        choices = [(target,) for target in targets] if any_of else [targets]
        for choice in choices:
            is_own = self.same(space, session_id, choice, shared) is not None
            if is_own or not self.conflicts(space, session_id, choice, shared):
                return self.take(space, session_id, choice, shared)
        request = {"space": space, "session": session_id, "targets": targets, "shared": shared, "any_of": any_of}
        if self.is_stuck(request):
            return self.refuse(request, "would_deadlock")
        if command.wait_s == 0.0:
            kinds = [(kind, which) for _, kind, which in self.conflicts(space, session_id, targets, shared)]
            if any(kind == "lease" and self.is_live(which) for kind, which in kinds):
                return self.refuse(request, "claimed")
            return self.refuse(request, "lock_delay" if any(kind == "lease" for kind, _ in kinds) else "queued")
        self.n_tickets += 1
        self.waiters.append(
            {**request, "ticket": self.n_tickets, "queued": self.now, "deadline": self.now + command.wait_s}
        )
        self.counts["waits_queued"] += 1
        return ("waits",)

    def refuse(self, request, reason):
        found = self.conflicts(
            request["space"], request["session"], sorted(request["targets"]), request["shared"], request.get("ticket")
        )
        self.counts["claims_rejected"] += 1
        for target, kind, which in found:
            if kind == "lease" and self.is_live(which):
                self.prevented.add((request["space"], request["session"], target, which["generation"]))
        return ("held", reason, [(target, kind == "waiter", which["session"]) for target, kind, which in found])

    def waits_for(self, request):
        """For each way to go on, the sessions that have to go on first."""
        ways = [[target] for target in request["targets"]] if request["any_of"] else [request["targets"]]
        args = (request["space"], request["session"])
        rest = (request["shared"], request.get("ticket"))
        return [{which["session"] for _, _, which in self.conflicts(*args, way, *rest)} for way in ways]

    def is_stuck(self, request):
        """Whether the asker could never go on: nobody goes on who waits for somebody who does not."""
        requests = [*self.waiters, request]
        stuck = {one["session"] for one in requests}
        while True:
            going = {
                session
                for session in stuck
                if all(
                    any(not way & stuck for way in self.waits_for(one))
                    for one in requests if one["session"] == session
                )
            }  # fmt: skip
            if not going:
                return request["session"] in stuck
            stuck -= going

    def is_ring(self, request, cycle):
        """Whether each in the cycle waits for the next, and the last for the first."""
        if cycle[0] != request["session"]:
            return False
        for one, other in zip(cycle, (*cycle[1:], cycle[0]), strict=True):
            requests = [request] if one == request["session"] else []
            requests += [waiter for waiter in self.waiters if waiter["session"] == one]
            if not any(other in way for asked in requests for way in self.waits_for(asked)):
                return False
        return True

    def leave(self, waiter, reason):
        self.waiters.remove(waiter)
        self.counts[f"waits_{reason}"] += 1

    def serve(self):
        while self.serve_one():
            pass

    def serve_one(self):
        for waiter in self.waiters:
            ways = [(target,) for target in waiter["targets"]] if waiter["any_of"] else [waiter["targets"]]
            for way in ways:
                if not self.conflicts(waiter["space"], waiter["session"], way, waiter["shared"], waiter["ticket"]):
                    self.leave(waiter, "granted")
                    answer = self.take(waiter["space"], waiter["session"], way, waiter["shared"])
                    self.settled.append((waiter["ticket"], answer))
                    return True
        return False

    def release(self, session_id, command):
        mine = [
            one for one in self.leases
            if one["space"] == command.space and one["session"] == session_id and self.is_live(one)
        ]  # fmt: skip
        n_released = 0
        if command.generation:
            for lease in [one for one in mine if one["generation"] == command.generation]:
                n_released += len(lease["targets"])
                self.end(lease, "released")
                self.leave_done(command.done, command.space, session_id, lease["targets"])
        else:
            for target in dict.fromkeys(command.targets):
                held = [one for one in mine if target in one["targets"]]
                for lease in held:
                    if lease["targets"] == (target,):
                        self.end(lease, "released")
                    else:
                        lease["targets"] = tuple(one for one in lease["targets"] if one != target)
                        self.unclaim(lease, target)
                        self.counts["claims_released"] += 1
                if held:
                    n_released += 1
                    self.leave_done(command.done, command.space, session_id, (target,))
        self.serve()
        return ("released", n_released)

    def leave_done(self, done, space, session_id, targets):
        for target in targets if done else ():
            self.deposit(space, "DONE", target, session_id, 1.0)

    def transfer(self, session_id, command):
        mine = [
            one for one in self.leases
            if one["space"] == command.space and one["session"] == session_id
            and one["generation"] == command.generation and self.is_live(one)
        ]  # fmt: skip
        if not mine:
            return ("refused", "stale_generation")
        for lease in mine:
            found = self.conflicts(command.space, command.to_session, lease["targets"], lease["shared"])
            others = [which for _, kind, which in found if kind == "lease" and all(which is not one for one in mine)]
            if others:
                return ("in the way",)
        before = [dict(one) for one in mine]
        for lease in mine:
            lease["session"] = command.to_session
        if any(self.is_stuck(one) for one in self.waiters if self.wants(one, mine)):
            for lease, was in zip(mine, before, strict=True):
                lease.update(was)
            return ("in the way",)
        generation = self.generation[command.space] + 1
        for lease in mine:
            lease["generation"], lease["overtaken"] = generation, False
            self.overtake(command.space, lease["targets"], generation)
            lease["fades"] = self.sessions[command.to_session]["kept_by"] == "decay"
            for target in lease["targets"]:
                self.unclaim({**lease, "session": session_id}, target)
            self.touch(lease)
            self.leave_done(True, command.space, session_id, lease["targets"])
            self.counts["claims_transferred"] += 1
        targets = tuple(sorted({target for lease in mine for target in lease["targets"]}))
        self.serve()
        return ("granted", generation, targets, False)

    def wants(self, waiter, leases):
        return any(
            waiter["space"] == lease["space"] and meet(wanted, held)
            for lease in leases for held in lease["targets"] for wanted in waiter["targets"]
        )  # fmt: skip

    def force(self, command):
        found = [one for one in self.leases if one["space"] == command.space and command.target in one["targets"]]
        alive = [
            one for one in found
            if self.is_live(one) and (not one["fades"] or self.now - one["progress"] < LIMITS.fresh_s)
        ]  # fmt: skip
        if alive and not command.even_if_alive:
            return ("released", 0)
        for lease in found:
            if self.is_live(lease):
                self.end(lease, "forced")
            else:
                self.leases.remove(lease)
        self.serve()
        return ("released", sum(len(lease["targets"]) for lease in found))

    def progress(self, session_id, command):
        for lease in self.leases:
            if (
                lease["space"] == command.space and lease["session"] == session_id and self.is_live(lease)
                and any(meet(command.path, held) for held in lease["targets"])
            ):  # fmt: skip
                self.touch(lease)
        if command.heat:
            self.deposit(command.space, "HOT", command.path, session_id, command.heat)

    def deposit(self, space, kind, target, agent, intensity):
        carried = self.intensity(kind, *self.signals.get((space, kind, target, agent), (0.0, self.now)))
        carried = carried if carried >= 0.05 else 0.0
        self.signals[space, kind, target, agent] = (min(3.0, carried + intensity), self.now)

    def intensity(self, kind, intensity, at):
        return intensity * 2.0 ** ((at - self.now) / HALF_LIVES[SignalKind(kind)])

    def rows(self, space):
        """kind, target -> agents' intensities."""
        found = {}
        claimed = {(one, "CLAIMED", target, agent): (2.0, at) for (one, target, agent), at in self.claimed.items()}
        for (where, kind, target, agent), (intensity, at) in (claimed | self.signals).items():
            now = self.intensity(kind, intensity, at)
            if where == space and now >= 0.05:
                found.setdefault((kind, target), {})[agent] = now
        return found

    # Time.

    def expire(self, now):
        self.now = now
        due = sorted((one["expires"], session_id) for session_id, one in self.sessions.items() if one["expires"] <= now)
        ended = []
        for _, session_id in due:
            ended += [one for one in self.family(session_id) if one not in ended]
        if ended:
            self.end_sessions(ended, "expired")
        while self.expire_one():
            pass

    def expire_one(self):
        due = [
            (one["blocked_until"], "delay", one["space"], one["id"], one)
            for one in self.leases if not self.is_live(one)
        ]  # fmt: skip
        due += [
            (one["progress"] + FADE_S, "fade", one["space"], one["id"], one)
            for one in self.leases if one["fades"] and self.is_live(one)
        ]  # fmt: skip
        for waiter in self.waiters:
            due.append((waiter["deadline"], "wait", waiter["space"], waiter["ticket"], waiter))
            rested = self.rested(waiter)
            if rested:
                first_s = min(one["progress"] for one in rested)
                due.append((first_s + LIMITS.idle_s, "idle", waiter["space"], waiter["ticket"], waiter))
        due = sorted((one for one in due if one[0] <= self.now), key=lambda one: one[:4])
        if not due:
            self.serve()
            return False
        _, what, _, _, which = due[0]
        if what in ("wait", "idle") and self.serve_one():
            return True
        if what == "wait":
            self.settled.append((which["ticket"], self.refuse(which, "timeout")))
            self.leave(which, "timed_out")
        elif what == "delay":
            self.leases.remove(which)
        elif what == "fade":
            self.end(which, "faded")
        else:
            for lease in self.rested(which):
                self.end(lease, "idle")
        return True

    def rested(self, waiter):
        """Claims that keep this waiter out and have made no progress for too long, oldest first."""
        args = (waiter["space"], waiter["session"], waiter["targets"], waiter["shared"], waiter["ticket"])
        found = {which["id"]: which for _, kind, which in self.conflicts(*args) if kind == "lease"}
        return [
            one for _, one in sorted(found.items()) if self.is_live(one) and one["progress"] + LIMITS.idle_s <= self.now
        ]


class Driver:
    """Sends random commands through the kernel and compares with the twin."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.kernel = Kernel(Coordination(LIMITS))
        self.twin = Twin()
        self.journal = []
        self.numbers = Counter()
        self.sent = {}
        self.waiting = {}
        self.n_slots = 0
        self.now = 0.0
        self.story = []

    @property
    def machine(self):
        return self.kernel.machine

    def state(self):
        """All but the changes kept for those who watch, which are many; their number is in the state."""
        self.machine.field.collect(self.now)
        return pack([part for part in self.machine.snapshot() if part[0] != "change"])

    # The shell.

    def turn(self, arrivals):
        turn = self.kernel.turn(arrivals, Now(self.now, 0.0))
        self.journal += unpack(pack(self.kernel.events.pack_form(turn.events)))
        return turn, {
            slot: [self.machine.schema.answer(one) for one in unpack(packed)] for slot, packed in turn.answers
        }

    def hear(self, answers):
        """Those who waited and were answered, as the twin says it."""
        listening = set(self.waiting.values())  # a restart of the actor ends the calls, not the waiting
        settled = {ticket: answer for ticket, answer in self.twin.settled if ticket in listening}
        self.twin.settled = []
        heard = {self.waiting.pop(slot): answer for slot, (answer,) in answers.items() if slot in self.waiting}
        told = {ticket: answer for ticket, answer in heard.items() if not isinstance(answer, Failed)}
        assert told.keys() == settled.keys()
        for ticket, answer in told.items():
            self.compare(answer, settled[ticket])
        for ticket, answer in heard.items():
            assert ticket in told or answer.code in ("unknown_agent", "misuse")

    def advance(self, until):
        while True:
            deadline = self.machine.next_deadline_s()
            if deadline is None or deadline >= until:
                break
            # a deadline is a lower bound, but the same one must not come up again
            assert deadline > self.now or self.now == 0.0 or self.wakes_once(deadline)
            self.wake(max(deadline, self.now))
        self.wake(until)

    def wakes_once(self, deadline):
        self.wake(self.now)
        after = self.machine.next_deadline_s()
        assert after is None or after > deadline, f"woken twice for {deadline}"
        return True

    def wake(self, now):
        self.now = now
        _, answers = self.turn([])
        self.twin.expire(now)
        self.hear(answers)

    def ask(self, session_id, command, number, abandoned=()):
        self.n_slots += 1
        wire = [self.machine.schema.wire_of(command)]
        received = 0 if isinstance(command, Heartbeat) else max(0, number - 6)
        envelope = [session_id, self.token(session_id), number, received, list(abandoned), wire]
        turn, answers = self.turn([(self.n_slots, unpack(pack(envelope)))])
        mine = answers.pop(self.n_slots, None)
        return turn, None if mine is None else mine[0], answers

    def token(self, session_id):
        return f"secret of {session_id.rpartition('#')[2]:>20}" if session_id else ""

    def send(self, session_id, command):
        """A numbered request. What is refused has changed nothing."""
        self.numbers[session_id] += 1
        number = self.numbers[session_id]
        before = self.state()
        turn, answer, answers = self.ask(session_id, command, number)
        if isinstance(answer, (Failed, BusyFor)):
            assert self.state() == before
            assert not turn.durable
        self.sent[session_id] = (number, command, answer, self.machine.field.state.last_ticket if answer is None else 0)
        return answer, answers

    def query(self, command):
        turn, answer, _ = self.ask("", command, 0)
        assert turn.events == []
        return answer

    # Steps.

    def step(self):
        self.advance(self.now + self.random.choice((0.0, 0.0, 0.5, 1.0, 1.0, 3.0, 8.0, 30.0)))
        if self.random.random() < 0.7:
            self.beat_all()
        steps = {
            self.claim: 12, self.claim_any: 4, self.release: 5, self.release_claim: 2, self.transfer: 2,
            self.give_it_back: 1,
            self.force: 1, self.progress: 3, self.deposit: 2, self.register: 1, self.goodbye: 1,
            self.beat_one: 2, self.check: 2, self.give_up: 1, self.repeat: 2, self.restart: 0.3,
        }  # fmt: skip
        if len(self.twin.sessions) < 3:
            step = self.register
        else:
            (step,) = self.random.choices(list(steps), list(steps.values()))
        self.story.append(f"{self.now:g} {step.__name__}")
        step()
        self.settle()

    def settle(self):
        # what a waiter waits for may have rested too long before it came: that ends in the next turn
        self.wake(self.now)
        self.kernel.check_invariants()
        before = self.state()
        self.compare_claims()
        self.compare_signals()
        self.compare_counts()
        assert self.state() == before, "a query has changed something"

    def someone(self):
        return self.random.choice(sorted(self.twin.sessions))

    def register(self):
        if len(self.twin.sessions) >= 7:
            return
        parent = self.someone() if self.twin.sessions and self.random.random() < 0.5 else ""
        if parent and len(self.twin.lineage(parent)) > 3:
            parent = ""
        kept_by = self.random.choice(("heartbeat", "heartbeat", "connection", "decay"))
        ttl = self.random.choice((5.0, 30.0))
        self.registered = getattr(self, "registered", 0) + 1
        token = f"secret of {self.registered:>20}"
        _, answer, _ = self.ask("", Register("x", token, parent, kept_by, ttl), 0)
        assert isinstance(answer, Registered)
        assert answer.session_id.endswith(f"#{self.registered}")
        self.twin.register(answer.session_id, parent, kept_by, ttl)

    def goodbye(self):
        session_id = self.someone()
        family = self.twin.family(session_id)
        n_ended = self.twin.end_sessions(family, "goodbye")
        answer, answers = self.send(session_id, Goodbye())
        assert answer.n_released == n_ended
        self.hear(answers)

    def beat(self, session_id):
        _, answer, _ = self.ask(session_id, Heartbeat(0), 0)
        assert not isinstance(answer, Failed)
        self.twin.beat(session_id)
        lost = [one for one in self.twin.losses if one[0] == session_id]
        assert [(one.targets, one.generation, one.reason) for one in answer.losses] == [one[1:] for one in lost][:64]
        wanted = {
            (lease["space"], held, waiter["session"])
            for lease in self.twin.leases if lease["session"] == session_id and self.twin.is_live(lease)
            for held in lease["targets"]
            for waiter in self.twin.waiters
            if waiter["space"] == lease["space"] and any(meet(held, one) for one in waiter["targets"])
            and session_id not in self.twin.lineage(waiter["session"]) and not (waiter["shared"] and lease["shared"])
        }  # fmt: skip
        assert set(answer.wanted) == wanted

    def beat_all(self):
        """One turn with everybody's heartbeat."""
        wire = [self.machine.schema.wire_of(Heartbeat(0))]
        envelopes = [[one, self.token(one), 0, 0, [], wire] for one in self.twin.sessions]
        self.turn([(-at, unpack(pack(envelope))) for at, envelope in enumerate(envelopes, 1)])
        for session_id in self.twin.sessions:
            self.twin.beat(session_id)

    def beat_one(self):
        self.beat(self.someone())

    def touch(self, session_id):
        if self.twin.sessions[session_id]["kept_by"] == "decay":
            self.twin.beat(session_id)

    def some_targets(self, most):
        return tuple(self.random.choices(TARGETS, k=self.random.randint(1, most)))

    def claim(self):
        self.ask_for(Claim, any_of=False)

    def claim_any(self):
        self.ask_for(ClaimAny, any_of=True)

    def ask_for(self, kind, *, any_of):
        session_id = self.someone()
        mode = self.random.choice(("exclusive", "exclusive", "shared"))
        wait_s = self.random.choice((0.0, 0.0, 4.0, 30.0, 100.0))
        command = kind(self.random.choice(SPACES), self.some_targets(3), mode, wait_s, "")
        targets = tuple(dict.fromkeys(command.targets))
        request = {
            "space": command.space, "session": session_id, "targets": targets, "shared": mode == "shared",
            "any_of": any_of,
        }  # fmt: skip
        self.story.append(f"   {session_id} {command}")
        self.touch(session_id)
        answer, answers = self.send(session_id, command)
        if isinstance(answer, Held) and answer.cycle:
            assert self.twin.is_ring(request, answer.cycle)
        expected = self.twin.claim(session_id, command, any_of=any_of)
        if expected == ("waits",):
            assert answer is None
            self.waiting[self.n_slots] = self.twin.n_tickets
        else:
            self.compare(answer, expected)
        self.hear(answers)

    def compare(self, answer, expected):
        if expected[0] == "granted":
            assert isinstance(answer, Granted), (answer, expected)
            assert (answer.generation, answer.targets, answer.renewed) == expected[1:]
        else:
            assert isinstance(answer, Held), (answer, expected)
            _, reason, conflicts = expected
            assert answer.reason == reason
            assert [(one.target, one.waiting, one.holder) for one in answer.conflicts] == conflicts[:20]
            assert answer.n_more == max(0, len(conflicts) - 20)

    def release(self):
        session_id = self.someone()
        mine = [one for one in self.twin.leases if one["session"] == session_id]
        targets = self.random.choice(mine)["targets"] if mine else self.some_targets(2)
        targets = self.random.choice((targets, targets[:1], (*targets, "z")))
        self.give_back(session_id, Release(self.random.choice(SPACES), targets, 0, self.random.random() < 0.3))

    def release_claim(self):
        lease = self.some_lease()
        session_id = self.someone() if lease is None else lease["session"]
        if session_id in self.twin.sessions:
            space, generation = ("s", 1) if lease is None else (lease["space"], lease["generation"])
            self.give_back(session_id, Release(space, (), generation, self.random.random() < 0.3))

    def give_back(self, session_id, command):
        self.touch(session_id)
        answer, answers = self.send(session_id, command)
        assert ("released", answer.n_released) == self.twin.release(session_id, command)
        self.hear(answers)

    def give_it_back(self):
        """The claim that an edit made for a moment; it stays if it was claimed again."""
        lease = self.some_lease()
        if lease is None:
            return
        n_targets = self.random.choice((1, len(lease["targets"])))
        command = GiveBack(lease["space"], lease["targets"][:n_targets], lease["generation"])
        self.touch(lease["session"])
        answer, answers = self.send(lease["session"], command)
        matching = [
            one for one in self.twin.leases
            if self.twin.is_live(one) and not one["renewed"] and one["targets"] == command.targets
            and [one[key] for key in ("space", "session", "generation")]
            == [lease[key] for key in ("space", "session", "generation")]
        ]  # fmt: skip
        assert answer.n_released == len(matching[:1]) * len(command.targets)
        for one in matching[:1]:
            self.twin.end(one, "released")
        self.twin.serve()
        self.hear(answers)

    def some_lease(self):
        live = [one for one in self.twin.leases if self.twin.is_live(one)]
        return self.random.choice(live) if live else None

    def transfer(self):
        lease = self.some_lease()
        if lease is None:
            return
        session_id = lease["session"]
        command = Transfer(lease["space"], lease["generation"] + self.random.choice((0, 0, 0, 1)), self.someone(), "")
        self.touch(session_id)
        answer, answers = self.send(session_id, command)
        if command.to_session == session_id:
            assert answer.code == "misuse"
            return
        expected = self.twin.transfer(session_id, command)
        if expected[0] == "refused":
            assert answer.code == expected[1]
        elif expected == ("in the way",):
            assert isinstance(answer, Held)
        else:
            self.compare(answer, expected)
        self.hear(answers)

    def force(self):
        lease = self.some_lease()
        session_id = self.someone()
        target, space = ("z", "s") if lease is None else (self.random.choice(lease["targets"]), lease["space"])
        command = ForceRelease(space, target, "because", self.random.random() < 0.5)
        self.touch(session_id)
        answer, answers = self.send(session_id, command)
        assert ("released", answer.n_released) == self.twin.force(command)
        self.hear(answers)

    def progress(self):
        session_id = self.someone()
        command = Progress(self.random.choice(SPACES), self.random.choice(PATHS), self.random.choice((0.0, 0.3)), 0.0)
        self.touch(session_id)
        self.send(session_id, command)
        self.twin.progress(session_id, command)

    def deposit(self):
        session_id = self.someone()
        kind = self.random.choice(("HOT", "STUCK", "DONE", "AVOID"))
        intensity = self.random.choice((0.2, 1.0, 2.5))
        command = LeaveSignal(self.random.choice(SPACES), kind, self.random.choice(TARGETS), intensity)
        self.touch(session_id)
        answer, _ = self.send(session_id, command)
        self.twin.deposit(command.space, kind, command.target, session_id, intensity)
        now = self.twin.signals[command.space, kind, command.target, session_id][0]
        assert answer.intensity == pytest.approx(now)

    def check_heat(self, space, path, session_id):
        others = {}
        for (where, kind, target, agent), (intensity, at) in self.twin.signals.items():
            if (where, kind) == (space, "HOT") and agent != session_id and covers(target, path):
                left = self.twin.intensity(kind, intensity, at)
                others |= {agent: others.get(agent, 0.0) + left} if left >= 0.05 else {}
        answer = self.query(CheckHeat(space, path, session_id))
        assert dict(answer.agents) == pytest.approx(others)

    def check(self):
        space, path, session_id = self.random.choice(SPACES), self.random.choice(PATHS), self.someone()
        for generation in {0, *self.random.choices(range(self.twin.generation[space] + 2), k=4)}:
            covering = [
                one for one in self.twin.leases
                if one["space"] == space and self.twin.is_live(one) and any(meet(path, held) for held in one["targets"])
            ]  # fmt: skip
            holds = any(one["generation"] == generation and one["session"] == session_id for one in covering)
            answer = self.query(Check(space, path, generation, session_id))
            assert answer.holds == holds
            assert bool(answer.holder) == bool(covering)
        self.check_heat(space, path, session_id)
        for session_id in (*self.twin.sessions, *self.twin.dead):
            lost = [one[1:] for one in self.twin.losses if one[0] == session_id]
            told = self.query(ListLosses(session_id)).losses
            assert [(one.targets, one.generation, one.reason) for one in told] == lost[:64]

    def give_up(self):
        """Its caller gives up a request: one that waits leaves the line, one that was granted is undone."""
        for session_id in sorted(self.twin.sessions):
            number, _, answer, ticket = self.sent.pop(session_id, (0, None, None, 0))
            waiter = next((one for one in self.twin.waiters if one["ticket"] == ticket), None)
            if waiter is None and not isinstance(answer, Granted):
                continue
            _, _, answers = self.ask(session_id, Heartbeat(0), 0, abandoned=[number])
            self.twin.beat(session_id)
            if waiter is not None:
                self.twin.leave(waiter, "withdrawn")
            else:
                self.undo(session_id, answer)
            self.twin.serve()
            self.hear(answers)
            return

    def undo(self, session_id, granted):
        for lease in list(self.twin.leases):
            is_it = (lease["space"], lease["session"], lease["generation"], lease["targets"]) == (
                granted.space, session_id, granted.generation, granted.targets
            )  # fmt: skip
            if is_it and self.twin.is_live(lease) and not granted.renewed and not lease["renewed"]:
                self.twin.end(lease, "released")
                return

    def repeat(self):
        """The last request arrives once more: the same answer, and not a fact more."""
        for session_id in sorted(self.twin.sessions):
            if session_id in self.sent:
                number, command, answer, _ = self.sent[session_id]
                before = self.state()
                turn, again, _ = self.ask(session_id, command, number)
                self.touch(session_id)
                assert turn.events == []
                assert self.state() == before
                assert answer is None or again == answer or (isinstance(again, Failed) and again.code == "misuse")
                if again is None:
                    del self.sent[session_id]

    def restart(self):
        """The journal, replayed, is the state; so is a snapshot of it, restored."""
        mine = unpack(pack([self.unaged(self.kernel)]))
        replica = self.replayed()
        assert unpack(pack([self.unaged(replica)])) == mine
        restored = Kernel(Coordination(LIMITS))
        restored.restore(unpack(pack(list(replica.snapshot()))))
        assert unpack(pack([self.unaged(restored)])) == mine
        self.kernel = restored
        self.machine.wake(Now(self.now, 0.0))
        self.waiting.clear()
        self.sent.clear()
        for session_id in self.twin.sessions:
            self.twin.beat(session_id)

    def unaged(self, kernel):
        kernel.machine.field.collect(self.now)
        return list(kernel.snapshot())

    def replayed(self):
        replica = Kernel(Coordination(LIMITS))
        for code, fields in self.journal:
            replica.evolve(code, fields)
        replica.machine.wake(Now(self.now, 0.0))
        replica.check_invariants()
        return replica

    # Comparisons of state.

    def compare_claims(self):
        spaces = self.machine.field.state.spaces
        held = [
            (lease.lease_id, name, lease.session_id, lease.targets, lease.shared, lease.generation, lease.fades,
             lease.progress_at_s, lease.blocked_until_s, lease.renewed, lease.overtaken)
            for name, space in spaces.items() for lease in space.leases.leases.values()
        ]  # fmt: skip
        keys = (
            "id",
            "space",
            "session",
            "targets",
            "shared",
            "generation",
            "fades",
            "progress",
            "blocked_until",
            "renewed",
            "overtaken",
        )
        assert sorted(held) == [tuple(one[key] for key in keys) for one in self.twin.leases]
        waiting = [
            (waiter.ticket, name, waiter.session_id, waiter.targets, waiter.shared, waiter.any_of, waiter.deadline_s)
            for name, space in spaces.items() for waiter in space.waiters.waiters.values()
        ]  # fmt: skip
        keys = ("ticket", "space", "session", "targets", "shared", "any_of", "deadline")
        assert sorted(waiting) == [tuple(one[key] for key in keys) for one in self.twin.waiters]
        self.check_alone()

    def check_alone(self):
        live = [one for one in self.twin.leases if self.twin.is_live(one)]
        for at, one in enumerate(live):
            for other in live[at + 1 :]:
                related = one["session"] in self.twin.lineage(other["session"]) or other[
                    "session"
                ] in self.twin.lineage(one["session"])
                apart = one["space"] != other["space"] or not any(
                    meet(mine, theirs) for mine in one["targets"] for theirs in other["targets"]
                )
                assert related or apart or (one["shared"] and other["shared"])

    def compare_signals(self):
        space = self.random.choice(SPACES)
        view = self.query(Sync(space, 1_000))
        rows = self.twin.rows(space)
        assert {(row.kind, row.target) for row in view.rows} == set(rows)
        sums = [row.intensity for row in view.rows]
        assert sums == sorted(sums, reverse=True)
        for row in view.rows:
            agents = rows[row.kind, row.target]
            assert row.intensity == pytest.approx(sum(agents.values()))
            assert set(row.agents) == set(agents)
        few = self.query(Sync(space, 3))
        assert few.rows == view.rows[:3]
        assert few.n_left_out == max(0, len(view.rows) - 3)

    def compare_counts(self):
        answer = self.query(FieldStatistics())
        counters = {one.name: one.value for one in answer.counters}
        gauges = {one.name: one.value for one in answer.gauges}
        assert counters["duplicate_work_prevented"] == len(self.twin.prevented)
        for name, value in self.twin.counts.items():
            assert counters[name] == value, name
        assert gauges["leases"] == len(self.twin.leases)
        assert gauges["waiters"] == len(self.twin.waiters)
        assert gauges["sessions"] == len(self.twin.sessions)


def run(seed: int, n_steps: int) -> None:
    driver = Driver(seed)
    try:
        for _ in range(n_steps):
            driver.step()
        driver.restart()
    except (AssertionError, ScentfieldError, KeyError) as error:
        raise AssertionError(
            f"seed {seed}, after {len(driver.story)} lines:\n" + "\n".join(driver.story[-12:])
        ) from error


@pytest.mark.parametrize("block", range(5))
def test_the_field_does_what_its_dumb_twin_does(block):
    for seed in range(block * N_RUNS // 5, (block + 1) * N_RUNS // 5):
        run(seed, N_STEPS)


@pytest.mark.soak
@pytest.mark.timeout(1_200)
@pytest.mark.parametrize("block", range(10))
def test_the_field_does_what_its_dumb_twin_does_for_long(block):
    for seed in range(1_000 + block * 100, 1_100 + block * 100):
        run(seed, 300)
