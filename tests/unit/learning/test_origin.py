import json
import shutil
from pathlib import Path

import pytest

from actors.runtime.errors import Corrupt
from coordinator.learning.origin import ORIGIN_FILE, own_origin


def test_an_origin_is_drawn_once_and_kept(tmp_path: Path) -> None:
    first = own_origin(tmp_path / "state")
    assert own_origin(tmp_path / "state") == first
    assert len(bytes.fromhex(first)) == 8
    assert (tmp_path / "state" / ORIGIN_FILE).stat().st_mode & 0o777 == 0o600


def test_a_copy_of_the_folder_draws_its_own_and_the_original_keeps_its(tmp_path: Path) -> None:
    first = own_origin(tmp_path / "state")
    shutil.copytree(tmp_path / "state", tmp_path / "copy")
    copied = own_origin(tmp_path / "copy")
    assert copied != first
    assert own_origin(tmp_path / "copy") == copied
    assert own_origin(tmp_path / "state") == first


def test_a_folder_that_was_moved_keeps_its_origin(tmp_path: Path) -> None:
    first = own_origin(tmp_path / "state")
    (tmp_path / "state").rename(tmp_path / "moved")
    assert own_origin(tmp_path / "moved") == first


@pytest.mark.parametrize("text", ["", "{}", "[]", json.dumps({"origin": "xyz", "place": ""})])
def test_a_file_that_holds_no_origin_stops_and_is_left_as_it_is(tmp_path: Path, text: str) -> None:
    path = tmp_path / ORIGIN_FILE
    path.write_text(text, encoding="utf-8")
    with pytest.raises(Corrupt, match="does not hold this machine's origin"):
        own_origin(tmp_path)
    assert path.read_text(encoding="utf-8") == text
