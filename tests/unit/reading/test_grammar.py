"""Which files are not parsed, and that the header says so."""

import subprocess
import sys
from time import thread_time

import pytest

from coordinator.reading.grammar import MAX_LINE_CHARACTERS, MAX_PARSED_CHARACTERS, outline_of
from coordinator.reading.language.catalogue import LANGUAGES, NAMED_FILES
from coordinator.reading.language.grammar import MAX_PARSE_S
from coordinator.reading.mode import Mode
from coordinator.reading.render import render
from coordinator.reading.source import decode


def test_a_file_over_the_limit_comes_in_blocks() -> None:
    line = "#" * (MAX_LINE_CHARACTERS - 10) + "\n"
    at_limit = (line * (MAX_PARSED_CHARACTERS // len(line) + 1))[:MAX_PARSED_CHARACTERS]
    assert outline_of(decode(at_limit.encode()), "a.py").fallback == ""
    assert outline_of(decode((at_limit + "\n").encode()), "a.py").fallback == (
        "over 1,000,000 characters: indentation blocks"
    )


def test_a_minified_file_comes_in_blocks_and_its_lines_are_left_to_markers() -> None:
    text = "/* licence */\n" + "function f(){return 1};" * 200 + "\n"
    source = decode(text.encode())
    assert outline_of(source, "a.js").fallback == "minified: indentation blocks"
    view = render(source, Mode("map"), path="a.js", why="explicit")
    assert view.mode == "map"
    assert view.body == f"/* licence */\n…{view.tag} 2-2\n"
    assert "minified" in view.header


def test_one_long_line_does_not_make_a_file_minified() -> None:
    text = "x = 1\n" * MAX_LINE_CHARACTERS + f"y = '{'y' * MAX_LINE_CHARACTERS}'\n\ndef f(): pass\n"
    outline = outline_of(decode(text.encode()), "a.py")
    assert outline.fallback == ""
    assert outline.find("f") is not None


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("a.go", ("/* " * 300 + "\n") * 20),  # it takes too many steps to recover
        ("a.rs", "%w(\n" * 3_000),  # the last step takes too long
        ("a.rb", "a\n=\n" * 2_000),  # each step takes too long
    ],
)
def test_a_parser_that_runs_away_is_stopped(path: str, text: str) -> None:
    source, start_s = decode(text.encode()), thread_time()
    outline = outline_of(source, path)
    assert thread_time() - start_s < 2 * MAX_PARSE_S
    assert "not parsable" in outline.fallback


@pytest.mark.parametrize("name", [*(f"a.{extension}" for extension in LANGUAGES), *NAMED_FILES, "a.h"])
def test_every_language_copes_with_nothing_and_with_noise(name: str) -> None:
    assert outline_of(decode(b""), name).units == ()
    noise = bytes(range(1, 256)) * 3
    outline = outline_of(decode(noise), name)
    assert outline.units
    assert outline.units[-1].lines[1] == len(decode(noise).lines)


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16", "utf-32", "latin-1"])
@pytest.mark.parametrize("ending", ["\n", "\r\n", "\r"])
def test_encodings_and_line_endings_do_not_shift_the_lines(encoding: str, ending: str) -> None:
    text = ending.join(["// über", "function f() {", "  return 1;", "}", "", "class A {", "  m() {}", "}", ""])
    units = outline_of(decode(text.encode(encoding)), "a.js").units
    assert [(unit.name, unit.lines) for unit in units] == [("f", (1, 4)), ("A", (6, 8)), ("A.m", (7, 7))]


def test_a_grammar_is_imported_when_a_file_needs_it() -> None:
    program = (
        "import sys; from coordinator.reading.grammar import outline_of; "
        "from coordinator.reading.source import decode; outline_of(decode(b'x = 1'), 'a.go'); "
        "print(sorted(name for name in sys.modules if name.startswith('tree_sitter_') and '.' not in name))"
    )
    ran = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=60, check=True)
    assert ran.stdout == "['tree_sitter_go']\n"
