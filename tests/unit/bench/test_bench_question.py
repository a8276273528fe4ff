"""Questions with known answers, from documentation."""

from pathlib import Path

import pytest

from actors.runtime.errors import Misuse
from coordinator.bench.question import MIN_QUESTIONS, Question, copy_pages, questions_of

FAQ = "FAQ\n===\n\n" + "".join(
    f"How do I fix problem {name}?\n{'-' * 40}\n\nBy turning the wheel of {name} slowly to the left.\n\n"
    for name in ("alpha", "beta", "gamma", "delta", "epsilon", "zeta", "eta", "theta")
)
GLOSSARY = """\
Glossary
========

.. glossary::

   lease
      Something that ends by itself, unless it is renewed in time.

   ``fence``
      A number that only grows, by which older holders are refused.
"""
MARKDOWN = (
    "# Notes\n\n## Why is it so slow?\n\nBecause the disk is asked for each of the words, one by one.\n\n"
    "## Short?\n\nYes.\n"
)
HTML = """\
<html><body>
<h2 id="why">Why are the tags left out?<a href="#why">¶</a></h2>
<p>Because nobody looks for them, and they stand everywhere.</p>
</body></html>
"""


@pytest.fixture
def docs(tmp_path: Path) -> Path:
    root = tmp_path / "docs"
    (root / "faq").mkdir(parents=True)
    (root / "faq" / "all.rst.txt").write_text(FAQ)
    (root / "glossary.rst").write_text(GLOSSARY)
    (root / "notes.md").write_text(MARKDOWN)
    (root / "tags.html").write_text(HTML)
    (root / "code.py").write_text("# What is this code for, and why?\n")
    (root / "image.png").write_bytes(b"\0")
    return root


def test_headings_that_ask_and_terms_are_questions(docs: Path) -> None:
    found = questions_of(docs)
    assert len(found) == 12
    assert {one.text: one.kind for one in found if one.path != "faq/all.rst.txt"} == {
        "What is lease?": "glossary",
        "What is fence?": "glossary",
        "Why is it so slow?": "heading",
        "Why are the tags left out?": "heading",
    }
    assert found[0].text == "How do I fix problem alpha?"
    assert found[0].answer == "By turning the wheel of alpha slowly to the left."


def test_lines_of_the_section_answer_it_and_no_others() -> None:
    question = Question("Why?", "heading", "a.md", 10, 11, 20, "Because.")
    assert question.is_answered_by("a.md", 20, 30)
    assert question.is_answered_by("a.md", 1, 10)
    assert not question.is_answered_by("a.md", 21, 30)
    assert not question.is_answered_by("a.md", 1, 9)
    assert not question.is_answered_by("b.md", 10, 20)


def test_where_they_are_hidden_no_heading_says_its_question(docs: Path, tmp_path: Path) -> None:
    questions = questions_of(docs)
    copy_pages(docs, tmp_path / "hidden", questions, hidden=True)
    for number, question in enumerate(questions, start=1):
        text = (tmp_path / "hidden" / question.path).read_text()
        assert question.text.removeprefix("What is ").removesuffix("?") not in text
        assert question.answer.splitlines()[0] in text
        assert f"Entry {number}" in text
    hidden = (tmp_path / "hidden" / "faq" / "all.rst.txt").read_text()
    assert hidden.startswith(f"FAQ\n===\n\nEntry 1\n{'-' * 40}\n\nBy turning")
    assert len(hidden.splitlines()) == len(FAQ.splitlines())


def test_a_copy_is_the_pages_as_they_are(docs: Path, tmp_path: Path) -> None:
    copy_pages(docs, tmp_path / "shown", questions_of(docs), hidden=False)
    copied = sorted(path for path in (tmp_path / "shown").rglob("*") if path.is_file())
    assert [path.relative_to(tmp_path / "shown").as_posix() for path in copied] == [
        "faq/all.rst.txt",
        "glossary.rst",
        "notes.md",
        "tags.html",
    ]
    assert all(path.read_bytes() == (docs / path.relative_to(tmp_path / "shown")).read_bytes() for path in copied)


def test_too_few_questions_are_refused(docs: Path) -> None:
    (docs / "faq" / "all.rst.txt").unlink()
    with pytest.raises(Misuse, match="asks 4 questions: name documentation that has a FAQ"):
        questions_of(docs)
    assert MIN_QUESTIONS > 4
