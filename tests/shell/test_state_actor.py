"""The state actor on an event loop of its own, without Ray."""

import asyncio
import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from actors.coordination.messages import SCHEMA, Alive, Heartbeat
from actors.runtime.actor import FENCED_EXIT, ActorConfig, StateActor
from actors.runtime.journal import Journal, Store, sqlite_url
from actors.runtime.settings import MailboxLimits
from actors.runtime.wire import decode_reply, encode_request
from actors.scent_field.messages import Changes, Claim, Granted, Held, Progress, Watch
from actors.sessions.messages import Goodbye, ListSessions, Register, Registered

pytestmark = pytest.mark.usefixtures("usual_collector")

TOKEN = "a" * 16
REPOSITORY = Path(__file__).parents[2]


def config_in(folder, **rest):
    return ActorConfig(
        domain="scent_field",
        machine="actors.coordination.factory:make_coordination",
        store_url=sqlite_url(folder / "field.db"),
        options={"lock_delay_s": 0.0},
        **rest,
    )


def request(session, number, *commands, token=TOKEN):
    return encode_request([(session, token, number, 0, [], [SCHEMA.wire_of(command) for command in commands])])


async def ask(actor, session, number, *commands, token=TOKEN):
    raw = await asyncio.wait_for(actor.submit(request(session, number, *commands, token=token)), 30.0)
    answers = decode_reply(raw, SCHEMA)[0]
    return answers[0] if len(answers) == 1 else answers


def claim(target, wait_s=0.0):
    return Claim("home", (target,), "exclusive", wait_s, "")


def run(story):
    return asyncio.run(story())


def test_calls_that_arrive_together_share_a_commit(tmp_path):
    async def story():
        actor = StateActor(config_in(tmp_path))
        await ask(actor, "", 0, Register("ada", TOKEN, "", "heartbeat", 30.0))
        before = await actor.describe()
        answers = await asyncio.gather(*(ask(actor, "ada#1", number, claim(f"{number}.py")) for number in range(1, 51)))
        after = await actor.describe()
        assert all(type(answer) is Granted for answer in answers)
        assert after["largest_batch"] == 50
        assert after["n_commits"] - before["n_commits"] == 1
        assert after["seq"] == 2

    run(story)


def test_a_caller_who_asks_alone_is_served_at_once_and_others_wait_for_each_other(tmp_path):
    async def story():
        actor = StateActor(config_in(tmp_path))
        for name in ("ada", "bo"):
            await ask(actor, "", 0, Register(name, name[0] * 16, "", "heartbeat", 30.0))

        async def n_rounds_of(session, number):
            """How often the loop goes round until the answer is there."""
            envelope = (session, session[0] * 16, number, number - 1, [], [SCHEMA.wire_of(claim(f"{session}{number}"))])
            call = asyncio.ensure_future(actor.submit(encode_request([envelope])))
            n_rounds = 0
            while not call.done():
                n_rounds += 1
                await asyncio.sleep(0)
            assert type(decode_reply(call.result(), SCHEMA)[0][0]) is Granted
            return n_rounds

        first = await n_rounds_of("ada#1", 1)
        assert await n_rounds_of("ada#1", 2) < first
        assert await n_rounds_of("bo#2", 1) == first
        assert await n_rounds_of("ada#1", 3) == first

    run(story)


def test_one_of_many_wins(tmp_path):
    async def story():
        actor = StateActor(config_in(tmp_path))
        for number in range(8):
            await ask(actor, "", 0, Register("ada", str(number) * 16, "", "heartbeat", 30.0))
        answers = await asyncio.gather(
            *(ask(actor, f"ada#{n + 1}", 1, claim("a.py"), token=str(n) * 16) for n in range(8))
        )
        assert [type(answer) for answer in answers] == [Granted] + [Held] * 7

    run(story)


def test_the_timer_ends_sessions_without_anybody_asking(tmp_path):
    async def story():
        actor = StateActor(config_in(tmp_path))
        await ask(actor, "", 0, Register("ada", TOKEN, "", "heartbeat", 1.0))
        await ask(actor, "", 0, Register("bo", "b" * 16, "", "heartbeat", 60.0))
        await ask(actor, "ada#1", 1, claim("a.py"))
        began_s = time.monotonic()
        granted = await ask(actor, "bo#2", 1, claim("a.py", wait_s=30.0), token="b" * 16)
        assert granted.generation == 2
        assert 0.5 < time.monotonic() - began_s < 20.0
        sessions = await ask(actor, "", 0, ListSessions(10))
        assert [row.session_id for row in sessions.rows] == ["bo#2"]

    run(story)


def test_relaxed_facts_are_committed_by_the_timer(tmp_path):
    async def story():
        actor = StateActor(config_in(tmp_path, limits=MailboxLimits(relaxed_s=0.05)))
        await ask(actor, "", 0, Register("ada", TOKEN, "", "decay", 30.0))
        await ask(actor, "ada#1", 1, Progress("home", "a.py", 0.3, 0.0))
        assert (await actor.describe())["seq"] == 1
        deadline_s = time.monotonic() + 30.0
        while (await actor.describe())["seq"] == 1:
            assert time.monotonic() < deadline_s
            await asyncio.sleep(0.01)

    run(story)


def test_a_long_poll_times_out_and_others_are_served_meanwhile(tmp_path):
    async def story():
        actor = StateActor(config_in(tmp_path))
        watching = asyncio.create_task(ask(actor, "", 0, Watch("home", 0, 0.3)))
        await ask(actor, "", 0, Register("ada", TOKEN, "", "heartbeat", 30.0))
        assert type(await ask(actor, "ada#1", 0, Heartbeat(0))) is Alive
        assert not watching.done()
        assert await watching == Changes(0, False, ())
        watching = asyncio.create_task(ask(actor, "", 0, Watch("home", 0, 30.0)))
        await ask(actor, "ada#1", 1, claim("a.py"))
        assert (await watching).changes[0].what == "claimed"

    run(story)


def test_a_caller_that_is_cancelled_disturbs_nobody(tmp_path):
    async def story():
        actor = StateActor(config_in(tmp_path))
        await ask(actor, "", 0, Register("ada", TOKEN, "", "heartbeat", 30.0))
        doomed = asyncio.create_task(ask(actor, "ada#1", 1, claim("a.py")))
        other = asyncio.create_task(ask(actor, "ada#1", 2, claim("b.py")))
        await asyncio.sleep(0)
        doomed.cancel()
        assert type(await other) is Granted

    run(story)


def test_a_restart_serves_what_was_there(tmp_path):
    async def first():
        actor = StateActor(config_in(tmp_path))
        await ask(actor, "", 0, Register("ada", TOKEN, "", "heartbeat", 30.0))
        return await ask(actor, "ada#1", 1, claim("a.py")), await actor.describe()

    granted, described = run(first)

    async def second():
        actor = StateActor(config_in(tmp_path, store_id=described["store_id"]))
        assert await ask(actor, "ada#1", 1, claim("a.py")) == granted
        again = await actor.describe()
        assert (again["epoch"], again["store_id"], again["n_replayed_rows"]) == (2, described["store_id"], 2)
        assert (again["pid"], again["trouble"], again["n_unanswered"]) == (os.getpid(), None, 0)

    run(second)


def test_a_store_of_another_cluster_is_answered_corrupt(tmp_path):
    async def story():
        actor = StateActor(config_in(tmp_path, store_id="not-this-one"))
        answer = await ask(actor, "", 0, Register("ada", TOKEN, "", "heartbeat", 30.0))
        assert answer.code == "corrupt"
        assert (await actor.describe())["trouble"][0] == "corrupt"

    run(story)
    assert list(tmp_path.iterdir()) == []


def test_draining_answers_the_queue_and_commits_what_is_relaxed(tmp_path):
    async def story():
        actor = StateActor(config_in(tmp_path, limits=MailboxLimits(max_batch=2)))
        await ask(actor, "", 0, Register("ada", TOKEN, "", "heartbeat", 30.0))
        pending = [asyncio.create_task(ask(actor, "ada#1", n, Progress("home", "a.py", 0.1, 0.0))) for n in range(1, 6)]
        await asyncio.sleep(0)
        await actor.drain()
        assert [type(answer).__name__ for answer in await asyncio.gather(*pending)] == ["Noted"] * 5
        described = await actor.describe()
        assert described["n_queued"] == 0
        store = Store(sqlite_url(tmp_path / "field.db"), "scent_field")
        assert store.head().seq == described["seq"] >= 2

    run(story)


def test_a_goodbye_frees_the_next_at_once(tmp_path):
    async def story():
        actor = StateActor(config_in(tmp_path))
        await ask(actor, "", 0, Register("ada", TOKEN, "", "heartbeat", 30.0))
        await ask(actor, "", 0, Register("bo", "b" * 16, "", "heartbeat", 30.0))
        await ask(actor, "ada#1", 1, claim("a.py"))
        waiting = asyncio.create_task(ask(actor, "bo#2", 1, claim("a.py", wait_s=30.0), token="b" * 16))
        await asyncio.sleep(0)
        await ask(actor, "ada#1", 2, Goodbye())
        assert type(await waiting) is Granted

    run(story)


def test_a_grown_journal_is_compacted_by_a_child(tmp_path):
    async def story():
        actor = StateActor(config_in(tmp_path, limits=MailboxLimits(compact_after_rows=5)))
        await ask(actor, "", 0, Register("ada", TOKEN, "", "heartbeat", 60.0))
        for number in range(1, 6):
            await ask(actor, "ada#1", number, claim(f"{number}.py"))
        store = Store(sqlite_url(tmp_path / "field.db"), "scent_field")
        deadline_s = time.monotonic() + 60.0
        while not _snapshot_seq(store):
            assert time.monotonic() < deadline_s
            await asyncio.sleep(0.05)
        while actor._compaction.is_running:
            await asyncio.sleep(0.05)
        described = await actor.describe()
        assert (described["n_compactions"], described["n_failed_compactions"]) == (1, 0)
        assert type(await ask(actor, "ada#1", 6, claim("6.py"))) is Granted

    run(story)


def _snapshot_seq(store):
    with store.view() as view:
        return view.snapshot_seq()


FENCED = """
import asyncio, sys
from pathlib import Path
sys.path.insert(0, sys.argv[2])
import test_state_actor as story

async def main():
    actor = story.StateActor(story.config_in(Path(sys.argv[1])))
    answer = await story.ask(actor, "", 0, story.Register("ada", story.TOKEN, "", "heartbeat", 30.0))
    print(type(answer).__name__, flush=True)
    sys.stdin.readline()
    await actor.submit(story.request("ada#1", 1, story.claim("a.py")))
    print("answered", flush=True)

asyncio.run(main())
"""


def test_an_actor_that_was_overtaken_ends_itself_and_answers_nobody(tmp_path):
    command = [sys.executable, "-c", FENCED, str(tmp_path), str(Path(__file__).parent)]
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    with subprocess.Popen(command, cwd=REPOSITORY, text=True, **pipes) as stale:
        assert stale.stdout.readline() == f"{Registered.__name__}\n"
        Journal.open(Store(sqlite_url(tmp_path / "field.db"), "scent_field"), new_store_id="s").close()
        out, err = stale.communicate("go\n", timeout=60)
    assert (stale.returncode, out) == (FENCED_EXIT, "")
    assert FENCED_EXIT == 86
    assert "another writer has opened the store" in err
