"""Reading and editing with and without coordination."""

from __future__ import annotations

from agents_demo.hands import CoordinatedHands, PlainHands


def test_both_hands_show_the_same_text_for_the_same_tokens(tree, join):
    plain, coordinated = PlainHands(tree), CoordinatedHands(join("ann"))
    for path in ("a.py", "pkg/b.py"):
        assert plain.read(path, "auto") == coordinated.read(path, "auto")
        assert plain.read(path, "full") == coordinated.read(path, "full")
    assert plain.expand("a.py", "f") == coordinated.expand("a.py", "f")


def test_what_is_shown_of_a_whole_file_is_its_text(tree):
    shown = PlainHands(tree).read("a.py", "full")
    assert shown.text == (tree / "a.py").read_text()
    assert shown.is_whole
    assert shown.n_tokens > 0


def test_a_unit_that_is_not_there_is_nothing_to_show(tree, join):
    assert PlainHands(tree).expand("a.py", "nobody") is None
    assert CoordinatedHands(join("ann")).expand("a.py", "nobody") is None


def test_without_coordination_a_save_of_an_older_text_takes_the_others_change_away(tree):
    ann, bob = PlainHands(tree), PlainHands(tree)
    ann.read("a.py", "full")
    bob.read("a.py", "full")
    assert ann.edit("a.py", "y == None", "y is None").landed
    assert bob.edit("a.py", '"%s" % (x,)', 'f"{x!s}"').landed
    assert "y == None" in (tree / "a.py").read_text()


def test_reading_again_just_before_the_edit_keeps_the_others_change(tree):
    ann, bob = (PlainHands(tree, rereads=True) for _ in range(2))
    ann.read("a.py", "full")
    bob.read("a.py", "full")
    assert ann.edit("a.py", "y == None", "y is None").landed
    assert bob.edit("a.py", '"%s" % (x,)', 'f"{x!s}"').landed
    text = (tree / "a.py").read_text()
    assert ("y is None" in text, 'f"{x!s}"' in text) == (True, True)


def test_an_agents_own_edits_follow_each_other(tree):
    ann = PlainHands(tree)
    ann.read("a.py", "full")
    assert ann.edit("a.py", "y == None", "y is None").landed
    assert ann.edit("a.py", '"%s" % (x,)', 'f"{x!s}"').landed
    assert "y is None" in (tree / "a.py").read_text()


def test_a_text_that_occurs_twice_is_refused_with_its_cause_and_its_price(tree, join):
    for hands in (PlainHands(tree), CoordinatedHands(join("ann"))):
        hands.read("pkg/b.py", "full")
        answer = hands.edit("pkg/b.py", "return", "yield")
        assert (answer.landed, answer.already_done, answer.cause) == (False, False, "ambiguous")
        assert answer.n_tokens > 0


def test_an_edit_that_somebody_else_has_made_is_already_done(tree, join):
    for first, second in (
        (PlainHands(tree, rereads=True), PlainHands(tree, rereads=True)),
        (CoordinatedHands(join("ann")), CoordinatedHands(join("bob"))),
    ):
        (tree / "a.py").write_text("x = y == None\n")
        first.read("a.py", "full")
        second.read("a.py", "full")
        assert first.edit("a.py", "y == None", "y is None").landed
        answer = second.edit("a.py", "y == None", "y is None")
        assert (answer.landed, answer.already_done) == (False, True)


def test_an_agent_without_learning_is_shown_what_the_rule_from_before_says_whatever_was_learned(tree, join):
    body = "".join(f"    y{number} = x + {number}\n" for number in range(8))
    (tree / "long.py").write_text("".join(f"def f{number}(x):\n{body}    return x\n\n\n" for number in range(40)))
    coordinator = join("ann")
    learning, plain = CoordinatedHands(coordinator), CoordinatedHands(coordinator, learns=False)
    first = plain.read("long.py", "auto")
    assert (first.mode, first.source) == ("map", "map_over_400_lines")
    assert not coordinator.edit("long.py", "    y7 = x + 7\n    return  x\n", "x\n")  # misses: escalated
    again = plain.read("long.py", "auto")
    assert (again.mode, again.source) == ("map", "map_over_400_lines")
    escalated = learning.read("long.py", "auto")
    assert (escalated.mode, escalated.source) == ("full", "edit_fail_escalation")
    assert plain.read("a.py", "auto").source == "small_file"
