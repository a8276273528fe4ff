"""The courier on an event loop, and state actors that send each other notes through it, without Ray."""

from __future__ import annotations

import asyncio
import sys
import time
import types

import pytest

from actors.runtime.actor import ActorConfig, StateActor
from actors.runtime.courier import Courier
from actors.runtime.errors import Misuse, Unavailable
from actors.runtime.journal import sqlite_url
from actors.runtime.outbox import BOUNCE, Delivered, Note, Outbox
from actors.runtime.received import SCHEMA, Received
from actors.runtime.wire import BusyFor, Failed, decode_envelope, decode_request, encode_reply, encode_request, pack

pytestmark = pytest.mark.usefixtures("usual_collector")


def note(name):
    return Note(BOUNCE, "ada#1", "home", str(name), "py", "map", 10, 100, 0, 5.0)


class Rig:
    """A courier, the outbox that it empties, and receivers as functions: `receivers[name](deliver) -> answer`.

    `deliveries` are (receiver, number, names) of all that came through the door.
    """

    def __init__(self, **receivers):
        self.outbox = Outbox(lambda event: self.outbox.evolve(event))
        self.receivers = receivers
        self.deliveries = []
        self.confirmed = []
        self.is_committed = True
        self.courier = Courier(
            self.send,
            source=lambda: "quality@s1",
            confirm=self.confirm,
            again=self.carry,
            first_pause_s=0.001,
            max_pause_s=0.004,
            answer_s=0.2,
        )

    def put(self, receiver, first, last):
        for name in range(first, last + 1):
            self.outbox.put(receiver, note(name))

    def carry(self):
        if self.is_committed:
            self.courier.carry(self.outbox)

    def confirm(self, receiver, number):
        self.confirmed.append((receiver, number))
        self.outbox.sent(receiver, number)

    async def send(self, receiver, raw):
        (fields,) = decode_request(raw)
        envelope = decode_envelope(fields, SCHEMA)
        (deliver,) = envelope.commands
        assert (envelope.number, deliver.source) == (0, "quality@s1")
        self.deliveries.append((receiver, deliver.number, [int(one.path) for one in deliver.notes]))
        answer = self.receivers[receiver](deliver)
        if asyncio.iscoroutine(answer):
            answer = await answer
        return encode_reply([pack([SCHEMA.wire_of(answer)])])

    async def until(self, condition):
        deadline_s = time.monotonic() + 30.0
        while not condition():
            assert time.monotonic() < deadline_s
            await asyncio.sleep(0.001)

    def account(self, receiver="field"):
        return self.courier.describe()[receiver]


def takes_all(deliver):
    return Delivered(deliver.number)


class Fickle:
    """Answers with each of `answers` once, raises those that are errors, then takes all."""

    def __init__(self, *answers):
        self.answers = list(answers)

    def __call__(self, deliver):
        answer = self.answers.pop(0) if self.answers else takes_all(deliver)
        if isinstance(answer, Exception):
            raise answer
        return answer


def test_what_waits_is_delivered_200_at_a_time_until_nothing_is_left():
    async def story():
        rig = Rig(field=takes_all)
        rig.put("field", 1, 450)
        rig.carry()
        await rig.until(lambda: rig.confirmed == [("field", 200), ("field", 400), ("field", 450)])
        assert [names[0] for _, _, names in rig.deliveries] == [1, 201, 401]
        assert rig.account() == {"n_delivered": 450, "n_failed": 0, "trouble": ""}

    asyncio.run(story())


def test_one_delivery_is_on_its_way_at_a_time():
    async def story():
        gate = asyncio.Event()

        async def slow(deliver):
            await gate.wait()
            return Delivered(deliver.number)

        rig = Rig(field=slow)
        rig.put("field", 1, 1)
        rig.carry()
        await rig.until(lambda: rig.deliveries)
        rig.put("field", 2, 3)
        for _ in range(3):
            rig.carry()
            await asyncio.sleep(0.001)
        assert rig.deliveries == [("field", 1, [1])]
        gate.set()
        await rig.until(lambda: rig.confirmed == [("field", 1), ("field", 3)])
        assert rig.deliveries == [("field", 1, [1]), ("field", 3, [2, 3])]

    asyncio.run(story())


def test_a_receiver_that_is_not_there_is_tried_again_until_it_is():
    async def story():
        rig = Rig(field=Fickle(*[Unavailable("there is no actor 'field'")] * 5))
        rig.put("field", 1, 2)
        rig.carry()
        await rig.until(lambda: rig.account()["n_failed"] == 1)
        assert rig.account()["trouble"] == "Unavailable: there is no actor 'field'"
        await rig.until(lambda: rig.confirmed)
        assert rig.deliveries == [("field", 2, [1, 2])] * 6
        assert rig.account() == {"n_delivered": 2, "n_failed": 5, "trouble": ""}

    asyncio.run(story())


def test_pauses_double_up_to_a_limit_and_begin_anew_after_a_success():
    async def story():
        rig = Rig(field=Fickle(*[Unavailable("no")] * 5))
        pauses = []
        fail = rig.courier._failed
        rig.courier._failed = lambda *arguments: pauses.append(fail(*arguments)) or pauses[-1]
        rig.put("field", 1, 1)
        rig.carry()
        await rig.until(lambda: rig.confirmed)
        assert pauses == [0.001, 0.002, 0.004, 0.004, 0.004]
        rig.receivers["field"] = Fickle(Unavailable("no"))
        rig.put("field", 2, 2)
        rig.carry()
        await rig.until(lambda: len(rig.confirmed) == 2)
        assert pauses[5:] == [0.001]

    asyncio.run(story())


def test_notes_that_come_while_a_receiver_is_away_go_along_with_the_next_try():
    async def story():
        rig = Rig(field=Fickle(Unavailable("no")))
        rig.put("field", 1, 1)
        rig.carry()
        await rig.until(lambda: rig.account()["n_failed"] == 1)
        rig.put("field", 2, 2)
        await rig.until(lambda: rig.confirmed)
        assert rig.deliveries == [("field", 1, [1]), ("field", 2, [1, 2])]

    asyncio.run(story())


def test_between_tries_the_sender_is_asked_what_it_still_may_send():
    async def story():
        rig = Rig(field=Fickle(Unavailable("no")))
        rig.put("field", 1, 1)
        rig.carry()
        rig.is_committed = False  # as it is for a mailbox in trouble
        await rig.until(lambda: rig.account()["n_failed"] == 1)
        await asyncio.sleep(0.05)
        assert rig.deliveries == [("field", 1, [1])]
        rig.is_committed = True
        rig.carry()
        await rig.until(lambda: rig.confirmed == [("field", 1)])

    asyncio.run(story())


def test_a_receiver_that_fails_holds_up_no_other():
    async def story():
        async def silent(_deliver):
            await asyncio.Event().wait()

        rig = Rig(field=silent, thresholds=takes_all)
        rig.put("field", 1, 1)
        rig.put("thresholds", 2, 250)
        rig.carry()
        await rig.until(lambda: rig.confirmed == [("thresholds", 200), ("thresholds", 249)])
        assert rig.account("thresholds")["n_failed"] == 0

    asyncio.run(story())


def test_a_receiver_that_does_not_answer_in_time_is_tried_again():
    async def story():
        async def silent(_deliver):
            await asyncio.Event().wait()

        rig = Rig(field=silent)
        rig.put("field", 1, 1)
        rig.carry()
        await rig.until(lambda: rig.account()["n_failed"] == 1)
        assert rig.account()["trouble"].startswith("TimeoutError")
        rig.receivers["field"] = takes_all
        await rig.until(lambda: rig.confirmed == [("field", 1)])

    asyncio.run(story())


@pytest.mark.parametrize(
    ("answer", "trouble"),
    [
        (BusyFor(0.05, "2000 requests are queued"), "Busy: 2000 requests are queued"),
        (Failed("unavailable", "the disk is full"), "Unavailable: the disk is full"),
        (ValueError("odd"), "ValueError: odd"),
    ],
)
def test_whatever_keeps_a_receiver_from_taking_notes_they_are_kept(answer, trouble):
    async def story():
        rig = Rig(field=Fickle(answer))
        rig.put("field", 1, 1)
        rig.carry()
        await rig.until(lambda: rig.account()["n_failed"] == 1)
        assert rig.account()["trouble"] == trouble
        await rig.until(lambda: rig.confirmed == [("field", 1)])
        assert len(rig.deliveries) == 2

    asyncio.run(story())


def test_a_receiver_that_has_lost_its_store_is_told_where_the_notes_go_on():
    async def story():
        received = Received(lambda event: received.evolve(event))
        heard = []

        def field(deliver):
            try:
                heard.extend(int(one.path) for one in received.new_notes(deliver))
            except Misuse as error:
                return Failed(error.code, error.message)
            return received.answer(deliver)

        rig = Rig(field=field)
        rig.put("field", 1, 3)
        rig.outbox.sent("field", 2)
        rig.carry()
        await rig.until(lambda: rig.confirmed == [("field", 3)])
        assert rig.deliveries == [("field", 3, [3]), ("field", 2, []), ("field", 3, [3])]
        assert heard == [3]
        assert rig.account()["n_failed"] == 0

    asyncio.run(story())


def test_a_receiver_that_refuses_for_good_is_asked_again_and_again_and_loses_nothing():
    async def story():
        rig = Rig(field=Fickle(*[Failed("wire", "unknown command 'deliver'")] * 6))
        rig.put("field", 1, 3)
        rig.carry()
        await rig.until(lambda: rig.account()["n_failed"] == 3)
        assert rig.account()["trouble"] == "WireError: unknown command 'deliver'"
        await rig.until(lambda: rig.confirmed == [("field", 3)])

    asyncio.run(story())


# State actors


@pytest.fixture
def actors(monkeypatch):
    """The actors of a namespace by name, and a module that finds them as Ray would."""
    house = {}

    def find(namespace):
        async def send(receiver, raw):
            if receiver not in house[namespace]:
                raise Unavailable(f"there is no actor {receiver!r}")
            return await house[namespace][receiver].submit(raw)

        return send

    monkeypatch.setitem(sys.modules, "a_house_of_actors", types.SimpleNamespace(find=find))
    return house.setdefault("home", {})


@pytest.fixture
def toys():
    """The toy machines of the mailbox' tests."""
    from importlib.util import module_from_spec, spec_from_file_location
    from pathlib import Path

    spec = spec_from_file_location("outbox_toys", Path(__file__).with_name("test_outbox_delivery.py"))
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture
def start(actors, toys, tmp_path, monkeypatch):
    """`start("quality", "Sender")` makes an actor, or makes it anew."""
    monkeypatch.setitem(sys.modules, "outbox_toys", toys)

    def start(name, machine):
        actors[name] = StateActor(
            ActorConfig(
                domain=name,
                machine=f"outbox_toys:{machine}",
                store_url=sqlite_url(tmp_path / f"{name}.db"),
                courier="a_house_of_actors:find",
                courier_options={"namespace": "home"},
            )
        )
        return actors[name]

    return start


async def ask(actor, schema, command):
    raw = encode_request([("", "", 0, 0, [], [schema.wire_of(command)])])
    return await asyncio.wait_for(actor.submit(raw), 30.0)


async def until_heard(actor, names):
    deadline_s = time.monotonic() + 30.0
    while actor._mailbox.kernel.machine.heard != names:
        assert time.monotonic() < deadline_s, actor._mailbox.kernel.machine.heard
        await asyncio.sleep(0.005)


async def until_told(actor, deliveries):
    """The sender knows of a delivery only once its answer is back, after the receiver has heard."""
    deadline_s = time.monotonic() + 30.0
    while (told := (await actor.describe())["deliveries"]) != deliveries:
        assert time.monotonic() < deadline_s, told
        await asyncio.sleep(0.005)


def test_an_actor_sends_what_it_has_committed_to_another(start, toys):
    async def story():
        sender, field = start("quality", "Sender"), start("field", "Receiver")
        await ask(sender, toys.Sender.schema, toys.Tell(1, 300, "field"))
        await until_heard(field, list(range(1, 301)))
        await ask(sender, toys.Sender.schema, toys.Mention(301, 302, "field"))
        await until_heard(field, list(range(1, 303)))
        await until_told(sender, {"field": {"n_delivered": 302, "n_failed": 0, "trouble": ""}})
        described = await sender.describe()
        assert (await field.describe())["deliveries"] == {}
        source = f"quality@{described['store_id']}"
        assert list(field._mailbox.kernel.machine.received.rows()) == [[source, 302]]

    asyncio.run(story())


def test_a_receiver_that_starts_later_gets_all_of_it(start, toys):
    async def story():
        sender = start("quality", "Sender")
        await ask(sender, toys.Sender.schema, toys.Tell(1, 3, "field"))
        await ask(sender, toys.Sender.schema, toys.Tell(4, 4, "field"))
        await asyncio.sleep(0.05)
        assert (await sender.describe())["deliveries"]["field"]["trouble"] == "Unavailable: there is no actor 'field'"
        await until_heard(start("field", "Receiver"), [1, 2, 3, 4])

    asyncio.run(story())


def test_a_restart_of_either_delivers_what_is_missing_and_nothing_twice(start, toys):
    async def first():
        sender, field = start("quality", "Sender"), start("field", "Receiver")
        await ask(sender, toys.Sender.schema, toys.Tell(1, 2, "field"))
        await until_heard(field, [1, 2])

    async def second():
        sender = start("quality", "Sender")
        await ask(sender, toys.Sender.schema, toys.Tell(3, 3, "field"))

    async def third():
        start("quality", "Sender")
        await until_heard(start("field", "Receiver"), [1, 2, 3])

    asyncio.run(first())
    asyncio.run(second())
    asyncio.run(third())


def test_callers_do_not_wait_for_a_receiver(start, toys, actors):
    async def story():
        class Silent:
            async def submit(self, _raw):
                await asyncio.Event().wait()

        actors["field"] = Silent()
        sender = start("quality", "Sender")
        for name in range(1, 20):
            await ask(sender, toys.Sender.schema, toys.Tell(name, name, "field"))
        assert len(sender._mailbox.kernel.machine.told) == 19

    asyncio.run(story())


def test_without_a_courier_notes_wait(toys, tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "outbox_toys", toys)

    async def story():
        url = sqlite_url(tmp_path / "quality.db")
        sender = StateActor(ActorConfig(domain="quality", machine="outbox_toys:Sender", store_url=url))
        await ask(sender, toys.Sender.schema, toys.Tell(1, 2, "field"))
        assert len(sender._mailbox.outbox.pending("field").notes) == 2
        assert (await sender.describe())["deliveries"] == {}

    asyncio.run(story())
