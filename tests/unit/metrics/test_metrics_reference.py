"""docs/metrics.md lists exactly what is exported, and deploy/prometheus.yml scrapes where it is served."""

import shutil
import subprocess
from pathlib import Path

import pytest

from coordinator.metrics.collector import METRICS
from coordinator.metrics.reference import reference
from coordinator.settings import Settings

REPOSITORY = Path(__file__).parents[3]
PAGE = REPOSITORY / "docs" / "metrics.md"
PROMETHEUS = REPOSITORY / "deploy" / "prometheus.yml"


def test_the_page_is_what_the_code_says() -> None:
    how = "run: python -m coordinator.metrics.reference > docs/metrics.md"
    assert PAGE.read_text(encoding="utf-8") == reference(), how


def test_the_page_lists_each_metric_once_with_its_type_and_meaning() -> None:
    rows = [line for line in PAGE.read_text(encoding="utf-8").splitlines() if line.startswith("| `scentfield_")]
    told = [(cells[1].strip("` "), cells[2].strip(), cells[4].strip()) for row in rows if (cells := row.split("|"))]
    assert told == [(metric.name, metric.kind, metric.help) for metric in METRICS]


def test_prometheus_is_told_the_default_address() -> None:
    fields = Settings.model_fields
    address = f"{fields['metrics_host'].default}:{fields['metrics_port'].default}"
    assert f'targets: ["{address}"]' in PROMETHEUS.read_text(encoding="utf-8")


def test_promtool_accepts_the_configuration() -> None:
    promtool = shutil.which("promtool")
    if promtool is None:
        pytest.skip("missing system package: prometheus")
    checked = subprocess.run([promtool, "check", "config", PROMETHEUS], capture_output=True, text=True, timeout=30)
    assert checked.returncode == 0, checked.stdout + checked.stderr
