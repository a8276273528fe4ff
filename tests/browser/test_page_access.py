"""That nobody is kept out of the page: axe finds nothing serious, in dark and light, wide and narrow."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

import pytest

pytestmark = pytest.mark.timeout(240)

SERIOUS = ("serious", "critical")


@pytest.fixture
def busy(house: Any, join: Callable[..., Any]) -> Any:
    """A house with something in every list that can be filled by hand."""
    ann, bob = join("ann"), join("bob")
    ann.claim("src/a.py", intent="tidy up")
    bob.claim("src/a.py")
    for kind in ("HOT", "STUCK", "DONE", "AVOID"):
        ann.deposit(f"src/{kind.lower()}.py", kind)
    assert not ann.edit("src/missing.py", "a", "b")
    ann.playbook.add("Pitfall", "Tests write into docs", about="", scope="project")
    threading.Thread(target=bob.claim, args=("src/a.py",), kwargs={"wait_s": 100.0}, daemon=True).start()
    return house


def serious_faults(window: Any) -> list[str]:
    from axe_playwright_python.sync_playwright import Axe

    found = Axe().run(window.page).response["violations"]
    return [
        f"{one['id']}: {one['help']}: {node['html'][:200]}"
        for one in found
        if one["impact"] in SERIOUS
        for node in one["nodes"]
    ]


@pytest.mark.parametrize("scheme", ["dark", "light"])
def test_axe_finds_nothing_serious(busy: Any, look: Callable[..., Any], scheme: str) -> None:
    window = look(busy.url, color_scheme=scheme, viewport={"width": 1280, "height": 900})
    for selector, text in (
        ("#waiting", "bob#2"),
        ("#playbook", "Pitfall"),
        ("#failed", "missing"),
        ("#actors", "serves"),
    ):
        window.wait_for_text(selector, text)
    assert serious_faults(window) == []
    window.page.click("#held button")
    assert serious_faults(window) == []


def test_axe_finds_nothing_serious_on_a_narrow_screen(busy: Any, look: Callable[..., Any]) -> None:
    window = look(busy.url, viewport={"width": 390, "height": 800})
    window.wait_for_text("#held", "src/a.py")
    assert serious_faults(window) == []
    assert window.page.evaluate("document.documentElement.scrollWidth <= innerWidth"), "nothing sticks out"


def test_who_wants_no_motion_gets_none(busy: Any, look: Callable[..., Any]) -> None:
    window = look(busy.url, reduced_motion="reduce")
    window.wait_for_text("#field-rows", "src/")
    moving = """() => [...document.querySelectorAll('*')].filter(one => {
        const style = getComputedStyle(one);
        return style.animationName !== 'none' || style.transitionDuration.split(',').some(span => parseFloat(span) > 0);
    }).length"""
    assert window.page.evaluate(moving) == 0


def test_all_of_it_is_reached_by_landmarks_and_headings(busy: Any, look: Callable[..., Any]) -> None:
    window = look(busy.url)
    assert window.page.evaluate("document.querySelectorAll('main, header.top, h1').length") == 3
    assert window.page.evaluate(
        "[...document.querySelectorAll('section')].every(one => one.getAttribute('aria-labelledby'))"
    )
    assert window.page.evaluate("document.querySelectorAll('[role=status], [aria-live]').length") == 1, "one voice"
