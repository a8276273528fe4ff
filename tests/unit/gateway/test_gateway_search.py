"""Finding text in a tree."""

from __future__ import annotations

import subprocess
from pathlib import Path

from coordinator.gateway.search import DEADLINE_S, MAX_FILE_BYTES, MAX_LINE_CHARS, search


def tree(folder: Path, **files: str) -> Path:
    for name, text in files.items():
        path = folder / name.replace("__", "/")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return folder


def places(root: Path, query: str, glob: str = "", limit: int = 10) -> list[tuple[str, int]]:
    return [(hit.path, hit.line) for hit in search(root, query, glob=glob, limit=limit).hits]


def test_a_line_has_to_hold_all_words_in_any_order_and_case(tmp_path: Path) -> None:
    root = tree(tmp_path, a="Parse the file\nfile only\nnothing", src__b="THE FILE: parse\n")
    assert places(root, "parse file") == [("a", 1), ("src/b", 1)]
    assert places(root, "parse file", glob="src/*") == [("src/b", 1)]
    assert places(root, "absent") == []


def test_git_decides_which_files_there_are(tmp_path: Path) -> None:
    root = tree(tmp_path, a="word", ignored="word", new="word", **{".hidden": "word", ".gitignore": "ignored\n"})
    subprocess.run(["git", "init", "-q", str(root)], check=True)
    subprocess.run(["git", "-C", str(root), "add", "a"], check=True)
    assert places(root, "word") == [(".hidden", 1), ("a", 1), ("new", 1)]


def test_without_git_hidden_files_are_left_out(tmp_path: Path) -> None:
    root = tree(tmp_path, a="word", **{".hidden": "word", ".folder/b": "word"})
    assert places(root, "word") == [("a", 1)]


def test_a_program_in_a_repository_s_configuration_is_not_run(tmp_path: Path) -> None:
    root = tree(tmp_path / "repo", a="word")
    subprocess.run(["git", "init", "-q", str(root)], check=True)
    program = tmp_path / "monitor"
    program.write_text(f"#!/bin/sh\ntouch {tmp_path / 'was_run'}\n")
    program.chmod(0o755)
    subprocess.run(["git", "-C", str(root), "config", "core.fsmonitor", str(program)], check=True)
    assert places(root, "word") == [("a", 1)]
    assert not (tmp_path / "was_run").exists()


def test_links_and_what_is_no_text_are_not_looked_into(tmp_path: Path) -> None:
    root = tree(tmp_path / "root", binary="word\0", large="word\n" * (MAX_FILE_BYTES // 5 + 1))
    secret = tree(tmp_path / "outside", secret="word")
    (root / "link").symlink_to(secret / "secret")
    (root / "folder").symlink_to(secret)
    assert places(root, "word") == []


def test_more_lines_than_were_asked_for_are_counted_and_long_ones_cut(tmp_path: Path) -> None:
    root = tree(tmp_path, a="word\n" * 5, b="word " * 200)
    found = search(root, "word", limit=2)
    assert ([hit.line for hit in found.hits], found.n_more, found.n_files) == ([1, 2], 4, 2)
    assert len(search(root, "word", glob="b", limit=1).hits[0].text) == MAX_LINE_CHARS


def test_a_search_that_takes_too_long_says_where_it_stopped(tmp_path: Path) -> None:
    root = tree(tmp_path, a="word", b="word", c="word")
    times = iter([0.0, 1.0, DEADLINE_S + 1.0])
    found = search(root, "word", limit=10, monotonic=lambda: next(times))
    assert [hit.path for hit in found.hits] == ["a"]
    assert found.not_looked_at == "stopped before b: name a glob, to look at fewer files"


def test_what_lies_behind_a_link_is_not_looked_into_where_git_has_recorded_it(tmp_path: Path) -> None:
    root = tree(tmp_path / "root", a="word", folder__secret="word")
    subprocess.run(["git", "init", "-q", str(root)], check=True)
    subprocess.run(["git", "-C", str(root), "add", "."], check=True)
    (root / "folder" / "secret").unlink()
    (root / "folder").rmdir()
    (root / "folder").symlink_to(tree(tmp_path / "outside", secret="word"))
    assert places(root, "word") == [("a", 1)]
    (tmp_path / "way").symlink_to(root)
    assert places(tmp_path / "way", "word") == [("a", 1)], "a root may be named by a link"
