"""Where definitions begin and end in JavaScript, which has many ways to give a function a name."""

from collections.abc import Callable
from typing import Any

Look = Callable[[str, str], Any]

SOURCE = """\
'use strict';
const fs = require('fs');
import path from 'path';

const LIMIT = 3;

/**
 * Parses a text.
 */
exports.parse = function parse(text,
    options) {
  return text;
};

Parser.prototype.next = (token) => {
  return token;
};

module.exports = {
  read() { return 1; },
  write: function () {
    return 2;
  },
  size: 3,
  nested: { a: 1 },
};

class Scale extends Base {
  static zero = () => {
    return 0;
  };

  // leads weigh
  weigh(sample) { return sample; }

  get total() { return this.sum; }
}

export default function main() {}

export const first = 1, second = () => 2;

const Memo = React.memo(function Inner(props) {
  const a = 1;
  const b = 2;
  const c = 3;
  return a + b + c;
});

if (LIMIT) {
  function guarded() {}
}
"""


def test_functions_are_called_by_what_they_are_bound_to(look: Look) -> None:
    assert look("a.js", SOURCE).names == [
        "L1-1", "L2-3", "L5-5", "parse", "Parser.next", "module.exports", "read", "write",
        "Scale", "Scale.zero", "Scale.weigh", "Scale.total", "main", "second", "Memo", "L50-50", "guarded", "L52-52",
    ]  # fmt: skip


def test_requires_and_imports_are_a_run_of_their_own(look: Look) -> None:
    assert look("a.js", SOURCE).unit("L2-3").kind == "imports"
    assert look("a.js", SOURCE).unit("L5-5").kind == "run"


def test_signatures_end_before_the_body(look: Look) -> None:
    js = look("a.js", SOURCE)
    assert js.signature("parse") == "exports.parse = function parse(text,\n    options) {\n"
    assert js.signature("Scale") == "class Scale extends Base {\n"
    assert js.signature("Memo") == "const Memo = React.memo(function Inner(props) {\n"


def test_a_leading_comment_is_the_documentation(look: Look) -> None:
    js = look("a.js", SOURCE)
    assert js.summary("parse") == "/**\n * Parses a text.\n"
    assert js.summary("Scale.weigh") == "  // leads weigh\n"
    assert js.unit("Parser.next").summary is None


def test_expand_gives_a_function_with_its_comment(look: Look) -> None:
    assert look("a.js", SOURCE).expand("Scale.weigh") == ("  // leads weigh\n  weigh(sample) { return sample; }\n")


def test_what_is_called_at_once_is_passed_through(look: Look) -> None:
    umd = """\
;(function (root, factory) {
  root.made = factory();
}(this, function () {
  function a() {}
  return {
    b: function () {
      return 1;
    },
    c: function () {},
  };
}));
(function () {
  var d = function () {};
}).call(this);
!function () { function e() {} }();
(() => {
  class F {}
})();
define(['x'], function (x) {
  function g() {}
});
"""
    assert look("a.js", umd).definitions == ["a", "b", "c", "d", "e", "F", "g"]


def test_tests_are_called_by_their_titles_without_white_space(look: Look) -> None:
    source = """\
describe('a parser', function () {
  beforeEach(() => { reset(); });

  it('should fail on "x, y"', async () => {
    await parse('x, y');
  });
  test.each([[1], [2]])('adds', (a) => {
    expect(a);
  });
  describe.only(`nested`, () => {
    it('works', () => {});
  });
});
app.get('/users/:id', function (req, res) {
  const a = 1;
  const b = 2;
  const c = 3;
  res.send(a + b + c);
});
"""
    js = look("a.test.js", source)
    assert js.definitions == [
        "describe-a-parser", 'it-fail-on-"x-y"', "test.each-adds", "describe.only-nested", "it-works",
        "app.get-/users/:id",
    ]  # fmt: skip
    assert js.unit("describe-a-parser").kind == "class"
    assert js.expand('it fail on "x, y"') == js.expand('it-fail-on-"x-y"')


def test_a_long_function_has_members_and_a_short_one_has_none(look: Look) -> None:
    def source(n_lines: int) -> str:
        return "function outer() {\n  function inner() {}\n" + "  step();\n" * n_lines + "}\n"

    assert look("a.js", source(57)).definitions == ["outer"]
    assert look("a.js", source(58)).definitions == ["outer", "outer.inner"]


def test_a_definition_that_begins_on_the_line_of_another_belongs_to_it(look: Look) -> None:
    assert look("a.js", "function a() {\n} function b() {\n}\nfunction c() {}\n").names == ["a", "L3-3", "c"]


def test_a_function_without_a_name_that_is_exported_is_the_default(look: Look) -> None:
    assert look("a.js", "export default (a) => {\n  return a;\n};\n").definitions == ["default"]
    assert look("a.js", "module.exports = function (a) {\n  return a;\n};\n").definitions == ["module.exports"]
    assert look("a.js", "exports = module.exports = function make() {\n};\n").definitions == ["make"]


def test_jsx_is_javascript(look: Look) -> None:
    assert look("a.jsx", "const App = () => <p>{x}</p>;\n").definitions == ["App"]
