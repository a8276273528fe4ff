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


def test_a_heading_has_what_follows_up_to_the_next_one_or_to_an_element_with_a_name(look: Look) -> None:
    page = """\
<body>
<h1>The <b>scale</b></h1>
<p>Text.</p>

<p>More.</p>
<h2 id="install">Install it</h2>
<p>Text.</p>
<div id="box">
  <p>x</p>
</div>
<p>After.</p>
</body>
"""
    html = look("a.html", page)
    assert [(unit.name, unit.lines) for unit in html.outline.units if unit.is_definition] == [
        ("The-scale", (2, 5)), ("Install-it", (6, 7)), ("box", (8, 10)),
    ]  # fmt: skip
    assert html.signature("The-scale") == "<h1>The <b>scale</b></h1>\n"


def test_rules_of_several_lines_are_called_by_their_selectors(look: Look) -> None:
    css = look("a.css", CSS)
    assert css.names == ["L1-1", "L2-2", ".a>.b-#c:hover", "@media-(max-width:1px)"]
    assert css.unit("L1-1").kind == "imports"
    assert css.summary(".a>.b-#c:hover") == "/* Leads it. */\n"
    assert css.signature(".a>.b-#c:hover") == ".a > .b, #c:hover {\n"
