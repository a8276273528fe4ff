"""Overlap against brute force.

Where the converse is checked ("they overlap, so here is a path that both match"), the universe is large enough: in a
shortest witness each character, and each name, is taken by something other than `*` and `**` in one of the two
patterns, so it is no longer than the two patterns together; and all characters that neither names are alike.
"""

import re
import sysconfig
from itertools import product
from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from actors.runtime.errors import BadTarget
from actors.scent_field.overlap import OverlapIndex
from actors.scent_field.target import Target, TargetKind, canonical, covers, escape, is_broad, overlaps, parse_target

NAMES = [
    "".join(chars) for n in range(1, 5) for chars in product("ab.x", repeat=n) if "".join(chars) not in (".", "..")
]
PATHS = [names for n in range(5) for names in product(("a", "b", "c", "aa"), repeat=n)]
STANDARD_LIBRARY = Path(sysconfig.get_path("stdlib"))
REAL_PATHS = sorted(
    path.relative_to(STANDARD_LIBRARY).parts
    for folder in ("asyncio", "email", "importlib", "json", "unittest", "xml")
    for path in (STANDARD_LIBRARY / folder).rglob("*.py")
)

UNIT = st.sampled_from(["a", "b", ".", "?", "[ab]", "[!a]", "[!b.]", "[.a]", "[a-b]"])
STAR = st.sampled_from(["", "*"])
CHOICE = st.sampled_from(["{a,b}", "{,a}", "{a*,.}", "{?,b}", "{[!a],a}"])


def twin_segment(segment: str) -> re.Pattern[str]:
    """The segment as a regular expression: another way to the same answer, for short patterns."""
    out, inside = [], False
    for piece in re.findall(r"\[[^]]+\]|.", segment):
        inside = piece == "{" or (inside and piece != "}")
        if piece.startswith("[") and len(piece) > 1:
            out.append("[" + piece[1:-1].replace("!", "^", 1).replace("[", r"\[") + "]")
        else:
            special = {"*": ".*", "?": ".", "{": "(?:", "}": ")", ",": "|" if inside else ","}
            out.append(special.get(piece, re.escape(piece)))
    return re.compile("".join(out))


def twin_covers(segments: tuple[str, ...], names: tuple[str, ...]) -> bool:
    """Whether the segments match the path, tried in every way."""
    if not segments:
        return not names
    if segments[0] == "**":
        return any(twin_covers(segments[1:], names[n:]) for n in range(len(names) + 1))
    return bool(names and twin_segment(segments[0]).fullmatch(names[0])) and twin_covers(segments[1:], names[1:])


def twin_segments(target: Target) -> tuple[str, ...]:
    segments = tuple(segment for segment in target.text.removesuffix("/").split("/") if segment != ".")
    return (*segments, "**") if target.text.endswith("/") else segments


def has_name(segment: str) -> bool:
    return any(twin_segment(segment).fullmatch(name) for name in NAMES)


@st.composite
def segments(draw: st.DrawFn) -> str:
    """Up to two units with stars around them, or one choice of at most one unit and a unit."""
    if draw(st.booleans()):
        return draw(STAR) + draw(UNIT) + draw(STAR) + draw(UNIT) + draw(STAR)
    return draw(STAR) + draw(CHOICE) + draw(st.sampled_from(["", "a", "?"])) + draw(STAR)


@st.composite
def path_targets(draw: st.DrawFn) -> Target:
    """Up to two steps of one name each, any `**` around them, perhaps a slash at the end."""
    deep = st.sampled_from([[], ["**"]])
    step = st.sampled_from([[], ["a"], ["b"], ["*"], ["a*"], ["?"], ["[!a]"], ["{a,b}"]])
    names = draw(deep) + draw(step) + draw(deep) + draw(step) + draw(deep)
    return parse_target("/".join(names) + draw(st.sampled_from(["", "/"]))) if names else parse_target("./")


@st.composite
def real_targets(draw: st.DrawFn) -> Target:
    """A real path with some of its names blurred, cut off, or skipped."""
    names = list(draw(st.sampled_from(REAL_PATHS)))
    for at, name in enumerate(names):
        blurred = ["*", f"{name[:2]}*", f"*{name[-4:]}", f"?{name[1:]}", f"[{name[0]}-z]*", f"{{{name},x}}", "**"]
        names[at] = draw(st.sampled_from([name, name, *blurred]))
    cut = draw(st.integers(1, len(names)))
    return parse_target("/".join(names[:cut]) + ("/" if cut < len(names) else ""))


@settings(deadline=None, max_examples=150)
@given(segments().filter(has_name))
def test_a_name_pattern_matches_what_its_regular_expression_matches(segment: str) -> None:
    target = parse_target(segment)
    expected = [name for name in NAMES if twin_segment(segment).fullmatch(name)]
    assert [name for name in NAMES if covers(target, (name,))] == expected


@settings(deadline=None, max_examples=150)
@given(segments())
@example("{,.}")
@example("{.,..}")
def test_a_name_pattern_is_refused_exactly_when_no_name_matches_it(segment: str) -> None:
    if has_name(segment):
        assert parse_target(segment).text == segment
    else:
        with pytest.raises(BadTarget, match=r"no name matches|has the segment"):
            parse_target(segment)


@settings(deadline=None, max_examples=150)
@given(path_targets())
def test_a_path_pattern_matches_what_trying_every_way_matches(target: Target) -> None:
    expected = [names for names in PATHS if twin_covers(twin_segments(target), names)]
    assert [names for names in PATHS if covers(target, names)] == expected


@settings(deadline=None, max_examples=300)
@given(segments().filter(has_name), segments().filter(has_name))
@example("[.a]{?,b}", "{a*,.}.")
@example("?.", ".?")
def test_two_name_patterns_overlap_exactly_when_a_name_matches_both(first: str, second: str) -> None:
    a, b = parse_target(first), parse_target(second)
    witness = any(covers(a, (name,)) and covers(b, (name,)) for name in NAMES)
    assert overlaps(a, b) == overlaps(b, a) == witness


@settings(deadline=None, max_examples=500)
@given(path_targets(), path_targets())
def test_two_path_patterns_overlap_exactly_when_a_path_matches_both(a: Target, b: Target) -> None:
    witness = any(covers(a, names) and covers(b, names) for names in PATHS)
    assert overlaps(a, b) == overlaps(b, a) == witness


@settings(deadline=None, max_examples=150)
@given(real_targets(), real_targets())
def test_targets_that_share_a_real_path_overlap(a: Target, b: Target) -> None:
    shared = [names for names in REAL_PATHS if covers(a, names) and covers(b, names)]
    assert overlaps(a, b) == overlaps(b, a)
    assert overlaps(a, b) or not shared


@settings(deadline=None, max_examples=100)
@given(real_targets())
def test_the_index_finds_the_real_files_that_a_target_covers(target: Target) -> None:
    index: OverlapIndex[tuple[str, ...]] = OverlapIndex()
    for key, names in enumerate(REAL_PATHS[:200]):
        index.add(parse_target(escape("/".join(names))), key, names)
    assert index.overlapping(target) == [names for names in REAL_PATHS[:200] if covers(target, names)]


OPERATIONS = st.lists(
    st.tuples(
        st.booleans(),
        st.one_of(path_targets(), st.builds(parse_target, st.sampled_from(["t:a", "t:b"]))),
        st.integers(0, 9),
    ),
    max_size=25,
)


@settings(deadline=None, max_examples=200)
@given(OPERATIONS, path_targets())
def test_the_index_answers_as_a_plain_list_does(operations: list[tuple[bool, Target, int]], asked: Target) -> None:
    index: OverlapIndex[str] = OverlapIndex()
    rows: list[tuple[int, str]] = []
    for is_addition, target, key in operations:
        row = (key, target.text)
        if is_addition and row not in rows:
            index.add(target, key, f"{key} {target.text}")
            rows.append(row)
        elif row in rows:
            index.remove(target, key)
            rows.remove(row)
        for query in (asked, target):
            expected = [f"{k} {text}" for k, text in sorted(rows) if overlaps(query, parse_target(text))]
            assert index.overlapping(query) == expected
        assert len(index) == len(rows)
    for key, text in list(rows):
        index.remove(parse_target(text), key)
    assert (len(index), index.n_folders) == (0, 0)


@settings(deadline=None, max_examples=300)
@given(st.text(st.sampled_from("ab/.*?[]{},!:-e\u0301\\"), max_size=12))
def test_whatever_the_client_makes_canonical_the_machine_takes_as_it_is(text: str) -> None:
    try:
        target = canonical(text)
    except BadTarget:
        return
    assert parse_target(target.text) == target
    assert canonical(target.text) == target
    assert isinstance(is_broad(target), bool)
    assert overlaps(target, target)


@settings(deadline=None, max_examples=300)
@given(st.lists(st.text(st.sampled_from("ab*?[]{},!:.-"), min_size=1, max_size=5), min_size=1, max_size=3))
def test_every_literal_path_has_exactly_one_spelling(names: list[str]) -> None:
    parts = tuple(f"{name}x" for name in names)
    target = parse_target(escape("/".join(parts)))
    assert (target.kind, target.parts) == (TargetKind.FILE, parts)
