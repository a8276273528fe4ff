"""Lines of our own processes: bounded, harmless, and silent until somebody wants them."""

import io
import json
import logging
from types import SimpleNamespace

import pytest

from actors.runtime import log as log_module
from actors.runtime.errors import Corrupt, Unavailable
from actors.runtime.log import MAX_FACTS, MAX_LINES_A_SECOND, MAX_TEXT, Log, LogConfig, configure, take_over
from actors.runtime.narration import Narration


@pytest.fixture
def written():
    """`written(level, ...)` configures this process, and gives what it has written so far as documents."""
    stream = io.StringIO()

    def of(level="debug", form="json", **levels):
        configure(LogConfig(level, form, levels), stream)
        return lambda: [json.loads(line) for line in stream.getvalue().splitlines()]

    of.stream = stream
    yield of
    configure(LogConfig())


def test_nothing_is_written_until_it_is_wanted(capsys):
    configure(LogConfig())
    Log("gateway").error("x")
    assert capsys.readouterr() == ("", "")
    assert log_module._DESK.write is None


def test_a_line_is_one_json_object_with_time_level_domain_and_facts(written):
    lines = written("info")
    Log("scent_field").info("started", commits=12, took_s=0.5)
    (line,) = lines()
    at = line.pop("at")
    assert (at[10], at[-1]) == ("T", "Z")
    assert line == {"event": "started", "level": "info", "domain": "scent_field", "commits": 12, "took_s": 0.5}


def test_levels_hold_for_all_domains_but_those_with_their_own(written):
    lines = written("warning", gateway="debug", memory="off")
    for domain in ("scent_field", "gateway", "memory"):
        Log(domain).debug("d")
        Log(domain).error("e")
    assert [(line["domain"], line["event"]) for line in lines()] == [
        ("scent_field", "e"),
        ("gateway", "d"),
        ("gateway", "e"),
    ]


def test_a_log_that_was_made_before_is_configured_too(written):
    log = Log("cli")
    lines = written("info")
    log.info("now")
    assert len(lines()) == 1


@pytest.mark.parametrize("name", ["token", "api_token", "Authorization", "password", "ledger_key", "client_secret"])
def test_secrets_are_hidden_by_their_names(written, name):
    lines = written("info")
    Log("cli").info("x", **{name: "hunter2"})
    assert lines()[0][name] == "(hidden)"
    assert "hunter2" not in written.stream.getvalue()


@pytest.mark.parametrize("form", ["json", "console"])
def test_texts_are_bounded_and_stay_on_their_line(written, form):
    written("info", form)
    Log("cli").info(
        "a\nb\x1b[2J", text="x\n\x1b[31m" + "y" * 10_000, whole={"a": ["b"] * 5_000}, error=ValueError("z\r")
    )
    text = written.stream.getvalue()
    assert text.count("\n") == 1
    assert "\x1b[2J" not in text
    assert "\x1b[31m" not in text.replace("\x1b[31m\x1b[1m", "")
    assert len(text) < 4 * MAX_TEXT


def test_facts_are_bounded_in_number(written):
    lines = written("info")
    Log("cli").info("x", **{f"f{number}": number for number in range(100)})
    assert len(lines()[0]) <= MAX_FACTS + 3


def test_a_flood_of_one_event_is_left_out_and_counted(written):
    now = [5.0]
    lines = written("info")
    log = Log("gateway", monotonic=lambda: now[0])
    for _ in range(MAX_LINES_A_SECOND + 30):
        log.info("refused")
    log.info("another")
    now[0] = 6.0
    log.info("refused")
    log.info("refused")
    assert len(lines()) == MAX_LINES_A_SECOND + 3
    assert [line.get("n_left_out") for line in lines()[-3:]] == [None, 30, None]


def test_a_stream_that_is_closed_holds_nothing_up():
    stream = io.StringIO()
    configure(LogConfig("info"), stream)
    stream.close()
    Log("cli").info("x")
    configure(LogConfig())


@pytest.mark.parametrize("config", [("loud", "json"), ("info", "xml")])
def test_levels_and_forms_that_do_not_exist_are_refused(config):
    with pytest.raises(ValueError, match="levels are debug, info"):
        LogConfig(*config)


def test_our_modules_logging_is_taken_over_and_nobody_elses(written):
    lines = written("info")
    take_over("gateway", names=("scentfield.test",))
    take_over("gateway", names=("scentfield.test",))
    ours = logging.getLogger("scentfield.test.part")
    try:
        ours.info("refused %s", "GET")
        ours.debug("hidden")
        try:
            raise KeyError("src/secret_plans.py")
        except KeyError:
            ours.exception("the tool %s failed", "edit")
        logging.getLogger("somebody.else").warning("not ours")
    finally:
        logging.getLogger("scentfield.test").handlers.clear()
    first, second = lines()
    assert (first["event"], first["level"], first["domain"]) == ("refused GET", "info", "gateway")
    assert (second["event"], second["level"], second["error"]) == ("the tool edit failed", "error", "KeyError")
    assert "secret_plans" not in written.stream.getvalue()


# What becomes of a state actor


class Actor:
    """The parts that are looked at, with nothing to tell."""

    def __init__(self):
        self.statistics = SimpleNamespace(n_busy=0, n_bugs=0, commit_seconds=0.0, n_replayed_rows=3)
        store = SimpleNamespace(where="/state/scent_field.sqlite3 (ns.scent_field)")
        journal = SimpleNamespace(store=store, seq=7, head=SimpleNamespace(epoch=2))
        clock = SimpleNamespace(n_refused_jumps=0)
        self.mailbox = SimpleNamespace(
            trouble=None, statistics=self.statistics, journal=journal, clock=clock, n_queued=5
        )
        self.compaction = SimpleNamespace(n_started=0, n_failed=0)
        self.routes = {"thresholds": {"trouble": ""}}
        courier = SimpleNamespace(describe=lambda: self.routes)
        self.narration = Narration(Log("scent_field"), self.mailbox, self.compaction, courier)


@pytest.fixture
def actor():
    return Actor()


def test_an_actor_says_that_it_has_started(written, actor):
    lines = written("info")
    actor.narration.begin(0.25, 0.0)
    (line,) = lines()
    facts = {name: line[name] for name in ("event", "epoch", "commits", "n_replayed_rows", "took_s")}
    assert facts == {"event": "started", "epoch": 2, "commits": 7, "n_replayed_rows": 3, "took_s": 0.25}


def test_an_actor_that_cannot_start_says_why(written, actor):
    lines = written("info")
    actor.mailbox.trouble = Corrupt("row 3 is damaged")
    actor.narration.begin(0.25, 0.0)
    actor.narration.look(1.0)
    assert [(line["event"], line["level"], line["code"]) for line in lines()] == [
        ("does not serve", "error", "corrupt")
    ]


def test_trouble_is_said_once_and_its_end_with_how_long_it_lasted(written, actor):
    lines = written("info")
    for now_s in (10.0, 10.5, 11.0):
        actor.mailbox.trouble = Unavailable(f"the disk is full at {now_s}")
        actor.narration.look(now_s)
    actor.mailbox.trouble = None
    actor.narration.look(14.0)
    assert [line["event"] for line in lines()] == ["does not serve", "serves again"]
    assert lines()[1]["after_s"] == 4.0


def test_what_happens_without_trouble_is_said_as_it_comes(written, actor):
    lines = written("info")
    actor.narration.look(1.0)
    assert lines() == []
    actor.statistics.n_busy, actor.statistics.n_bugs = 4, 1
    actor.compaction.n_started = actor.compaction.n_failed = 1
    actor.mailbox.clock.n_refused_jumps = 1
    actor.statistics.commit_seconds = 1.5
    actor.narration.look(2.0)
    actor.narration.look(3.0)
    told = {line["event"]: line["level"] for line in lines()}
    assert told == {
        "busy": "warning",
        "a bug: a batch was thrown away and the state rebuilt": "error",
        "folds its journal": "info",
        "could not fold its journal": "error",
        "a jump of the clock was refused": "warning",
        "a commit took long": "warning",
    }
    assert len(lines()) == 6


def test_notes_that_wait_are_said_once_and_when_they_go_again(written, actor):
    lines = written("info")
    actor.routes["thresholds"]["trouble"] = "Unavailable: it is not there"
    for now_s in (1.0, 1.5, 2.5):
        actor.narration.look(now_s)
    actor.routes["thresholds"]["trouble"] = ""
    actor.narration.look(3.6)
    assert [(line["event"], line["receiver"]) for line in lines()] == [
        ("notes wait", "thresholds"),
        ("notes go again", "thresholds"),
    ]
