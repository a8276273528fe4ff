"""A morning in a small repository, always the same: what the picture in the documentation shows.

Run as `python tests/unit/top/example.py > docs/top.svg` to draw it anew.
"""

from __future__ import annotations

import asyncio
import re
import sys
from typing import Any

from actors.scent_field.messages import FieldRow, FieldView
from actors.sessions.messages import SessionList, SessionRow
from coordinator.domain import DOMAINS
from coordinator.top.app import TopApp
from coordinator.top.scout import Scout
from coordinator.top.sight import Sight

SIZE = (132, 40)
N_LOOKS = 12
_CLAIMS = (
    ("src/billing/invoice.py", ("ann#1",), 240.0, 12, 3.0, "round half to even"),
    ("src/billing/tax.py", ("ann#1",), 240.0, 12, 70.0, "round half to even"),
    ("src/api/", ("bob#2",), 1_260.0, 9, 15.0, "move the handlers apart"),
    ("docs/api.md", ("bob#2",), 1_260.0, 9, 900.0, ""),
    ("tests/test_login.py", ("ann#1/helper#4",), 38.0, 14, 2.0, "a failing test first"),
    ("task:release", ("cyd#3",), 5_400.0, 3, 5_400.0, "waits for the others"),
)
_SIGNALS = (
    ("STUCK", "src/api/session.py", 2.4, ("bob#2", "cyd#3"), 95.0),
    ("HOT", "src/billing/invoice.py", 1.9, ("ann#1",), 20.0),
    ("DONE", "src/api/router.py", 1.0, ("bob#2",), 400.0),
    ("AVOID", "src/legacy/", 0.8, ("cyd#3",), 2_000.0),
    ("HOT", "tests/test_login.py", 0.6, ("ann#1/helper#4",), 12.0),
)
_AGENTS = (
    ("ann#1", "", "heartbeat", 300.0, 27.0),
    ("ann#1/helper#4", "ann#1", "heartbeat", 60.0, 29.0),
    ("bob#2", "", "connection", 1_300.0, 30.0),
    ("cyd#3", "", "decay", 5_500.0, 80_000.0),
)
_EFFICACY = [
    ["Learning Efficacy", "  bounce rate: 6.1%, 4.8% the week before", "  duplicate work prevented: 17"],
    ["Savings", "  412,300 tokens, net of 31,020 for second reads"],
]


def sight(number: int, **rest: Any) -> Sight:
    """The look of this number, from 1; two seconds apart."""
    claims = [FieldRow("CLAIMED", target, 2.0, by, age, gen, idle, why) for target, by, age, gen, idle, why in _CLAIMS]
    signals = [FieldRow(kind, on, strong, by, age, 0, 0.0, "") for kind, on, strong, by, age in _SIGNALS]
    account = {"trouble": None, "uptime_s": 7_300.0, "n_queued": 0, "n_commits": 5_000 + number, "commit_seconds": 2.1}
    counters = {
        "claims_granted": 140 + number // 2,
        "claims_rejected": 21 + (number > 6),
        "duplicate_work_prevented": 17,
        "claims_expired": 2,
        "signals_deposited": 90 + number,
        "reads": 1_800 + number * number // 3,
        "bounces": 88,
        "edits": 402 + number // 3,
        "edits_failed": 19 + (number > 9),
    }
    seen: dict[str, Any] = {
        "accounts": {domain: account | {"seq": 5_000 + number} for domain in DOMAINS},
        "view": FieldView((*claims, *signals), 0, len(claims), 1, "warn", 400 + number),
        "sessions": SessionList(tuple(SessionRow(*row) for row in _AGENTS), len(_AGENTS)),
        "counters": counters,
        "problems": {},
    }
    return Sight(2.0 * number, **(seen | rest))


class Example:
    """A lookout over the example; after the last look nothing changes."""

    def __init__(self) -> None:
        self.number = 0

    def look(self) -> Sight:
        self.number += self.number < N_LOOKS
        return sight(self.number)

    def efficacy(self, _counters: Any) -> list[list[str]]:
        return _EFFICACY


def make_app(**rest: Any) -> TopApp:
    """The screen over the example, after all looks but one."""
    example = Example()
    scout = Scout(lambda: example, lambda: 2.0 * example.number)  # type: ignore[arg-type, return-value]
    for _ in range(N_LOOKS - 1):
        scout.look()
    return TopApp(scout, about="scentfield / billing", **rest)


async def picture() -> str:
    """The screen as an SVG, once it has come to rest; fonts are those of whoever looks at it."""
    app = make_app(interval_s=60.0)
    drawn, before = "", "nothing yet"
    async with app.run_test(size=SIZE) as pilot:
        await app.workers.wait_for_complete()
        for _ in range(300):
            await pilot.pause(0.1)
            before, drawn = drawn, app.export_screenshot(title="scentfield top")
            if drawn == before and "412,300" in drawn:
                break
    return re.sub(r"\s*@font-face \{.*?\}", "", drawn, flags=re.DOTALL)


def texts(svg: str) -> list[str]:
    """The texts of a picture, in order."""
    return [text.replace("&#160;", " ").strip() for text in re.findall(r"<text[^>]*>([^<]*)</text>", svg)]


if __name__ == "__main__":
    sys.stdout.write(asyncio.run(picture()))
