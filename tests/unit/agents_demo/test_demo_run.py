"""What can be asked of the demo, the stage, and how processes of it start."""

from __future__ import annotations

import json
import os
from dataclasses import asdict
from pathlib import Path

import pytest
from typer.testing import CliRunner

from actors.runtime.errors import Misuse, Unavailable
from agents_demo.demo import Plan, app, job_command, run_demo
from agents_demo.spawn import PACKAGES, environment
from agents_demo.stage import set_stage, work_folder
from coordinator.head import Head
from coordinator.settings import Settings


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"n_agents": 0}, "0 agents"),
        ({"n_agents": 65}, "65 agents"),
        ({"n_tasks": 0}, "0 tasks"),
        ({"max_s": 0.0}, "0.0 seconds"),
        ({"think_s": -1.0}, "thinking"),
    ],
)
def test_what_cannot_be_run_is_refused(wrong, message):
    with pytest.raises(Misuse, match=message):
        Plan(**wrong)


def test_the_accident_needs_somebody_who_is_left():
    assert Plan().columns == ["none", "split", "with", "killed"]
    assert Plan(n_agents=1).columns == ["none", "split", "with"]
    assert Plan(with_accident=False).columns == ["none", "split", "with"]


def test_a_demo_with_scentfield_switched_off_is_refused(tmp_path):
    with pytest.raises(Misuse, match="SCENTFIELD_DISABLED"):
        run_demo(settings=Settings(disabled=True, data_dir=tmp_path))


def test_a_folder_in_use_is_refused_and_left_as_it_is(tmp_path):
    (tmp_path / "mine.txt").write_text("precious")
    with pytest.raises(Misuse, match="not an empty folder"), work_folder(tmp_path):
        pass
    assert (tmp_path / "mine.txt").read_text() == "precious"


def test_a_temporary_folder_is_gone_afterwards_and_a_named_one_stays(tmp_path):
    with work_folder(None) as temporary:
        assert temporary.is_dir()
    assert not temporary.exists()
    with work_folder(tmp_path / "new" / "keep") as kept:
        assert kept.is_dir()
    assert kept.is_dir()


def test_the_stage_copies_the_tree_and_each_copy_is_a_workspace(tmp_path, tree):
    stage = set_stage(tmp_path / "work", 3, source=tree)
    assert [task.path for task in stage.tasks] == ["a.py", "a.py"]  # the packages of the library alone are copied
    copied = stage.copy("none")
    assert (copied / "a.py").read_bytes() == (tree / "a.py").read_bytes()
    assert (copied / "scentfield.toml").is_file()


def test_a_tree_without_tasks_is_refused(tmp_path):
    (tmp_path / "source").mkdir()
    (tmp_path / "source" / "a.py").write_text("x = 1\n")
    with pytest.raises(Misuse, match="nothing to do in 1 files"):
        set_stage(tmp_path / "work", 3, source=tmp_path / "source")


def test_processes_find_this_package_first_wherever_they_start():
    assert environment({})["PYTHONPATH"] == str(PACKAGES)
    assert environment({"PYTHONPATH": "/theirs"})["PYTHONPATH"] == f"{PACKAGES}{os.pathsep}/theirs"


def head_in(folder: Path) -> Settings:
    """Settings whose head is this very process."""
    import psutil

    head = Head("127.0.0.1:6379", "http://127.0.0.1:8265", os.getpid(), psutil.Process().create_time(), "")
    (folder / "head.json").write_text(json.dumps(asdict(head)))
    return Settings(data_dir=folder, namespace="ours")


def test_the_job_command_names_head_cluster_interpreter_and_token(tmp_path, monkeypatch):
    settings = head_in(tmp_path)
    monkeypatch.chdir(tmp_path)
    assert job_command(settings, ["--agents", "4"], executable="/opt/venv/bin/python") == (
        "RAY_AUTH_MODE=token /opt/venv/bin/ray job submit --address http://127.0.0.1:8265 --working-dir . "
        "-- env SCENTFIELD_ADDRESS=127.0.0.1:6379 SCENTFIELD_NAMESPACE=ours "
        "/opt/venv/bin/python -P -m agents_demo.demo --agents 4"
    )
    monkeypatch.chdir(PACKAGES)  # a bare checkout is found by the current folder
    assert " /opt/venv/bin/python -m agents_demo.demo " in job_command(
        settings, ["--json"], executable="/opt/venv/bin/python"
    )


def test_without_a_head_there_is_no_job_command(tmp_path):
    with pytest.raises(Unavailable, match="scentfield up"):
        job_command(Settings(data_dir=tmp_path), [])


def test_the_command_line_says_what_is_wrong_and_how(tmp_path, monkeypatch):
    monkeypatch.setenv("SCENTFIELD_DATA_DIR", str(tmp_path))
    refused = CliRunner().invoke(app, ["--agents", "0"])
    assert (refused.exit_code, refused.stderr) == (2, "error: 0 agents: ask for 1 to 64\n")
    missing = CliRunner().invoke(app, ["--print-job-command"])
    assert missing.exit_code == 4
    assert "scentfield up" in missing.stderr
