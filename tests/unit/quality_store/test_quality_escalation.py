from actors.quality_store.escalation import Escalation, Escalations


def armed(*items):
    escalations = Escalations()
    for path, at in items:
        escalations.arm(Escalation("home", path, at))
    return escalations


def paths(escalations):
    return [row[1] for row in escalations.rows()]


def test_arming_again_makes_an_escalation_the_youngest():
    escalations = armed(("a", 1.0), ("b", 2.0), ("a", 3.0))
    assert list(escalations.rows()) == [["home", "b", 2.0], ["home", "a", 3.0]]
    assert escalations.oldest() == Escalation("home", "b", 2.0)


def test_one_that_comes_back_takes_its_place_by_age():
    assert paths(armed(("a", 1.0), ("c", 3.0), ("b", 2.0))) == ["a", "b", "c"]
    assert paths(armed(("a", 1.0), ("c", 3.0), ("b", 1.0))) == ["a", "b", "c"]
    assert paths(armed(("a", 2.0), ("b", 2.0))) == ["a", "b"]


def test_lapsed_ones_are_found_from_the_oldest_on():
    escalations = armed(("a", 1.0), ("b", 2.0), ("c", 3.0))
    assert [lapsed.path for lapsed in escalations.lapsed(2.0)] == ["a"]
    assert escalations.n_live(2.0) == 2
    assert escalations.get("home", "a", 2.0) is None
    assert escalations.get("home", "b", 2.0) == Escalation("home", "b", 2.0)
    assert escalations.get("other", "b", 2.0) is None
