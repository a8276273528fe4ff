"""The Python of docs/retrieval.md and docs/feedback.md runs as it stands, one example after the other."""

import re
from pathlib import Path
from typing import Any

import pytest

DOCS = Path(__file__).parents[3] / "docs"
EXAMPLE = re.compile(r"^```python\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def run_examples(page: str) -> dict[str, Any]:
    """What the page's examples leave behind."""
    left: dict[str, Any] = {"__name__": page}
    examples = EXAMPLE.findall((DOCS / page).read_text(encoding="utf-8"))
    assert examples
    for example in examples:
        exec(compile(example, page, "exec"), left)  # our own page is what is tested
    return left


@pytest.fixture(autouse=True)
def tree(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A small tree to be in; no coordinator runs."""
    (tmp_path / "scentfield.toml").touch()
    (tmp_path / "claims.md").write_text("# Claims\n\nA claim lives as long as its agent does. However, it rests.\n")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("SCENTFIELD_DATA_DIR", str(tmp_path / "state"))
    monkeypatch.setenv("SCENTFIELD_DISABLED", "true")


def test_retrieval_is_used_as_its_page_says(capsys: pytest.CaptureFixture[str]) -> None:
    assert run_examples("retrieval.md")["answer"].passages[0].path == "claims.md"
    assert "claims.md 1 Claims\n# Claims\n\nA claim lives" in capsys.readouterr().out


def test_the_loop_and_the_monitor_are_used_as_their_page_says(capsys: pytest.CaptureFixture[str]) -> None:
    left = run_examples("feedback.md")
    assert left["answer"].text.startswith("A claim lives as long as its agent does.")
    assert capsys.readouterr().out.rstrip().endswith(left["answer"].log()[-1])
    assert len(left["monitor"]) == 1
