"""The f-string that replaces a `%` format gives the same text."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from agents_demo.proposal import Proposal, propose
from agents_demo.task import find_tasks

LITERALS = st.text(max_size=8).map(lambda text: text.replace("%", "%%"))
SLOTS = st.sampled_from(["%s", "%r", "%a"])
VALUES = st.one_of(st.text(max_size=5), st.integers(), st.tuples(st.integers()), st.none(), st.just({"k": 1}))


@given(st.lists(st.tuples(LITERALS, SLOTS, VALUES), min_size=1, max_size=4), LITERALS)
def test_the_f_string_says_what_the_format_said(parts: list[tuple[str, str, object]], tail: str) -> None:
    template = "".join(literal + slot for literal, slot, _ in parts) + tail
    names = [f"v{number}" for number in range(len(parts))]
    values = dict(zip(names, (value for _, _, value in parts), strict=True))
    source = f"{template!r} % ({', '.join(names)},)"
    tasks = find_tasks(f"x = {source}\n", "a.py")
    for task in tasks:
        proposal = propose(task, f"x = {source}\n")
        assert isinstance(proposal, Proposal)
        written = proposal.new.removeprefix("x = ")
        assert written.startswith("f")
        assert eval(written, values) == template % tuple(values[name] for name in names)
    assert tasks or len(source) > 60  # only what is too long to write is left out
