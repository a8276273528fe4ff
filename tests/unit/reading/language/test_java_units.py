"""Where definitions begin and end in Java."""

from collections.abc import Callable
from typing import Any

Look = Callable[[str, str], Any]

SOURCE = """\
package lab.scale;

import java.util.*;

/**
 * A scale.
 */
@Since("1.0")
public class Scale<T> extends Base {
  private int total;

  Scale(int total) {
    this.total = total;
  }

  /** Weighs. */
  @Override
  @Checked
  public <S> int weigh(
      S sample) throws Bad {
    return 1;
  }

  enum Unit {
    GRAM;

    int factor() { return 1; }
  }

  interface Listener { void weighed(int mass); }

  record Pair(int a, int b) {
    Pair { check(a); }
  }
}
"""


def test_every_type_method_and_constructor_has_a_name(look: Look) -> None:
    assert look("Scale.java", SOURCE).names == [
        "L1-3", "Scale", "Scale.Scale", "Scale.weigh", "Scale.Unit", "Scale.Unit.factor", "Scale.Listener",
        "Scale.Pair", "Scale.Pair.Pair",
    ]  # fmt: skip
    assert look("Scale.java", SOURCE).unit("L1-3").kind == "imports"


def test_annotations_lead_a_definition_and_are_not_its_signature(look: Look) -> None:
    java = look("Scale.java", SOURCE)
    weigh = java.unit("Scale.weigh")
    assert (weigh.lines, weigh.decorated_at) == ((16, 22), 17)
    assert java.signature("Scale.weigh") == "  public <S> int weigh(\n      S sample) throws Bad {\n"
    assert java.signature("Scale") == "public class Scale<T> extends Base {\n"


def test_the_comment_above_the_annotations_is_the_documentation(look: Look) -> None:
    java = look("Scale.java", SOURCE)
    assert java.summary("Scale") == "/**\n * A scale.\n"
    assert java.summary("Scale.weigh") == "  /** Weighs. */\n"


def test_expand_gives_a_method_with_comment_and_annotations(look: Look) -> None:
    assert look("Scale.java", SOURCE).expand("Scale.weigh").startswith("  /** Weighs. */\n  @Override\n  @Checked\n")
