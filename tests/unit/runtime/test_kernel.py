import pytest

from actors.coordination.machine import Coordination
from actors.coordination.messages import SCHEMA, Alive, Heartbeat
from actors.runtime.kernel import MAX_SLOTS_OF_TICKET, Kernel
from actors.runtime.machine import Now
from actors.runtime.request_memory import Abandoned, Answered, AnsweredIdly, Forgotten, Parked
from actors.runtime.wire import BusyFor, Failed, pack, unpack_own
from actors.scent_field.limits import FieldLimits
from actors.scent_field.messages import (
    Changes,
    Check,
    Checked,
    Claim,
    FieldView,
    Granted,
    Held,
    Progress,
    Release,
    Released,
    Sync,
    Transfer,
    Watch,
)
from actors.sessions.messages import Farewell, Goodbye, Register, Registered

TOKENS = {"ada#1": "a" * 32, "bo#2": "b" * 32, "cy#3": "c" * 32}
PROTECTED = ("a.py",)


def claim(*targets, wait_s=0.0):
    return Claim("home", targets or PROTECTED, "exclusive", wait_s, "")


def at(field_s):
    return Now(field_s, 1_000.0 + field_s)


class Desk:
    """A kernel with three registered agents, and the journal that it would have written."""

    def __init__(self, *, max_leases=500_000, **limits):
        self.kernel = Kernel(Coordination(FieldLimits(lock_delay_s=2.0, max_leases=max_leases)), **limits)
        self.rows = []
        self.slot = 0
        self.sent = {}
        self.send(
            *(
                self.envelope("", 0, Register(name, TOKENS[session], "", "heartbeat", 30.0))
                for name, session in (("ada", "ada#1"), ("bo", "bo#2"), ("cy", "cy#3"))
            )
        )

    def envelope(self, session, number, *commands, received=0, abandoned=(), token=None):
        packed = [SCHEMA.wire_of(command) for command in commands]
        token = TOKENS.get(session, "") if token is None else token
        return unpack_own(pack([session, token, number, received, list(abandoned), packed]))

    def send(self, *envelopes, now=0.0):
        """One turn; returns the answers of each envelope, None where it has none yet."""
        slots = range(self.slot + 1, self.slot + 1 + len(envelopes))
        self.slot += len(envelopes)
        self.turn = self.kernel.turn(list(zip(slots, envelopes, strict=True)), at(now))
        self.rows += unpack_own(pack(self.kernel.events.pack_form(self.turn.events)))
        self.kernel.check_invariants()
        for slot, packed in self.turn.answers:
            assert slot not in self.sent, "a slot is answered once"
            self.sent[slot] = [SCHEMA.answer(fields) for fields in unpack_own(packed)]
        return [self.sent.get(slot) for slot in slots]

    def ask(self, session, number, *commands, now=0.0, **rest):
        (answers,) = self.send(self.envelope(session, number, *commands, **rest), now=now)
        return answers

    def replayed(self, now=0.0):
        """A second kernel from the journal."""
        twin = Kernel(Coordination(FieldLimits(lock_delay_s=2.0)))
        for code, fields in self.rows:
            twin.evolve(code, fields)
        twin.machine.wake(at(now))
        twin.check_invariants()
        return twin

    def state(self):
        return list(self.kernel.snapshot())


@pytest.fixture
def desk():
    return Desk()


def code_of(answers):
    (answer,) = answers
    assert isinstance(answer, Failed), answer
    return answer.code


def test_a_request_that_arrives_twice_has_one_effect_and_the_same_bytes(desk):
    desk.ask("ada#1", 1, claim())
    first = desk.turn.answers[0][1]
    assert any(type(event) is Answered for event in desk.turn.events)
    (again,) = desk.ask("ada#1", 1, claim(), now=5.0)
    assert desk.turn.answers[0][1] == first
    assert desk.turn.events == []
    assert not again.renewed


def test_the_same_number_with_other_commands_gets_the_first_answer(desk):
    first = desk.ask("ada#1", 1, claim("a.py"))
    assert desk.ask("ada#1", 1, claim("b.py")) == first


def test_twice_in_one_turn_is_once(desk):
    envelope = desk.envelope("ada#1", 1, claim())
    first, second = desk.send(envelope, envelope)
    assert first == second
    assert [type(event).__name__ for event in desk.turn.events].count("LeaseGranted") == 1


def test_numbers_are_each_sessions_own(desk):
    (ada,) = desk.ask("ada#1", 1, claim("a.py"))
    (bo,) = desk.ask("bo#2", 1, claim("b.py"))
    assert (ada.targets, bo.targets) == (("a.py",), ("b.py",))


def test_a_number_that_was_received_is_misuse_and_is_not_run(desk):
    desk.ask("ada#1", 1, claim())
    desk.ask("ada#1", 2, Release("home", PROTECTED, 0, False), received=1)
    before = desk.state()
    assert code_of(desk.ask("ada#1", 1, claim())) == "misuse"
    assert desk.state() == before
    assert desk.turn.events == []


@pytest.mark.parametrize(("number", "received"), [(-1, 0), (2**54, 0), (1, 1), (3, 9), (1, -1)])
def test_a_number_that_cannot_be_is_refused(desk, number, received):
    before = desk.state()
    assert code_of(desk.ask("ada#1", number, claim(), received=received)) == "wire"
    assert desk.state() == before


def test_a_refusal_is_remembered_but_may_be_lost(desk):
    desk.ask("ada#1", 1, claim())
    (held,) = desk.ask("bo#2", 1, claim())
    assert type(held) is Held
    assert not desk.turn.durable
    assert type(desk.turn.events[-1]) is AnsweredIdly
    desk.ask("ada#1", 2, Release("home", PROTECTED, 0, False))
    assert desk.ask("bo#2", 1, claim()) == [held], "the same request, the same answer"


def test_a_session_has_256_unacknowledged_requests_at_most(desk):
    for number in range(1, 257):
        desk.ask("ada#1", number, Release("home", PROTECTED, 0, False))
    before = desk.state()
    (busy,) = desk.ask("ada#1", 257, claim())
    assert busy == BusyFor(0.05, "too many answers wait to be acknowledged")
    assert desk.state() == before
    assert type(desk.ask("bo#2", 1, claim())[0]) is Granted


def test_what_the_next_request_acknowledges_makes_room_for_it(desk):
    for number in range(1, 257):
        desk.ask("ada#1", number, Release("home", PROTECTED, 0, False))
    (granted,) = desk.ask("ada#1", 257, claim(), received=256)
    assert type(granted) is Granted


def test_answers_are_bounded_in_bytes():
    desk = Desk(max_memory_bytes=500)
    number = 0
    while desk.kernel.memory.n_bytes < 500:
        number += 1
        desk.ask("ada#1", number, claim(f"{number}.py"))
    assert type(desk.ask("bo#2", 1, claim("z.py"))[0]) is BusyFor
    assert type(desk.ask("ada#1", number + 1, claim("y.py"), received=number)[0]) is Granted
    assert type(desk.ask("bo#2", 1, claim("z.py"))[0]) is Granted


def test_a_request_given_up_before_it_arrives_is_refused(desk):
    desk.ask("ada#1", 2, claim("b.py"), abandoned=[1])
    assert code_of(desk.ask("ada#1", 1, claim("a.py"))) == "misuse"
    assert type(desk.ask("bo#2", 1, claim("a.py"))[0]) is Granted


def test_a_grant_that_was_given_up_is_released(desk):
    desk.ask("ada#1", 1, claim("a.py", "c.py"))
    desk.ask("ada#1", 2, claim("b.py"), abandoned=[1])
    assert type(desk.ask("bo#2", 1, claim("a.py", "c.py"))[0]) is Granted
    assert code_of(desk.ask("ada#1", 1, claim("a.py", "c.py"))) == "misuse"


def test_a_renewal_that_was_given_up_stays(desk):
    desk.ask("ada#1", 1, claim())
    (renewed,) = desk.ask("ada#1", 2, claim())
    assert renewed.renewed
    desk.ask("ada#1", 3, claim("b.py"), abandoned=[2])
    assert type(desk.ask("bo#2", 1, claim())[0]) is Held


def test_giving_up_is_heard_with_a_heartbeat_and_with_a_query(desk):
    desk.ask("ada#1", 1, claim())
    desk.ask("ada#1", 0, Heartbeat(0), abandoned=[1])
    assert type(desk.ask("bo#2", 1, claim())[0]) is Granted
    desk.ask("bo#2", 0, Sync("home", 5), abandoned=[1])
    assert type(desk.ask("cy#3", 1, claim())[0]) is Granted


def test_nobody_gives_up_the_requests_of_others(desk):
    desk.ask("ada#1", 1, claim())
    assert code_of(desk.ask("ada#1", 0, Sync("home", 5), abandoned=[1], token="x" * 32)) == "unknown_agent"
    desk.ask("bo#2", 1, claim("b.py"), abandoned=[2])
    assert type(desk.ask("bo#2", 3, claim())[0]) is Held


def test_a_full_session_can_still_give_up(desk):
    desk.ask("ada#1", 1, claim())
    for number in range(2, 257):
        desk.ask("ada#1", number, Release("home", ("x.py",), 0, False))
    desk.ask("ada#1", 0, Heartbeat(0), abandoned=[1])
    assert type(desk.ask("bo#2", 1, claim())[0]) is Granted


def test_a_waiter_that_is_given_up_leaves_at_once_and_its_caller_is_told(desk):
    desk.ask("ada#1", 1, claim())
    assert desk.ask("bo#2", 1, claim(wait_s=60.0)) is None
    waiting_slot = desk.slot
    assert desk.ask("cy#3", 1, claim(wait_s=60.0)) is None
    next_slot = desk.slot
    desk.ask("bo#2", 2, claim("b.py"), abandoned=[1])
    assert code_of(desk.sent[waiting_slot]) == "misuse"
    desk.ask("ada#1", 2, Release("home", PROTECTED, 0, False))
    assert type(desk.sent[next_slot][0]) is Granted


def test_a_waiter_that_is_given_up_in_the_turn_that_serves_it_keeps_nothing(desk):
    desk.ask("ada#1", 1, claim())
    desk.ask("bo#2", 1, claim(wait_s=60.0))
    desk.send(
        desk.envelope("ada#1", 2, Release("home", PROTECTED, 0, False)),
        desk.envelope("bo#2", 0, Sync("home", 1), abandoned=[1]),
    )
    assert type(desk.ask("cy#3", 1, claim())[0]) is Granted


def test_a_waiting_caller_is_answered_when_its_session_ends(desk):
    desk.ask("ada#1", 1, claim())
    assert desk.ask("bo#2", 1, claim(wait_s=60.0)) is None
    slot = desk.slot
    desk.ask("bo#2", 2, Goodbye())
    assert code_of(desk.sent[slot]) == "unknown_agent"
    desk.send()
    assert desk.kernel.take_slots() == {}


def test_a_waiting_caller_is_answered_when_its_session_expires(desk):
    desk.ask("ada#1", 1, claim())
    desk.ask("bo#2", 1, claim(wait_s=60.0))
    slot = desk.slot
    desk.ask("ada#1", 0, Heartbeat(0), now=29.0)
    desk.send(now=30.0)
    assert code_of(desk.sent[slot]) == "unknown_agent"


def test_a_session_that_ends_is_forgotten(desk):
    desk.ask("ada#1", 1, claim())
    (farewell,) = desk.ask("ada#1", 2, Goodbye())
    assert farewell == Farewell(1)
    assert type(desk.turn.events[-1]) is Forgotten
    assert desk.kernel.memory.n_bytes == 0
    assert code_of(desk.ask("ada#1", 2, Goodbye())) == "unknown_agent"


def test_nothing_is_done_for_a_session_after_its_goodbye_in_one_request(desk):
    farewell, *refused = desk.ask("ada#1", 1, Goodbye(), claim(), Goodbye())
    assert farewell == Farewell(0)
    assert [answer.code for answer in refused] == ["unknown_agent"] * 2
    assert type(desk.ask("bo#2", 1, claim())[0]) is Granted


def test_answers_survive_a_replay(desk):
    first = desk.ask("ada#1", 1, claim())
    desk.kernel = desk.replayed()
    assert desk.ask("ada#1", 1, claim(), now=3.0) == first
    assert desk.turn.events == []


def test_giving_up_survives_a_replay(desk):
    desk.ask("ada#1", 2, claim("b.py"), abandoned=[1])
    desk.kernel = desk.replayed()
    assert code_of(desk.ask("ada#1", 1, claim("a.py"))) == "misuse"


def test_a_parked_request_gets_its_answer_when_it_is_run_again_after_a_restart(desk):
    desk.ask("ada#1", 1, claim())
    assert desk.ask("bo#2", 1, claim(wait_s=60.0)) is None
    assert type(desk.turn.events[-1]) is Parked
    desk.kernel = desk.replayed()
    assert desk.ask("bo#2", 1, claim(wait_s=60.0), now=1.0) is None
    slot = desk.slot
    assert desk.turn.events == []
    desk.ask("ada#1", 2, Release("home", PROTECTED, 0, False), now=2.0)
    assert type(desk.sent[slot][0]) is Granted


def test_a_parked_request_that_was_served_meanwhile_has_its_answer_waiting(desk):
    desk.ask("ada#1", 1, claim())
    desk.ask("bo#2", 1, claim(wait_s=60.0))
    desk.kernel = desk.replayed()
    desk.ask("ada#1", 2, Release("home", PROTECTED, 0, False), now=2.0)
    (granted,) = desk.ask("bo#2", 1, claim(wait_s=60.0), now=3.0)
    assert type(granted) is Granted


def test_every_call_of_a_waiting_request_gets_the_answer(desk):
    desk.ask("ada#1", 1, claim())
    envelope = desk.envelope("bo#2", 1, claim(wait_s=60.0))
    desk.send(envelope, envelope)
    slots = [desk.slot - 1, desk.slot]
    desk.ask("ada#1", 2, Release("home", PROTECTED, 0, False))
    assert desk.sent[slots[0]] == desk.sent[slots[1]]
    assert type(desk.sent[slots[0]][0]) is Granted


def test_calls_of_one_waiting_request_are_bounded(desk):
    desk.ask("ada#1", 1, claim())
    first = desk.slot + 1
    for _ in range(MAX_SLOTS_OF_TICKET + 1):
        desk.ask("bo#2", 1, claim(wait_s=60.0))
    assert type(desk.sent[first][0]) is BusyFor
    assert [len(slots) for slots in desk.kernel.take_slots().values()] == [MAX_SLOTS_OF_TICKET]


def test_calls_that_a_lost_turn_answered_wait_again(desk):
    desk.ask("ada#1", 1, claim())
    desk.ask("bo#2", 1, claim(wait_s=60.0))
    waiting, successor = desk.slot, desk.replayed()
    desk.ask("ada#1", 2, Release("home", PROTECTED, 0, False))
    assert desk.sent.pop(waiting)
    assert successor.adopt(desk.kernel.take_slots()) == []
    desk.kernel = successor
    desk.ask("ada#1", 2, Release("home", PROTECTED, 0, False))
    assert type(desk.sent[waiting][0]) is Granted


def test_a_waiting_request_times_out_with_its_answer(desk):
    desk.ask("ada#1", 1, claim())
    desk.ask("bo#2", 1, claim(wait_s=5.0))
    slot = desk.slot
    desk.send(now=4.9)
    assert slot not in desk.sent
    desk.send(now=5.0)
    assert desk.sent[slot][0].reason == "timeout"
    assert desk.ask("bo#2", 1, claim(wait_s=5.0), now=6.0) == desk.sent[slot]


def test_signs_of_life_come_before_expiry_and_expiry_before_the_rest(desk):
    desk.ask("ada#1", 1, claim("a.py"))
    desk.ask("bo#2", 1, claim("b.py"))
    late, alive, overdue, kept = desk.send(
        desk.envelope("cy#3", 0, Check("home", "b.py", 2, "bo#2")),
        desk.envelope("ada#1", 0, Heartbeat(0)),
        desk.envelope("bo#2", 2, claim("c.py")),
        desk.envelope("cy#3", 0, Check("home", "a.py", 1, "ada#1")),
        now=30.0,
    )
    assert type(alive[0]) is Alive
    assert not late[0].holds
    assert code_of(overdue) == "unknown_agent"
    assert kept[0].holds
    assert desk.turn.durable, "the expiry is committed before an answer shows it"


def test_a_command_that_may_wait_travels_alone(desk):
    before = desk.state()
    answers = desk.ask("ada#1", 1, claim("a.py"), claim("b.py", wait_s=1.0))
    assert [answer.code for answer in answers] == ["misuse", "misuse"]
    assert desk.state() == before


def test_a_long_poll_takes_no_number(desk):
    assert code_of(desk.ask("ada#1", 1, Watch("home", 0, 10.0))) == "misuse"


def test_a_long_poll_is_answered_by_what_happens_and_else_by_its_time(desk):
    assert desk.ask("", 0, Watch("home", 0, 10.0)) is None
    slot = desk.slot
    desk.ask("ada#1", 1, claim())
    assert desk.sent[slot][0].changes[0].what == "claimed"
    assert desk.ask("", 0, Watch("home", 1, 10.0)) is None
    desk.send(now=10.0)
    assert desk.sent[desk.slot][0] == Changes(1, False, ())


def test_a_mutating_command_without_a_number_is_misuse_and_the_rest_goes_on(desk):
    refused, view, alive = desk.ask("ada#1", 0, claim(), Sync("home", 5), Heartbeat(0))
    assert (refused.code, type(view), type(alive)) == ("misuse", FieldView, Alive)
    assert view.n_claims == 0


def test_queries_need_no_token_and_a_wrong_one_changes_nothing(desk):
    assert type(desk.ask("", 0, Check("home", "a.py", 0, ""))[0]) is Checked
    before = desk.state()
    assert code_of(desk.ask("ada#1", 1, claim(), token="x" * 32)) == "unknown_agent"
    assert code_of(desk.ask("nobody#9", 1, claim(), token="x" * 32)) == "unknown_agent"
    assert desk.state() == before


def test_registering_needs_no_session_and_the_same_token_is_the_same_session(desk):
    register = Register("dee", "d" * 32, "", "heartbeat", 30.0)
    (first,) = desk.ask("", 0, register)
    assert first == Registered("dee#4", 30.0)
    assert desk.ask("", 0, register) == [first]
    assert desk.turn.events == []


def test_commands_of_an_envelope_are_answered_in_order_each_for_itself(desk):
    granted, failed, released = desk.ask(
        "ada#1", 1, claim("a.py"), claim("../a.py"), Release("home", ("a.py",), 0, False)
    )
    assert type(granted) is Granted
    assert failed.code == "bad_target"
    assert released == Released(1, ())


def test_envelopes_of_one_turn_are_answered_each_for_itself(desk):
    good, malformed, held = desk.send(
        desk.envelope("ada#1", 1, claim()),
        [*desk.envelope("bo#2", 1, claim(), claim("x.py"))[:5], [["claim"], ["claim"]]],
        desk.envelope("cy#3", 1, claim()),
    )
    assert type(good[0]) is Granted
    assert [answer.code for answer in malformed] == ["wire", "wire"]
    assert held[0].conflicts[0].holder == "ada#1"


def test_an_undone_request_is_undone_from_its_end(desk):
    desk.ask("ada#1", 1, claim("a.py"), claim("b.py"))
    desk.ask("ada#1", 0, Heartbeat(0), abandoned=[1])
    ended = [event.lease_id for event in desk.turn.events if type(event).__name__ == "LeaseEnded"]
    assert ended == [2, 1]
    assert type(desk.turn.events[-1]) is Abandoned


def test_a_transfer_is_not_undone(desk):
    desk.ask("ada#1", 1, claim())
    desk.ask("ada#1", 2, Transfer("home", 1, "bo#2", ""))
    desk.ask("ada#1", 0, Heartbeat(0), abandoned=[2])
    assert desk.ask("", 0, Check("home", "a.py", 2, "bo#2"))[0].holds


def test_an_error_of_any_length_is_cut(desk):
    (failed,) = desk.ask("ada#1", 1, claim("a/" * 2_000 + "\x00"))
    assert len(failed.message) <= 4096


def test_calls_that_wait_move_to_the_kernel_that_takes_over(desk):
    desk.ask("ada#1", 1, claim())
    desk.ask("bo#2", 1, claim(wait_s=60.0))
    waiting, watching = desk.slot, desk.slot + 1
    desk.ask("", 0, Watch("home", 2, 30.0))
    successor = desk.replayed()
    assert successor.adopt(desk.kernel.take_slots()) == [watching], "a long poll is no state"
    desk.kernel = successor
    desk.ask("ada#1", 2, Release("home", PROTECTED, 0, False), now=2.0)
    assert type(desk.sent[waiting][0]) is Granted


def test_replay_gives_the_same_state(desk):
    desk.ask("ada#1", 1, claim("a.py", "src/"), Progress("home", "a.py", 0.3, 0.5))
    desk.ask("bo#2", 1, claim("src/x.py", wait_s=60.0))
    desk.ask("bo#2", 2, claim("a.py"), abandoned=[5])
    assert list(desk.replayed().snapshot()) == desk.state()
    restored = Kernel(Coordination(FieldLimits(lock_delay_s=2.0)))
    restored.restore(unpack_own(pack(desk.state())))
    restored.machine.wake(at(0.0))
    restored.check_invariants()
    assert list(restored.snapshot()) == desk.state()


def test_a_refusal_by_thousands_of_claims_can_be_replayed(desk):
    for batch in range(25):
        targets = [f"{batch}/{n}.py" for n in range(200)]
        desk.ask("ada#1", batch + 1, *(claim(target) for target in targets), received=batch)
    (held,) = desk.ask("bo#2", 1, claim("./"))
    assert held.n_more == 4_980
    assert list(desk.replayed().snapshot()) == desk.state()


def test_who_is_turned_away_for_a_limit_may_come_again_with_the_same_number():
    desk = Desk(max_leases=1)
    desk.ask("ada#1", 1, claim("a.py"))
    before = desk.state()
    assert type(desk.ask("bo#2", 1, claim("b.py"))[0]) is BusyFor
    assert desk.state() == before
    desk.ask("ada#1", 2, Release("home", ("a.py",), 0, False))
    (granted,) = desk.ask("bo#2", 1, claim("b.py"))
    assert type(granted) is Granted
    assert desk.ask("bo#2", 1, claim("b.py")) == [granted]


def test_one_limit_of_several_commands_is_an_answer_that_stays():
    desk = Desk(max_leases=1)
    answers = desk.ask("ada#1", 1, claim("a.py"), claim("b.py"))
    assert [type(answer) for answer in answers] == [Granted, BusyFor]
    assert desk.ask("ada#1", 1, claim("a.py"), claim("b.py")) == answers
