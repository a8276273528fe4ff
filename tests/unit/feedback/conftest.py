"""A corpus, and generators that misbehave, for the tests of the loop."""

from collections.abc import Callable, Sequence

import pytest

from coordinator.retrieval.passage import Passage

WORDS = ["claim", "lease", "signal", "field", "journal", "epoch", "session", "shelf"]


class Shelf:
    """A retriever over a fixed list; keeps what it was asked. A passage is longer the less it is compressed."""

    def __init__(self, n_passages: int = 100) -> None:
        self.n_passages = n_passages
        self.asked: list[tuple[int, float]] = []

    def retrieve(self, query: str, *, top_k: int, level: float) -> list[Passage]:  # noqa: ARG002  # the protocol
        self.asked.append((top_k, level))
        n_words = round(8 * (1.0 - level))
        return [self._passage(number, n_words) for number in range(min(top_k, self.n_passages))]

    def _passage(self, number: int, n_words: int) -> Passage:
        text = f"{WORDS[number % 8]} {number}: {' '.join(WORDS[:n_words])}"
        return Passage(f"{number}.md", WORDS[number % 8], text, 1.0 / (1 + number), "0" * 64, 1, 3)


class Scripted:
    """A generator that gives one answer after the other, the last one again and again; errors are raised."""

    def __init__(self, *answers: object) -> None:
        self.answers = list(answers)
        self.n_calls = 0

    def __call__(self, _query: str, _passages: Sequence[Passage]) -> str:
        answer = self.answers[min(self.n_calls, len(self.answers) - 1)]
        self.n_calls += 1
        if isinstance(answer, BaseException):
            raise answer
        return answer  # type: ignore[return-value]  # some give what no generator may


@pytest.fixture
def shelf() -> Shelf:
    return Shelf()


@pytest.fixture
def make_shelf() -> type[Shelf]:
    return Shelf


@pytest.fixture
def scripted() -> Callable[..., Scripted]:
    return Scripted
