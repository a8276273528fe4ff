"""What a model's name means."""

from __future__ import annotations

import pytest

from actors.embedding.source import Folder, HubRepository, Packaged, Source, source_of
from actors.runtime.errors import Misuse


@pytest.mark.parametrize(
    ("name", "source"),
    [
        ("off", None),
        ("static", Packaged("static")),
        ("minilm", Packaged("minilm")),
        ("file:/models/mine", Folder("file:/models/mine", "/models/mine")),
        ("hf:org/repo", HubRepository("hf:org/repo@main", "org", "repo", "main")),
        ("hf:org/repo-2.0_x@v1.5", HubRepository("hf:org/repo-2.0_x@v1.5", "org", "repo-2.0_x", "v1.5")),
    ],
)
def test_names_mean_sources(name: str, source: Source | None) -> None:
    assert source_of(name) == source


@pytest.mark.parametrize("name", ["", "Static", "file:", "bert", "hf", "http://host/x"])
def test_other_names_are_refused_with_the_known_ones(name: str) -> None:
    with pytest.raises(Misuse, match="take static, minilm, file:DIR, hf:org/repo@revision, or off"):
        source_of(name)


@pytest.mark.parametrize(
    "name",
    ["hf:", "hf:repo", "hf:a/b/c", "hf:../etc@main", "hf:a/..", "hf:a/b@../x", "hf:a/b@", "hf:a/b?x=1", "hf:-a/b"],
)
def test_what_names_no_repository_is_refused(name: str) -> None:
    with pytest.raises(Misuse, match="names no repository"):
        source_of(name)
