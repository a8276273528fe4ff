"""Nobody outside this machine, and no other user on it, can reach what `up` starts."""

from __future__ import annotations

import ipaddress
import stat
from pathlib import Path

import psutil
import pytest

from coordinator.head import protect_token
from coordinator.settings import Settings

SHARED_COORDINATOR = True
pytestmark = [pytest.mark.cluster, pytest.mark.timeout(120)]


def _listeners(process: psutil.Process) -> list[tuple[str, str, int]]:
    try:
        connections = process.net_connections(kind="inet")
        return [(process.name(), *one.laddr) for one in connections if one.status == psutil.CONN_LISTEN]
    except psutil.NoSuchProcess:
        return []


def test_everything_listens_on_loopback_only(coordinator_up: Settings, head_family: list[psutil.Process]) -> None:
    driver = psutil.Process()
    listeners = [one for process in (*head_family, driver) for one in _listeners(process)]
    assert len(listeners) > 5
    assert [one for one in listeners if not _is_loopback(one[1])] == []


def _is_loopback(address: str) -> bool:
    found = ipaddress.ip_address(address)
    mapped = found.ipv4_mapped if isinstance(found, ipaddress.IPv6Address) else None
    return (mapped or found).is_loopback


def test_the_state_is_readable_by_its_owner_only(coordinator_up: Settings) -> None:
    folder = coordinator_up.state_dir
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    assert {file.name: oct(stat.S_IMODE(file.stat().st_mode)) for file in folder.glob("*.sqlite3")} == {
        "scent_field.sqlite3": "0o600",
        "quality_store.sqlite3": "0o600",
        "thresholds.sqlite3": "0o600",
        "memory.sqlite3": "0o600",
    }


def test_the_token_is_readable_by_its_owner_only(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("RAY_AUTH_TOKEN", "RAY_AUTH_TOKEN_PATH"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HOME", str(tmp_path))
    protect_token()
    token = tmp_path / ".ray" / "auth_token"
    assert stat.S_IMODE(token.stat().st_mode) == 0o600
    assert len(token.read_text(encoding="utf-8")) == 64
    token.chmod(0o644)
    before = token.read_bytes()
    protect_token()
    assert stat.S_IMODE(token.stat().st_mode) == 0o600
    assert token.read_bytes() == before
