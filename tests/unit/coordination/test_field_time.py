"""Claims under the actor's clock: what happens to them while the actor is stalled, paused or down."""

from actors.coordination.machine import Coordination
from actors.coordination.messages import Alive, Heartbeat
from actors.runtime.clock import ActorClock
from actors.runtime.kernel import Kernel
from actors.runtime.wire import Failed, pack, unpack
from actors.scent_field.messages import Check, Claim, Granted
from actors.sessions.messages import Register

TOKEN = "a-secret-of-ann-that-nobody-knows"


class Actor:
    """A kernel under its clock, as the mailbox turns it. `monotonic_s` is what the machine it runs on says."""

    def __init__(self):
        self.kernel = Kernel(Coordination())
        self.clock = ActorClock()
        self.journal = []

    def turn(self, monotonic_s, *envelopes):
        now = self.clock.advance(monotonic_s=monotonic_s, wall_s=1_700_000_000.0)
        schema = self.kernel.machine.schema
        arrivals = [
            (slot, unpack(pack([session_id, TOKEN if session_id else "", number, 0, [], [schema.wire_of(command)]])))
            for slot, (session_id, number, command) in enumerate(envelopes)
        ]
        turn = self.kernel.turn(arrivals, now)
        self.journal += unpack(pack(self.kernel.events.pack_form(turn.events)))
        answers = dict(turn.answers)
        return [schema.answer(unpack(answers[slot])[0]) for slot in range(len(envelopes))]

    def restarted(self):
        """Another process: field time goes on from what the journal recorded, the monotonic clock is another."""
        actor = Actor()
        for code, fields in self.journal:
            actor.kernel.evolve(code, fields)
        actor.clock = ActorClock(field_s=self.clock.field_s)
        actor.kernel.machine.wake(actor.clock.advance(monotonic_s=0.0, wall_s=1_700_000_000.0))
        return actor


def claimed():
    actor = Actor()
    actor.turn(100.0, ("", 0, Register("ann", TOKEN, "", "heartbeat", 30.0)))
    (granted,) = actor.turn(100.0, ("ann#1", 1, Claim("s", ("a",), "exclusive", 0.0, "")))
    assert isinstance(granted, Granted)
    return actor


def holds(actor, monotonic_s):
    (checked,) = actor.turn(monotonic_s, ("", 0, Check("s", "a", 1, "ann#1")))
    return checked.holds


def test_a_claim_ends_when_the_field_has_counted_its_ttl():
    actor = claimed()
    for second in range(1, 30):
        assert holds(actor, 100.0 + second)
    assert not holds(actor, 130.0)


def test_an_actor_that_stalls_for_an_hour_takes_no_claims_away():
    actor = claimed()
    assert holds(actor, 100.0 + 3_600)
    assert actor.clock.field_s == 2.0
    # thirty seconds of service after it are still thirty seconds
    for second in range(1, 28):
        assert holds(actor, 3_700.0 + second)
    assert not holds(actor, 3_728.0)


def test_a_heartbeat_that_arrived_during_the_stall_counts_before_anything_expires():
    actor = claimed()
    for second in range(1, 30):
        actor.turn(100.0 + second)
    # the deadline has passed when this turn begins, and the heartbeat has come: the claim lives
    (alive, checked) = actor.turn(131.0, ("ann#1", 0, Heartbeat(0)), ("", 0, Check("s", "a", 1, "ann#1")))
    assert alive == Alive(30.0, (), ())
    assert checked.holds


def test_a_heartbeat_behind_a_claim_of_somebody_else_still_counts_first():
    actor = claimed()
    for second in range(1, 30):
        actor.turn(100.0 + second)
    (check, alive) = actor.turn(130.0, ("", 0, Check("s", "a", 1, "ann#1")), ("ann#1", 0, Heartbeat(0)))
    assert check.holds
    assert isinstance(alive, Alive)


def test_time_does_not_pass_while_the_actor_is_down_and_a_start_gives_a_full_ttl():
    actor = claimed()
    for second in range(1, 30):
        actor.turn(100.0 + second)
    assert actor.clock.field_s == 29.0
    again = actor.restarted()
    assert again.clock.field_s == 29.0
    for second in range(1, 30):
        assert holds(again, float(second))
    assert not holds(again, 30.0)
    (failed,) = again.turn(30.0, ("ann#1", 0, Heartbeat(0)))
    assert isinstance(failed, Failed)
    assert failed.code == "unknown_agent"


def test_signals_do_not_fade_while_the_actor_is_down():
    actor = claimed()
    signals = actor.kernel.machine.field.state.spaces["s"].signals
    assert signals.carried("CLAIMED", "a", "ann#1", actor.clock.field_s) == 2.0
    again = actor.restarted()
    signals = again.kernel.machine.field.state.spaces["s"].signals
    assert signals.carried("CLAIMED", "a", "ann#1", again.clock.field_s) == 2.0


def test_a_monotonic_clock_that_stands_or_goes_back_ends_nothing():
    actor = claimed()
    assert holds(actor, 100.0)
    assert holds(actor, 50.0)
    assert actor.clock.field_s == 0.0
