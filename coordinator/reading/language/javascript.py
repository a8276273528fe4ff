"""JavaScript: functions, classes and objects by what they are bound to; calls that take a function by their first text.

exports.parse = function (text) {      parse
Foo.prototype.bar = (x) => {           Foo.bar
module.exports = { read() {            module.exports, read
describe('a thing', () => {            describe-a-thing
  it('works', () => {                  describe-a-thing.it-works
(function () {                         nothing: what is inside counts as if it stood outside
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from tree_sitter import Node

from coordinator.reading.language.definition import Definition, Found, Passage, Rule, Rules, definition, named, renamed
from coordinator.reading.language.grammar import Grammar
from coordinator.reading.language.name import MAX_TITLE_CHARACTERS, slug, text_of
from coordinator.reading.unit import UnitKind

MIN_OBJECT_LINES: Final = 6
"""An object, or a call with a function, of fewer lines is too short to be had on its own."""
_FUNCTIONS = frozenset({"function_expression", "arrow_function", "generator_function"})
_DECLARATIONS = frozenset({"lexical_declaration", "variable_declaration"})
_AROUND = {
    "parenthesized_expression": "", "await_expression": "", "unary_expression": "argument", "as_expression": "",
    "satisfies_expression": "", "non_null_expression": "",
}  # fmt: skip
_CALLEE = re.compile(r"[\w$]+(?:\s*\.\s*[\w$]+)*")
_EXPORTED = re.compile(r"^(?:module\.exports|exports|this|self|window|globalThis|root)\.(?=.)")
_PASSED = frozenset({"define", "require", "$", "jQuery"})  # a module around a whole file
_SUITES = frozenset({"describe", "context", "suite"})
_TESTS = frozenset({"it", "test", "specify"})
_QUOTES = "'\"`"
_MAX_AROUND = 8
_REQUIRE = re.compile(rb"(?:\w+\()?require\(")


def unwrapped(node: Node | None) -> Node | None:
    """The expression inside of parentheses, type assertions, `await` and `!`."""
    for _ in range(_MAX_AROUND):
        if node is None or node.type not in _AROUND:
            break
        node = node.child_by_field_name(_AROUND[node.type]) if _AROUND[node.type] else _first_named(node)
    return node


def is_import(node: Node) -> bool:
    """`import ...`, or a declaration of nothing but what `require` gave."""
    if node.type not in _DECLARATIONS:
        return node.type == "import_statement"
    values = [child.child_by_field_name("value") for child in node.children if child.type == "variable_declarator"]
    return bool(values) and all(value is not None and _REQUIRE.match(value.text or b"") for value in values)


def _first_named(node: Node) -> Node | None:
    return next((child for child in node.named_children if child.type != "comment"), None)


def _n_lines(node: Node) -> int:
    return node.end_point.row - node.start_point.row + 1


def _cleaned(target: Node) -> str:
    """What is assigned to, as a name."""
    text = text_of(target).replace(".prototype.", ".").strip(f"{_QUOTES}[]")
    return slug(_EXPORTED.sub("", text))


def _bound(name: str, value: Node | None, statement: Node) -> Found:
    """What `name` is given: a function, a class, an object, or what a call makes of one of these."""
    value = unwrapped(value)
    if value is None:
        return None
    if value.type == "assignment_expression":
        return _bound(name, _last_right(value), statement)
    if value.type in _FUNCTIONS:
        return definition("function", name, statement, value.child_by_field_name("body"))
    if value.type == "class":
        return definition("class", name, statement, value.child_by_field_name("body"))
    if _n_lines(value) < MIN_OBJECT_LINES:
        return None
    if value.type == "object":
        return definition("class", name, statement, value)
    return _made(name, value, statement) if value.type in ("call_expression", "new_expression") else None


def _made(name: str, call: Node, statement: Node) -> Found:
    """`const name = memo(function () {`, `const name = createSlice({`, `const name = (() => {...})()`."""
    around = unwrapped(call.child_by_field_name("function"))
    inside = [around] if around is not None and around.type in _FUNCTIONS else list(_arguments(call))
    functions = [each.child_by_field_name("body") for each in inside if each.type in _FUNCTIONS]
    objects = [each for each in inside if each.type == "object" and _n_lines(each) >= MIN_OBJECT_LINES]
    members = sorted([*filter(None, functions), *objects], key=lambda member: member.start_byte)
    if not members:
        return None
    return definition("class" if objects else "function", name, statement, members[0], *members)


def _arguments(call: Node) -> Iterator[Node]:
    arguments = call.child_by_field_name("arguments")
    for child in arguments.named_children if arguments is not None else ():
        inner = unwrapped(child)
        if inner is not None:
            yield inner


def _declaration(node: Node) -> Found:
    """One bound name is a definition with the statement; of several, each by itself."""
    declarators = [child for child in node.children if child.type == "variable_declarator"]
    if is_import(node):
        return None
    if len(declarators) != 1:
        return Passage((node,))
    return _bound(_name(declarators[0], "name"), declarators[0].child_by_field_name("value"), node)


def _binding(name: str, value: str) -> Rule:
    """The rule for nodes that bind the field `name` to the field `value`."""
    return lambda node: _bound(_name(node, name), node.child_by_field_name(value), node)


def _name(node: Node, field: str) -> str:
    target = node.child_by_field_name(field)
    return _cleaned(target) if target is not None else ""


def _statement(node: Node) -> Found:
    """An assignment, a call, or a function that is called at once."""
    inner = unwrapped(_first_named(node))
    if inner is None:
        return None
    if inner.type == "assignment_expression":
        return _assignment(inner, node)
    return _call(inner, node) if inner.type == "call_expression" else None


def _last_right(node: Node) -> Node | None:
    """What `exports = module.exports = make` assigns."""
    right = unwrapped(node.child_by_field_name("right"))
    for _ in range(_MAX_AROUND):
        if right is None or right.type != "assignment_expression":
            break
        right = unwrapped(right.child_by_field_name("right"))
    return right


def _assignment(node: Node, statement: Node) -> Found:
    name, right = _name(node, "left"), _last_right(node)
    found = _bound(name, right, statement)
    if name in ("module.exports", "exports") and isinstance(found, Definition):
        own = _name(right, "name") if right is not None else ""
        if own:
            return renamed(found, own)
        return Definition(name, found.kind, statement, found.body, found.members)
    return found


def _call(call: Node, statement: Node) -> Found:
    called = unwrapped(call.child_by_field_name("function"))
    if called is None:
        return None
    target = unwrapped(called.child_by_field_name("object")) if called.type == "member_expression" else called
    bodies = tuple(body for each in _arguments(call) if (body := _function_body(each)) is not None)
    own = _function_body(target) if target is not None else None
    if own is not None:
        return Passage((own, *bodies))
    if called.type == "call_expression":  # test.each(table)(title, function)
        called = called.child_by_field_name("function") or called
    name = text_of(called)
    if not _CALLEE.fullmatch(name):
        return None
    if name in _PASSED:
        return Passage(bodies)
    return _titled(name, call, bodies, statement)


def _titled(called: str, call: Node, bodies: tuple[Node, ...], statement: Node) -> Found:
    """A test, a route, a hook: it is called by what it is told first, without the suites around it."""
    title = next((text_of(each)[1:-1] for each in _arguments(call) if each.type in ("string", "template_string")), "")
    name = slug(f"{called} {title.removeprefix('should ')}", MAX_TITLE_CHARACTERS)
    verb = called.partition(".")[0]
    if bodies and (verb in _SUITES or verb in _TESTS or _n_lines(statement) >= MIN_OBJECT_LINES):
        kind: UnitKind = "class" if verb in _SUITES else "function"
        return definition(kind, name, statement, bodies[0], *bodies, scope="")
    objects = [each for each in _arguments(call) if each.type == "object" and _n_lines(each) >= MIN_OBJECT_LINES]
    return definition("class", name, statement, objects[0], *objects) if objects else None


def _function_body(node: Node) -> Node | None:
    return node.child_by_field_name("body") if node.type in _FUNCTIONS else None


def _returned(node: Node) -> Found:
    """What a module's function gives back counts as its members."""
    value = unwrapped(_first_named(node))
    if value is None or _n_lines(value) < MIN_OBJECT_LINES:
        return None
    if value.type == "object":
        return Passage((value,))
    body = _function_body(value)
    return Passage((body,)) if body is not None else None


def exported(rules: Rules) -> Rule:
    """`export` in front of a declaration, or of a default value."""

    def rule(node: Node) -> Found:
        inner = node.child_by_field_name("declaration")
        if inner is not None:
            inner_rule = rules.get(inner.type)
            return inner_rule(inner) if inner_rule is not None else None
        value = unwrapped(node.child_by_field_name("value"))
        return _bound((_name(value, "name") or "default") if value is not None else "", value, node)

    return rule


RULES: Final[dict[str, Rule]] = {
    "function_declaration": named("function"),
    "generator_function_declaration": named("function"),
    "class_declaration": named("class"),
    "method_definition": named("function"),
    "lexical_declaration": _declaration,
    "variable_declaration": _declaration,
    "variable_declarator": _binding("name", "value"),
    "pair": _binding("key", "value"),
    "field_definition": _binding("property", "value"),
    "expression_statement": _statement,
    "return_statement": _returned,
}
RULES["export_statement"] = exported(RULES)
TRANSPARENT: Final = frozenset(
    {
        "ERROR", "statement_block", "if_statement", "else_clause", "try_statement", "catch_clause", "finally_clause",
        "labeled_statement",
    }
)  # fmt: skip

JAVASCRIPT: Final = Grammar(
    name="JavaScript",
    wheel="tree_sitter_javascript",
    rules=RULES,
    transparent=TRANSPARENT,
    is_import=is_import,
    comments=frozenset({"comment"}),
    leaders=frozenset({"decorator"}),
    annotations=frozenset({"decorator"}),
)
