"""Whatever the actors may say has words on the page: a code that nobody explains is a fault of ours."""

import re

import pytest

from actors.memory.entry import KINDS as ENTRY_KINDS
from actors.quality_store.cause import FAILURES
from actors.quality_store.trial import MEASURES
from actors.runtime.holdout import LAYERS
from actors.scent_field.signal import SignalKind
from coordinator.domain import DOMAINS
from coordinator.efficacy.interval import VERDICTS
from coordinator.page.asset import FOLDER

WORDS = (FOLDER / "words.js").read_text(encoding="utf-8")
STYLE = (FOLDER / "style.css").read_text(encoding="utf-8")
REASONS = ("claimed", "queued", "lock_delay", "timeout", "would_deadlock")


def keys(name: str) -> set[str]:
    """The keys of an exported object."""
    found = re.search(rf"export const {name} = {{(.*?)}};", WORDS, re.DOTALL)
    assert found is not None, name
    return set(re.findall(r"(?:^|[{,\s])([A-Za-z_]+): [^,]", found.group(1)))


@pytest.mark.parametrize(
    ("name", "codes"),
    [
        ("KIND_TITLES", tuple(SignalKind)),
        ("REASONS", REASONS),
        ("CAUSES", FAILURES),
        ("LAYERS", LAYERS),
        ("MEASURES", tuple({measure for measures in MEASURES.values() for measure in measures})),
        ("VERDICTS", VERDICTS),
        ("ACTORS", tuple(DOMAINS)),
    ],
)
def test_every_code_has_words(name: str, codes: tuple[str, ...]) -> None:
    assert set(map(str, codes)) <= keys(name)


def test_every_kind_of_signal_has_its_colour_in_dark_and_in_light() -> None:
    for kind in SignalKind:
        assert len(re.findall(rf"--{kind.lower()}: #", STYLE)) == 2
        assert len(re.findall(rf"--{kind.lower()}-fill: #", STYLE)) == 2
        assert f'[data-kind="{kind}"]' in STYLE


def test_every_kind_of_entry_is_marked() -> None:
    assert all(f".mark.{kind.lower()}" in STYLE for kind in ENTRY_KINDS)
