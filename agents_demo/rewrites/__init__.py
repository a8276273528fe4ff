"""The kinds of rewrite that the demo's tasks ask for, one module a kind."""

from __future__ import annotations

import ast
from typing import Any, Final

from agents_demo.rewrites.bare_raise import BareRaise
from agents_demo.rewrites.comparison import NegatedComparison, NoneComparison
from agents_demo.rewrites.import_run import SortedImports
from agents_demo.rewrites.object_base import ObjectBase
from agents_demo.rewrites.percent_format import PercentFormat
from agents_demo.rewrites.rewrite import Change, Place, Rewrite
from agents_demo.rewrites.super_call import SuperCall

__all__ = ["REWRITES", "Change", "Place", "Rewrite", "new_form_of", "old_form_of"]

REWRITES: Final[dict[str, Rewrite[Any]]] = {
    rewrite.kind: rewrite
    for rewrite in (
        *(PercentFormat(), NegatedComparison(), NoneComparison(), SortedImports()),
        *(ObjectBase(), SuperCall(), BareRaise()),
    )
}

_BY_OLD_TYPE: Final = {rewrite.old_type: rewrite for rewrite in REWRITES.values()}
_BY_NEW_TYPE: Final = {
    node_type: [rewrite for rewrite in REWRITES.values() if rewrite.new_type is node_type]
    for node_type in {rewrite.new_type for rewrite in REWRITES.values()}
}


def old_form_of(node: ast.AST) -> Rewrite[Any] | None:
    """The rewrite that can be made here; no node is the old form of two."""
    rewrite = _BY_OLD_TYPE.get(type(node))
    return rewrite if rewrite is not None and rewrite.is_old(node) else None


def new_form_of(node: ast.AST) -> Rewrite[Any] | None:
    """A rewrite that this node could be the result of: the first of them, they name it alike."""
    return next((rewrite for rewrite in _BY_NEW_TYPE.get(type(node), ()) if rewrite.is_new(node)), None)
