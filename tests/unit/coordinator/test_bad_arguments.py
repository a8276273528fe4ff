"""Arguments that no request can carry, or that mean nothing: a clear error, no change, and the session goes on."""

from __future__ import annotations

import pytest

from actors.runtime.errors import BadTarget, Misuse

LONE_SURROGATE = "\ud800"
BAD_CALLS = {
    "generation over 64 bits": (lambda ann: ann.release((), generation=2**70), "whole numbers have 64 bits"),
    "limit over 64 bits": (lambda ann: ann.sync(limit=2**70), "whole numbers have 64 bits"),
    "version over 64 bits": (lambda ann: ann.watch(2**70, timeout_s=0.0), "whole numbers have 64 bits"),
    "intensity over all floats": (lambda ann: ann.deposit("a.py", "HOT", intensity=10**400), "64 bits"),
    "intensity as text": (lambda ann: ann.deposit("a.py", "HOT", intensity="x"), "intensity: expects a finite number"),
    "intent not Unicode": (lambda ann: ann.claim("a.py", intent=LONE_SURROGATE), "text is valid Unicode"),
    "wait for no number": (lambda ann: ann.claim("a.py", wait_s=float("nan")), "wait_s: expects a finite number"),
    "one number as targets": (lambda ann: ann.claim(5), "a target is text or a path, or there are several in a list"),
    "text as a list of targets": (lambda ann: ann.claim_each("a.py"), "put it into a list"),
    "bytes as old text": (lambda ann: ann.edit("a.py", old=b"1", new="2"), "the old text is bytes, not text"),
    "nothing as new text": (lambda ann: ann.edit("a.py", old="1", new=None), "the new text is NoneType, not text"),
    "a number as mode": (lambda ann: ann.read("a.py", 5), "a mode is text, not 5: use one of"),
    "a number as reason": (lambda ann: ann.force_release("a.py", reason=5), "reason: expects text"),
    "text as bundle": (lambda ann: ann.import_learning("{}"), "text: expects bytes"),
}
BAD_TARGETS = {
    "bytes": (b"a.py", "is bytes, not text: decode it with os.fsdecode"),
    "not Unicode": (f"a{LONE_SURROGATE}.py", "holds broken Unicode"),
    "bytes that are no UTF-8": ("caf\udce9.py", "broken Unicode"),
}


@pytest.mark.parametrize("what", BAD_CALLS)
def test_a_call_that_cannot_be_is_misuse(agent, what):
    ann = agent("ann")
    call, told = BAD_CALLS[what]
    with pytest.raises(Misuse, match=told):
        call(ann)
    assert ann.sync().rows == ()
    assert (ann.root / "a.py").read_text() == "def f():\n    return 1\n"


@pytest.mark.parametrize("what", BAD_TARGETS)
def test_a_target_that_cannot_be_is_named(agent, what):
    target, told = BAD_TARGETS[what]
    with pytest.raises(BadTarget, match=told):
        agent("ann").claim([target])


def test_calls_that_could_not_be_sent_use_up_no_request_numbers(agent):
    ann = agent("ann")
    for _ in range(300):  # more than a session may leave unacknowledged
        with pytest.raises(Misuse):
            ann.claim("a.py", intent=LONE_SURROGATE)
    assert ann.claim("a.py")
    assert ann.release("a.py").n_released == 1
