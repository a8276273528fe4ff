"""Git with the guard in its hooks: real repositories, commits and pushes, and a gateway that really listens."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from coordinator.client import Coordinator
from coordinator.gateway.address_file import GatewayAddress, write_address
from coordinator.guard.check import HOOKS
from coordinator.guard.hook_folder import HookFolder
from coordinator.settings import Settings

PROGRAM = str(Path(sys.executable).with_name("scentfield"))
COMMAND = (PROGRAM, "guard", "check")
IDENTITY = {
    "GIT_CONFIG_GLOBAL": "/dev/null",
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_AUTHOR_NAME": "n",
    "GIT_AUTHOR_EMAIL": "n@example.org",
    "GIT_COMMITTER_NAME": "n",
    "GIT_COMMITTER_EMAIL": "n@example.org",
    "GIT_ALLOW_PROTOCOL": "file",
}


class Scene:
    """A gateway, and repositories whose hooks ask it."""

    def __init__(self, gateway: Any, folder: Path, state_dir: Path) -> None:
        self.gateway = gateway
        self.folder = folder
        self.state_dir = state_dir

    def repository(self, name: str = "work") -> Path:
        top = self.folder / name
        subprocess.run(["git", "init", "-q", "-b", "main", str(top)], check=True)
        self.write(top, "README.md")
        git(top, "add", "-A")
        git(top, "commit", "-qm", "m")
        self.install(top)
        return top

    def install(self, top: Path) -> HookFolder:
        folder = HookFolder(top)
        for hook in HOOKS:
            folder.install(hook, COMMAND)
        return folder

    def write(self, top: Path, *names: str, text: str = "1\n") -> None:
        for name in names:
            (top / name).parent.mkdir(parents=True, exist_ok=True)
            (top / name).write_text(text, encoding="utf-8")

    def agent(self, name: str, root: Path, **options: Any) -> Any:
        settings = Settings(data_dir=self.state_dir, ttl_s=600.0)
        return Coordinator.connect(self.gateway.url, agent=name, root=root, settings=settings, **options)


def git(top: Path, *words: str | bytes, check: bool = True, **variables: str) -> subprocess.CompletedProcess[str]:
    environment = os.environ | variables
    ran = subprocess.run(["git", *words], cwd=top, capture_output=True, check=False, env=environment)
    said = subprocess.CompletedProcess(
        ran.args, ran.returncode, ran.stdout.decode("utf-8", "replace"), ran.stderr.decode("utf-8", "replace")
    )
    assert not check or not said.returncode, said.stderr
    return said


def commit(top: Path, *names: str, check: bool = True, **variables: str) -> subprocess.CompletedProcess[str]:
    git(top, "add", "-A", "--", *names)
    return git(top, "commit", "-m", "m", check=check, **variables)


@pytest.fixture
def scene(open_gateway: Callable[..., Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Scene]:
    gateway = open_gateway()
    state_dir = tmp_path / "state"
    write_address(state_dir, GatewayAddress(gateway.url, "scentfield", False))
    variables = {**IDENTITY, "SCENTFIELD_DATA_DIR": str(state_dir), "SCENTFIELD_GATEWAY_TOKEN": gateway.premises.token}
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    for name in ("SCENTFIELD_AGENT", "SCENTFIELD_SPACE", "SCENTFIELD_NAMESPACE", "GIT_DIR", "GIT_INDEX_FILE"):
        monkeypatch.delenv(name, raising=False)
    return Scene(gateway, tmp_path, state_dir)


def test_a_commit_over_somebody_elses_claim_is_refused_until_it_is_given_back(scene: Scene) -> None:
    top = scene.repository()
    with scene.agent("ann", top) as ann:
        claim = ann.claim("src/", intent="split the parser")
        scene.write(top, "src/a.py", "other.py")
        refused = commit(top, ".", check=False, SCENTFIELD_AGENT="nobody-yet")
        assert refused.returncode
        assert "refused (deny): a commit of 2 paths, 1 claim of others on its paths" in refused.stderr
        assert f"src/a.py (as src/): {ann.agent_id} holds it since" in refused.stderr
        assert "to split the parser" in refused.stderr
        assert "you are no agent that the coordinator knows" in refused.stderr
        assert "next: take these paths out (git restore --staged PATH), or wait until ann#" in refused.stderr
        assert git(top, "log", "--oneline").stdout.count("\n") == 1
        git(top, "restore", "--staged", "src/a.py")
        assert git(top, "commit", "-qm", "the rest", SCENTFIELD_AGENT="nobody-yet").stderr == ""
        claim.release()
        commit(top, ".", SCENTFIELD_AGENT="nobody-yet")


def test_an_agent_is_known_by_its_process_by_its_name_and_as_a_child(scene: Scene) -> None:
    top = scene.repository()
    with scene.agent("ann", top) as ann:
        ann.claim("a.py")
        scene.write(top, "a.py")
        commit(top, "a.py")  # what this process starts is by ann, who speaks for it
        scene.write(top, "a.py", text="2\n")
        assert commit(top, "a.py", check=False, SCENTFIELD_AGENT="bob").returncode
        commit(top, "a.py", SCENTFIELD_AGENT="ann")
        with scene.agent("tester", top, parent=ann.agent_id) as child:
            child.claim("b.py")
            scene.write(top, "a.py", "b.py", text="3\n")
            assert commit(top, ".", check=False, SCENTFIELD_AGENT=ann.agent_id).returncode, "a child at work"
            commit(top, ".", SCENTFIELD_AGENT=child.agent_id)


def test_the_strictness_of_the_space_and_of_the_setting(scene: Scene) -> None:
    top = scene.repository()
    with scene.agent("ann", top) as ann:
        ann.claim("a.py")
        for strictness, said in (("warn", "warned (warn)"), ("observe", "observed (observe): a commit of 1 path")):
            ann.set_strictness(strictness)
            scene.write(top, "a.py", text=strictness)
            told = commit(top, "a.py", SCENTFIELD_AGENT="bob").stderr
            assert said in told
            assert ("holds it since" in told) == (strictness == "warn")
        assert 'scentfield_changes_refused_total{source="guard"} 0.0' in scene.gateway.get("/metrics").text
        scene.write(top, "a.py", text="again")
        refused = commit(top, "a.py", check=False, SCENTFIELD_AGENT="bob", SCENTFIELD_GUARD__STRICTNESS="deny")
        assert "refused (deny)" in refused.stderr
        assert 'scentfield_changes_refused_total{source="guard"} 1.0' in scene.gateway.get("/metrics").text
        bad = commit(top, "a.py", check=False, SCENTFIELD_GUARD__STRICTNESS="loud")
        assert "strictness = 'loud' under [guard] is not one of" in bad.stderr
        commit(top, "a.py", SCENTFIELD_AGENT="bob", SCENTFIELD_DISABLED="1")


def test_without_a_coordinator_it_is_said_and_done_as_set(scene: Scene) -> None:
    top = scene.repository()
    scene.write(top, "a.py")
    write_address(scene.state_dir, GatewayAddress("http://127.0.0.1:9", "scentfield", False))
    (top / "scentfield.toml").write_text("[guard]\nwhen_unavailable = 'refuse'\n", encoding="utf-8")
    refused = commit(top, "a.py", check=False)
    assert refused.returncode
    assert "nobody could say whose changes these are (the gateway at http://127.0.0.1:9 cannot" in refused.stderr
    assert "this commit is refused, as set by when_unavailable" in refused.stderr
    (top / "scentfield.toml").write_text("[guard]\nwhen_unavailable = 'warn'\n", encoding="utf-8")
    assert "this commit goes on" in commit(top, "a.py").stderr


def test_renames_are_asked_about_both_ways(scene: Scene) -> None:
    top = scene.repository()
    scene.write(top, "old.py", "new/keep.py", text="the same\n" * 9)
    commit(top, ".")
    with scene.agent("ann", top) as ann:
        for target, moved in (("old.py", "moved.py"), ("new/", "new/old.py")):
            claim = ann.claim(target)
            git(top, "mv", "old.py", moved)
            refused = git(top, "commit", "-m", "m", check=False, SCENTFIELD_AGENT="bob")
            assert f"{ann.agent_id} holds it" in refused.stderr
            git(top, "mv", moved, "old.py")
            claim.release()


@pytest.mark.parametrize(
    "name",
    [b"a\nb", b"'q\" $x", b"-rf", b"caf\xc3\xa9", b"e\xcc\x81", b"\xff\xfe", b"a*[b]?", b":(top)x", b"task:login"],
)
def test_every_name_that_git_can_keep_is_covered_by_a_claim_of_its_folder(scene: Scene, name: bytes) -> None:
    top = scene.repository()
    folder = os.fsencode(top) + b"/odd"
    os.mkdir(folder)  # noqa: PTH102 -- the name is bytes
    with open(folder + b"/" + name, "wb") as file:  # noqa: PTH123 -- the same
        file.write(b"1")
    with scene.agent("ann", top) as ann:
        claim = ann.claim("odd/")
        refused = commit(top, ".", check=False, SCENTFIELD_AGENT="bob")
        assert "1 claim of others" in refused.stderr
        assert "\x1b" not in refused.stderr
        claim.release()
        ann.claim("other/")
        commit(top, ".", SCENTFIELD_AGENT="bob")


def test_a_commit_of_named_files_is_judged_by_its_own_index(scene: Scene) -> None:
    top = scene.repository()
    scene.write(top, "a.py", "b.py")
    commit(top, ".")
    with scene.agent("ann", top) as ann:
        ann.claim("b.py")
        scene.write(top, "a.py", "b.py", text="2\n")
        git(top, "add", "b.py")
        git(top, "commit", "-qm", "only a", "a.py", SCENTFIELD_AGENT="bob")
        assert git(top, "commit", "-am", "all", check=False, SCENTFIELD_AGENT="bob").returncode


def test_work_trees_share_hooks_and_claims(scene: Scene) -> None:
    top = scene.repository()
    tree = scene.folder / "second tree"
    git(top, "worktree", "add", "-q", "-b", "topic", str(tree))
    with scene.agent("ann", top) as ann:
        ann.claim("a.py")
        scene.write(tree, "a.py")
        assert f"{ann.agent_id} holds it" in commit(tree, ".", check=False, SCENTFIELD_AGENT="bob").stderr
        assert HookFolder(tree).path == HookFolder(top).path


def test_a_submodule_is_a_repository_of_its_own(scene: Scene) -> None:
    inner = scene.repository("inner")
    top = scene.repository("outer")
    git(top, "-c", "protocol.file.allow=always", "submodule", "--quiet", "add", str(inner), "sub")
    commit(top, ".")
    scene.install(top / "sub")
    with scene.agent("ann", top) as ann, scene.agent("cat", top / "sub") as cat:
        cat.claim("a.py")
        scene.write(top / "sub", "a.py", "b.py")
        assert f"{cat.agent_id} holds it" in commit(top / "sub", ".", check=False, SCENTFIELD_AGENT="bob").stderr
        git(top / "sub", "restore", "--staged", "a.py")
        git(top / "sub", "commit", "-qm", "b", SCENTFIELD_AGENT="bob")
        ann.claim("sub")
        assert (
            f"sub (as sub/): {ann.agent_id} holds it" in commit(top, "sub", check=False, SCENTFIELD_AGENT="bob").stderr
        )


def test_a_detached_head_an_amendment_and_a_pick_with_conflicts_are_commits_like_others(scene: Scene) -> None:
    top = scene.repository("od\nd 'place'")
    stranger = {"SCENTFIELD_AGENT": "nobody-yet"}
    scene.write(top, "src/a.py")
    commit(top, ".", **stranger)
    git(top, "switch", "-qc", "side")
    scene.write(top, "src/a.py", text="side\n")
    commit(top, ".", **stranger)
    git(top, "checkout", "-q", "--detach", "main")
    scene.write(top, "src/a.py", text="detached\n")
    with scene.agent("ann", top) as ann:
        claim = ann.claim("src/a.py")
        assert "refused" in commit(top, ".", check=False, **stranger).stderr
        git(top, "restore", "--staged", ".")
        git(top, "commit", "--amend", "-qm", "another message", **stranger)  # changes no path
        git(top, "add", "src/a.py")
        assert "refused" in git(top, "commit", "--amend", "-qm", "m", check=False, **stranger).stderr
        claim.release()
        git(top, "commit", "-qm", "m", **stranger)
        ann.claim("src/")
        assert git(top, "cherry-pick", "side", check=False, **stranger).returncode
        scene.write(top, "src/a.py", text="both\n")
        git(top, "add", "src/a.py")
        assert "refused" in git(top, "commit", "-qm", "m", check=False, **stranger).stderr
    git(top, "commit", "-qm", "m", **stranger)


def test_a_merge_takes_over_what_others_have_kept(scene: Scene) -> None:
    top = scene.repository()
    scene.write(top, "both.py")
    commit(top, ".")
    git(top, "checkout", "-qb", "topic")
    scene.write(top, "both.py", "theirs.py", text="topic\n")
    commit(top, ".")
    git(top, "checkout", "-q", "main")
    scene.write(top, "both.py", text="main\n")
    commit(top, ".")
    with scene.agent("ann", top) as ann:
        claim = ann.claim("theirs.py")
        assert git(top, "merge", "topic", check=False, SCENTFIELD_AGENT="bob").returncode
        scene.write(top, "both.py", text="both\n")
        git(top, "add", "both.py")
        ann.claim("both.py")
        refused = git(top, "commit", "-m", "merge", check=False, SCENTFIELD_AGENT="bob")
        assert "a commit of 1 path, 1 claim" in refused.stderr
        ann.release("both.py")
        git(top, "commit", "-qm", "merge", SCENTFIELD_AGENT="bob")
        claim.release()


def test_a_folder_with_settings_of_its_own_is_asked_about_in_both_spaces(scene: Scene) -> None:
    top = scene.repository()
    scene.write(top, "part/scentfield.toml", text="space = 'parts'\n")
    scene.write(top, "part/a.py", "part/b.py")
    with scene.agent("ann", top) as ann:
        settings = Settings(data_dir=scene.state_dir, space="parts", ttl_s=600.0)
        with Coordinator.connect(scene.gateway.url, agent="cat", root=top / "part", settings=settings) as cat:
            ann.claim("part/a.py")
            cat.claim("b.py")
            refused = commit(top, ".", check=False, SCENTFIELD_AGENT="bob")
            assert f"part/a.py: {ann.agent_id} holds it" in refused.stderr
            assert f"part/b.py (as b.py): {cat.agent_id} holds it" in refused.stderr


def test_a_push_over_a_claim_that_was_there_when_it_was_committed_is_refused(
    scene: Scene, monkeypatch: pytest.MonkeyPatch
) -> None:
    top = scene.repository()
    subprocess.run(["git", "init", "-q", "--bare", str(scene.folder / "remote.git")], check=True)
    git(top, "remote", "add", "origin", str(scene.folder / "remote.git"))
    git(top, "push", "-q", "origin", "main")
    with scene.agent("ann", top) as ann:
        scene.write(top, "early.py", "late.py")
        monkeypatch.setenv("GIT_COMMITTER_DATE", "2026-01-01T00:00:00Z")
        commit(top, ".")
        monkeypatch.delenv("GIT_COMMITTER_DATE")
        ann.claim(["early.py", "late.py"])
        git(top, "push", "-q", "origin", "main", SCENTFIELD_AGENT="bob")
        scene.write(top, "late.py", text="2\n")
        git(top, "add", "-A")
        monkeypatch.setenv("GIT_COMMITTER_DATE", "2099-01-01T00:00:00Z")
        git(top, "commit", "-qm", "m", "--no-verify")
        refused = git(top, "push", "-q", "origin", "main", check=False, SCENTFIELD_AGENT="bob")
        assert "a push of 1 path, 1 claim" in refused.stderr
        assert "next: push the commits before these, or wait until" in refused.stderr
        git(top, "push", "-q", "origin", "main", SCENTFIELD_AGENT="ann")
        git(top, "push", "-q", "origin", ":refs/heads/nothing", check=False)


def test_a_claim_that_was_overtaken_is_no_leave_to_commit(scene: Scene) -> None:
    top = scene.repository()
    with scene.agent("ann", top) as ann:
        claim = ann.claim("a.py")
        scene.write(top, "a.py")
        commit(top, "a.py", SCENTFIELD_GENERATION=str(claim.generation))
        claim.release()
        scene.write(top, "a.py", text="2\n")
        stale = commit(top, "a.py", check=False, SCENTFIELD_GENERATION=str(claim.generation))
        assert f"a.py: the claim with generation {claim.generation} has ended (released)" in stale.stderr
        assert "next: claim these paths again" in stale.stderr
        bad = commit(top, "a.py", check=False, SCENTFIELD_GENERATION="first")
        assert "the generation 'first' is no claim's number" in bad.stderr


def test_programs_get_one_document(scene: Scene) -> None:
    top = scene.repository()
    scene.write(top, *(f"d/f{number}.py" for number in range(1_030)))
    git(top, "add", "-A")

    def asked(*flags: str) -> tuple[int, dict[str, Any]]:
        ran = subprocess.run([*COMMAND, "--json", *flags], cwd=top, capture_output=True, check=False)
        document: dict[str, Any] = json.loads(ran.stdout)
        return ran.returncode, document

    assert asked() == (0, {"verdict": "clear", "agents": [], "n_paths": 1_030, "conflicts": [], "n_more": 0}
                       | {"overtaken": [], "n_more_overtaken": 0})  # fmt: skip
    with scene.agent("ann", top) as ann:
        ann.claim("d/")
        code, document = asked("--agent", "bob")
        assert (code, document["verdict"], len(document["conflicts"]), document["n_more"]) == (3, "refused", 20, 1_010)
        assert asked("--agent=ann")[1]["agents"] == [ann.agent_id]
        assert asked("--generation", "0")[0] == 2
