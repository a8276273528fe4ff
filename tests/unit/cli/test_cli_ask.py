"""`scentfield ask`: rounds as a table, with and without a model, with and without a coordinator."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

QUESTION = "which animal swims?"
GOOD = "The walrus is the animal that swims. Therefore it is wet. " + "It is so said here. " * 30


@pytest.fixture
def pages(tree: Path) -> Path:
    (tree / "pets.md").write_text("# Pets\n\n## Parrot\n\nIt talks.\n\n## Walrus\n\nThis animal swims. It is large.\n")
    return tree


@pytest.fixture
def endpoint() -> Iterator[tuple[str, list[Any]]]:
    """The address of a model that answers well, and what it was asked."""
    asked: list[Any] = []

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            asked.append(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))
            body = json.dumps({"choices": [{"message": {"content": GOOD}}]}).encode()
            self.send_response(200)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: object) -> None:
            pass

    httpd = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=httpd.serve_forever, args=(0.01,), daemon=True).start()
    yield f"http://127.0.0.1:{httpd.server_port}/v1", asked
    httpd.shutdown()
    httpd.server_close()


def test_the_rounds_are_shown_as_a_table(alone: Any, pages: Path) -> None:
    result = alone("ask", QUESTION, "--dry-run", "--threshold", "0.9")
    assert result.exit_code == 0, result.stderr
    lines = result.stdout.splitlines()
    assert lines[0] == "This animal swims. It is large."
    assert any(line.startswith("  pets.md:7-9 Walrus") for line in lines)
    (head,) = [number for number, line in enumerate(lines) if line.startswith("round ")]
    assert lines[head].split() == [
        *("round", "does", "top_k", "level", "passages"),
        *("quality", "rel.", "compl.", "coher.", "acc.", "gain", "s"),
    ]
    assert lines[head + 1].split()[:3] == ["0", "first", "8"]
    assert "0. the first answer" in lines
    assert any(line.startswith("1. ") for line in lines)
    assert lines[-1].startswith("ended because nothing is left to try: quality 0.")
    assert result.stderr == ""


def test_a_dry_run_asks_no_model_and_tells_nobody(
    scentfield: Any, pages: Path, endpoint: tuple[str, list[Any]]
) -> None:
    url, asked = endpoint
    told = scentfield("ask", QUESTION, "--dry-run", "--json", SCENTFIELD_ASK__URL=url, SCENTFIELD_ASK__MODEL="small")
    document = json.loads(told.stdout)
    assert (document["is_dry_run"], document["by"]) == (True, "extractive")
    assert asked == []
    assert scentfield.json("answers")["counts"]["arms"] == []


def test_a_model_is_asked_and_the_store_is_told(scentfield: Any, pages: Path, endpoint: tuple[str, list[Any]]) -> None:
    url, asked = endpoint
    told = scentfield(
        "ask", QUESTION, "--json", "--agent", "ann", SCENTFIELD_ASK__URL=url, SCENTFIELD_ASK__MODEL="small"
    )
    document = json.loads(told.stdout)
    assert document["text"] == GOOD
    assert (document["by"], document["is_converged"], document["notes"]) == ("small", True, [])
    assert len(asked) == 1
    counts = scentfield.json("answers")["counts"]
    assert [(row["ending"], row["n"], row["n_asked"]) for row in counts["arms"]] == [("converged", 1, 1)]


def test_without_a_coordinator_it_answers_and_says_that_nobody_was_told(alone: Any, pages: Path) -> None:
    result = alone("ask", QUESTION)
    assert result.exit_code == 0
    assert result.stderr.startswith("the quality store has no part in this: advice raised Unavailable: ")


def test_the_loop_s_numbers_come_from_settings_and_options(alone: Any, pages: Path) -> None:
    (pages / "scentfield.toml").write_text("[ask]\ntop_k = 2\nmax_iterations = 0\n")
    (first,) = alone.json("ask", QUESTION, "--dry-run", "--threshold", "1.0")["iterations"]
    assert (first["top_k"], first["level"]) == (2, 0.5)
    (first, *_more) = alone.json(
        "ask", QUESTION, "--dry-run", "--threshold", "1.0", "--top-k", "1", "--level", "0.25", "--iterations", "2"
    )["iterations"]
    assert (first["top_k"], first["level"]) == (1, 0.25)
    assert _more


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("",), "is no question"),
        (("?",), "has no word"),
        (("x" * 20_000,), "the question has 20,000 characters"),
        ((QUESTION, "--threshold", "2"), "quality_threshold=2.0"),
        ((QUESTION, "--top-k", "0"), "top_k=0"),
        ((QUESTION, "--top-k", "500"), "top_k=500"),
        ((QUESTION, "--level", "nan"), "level=nan"),
        ((QUESTION, "--iterations", "-1"), "max_iterations=-1"),
    ],
)
def test_what_cannot_be_asked_is_refused(alone: Any, pages: Path, arguments: tuple[str, ...], said: str) -> None:
    result = alone("ask", *arguments, "--dry-run")
    assert result.exit_code == 2, result.stdout
    assert said in result.stderr


def test_a_model_that_cannot_be_reached_is_unavailable(alone: Any, pages: Path) -> None:
    result = alone("ask", QUESTION, SCENTFIELD_ASK__URL="http://127.0.0.1:9/v1", SCENTFIELD_ASK__MODEL="small")
    assert result.exit_code == 4
    assert "the endpoint at http://127.0.0.1:9 cannot be asked" in result.stderr


def test_a_key_that_is_not_there_is_told(alone: Any, pages: Path) -> None:
    environment = {"SCENTFIELD_ASK__URL": "https://127.0.0.1:9/v1", "SCENTFIELD_ASK__MODEL": "small"}
    result = alone("ask", QUESTION, **environment, SCENTFIELD_ASK__KEY_VARIABLE="NO_SUCH_KEY")
    assert result.exit_code == 2
    assert "NO_SUCH_KEY is not set" in result.stderr


def test_an_endpoint_without_a_model_is_refused(alone: Any, pages: Path) -> None:
    result = alone("ask", QUESTION, SCENTFIELD_ASK__URL="https://127.0.0.1:9/v1")
    assert result.exit_code == 2
    assert "no model is named" in result.stderr


def test_a_question_that_nothing_answers_has_no_answer(alone: Any, tree: Path) -> None:
    for path in tree.rglob("*.py"):
        path.unlink()
    (tree / "a.md").write_text("# \n")
    result = alone("ask", QUESTION, "--dry-run")
    assert result.exit_code == 0
    assert result.stdout.splitlines()[0] == "no answer was found"
    assert alone.json("ask", QUESTION, "--dry-run")["best"] is None


def test_control_characters_of_an_answer_are_spelled_out(alone: Any, pages: Path) -> None:
    (pages / "pets.md").write_bytes(b"# Walrus\n\nThis animal swims \x1b]0;title\x07 far.\n")
    result = alone("ask", QUESTION, "--dry-run")
    assert result.exit_code == 0, result.stderr
    assert "\x1b" not in result.stdout
    assert "This animal swims \\x1b]0;title\\x07 far." in result.stdout
