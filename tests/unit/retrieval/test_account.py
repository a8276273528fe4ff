"""What the indices of a node hold, for the exporter."""

from pathlib import Path
from typing import Any

from prometheus_client.parser import text_string_to_metric_families

from coordinator.metrics.exposition import encoded
from coordinator.retrieval import account
from coordinator.retrieval.account import RetrievalAccount, account_of


def samples(indices: RetrievalAccount) -> dict[str, float]:
    text = encoded([], indices=indices)[0].decode()
    return {
        "/".join((sample.name.removeprefix("scentfield_retrieval_"), *sample.labels.values())): sample.value
        for family in text_string_to_metric_families(text)
        for sample in family.samples
    }


def test_size_searches_and_where_passages_came_from(site: Any) -> None:
    site.write("pets.md", "# Kitten\n\nA feline.\n\n# Parrot\n\nIt talks.\n")
    retriever = site.retriever()
    retriever.search("kitten")
    retriever.search("kitten", by="words")
    retriever.search("unheard", by="meaning")
    retriever.close()
    seen = samples(account_of(site.root.parent / "state"))
    n_bytes = seen.pop("bytes")
    assert n_bytes >= site.index_path.stat().st_size > 0
    assert seen == {
        "trees": 1,
        "unreadable": 0,
        "files": 1,
        "sections": 2,
        "vectors": 2,
        "searches_total/words": 1,
        "searches_total/meaning": 1,
        "searches_total/both": 1,
        "empty_searches_total": 1,
        "passages_total/words": 1,
        "passages_total/meaning": 0,
        "passages_total/both": 1,
        "reread_total": 0,
    }


def test_a_damaged_index_is_counted_and_left_as_it_is(site: Any) -> None:
    site.write("pets.md", "# Kitten\n\nA feline.\n")
    site.retriever().index()
    damaged = site.index_path.with_name("damaged.sqlite3")
    damaged.write_bytes(b"no database" * 100)
    seen = account_of(site.root.parent / "state")
    assert (seen.n_trees, seen.n_unreadable, seen.n_files) == (2, 1, 1)
    assert damaged.read_bytes() == b"no database" * 100


def test_only_so_many_are_looked_into(site: Any, monkeypatch: Any) -> None:
    monkeypatch.setattr(account, "MAX_TREES", 1)
    site.write("pets.md", "# Kitten\n\nA feline.\n")
    site.retriever().index()
    site.index_path.with_name("zzz.sqlite3").write_bytes(b"")
    seen = account_of(site.root.parent / "state")
    assert (seen.n_trees, seen.n_unreadable, seen.n_files) == (2, 0, 1)


def test_without_an_index_nothing_is_exported(tmp_path: Path) -> None:
    assert account_of(tmp_path) == RetrievalAccount()
    assert samples(RetrievalAccount()) == {}
