"""Keys, tables and entries of JSON, YAML and TOML."""

from collections.abc import Callable
from typing import Any

Look = Callable[[str, str], Any]

JSON = """\
{
  "name": "scale",
  "dependencies": {
    "a": "1"
  },
  "list": [
    1
  ]
}
"""
YAML = """\
name: scale

# What starts it.
on:
  push: 1

# What it does.
jobs:
  build:
    steps: []
---
other:
  - a
"""
TOML = """\
title = "scale"

[project]
name = "scale"

# How it is linted.
[tool.ruff]
line-length = 120

[[tool."my bin"]]
deps = [
  "a",
]
"""


def test_keys_of_json_with_several_lines_are_sections(look: Look) -> None:
    assert look("a.json", JSON).names == ["L1-2", "dependencies", "list", "L9-9"]
    assert look("a.json", JSON).signature("dependencies") == '  "dependencies": {\n'
    assert look("a.json", JSON).expand("list") == '  "list": [\n    1\n  ]\n'


def test_keys_of_yaml_have_the_comments_above_them(look: Look) -> None:
    yaml = look("a.yml", YAML)
    assert [(unit.name, unit.lines) for unit in yaml.outline.units] == [
        ("L1-1", (1, 1)), ("on", (3, 5)), ("jobs", (7, 10)), ("L11-11", (11, 11)), ("other", (12, 13)),
    ]  # fmt: skip
    assert yaml.summary("jobs") == "# What it does.\n"
    assert yaml.signature("jobs") == "jobs:\n"


def test_tables_of_toml_have_the_comments_above_them(look: Look) -> None:
    toml = look("a.toml", TOML)
    assert [(unit.name, unit.lines) for unit in toml.outline.units] == [
        ("L1-1", (1, 1)), ("project", (3, 4)), ("tool.ruff", (6, 8)), ("tool.my-bin", (10, 13)),
    ]  # fmt: skip
    assert toml.signature("tool.ruff") == "[tool.ruff]\n"
    assert toml.expand("tool.ruff") == "# How it is linted.\n[tool.ruff]\nline-length = 120\n"


def test_keys_inside_count_where_the_value_is_long(look: Look) -> None:
    def definitions(n_filling: int) -> list[str]:
        filling = "".join(f'    "k{n}": {n},\n' for n in range(n_filling))
        return look(
            "a.json", f'{{\n  "outer": {{\n{filling}    "inner": {{\n      "a": 1\n    }}\n  }}\n}}\n'
        ).definitions

    assert definitions(55) == ["outer"]
    assert definitions(56) == ["outer", "outer.inner"]


def test_entries_of_a_list_are_called_by_their_first_key(look: Look) -> None:
    steps = "- uses: checkout\n  with: 1\n- run: |\n    make\n    make test\n- short\n"
    assert look("a.yaml", steps).definitions == ["uses:checkout", "run:|"]
    assert look("a.yaml", steps).signature("run:|") == "- run: |\n"
    entries = '[\n  {\n    "id": "a, b",\n    "x": 1\n  },\n  {"id": 2}\n]\n'
    assert look("a.json", entries).definitions == ["id:a-b"]
    assert look("a.json", entries).signature("id:a-b") == '    "id": "a, b",\n'


def test_a_file_may_be_known_by_its_whole_name(look: Look) -> None:
    assert look("x/Cargo.lock", TOML).definitions == look("a.toml", TOML).definitions
