"""Messages of the client in the words of the command line, as real refusals have them."""

from typing import Any

import pytest

from coordinator.cli.wording import in_options
from coordinator.editing import refusal


def test_a_wait_is_advised_with_its_option_and_one_unit_of_time() -> None:
    said = "ann#1 holds a.py since 240 s to fix f. Take other work, or wait with wait_s: it is free at the earliest in "
    assert in_options(f"{said}600 s if ann#1 falls silent.") == (
        "ann#1 holds a.py since 4 min to fix f. Take other work, or claim it with --wait SECONDS: "
        "it is free at the earliest in 10 min if ann#1 falls silent."
    )


@pytest.mark.parametrize("advice", ["Take other work, or wait with wait_s", "Take other work, or wait again"])
def test_what_takes_longer_than_the_longest_wait_is_not_waited_for(advice: str) -> None:
    assert in_options(f"{advice}: it is free at the earliest in 601 s if ann#1 falls silent.") == (
        "Take other work: it is free at the earliest in 10 min if ann#1 falls silent."
    )


@pytest.mark.parametrize(
    ("said", "told"),
    [
        (
            "bob#1 waits for it before you: take other work, or queue up with wait_s.",
            "bob#1 waits for it before you: take other work, or queue up with --wait SECONDS.",
        ),
        ("wait_s=700 is not between 0 and 600 s", "--wait 700 is not between 0 and 600 s"),
        (refusal.exists("a").message, "'a' already exists and --create overwrites nothing: edit it with --old and "),
        (refusal.create_with_old("a").message, "leave --old out, or edit without --create"),
        (refusal.empty_old("a").message, "quote the lines to replace, or give --create to write a new file"),
        (refusal.missing_file("a").message, "there is no file 'a': check the path, or give --create and no --old"),
        (refusal.stale_hash("a", "0" * 64, "1" * 64).message, "edit with its hash or without --expect-hash"),
    ],
)
def test_arguments_become_options(said: str, told: str) -> None:
    assert told in in_options(said)


@pytest.mark.parametrize("argument", ["create=True", "wait_s", "expect_hash"])
def test_no_refusal_of_an_edit_names_an_argument_of_python(argument: str) -> None:
    told = [
        refusal.exists("a"),
        refusal.create_with_old("a"),
        refusal.empty_old("a"),
        refusal.missing_file("a"),
        refusal.stale_hash("a", "0" * 64, "1" * 64),
    ]
    assert [one.message for one in told if argument in in_options(one.message)] == []


def test_what_people_wrote_stays(scentfield: Any) -> None:
    said = "ann#1 holds wait_s.py since 4 s to drop create=True and wait_s from f. Nothing else."
    assert in_options(said) == said


def test_an_edit_and_a_claim_of_what_a_shell_holds_advise_no_wait_in_text_and_json(scentfield: Any) -> None:
    scentfield("claim", "a.py", "--agent", "ann")
    arguments = ("edit", "a.py", "--old", "return 1", "--new", "return 2", "--agent", "bob")
    told = [
        scentfield(*arguments).stdout,
        scentfield.json(*arguments, expect=3)["message"],
        scentfield.json("claim", "a.py", "--agent", "bob", expect=3)["next_step"],
        scentfield("claim", "a.py", "--agent", "bob").stdout,
    ]
    assert [text for text in told if "wait" in text] == []
    assert all(" min if ann#1 falls silent" in text for text in told)


def test_an_edit_and_a_claim_of_what_a_process_holds_name_the_option(scentfield: Any, live_agent: Any) -> None:
    live_agent("ann").claim("a.py")
    arguments = ("edit", "a.py", "--old", "return 1", "--new", "return 2", "--agent", "bob")
    told = [
        scentfield.json(*arguments, expect=3)["message"],
        scentfield.json("claim", "a.py", "--agent", "bob", expect=3)["next_step"],
    ]
    assert all("claim it with --wait SECONDS" in text for text in told)


def test_an_edit_of_a_missing_file_names_the_option(scentfield: Any) -> None:
    arguments = ("edit", "no.py", "--old", "x", "--new", "y", "--agent", "ann")
    assert "give --create and no --old" in scentfield.json(*arguments, expect=1)["message"]


def test_a_wait_that_is_too_long_is_refused_in_the_words_of_the_shell(scentfield: Any) -> None:
    assert "--wait 700 is not" in scentfield("claim", "a.py", "--wait", "700", "--agent", "ann").stderr
    error = scentfield.json("claim", "a.py", "--wait", "700", "--agent", "ann", expect=2)["error"]
    assert error["message"].startswith("--wait 700 is not between 0 and 600 s")
