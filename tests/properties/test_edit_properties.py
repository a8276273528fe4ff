from __future__ import annotations

import codecs
import dataclasses
import os
import re
from functools import lru_cache
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from coordinator.editing.atomic_file import read_bytes, replace_file
from coordinator.editing.evidence import evidence_for
from coordinator.editing.file_diff import short_diff
from coordinator.editing.match import find_places, written_in_place
from coordinator.editing.near_miss import closest_stretch
from coordinator.editing.plan import Applies, Plan, plan_edit
from coordinator.editing.refusal import Cause, Refused
from coordinator.editing.request import EditRequest, Replacement, Seen
from coordinator.editing.shown_line import after_edit, after_edits, covers, merged
from coordinator.editing.text_line import split_lines
from coordinator.reading.source import SourceText, decode

MAX_BYTES = 80_000
PATHS = [path for path in sorted(Path(os.__file__).parent.glob("*.py")) if path.stat().st_size <= MAX_BYTES]
ENDINGS = ("\n", "\r\n", "\r")
SMALL_INPUTS = settings(max_examples=6 * settings.default.max_examples)
"""Cheap and full of corner cases: more of them, at every profile."""

SHORT = st.text(alphabet="ab \r\n", max_size=12)


@lru_cache(maxsize=64)
def real_text(path: Path) -> str:
    return path.read_text("utf-8")


def with_endings(text: str, kind: str) -> str:
    if kind != "mixed":
        return text.replace("\n", kind)
    return "".join(line.replace("\n", ENDINGS[number % 3]) for number, line in enumerate(split_lines(text)))


def folded(text: str) -> str:
    return text.replace("\r\n", "\n").replace("\r", "\n")


def encoded(text: str, form: str) -> bytes:
    if form == "utf-16":
        return codecs.BOM_UTF16_LE + text.encode("utf-16-le")
    return (codecs.BOM_UTF8 if form == "utf-8-sig" else b"") + text.encode("utf-8")


@st.composite
def real_files(draw: st.DrawFn) -> SourceText:
    """A file of the standard library, with any line endings, in any encoding that holds it."""
    text = with_endings(real_text(draw(st.sampled_from(PATHS))), draw(st.sampled_from([*ENDINGS, "mixed"])))
    source = decode(encoded(text, draw(st.sampled_from(["utf-8", "utf-8-sig", "utf-16"]))))
    assume(len(source.lines) > 5)
    return source


@st.composite
def lines_cut(draw: st.DrawFn, source: SourceText) -> tuple[int, int, str]:
    """One to eight lines of a file, as (first, last, text)."""
    lines = source.lines
    first = draw(st.integers(1, len(lines)))
    last = min(len(lines), first + draw(st.integers(0, 7)))
    return first, last, "".join(lines[first - 1 : last])


def planned(source: SourceText, old: str, new: str, seen: Seen | None = None) -> Plan:
    return plan_edit(EditRequest("a.py", old, new), source, seen)


@given(st.data())
def test_a_unique_text_cut_from_shown_lines_always_applies(data: st.DataObject) -> None:
    source = data.draw(real_files())
    first, last, old = data.draw(lines_cut(source))
    assume(folded(source.text).count(folded(old)) == 1)
    seen = Seen(source.content_hash, [(first, last)], "map", source)

    plan = planned(source, old, "# " + old, seen)

    assert isinstance(plan, Applies)
    assert plan.first_line == first


@given(st.data())
def test_an_edit_and_its_reverse_give_back_the_same_bytes(data: st.DataObject) -> None:
    source = data.draw(real_files())
    _, _, old = data.draw(lines_cut(source))
    new = re.sub(r"\w+", lambda word: "new_" + word[0], old) + "# unique to this edit"
    there = planned(source, old, new)
    assume(isinstance(there, Applies))
    assert isinstance(there, Applies)

    after = decode(there.raw)
    assert after.text == there.new_text
    back = planned(after, new, old)

    assert isinstance(back, Applies)
    assert back.raw == source.encode(source.text)
    assert (back.first_line, back.n_lines_replaced, back.n_lines_new) == (
        there.first_line,
        there.n_lines_new,
        there.n_lines_replaced,
    )


@given(st.data())
def test_a_quotation_with_plain_line_breaks_edits_any_file_and_only_there(data: st.DataObject) -> None:
    source = data.draw(real_files())
    first, last, cut = data.draw(lines_cut(source))
    old = folded(cut)
    plan = planned(source, old, "X = 1\nY = 2\n")
    assume(isinstance(plan, Applies))
    assert isinstance(plan, Applies)

    assert plan.first_line == first
    lines, new_lines = source.lines, split_lines(plan.new_text)
    assert new_lines[: first - 1] == lines[: first - 1]
    assert new_lines[first - 1 + 2 :] == lines[last:]
    if len(set(re.findall(r"\r\n|\r|\n", source.text))) == 1:
        assert new_lines[first - 1] == "X = 1" + source.newline


@SMALL_INPUTS
@given(text=SHORT, old=SHORT, new=SHORT)
def test_only_a_text_that_stands_exactly_once_is_replaced_and_all_else_stays(text: str, old: str, new: str) -> None:
    source = decode(text.encode())
    plan = planned(source, old, new)
    n_exact = sum(text.startswith(old, at) for at in range(len(text)))

    if "\r" not in text + old:
        written = new if "\r" in new else new.replace("\n", source.newline)
        assert isinstance(plan, Applies) == (bool(old) and n_exact == 1 and old != written)
    if isinstance(plan, Applies):
        (place,) = find_places(text, old)
        written = written_in_place(text, place, old=old, new=new, newline=source.newline)
        assert plan.raw == (text[: place.start] + written + text[place.end :]).encode()
        assert folded(text[place.start : place.end]) == folded(old)


@SMALL_INPUTS
@given(
    text=st.text(alphabet="ab\n", max_size=12),
    old=st.text(alphabet="ab\n", max_size=4),
    new=st.text(alphabet="ab\n", max_size=6),
    ending=st.sampled_from(ENDINGS),
)
def test_lines_outside_of_those_that_an_edit_touches_are_the_same(text: str, old: str, new: str, ending: str) -> None:
    source = decode(text.replace("\n", ending).encode())
    plan = planned(source, old, new)
    if not isinstance(plan, Applies):
        return
    before, after = source.lines, split_lines(plan.new_text)
    n_head, n_tail = plan.first_line - 1, plan.first_line - 1 + plan.n_lines_new

    assert plan.n_lines_new >= 0
    assert after[:n_head] == before[:n_head]
    assert after[n_tail:] == before[n_head + plan.n_lines_replaced :]


@SMALL_INPUTS
@given(
    text=st.text(alphabet="ab\n", max_size=16),
    pairs=st.lists(st.tuples(st.text(alphabet="ab\n", max_size=3), st.text(alphabet="xy\n", max_size=4)), min_size=1),
    ending=st.sampled_from(ENDINGS),
    shown=st.lists(st.tuples(st.integers(1, 16), st.integers(1, 16)), max_size=3),
)
def test_several_edits_are_all_made_in_the_text_as_it_was_or_none_is(
    text: str, pairs: list[tuple[str, str]], ending: str, shown: list[tuple[int, int]]
) -> None:
    source = decode(text.replace("\n", ending).encode())
    plan = plan_edit(EditRequest("a.py", edits=tuple(Replacement(*pair) for pair in pairs[:100])), source, None)

    places = [[at for at in range(len(text)) if text.startswith(old, at)] for old, _ in pairs]
    spans = sorted((*at, *at, *pair) for at, pair in zip(places, pairs, strict=True) if len(at) == 1 and pair[0])
    ends = [(start, start + len(old), new) for start, _, old, new in spans]
    can_be_made = len(ends) == len(pairs) and all(one[1] <= other[0] for one, other in pairwise(ends))
    assert isinstance(plan, Applies) == (can_be_made and all(old != new for old, new in pairs))
    if not isinstance(plan, Applies):
        return
    expected, at = "", 0
    for start, end, new in ends:
        expected, at = expected + text[at:start] + new, end
    assert folded(plan.new_text) == expected + text[at:]

    before, after = source.lines, split_lines(plan.new_text)
    moved = after_edits(merged(shown), plan.changes)
    kept = [line for first, last in merged(shown) for line in range(first, min(last, len(before)) + 1)]
    touched = {
        line for change in plan.changes for line in range(change.first_line, change.first_line + change.n_replaced)
    }
    for line in kept:
        if line not in touched:
            shift = sum(change.n_new - change.n_replaced for change in plan.changes if change.first_line <= line)
            assert after[line + shift - 1] == before[line - 1]
            assert covers(moved, line + shift, line + shift)


@given(
    text=SHORT,
    old=SHORT,
    new=SHORT,
    read=st.one_of(st.none(), SHORT),
    is_kept=st.booleans(),
    expect_hash=st.sampled_from([None, "0" * 64]),
    create=st.booleans(),
    is_there=st.booleans(),
)
def test_a_refusal_carries_no_bytes_and_says_what_where_and_why(
    text: str,
    old: str,
    new: str,
    read: str | None,
    is_kept: bool,
    expect_hash: str | None,
    create: bool,
    is_there: bool,
) -> None:
    version = None if read is None else decode(read.encode())
    seen = None if version is None else Seen(version.content_hash, [(1, 1)], "map", version if is_kept else None)
    request = EditRequest("a.py", old, new, expect_hash, create)
    plan = plan_edit(request, decode(text.encode()) if is_there else None, seen)

    if isinstance(plan, Applies):
        assert create != is_there
        return
    assert "'a.py'" in plan.message
    assert not any(isinstance(getattr(plan, field.name), bytes) for field in dataclasses.fields(plan))
    assert (plan.cause is Cause.UNREAD) <= (seen is None)
    assert (plan.cause is Cause.CHANGED) <= (seen is not None and version is not None and read != text)
    assert (plan.cause is Cause.NOT_SHOWN) <= (read == text)


@given(st.data())
def test_the_closest_stretch_to_a_slightly_wrong_quotation_is_where_it_was_cut(data: st.DataObject) -> None:
    source = data.draw(real_files())
    first, last, old = data.draw(lines_cut(source))
    assume(sum(not char.isspace() for char in old) >= 60)
    at = data.draw(st.integers(0, len(old)))
    lines = [line.strip() for line in source.lines]
    untouched = [line.strip() for line in split_lines(old[:at])[:-1] + split_lines(old[at:])[1:]]
    assume(any(lines.count(line) == 1 for line in untouched))

    near = closest_stretch(source.text, old[:at] + "zq" + old[at:])

    assert near is not None
    assert near.ratio > 0.8
    # in files that repeat themselves, another stretch may be as close
    assert (near.first_line <= last and first <= near.last_line) or near.ratio > 0.9


@given(st.data())
def test_a_missing_quotation_is_blamed_on_the_view_only_if_lines_were_hidden(data: st.DataObject) -> None:
    source = data.draw(real_files())
    _, _, old = data.draw(lines_cut(source))
    ranges = st.tuples(st.integers(1, len(source.lines)), st.integers(1, len(source.lines)))
    shown = merged(data.draw(st.lists(ranges, max_size=4)))
    plan = planned(source, "zq_" + old, "x = 'unheard of'", Seen(source.content_hash, shown, "map", source))
    assume(isinstance(plan, Refused))
    assert isinstance(plan, Refused)

    if plan.near is not None:
        is_hidden = not covers(shown, plan.near.first_line, plan.near.last_line)
        assert plan.cause is (Cause.NOT_SHOWN if is_hidden else Cause.NEVER_THERE)
    whole = planned(source, "zq_" + old, "x = 'unheard of'", Seen(source.content_hash, [(1, 10**6)], "full", source))
    assert isinstance(whole, Refused)
    assert whole.cause is Cause.NEVER_THERE


@given(st.data(), st.integers(1, 3000))
def test_lines_that_evidence_counts_as_shown_are_printed_as_they_are(data: st.DataObject, max_tokens: int) -> None:
    source = data.draw(real_files())
    _, _, old = data.draw(lines_cut(source))
    plan = planned(source, "zq_" + old, "x = 'unheard of'", None)
    assume(isinstance(plan, Refused))
    assert isinstance(plan, Refused)

    evidence = evidence_for(plan, "a.py", source, None, count_tokens=lambda text: len(text) // 4, max_tokens=max_tokens)

    printed = [source.lines[first - 1 : last] for first, last in evidence.shown]
    assert all("".join(lines) in evidence.text for lines in printed)
    assert sum(len("".join(lines)) for lines in printed) // 4 <= max_tokens


@given(
    head=st.lists(st.booleans(), max_size=6),
    replaced=st.lists(st.booleans(), min_size=1, max_size=6),
    tail=st.lists(st.booleans(), max_size=6),
    n_new=st.integers(0, 6),
)
def test_shown_lines_move_as_in_a_list_of_flags(
    head: list[bool], replaced: list[bool], tail: list[bool], n_new: int
) -> None:
    shown = merged((line, line) for line, flag in enumerate(head + replaced + tail, start=1) if flag)
    expected = head + [all(replaced)] * n_new + tail

    moved = after_edit(shown, first_line=len(head) + 1, n_lines_replaced=len(replaced), n_lines_new=n_new)

    assert [covers(moved, line, line) for line in range(1, len(expected) + 1)] == expected
    assert not covers(moved, len(expected) + 1, len(expected) + 1)


@given(before=st.lists(st.sampled_from("abc"), max_size=12), after=st.lists(st.sampled_from("abc"), max_size=12))
def test_a_diff_tells_exactly_what_was_removed_and_added(before: list[str], after: list[str]) -> None:
    diff = short_diff("".join(f"{x}\n" for x in before), "".join(f"{x}\n" for x in after))

    patched, n_taken = [], 0
    for header, body in re.findall(r"@@ -(\d+(?:,\d+)?) .*\n((?:[ +-].*\n)*)", diff):
        first, _, length = header.partition(",")
        # a hunk that removes and keeps nothing names the line before it
        start = int(first) - (length != "0")
        patched += before[n_taken:start]
        patched += [line[1:] for line in body.splitlines() if line[0] != "-"]
        n_taken = start + sum(line[0] != "+" for line in body.splitlines())
    assert patched + before[n_taken:] == after


@given(data=st.data())
def test_an_edit_of_a_real_file_on_disk_changes_the_planned_bytes_only(
    data: st.DataObject, tmp_path_factory: pytest.TempPathFactory
) -> None:
    source = data.draw(real_files())
    _, _, old = data.draw(lines_cut(source))
    plan = planned(source, old, "# replaced" + source.newline)
    assume(isinstance(plan, Applies))
    assert isinstance(plan, Applies)
    path = tmp_path_factory.mktemp("edit") / "a.py"
    path.write_bytes(source.encode(source.text))

    replace_file(path, plan.raw, expected_hash=source.content_hash)

    assert read_bytes(path) == plan.raw
    assert decode(plan.raw).encoding == source.encoding
