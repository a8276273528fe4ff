"""A project may have its own `actors/`: each test lays out an installation and a project, and starts a real Python."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from coordinator import _sibling


@pytest.fixture
def site(tmp_path: Path) -> Path:
    site = tmp_path / "site"
    (site / "coordinator").mkdir(parents=True)
    (site / "actors").mkdir()
    shutil.copy(_sibling.__file__, site / "coordinator" / "_sibling.py")
    (site / "coordinator" / "__init__.py").write_text(
        "from coordinator._sibling import check_siblings\ncheck_siblings()\n"
    )
    (site / "actors" / "__init__.py").write_text("")
    return site


@pytest.fixture
def project(tmp_path: Path) -> Path:
    project = tmp_path / "project"
    project.mkdir()
    return project


def import_coordinator(site: Path, project: Path, *flags: str, first: str = "") -> str:
    """What Python complains about when it imports `coordinator` in the project's folder; empty if nothing.

    -S leaves out what is installed beside the interpreter: an editable install of the checkout would answer instead.
    """
    command = [sys.executable, "-S", *flags, "-c", f"{first}\nimport coordinator"]
    environment = {"PYTHONPATH": str(site), "PYTHONDONTWRITEBYTECODE": "1"}
    done = subprocess.run(command, cwd=project, env=environment, capture_output=True, text=True, timeout=30)
    assert (done.returncode == 0) == (not done.stderr), done.stderr
    return done.stderr


def test_the_checkout_under_test_passes() -> None:
    _sibling.check_siblings()


def test_a_project_without_an_actors_folder_passes(site: Path, project: Path) -> None:
    assert import_coordinator(site, project) == ""


def test_a_package_in_the_way_is_named_and_never_run(site: Path, project: Path) -> None:
    (project / "actors").mkdir()
    (project / "actors" / "__init__.py").write_text("open('it_ran', 'w').close()")
    complaint = import_coordinator(site, project)
    assert "ImportError: Scentfield's package 'actors'" in complaint
    assert f"shadowed by {str(project / 'actors' / '__init__.py')!r}" in complaint
    assert not (project / "it_ran").exists()


def test_the_complaint_says_the_three_ways_out(site: Path, project: Path) -> None:
    (project / "actors.py").write_text("")
    complaint = import_coordinator(site, project)
    assert f"shadowed by {str(project / 'actors.py')!r}" in complaint
    for way_out in ("Start from another folder", "use the command `scentfield`", "`python -P`"):
        assert way_out in complaint


def test_the_way_out_that_the_complaint_names_works(site: Path, project: Path) -> None:
    (project / "actors.py").write_text("")
    assert import_coordinator(site, project, "-P") == ""


def test_a_foreign_package_that_was_imported_before_is_found_too(site: Path, project: Path) -> None:
    (project / "actors.py").write_text("")
    assert "shadowed by" in import_coordinator(site, project, first="import actors")


def test_a_folder_without_init_does_not_shadow_an_installed_package(site: Path, project: Path) -> None:
    (project / "actors").mkdir()
    assert import_coordinator(site, project) == ""


def test_a_folder_without_init_does_shadow_an_editable_install(site: Path, project: Path) -> None:
    """An editable install is found through `sys.meta_path`, after every folder on the path has been asked."""
    (project / "actors").mkdir()
    finder = (
        "import sys\n"
        "from importlib.util import spec_from_file_location\n"
        "class Finder:\n"
        "    @staticmethod\n"
        "    def find_spec(name, path=None, target=None):\n"
        f"        init = {str(site)!r} + f'/{{name}}/__init__.py'\n"
        "        return spec_from_file_location(name, init) if name in ('coordinator', 'actors') else None\n"
        "sys.meta_path.append(Finder)\n"
    )
    no_path = project.parent / "empty"
    assert f"shadowed by {str(project / 'actors')!r}" in import_coordinator(no_path, project, first=finder)
    assert import_coordinator(no_path, project, "-P", first=finder) == ""


def test_a_symbolic_link_to_the_installation_passes(site: Path, project: Path) -> None:
    link = site.parent / "link"
    link.symlink_to(site, target_is_directory=True)
    (project / "actors").symlink_to(site / "actors", target_is_directory=True)
    assert import_coordinator(link, project) == ""


def test_an_installation_without_actors_says_so(site: Path, project: Path) -> None:
    shutil.rmtree(site / "actors")
    complaint = import_coordinator(site, project)
    assert f"is not at {str(site / 'actors')!r}: the installation is incomplete, install it again" in complaint
