"""Playbooks: what is added, confirmed, voted on, evicted, shown and resumed."""

import pytest

from actors.memory.entry import Draft
from actors.memory.messages import (
    AddEntry,
    ConfirmEntry,
    EvictedEntry,
    EvictEntry,
    GetLessons,
    GetStatistics,
    ResumePlaybook,
    ShowEntries,
    TakeCheckpoint,
    VoteEntry,
)
from actors.memory.report import playbook_text
from actors.runtime.errors import Misuse

SPACE = "home"


def contents(view):
    return [entry.content for entry in view.entries]


def test_entries_get_growing_numbers_and_are_rendered_in_their_order(desk):
    desk.add("the parser lives in core", kind="Fact")
    desk.add("never edit generated files", kind="Pitfall", about="gen/")
    assert playbook_text(desk.playbook().entries) == (
        "[1] Fact: the parser lives in core\n[2] Pitfall (gen/): never edit generated files\n"
    )


def test_the_same_said_in_other_words_confirms(desk):
    assert desk.add("run the parser tests before every single commit").is_new
    again = desk.add("Run the parser tests before every commit!")
    assert (again.entry_id, again.is_new, again.n_entries) == (1, False, 1)
    (entry,) = desk.playbook().entries
    assert (entry.content, entry.n_confirmed) == ("run the parser tests before every single commit", 1)


@pytest.mark.parametrize(
    ("content", "is_new"),
    [("a b c d e f g h i j", False), ("a b c d e f g x", False), ("a b c d e f x y", True)],  # 1, 7 of 10, 6 of 11
)
def test_seven_tenths_of_the_words_are_the_same(desk, content, is_new):
    desk.add("a b c d e f g h i" if content.endswith("x") else "a b c d e f g h i j")
    assert desk.add(content).is_new is is_new


def test_the_same_about_another_thing_is_another_entry(desk):
    desk.add("edits of it miss", about="src/a.py")
    assert desk.add("edits of it miss", about="src/b.py").is_new
    assert not desk.add("edits of it miss", about="src/b.py").is_new
    assert desk.add("edits of it miss").entry_id == 1


def test_another_kind_is_another_entry(desk):
    desk.add("edit the lexer first", kind="Strategy")
    assert desk.add("edit the lexer first", kind="Pitfall").is_new


@pytest.mark.parametrize(
    ("draft", "why"),
    [
        (Draft("Fact", "x" * 201), "has 201 characters"),
        (Draft("Fact", ""), "has 0 characters"),
        (Draft("Fact", "two\nlines"), "one line"),
        (Draft("Fact", "!?!"), "no word"),
        (Draft("Rumour", "x"), "unknown kind 'Rumour'"),
        (Draft("Fact", "password = 'sword" + "fish'"), r"password assignment"),
        (Draft("Fact", "x", "y" * 513), "has 513 characters"),
    ],
)
def test_what_cannot_be_an_entry_is_refused_and_changes_nothing(desk, draft, why):
    desk.add("one")
    before = list(desk.machine.snapshot())
    desk.machine.take_events()
    for command in (
        AddEntry(SPACE, "session", draft),
        TakeCheckpoint(SPACE, "session", (Draft("Fact", "fine"), draft)),
    ):
        with pytest.raises(Misuse, match=why) as refused:
            desk("ann", command)
        assert "swordfish" not in str(refused.value)
    assert list(desk.machine.snapshot()) == before
    assert desk.machine.take_events() == []


def test_two_hundred_characters_are_kept_as_they_are(desk):
    desk.add("é" * 200)
    assert contents(desk.playbook()) == ["é" * 200]


def test_an_entry_that_harmed_more_than_it_helped_goes_at_the_next_checkpoint(desk):
    desk.add("use tabs")
    desk("ann", VoteEntry(SPACE, "session", 1, False))
    assert contents(desk.playbook()) == ["use tabs"]
    desk("ann", VoteEntry(SPACE, "session", 1, True))
    assert desk.checkpoint().evicted == ()
    now = desk("ann", VoteEntry(SPACE, "session", 1, False))
    assert (now.entry.n_helpful, now.entry.n_harmful) == (1, 2)
    assert desk.checkpoint().evicted == (EvictedEntry(1, "harmful"),)
    assert desk.playbook().entries == ()
    assert desk.playbook().n_evicted == 1


def test_fifty_turns_without_a_confirmation_are_the_end(desk):
    desk.add("use the fast path")
    for _ in range(49):
        assert desk.checkpoint().evicted == ()
    desk("ann", ConfirmEntry(SPACE, "session", 1))
    for _ in range(49):
        assert desk.checkpoint().evicted == ()
    taken = desk.checkpoint()
    assert (taken.turn, taken.evicted) == (99, (EvictedEntry(1, "unconfirmed"),))


def test_a_draft_that_confirms_saves_its_entry_at_the_last_turn(desk):
    desk.add("use the fast path")
    for _ in range(49):
        desk.checkpoint()
    assert desk.checkpoint("use the fast path").evicted == ()


def test_numbers_are_never_used_again(desk):
    desk.add("one")
    desk("ann", EvictEntry(SPACE, "session", 1))
    assert desk.add("one").entry_id == 2
    with pytest.raises(Misuse, match="entry 1 is not in this playbook, its number was evicted"):
        desk("ann", ConfirmEntry(SPACE, "session", 1))
    with pytest.raises(Misuse, match="its number was never given out"):
        desk("ann", VoteEntry(SPACE, "session", 3, True))


def test_of_too_many_entries_the_least_salient_goes_and_it_is_said(make_desk):
    desk = make_desk(max_entries=3)
    for content in ("alpha", "beta", "gamma"):
        desk.add(content)
    desk("ann", VoteEntry(SPACE, "session", 1, True))
    desk("ann", ConfirmEntry(SPACE, "session", 2))
    added = desk.add("delta")
    assert (added.n_entries, added.evicted) == (3, (EvictedEntry(3, "full"),))
    assert contents(desk.playbook()) == ["alpha", "beta", "delta"]
    assert desk("", GetStatistics()).evicted == (("full", 1),)


def test_five_hundred_entries_are_kept(desk):
    for n in range(501):
        added = desk.add(f"entry {n} says {n * 7919}")
    assert (added.n_entries, len(added.evicted)) == (500, 1)


def test_a_project_entry_ages_only_by_sessions_that_were_shown_it(desk):
    desk.add("shared by all", scope="project")
    for _ in range(60):
        desk.checkpoint(agent="bob", scope="project")
    (entry,) = desk.playbook("").entries
    assert (entry.n_turns, desk.playbook("").turn) == (0, 0)
    desk("bob", ShowEntries(SPACE, 1))
    desk.add("said later", scope="project")
    desk.checkpoint(agent="bob", scope="project")
    desk.checkpoint(agent="cyd", scope="project")
    assert [entry.n_turns for entry in desk.playbook("").entries] == [1, 0]


def test_nobody_can_have_been_shown_what_was_not_there(desk):
    desk.add("shared by all", scope="project")
    with pytest.raises(Misuse, match="entry 2 was never given out: the last one is 1"):
        desk("bob", ShowEntries(SPACE, 2))


def test_playbooks_of_sessions_and_projects_are_apart(desk):
    desk.add("mine")
    desk.add("yours", agent="bob")
    desk.add("ours", scope="project")
    assert [contents(desk.playbook(owner)) for owner in ("ann#1", "bob#1", "")] == [["mine"], ["yours"], ["ours"]]


def test_a_session_goes_on_with_the_playbook_of_an_earlier_one(desk):
    desk.add("one")
    desk.add("two")
    resumed = desk("bob", ResumePlaybook(SPACE, "ann#1"))
    assert playbook_text(resumed.entries) == playbook_text(desk.playbook().entries)
    assert desk.add("three", agent="bob").entry_id == 3
    assert contents(desk.playbook()) == ["one", "two"]


@pytest.mark.parametrize(("from_session", "why"), [("cyd#1", "has no playbook"), ("", "has no playbook")])
def test_what_cannot_be_resumed_is_refused(desk, from_session, why):
    desk.add("one")
    with pytest.raises(Misuse, match=why):
        desk("bob", ResumePlaybook(SPACE, from_session))
    desk.add("own", agent="bob")
    with pytest.raises(Misuse, match="has a playbook already"):
        desk("bob", ResumePlaybook(SPACE, "ann#1"))


def test_of_too_many_playbooks_the_idlest_session_s_goes_and_numbers_stay_used(make_desk):
    desk = make_desk(max_playbooks=2)
    desk.add("ours", scope="project")
    desk.add("one")
    desk.add("two")
    desk.add("theirs", agent="bob")
    assert contents(desk.playbook("")) == ["ours"]
    assert desk.playbook().entries == ()
    assert desk.add("one").entry_id == 3


def test_at_most_fifty_entries_come_with_a_checkpoint(desk):
    with pytest.raises(Misuse, match="51 entries at one checkpoint are over the limit of 50"):
        desk.checkpoint(*(f"entry {n}" for n in range(51)))
    assert len(desk.checkpoint(*(f"entry {n}" for n in range(50))).entry_ids) == 50


def test_who_was_shown_a_project_is_bounded(desk):
    desk.add("ours", scope="project")
    for n in range(257):
        desk(f"agent-{n}", ShowEntries(SPACE, 1))
    desk.checkpoint(agent="agent-0", scope="project")
    assert desk.playbook("").entries[0].n_turns == 0
    desk.checkpoint(agent="agent-1", scope="project")
    assert desk.playbook("").entries[0].n_turns == 1


def test_entries_that_last_and_still_help_are_counted(desk):
    desk.add("good")
    desk.add("bad")
    desk("ann", VoteEntry(SPACE, "session", 1, True))
    for _ in range(9):
        desk.checkpoint()
    assert desk("", GetStatistics()).n_lasting == 0
    desk.checkpoint()
    seen = desk("", GetStatistics())
    assert (seen.n_lasting, seen.n_lasting_helpful, seen.n_became_lasting, seen.n_turns) == (2, 1, 2, 10)


def test_lessons_are_entries_about_something_that_have_helped(desk):
    for content, about, scope in (("one", "a.py", "project"), ("two", "", "project"), ("three", "b.py", "session")):
        number = desk.add(content, about=about, scope=scope).entry_id
        desk("ann", VoteEntry(SPACE, scope, number, True))
    desk.add("four", about="a.py", kind="Pitfall", scope="project")
    found = desk("", GetLessons(SPACE, "ann#1"))
    assert [entry.content for entry in found.project] == ["one"]
    assert [entry.content for entry in found.session] == ["three"]
    assert desk("", GetLessons(SPACE, "")).session == ()


def mended(content, about="a.py"):
    return Draft("Pitfall", content, about, is_mended=True)


def lessons(desk, owner="ann#1"):
    return [entry.content for entry in desk("", GetLessons(SPACE, owner)).session]


def test_what_mended_a_failure_is_a_lesson_before_anybody_has_voted(desk):
    drafts = (mended("an edit from a map missed"), Draft("Pitfall", "it is slow", "a.py"), mended("of nothing", ""))
    desk("ann", TakeCheckpoint(SPACE, "session", drafts))
    assert lessons(desk) == ["an edit from a map missed"]


def test_what_mended_a_failure_and_harmed_since_is_no_lesson_until_it_helps(desk):
    desk("ann", TakeCheckpoint(SPACE, "session", (mended("an edit from a map missed"),)))
    for is_helpful, shown in ((False, []), (True, ["an edit from a map missed"]), (False, [])):
        desk("ann", VoteEntry(SPACE, "session", 1, is_helpful))
        assert lessons(desk) == shown
    desk("ann", VoteEntry(SPACE, "session", 1, False))
    assert desk.checkpoint().evicted == (EvictedEntry(1, "harmful"),)


def test_an_entry_that_somebody_wrote_becomes_a_lesson_when_the_same_mends_a_failure(desk):
    desk.add("an edit from a map missed", kind="Pitfall", about="a.py")
    assert lessons(desk) == []
    desk("ann", TakeCheckpoint(SPACE, "session", (mended("an edit from a map missed"),)))
    (entry,) = desk.playbook().entries
    assert (entry.n_confirmed, entry.is_mended) == (1, True)
    desk.add("an edit from a map missed", kind="Pitfall", about="a.py")
    assert lessons(desk) == ["an edit from a map missed"]


def test_whoever_resumes_is_shown_what_was_mended(desk):
    desk("ann", TakeCheckpoint(SPACE, "session", (mended("an edit from a map missed"),)))
    desk("bob", ResumePlaybook(SPACE, "ann#1"))
    assert lessons(desk, "bob#1") == ["an edit from a map missed"]


@pytest.mark.parametrize("scope", ["", "everybody"])
def test_an_unknown_scope_is_refused(desk, scope):
    with pytest.raises(Misuse, match="unknown scope"):
        desk.add("one", scope=scope)
