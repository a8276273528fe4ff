"""Which units a map names, how its markers name them, and that a name gets the unit."""

import re

import pytest

from actors.runtime.errors import Misuse
from coordinator.reading.contents import FEW_CHARACTERS, MAX_CHARACTERS, MAX_SHARE, MIN_CHARACTERS
from coordinator.reading.mode import Mode
from coordinator.reading.render import expand, render
from coordinator.reading.source import SourceText, decode
from coordinator.reading.token_count import count_tokens
from coordinator.reading.unit_names import join_names, shortened, split_names
from coordinator.reading.view import View


def method(name: str, n_lines: int) -> str:
    return (
        f"    def {name}(self):\n"
        + "        self.total += self.weigh(self.sample, 'a text that is long enough')\n" * n_lines
    )


def source_of(*methods: str, class_name: str = "Scale") -> SourceText:
    return decode((f"class {class_name}:\n" + "".join(methods)).encode())


def shown(source: SourceText, path: str = "a.py") -> View:
    return render(source, Mode("map"), path=path, why="explicit")


def markers(view: View) -> list[tuple[int, int, str]]:
    found = re.findall(rf"^…{view.tag} (\d+)-(\d+) (.*)$", view.body, re.MULTILINE)
    assert len(found) == view.body.count("\n")
    return [(int(first), int(last), names) for first, last, names in found]


SMALL = [method(f"small_{n}", 2) for n in range(60)]
BIG = [method("big", 60), method("bigger", 70)]


def test_all_names_stand_in_markers_that_tile_the_file() -> None:
    source = source_of(*SMALL)
    told = markers(shown(source))
    assert [name for *_, names in told for name in split_names(names) if not name.startswith(".")] == [
        "Scale",
        *(f"Scale.small_{n}" for n in range(60)),
    ]
    assert [first for first, *_ in told] == [1, *(last + 1 for _, last, _ in told[:-1])]
    assert told[-1][1] == len(source.lines)


def test_statements_between_definitions_are_named_by_their_lines() -> None:
    imports = "".join(f"import module_number_{number}\n" for number in range(20))
    source = decode(f"{imports}\n\ndef run():\n    pass\n".encode())
    assert [names for *_, names in markers(shown(source))] == ["L1-20,run"]


def test_a_marker_has_room_for_so_many_names_and_a_class_begins_the_next_one_earlier() -> None:
    within = markers(shown(source_of(*SMALL)))
    assert all(len(names) <= MAX_CHARACTERS for *_, names in within)
    assert all(len(names) > MAX_CHARACTERS - len(",.small_59") for *_, names in within[:-1])
    classes = "".join(source_of(*SMALL[n : n + 4], class_name=f"Scale{n}").text for n in range(0, 60, 4))
    apart = markers(shown(decode(classes.encode())))
    assert len(apart) > 3
    assert all(re.match(r"Scale\d+,\.small_\d+,", names) for *_, names in apart)
    assert all(len(names) > FEW_CHARACTERS for *_, names in apart[:-1])


def test_the_largest_are_named_where_they_are_many() -> None:
    tiny = "".join(f"def tiny_{n:03}(): pass\n" for n in range(300))
    source = decode((tiny + source_of(*BIG).text + tiny.replace("tiny", "late")).encode())
    body = shown(source).body
    assert ",Scale,.big,.bigger" in body
    assert 0 < body.count("tiny_") + body.count("late_") < 600
    n_more = sum(int(more) for more in re.findall(r",\+(\d+)$", body, re.MULTILINE))
    assert n_more + body.count("tiny_") + body.count("late_") == 600


def test_names_take_their_share_of_the_file_at_most() -> None:
    tiny = "".join(f"def tiny_{n:04}(): return {n} + {n}\n" for n in range(2_000))
    source = decode(tiny.encode())
    assert len(source.text) * MAX_SHARE > MIN_CHARACTERS
    view = shown(source)
    names = sum(len(names) for *_, names in markers(view))
    assert 0.9 * MAX_SHARE < names / len(source.text) < 1.1 * MAX_SHARE  # with how many more there are
    assert view.tokens < 2 * MAX_SHARE * count_tokens(source.text)


def test_a_map_is_short() -> None:
    source = source_of(*SMALL, *BIG)
    assert shown(source).tokens < 0.1 * count_tokens(source.text)


def test_definitions_on_one_line_stand_in_one_marker() -> None:
    text = "class A { " + " ".join(f"first_{n}() {{ return {n}; }}" for n in range(20)) + " }\n"
    source = decode((text + "function last() {\n" + "  go(away, and_come_back);\n" * 80 + "}\n").encode())
    told = markers(shown(source, "a.js"))
    assert told[0][0] == 1
    assert told[-1][1] == len(source.lines)
    assert all(len(names) <= MAX_CHARACTERS + len(",+20") for *_, names in told)


@pytest.mark.parametrize(
    ("names", "printed"),
    [
        (["Parser", "Parser.parse", "Parser.next", "helper"], "Parser,.parse,.next,helper"),
        (["L1-3", "A.B", "A.B.c", "A.B.d", "A.e"], "L1-3,A.B,A.B.c,.d,A.e"),
        (["a.f", "b.f", "f"], "a.f,b.f,f"),
        ([".card", ".card.title", ".button"], ".card,.card.title,.button"),
        (["it-use-req.params", "it-use-req.params-again"], "it-use-req.params,it-use-req.params-again"),
    ],
)
def test_a_name_leaves_out_what_the_one_before_tells(names: list[str], printed: str) -> None:
    assert join_names(list(shortened(names))) == printed
    assert set(names) <= set(split_names(printed))


def test_how_many_more_there_are_is_no_name() -> None:
    assert join_names(["a", ".b"], 3) == "a,.b,+3"
    assert list(split_names("a,.b,+3")) == ["a", ".b", "a.b"]
    assert list(split_names("")) == []


def test_a_name_with_the_same_things_around_it_is_shortened_and_can_be_expanded() -> None:
    source = source_of(method("a", 2), method("b", 3))
    whole = expand(source, "Scale.b", path="a.py", why="explicit")
    assert expand(source, ".b", path="a.py", why="explicit") == whole


SELECTORS = ("h1", "h1.note", ".note", ".head.is-stuck", ".note.is-stuck", ".head")
MANY_SELECTORS = "".join(f"{name} {{\n" + "  color: red;\n  margin: 0 auto;\n" * 30 + "}\n" for name in SELECTORS)


@pytest.mark.parametrize("mode", ["map", "signatures"])
def test_names_stay_whole_where_one_begins_with_a_dot_itself(mode: str) -> None:
    source = decode(MANY_SELECTORS.encode())
    view = render(source, Mode(mode), path="a.css", why="explicit")
    assert [name for *_, names in markers(shown(source, "a.css")) for name in names.split(",")] == list(SELECTORS)
    assert set(re.findall(r"(?<=[ ,])\.[\w.-]+(?=[,\n])", view.body)) <= set(SELECTORS)
    for name in SELECTORS:
        assert f"{name} is lines" in expand(source, name, path="a.css", why="explicit").header


def test_a_shortened_name_that_several_units_end_with_is_refused() -> None:
    text = "class A:\n    def f(self): pass\nclass B:\n    def f(self): pass\n"
    with pytest.raises(Misuse, match=r"no unit '\.f'; the closest.*: A\.f, B\.f"):
        expand(decode(text.encode()), ".f", path="a.py", why="explicit")


def test_where_nothing_has_a_name_the_first_line_of_each_block_is_shown() -> None:
    text = "\n".join(f"Paragraph {n} begins.\n" + "And it goes on and on for a line.\n" * 30 for n in range(9))
    body = shown(decode(text.encode()), "a.txt").body
    assert body.count("begins.") == 9
    assert "goes on" not in body


def test_signatures_have_no_line_of_a_minified_part() -> None:
    text = "def f(): return '" + "x" * 1_200 + "'\n" + method("g", 30).replace("    def", "def", 1)
    source = decode(text.encode())
    view = render(source, Mode("signatures"), path="a.py", why="explicit")
    assert "xxx" not in view.body
    assert "def g(" in view.body
    assert "f,g" in shown(source).body
