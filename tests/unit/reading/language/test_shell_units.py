"""Functions of shell scripts."""

from collections.abc import Callable
from typing import Any

Look = Callable[[str, str], Any]

SOURCE = """\
#!/usr/bin/env bash
set -eu

# Weighs.
weigh() {
  echo 1
}

function zero {
  echo 0
}

if true; then
  guarded() { :; }
fi
"""


def test_functions_have_names_and_comments(look: Look) -> None:
    sh = look("a.sh", SOURCE)
    assert sh.definitions == ["weigh", "zero", "guarded"]
    assert sh.summary("weigh") == "# Weighs.\n"
    assert sh.signature("weigh") == "weigh() {\n"
    assert sh.expand("zero") == "function zero {\n  echo 0\n}\n"


def test_a_script_without_an_extension_is_told_by_its_first_line(look: Look) -> None:
    assert look("bin/run", SOURCE).definitions == ["weigh", "zero", "guarded"]
    assert look("bin/run", "#!/usr/bin/python3.11\ndef f(): pass\n").definitions == ["f"]
    assert look("bin/run", "#! /usr/bin/env -S node\nfunction f() {}\n").definitions == ["f"]
    assert "no grammar" in look("bin/run", "#!/usr/bin/perl\nsub f {}\n").outline.fallback
    assert "no grammar" in look("bin/run", "def f(): pass\n").outline.fallback
