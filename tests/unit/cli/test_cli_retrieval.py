"""Indexing and searching from the shell; no coordinator runs."""

from pathlib import Path
from typing import Any

import pytest


@pytest.fixture
def pages(tree: Path) -> Path:
    (tree / "pets.md").write_text("# Pets\n\n## Parrot\n\nIt talks.\n\n## Walrus\n\n" + "It swims.\n" * 9)
    return tree


def test_index_says_what_it_took_in_and_left_out(alone: Any, pages: Path) -> None:
    (pages / "x.bin").write_bytes(b"\0")
    document = alone.json("index")
    assert {name: document[name] for name in ("n_files", "n_sections", "n_vectors", "n_indexed", "left_out")} == {
        "n_files": 3,
        "n_sections": 4,
        "n_vectors": 4,
        "n_indexed": 5,
        "left_out": {"binary": 1, "nothing to find it by": 1},
    }
    again = alone("index")
    assert again.exit_code == 0
    assert again.stdout.splitlines()[0] == f"{pages.resolve()}: 3 files, 4 sections, 4 with a vector"
    assert again.stdout.splitlines()[1].startswith("indexed 0 files, forgot 0, in ")
    assert again.stdout.splitlines()[2] == "left out: 1 binary, 1 nothing to find it by"


def test_search_needs_no_index_of_a_small_tree(alone: Any, pages: Path) -> None:
    result = alone("search", "which animal swims?", "--top-k", "1")
    assert result.exit_code == 0, result.stderr
    assert result.stdout.splitlines()[0] == "1. pets.md:7-17 Walrus (both)"
    assert result.stdout.splitlines()[-1] == "    and 5 more lines (--whole)"
    assert result.stderr == ""


def test_search_as_a_document(alone: Any, pages: Path) -> None:
    document = alone.json("search", "parrot", "--top-k", "1", "--level", "0.5")
    assert document["notes"] == []
    (passage,) = document["passages"]
    assert (passage["path"], passage["title"], passage["first_line"], passage["source"]) == (
        "pets.md",
        "Parrot",
        3,
        "both",
    )
    assert passage["text"].startswith("## Parrot\n")


def test_a_whole_passage_is_printed_as_it_is(alone: Any, pages: Path) -> None:
    (pages / "odd.md").write_bytes(b"# Zebra [red]\n\n\x1b[31mstripes\r\n")
    assert alone("search", "zebra", "--top-k", "1", "--whole").stdout_bytes.endswith(b"\n\x1b[31mstripes\r\n")


def test_nothing_found_is_said(alone: Any, pages: Path) -> None:
    result = alone("search", "xyzzy", SCENTFIELD_EMBEDDING__MODEL="off")
    assert (result.exit_code, result.stdout) == (0, "nothing was found\n")
    assert result.stderr.startswith("looked for by words alone: the embedding model is switched off")


def test_a_model_that_only_its_actor_has_is_said_to_be_out_of_reach(alone: Any, pages: Path) -> None:
    result = alone("index", SCENTFIELD_EMBEDDING__MODEL="minilm")
    assert result.exit_code == 0
    assert "words alone will be looked for: the embedding model 'minilm' is asked through its actor" in result.stderr


@pytest.mark.parametrize(
    "arguments", [("search", "?!"), ("search", "a", "--top-k", "0"), ("search", "a", "--level", "2")]
)
def test_what_cannot_be_searched_is_a_usage_error(alone: Any, pages: Path, arguments: tuple[str, ...]) -> None:
    assert alone.json(*arguments, expect=2)["error"]["code"] == "misuse"


def test_another_tree_can_be_named(alone: Any, pages: Path, tmp_path: Path) -> None:
    other = tmp_path / "other"
    other.mkdir()
    (other / "a.md").write_text("# Zebra\n\nStripes.\n")
    assert alone.json("index", str(other))["root"] == str(other.resolve())
    assert alone.json("search", "zebra", "--root", str(other))["passages"][0]["path"] == "a.md"
    assert alone("index", str(tmp_path / "none")).exit_code == 2


def test_a_large_tree_has_to_be_indexed_first(alone: Any, pages: Path) -> None:
    for number in range(70):
        (pages / f"{number}.md").write_text(f"# Zebra {number}\n\nStripes.\n")
    refused = alone("search", "zebra")
    assert refused.exit_code == 4
    assert refused.stderr.splitlines() == [
        f"error: there is no index of {str(pages.resolve())!r} yet: make it with `scentfield index`"
    ]
    assert alone.json("search", "zebra", expect=4)["error"]["code"] == "no_index"
    assert alone("index").exit_code == 0
    assert alone("search", "zebra").exit_code == 0
