"""How facts go together, and how a chunk reads."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from actors.memory.fact import Fact
from coordinator.waking.chunk import MAX_ITEMS, Chunk, chunk_text, clustered, likeness, shared_prefix


def fact(number, category, key, value, path=""):
    return Fact(number, "home", category, key, value, 1.0, "ann#1", 0.0, path, 0.0)


def parsed(text):
    """What a reader makes of it: category, key and value of each fact."""
    topic = ""
    for line in text.splitlines():
        if re.fullmatch(r"\[(?:[a-z0-9_.*=-]+|! contradicted)\]", line):
            topic = line[1:-1]
        elif topic in ("=", "! contradicted"):
            yield named(*line.split(": ", 1))
        else:
            head, _, rest = line.partition(" > ")
            prefix = head if ": " not in head and rest else ""
            for name, value in items(rest if prefix else line):
                yield named(prefix + name, value) if topic == "*" else (topic, prefix + name, value)


def items(line):
    """Names and values; a part without a name belongs to the value before it."""
    found = []
    for part in line.split("; "):
        if ": " in part:
            found.append(part.split(": ", 1))
        else:
            found[-1][1] += f"; {part}"
    return found


def named(name, value):
    return (*name.split("/", 1), value)


def test_likeness_is_half_words_three_tenths_category_two_tenths_path():
    one = fact(1, "api", "a", "b c d", "src/a.py")
    assert likeness(one, one) == 1.0
    assert likeness(one, fact(2, "api", "x", "y")) == pytest.approx(0.3)
    assert likeness(one, fact(2, "db", "x", "y", "src/a.py")) == pytest.approx(0.2)
    assert likeness(one, fact(2, "db", "a", "b")) == pytest.approx(0.25)
    assert likeness(fact(1, "api", "a", "b"), fact(2, "db", "x", "y")) == 0.0


def test_a_category_is_enough_and_four_make_a_chunk():
    facts = [fact(n, "api", f"k{n}", f"value {n * 7}") for n in range(6)]
    assert [[one.fact_id for one in chunk.facts] for chunk in clustered(facts)] == [[0, 1, 2, 3], [4, 5]]


def test_the_likest_join_first_and_what_is_unlike_stays_alone():
    facts = [
        fact(1, "api", "src/a.py:parse", "reads tokens", "src/a.py"),
        fact(2, "api", "src/b.py:draw", "draws lines", "src/b.py"),
        fact(3, "api", "src/a.py:render", "writes tokens", "src/a.py"),
        fact(4, "db", "port", "is 5432"),
    ]
    chunks = clustered(facts)
    assert [[one.fact_id for one in chunk.facts] for chunk in chunks] == [[1, 3, 2], [4]]


def test_of_those_that_are_about_as_near_the_one_with_the_most_alike_name_joins():
    facts = [
        fact(1, "api", "src/a.py:parse", "reads one two three four five six"),
        fact(2, "api", "web/b.py:draw", "writes one seven eight nine ten eleven"),  # a word nearer
        *(fact(n, "api", f"src/a.py:f{n}", f"says {n}") for n in (3, 4, 5)),
    ]
    assert [[one.fact_id for one in chunk.facts] for chunk in clustered(facts)] == [[1, 3, 4, 5], [2]]


def test_topics_and_what_keys_begin_with_are_named_once():
    chunks = [
        Chunk((fact(1, "api", "src/a.py:parse", "reads tokens"), fact(2, "api", "src/a.py:draw", "draws"))),
        Chunk((fact(3, "api", "port", "is 80"),)),
        Chunk((fact(4, "db", "port", "is 5432"),)),
        Chunk((fact(5, "api", "host", "is local"), fact(6, "db", "host", "is remote"))),
        Chunk((fact(7, "api", "a > b", "c"),)),
    ]
    assert chunk_text(chunks).splitlines() == [
        "[api]",
        "src/a.py: > parse: reads tokens; draw: draws",
        "port: is 80",
        "[db]",
        "port: is 5432",
        "[*]",
        "api/host: is local; db/host: is remote",
        "[=]",
        "api/a > b: c",
    ]


@pytest.mark.parametrize(
    ("names", "prefix"),
    [
        (["api/a", "api/a"], "api/"),
        (["api/a.b", "api/a.b.c"], "api/a."),
        (["api/ab", "api/ac"], "api/"),
        (["api/x", "db/x"], ""),
        (["a", "a"], ""),
        (["api/base_url", "api/base_port"], "api/base_"),
    ],
)
def test_a_topic_ends_at_a_sign_and_leaves_something_of_each_name(names, prefix):
    assert shared_prefix(names) == prefix


def test_what_reads_like_the_signs_of_a_line_stands_alone():
    facts = [
        fact(1, "api", "a", "x; y: z"),
        fact(2, "api", "b > c", "p"),
        fact(3, "api", "c; d", "p"),
        fact(4, "api", "d", "z; w"),
        fact(5, "api", "e", "w"),
    ]
    assert [len(chunk.facts) for chunk in clustered(facts)] == [1, 1, 1, 2]


words_ = st.lists(st.sampled_from(["alpha", "beta", "a.py", "b_c;", "ж", ">", "x:", "[api]"]), min_size=1, max_size=4)
facts_ = st.lists(
    st.builds(
        lambda category, key, value, path: (category, key, value, path),
        st.sampled_from(["api", "db", "docs.api"]),
        st.text("ab/:.#_-c>; ", min_size=1, max_size=8).map(str.strip).filter(lambda key: key and ": " not in key),
        words_.map(" ".join),
        st.sampled_from(["", "src/a.py", "src/b.py"]),
    ),
    max_size=30,
).map(lambda rows: [fact(number, *row) for number, row in enumerate(rows)])


def test_values_of_one_key_stand_together_and_say_that_they_contradict_each_other():
    facts = [
        fact(1, "api", "port", "is 80"),
        fact(2, "api", "host", "is local"),
        fact(3, "api", "port", "is 8080"),
        fact(4, "db", "port", "is 5432"),
        fact(5, "db", "port", "is 5433"),
    ]
    chunks = clustered(facts, {1, 3, 4, 5})
    assert [[one.fact_id for one in chunk.facts] for chunk in chunks] == [[1], [3], [2], [4], [5]]
    assert chunk_text(chunks).splitlines() == [
        "[! contradicted]",
        "api/port: is 80",
        "api/port: is 8080",
        "[api]",
        "host: is local",
        "[! contradicted]",
        "db/port: is 5432",
        "db/port: is 5433",
    ]


@given(facts_, st.sets(st.integers(0, 29)))
def test_chunks_are_deterministic_and_hold_every_fact_once_and_lose_nothing(facts, contradicted):
    chunks = clustered(facts, contradicted)
    assert chunks == clustered(list(facts), contradicted)
    for chunk in chunks:
        assert {one.fact_id in contradicted for one in chunk.facts} == {chunk.contradicted}
    assert sorted(one.fact_id for chunk in chunks for one in chunk.facts) == [one.fact_id for one in facts]
    assert list(parsed(chunk_text(chunks))) == [(one.category, one.key, one.value) for c in chunks for one in c.facts]
    for chunk in chunks:
        assert 1 <= len(chunk.facts) <= MAX_ITEMS
        assert not chunk.contradicted or len(chunk.facts) == 1
        for size in range(2, len(chunk.facts) + 1):
            members, last = chunk.facts[: size - 1], chunk.facts[size - 1]
            assert sum(likeness(one, last) for one in members) >= 0.3 * len(members) - 1e-6
