import pickle

import pytest

from actors.runtime.errors import BadTarget
from actors.scent_field.target import (
    Target,
    TargetKind,
    canonical,
    covers,
    escape,
    is_broad,
    is_inside,
    overlaps,
    parse_target,
)


def path_of(text: str) -> tuple[str, ...]:
    return tuple(text.split("/"))


def conflict(a: str, b: str) -> bool:
    forth, back = overlaps(parse_target(a), parse_target(b)), overlaps(parse_target(b), parse_target(a))
    assert forth == back
    return forth


@pytest.mark.parametrize(
    ("text", "kind", "parts"),
    [
        ("README.md", TargetKind.FILE, ("README.md",)),
        ("src/api.py", TargetKind.FILE, ("src", "api.py")),
        (".github/workflows/ci.yml", TargetKind.FILE, (".github", "workflows", "ci.yml")),
        ("docs/.gitignore", TargetKind.FILE, ("docs", ".gitignore")),
        ("...", TargetKind.FILE, ("...",)),
        ("a./b", TargetKind.FILE, ("a.", "b")),
        ("a/b.", TargetKind.FILE, ("a", "b.")),
        ("Ünïcode/ß.txt", TargetKind.FILE, ("Ünïcode", "ß.txt")),
        ("with space/a,b}c]!.txt", TargetKind.FILE, ("with space", "a,b}c]!.txt")),
        ("src/a:b.py", TargetKind.FILE, ("src", "a:b.py")),
        ("A:b", TargetKind.FILE, ("A:b",)),
        ("./", TargetKind.FOLDER, ()),
        ("src/", TargetKind.FOLDER, ("src",)),
        ("src/api/", TargetKind.FOLDER, ("src", "api")),
        ("*", TargetKind.GLOB, ("*",)),
        ("src/**/*.py", TargetKind.GLOB, ("src", "**", "*.py")),
        ("src/*/", TargetKind.GLOB, ("src", "*")),
        ("src/{a,b}?[!x-z].py", TargetKind.GLOB, ("src", "{a,b}?[!x-z].py")),
        ("task:login", TargetKind.LABEL, ("task:login",)),
        ("task:any free text / *, even \\ and [", TargetKind.LABEL, ("task:any free text / *, even \\ and [",)),
        ("https://example.org/", TargetKind.LABEL, ("https://example.org/",)),
    ],
)
def test_a_canonical_text_is_read_as_its_kind(text: str, kind: TargetKind, parts: tuple[str, ...]) -> None:
    target = parse_target(text)
    assert (target.text, target.kind, target.parts) == (text, kind, parts)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "is empty"),
        ("a" * 1025, "has 1025 characters"),
        ("a" * 10_000_000, "has 10000000 characters"),
        ("a/" * 64 + "a", "has 65 segments"),
        ("a" * 256, "a name of 256 characters"),
        ("a\0b", "'\\x00'"),
        ("a\nb", "'\\n'"),
        ("src/a.py\n", "'\\n'"),
        ("a\x7fb", "'\\x7f'"),
        ("a\x85b", "'\\x85'"),
        ("task:a\tb", "'\\t'"),
        ("a\udc80b", "'\\udc80'"),
        ("e\u0301.py", "normal form C"),
        ("task:e\u0301", "normal form C"),
        ("/etc/passwd", "is absolute"),
        ("/", "is absolute"),
        ("./a", "the segment '.'"),
        ("a/./b", "the segment '.'"),
        ("a/.", "the segment '.'"),
        (".", "the segment '.'"),
        ("..", "the segment '..'"),
        ("../a", "the segment '..'"),
        ("a/../b", "the segment '..'"),
        ("a/..", "the segment '..'"),
        ("a//b", "the segment ''"),
        ("a//", "the segment ''"),
        (".//", "the segment '.'"),
        ("a\\b", "backslash"),
        ("C:\\a", "backslash"),
        ("task:", "without a name"),
        ("src/[ab", "'[' that is never closed"),
        ("src/[a/b]", "'[' that is never closed"),
        ("src/{a,b", "'{' that is never closed"),
        ("src/{a/b,c}", "'{' that is never closed"),
        ("src/{a,{b,c}}", "'{' within"),
        ("src/a**", "'**' within a name"),
        ("src/***", "'**' within a name"),
        ("src/{**,a}", "'**' within a name"),
        ("src/[]", "an empty class"),
        ("src/[!]", "an empty class"),
        ("src/[]a]", "an empty class"),
        ("src/{}", "an empty '{}'"),
        ("src/{,}", "an empty '{}'"),
        ("src/{a}", "one choice only"),
        ("src/[z-a]", "backward range 'z-a'"),
        ("src/[^a]", "'[!...]' for 'not'"),
        ("src/[[:alpha:]]", "spell out named classes"),
        ("src/[a].py", "the needless class '[a]'"),
        ("src/[:]a", "the needless class '[:]'"),
        ("src/*[:]a", "the needless class '[:]'"),
        ("[.]", "the needless class '[.]'"),
        ("src/{,.}", "no name matches"),
        ("src/{.,..}", "no name matches"),
        ("src/[! -\U0010ffff]", "no name matches"),
        ("?" * 17, "has 17 wildcards"),
    ],
)
def test_a_text_that_is_not_canonical_is_refused_with_what_is_wrong(text: str, said: str) -> None:
    with pytest.raises(BadTarget) as refused:
        parse_target(text)
    assert said in refused.value.message
    assert len(refused.value.message) < 1300


def test_the_limits_themselves_are_allowed() -> None:
    assert len(parse_target("a/" * 63 + "a").parts) == 64
    assert len(parse_target("/".join(["a" * 255] * 4)).text) == 1023
    assert parse_target("?" * 16).kind is TargetKind.GLOB
    assert parse_target("t:" + "a" * 1022).kind is TargetKind.LABEL


def test_targets_are_equal_by_their_text_and_pickle() -> None:
    glob = parse_target("src/**/[ab]*.py")
    assert pickle.loads(pickle.dumps(glob)) == glob
    assert hash(glob) == hash(Target("src/**/[ab]*.py", TargetKind.GLOB, ()))
    assert overlaps(pickle.loads(pickle.dumps(glob)), parse_target("src/x/a.py"))


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("./a", "a"),
        ("a//b", "a/b"),
        ("a/../b", "b"),
        ("src//api/../api.py", "src/api.py"),
        ("./src//api/../api.py", "src/api.py"),
        ("a/./b/.", "a/b/"),
        ("a/b/..", "a/"),
        ("a/..", "./"),
        ("a/", "a/"),
        ("a///", "a/"),
        (".", "./"),
        ("./", "./"),
        ("././/", "./"),
        ("e\u0301.py", "\u00e9.py"),
        ("task:e\u0301", "task:\u00e9"),
        ("task:a/../b", "task:a/../b"),
        ("./task:a", "task[:]a"),
        ("x/../task:a", "task[:]a"),
        ("task[:]a", "task[:]a"),
        ("./src//*.py", "src/*.py"),
        ("src/./**/", "src/**/"),
        ("app/[[]id]/../x", "app/x"),
        ("task[:]a/../x", "x"),
    ],
)
def test_the_client_makes_one_spelling_of_what_was_written(written: str, meant: str) -> None:
    target = canonical(written)
    assert target.text == meant
    assert target == parse_target(meant)
    assert canonical(meant) == target


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "is empty"),
        ("..", "climbs out of the root"),
        ("a/../../b", "climbs out of the root"),
        ("/a", "is absolute"),
        ("*/../b", "'..' after a wildcard"),
        ("**/..", "'..' after a wildcard"),
        ("a" * 4097, "has 4097 characters"),
        ("a\0", "'\\x00'"),
        ("a\\..\\b", "backslash"),
    ],
)
def test_the_client_refuses_what_means_nothing_inside_the_root(text: str, said: str) -> None:
    with pytest.raises(BadTarget) as refused:
        canonical(text)
    assert said in refused.value.message


@pytest.mark.parametrize(
    ("path", "spelled"),
    [
        ("app/[id]/page.tsx", "app/[[]id]/page.tsx"),
        ("app/[...all]/*.tsx", "app/[[]...all]/[*].tsx"),
        ("why?/{x}.py", "why[?]/[{]x}.py"),
        ("[*]", "[[][*]]"),
        ("task:a", "task[:]a"),
        ("task:[a]/b:c", "task[:][[]a]/b:c"),
        ("a[:]b", "a[[]:]b"),
        ("plain.py", "plain.py"),
    ],
)
def test_an_escaped_path_is_the_literal_file(path: str, spelled: str) -> None:
    target = parse_target(spelled)
    assert escape(path) == spelled
    assert target.kind is TargetKind.FILE
    assert target.parts == path_of(path)
    assert parse_target(spelled + "/").kind is TargetKind.FOLDER


def test_escapes_stand_in_globs_too() -> None:
    target = parse_target("app/[[]id]/[[]*.tsx")
    assert target.kind is TargetKind.GLOB
    assert covers(target, ("app", "[id]", "[x.tsx"))
    assert not covers(target, ("app", "[id]", "x.tsx"))
    assert covers(parse_target("task[:]*"), ("task:a",))
    assert not covers(parse_target("task[:]*"), ("task",))


def test_a_bracketed_name_that_is_not_escaped_is_a_class() -> None:
    assert covers(parse_target("app/[id]/page.tsx"), ("app", "i", "page.tsx"))
    assert not covers(parse_target("app/[id]/page.tsx"), ("app", "[id]", "page.tsx"))


@pytest.mark.parametrize(
    ("text", "matching", "other"),
    [
        ("a/b", ["a/b"], ["a", "a/b/c", "a/B"]),
        ("src/", ["src", "src/a", "src/a/b"], ["srcs", "sr", "lib/src"]),
        ("./", ["a", "a/b/c"], []),
        ("*", ["a", ".hidden", "a.b"], ["a/b"]),
        ("*.py", ["a.py", ".py"], ["a.pyc", "py", "b/a.py"]),
        ("a*a", ["aa", "aba"], ["a", "ab"]),
        ("?.py", ["a.py", "é.py"], [".py", "ab.py"]),
        ("**", ["a", "a/b"], []),
        ("src/**", ["src", "src/a", "src/a/b"], ["srcs", "a/src"]),
        ("src/**/*.py", ["src/a.py", "src/b/a.py", "src/b/c/a.py"], ["src", "a.py", "src/a/b"]),
        ("**/x/**/y", ["x/y", "a/x/b/c/y", "x/x/y"], ["x", "y", "x/y/z"]),
        ("[a-c].py", ["a.py", "c.py"], ["d.py", "A.py", "-.py"]),
        ("[!a-c].py", ["d.py", "-.py", "!.py"], ["a.py", ".py"]),
        ("[a-].py", ["a.py", "-.py"], ["b.py"]),
        ("[*?]x", ["*x", "?x"], ["ax"]),
        ("[b!]x", ["!x", "bx"], ["ax"]),
        ("*.{js,ts}", ["a.js", "b.ts"], ["a.jsx", "a.j"]),
        ("*.ts{,x}", ["a.ts", "a.tsx"], ["a.tsxx"]),
        ("{test_*,*_test}.py", ["test_a.py", "a_test.py"], ["a.py", "test.py"]),
        ("{[ab],?c}d", ["ad", "bd", "xcd"], ["cd", "abd"]),
        ("a{b,c}", ["ab", "ac"], ["abc", "a", "a,"]),
        ("src/*/", ["src/a", "src/a/b/c"], ["src", "lib/a"]),
        ("task:a", [], ["task:a"]),
    ],
)
def test_a_target_covers_the_paths_it_stands_for_and_no_others(
    text: str, matching: list[str], other: list[str]
) -> None:
    target = parse_target(text)
    assert [path for path in [*matching, *other] if covers(target, path_of(path))] == matching


@pytest.mark.parametrize(
    ("held", "asked"),
    [("src/a.py", "src/**"), ("src/*.py", "src/api*"), ("src/", "./src//api/../api.py")],
)
def test_the_overlaps_that_were_missed_in_the_field_are_conflicts(held: str, asked: str) -> None:
    assert conflict(canonical(held).text, canonical(asked).text)


@pytest.mark.parametrize(
    ("a", "b"),
    [
        ("a.py", "a.py"),
        ("src/", "src/a/b.py"),
        ("src/", "src"),  # a folder and the file of its own path
        ("src/", "src/api/"),
        ("./", "src/"),
        ("./", "**/x"),
        ("src/", "**/*.py"),
        ("src/", "*"),  # `*` matches the path `src`
        ("src/", "s*/x"),
        ("src/", "src/**"),
        ("src/**", "src"),
        ("a*", "*b"),
        ("*a*", "*b*"),
        ("a?c", "?b?"),
        ("[a-m]x", "[m-z]x"),
        ("[!a]x", "[!b]x"),
        ("{a,b}x", "{b,c}x"),
        ("*.{js,ts}", "{a,b}.t?"),
        ("a/**/b", "a/x/*/b"),
        ("**/a/**", "**/b/**"),
        ("a/**", "**/b"),
        ("*/", "a/b/c"),
        ("src/*/x", "src/a/"),
        ("*a{b,c}d", "aa?d"),
        ("..?", "??[a-z]"),
        ("task:a", "task:a"),
    ],
)
def test_targets_that_share_a_path_conflict(a: str, b: str) -> None:
    assert conflict(a, b)


@pytest.mark.parametrize(
    ("a", "b"),
    [
        ("a.py", "b.py"),
        ("a.py", "A.py"),
        ("src", "src/a"),  # a file has nothing below it
        ("src/", "srcs/"),
        ("src/", "lib/**"),
        ("src/a/", "src/*.py"),
        ("src/", "s?/x"),
        ("*.py", "*.js"),
        ("a*", "b*"),
        ("a?", "a"),
        ("?", "??"),
        ("[a-c]x", "[d-f]x"),
        ("[!a]", "[a-a]"),
        ("{a,b}x", "{c,d}x"),
        ("a/*", "a/*/b"),
        ("a/**/b", "a/**/c"),
        ("*/a", "*/b"),
        ("a*b?", "?c"),
        ("[.-.]?", "{..,...}"),  # they meet in `..` only, which is no name
        ("task:a", "task:b"),
        ("task:a", "./"),
        ("task:a", "**"),
        ("task:a", "task[:]a"),
    ],
)
def test_targets_that_share_no_path_do_not_conflict(a: str, b: str) -> None:
    assert not conflict(a, b)


def test_many_depth_wildcards_stay_polynomial() -> None:
    # Tried one by one, the ways to spread 60 names over these would be more than 10**12.
    deep = parse_target("**/a/" * 15 + "b")
    assert not covers(deep, ("a",) * 60)
    assert not overlaps(deep, parse_target("a/**/" * 14 + "c"))


def test_many_stars_in_one_name_stay_polynomial() -> None:
    stars = parse_target("*a" * 15 + "[bc]")
    assert not covers(stars, ("a" * 255,))
    assert not overlaps(stars, parse_target("a*" * 15 + "[de]"))


@pytest.mark.parametrize(
    ("text", "broad"),
    [
        ("./", True),
        ("**", True),
        ("**/*", True),
        ("*/", True),
        ("*/*/*/*", True),
        ("a/**/b*/*/?", True),
        ("a/*/*/*", False),
        ("a/*/*/*/", False),
        ("**/*.py", False),
        ("*", False),
        ("src/", False),
        ("src/**", False),
        ("src/a.py", False),
        ("task:*/*/*/*/*", False),
    ],
)
def test_the_whole_tree_and_more_than_three_wildcard_segments_are_broad(text: str, broad: bool) -> None:
    assert is_broad(parse_target(text)) is broad


def test_a_target_knows_the_names_all_its_paths_start_with() -> None:
    assert parse_target("src/api/a.py").anchor == ("src", "api", "a.py")
    assert parse_target("src/api/").anchor == ("src", "api")
    assert parse_target("src/[[]id]/x*/y").anchor == ("src", "[id]")
    assert parse_target("./").anchor == ()
    assert parse_target("task:a").anchor == ()
    assert parse_target("src/*/b?/").n_wildcard_segments == 2
    assert parse_target("./").is_root
    assert not parse_target("src/").is_root


@pytest.mark.parametrize(
    ("inner", "outer"),
    [
        ("a/b.py", "a/b.py"),
        ("a/b.py", "a/"),
        ("a/b.py", "a/*.py"),
        ("a", "a/"),
        ("a/b/", "a/"),
        ("a/*.py", "a/"),
        ("a/*.py", "a/*.py"),
        ("**/y.py", "./"),
        ("./", "./"),
        ("t:x", "t:x"),
    ],
)
def test_a_target_is_inside_of_one_that_covers_all_of_it(inner, outer):
    assert is_inside(parse_target(inner), parse_target(outer))


@pytest.mark.parametrize(
    ("inner", "outer"),
    [
        ("a/b.py", "a/c.py"),
        ("a/", "a/b.py"),
        ("a/", "a/b/"),
        ("ab/", "a/"),
        ("a*/c.py", "a/"),
        ("a/b.py", "b/*.py"),
        ("./", "a/"),
        ("t:x", "t:y"),
        ("t:x", "./"),
        ("a/b*", "a/*"),
    ],
)
def test_a_target_that_reaches_further_or_may_do_so_is_not_inside(inner, outer):
    assert not is_inside(parse_target(inner), parse_target(outer))
