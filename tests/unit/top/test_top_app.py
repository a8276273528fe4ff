"""The screen, driven by its keys."""

import asyncio
import threading
from pathlib import Path

import pytest
from textual.widgets import DataTable
from top_example import N_LOOKS, SIZE, Example, make_app, picture, sight, texts

from coordinator.top.app import HELP, HelpScreen, TopApp
from coordinator.top.scout import Scout
from coordinator.top.sight import Sight

DOCS = Path(__file__).parents[3] / "docs"


def run(act, *, app=None, size=SIZE):
    """`await act(app, pilot)` on a screen that has looked once."""
    app = app or make_app(interval_s=60.0)

    async def play():
        async with app.run_test(size=size) as pilot:
            await app.workers.wait_for_complete()
            await pilot.pause()
            await act(app, pilot)

    asyncio.run(play())


async def until(pilot, is_so):
    for _ in range(600):
        if is_so():
            return
        await pilot.pause(0.05)
    raise AssertionError("it did not come about within 30 seconds")


def headline(app):
    return app.query_one("#headline").render().plain


def rows(app, name):
    table = app.query_one(f"#{name}-table", DataTable)
    return [[cell.plain for cell in table.get_row_at(number)] for number in range(table.row_count)]


def test_the_picture_in_the_documentation_is_what_the_screen_shows():
    assert texts((DOCS / "top.svg").read_text(encoding="utf-8")) == texts(asyncio.run(picture()))


def test_all_panels_have_what_was_seen():
    async def act(app, _pilot):
        assert headline(app).startswith("scentfield / billing · 4 agents · 6 claimed · 1 waiting · strictness warn")
        assert rows(app, "claims")[0][:2] == ["src/billing/invoice.py", "ann#1"]
        assert rows(app, "signals")[0][0] == "STUCK"
        assert [row[0] for row in rows(app, "agents")] == ["ann#1", "ann#1/helper#4", "bob#2", "cyd#3"]
        assert rows(app, "rates")[0][0] == "granted"
        assert len(rows(app, "actors")) == 4
        assert app.scout.efficacy[0][0] == "Learning Efficacy"

    run(act)


def test_numbers_go_to_panels_and_z_shows_one_alone():
    async def act(app, pilot):
        for number, name in enumerate(("claims", "signals", "agents", "rates", "actors"), 1):
            await pilot.press(str(number))
            assert app.focused.id == f"{name}-table"
        await pilot.press("6")
        assert app.focused.id == "efficacy"
        await pilot.press("2", "z")
        assert app.screen.maximized.id == "signals"
        await pilot.press("z")
        assert app.screen.maximized is None

    run(act)


def test_the_help_lists_every_key_and_the_screen_goes_on_below_it():
    async def act(app, pilot):
        await pilot.press("question_mark")
        assert isinstance(app.screen, HelpScreen)
        app.action_look()
        await app.workers.wait_for_complete()
        await pilot.pause()
        await pilot.press("escape")
        assert not isinstance(app.screen, HelpScreen)
        told = " ".join(keys for keys, _ in HELP)
        shown = {binding.key_display or binding.key for binding in app.BINDINGS if binding.show}
        assert all(key.split(",")[0] in told for key in shown)

    run(act)


def test_a_filter_shows_the_rows_that_hold_a_text_and_escape_shows_all():
    async def act(app, pilot):
        await pilot.press("slash", *"BILL", "enter")
        assert [row[0] for row in rows(app, "claims")] == ["src/billing/invoice.py", "src/billing/tax.py"]
        assert app.query_one("#claims").border_title == "1 Claims (4 do not match)"
        assert "rows with 'BILL'" in headline(app)
        assert len(rows(app, "actors")) == 4, "only what agents do is filtered"
        await pilot.press("escape")
        assert len(rows(app, "claims")) == 6

    run(act)


def test_the_cursor_stays_on_its_row_while_others_come_and_go():
    example = Example()
    app = make_app(interval_s=60.0)

    async def act(app, pilot):
        await pilot.press("1", "down", "down")
        table = app.query_one("#claims-table", DataTable)
        chosen = rows(app, "claims")[table.cursor_row]
        view = sight(1).view
        fewer = tuple(row for row in view.rows if row.target != "src/billing/tax.py")
        app.scout._lookout.look = lambda: sight(3, view=view._replace(rows=fewer))
        app.action_look()
        await until(pilot, lambda: len(rows(app, "claims")) == 5)
        assert rows(app, "claims")[table.cursor_row] == chosen

    assert example.number == 0
    run(act, app=app)


def test_when_nobody_answers_that_is_said_and_what_was_seen_stays():
    async def act(app, pilot):
        app.scout._reach = lambda: app.scout._lookout
        app.scout._lookout.look = lambda: Sight(99.0, problems={"scent_field": "the gateway \x1b[2J is gone"})
        app.action_look()
        await until(pilot, lambda: "no answer for" in headline(app))
        assert app.query_one("#headline").has_class("-lost")
        assert "the gateway \\x1b[2J is gone" in headline(app)
        assert len(rows(app, "claims")) == 6

    run(act)


def test_keys_answer_while_a_look_waits_for_the_coordinator():
    released = threading.Event()

    class Slow(Example):
        def look(self):
            assert released.wait(60.0)
            return super().look()

    app = TopApp(Scout(Slow, lambda: 0.0), about="x / y", interval_s=0.5)

    async def play():
        async with app.run_test(size=SIZE) as pilot:
            await pilot.press("question_mark")
            assert isinstance(app.screen, HelpScreen)
            await pilot.press("escape", "p")
            assert headline(app) == "x / y · looking · paused"
            app.action_look()
            assert len(list(app.workers)) == 1, "one look at a time"
            released.set()
            await until(pilot, lambda: len(rows(app, "claims")) == 6)

    asyncio.run(play())


def test_paused_it_does_not_look_and_r_looks_once():
    async def act(app, pilot):
        example = app.scout._lookout
        example.number = 0
        await pilot.press("p")
        app._look_unless_paused()
        await app.workers.wait_for_complete()
        assert example.number == 0
        await pilot.press("r")
        await until(pilot, lambda: example.number == 1)
        await pilot.press("p")
        app._look_unless_paused()
        await until(pilot, lambda: example.number == 2)

    run(act)


def test_the_pace_stays_within_its_limits():
    async def act(app, pilot):
        await pilot.press(*["plus"] * 12)
        assert "every 0.5 s" in headline(app)
        await pilot.press(*["minus"] * 12)
        assert "every 60 s" in headline(app)

    run(act)


@pytest.mark.parametrize("size", [(20, 6), (80, 24), (109, 40), (110, 40), (250, 80)])
def test_it_fits_any_terminal(size):
    async def act(app, pilot):
        assert app.screen.has_class("-wide" if size[0] >= 110 else "-narrow")
        await pilot.press("3", "z", "z")
        await pilot.resize_terminal(120, 30)
        await pilot.resize_terminal(*size)
        await pilot.pause()
        assert len(rows(app, "agents")) == 4

    run(act, size=size)


def test_q_ends_it():
    async def act(app, pilot):
        await pilot.press("q")
        await until(pilot, lambda: not app.is_running)

    run(act)
    assert N_LOOKS > 1
