"""What becomes of changes, in words and as an exit code. Pure."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

from actors.scent_field.messages import Conflict
from coordinator.cli.exit_code import ExitCode
from coordinator.guard.inquiry import Findings

CLEAR: Final = "clear"
_WORDS: Final = {"observe": "observed", "warn": "warned", "deny": "refused"}
_SHOWN: Final = 20


@dataclass(frozen=True, slots=True)
class Verdict:
    """`word` is `clear`, `observed`, `warned`, `refused` or `unavailable`; `lines` are for people."""

    word: str
    exit_code: ExitCode
    lines: tuple[str, ...]
    document: dict[str, Any]


def judged(findings: Findings, what: str) -> Verdict:
    """The verdict on changes that were asked about; `what` they are: a commit, or a push."""
    word = _WORDS[findings.strictness] if findings.n_faults else CLEAR
    document = {
        "verdict": word,
        "agents": list(findings.agents),
        "n_paths": findings.n_paths,
        "conflicts": [one._asdict() for one in findings.conflicts[:_SHOWN]],
        "n_more": findings.n_more + len(findings.conflicts[_SHOWN:]),
        "overtaken": [one._asdict() for one in findings.overtaken[:_SHOWN]],
        "n_more_overtaken": findings.n_more_overtaken + len(findings.overtaken[_SHOWN:]),
    }
    if word == CLEAR:
        return Verdict(word, ExitCode.OK, (), document)
    lines = [_heading(findings, word, what)]
    if word != "observed":
        lines += [*_faults(document, findings), _who(findings), f"next: {_next_step(findings, what)}"]
    code = ExitCode.HELD if word == "refused" else ExitCode.OK
    return Verdict(word, code, tuple(lines), document)


def unasked(why: str, *, refuses: bool, what: str) -> Verdict:
    """The verdict where nobody could be asked."""
    done = f"this {what} is refused, as set by when_unavailable under [guard]" if refuses else f"this {what} goes on"
    step = "scentfield up, then try again" if refuses else "scentfield up, so that the next is checked"
    lines = (f"nobody could say whose changes these are ({why}): {done}", f"next: {step}")
    code = ExitCode.UNAVAILABLE if refuses else ExitCode.OK
    return Verdict("unavailable", code, lines, {"verdict": "unavailable", "refused": refuses, "why": why})


def _heading(findings: Findings, word: str, what: str) -> str:
    n_held, n_gone = len(findings.conflicts) + findings.n_more, len(findings.overtaken) + findings.n_more_overtaken
    held = f"{n_held} claim{'s' if n_held != 1 else ''} of others on its paths" if n_held else ""
    gone = f"{n_gone} path{'s' if n_gone != 1 else ''} that your claim does not cover any more" if n_gone else ""
    n = findings.n_paths
    faults = ", ".join(filter(None, (held, gone)))
    return f"{word} ({findings.strictness}): a {what} of {n} path{'s' if n != 1 else ''}, {faults}"


def _faults(document: dict[str, Any], findings: Findings) -> list[str]:
    lines = [f"  {_held(one)}" for one in findings.conflicts[:_SHOWN]]
    lines += [f"  and {document['n_more']} more claims of others"] if document["n_more"] else []
    lines += [f"  {one.target}: {one.why}" for one in findings.overtaken[:_SHOWN]]
    more = document["n_more_overtaken"]
    return lines + ([f"  and {more} more paths that the claim does not cover"] if more else [])


def _held(conflict: Conflict) -> str:
    wider = f" (as {conflict.held_target})" if conflict.held_target != conflict.target else ""
    purpose = f" to {conflict.intent}" if conflict.intent else ""
    return f"{conflict.target}{wider}: {conflict.holder} holds it since {_span(conflict.age_s)}{purpose}"


def _span(seconds: float) -> str:
    for unit, size_s in (("h", 3_600.0), ("min", 60.0)):
        if seconds >= 2 * size_s:
            return f"{seconds / size_s:.0f} {unit}"
    return f"{seconds:.0f} s"


def _who(findings: Findings) -> str:
    if findings.agents:
        return f"  you are {', '.join(findings.agents[:3])}"
    return "  you are no agent that the coordinator knows: if you are one, say so in SCENTFIELD_AGENT"


def _next_step(findings: Findings, what: str) -> str:
    if not findings.conflicts:
        return "claim these paths again, look at what was changed since, then try again"
    first = findings.conflicts[0]
    rest = "take these paths out (git restore --staged PATH)" if what == "commit" else "push the commits before these"
    return f"{rest}, or wait until {first.holder} is done and try again, or ask it to hand the claim over"
