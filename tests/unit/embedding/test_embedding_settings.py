"""What can be set, and what the actor gets of it."""

from __future__ import annotations

import stat
from pathlib import Path

import pytest
from pydantic import ValidationError

from coordinator.embedding.launch import embedding_config
from coordinator.embedding.settings import EmbeddingSettings
from coordinator.settings import Settings


@pytest.mark.parametrize("in_the_table", [True, False])
@pytest.mark.parametrize(("variable", "expected"), [(True, True), (False, False), (None, None)])
def test_the_variable_wins_both_ways(in_the_table: bool, variable: bool | None, expected: bool | None) -> None:
    embedding = EmbeddingSettings(auto_download=in_the_table).with_variable(variable)
    assert embedding.auto_download is (in_the_table if expected is None else expected)


def test_the_actor_gets_what_is_set_and_a_private_folder(tmp_path: Path) -> None:
    embedding = EmbeddingSettings(
        model="hf:a/b", auto_download=False, hub_url="http://127.0.0.1:1/", stall_s=3.0, n_threads=1, max_vectors=7
    )
    config = embedding_config(Settings(data_dir=tmp_path / "state"), embedding)
    assert config.model == "hf:a/b"
    assert config.folder == str(tmp_path / "state" / "models")
    assert stat.S_IMODE(Path(config.folder).stat().st_mode) == 0o700
    assert (config.rules.hub_url, config.rules.may_download, config.rules.stall_s) == ("http://127.0.0.1:1", False, 3.0)
    assert (config.n_threads, config.limits.max_vectors) == (1, 7)


def test_a_folders_path_is_spelt_out(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert EmbeddingSettings(model="file:models/mine").model == f"file:{tmp_path}/models/mine"


@pytest.mark.parametrize(
    ("field", "value", "said"),
    [
        ("model", "bert", "take static, minilm"),
        ("hub_url", "ftp://host", "pattern"),
        ("n_threads", 0, "greater than or equal to 1"),
        ("downloads", True, "Extra inputs"),
    ],
)
def test_what_cannot_be_used_is_refused_by_name(field: str, value: object, said: str) -> None:
    with pytest.raises(ValidationError, match=said):
        EmbeddingSettings.model_validate({field: value})


def test_off_is_not_wanted() -> None:
    assert not EmbeddingSettings(model="off").is_wanted
    assert EmbeddingSettings().is_wanted
