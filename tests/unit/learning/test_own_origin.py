"""Who a data folder is among those that share what they have learned."""

from __future__ import annotations

import json
import re
import shutil
import stat
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from actors.runtime.errors import Corrupt, Misuse
from actors.thresholds.factory import make_thresholds
from coordinator.learning import origin as module
from coordinator.learning.origin import own_origin


def test_an_origin_is_drawn_once_and_kept(tmp_path: Path) -> None:
    state = tmp_path / "made" / "state"
    origin = own_origin(state)
    assert re.fullmatch(r"[0-9a-f]{16}", origin)
    assert own_origin(state) == own_origin(state) == origin
    assert stat.S_IMODE((state / "origin.json").stat().st_mode) == 0o600
    assert stat.S_IMODE(state.stat().st_mode) == 0o700
    assert [path.name for path in state.iterdir()] == ["origin.json"]
    make_thresholds(origin=origin)  # raises for what is no origin


def test_two_folders_have_two_origins(tmp_path: Path) -> None:
    assert own_origin(tmp_path / "a") != own_origin(tmp_path / "b")


def test_a_copy_of_the_folder_draws_its_own_and_the_first_keeps_its(tmp_path: Path) -> None:
    first = own_origin(tmp_path / "a")
    shutil.copytree(tmp_path / "a", tmp_path / "b")
    copied = own_origin(tmp_path / "b")
    assert copied != first
    assert own_origin(tmp_path / "b") == copied
    assert own_origin(tmp_path / "a") == first


def test_a_folder_that_was_moved_stays_who_it_is(tmp_path: Path) -> None:
    first = own_origin(tmp_path / "a")
    (tmp_path / "a").rename(tmp_path / "b")
    assert own_origin(tmp_path / "b") == first


def test_the_same_file_on_another_machine_is_another_origin(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first = own_origin(tmp_path)
    (tmp_path / "machine-id").write_text("another one\n", encoding="utf-8")
    monkeypatch.setattr(module, "_MACHINE_IDS", (tmp_path / "none", tmp_path / "machine-id"))
    assert own_origin(tmp_path) != first


def test_a_machine_without_an_id_goes_by_its_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "empty").write_text("\n", encoding="utf-8")
    monkeypatch.setattr(module, "_MACHINE_IDS", (tmp_path / "empty", tmp_path / "none"))
    monkeypatch.setattr(module.socket, "gethostname", lambda: "left")
    first = own_origin(tmp_path / "state")
    assert own_origin(tmp_path / "state") == first
    monkeypatch.setattr(module.socket, "gethostname", lambda: "right")
    assert own_origin(tmp_path / "state") != first


def test_nothing_of_the_machine_is_in_the_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_MACHINE_IDS", ())
    monkeypatch.setattr(module.socket, "gethostname", lambda: "secret-host")
    own_origin(tmp_path)
    assert "secret" not in (tmp_path / "origin.json").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"{}",
        b"[]",
        b"null",
        b"\xff\xfe",
        b"[" * 100_000,
        b'{"origin": "0011223344556677"}',
        b'{"origin": "../../etc", "place": "0"}',
        b'{"origin": "0x11_22", "place": "0"}',
        b'{"origin": "", "place": "0"}',
        b'{"origin": 12, "place": "0"}',
    ],
)
def test_a_file_that_holds_no_origin_is_corrupt_and_left_alone(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "origin.json"
    path.write_bytes(content)
    with pytest.raises(Corrupt, match=r"origin\.json does not hold this machine's origin .*remove it to begin"):
        own_origin(tmp_path)
    assert path.read_bytes() == content


def test_what_cannot_be_read_is_corrupt_too(tmp_path: Path) -> None:
    (tmp_path / "origin.json").mkdir()
    with pytest.raises(Corrupt, match="Is a directory"):
        own_origin(tmp_path)


def test_a_file_in_the_folders_place_is_misuse(tmp_path: Path) -> None:
    (tmp_path / "state").write_bytes(b"")
    with pytest.raises(Misuse, match="cannot be a folder of ours"):
        own_origin(tmp_path / "state")


def test_several_that_begin_at_one_time_are_one_origin(tmp_path: Path) -> None:
    with ThreadPoolExecutor(8) as pool:
        drawn = set(pool.map(lambda _: own_origin(tmp_path), range(16)))
    assert len(drawn) == 1
    assert json.loads((tmp_path / "origin.json").read_bytes())["origin"] in drawn
