"""Proof that an edit is its task's rewrite and nothing else."""

from __future__ import annotations

import ast

from agents_demo.site import alike, sites_in, with_rewritten
from agents_demo.syntax import fold, parse, unfold
from agents_demo.task import Task


def check(before: str, after: str, task: Task) -> str | None:
    """None if `after` is `before` with exactly the task's rewrite, on the syntax tree; else what is wrong.

    Layout and comments are not compared; everything that the compiler sees is.
    """
    module, result = parse(before), parse(after)
    if module is None:
        return f"{task.path!r} did not parse before the edit"
    if result is None:
        return f"{task.path!r} does not parse after the edit"
    folded = fold(module)
    found = alike(sites_in(folded, only=task.scope), task.scope, task.fingerprint)
    if len(found) != task.n_alike:
        return f"the task's place was not in {task.scope!r} before the edit"
    if found[task.ordinal].kind is None:
        return f"the task's place in {task.scope!r} already had its new form before the edit"
    return difference(unfold(with_rewritten(folded, [found[task.ordinal]])), result)


def difference(wanted: ast.Module, found: ast.Module) -> str | None:
    """None if the two trees say the same; else where, by the line in `found`, they first differ."""
    for expected, statement in zip(wanted.body, found.body, strict=False):
        if ast.dump(expected) != ast.dump(statement):
            return f"the statement at line {statement.lineno} says something else than the rewrite makes of it"
    if len(wanted.body) != len(found.body):
        return f"there are {len(found.body)} statements at the top instead of {len(wanted.body)}"
    return None
