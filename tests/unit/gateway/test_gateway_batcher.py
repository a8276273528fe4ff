"""What is asked in one turn travels together, and each caller hears its own answer."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from actors.runtime.errors import Misuse, Unavailable, WireError
from actors.runtime.wire import encode_reply, pack
from actors.scent_field.messages import Check, Claim, Granted, Held
from coordinator.asking import Asker
from coordinator.domain import SCENT_FIELD
from coordinator.gateway.batcher import MAX_CALLS_A_BATCH, Batcher
from coordinator.session import AgentSession, new_token, register
from coordinator.step import drive_async

USUAL_S = 5.0


class CountingLine:
    """Passes calls on and keeps their sizes; `fails` raises instead, `silent` never answers."""

    def __init__(self, line: Any) -> None:
        self.line = line
        self.calls: list[int] = []
        self.fails = False
        self.silent = False

    async def call_async(self, domain: str, raw: bytes, timeout_s: float) -> bytes:
        self.calls.append(len(raw))
        if self.fails:
            raise Unavailable("the line is cut")
        if self.silent:
            await asyncio.Event().wait()
        return bytes(await self.line.call_async(domain, raw, timeout_s))


async def begin(batcher: Batcher, name: str) -> AgentSession:
    return await drive_async(
        register(
            name=name, parent="", kept_by="connection", ttl_s=60.0, token=new_token(), now_s=0.0, timeout_s=USUAL_S
        ),
        batcher,
    )


def ask(batcher: Batcher, session: AgentSession, command: Any, wait_s: float = 0.0) -> Any:
    asker = Asker(SCENT_FIELD, timeout_s=USUAL_S, jitter=lambda: 0.0)
    return drive_async(asker.request(session, command, wait_s=wait_s), batcher)


def claim(target: str, wait_s: float = 0.0) -> Claim:
    return Claim("test", (target,), "exclusive", wait_s, "")


@pytest.fixture
def run(tmp_path: Path, local_line: type) -> Callable[[Callable[[CountingLine, Batcher], Any]], Any]:
    def run(story: Callable[[CountingLine, Batcher], Any]) -> Any:
        async def told() -> Any:
            line = CountingLine(local_line(tmp_path))
            return await story(line, Batcher(line, USUAL_S))

        return asyncio.run(told())

    return run


def test_claims_of_one_turn_are_one_call_and_each_hears_its_own_answer(run: Callable[..., Any]) -> None:
    async def story(line: CountingLine, batcher: Batcher) -> tuple[int, list[Any]]:
        sessions = await asyncio.gather(*(begin(batcher, f"agent-{n}") for n in range(20)))
        line.calls.clear()
        targets = ["same.py", *(f"src/{n}.py" for n in range(18)), "same.py"]
        answers = await asyncio.gather(
            *(ask(batcher, one, claim(target)) for one, target in zip(sessions, targets, strict=True))
        )
        return len(line.calls), [answers, targets]

    n_calls, (answers, targets) = run(story)
    assert n_calls == 1
    assert [type(answer) for answer in answers] == [Granted] * 19 + [Held]
    assert [answer.targets for answer in answers[:19]] == [(target,) for target in targets[:19]]
    assert answers[19].conflicts[0].holder == "agent-0#1"


def test_what_is_wrong_with_one_call_concerns_no_other(run: Callable[..., Any]) -> None:
    async def story(_line: CountingLine, batcher: Batcher) -> list[Any]:
        ann, bob = await begin(batcher, "ann"), await begin(batcher, "bob")
        return await asyncio.gather(
            ask(batcher, ann, claim("a/../b")), ask(batcher, bob, claim("a.py")), return_exceptions=True
        )

    wrong, right = run(story)
    assert isinstance(wrong, Misuse)
    assert isinstance(right, Granted)


def test_a_call_that_waits_travels_alone_and_holds_nobody_up(run: Callable[..., Any]) -> None:
    async def story(_line: CountingLine, batcher: Batcher) -> Any:
        ann, bob = await begin(batcher, "ann"), await begin(batcher, "bob")
        await ask(batcher, ann, claim("a.py"))
        waiting = asyncio.create_task(ask(batcher, bob, claim("a.py", wait_s=60.0), wait_s=60.0))
        other = await ask(batcher, ann, claim("b.py"))
        was_done = waiting.done()
        waiting.cancel()
        return other, was_done

    other, was_done = run(story)
    assert isinstance(other, Granted)
    assert not was_done


def test_a_batch_has_a_limit(run: Callable[..., Any]) -> None:
    async def story(line: CountingLine, batcher: Batcher) -> int:
        ann = await begin(batcher, "ann")
        line.calls.clear()
        conversation = ann.conversations[SCENT_FIELD]
        raw = conversation.unnumbered([Check("test", "a.py", 0, ann.session_id)])
        await asyncio.gather(*(batcher.call_async(SCENT_FIELD, raw, USUAL_S) for _ in range(MAX_CALLS_A_BATCH + 1)))
        return len(line.calls)

    assert run(story) == 2


def test_everybody_of_a_batch_hears_of_a_cut_line(run: Callable[..., Any]) -> None:
    async def story(line: CountingLine, batcher: Batcher) -> list[Any]:
        ann, bob = await begin(batcher, "ann"), await begin(batcher, "bob")
        line.fails = True
        asked = (ask(batcher, ann, claim("a.py")), ask(batcher, bob, claim("b.py")))
        return list(await asyncio.gather(*asked, return_exceptions=True))

    assert [str(error) for error in run(story)] == ["the line is cut"] * 2


def test_a_cancelled_caller_takes_nobody_along(run: Callable[..., Any]) -> None:
    async def story(_line: CountingLine, batcher: Batcher) -> Any:
        ann, bob = await begin(batcher, "ann"), await begin(batcher, "bob")
        first = asyncio.create_task(ask(batcher, ann, claim("a.py")))
        second = asyncio.create_task(ask(batcher, bob, claim("b.py")))
        await asyncio.sleep(0)
        first.cancel()
        return await second

    assert isinstance(run(story), Granted)


def test_no_answer_is_no_permission(run: Callable[..., Any]) -> None:
    async def story(line: CountingLine, batcher: Batcher) -> Any:
        ann = await begin(batcher, "ann")
        line.silent = True
        raw = ann.conversations[SCENT_FIELD].unnumbered([Check("test", "a.py", 0, ann.session_id)])
        await batcher.call_async(SCENT_FIELD, raw, 0.05)

    with pytest.raises(Unavailable, match=r"no answer within 0.05 s: this is no permission"):
        run(story)


def test_a_refusal_of_the_whole_request_is_everybody_s(tmp_path: Path) -> None:
    class Refusing:
        async def call_async(self, *_call: Any) -> bytes:
            return encode_reply([pack([["failed", "misuse", "no"]])])

    async def story() -> list[Any]:
        batcher = Batcher(Refusing(), USUAL_S)  # type: ignore[arg-type]  # this is all that is asked of a line here
        session = AgentSession("ann#1", "t" * 32, "connection", 60.0, 0.0)
        return list(
            await asyncio.gather(*(ask(batcher, session, claim(f"{n}.py")) for n in range(2)), return_exceptions=True)
        )

    assert [str(error) for error in asyncio.run(story())] == ["no", "no"]


def test_what_is_asked_alone_travels_as_it_came(run: Callable[..., Any]) -> None:
    async def story(line: CountingLine, batcher: Batcher) -> list[int]:
        session = await begin(batcher, "ann")
        line.calls.clear()
        raw = session.conversations[SCENT_FIELD].unnumbered([Check("test", "a.py", 0, session.session_id)])
        assert session.conversations[SCENT_FIELD].answers(await batcher.call_async(SCENT_FIELD, raw, USUAL_S), 1)
        with pytest.raises(WireError):
            await batcher.call_async(SCENT_FIELD, b"\xc1", USUAL_S)
        return [*line.calls, len(raw)]

    sent, came = run(story)
    assert sent == came, "and what is no request is not sent at all"
