"""Searching a tree that changes."""

import os
import sqlite3
import subprocess
import sys
import threading
from collections.abc import Callable
from contextlib import closing
from typing import Any

import pytest

from actors.runtime.errors import Busy, Corrupt, Misuse, Unavailable
from coordinator.editing.file_lock import locked
from coordinator.retrieval import index_file
from coordinator.retrieval.index_file import IndexFile
from coordinator.retrieval.limit import MAX_INLINE_FILES, MAX_QUERY_CHARACTERS, MAX_TOP_K
from coordinator.retrieval.model import RETRY_S
from coordinator.retrieval.passage import Retriever

Titles = Callable[..., list[str]]
PETS = "# Pets\n\n## Kitten\n\nSmall felines sleep.\n\n## Parrot\n\nIt talks.\n"
CARS = "# Traffic\n\n## Automobile\n\nVehicles need fuel.\n"


@pytest.fixture
def full(site: Any) -> Any:
    site.write("pets.md", PETS)
    site.write("cars.md", CARS)
    site.write("src/parser.py", "def parse_header(text):\n    return text.strip()\n")
    return site


def test_a_passage_is_found_by_its_words_and_says_where_it_is(full: Any) -> None:
    answer = full.retriever().search("which bird talks", top_k=1)
    (passage,) = answer.passages
    assert (passage.path, passage.title, passage.first_line, passage.last_line) == ("pets.md", "Parrot", 7, 9)
    assert passage.text == "## Parrot\n\nIt talks.\n"
    assert answer.sources == ("words",)
    assert answer.notes == ()


def test_a_passage_is_found_by_its_meaning(full: Any) -> None:
    answer = full.retriever().search("cat", top_k=3)
    assert [(one.title, source) for one, source in zip(answer.passages, answer.sources, strict=True)] == [
        ("Kitten", "meaning")
    ]


def test_what_words_and_meaning_both_find_comes_first(full: Any) -> None:
    full.write("other.md", "# Fuel prices\n\nFuel, fuel.\n")
    answer = full.retriever().search("fuel for a car")
    assert (answer.passages[0].title, answer.sources[0]) == ("Automobile", "both")


def test_identifiers_are_found_by_their_parts(full: Any, found: Titles) -> None:
    assert found(full.retriever(), "header parsing")[0] == "parse_header"


def test_it_is_a_retriever(full: Any) -> None:
    asked: Retriever = full.retriever()
    assert [one.title for one in asked.retrieve("parrot", top_k=1, level=1.0)] == ["Parrot"]


def test_scores_fall_and_equal_ones_are_in_the_order_of_paths(full: Any) -> None:
    for name in ("z.md", "m.md", "a.md"):
        full.write(name, "# Same\n\nA walrus.\n")
    answer = full.retriever().search("walrus")
    assert [one.path for one in answer.passages] == ["a.md", "m.md", "z.md"]
    assert [one.score for one in answer.passages] == sorted((one.score for one in answer.passages), reverse=True)


def test_an_index_that_grew_answers_as_one_that_was_made_at_once(full: Any) -> None:
    grown = full.retriever(max_age_s=0.0)
    grown.search("fuel")
    full.write("pets.md", PETS.replace("talks", "talks of fuel"))
    full.write("new.md", "# New\n\nFuel and a kitten.\n")
    before = grown.search("fuel kitten")
    made = full.retriever()
    made.index(rebuild=True)
    assert made.search("fuel kitten") == before


# What has changed


def test_a_changed_file_is_found_by_what_it_says_now(full: Any, found: Titles) -> None:
    retriever = full.retriever(max_age_s=0.0)
    assert found(retriever, "walrus") == []
    full.write("pets.md", PETS.replace("Parrot", "Walrus"))
    assert found(retriever, "walrus") == ["Walrus"]
    assert found(retriever, "parrot") == []


def test_a_change_that_keeps_size_and_times_is_seen(full: Any) -> None:
    file = full.root / "pets.md"
    retriever = full.retriever(max_age_s=0.0)
    retriever.index()
    about = file.stat()
    full.write("pets.md", PETS.replace("talks", "walks"))
    os.utime(file, ns=(about.st_atime_ns, about.st_mtime_ns))
    assert file.stat().st_size == about.st_size
    assert retriever.search("walks", top_k=1).passages[0].text == "## Parrot\n\nIt walks.\n"


def test_a_hit_in_a_changed_file_has_the_tree_looked_at_at_once(full: Any, found: Titles) -> None:
    retriever = full.retriever(max_age_s=60.0)
    retriever.search("parrot")
    full.write("pets.md", "# Pets\n\nThe parrot became a walrus.\n")
    assert found(retriever, "parrot") == ["Pets"]
    assert retriever.search("parrot").notes == ()


def test_while_another_process_indexes_a_passage_is_shown_as_its_file_is_now(full: Any) -> None:
    retriever = full.retriever(max_age_s=60.0)
    retriever.search("parrot")
    full.write("pets.md", f"Before.\n\n{PETS.replace('talks', 'sings')}")
    with locked(full.index_path.with_suffix(".lock"), 1.0):
        answer = retriever.search("parrot", top_k=1)
    assert answer.passages[0].text == "## Parrot\n\nIt sings.\n"
    assert answer.passages[0].first_line == 9
    assert answer.notes == ("1 of these passages were read anew: their files changed after they were indexed",)


@pytest.mark.parametrize("change", ["unlink", "binary", "renamed", "link"])
def test_between_two_looks_what_is_gone_is_not_shown(full: Any, found: Titles, change: str) -> None:
    retriever = full.retriever(max_age_s=60.0)
    assert found(retriever, "parrot") == ["Parrot"]
    file = full.root / "pets.md"
    if change == "unlink":
        file.unlink()
    elif change == "binary":
        file.write_bytes(b"\0\1")
    elif change == "renamed":
        file.write_text("# Elsewhere\n")
    else:
        file.rename(full.root.parent / "kept.md")
        file.symlink_to(full.root.parent / "kept.md")
    assert found(retriever, "parrot") == []


def test_a_look_is_not_repeated_before_its_time(full: Any, found: Titles) -> None:
    retriever = full.retriever(max_age_s=2.0)
    retriever.search("parrot")
    full.write("late.md", "# Late\n\nA walrus.\n")
    full.now_s += 1.9
    assert found(retriever, "walrus") == []
    full.now_s += 0.2
    assert found(retriever, "walrus") == ["Late"]


def test_more_changes_than_a_search_takes_in_are_said(full: Any) -> None:
    retriever = full.retriever(max_age_s=0.0)
    retriever.index()
    for number in range(MAX_INLINE_FILES + 1):
        full.write(f"many/{number}.md", f"# Walrus {number}\n\nText.\n")
    answer = retriever.search("parrot")
    assert answer.passages[0].title == "Parrot"
    assert answer.notes == (
        f"{MAX_INLINE_FILES + 1} files or more have changed and are not in the index: run `scentfield index`",
    )
    retriever.index()
    assert retriever.search("walrus", top_k=100).notes == ()
    assert len(retriever.search("walrus", top_k=100).passages) == MAX_INLINE_FILES + 1


def test_a_tree_that_is_too_large_has_to_be_indexed_first(site: Any) -> None:
    for number in range(MAX_INLINE_FILES + 1):
        site.write(f"{number}.md", f"# Walrus {number}\n\nText.\n")
    retriever = site.retriever()
    with pytest.raises(Unavailable, match="make it with `scentfield index`"):
        retriever.search("walrus")
    retriever.index()
    assert len(retriever.search("walrus").passages) == 10


# Several at once


def test_agents_share_one_index(full: Any, found: Titles) -> None:
    one, other = full.retriever(max_age_s=0.0), full.retriever(max_age_s=0.0)
    assert found(one, "cat") == found(other, "cat") == ["Kitten"]
    n_texts = full.model.n_texts
    full.write("more.md", "# Tom\n\nA feline.\n")
    assert found(one, "cat") == found(other, "cat") == ["Tom", "Kitten"]
    assert full.model.n_texts - n_texts == 4  # two queries, one new section, and what asks which model that is of


def test_while_another_process_indexes_a_search_goes_on_with_what_there_is(full: Any, found: Titles) -> None:
    retriever = full.retriever(max_age_s=0.0)
    retriever.index()
    full.write("late.md", "# Late\n\nA walrus.\n")
    with locked(full.index_path.with_suffix(".lock"), 1.0):
        assert found(retriever, "parrot") == ["Parrot"]
        assert found(retriever, "walrus") == []
        with pytest.raises(Busy):
            retriever.index(wait_s=0.0)
    assert found(retriever, "walrus") == ["Late"]


def test_many_threads_search_while_one_indexes(full: Any) -> None:
    retriever = full.retriever(max_age_s=0.0)
    retriever.index()
    wrong: list[object] = []

    def ask() -> None:
        for _ in range(20):
            try:
                titles = [one.title for one in retriever.search("parrot", top_k=1).passages]
            except Exception as error:  # told below
                wrong.append(error)
            else:
                if titles != ["Parrot"]:
                    wrong.append(titles)

    threads = [threading.Thread(target=ask) for _ in range(4)]
    for thread in threads:
        thread.start()
    for number in range(20):
        full.write(f"n{number}.md", f"# N{number}\n\nNothing.\n")
        retriever.index(wait_s=30.0)
    for thread in threads:
        thread.join()
    assert wrong == []


def test_an_index_that_was_made_anew_by_another_process_is_opened_again(full: Any, found: Titles) -> None:
    one, other = full.retriever(max_age_s=60.0), full.retriever()
    assert found(one, "cat") == ["Kitten"]
    full.write("pets.md", PETS.replace("Kitten", "Puss, a feline"))
    other.index(rebuild=True)
    assert found(one, "cat") == ["Puss, a feline"]


# Without a model


def test_without_a_model_words_are_looked_for_and_that_is_said(full: Any, found: Titles) -> None:
    full.model.failure = "the model is asleep"
    retriever = full.retriever()
    answer = retriever.search("parrot or cat")
    assert [one.title for one in answer.passages] == ["Parrot"]
    assert answer.notes == ("looked for by words alone: the model is asleep",)
    assert retriever.index().no_vectors == "the model is asleep"


def test_vectors_are_added_when_the_model_is_back(full: Any, found: Titles) -> None:
    full.model.failure = "the model is asleep"
    retriever = full.retriever(max_age_s=0.0)
    retriever.search("cat")
    full.model.failure = ""
    full.now_s += RETRY_S + 1
    assert found(retriever, "cat") == ["Kitten"]


def test_a_model_that_failed_is_not_asked_again_at_once(full: Any) -> None:
    retriever = full.retriever(max_age_s=60.0)
    retriever.index()
    full.model.failure = "broken"
    assert retriever.search("cat").no_meaning == "broken"
    full.model.failure = ""
    n_texts = full.model.n_texts
    assert retriever.search("cat").no_meaning == "broken"
    assert full.model.n_texts == n_texts


def test_vectors_of_another_model_are_never_compared(full: Any, found: Titles) -> None:
    retriever = full.retriever(max_age_s=0.0)
    retriever.index()
    full.model.model_id = "words#2"
    answer = retriever.search("cat")
    assert answer.passages == ()
    assert answer.notes == ("looked for by words alone: the index has no vectors of words#2: run `scentfield index`",)
    assert retriever.index().n_indexed == 3
    assert found(retriever, "cat") == ["Kitten"]


# Limits, and what is left out


def test_what_is_left_out_is_counted_by_why(full: Any) -> None:
    full.write("image.png", b"\x89PNG\0\0")
    full.write("big.md", "word " * 500)
    full.write("prod.env", "PASSWORD=hunter2\n")
    full.write("empty.md", "")
    full.write("config.md", '# Login\n\npassword = "correct-horse-7"\n\n# Free\n\nA walrus.\n')
    done = full.retriever(max_file_bytes=2_000).index()
    assert done.left_out == {
        "binary": 1,
        "named like a secret": 1,
        "nothing to find it by": 1,
        "over 2,000 bytes": 1,
    }
    assert (done.n_files, done.n_secret) == (4, 1)


def test_a_secret_is_not_in_the_index(full: Any, found: Titles) -> None:
    full.write("config.md", '# Login\n\npassword = "correct-horse-7"\n\n# Free\n\nA walrus.\n')
    retriever = full.retriever()
    assert found(retriever, "walrus") == ["Free"]
    assert found(retriever, "login password") == []
    assert b"horse" not in full.index_path.read_bytes()


def test_a_limit_of_files_and_of_sections(full: Any) -> None:
    done = full.retriever(max_files=2).index()
    assert (done.n_files, done.left_out) == (2, {"over the limit of 2 files": 1})
    done = full.retriever(max_sections=3).index(rebuild=True)
    assert (done.n_sections, done.left_out) == (3, {"over the limit of 3 sections": 1})
    done = full.retriever(max_sections=4).index()
    assert (done.n_sections, done.left_out) == (4, {})


def test_a_file_that_is_readable_again_is_taken_in(full: Any) -> None:
    full.write("big.md", "# Big\n\n" + "walrus " * 100)
    assert full.retriever(max_file_bytes=500).index().left_out == {"over 500 bytes": 1}
    assert full.retriever(max_file_bytes=5_000).index().left_out == {}


def test_odd_names_are_names(full: Any) -> None:
    odd = os.fsdecode(b"walrus \xff\n\"';--.md")
    full.write(odd, "# Odd\n\nTusks.\n")
    (passage,) = full.retriever().search("tusks").passages
    assert passage.path == odd


@pytest.mark.parametrize("query", ["", " \n", "?!", "—"])
def test_a_query_without_a_word_is_refused(full: Any, query: str) -> None:
    with pytest.raises(Misuse, match="has no word"):
        full.retriever().search(query)


@pytest.mark.parametrize(
    "handles",
    [
        *({"top_k": one} for one in (0, MAX_TOP_K + 1, 1.5, True, 10**5000)),
        *({"level": one} for one in (-0.1, 1.1, float("nan"), 10**400, True, "0.5")),
    ],
)
def test_handles_out_of_their_bounds_are_refused(full: Any, handles: dict[str, Any]) -> None:
    with pytest.raises(Misuse, match=r"top_k is|the level is"):
        full.retriever().search("parrot", **handles)


def test_a_query_that_is_too_long_is_refused(full: Any) -> None:
    full.retriever().search("w" * MAX_QUERY_CHARACTERS)
    with pytest.raises(Misuse, match="4,000 are the most"):
        full.retriever().search("w" * (MAX_QUERY_CHARACTERS + 1))


@pytest.mark.parametrize("query", ['parrot" OR "', "parrot AND NOT parrot", "title:parrot", "parrot*", "NEAR(parrot)"])
def test_a_query_is_words_and_never_a_language(full: Any, query: str, found: Titles) -> None:
    assert found(full.retriever(), query)[0] == "Parrot"


# Damage


def test_an_index_of_another_version_is_made_anew(full: Any, found: Titles) -> None:
    full.retriever().index()
    with sqlite3.connect(full.index_path) as connection:
        connection.execute("UPDATE fact SET value = '0' WHERE name = 'format'")
    connection.close()
    assert found(full.retriever(), "parrot") == ["Parrot"]


def test_a_damaged_index_is_said_and_made_anew_on_demand(full: Any, found: Titles) -> None:
    full.retriever().index()
    for one in full._opened:
        one.close()
    for path in full.index_path.parent.glob("tree.sqlite3-*"):
        path.unlink()
    full.index_path.write_bytes(b"no database" * 1_000)
    retriever = full.retriever()
    with pytest.raises(Corrupt, match="scentfield index --rebuild"):
        retriever.search("parrot")
    retriever.index(rebuild=True)
    assert found(retriever, "parrot") == ["Parrot"]


def test_an_index_that_was_taken_away_is_made_again(full: Any, found: Titles) -> None:
    retriever = full.retriever(max_age_s=0.0)
    retriever.index()
    for path in full.index_path.parent.glob("tree.sqlite3*"):
        path.unlink()
    assert found(retriever, "parrot") == ["Parrot"]


def test_an_index_is_for_its_owner_only(full: Any) -> None:
    full.retriever().index()
    assert full.index_path.stat().st_mode & 0o077 == 0
    assert full.index_path.parent.stat().st_mode & 0o077 == 0


def test_an_interrupted_index_goes_on_where_it_was(full: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("coordinator.retrieval.indexer._SECTIONS_AT_ONCE", 1)
    seen: list[str] = []

    def stop(_share: float, note: str) -> None:
        seen.append(note)
        if len(seen) == 2:
            raise KeyboardInterrupt

    retriever = full.retriever()
    with pytest.raises(KeyboardInterrupt):
        retriever.index(told=stop)
    assert retriever._index.counts()["files"] == 1
    assert retriever.index().n_indexed == 2


# Counts


def test_searches_and_what_put_passages_forward_are_counted(full: Any) -> None:
    retriever = full.retriever()
    retriever.search("parrot")
    retriever.search("cat")
    retriever.search("unheard")
    retriever.close()
    assert retriever._index.tally() == {
        "passages_meaning": 1,
        "passages_words": 1,
        "searches_both": 3,
        "searches_empty": 1,
    }
    retriever.index(rebuild=True)
    assert retriever._index.tally()["searches_both"] == 3


def test_an_indexer_that_is_killed_leaves_an_index_that_can_be_gone_on_with(full: Any) -> None:
    for number in range(60):
        full.write(f"n{number}.md", "".join(f"# Heading {number} {part}\n\nText.\n\n" for part in range(100)))
    script = (
        "import sys; from pathlib import Path; from coordinator.retrieval.index_file import IndexFile;"
        "from coordinator.retrieval.limit import RetrievalSettings; from coordinator.retrieval.model import NoModel;"
        "from coordinator.retrieval.tree_retriever import TreeRetriever;"
        "TreeRetriever(Path(sys.argv[1]), IndexFile(Path(sys.argv[2])), NoModel('none'), RetrievalSettings())"
        ".index(told=lambda share, note: print(note, flush=True))"
    )
    process = subprocess.Popen(
        [sys.executable, "-c", script, str(full.root), str(full.index_path)], stdout=subprocess.PIPE
    )
    assert process.stdout is not None
    assert process.stdout.readline()  # the second batch is being cut, the first is written or about to be
    process.kill()
    process.wait()
    process.stdout.close()
    done = full.retriever().index()
    assert (done.n_files, done.n_sections, done.left_out) == (63, 6_000 + 4, {})
    assert full.retriever().search("parrot", top_k=1).notes == ()


def test_a_search_never_shows_a_number_of_an_index_that_was_replaced(full: Any) -> None:
    retriever = full.retriever()
    retriever.index()
    before = {section_id for section_id, _ in retriever._index.best_by_words(["kitten", "parrot"], 10)}
    retriever.index(rebuild=True)
    assert before
    assert retriever._index.places(before) == {}


def test_a_folder_that_cannot_be_written_is_said(full: Any) -> None:
    full.index_path.parent.parent.mkdir()
    full.index_path.parent.mkdir()
    full.index_path.with_suffix(".lock").mkdir()
    with pytest.raises(Unavailable, match="cannot be written"):
        full.retriever().index()


def test_of_a_long_query_the_rarest_words_are_looked_for(full: Any, found: Titles) -> None:
    common = [f"common{letter}" for letter in "abcdefghijklmnopqrst"]
    for number in range(3):
        full.write(f"c{number}.md", f"# Common {number}\n\n{' '.join(common)}\n")
    retriever = full.retriever()
    assert "Parrot" in found(retriever, f"{' '.join(common)} parrot")
    assert len(retriever.search(" ".join(common)).passages) == 3
    assert found(retriever, " ".join(f"unknown{word}" for word in common)) == []


@pytest.mark.parametrize(
    "damage",
    [
        "UPDATE vector SET numbers = 7",
        "UPDATE vector SET numbers = 'text' WHERE section_id = (SELECT max(section_id) FROM vector)",
        "UPDATE vector SET numbers = x'01' WHERE section_id = (SELECT max(section_id) FROM vector)",
        "UPDATE section SET first_line = 'first'",
        "UPDATE section SET title = x'00ff'",
        "UPDATE section SET title = CAST(x'ff' AS TEXT)",
        "UPDATE file SET content_hash = CAST(x'ff' AS TEXT)",
        "UPDATE file SET looked_ns = 'long ago'",
        "UPDATE file SET path = 7 WHERE file_id = 1",
        "UPDATE fact SET value = x'00'",
        "DROP TABLE word_data",
    ],
)
def test_an_index_with_what_was_never_written_is_damaged_and_made_anew_on_demand(
    full: Any, found: Titles, damage: str
) -> None:
    full.retriever().index()
    full.close()
    with closing(sqlite3.connect(full.index_path, isolation_level=None)) as connection:
        connection.execute(damage)
        connection.execute("INSERT INTO tally VALUES (x'61', 1), ('b', 'many')")
    retriever = full.retriever()
    with pytest.raises(Corrupt, match="--rebuild"):
        retriever.search("cat kitten")
    retriever.index(rebuild=True)
    assert found(retriever, "kitten")


def test_a_schema_that_is_no_text_is_a_damaged_index(full: Any, found: Titles) -> None:
    full.retriever().index()
    full.close()
    raw = full.index_path.read_bytes()
    assert b"CREATE TABLE fact" in raw
    full.index_path.write_bytes(raw.replace(b"CREATE TABLE fact", b"CREATE TABLE fac\xff"))
    retriever = full.retriever()
    with pytest.raises(Corrupt, match="--rebuild"):
        retriever.search("cat")
    retriever.index(rebuild=True)
    assert found(retriever, "kitten")


def test_while_an_index_is_made_anew_a_search_finds_the_old_one(
    full: Any, found: Titles, monkeypatch: pytest.MonkeyPatch
) -> None:
    full.retriever().index()
    other, make, seen = full.retriever(), IndexFile._make, list[list[str]]()

    def watched(index: IndexFile, first_id: int, counted: Any) -> None:
        make(index, first_id, counted)
        seen.append(found(other, "kitten"))

    monkeypatch.setattr(IndexFile, "_make", watched)
    full.retriever().index(rebuild=True)
    assert seen == [["Kitten"]]
    assert found(other, "kitten") == ["Kitten"]
    assert [path.name for path in full.index_path.parent.glob("*.new*")] == []


def test_no_search_fails_while_an_index_is_made_anew_again_and_again(full: Any) -> None:
    full.retriever().index()
    is_over, n_searches, errors = threading.Event(), list[int](), list[Exception]()

    def search() -> None:
        retriever = full.retriever(max_age_s=0.0)
        while not is_over.is_set():
            try:
                retriever.search("kitten")
            except Exception as error:  # the test tells of it
                errors.append(error)
                return
            n_searches.append(1)

    threads = [threading.Thread(target=search) for _ in range(3)]
    for thread in threads:
        thread.start()
    try:
        for _ in range(10):
            full.retriever().index(rebuild=True)
    finally:
        is_over.set()
        for thread in threads:
            thread.join()
    assert errors == []
    assert n_searches


def test_a_rebuild_keeps_the_file_and_a_searcher_that_has_it_open_sees_the_new_index(full: Any, found: Titles) -> None:
    full.retriever().index()
    other, before = full.retriever(), full.index_path.stat().st_ino
    assert found(other, "kitten") == ["Kitten"]
    full.retriever().index(rebuild=True)
    assert full.index_path.stat().st_ino == before
    assert found(other, "kitten") == ["Kitten"]


def test_a_rebuild_waits_for_no_writer_without_end(full: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    full.retriever().index()
    with closing(sqlite3.connect(full.index_path, isolation_level=None)) as writer:
        writer.execute("BEGIN IMMEDIATE")
        monkeypatch.setattr(index_file, "BUSY_S", 0.05)
        with pytest.raises(Busy, match="another process writes to it"):
            full.retriever().index(rebuild=True)
    assert [path.name for path in full.index_path.parent.glob("*.new*")] == []


def test_what_a_killed_rebuild_left_beside_the_index_is_in_nobody_s_way(full: Any, found: Titles) -> None:
    full.retriever().index()
    for end in ("", "-wal", "-shm"):
        full.index_path.with_name(f"tree.sqlite3.new{end}").write_bytes(b"half a file")
    retriever = full.retriever()
    assert found(retriever, "kitten") == ["Kitten"]
    retriever.index(rebuild=True)
    assert found(retriever, "kitten") == ["Kitten"]
    assert [path.name for path in full.index_path.parent.glob("*.new*")] == []


def test_a_rebuild_that_fails_leaves_the_old_index_and_nothing_beside_it(
    full: Any, found: Titles, monkeypatch: pytest.MonkeyPatch
) -> None:
    full.retriever().index()

    def fails(*_: object) -> None:
        raise Unavailable("the disk is full")

    with monkeypatch.context() as patched:
        patched.setattr(IndexFile, "_put_facts", staticmethod(fails))
        with pytest.raises(Unavailable, match="full"):
            full.retriever().index(rebuild=True)
    assert [path.name for path in full.index_path.parent.glob("*.new*")] == []
    assert found(full.retriever(), "kitten") == ["Kitten"]
