"""Random work on a few files, by an agent and by programs outside, on a real disk.

Whatever happened before: what is refused changes nothing, nothing is ever overwritten, and what was made can be taken
back and made again to the byte, as long as nobody comes in between.
"""

from __future__ import annotations

import stat
import tempfile
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from coordinator import Coordinator
from coordinator.editing.edited import Edited
from coordinator.settings import Settings

NAMES = ("a.txt", "b.txt", "sub/c.txt")
names = st.sampled_from(NAMES)
texts = st.sampled_from(["one\n", "two\ntwo\n", "", "three"])
steps = st.one_of(
    st.tuples(st.just("create"), names, texts),
    st.tuples(st.just("edit"), names, st.sampled_from(["one", "two", "three", "e"]), texts),
    st.tuples(st.just("edits"), names, st.lists(st.tuples(st.sampled_from(["on", "e\n", "three"]), texts), min_size=1)),
    st.tuples(st.just("delete"), names),
    st.tuples(st.just("move"), names, names),
    st.tuples(st.just("undo"), names),
    st.tuples(st.just("outside"), names, st.one_of(st.none(), texts)),
)

Tree = dict[str, tuple[bytes, int]]


def tree_of(root: Path) -> Tree:
    """Names, bytes and permissions of all files."""
    files = sorted(path for path in root.rglob("*") if path.is_file())
    return {path.relative_to(root).as_posix(): (path.read_bytes(), stat.S_IMODE(path.stat().st_mode)) for path in files}


def outside(root: Path, name: str, text: str | None) -> None:
    path = root / name
    if text is None:
        path.unlink(missing_ok=True)
        return
    path.parent.mkdir(exist_ok=True)
    path.write_text(text)
    path.chmod(0o640)


def done(agent: Coordinator, step: tuple[object, ...]) -> Edited | None:
    """Carry a step out; None where it makes no sense."""
    match step:
        case ("create", str(name), str(text)):
            return agent.edit(name, new=text, create=True)
        case ("edit", str(name), str(old), str(new)):
            return agent.edit(name, old, new)
        case ("edits", str(name), list(pairs)):
            return agent.edit(name, edits=pairs)
        case ("delete", str(name)):
            return agent.delete(name)
        case ("move", str(name), str(new_name)) if name != new_name:
            return agent.move(name, new_name)
        case ("undo", str(name)):
            return agent.undo(name)
    return None


def check_step(agent: Coordinator, root: Path, step: tuple[object, ...]) -> None:
    before = tree_of(root)
    edited = done(agent, step)
    after = tree_of(root)
    if edited is None or not edited.applied:
        assert after == before
        return
    appeared = {name for name in after if name not in before}
    if step[0] in ("create", "move"):
        assert len(appeared) == 1
        assert all(after[name] == before[name] for name in before if name in after)
    assert agent.undo(edited.path), edited
    assert tree_of(root) == before
    assert agent.undo(edited.path), edited
    assert tree_of(root) == after


@given(st.lists(steps, max_size=12))
def test_what_was_made_can_be_taken_back_and_what_is_refused_changes_nothing(history: list[tuple[object, ...]]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder) / "tree"
        root.mkdir()
        settings = Settings(data_dir=Path(folder) / "state", space="s", disabled=True)
        agent = Coordinator.connect(agent="ann", root=root, settings=settings)
        for step in history:
            if step[0] == "outside":
                outside(root, *step[1:])  # type: ignore[arg-type]  # the strategy gives a name and a text
            else:
                check_step(agent, root, step)
