"""All files of the boards, as they are put beside a Prometheus and a Grafana.

    prometheus.yml                              scrapes the exporter and Ray's nodes, and loads the rules
    rules/scentfield.yml                        recording and alert rules
    grafana/dashboards/*.json                   the boards
    grafana/provisioning/datasources, dashboards    tell Grafana of both

Dashboards and rules are shipped as they are; the other three name addresses and folders of where they run.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

SHIPPED: Final = Path(__file__).parent / "shipped"
_DASHBOARDS: Final = "grafana/dashboards"


@dataclass(frozen=True, slots=True)
class Site:
    """Where things run: `exporter` as host:port, Prometheus as Grafana reaches it, and the folder of the boards."""

    exporter: str = "127.0.0.1:9464"
    prometheus_url: str = "http://127.0.0.1:9090"
    dashboards: str = "/etc/scentfield/grafana/dashboards"


def shipment(site: Site) -> Mapping[str, str]:
    """The files by their names below the folder that they are put into."""
    return {
        "prometheus.yml": _PROMETHEUS.replace("{exporter}", site.exporter),
        **{f"rules/{file.name}": file.read_text("utf-8") for file in sorted(SHIPPED.glob("rules/*.yml"))},
        **{f"{_DASHBOARDS}/{file.name}": file.read_text("utf-8") for file in sorted(SHIPPED.glob("dashboards/*.json"))},
        "grafana/provisioning/datasources/scentfield.yml": _DATASOURCE.replace("{url}", _quoted(site.prometheus_url)),
        "grafana/provisioning/dashboards/scentfield.yml": _PROVIDER.replace("{path}", _quoted(site.dashboards)),
    }


def _quoted(text: str) -> str:
    """A text in YAML's single quotes; a dollar is doubled, as Grafana would put a variable's value in its place."""
    return "'" + text.replace("'", "''").replace("$", "$$") + "'"


_PROMETHEUS: Final = """\
# Prometheus beside `scentfield up` on one machine: prometheus --config.file=prometheus.yml
# To add it to a Prometheus that you have: its two jobs, and rules/scentfield.yml under rule_files.
global:
  scrape_interval: 15s
  scrape_timeout: 5s # the exporter itself waits two seconds for a state actor that is silent
  evaluation_interval: 15s

rule_files: ["rules/scentfield.yml"]

scrape_configs:
  - job_name: scentfield
    static_configs:
      - targets: ["{exporter}"]

  # Ray's own metrics, from each node of the cluster; the exporter knows where they are. Ray's own boards find here what
  # they expect.
  - job_name: ray
    scrape_timeout: 10s # a node's agent is slow on a busy machine
    http_sd_configs:
      - url: "http://{exporter}/ray-nodes"
        refresh_interval: 15s
"""
_DATASOURCE: Final = """\
apiVersion: 1
datasources:
  - name: Scentfield Prometheus
    uid: scentfield-prometheus
    type: prometheus
    access: proxy
    url: {url}
    jsonData:
      timeInterval: 15s # as often as Prometheus scrapes; Grafana derives the windows of its rates from it
"""
_PROVIDER: Final = """\
apiVersion: 1
providers:
  - name: Scentfield
    folder: Scentfield
    type: file
    options:
      path: {path}
"""
