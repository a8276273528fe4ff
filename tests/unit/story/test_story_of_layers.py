"""Who has switched a learned layer on or off is told of the layer and of the agent, and of no target."""

import pytest

from actors.runtime.errors import Misuse
from actors.runtime.holdout import EDIT_PENALTY, LAYERS, LESSONS, UNIT_RANKING
from actors.runtime.layer_switch import SwitchLayer
from coordinator.story.subject import LayerSubject

QUALITY, THRESHOLDS, MEMORY = "quality_store", "thresholds", "memory"
SERVED = [(QUALITY, EDIT_PENALTY, "q"), (THRESHOLDS, UNIT_RANKING, "t"), (MEMORY, LESSONS, "m")]


@pytest.mark.parametrize(("domain", "layer", "letter"), SERVED)
def test_a_switching_is_told_with_its_reason_and_what_it_takes_back(past, domain, layer, letter):
    ann, bob = past.register("ann"), past.register("bob")
    past.wait(1.0)
    past.send(domain, ann, SwitchLayer(layer, False, "does not help"))
    past.send(domain, ann, SwitchLayer(layer, False, "once more"))
    past.send(domain, bob, SwitchLayer(layer, True, ""))
    story = past.story_of(LayerSubject(layer))
    assert past.named(story) == [(ann, "switched off", ""), (bob, "switched on", "switched off")]
    first = story.facts[0]
    assert (first.targets, first.space, first.detail, first.request) == ((layer,), "", "does not help", 1)
    assert (first.domain, first.ref[0]) == (domain, letter)
    assert past.told(ann) == [(ann, "registered", ""), (ann, "switched off", "")]
    assert past.told(bob) == [(bob, "registered", ""), (ann, "switched off", ""), (bob, "switched on", "switched off")]


@pytest.mark.parametrize(("domain", "layer", "letter"), SERVED)
def test_a_layer_that_was_off_before_the_journal_begins_is_said_to_be(past, domain, layer, letter):
    ann = past.register("ann")
    past.send(domain, ann, SwitchLayer(layer, False, "does not help"))
    past.fold(domain)
    past.send(domain, ann, SwitchLayer(layer, True, ""))
    story = past.story_of(LayerSubject(layer))
    assert past.named(story) == [(ann, "was off", ""), (ann, "switched on", "was off")]
    assert story.facts[0].detail == "does not help"
    past.fold(domain)
    assert past.story_of(LayerSubject(layer)).facts == ()


def test_a_file_that_is_named_like_a_layer_has_its_own_story(past):
    ann = past.register("ann")
    past.send(QUALITY, ann, SwitchLayer(EDIT_PENALTY, False, ""))
    past.claim(ann, EDIT_PENALTY)
    assert past.told(EDIT_PENALTY) == [(ann, "granted", "")]
    assert past.named(past.story_of(LayerSubject(EDIT_PENALTY))) == [(ann, "switched off", "")]


def test_a_layer_is_asked_for_in_the_store_of_its_domain_alone(past):
    ann = past.register("ann")
    for domain, layer, _ in SERVED:
        past.send(domain, ann, SwitchLayer(layer, False, ""))
        assert [one.domain for one in past.story_of(LayerSubject(layer)).horizons] == [domain]
    assert len(past.story(ann).horizons) == 4
    assert [one.domain for one in past.story("a.py").horizons] == ["scent_field", QUALITY]


@pytest.mark.parametrize("name", ["", "lesson", "LESSONS", "lessons ", "a#1"])
def test_what_is_no_layer_is_refused_with_those_there_are(name):
    with pytest.raises(Misuse, match=", ".join(LAYERS)):
        LayerSubject(name)
