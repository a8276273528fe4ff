"""What people see at / of the gateway, in a real browser."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from typing import Any

import pytest

pytestmark = pytest.mark.timeout(240)

HOSTILE = '<img src=x onerror="document.title=1">'


def test_a_claim_is_shown_within_a_second_and_gone_when_it_is_given_back(
    house: Any, join: Callable[..., Any], look: Callable[..., Any]
) -> None:
    ann, window = join("ann"), look(house.url)
    took_s = []
    for n in range(5):
        window.page.evaluate(
            """target => { window.seen = new Promise(done => new MutationObserver(() => {
                if (document.querySelector("#held").textContent.includes(target)) done(Date.now());
            }).observe(document.querySelector("#held"), {childList: true, subtree: true, characterData: true})) }""",
            f"src/file{n}.py",
        )
        claim = ann.claim(f"src/file{n}.py", intent="tidy up")
        granted_s = time.time()
        took_s.append(window.page.evaluate("window.seen") / 1000 - granted_s)
        assert ann.release(generation=claim.generation)
    assert min(took_s) < 1.0, took_s  # the quickest: the machine may be busy with something else
    window.wait("() => !document.querySelector('#held').textContent.includes('src/file')")
    window.wait("() => document.querySelector('#held-empty').checkVisibility()")


def test_it_says_who_holds_what_who_waits_who_was_refused_and_which_edit_failed(
    house: Any, join: Callable[..., Any], look: Callable[..., Any]
) -> None:
    (house.tree / "a.py").write_text("def a():\n    return 1\n")
    ann, bob, cat = join("ann"), join("bob"), join("cat")
    ann.claim("a.py", intent="keep comments")
    bob.claim("a.py")
    bob.claim("a.py")
    waiting = threading.Thread(target=cat.claim, args=("a.py",), kwargs={"wait_s": 120.0, "intent": "its turn"})
    waiting.start()
    ann.deposit("docs/", "DONE")
    assert not ann.edit("a.py", "def b():", "def c():")
    window = look(house.url)
    window.wait_for_text("#held", "a.py")
    window.wait_for_text("#held", "ann#1 for ")
    window.wait_for_text("#held", "to keep comments")
    window.wait_for_text("#waiting", "cat#3 wants a.py")
    window.wait_for_text("#refused", "bob#2 a.py")
    window.wait_for_text("#refused", "held by ann#1, to keep comments, 2 times")
    window.wait_for_text("#failed", "a.py")
    window.wait_for_text("#failed", "the file had not been read")
    window.wait_for_text("#field-rows", "docs/")
    window.wait_for_text("#layers", "lessons from playbooksnot yet known")
    window.wait_for_text("#layers", "edits that missed; ")
    window.wait_for_text("#outcomes", "bounce rate: not yet known")
    assert window.texts("#n-claims") == ["1"]
    ann.close()
    waiting.join(60.0)
    window.wait_for_text("#held", "cat#3 for ")


def test_signals_fade_as_one_watches(house: Any, join: Callable[..., Any], look: Callable[..., Any]) -> None:
    join("ann").deposit("a.py", "HOT", intensity=2.0)
    window = look(house.url)
    window.wait_for_text("#field-rows", "a.py")
    width = "() => parseFloat(getComputedStyle(document.querySelector('.signal i')).getPropertyValue('--width'))"
    first = window.page.evaluate(width)
    assert 40.0 < first <= 60.0
    window.wait(f"first => ({width})() < first", first)


def test_names_that_agents_choose_are_never_read_as_html(
    house: Any, join: Callable[..., Any], look: Callable[..., Any]
) -> None:
    ann = join("ann")
    ann.claim([f"src/{HOSTILE}.py", "src/\u202egnp.exe"], intent=f"</script>{HOSTILE}")
    join("bob").claim(f"src/{HOSTILE}.py")
    ann.playbook.add("Fact", f"{HOSTILE} is a name", about="", scope="project")
    window = look(house.url)
    window.wait_for_text("#held", HOSTILE)
    window.wait_for_text("#refused", HOSTILE)
    window.wait_for_text("#playbook", HOSTILE)
    window.wait_for_text("#held", "\ufffdgnp.exe")  # what turns text around is shown as such
    assert window.page.query_selector_all("main img") == []
    assert "held" in window.page.title()


def test_it_survives_a_crash_of_the_gateway_and_of_the_actors(
    house: Any, join: Callable[..., Any], look: Callable[..., Any]
) -> None:
    ann = join("ann")
    ann.claim("a.py", intent="before")
    window = look(house.url, may_complain=True)
    window.wait_for_text("#held", "a.py")
    house.kill()
    window.page.wait_for_selector("[data-state=lost]")
    assert window.texts("#state") == ["not connected, trying again"]
    house.start()
    window.wait_until_live()
    window.wait_for_text("#held", "a.py")
    join("bob").claim("b.py")
    window.wait_for_text("#held", "b.py")
    assert all("ERR_" in one for one in window.complaints), window.complaints  # the browser's own, on lost connections


def test_it_says_which_actor_does_not_answer_and_stands_still_meanwhile(
    house: Any, join: Callable[..., Any], look: Callable[..., Any]
) -> None:
    join("ann").claim("a.py")
    window = look(house.url)
    window.wait_for_text("#actors", "memory")
    house.lose("memory")
    window.wait_for_text("#trouble", "memory: memory cannot be reached")
    window.page.wait_for_selector("[data-state=live]")
    house.lose("scent_field")
    window.page.wait_for_selector("[data-state=silent]")
    window.wait_for_text("#trouble", "scent_field cannot be reached")
    window.wait_for_text("#held", "a.py")
    house.lose()
    window.wait_until_live()
    window.wait("() => document.querySelector('#trouble').hidden")


def test_a_gateway_that_asks_for_its_token_is_shown_it_and_not_in_a_url(
    open_house: Callable[..., Any], look: Callable[..., Any]
) -> None:
    house = open_house(needs_token=True)
    window = look(house.url, is_live=False, may_complain=True)
    urls: list[str] = []
    window.page.on("request", lambda request: urls.append(request.url))
    for token, selector in (("not-this", "#asking-said:not(:empty)"), (house.token, "[data-state=live]")):
        window.page.fill("#asking-token", token)
        window.page.press("#asking-token", "Enter")
        window.page.wait_for_selector(selector)
    assert not window.page.is_visible("#asking")
    assert urls
    assert all(house.token not in url for url in urls)
    assert window.page.evaluate("[...Object.keys(localStorage), ...Object.keys(sessionStorage), document.cookie]") == [
        ""
    ]
    assert all("401" in one for one in window.complaints), window.complaints


def test_a_person_takes_a_claim_away_with_a_reason_and_it_stands_in_the_audit(
    house: Any, join: Callable[..., Any], look: Callable[..., Any], eventually: Callable[..., Any]
) -> None:
    ann = join("ann")
    claim = ann.claim("src/a.py")
    window = look(house.url, may_complain=True)
    page = window.page
    page.click("#held button")
    page.fill("#taking-by", "kate")
    page.fill("#taking-reason", "its agent was shut down")
    page.fill("#taking-token", "not-the-token")
    page.press("#taking-reason", "Enter")
    window.wait_for_text("#taking-said", "not the gateway's token")
    page.fill("#taking-token", house.token)
    page.press("#taking-token", "Enter")
    window.wait_for_text("#taking-said", "its holder ann#1 is alive: ask it, wait, or tick the box")
    assert claim.valid
    page.check("#taking-alive")
    page.click("#taking-go")
    window.wait_for_text("#audit", "took it from ann#1")
    window.wait_for_text("#audit", "its agent was shut down")
    assert not page.is_visible("#taking")
    window.wait("() => document.querySelector('#held').children.length === 0")
    (line,) = ann.audit().lines
    assert (line.by.partition("#")[0], line.target, line.reason, line.was_alive) == (
        "kate",
        "src/a.py",
        "its agent was shut down",
        True,
    )
    assert all("401" in one for one in window.complaints), window.complaints


def test_the_field_can_be_filtered_ordered_and_walked_with_the_keyboard(
    house: Any, join: Callable[..., Any], look: Callable[..., Any]
) -> None:
    ann = join("ann")
    for name, kind, intensity in (("b.py", "HOT", 2.0), ("a.py", "DONE", 1.0), ("c.py", "STUCK", 0.5)):
        ann.deposit(name, kind, intensity=intensity)
    window = look(house.url)
    page, names = window.page, "#field-rows .name"
    window.wait("() => document.querySelectorAll('#field-rows li').length === 3")
    assert window.texts(names) == ["b.py", "a.py", "c.py"]
    page.select_option("#order", "path")
    window.wait("() => document.querySelector('#field-rows .name').textContent === 'a.py'")
    page.click("#kinds [data-kind=STUCK]")
    window.wait("() => document.querySelectorAll('#field-rows li').length === 2")
    page.focus("#field-rows-region")
    page.keyboard.press("/")
    page.keyboard.type("B.")
    window.wait("() => document.querySelectorAll('#field-rows li').length === 1")
    assert window.texts(names) == ["b.py"]


def test_focus_stays_where_it_is_while_the_page_changes(
    house: Any, join: Callable[..., Any], look: Callable[..., Any]
) -> None:
    ann = join("ann")
    claims = {name: ann.claim(name) for name in ("a.py", "b.py", "c.py")}
    window = look(house.url)
    page = window.page
    window.wait("() => document.querySelectorAll('#held button').length === 3")
    page.focus("#held button")
    page.keyboard.press("ArrowDown")
    focused = "document.activeElement.getAttribute('aria-label')"
    assert page.evaluate(focused) == "Take away b.py from ann#1"
    assert page.evaluate("document.querySelectorAll('#held button[tabindex=\"0\"]').length") == 1
    ann.claim("d.py")
    ann.release(generation=claims["c.py"].generation)
    window.wait_for_text("#held", "d.py")
    window.wait("() => !document.querySelector('#held').textContent.includes('c.py')")
    assert page.evaluate(focused) == "Take away b.py from ann#1"
    ann.release(generation=claims["b.py"].generation)
    window.wait("() => !document.querySelector('#held').textContent.includes('b.py')")
    assert page.evaluate(focused) == "Take away a.py from ann#1", "its neighbour has it now"


def test_two_windows_are_told_the_same(house: Any, join: Callable[..., Any], look: Callable[..., Any]) -> None:
    ann, windows = join("ann"), [look(house.url), look(house.url)]
    ann.claim("a.py")
    for window in windows:
        window.wait_for_text("#held", "a.py")
