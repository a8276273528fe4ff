"""Tokens are counted with o200k_base, offline."""

import subprocess
import sys

from coordinator.reading.token_count import count_file_tokens, count_tokens, token_numbers


def test_known_texts_have_their_known_counts() -> None:
    assert count_tokens("") == 0
    assert count_tokens("hello world") == 2
    assert count_tokens("1234") == 2  # digits go in threes


def test_special_tokens_count_as_plain_text() -> None:
    assert count_tokens("<|endoftext|>") > 1


def test_a_lone_surrogate_is_counted_as_its_replacement() -> None:
    assert count_tokens("a\ud800b") == count_tokens("a?b")


def test_a_text_of_a_million_characters_is_counted() -> None:
    assert count_tokens("x" * 1_000_000) == 125_000


def test_tokens_have_their_numbers_in_the_vocabulary() -> None:
    assert token_numbers("") == []
    assert token_numbers("hello world") == [24912, 2375]
    assert token_numbers("a\ud800b") == token_numbers("a?b")


def test_a_file_counts_as_its_text() -> None:
    assert count_file_tokens("hello world") == 2


def test_importing_the_module_does_not_load_the_tokenizer() -> None:
    script = (
        "import sys, coordinator.reading.view; sys.exit(any(name.startswith('bpe_openai') for name in sys.modules))"
    )
    assert subprocess.run([sys.executable, "-c", script], check=False).returncode == 0


def test_the_whole_package_can_still_be_imported_afterwards() -> None:
    count_tokens("first")
    import bpe_openai

    assert bpe_openai.get_encoding("o200k_base").encode("hello world") == [24912, 2375]
