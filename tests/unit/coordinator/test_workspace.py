import os
import unicodedata
from pathlib import Path

import pytest

from actors.runtime.errors import BadTarget
from coordinator.workspace import Workspace


def write(path: Path, text: str = "") -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    return path


@pytest.fixture
def root(tmp_path: Path) -> Path:
    root = tmp_path / "tree"
    for name in ("src/api.py", "src/web/v1.py", "app/[id]/page.tsx", "README.md"):
        write(root / name)
    return root


@pytest.fixture
def workspace(root: Path) -> Workspace:
    return Workspace(root, space="here", case_insensitive=False)


@pytest.mark.parametrize(
    ("given", "target"),
    [
        ("src/api.py", "src/api.py"),
        ("./src//web/../api.py", "src/api.py"),
        ("./src//nowhere/../api.py", "src/api.py"),
        ("src/new/file.py", "src/new/file.py"),
        ("src", "src/"),
        ("src/", "src/"),
        ("new/", "new/"),
        ("new/.", "new/"),
        ("src/web/..", "src/"),
        (".", "./"),
        ("./", "./"),
        ("src/*.py", "src/*.py"),
        ("./src//web/../**/*.py", "src/**/*.py"),
        ("src/*/", "src/*/"),
        ("*", "*"),
        ("task:login", "task:login"),
        ("./task:login", "task[:]login"),
        ("app/[id]/page.tsx", "app/[[]id]/page.tsx"),
        ("app/[id]/new.tsx", "app/[[]id]/new.tsx"),
        ("app/[id]", "app/[[]id]/"),
        ("app/[id]/*.tsx", "app/[[]id]/*.tsx"),
        ("app/[[]id]/page.tsx", "app/[[]id]/page.tsx"),
        ("app/[ab]/page.tsx", "app/[ab]/page.tsx"),
        ("e\u0301.py", "\u00e9.py"),
        (Path("src/api.py"), "src/api.py"),
        (Path("app/[ab]/x.py"), "app/[[]ab]/x.py"),
        (Path("task:login"), "task[:]login"),
    ],
)
def test_what_somebody_names_has_one_spelling(workspace: Workspace, given: str | Path, target: str) -> None:
    assert workspace.target(given) == target
    assert workspace.target(target) == target


def test_an_absolute_path_under_the_root_is_relative_to_it(workspace: Workspace, root: Path) -> None:
    assert workspace.target(f"{root}/src/api.py") == "src/api.py"
    assert workspace.target(root / "src") == "src/"
    assert workspace.target(f"{root}/src/*.py") == "src/*.py"
    assert workspace.target(str(root)) == "./"


def test_a_relative_path_starts_at_the_working_folder_when_one_is_given(workspace: Workspace, root: Path) -> None:
    assert workspace.target("api.py", cwd=root / "src") == "src/api.py"
    assert workspace.target("../README.md", cwd="src") == "README.md"
    assert workspace.target("../*.md", cwd=root / "src") == "*.md"
    assert workspace.target("[id]/page.tsx", cwd="app") == "app/[[]id]/page.tsx"
    assert workspace.target(root / "README.md", cwd=root / "src") == "README.md"


def test_links_are_followed_as_far_as_the_path_exists(workspace: Workspace, root: Path) -> None:
    (root / "link").symlink_to("src")
    (root / "api-link.py").symlink_to("src/api.py")
    assert workspace.target("link/new.py") == "src/new.py"
    assert workspace.target("link/*.py") == "src/*.py"
    assert workspace.target("link") == "src/"
    assert workspace.target("api-link.py") == "src/api.py"
    assert workspace.target("link/../README.md") == "README.md"


def test_a_root_that_is_reached_by_a_link_is_the_same_root(root: Path, tmp_path: Path) -> None:
    (tmp_path / "alias").symlink_to(root)
    workspace = Workspace(tmp_path / "alias", space="here")
    assert workspace.root == root.resolve()
    assert workspace.target(f"{tmp_path}/alias/src/api.py") == "src/api.py"


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ("", "is empty"),
        ("a\0b", "NUL"),
        ("a" * 10_000_000, "has 10000000 characters"),
        ("a/" * 600 + "a", "has 1201 characters"),
        ("a" * 300, "a name of 300 characters"),
        ("..", "outside the root"),
        ("../tree-2/a", "outside the root"),
        ("src/../../a", "outside the root"),
        ("/", "outside the root"),
        ("/etc/passwd", "outside the root"),
        ("/etc/*.conf", "outside the root"),
        ("../*.py", "outside the root"),
        ("out/a", "outside the root"),
        ("out/*.py", "outside the root"),
        ("out", "outside the root"),
        ("src/*/../../..", "'..' after a wildcard"),
        ("src/[ab", "never closed"),
        ("src/a\\b", "backslash"),
        ("src/a\nb", "'\\n'"),
        ("task:", "without a name"),
    ],
)
def test_what_cannot_be_a_target_is_refused_with_the_reason(
    workspace: Workspace, root: Path, given: str, said: str
) -> None:
    (root / "out").symlink_to(root.parent)
    with pytest.raises(BadTarget) as refused:
        workspace.target(given)
    assert said in refused.value.message
    assert len(refused.value.message) < 1500


def test_a_name_that_is_not_unicode_is_refused(workspace: Workspace) -> None:
    with pytest.raises(BadTarget, match="broken Unicode"):
        workspace.target(os.fsdecode(b"src/\xff.py"))


def test_case_is_folded_where_the_file_system_does_not_tell_it_apart(root: Path) -> None:
    workspace = Workspace(root, space="here", case_insensitive=True)
    assert workspace.target("SRC/Api.py") == workspace.target("src/api.py") == "src/api.py"
    assert workspace.target("New/**/Test_[A-C]*.PY") == "new/**/test_[a-c]*.py"
    assert workspace.target("README.md") == "readme.md"
    assert workspace.target("Task:a") == "task[:]a"
    assert workspace.target("task:Login") == "task:Login"
    assert workspace.target(str(root).swapcase() + "/src/a.py") == "src/a.py"


def test_a_folded_target_leads_to_the_file_under_its_real_name(root: Path) -> None:
    workspace = Workspace(root, space="here", case_insensitive=True)
    write(root / "Straße" / "A.py")
    assert workspace.path("readme.md") == root.resolve() / "README.md"
    assert workspace.path(workspace.target("Straße/A.py")) == root.resolve() / "Straße" / "A.py"
    assert workspace.path("src/new.py") == root.resolve() / "src" / "new.py"


def test_case_is_looked_up_by_the_names_that_are_there(root: Path, tmp_path: Path) -> None:
    looked_up = Workspace(root, space="here").case_insensitive
    assert looked_up is (root / "readme.MD").exists()
    (tmp_path / "1" / "2").mkdir(parents=True)
    assert Workspace(tmp_path / "1", space="here").case_insensitive is False


def test_one_file_in_two_cases_does_not_make_a_root_case_insensitive(tmp_path: Path) -> None:
    write(tmp_path / "tree" / "a")
    try:
        (tmp_path / "tree" / "A").touch(exist_ok=False)
    except FileExistsError:
        pytest.skip("this file system does not tell cases apart")
    assert Workspace(tmp_path / "tree", space="here").case_insensitive is False


def test_a_file_target_has_a_path_inside_the_root(workspace: Workspace, root: Path) -> None:
    assert workspace.path("src/api.py") == root.resolve() / "src" / "api.py"
    assert workspace.path("app/[[]id]/page.tsx") == root.resolve() / "app" / "[id]" / "page.tsx"
    assert workspace.path("not/there/yet.py") == root.resolve() / "not" / "there" / "yet.py"


def test_a_name_that_is_not_nfc_on_disk_is_found(workspace: Workspace, root: Path) -> None:
    written = write(root / unicodedata.normalize("NFD", "é") / "a.py")
    assert workspace.target(written.parent) == "é/"
    assert workspace.path("é/a.py").samefile(written)


@pytest.mark.parametrize("text", ["src/", "src/*.py", "task:a", "./", "../a", "/etc/passwd", "a/../../b"])
def test_only_a_canonical_file_target_has_a_path(workspace: Workspace, text: str) -> None:
    with pytest.raises(BadTarget):
        workspace.path(text)


def test_a_link_that_leads_elsewhere_has_no_path(workspace: Workspace, root: Path) -> None:
    (root / "out").symlink_to(root.parent)
    (root / "file-out").symlink_to("/etc/passwd")
    (root / "inner").symlink_to("src")
    for text in ("out/a.py", "file-out"):
        with pytest.raises(BadTarget, match="leads out of the root by a link"):
            workspace.path(text)
    with pytest.raises(BadTarget, match=r"claim what it leads to, 'src/api\.py'"):
        workspace.path("inner/api.py")


def test_a_link_to_itself_has_no_way_out(workspace: Workspace, root: Path) -> None:
    (root / "loop").symlink_to("loop")
    assert workspace.target("loop/a") == "loop/a"
    with pytest.raises(OSError, match="loop"):
        workspace.path("loop/a").read_text()


def test_the_nearest_parent_with_git_or_settings_is_the_root(tmp_path: Path) -> None:
    start = tmp_path / "repo" / "sub" / "deep"
    start.mkdir(parents=True)
    (tmp_path / "repo" / ".git").mkdir()
    assert Workspace.discover(start, space="s").root == tmp_path.resolve() / "repo"
    file = write(start / "a.py")
    assert Workspace.discover(file, space="s").root == tmp_path.resolve() / "repo"
    write(tmp_path / "repo" / "sub" / "scentfield.toml")
    assert Workspace.discover(start, space="s").root == tmp_path.resolve() / "repo" / "sub"


def test_without_a_mark_the_start_is_the_root(tmp_path: Path) -> None:
    (tmp_path / "a" / "b").mkdir(parents=True)
    assert Workspace.discover(tmp_path / "a" / "b").root == tmp_path.resolve() / "a" / "b"


def repository_with_work_tree(folder: Path) -> tuple[Path, Path]:
    """What `git worktree add ../other` leaves on disk."""
    own = folder / "repo" / ".git" / "worktrees" / "other"
    own.mkdir(parents=True)
    (folder / "other").mkdir()
    (folder / "other" / ".git").write_text(f"gitdir: {own}\n")
    (own / "commondir").write_text("../..\n")
    return folder / "repo", folder / "other"


def test_work_trees_of_one_repository_share_a_space(tmp_path: Path) -> None:
    main, other = repository_with_work_tree(tmp_path)
    assert Workspace(main).space == Workspace(other).space
    assert Workspace(main).space.startswith("repo-")
    assert Workspace.discover(other / "sub").root == other.resolve()


def test_a_submodule_and_another_clone_have_spaces_of_their_own(tmp_path: Path) -> None:
    (tmp_path / "repo" / ".git" / "modules" / "lib").mkdir(parents=True)
    write(tmp_path / "repo" / "lib" / ".git", "gitdir: ../.git/modules/lib\n")
    (tmp_path / "clone" / "repo" / ".git").mkdir(parents=True)
    spaces = {Workspace(tmp_path / at).space for at in ("repo", "repo/lib", "clone/repo")}
    assert len(spaces) == 3


def test_a_root_below_the_top_of_its_work_tree_has_a_space_of_its_own(tmp_path: Path) -> None:
    main, other = repository_with_work_tree(tmp_path)
    for tree in (main, other):
        (tree / "sub").mkdir()
    assert Workspace(main / "sub").space != Workspace(main).space
    assert Workspace(main / "sub").space == Workspace(other / "sub").space


def test_without_git_the_root_makes_the_space_and_a_given_name_wins(tmp_path: Path) -> None:
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
    assert Workspace(tmp_path / "one").space == Workspace(tmp_path / "two" / ".." / "one").space
    assert Workspace(tmp_path / "one").space != Workspace(tmp_path / "two").space
    assert Workspace(tmp_path / "one", space="team").space == "team"


@pytest.mark.parametrize(
    "text",
    [
        "src/api.py",
        "src/new/file.py",
        "README.md/below",
        "src/web",
        "to_web",
        "to_web/v1.py",
        "to_file.py",
        "nowhere",
        "nowhere/below.py",
        "loop/x.py",
        f"src/{'n' * 240}.py",
    ],
)
def test_a_plain_path_means_the_same_whether_or_not_the_folders_above_the_root_are_looked_at(
    root: Path, workspace: Workspace, text: str
) -> None:
    (root / "to_web").symlink_to("src/web")
    (root / "to_file.py").symlink_to("src/api.py")
    (root / "nowhere").symlink_to("src/missing")
    (root / "loop").symlink_to("loop")
    assert workspace.target(text) == workspace.target(text, cwd=root)


def test_a_plain_path_through_a_link_that_leads_out_of_the_root_is_refused(root: Path, workspace: Workspace) -> None:
    (root / "out").symlink_to(root.parent)
    with pytest.raises(BadTarget, match="outside the root"):
        workspace.target("out/x.py")
