"""What the exporter costs: at a scrape each 15 seconds less than a hundredth of a processor, with 100,000 signals."""

from __future__ import annotations

import sys
import urllib.request
from typing import Any

import psutil
import pytest

from actors.scent_field.messages import LeaveSignal
from actors.sessions.messages import Register
from coordinator.conversation import Conversation, value_of
from coordinator.domain import DOMAINS, SCENT_FIELD
from coordinator.settings import Settings

pytestmark = [pytest.mark.cluster, pytest.mark.timeout(400)]
N_SIGNALS = 100_000
N_OF_SESSION = 4_000
N_OF_REQUEST = 500
N_SCRAPES = 40
SCRAPE_INTERVAL_S = 15.0
MAX_BYTES = 2 * 10**6


def fill(settings: Settings) -> None:
    """25 sessions that leave 4,000 signals each."""
    from coordinator.ray_transport import RayTransport

    transport = RayTransport(settings.namespace)
    schema = DOMAINS[SCENT_FIELD].schema
    for session in range(N_SIGNALS // N_OF_SESSION):
        token = f"{session:032x}"
        register = Register(f"agent{session}", token, "", "decay", 3_600.0)
        stranger = Conversation(schema, "", "")
        raw = transport.call(SCENT_FIELD, stranger.unnumbered([register]), 60.0)
        own = Conversation(schema, value_of(stranger.answers(raw, 1)[0]).session_id, token)
        for first in range(0, N_OF_SESSION, N_OF_REQUEST):
            places = range(session * N_OF_SESSION + first, session * N_OF_SESSION + first + N_OF_REQUEST)
            number, raw = own.numbered([LeaveSignal("full", "AVOID", f"src/part{place}.py", 1.0) for place in places])
            answers = own.answers(transport.call(SCENT_FIELD, raw, 60.0), N_OF_REQUEST)
            own.received(number)
            assert all(value_of(answer).intensity == 1.0 for answer in answers)


def test_a_scrape_is_cheap_and_small_with_very_many_signals(
    prometheus: Any, metrics_url: str, settings: Settings
) -> None:
    import ray

    fill(settings)
    exporter: Any = ray.get_actor("exporter", namespace=settings.namespace)
    process = psutil.Process(ray.get(exporter.describe.remote(), timeout=60.0)["pid"])
    prometheus.pause()
    try:
        before = sum(process.cpu_times()[:2])
        for _ in range(N_SCRAPES):
            with urllib.request.urlopen(metrics_url, timeout=30.0) as answer:
                body = answer.read()
        cpu_s = (sum(process.cpu_times()[:2]) - before) / N_SCRAPES
    finally:
        prometheus.go_on()
    held = float(next(line for line in body.decode().splitlines() if 'signals{kind="avoid"}' in line).split()[-1])
    sys.stdout.write(f"{held:.0f} signals: {cpu_s * 1e3:.1f} ms of processor a scrape, {len(body)} bytes\n")
    assert held >= N_SIGNALS
    assert cpu_s / SCRAPE_INTERVAL_S < 0.01
    assert len(body) < MAX_BYTES
