"""Hooks in settings files that are somebody else's."""

from __future__ import annotations

import json

import pytest

from actors.runtime.errors import Misuse
from coordinator.hook.installation import FILES, has_hooks, with_hooks, without_hooks
from coordinator.hook.payload import EVENTS

COMMAND = ("/opt/an odd 'place'/scentfield", "hook", "run", "--data-dir", "/x y")
OTHER = {"matcher": "Bash", "hooks": [{"type": "command", "command": "mine 'unclosed"}]}


def pretty(document: object, indent: object, end: str = "\n") -> str:
    return json.dumps(document, indent=indent, ensure_ascii=False) + end


@pytest.mark.parametrize("client", FILES)
def test_each_client_gets_a_hook_for_each_event(client: str) -> None:
    text = with_hooks("", client, COMMAND)
    hooks = json.loads(text)["hooks"]
    assert tuple(hooks) == EVENTS[client]
    (group,) = hooks[EVENTS[client][0]]
    (entry,) = [group] if FILES[client].is_flat else group["hooks"]
    assert entry["command"] == f"'/opt/an odd '\"'\"'place'\"'\"'/scentfield' hook run --data-dir '/x y' {client}"
    assert has_hooks(text, client)
    assert with_hooks(text, client, COMMAND) == text, "twice is as good as once"
    assert without_hooks(text, client) == ""


@pytest.mark.parametrize("indent", [2, 4, "\t"])
@pytest.mark.parametrize("end", ["\n", ""])
@pytest.mark.parametrize("client", FILES)
def test_everything_else_stays_byte_for_byte(client: str, indent: object, end: str) -> None:
    event = EVENTS[client][0]
    for document in ({"größe": [1.5, None]}, {"hooks": {event: [OTHER], "Stop": []}, "a": {}}, {"hooks": {}, "z": 1}):
        text = pretty(document, indent, end)
        assert without_hooks(text, client) == text
        installed = with_hooks(text, client, COMMAND)
        assert has_hooks(installed, client)
        taken = without_hooks(installed, client)
        assert taken == (text if document.get("hooks") != {} else pretty({"z": 1}, indent, end))


def test_hooks_of_others_in_one_group_with_ours_stay() -> None:
    document = json.loads(with_hooks("", "codex", COMMAND))
    document["hooks"]["PreToolUse"][0]["hooks"].append(OTHER["hooks"][0])
    taken = json.loads(without_hooks(pretty(document, 2), "codex"))
    assert taken == {"hooks": {"PreToolUse": [{"matcher": "apply_patch", "hooks": OTHER["hooks"]}]}}


def test_the_file_of_cursor_is_flat_and_begins_with_its_version() -> None:
    document = json.loads(with_hooks("", "cursor", COMMAND))
    assert document["version"] == 1
    assert document["hooks"]["preToolUse"][0]["matcher"] == "Write|Delete"
    assert "matcher" not in document["hooks"]["sessionStart"][0]
    other = {"command": "./format.sh", "matcher": "Write"}
    document["hooks"]["postToolUse"].insert(0, other)
    taken = json.loads(without_hooks(pretty(document, 2), "cursor"))
    assert taken == {"version": 1, "hooks": {"postToolUse": [other]}}


def test_another_program_with_a_like_name_is_not_ours() -> None:
    entry = {"type": "command", "command": "/bin/notscentfield hook run codex"}
    assert not has_hooks(pretty({"hooks": {"PreToolUse": [{"hooks": [entry]}]}}, 2), "codex")


@pytest.mark.parametrize(
    "text",
    [
        "{ // mine\n}",
        "[1]",
        "{broken",
        '{"hooks": 5}',
        '{"hooks": {"PreToolUse": {}}}',
        '{"a": 1, "a": 2}',
        "[" * 99_999,
    ],
)
def test_what_cannot_be_kept_as_it_is_is_left_alone(text: str) -> None:
    for change in (lambda: with_hooks(text, "claude-code", COMMAND), lambda: without_hooks(text, "claude-code")):
        with pytest.raises(Misuse, match="by hand, see --print"):
            change()
