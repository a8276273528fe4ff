"""The token's file."""

from __future__ import annotations

from pathlib import Path

import pytest

from actors.runtime.errors import Corrupt, Misuse
from coordinator.gateway.token import FILE_NAME, own_token, read_token


def test_a_token_is_drawn_once_and_only_its_owner_can_read_it(tmp_path: Path) -> None:
    assert read_token(tmp_path) == ""
    token = own_token(tmp_path)
    assert len(token) >= 32
    assert own_token(tmp_path) == read_token(tmp_path) == token
    assert (tmp_path / FILE_NAME).stat().st_mode & 0o777 == 0o600


def test_a_token_that_others_can_read_is_none(tmp_path: Path) -> None:
    own_token(tmp_path)
    (tmp_path / FILE_NAME).chmod(0o640)
    with pytest.raises(Misuse, match="has mode 0640"):
        read_token(tmp_path)


def test_a_file_that_holds_no_token_is_said_to(tmp_path: Path) -> None:
    own_token(tmp_path)
    (tmp_path / FILE_NAME).write_text("short")
    with pytest.raises(Corrupt, match="does not hold a token"):
        own_token(tmp_path)
