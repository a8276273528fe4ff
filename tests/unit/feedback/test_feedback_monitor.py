import inspect

import pytest

from actors.quality_store.quality_window import BEFORE, MAX_DROP, MIN_ANSWERS, RECENT
from actors.runtime.errors import Misuse
from coordinator.feedback.monitor import QualityMonitor


def test_the_names_and_defaults_are_the_contract_s() -> None:
    parameters = inspect.signature(QualityMonitor).parameters
    assert {name: parameter.default for name, parameter in parameters.items()} == {"window_size": 100, "threshold": 0.6}
    assert (RECENT, BEFORE, MIN_ANSWERS, MAX_DROP) == (5, 20, 10, 0.15)


def test_an_empty_monitor_knows_nothing() -> None:
    monitor = QualityMonitor(window_size=100, threshold=0.6)
    assert (len(monitor), monitor.mean, monitor.share_below, monitor.drop) == (0, None, None, None)
    assert not monitor.detect_degradation()


def test_asking_changes_nothing() -> None:
    monitor = QualityMonitor()
    for quality in [0.8] * 10 + [0.5] * 5:
        monitor.record(quality)
    assert [monitor.detect_degradation() for _ in range(3)] == [True, True, True]
    assert len(monitor) == 15


@pytest.mark.parametrize("quality", [-0.01, 1.01, float("nan"), "good", None, True])
def test_what_is_no_quality_is_refused_and_not_counted(quality: object) -> None:
    monitor = QualityMonitor()
    with pytest.raises(Misuse, match="quality="):
        monitor.record(quality)  # type: ignore[arg-type]  # that is the point
    assert len(monitor) == 0


@pytest.mark.parametrize("size", [0, -1, 2.5, True, 10**9])
def test_a_window_has_a_size(size: object) -> None:
    with pytest.raises(Misuse, match="window_size="):
        QualityMonitor(window_size=size)  # type: ignore[arg-type]  # the same
