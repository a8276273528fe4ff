"""Puts the exporter beside the state actors of a namespace."""

from __future__ import annotations

from coordinator.efficacy.terms import terms_of
from coordinator.metrics.exporter import EXPORTER, Exporter, ExporterConfig
from coordinator.settings import Settings
from coordinator.web.launch import WebActor


def start_exporter(settings: Settings) -> bool:
    """Create the exporter unless it is there or not wanted; True if it was created. Does not wait for it."""
    if not settings.metrics:
        return False
    where = settings.metrics_host, settings.metrics_port, str(settings.state_dir)
    config = ExporterConfig(settings.namespace, *where, settings.log.config(), terms_of(settings))
    return _exporter(settings).start(Exporter, config)


def exporter_url(settings: Settings) -> str:
    """Where the exporter serves, once it does; empty if there is none. Raises `Unavailable` as `WebActor.url`."""
    asked_for = bool(settings.model_fields_set & {"metrics_host", "metrics_port"})
    return _exporter(settings).url(was_asked_for=asked_for)


def _exporter(settings: Settings) -> WebActor:
    return WebActor(EXPORTER, settings.namespace, "set metrics to false")
