"""It goes on when the coordinator goes and comes back."""

from top_example import Example, sight

from actors.runtime.errors import Unavailable
from coordinator.top.scout import EFFICACY_EVERY_S, Scout
from coordinator.top.sight import Sight


class Way:
    """Leads to a lookout, or nowhere."""

    def __init__(self, *found):
        self.found = list(found)
        self.n_asked = 0

    def __call__(self):
        self.n_asked += 1
        found = self.found[min(self.n_asked, len(self.found)) - 1]
        if isinstance(found, Exception):
            raise found
        return found


class Blind:
    def look(self):
        return Sight(9.0, problems={"scent_field": "the gateway cannot be reached"})


def test_what_was_seen_last_stays_while_nothing_is_seen_and_says_how_old_it_is():
    now = [2.0]
    way = Way(Example(), Unavailable("no gateway answers"))
    scout = Scout(way, lambda: now[0])
    scout.look()
    assert (scout.problem, scout.missing_s) == ("", 0.0)
    scout._lookout = Blind()
    now[0] = 9.0
    scout.look()
    assert (scout.problem, scout.missing_s) == ("the gateway cannot be reached", 7.0)
    assert scout.sight.at_s == 2.0
    scout.look()
    assert scout.problem == "no gateway answers", "the way is looked for anew"


def test_it_comes_back_at_another_place():
    way = Way(Blind(), Unavailable("nothing yet"), Example())
    scout = Scout(way, lambda: 0.0)
    for _ in range(3):
        scout.look()
    assert (way.n_asked, scout.problem, scout.sight.at_s) == (3, "", 2.0)
    scout.look()
    assert way.n_asked == 3, "a way that leads somewhere is kept"


def test_efficacy_is_asked_for_now_and_then():
    asked = []

    class Counting(Example):
        def efficacy(self, counters):
            asked.append(counters["reads"])
            if len(asked) == 2:
                raise Unavailable("memory gave no answer")
            return [["fine"]]

    scout = Scout(Way(Counting()), lambda: 0.0)
    for _ in range(int(EFFICACY_EVERY_S // 2)):
        scout.look()
    assert (len(asked), scout.efficacy) == (1, [["fine"]])
    scout.look()
    assert scout.efficacy == [["It cannot be told now", "  memory gave no answer"]]
    assert scout.problem == "", "the rest is seen all the same"


def test_half_blind_is_not_blind():
    half = sight(1, accounts={}, counters=None, problems={"quality_store": "gone"})
    assert not half.is_blind
