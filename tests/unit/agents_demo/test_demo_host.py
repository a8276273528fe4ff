"""Where the demo's coordinator comes from, as far as it goes without a cluster."""

from __future__ import annotations

import os

import pytest

from agents_demo.host import namespace_of
from coordinator.settings import Settings


@pytest.mark.parametrize("namespace", ["ours", "n" * 48])
def test_a_demos_namespace_is_a_namespace_of_its_own_each_time(namespace):
    first, second = namespace_of(namespace), namespace_of(namespace)
    assert first.startswith(f"{namespace[:20]}")
    assert f"-demo-{os.getpid()}-" in first
    assert first != second
    assert Settings(namespace=first).namespace == first
