"""Copying the source tree that the demo works on."""

from __future__ import annotations

from pathlib import Path

import pytest

from actors.runtime.errors import Misuse
from agents_demo.tree import copy_tree, source_paths


def library(root: Path, files: dict[str, bytes]) -> Path:
    for path, content in files.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_bytes(content)
    return root


def test_modules_and_known_packages_are_copied_byte_for_byte(tmp_path: Path) -> None:
    files = {"os.py": b"x = 1\r\n", "json/a/b.py": b"y = 2\n", "json/__init__.py": b""}
    tree = copy_tree(tmp_path / "copy", source=library(tmp_path / "lib", files))
    assert (tree.paths, tree.n_files, tree.n_bytes) == (("json/__init__.py", "json/a/b.py", "os.py"), 3, 13)
    assert {path: (tree.root / path).read_bytes() for path in tree.paths} == files


@pytest.mark.parametrize(
    "path",
    [
        "site-packages/m.py",
        "json/test/t.py",
        "unittest/tests/t.py",
        "json/__pycache__/x.py",
        "unknown/m.py",
        "json/data.txt",
        "_sysconfigdata_x.py",
    ],
)
def test_what_is_no_library_source_is_left_out(tmp_path: Path, path: str) -> None:
    assert source_paths(library(tmp_path, {"os.py": b"", path: b""})) == ["os.py"]


@pytest.mark.parametrize("content", [b"# \xff\n", b"x = (\n", b"x = 1\ry = 2\n"])
def test_files_that_agents_could_not_work_on_are_left_out(tmp_path: Path, content: bytes) -> None:
    tree = copy_tree(tmp_path / "copy", source=library(tmp_path / "lib", {"a.py": b"", "b.py": content}))
    assert tree.paths == ("a.py",)


def test_links_are_not_followed(tmp_path: Path) -> None:
    root = library(tmp_path, {"os.py": b""})
    (root / "link.py").symlink_to(root / "os.py")
    assert source_paths(root) == ["os.py"]


def test_a_folder_that_holds_something_is_refused(tmp_path: Path) -> None:
    library(tmp_path, {"mine.py": b""})
    with pytest.raises(Misuse, match="not empty"):
        copy_tree(tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["mine.py"]


def test_a_source_without_python_is_refused(tmp_path: Path) -> None:
    with pytest.raises(Misuse, match="no Python source"):
        copy_tree(tmp_path / "copy", source=library(tmp_path / "lib", {"a.txt": b""}))


def test_the_running_pythons_library_has_more_than_a_hundred_files(tmp_path: Path) -> None:
    tree = copy_tree(tmp_path / "copy")
    assert tree.n_files >= 100
    assert list(tree.paths) == sorted(tree.paths)
    assert "json/decoder.py" in tree.paths
    assert not any("test" in Path(path).parent.parts for path in tree.paths)
