"""A file in pieces."""

from coordinator.reading.cut_file import MAX_PIECE_CHARACTERS, cut_file
from coordinator.reading.source import decode
from coordinator.reading.token_count import count_tokens

TEXT = "import os\n\n\ndef parse_header(line):\n    return line\n\n\ndef close(self):\n    return None\n"


def test_each_piece_has_its_text_its_tokens_and_its_words() -> None:
    cut = cut_file(decode(TEXT.encode()), "src/a.py")
    assert (cut.extension, cut.n_lines) == ("py", 9)
    assert "".join(cut.texts) == TEXT
    assert cut.sizes == [
        sum(count_tokens(line) for line in text.splitlines(True) if line.strip()) for text in cut.texts
    ]
    assert [score > 0 for score in cut.words.scores(["header"])] == [False, True, False]
    assert [score > 0 for score in cut.names.scores(["close"])] == [False, False, True]
    assert cut.middling_name == "parse_header"


def test_an_empty_file_has_no_pieces() -> None:
    cut = cut_file(decode(b""), "a.py")
    assert (cut.pieces, cut.texts, cut.sizes, cut.middling_name) == ((), [], [], "")
    assert cut.words.scores(["a"]) == []


def test_words_of_a_piece_that_is_too_long_to_keep_are_found_too() -> None:
    long = f"x = '{'word ' * (MAX_PIECE_CHARACTERS // 5)}' + needle\n"
    assert cut_file(decode(long.encode()), "a.txt").words.scores(["needle"])[0] > 0
