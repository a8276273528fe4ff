"""Boards for Grafana and rules for Prometheus: what they show, and how they get to where they run."""
