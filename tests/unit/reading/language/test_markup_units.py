"""Elements of HTML and rules of CSS."""

from collections.abc import Callable
from typing import Any

Look = Callable[[str, str], Any]

HTML = """\
<!DOCTYPE html>
<html>
<head>
<style>
.a { }
</style>
</head>
<body>
<div class="x">
  <nav
    id="top">
    <a href="x">x</a>
  </nav>
  <section>
    <p>Text.</p>
  </section>
  <p id="short">x</p>
</div>
<script src="x"></script>
</body>
</html>
"""
CSS = """\
@import "x";
:root { --a: 1; }

/* Leads it. */
.a > .b, #c:hover {
  color: red;
}

@media (max-width: 1px) {
  .d { color: red; }
}
"""


def test_elements_of_several_lines_are_called_by_their_id_or_by_what_they_mean(look: Look) -> None:
    html = look("a.html", HTML)
    assert html.definitions == ["style", "top", "section"]
    assert html.signature("top") == '  <nav\n    id="top">\n'
    assert html.expand("section") == "  <section>\n    <p>Text.</p>\n  </section>\n"


def test_rules_of_several_lines_are_called_by_their_selectors(look: Look) -> None:
    css = look("a.css", CSS)
    assert css.names == ["L1-1", "L2-2", ".a>.b-#c:hover", "@media-(max-width:1px)"]
    assert css.unit("L1-1").kind == "imports"
    assert css.summary(".a>.b-#c:hover") == "/* Leads it. */\n"
    assert css.signature(".a>.b-#c:hover") == ".a > .b, #c:hover {\n"
