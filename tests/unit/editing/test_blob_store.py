from __future__ import annotations

import os
import stat
import subprocess
import sys
from pathlib import Path

import pytest

import coordinator
from coordinator.editing.blob_store import BlobStore
from coordinator.editing.file_error import UnusableFile
from coordinator.reading.source import content_hash

KB = 1000


def blob(number: int) -> bytes:
    return b"%03d" % number * 333 + b"!"  # 1,000 bytes


def age(store: BlobStore, blob_hash: str, used_at_s: float) -> None:
    os.utime(store.folder / blob_hash[:2] / blob_hash[2:], (used_at_s, used_at_s))


def test_what_was_put_is_got_by_its_hash(tmp_path: Path) -> None:
    store = BlobStore(tmp_path)
    assert store.put(b"text") == content_hash(b"text")
    assert store.get(content_hash(b"text")) == b"text"
    assert (tmp_path / content_hash(b"text")[:2] / content_hash(b"text")[2:]).is_file()


def test_what_was_never_put_is_none(tmp_path: Path) -> None:
    assert BlobStore(tmp_path / "missing").get("0" * 64) is None


def test_a_hash_is_never_a_path(tmp_path: Path) -> None:
    (tmp_path / "secret").write_bytes(b"secret")
    store = BlobStore(tmp_path / "store")
    store.put(b"text")
    assert store.get("../secret") is None
    assert store.get("..") is None


def test_a_damaged_blob_is_dropped_and_can_be_put_again(tmp_path: Path) -> None:
    store = BlobStore(tmp_path)
    blob_hash = store.put(b"text")
    path = tmp_path / blob_hash[:2] / blob_hash[2:]
    path.write_bytes(b"te")

    assert store.get(blob_hash) is None
    assert not path.exists()
    assert store.get(store.put(b"text")) == b"text"


def test_the_total_never_exceeds_its_limit_and_the_oldest_go_first(tmp_path: Path) -> None:
    store = BlobStore(tmp_path, max_total_bytes=10 * KB)
    hashes = []
    for number in range(30):
        hashes.append(store.put(blob(number)))
        age(store, hashes[-1], number)
        assert store.total_bytes() <= 10 * KB
    assert [store.get(blob_hash) is not None for blob_hash in hashes] == [False] * 21 + [True] * 9


def test_a_use_makes_a_blob_young_again(tmp_path: Path) -> None:
    store = BlobStore(tmp_path, max_total_bytes=10 * KB)
    hashes = [store.put(blob(number)) for number in range(9)]
    for number, blob_hash in enumerate(hashes):
        age(store, blob_hash, number)

    store.get(hashes[0])
    store.put(blob(1))  # the same content again is a use as well
    store.put(blob(100))

    assert [store.get(blob_hash) is not None for blob_hash in hashes] == [True, True, False, *[True] * 6]


def test_a_blob_over_the_limit_is_not_kept_and_the_store_says_so(tmp_path: Path) -> None:
    store = BlobStore(tmp_path, max_blob_bytes=4)
    assert store.refusal(b"1234") is None
    assert store.refusal(b"12345") == "a version of 5 bytes is over the limit of 4 and is not kept: no diff, no undo"
    assert store.put(b"12345") == content_hash(b"12345")
    assert store.get(content_hash(b"12345")) is None


def test_the_defaults_are_256_and_16_mb(tmp_path: Path) -> None:
    store = BlobStore(tmp_path)
    assert (store.max_total_bytes, store.max_blob_bytes) == (268_435_456, 16_777_216)


def test_blobs_are_for_the_user_only(tmp_path: Path) -> None:
    store = BlobStore(tmp_path / "store")
    store.put(b"text")
    assert stat.S_IMODE((tmp_path / "store").stat().st_mode) == 0o700


def test_a_store_that_cannot_be_written_is_a_typed_error(tmp_path: Path) -> None:
    (tmp_path / "store").write_bytes(b"a file where the folder should be")
    with pytest.raises(UnusableFile):
        BlobStore(tmp_path / "store").put(b"text")


def test_a_dead_writers_temporary_file_is_collected(tmp_path: Path) -> None:
    store = BlobStore(tmp_path)
    store.put(b"text")
    (shard,) = tmp_path.iterdir()
    (shard / "half.tmp").write_bytes(b"ha")
    os.utime(shard / "half.tmp", (0, 0))

    BlobStore(tmp_path).put(b"more")  # a new process walks the folder at its first put

    assert not (shard / "half.tmp").exists()


def test_many_processes_share_a_store_and_read_only_whole_blobs(tmp_path: Path) -> None:
    code = """
import sys
from pathlib import Path
from coordinator.editing.blob_store import BlobStore
store = BlobStore(Path(sys.argv[1]), max_total_bytes=20_000)
for number in range(200):
    raw = b"%s%02d" % (sys.argv[2].encode(), number % 50) * 333
    found = store.get(store.put(raw))
    assert found is None or found == raw
"""
    root = Path(coordinator.__file__).parents[1]
    processes = [
        subprocess.Popen(
            [sys.executable, "-c", code, str(tmp_path), str(worker)], cwd=root, stderr=subprocess.PIPE, text=True
        )
        for worker in range(4)
    ]
    for process in processes:
        _, err = process.communicate(timeout=60)
        assert process.returncode == 0, err

    # each further process may add a sixteenth of the limit before it collects, and one blob that is on its way
    assert BlobStore(tmp_path).total_bytes() <= 20_000 + 3 * (1250 + 999)
    assert not list(tmp_path.glob("*/*.tmp"))
