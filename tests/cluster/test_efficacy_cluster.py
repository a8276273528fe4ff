"""What the exporter says of efficacy is what the signed ledger alone says, through kills of those who tell it."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import urllib.request
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from prometheus_client.parser import text_string_to_metric_families

from coordinator.client import Coordinator
from coordinator.settings import Settings

pytestmark = [pytest.mark.cluster, pytest.mark.timeout(300)]


@pytest.fixture
def settings(settings: Settings) -> Settings:
    """The same with an exporter, a price, and half of the files held out."""
    more = {"metrics": True, "metrics_port": 0, "token_price": 3.0, "holdout_share": 0.5, "ttl_s": 60.0}
    return Settings(**{**settings.model_dump(), **more})


def scrape(url: str) -> dict[tuple[str, ...], float]:
    """Each sample by its name and the values of its labels, in the order of their names."""
    with urllib.request.urlopen(url, timeout=20.0) as answer:
        text = answer.read().decode()
    return {
        (sample.name, *(value for _, value in sorted(sample.labels.items()))): sample.value
        for family in text_string_to_metric_families(text)
        for sample in family.samples
    }


def figures_of(settings: Settings, *arguments: str) -> dict[str, Any]:
    """What `scentfield efficacy` says, in a process of its own."""
    names = ("namespace", "address", "data_dir", "space", "token_price", "holdout_share")
    mine = {f"SCENTFIELD_{name.upper()}": str(getattr(settings, name)) for name in names}
    ended = subprocess.run(
        [sys.executable, "-c", "from coordinator.cli.main import run; run()", "efficacy", *arguments, "--json"],
        env={**os.environ, **mine, "SCENTFIELD_GATEWAY__ENABLED": "false"},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert ended.returncode == 0, (ended.stdout, ended.stderr)
    document: dict[str, Any] = json.loads(ended.stdout)
    return document


def exported(document: dict[str, Any]) -> dict[tuple[str, ...], float]:
    """The document as the samples that the exporter should have; labels in the order of their names."""
    found: dict[tuple[str, ...], float | None] = {
        ("scentfield_efficacy_net_saved_tokens",): document["net_saved_tokens"],
        ("scentfield_efficacy_net_saved_price",): document["net_saved_price"],
        ("scentfield_efficacy_playbook_survival_ratio",): document["playbook_survival"],
    }
    for week, name in (("this", "this_week"), ("before", "week_before")):
        found["scentfield_efficacy_bounce_rate", week] = document["bounce_rate"][name]
        found["scentfield_efficacy_bounce_reads", week] = document["bounce_reads"][name]
    for end, placed in document["placements"].items():
        found["scentfield_efficacy_placement_hit_rate", end] = document["placement_hit_rate"][end]
        for result in ("hit", "miss"):
            found["scentfield_efficacy_placements", end, result] = placed["n_hits" if result == "hit" else "n_misses"]
    for source, n in document["duplicates_prevented"].items():
        found["scentfield_efficacy_duplicates_prevented", source] = n
    for row in document["edit_failures"]:
        found["scentfield_edit_failures_total", row["cause"], row["extension"], row["mode"]] = row["n"]
    for one in document["layers"]:
        key = (one["layer"], one["measure"])
        for name in ("difference", "difference_low", "difference_high"):
            found[f"scentfield_layer_{name}", *key] = one[name.rpartition("_")[2]]
        for arm in ("treatment", "holdout"):
            found["scentfield_layer_ratio", arm, *key] = one[arm]
            found["scentfield_layer_units", arm, *key] = one[f"n_{arm}_units"]
        found["scentfield_layer_units_missing", *key] = one["n_units_missing"]
        for verdict in ("not_yet_known", "helps", "no_difference", "harms"):
            found["scentfield_layer_verdict", *key, verdict] = float(one["verdict"] == verdict)
    return {key: value for key, value in found.items() if value is not None}


def test_the_exporter_and_the_ledger_alone_agree_on_every_figure(
    coordinator_up: Settings, tree: Path, actor_pid: Callable[[str], int], wait_until: Callable[..., Any]
) -> None:
    from coordinator.cluster import up

    for number in range(24):
        body = "".join(f"def f{line}():\n    return {line}\n" for line in range(250))
        (tree / "src" / f"{number}.py").write_text(body, encoding="utf-8")
    with (
        Coordinator.connect(agent="ann", root=tree, settings=coordinator_up) as ann,
        Coordinator.connect(agent="bob", root=tree, settings=coordinator_up) as bob,
    ):
        ann.playbook.add("Pitfall", "generated, edit the template", about="src/0.py")
        ann.playbook.vote(1, helpful=True)
        for _ in range(11):
            ann.playbook.checkpoint()
        for number in range(24):
            ann.read(f"src/{number}.py", "map")
            if number % 3 == 0:
                assert not ann.edit(f"src/{number}.py", "return 9999", "return 1")
            elif number % 3 == 1:
                ann.read(f"src/{number}.py", "full")
        for number in range(24):  # the pair is risky by now: half of the files go without the penalty
            bob.read(f"src/{number}.py")
        ann.claim("src/a.py")
        assert not bob.claim("src/a.py")
        os.kill(actor_pid("quality_store"), signal.SIGKILL)
        url = up(coordinator_up).metrics_url
        scraped = wait_until(
            lambda: (
                (seen := scrape(url)).get(("scentfield_layer_units", "holdout", "edit_penalty", "loss_rate")) and seen
            ),
            60.0,
        )
        alone = figures_of(coordinator_up, "--from-ledger")
        running = figures_of(coordinator_up)
    assert running.pop("off") == []
    assert {name: alone[name] for name in running} == running
    expected = exported(alone)
    names = {key[0] for key in expected} | {"scentfield_efficacy_placement_hit_rate"}
    assert {key: value for key, value in scraped.items() if key[0] in names} == expected
    assert alone["duplicates_prevented"] == {"claim": 1, "guard": 0, "hook": 0}
    # The edit of src/0.py missed, which spoke against the lesson that was shown for it.
    assert (alone["n_became_lasting"], alone["playbook_survival"]) == (1, 0.0)
