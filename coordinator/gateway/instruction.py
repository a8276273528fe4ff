"""What an agent is told of the server: its instructions, and prompts for beginning and for handing over."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

INSTRUCTIONS: Final = (
    "Several agents work on these files at the same time. Before you change something, claim it: ctx_agent "
    'action=claim targets=["src/a.py"] intent="...". NOT GRANTED means that somebody is at it: take other '
    "work, or wait with wait_s. An error says what to do next; no answer is never permission. Release what is done "
    "(done=true). Claims live as long as this connection; ctx_agent action=sync shows who does what. Read with "
    "ctx_read and change with ctx_edit: it refuses what somebody else holds, "
    "and tells you who changed a file since you read it. If you speak for sub-agents, "
    'pass agent="name": each is an agent of its own, and your claims do not block it. Paths are relative to '
    "the root."
)
"""The rules come first: Codex shows a model the first 512 characters where it decides which server to use."""


@dataclass(frozen=True, slots=True)
class PromptText:
    """A prompt: what it is for, its one argument, and the text around it."""

    about: str
    argument: str
    argument_about: str
    text: str


PROMPTS: Final[dict[str, PromptText]] = {
    "start_work": PromptText(
        "Begin a task beside other agents",
        "task",
        "what you are to do",
        "Your task: {0}\n\n"
        "First call ctx_agent action=sync. Choose the files that the task needs, read them with ctx_read, and "
        "claim all of them in one call with an intent. If that is not granted, do another part first, or wait "
        "with wait_s. Edit with ctx_edit. When a file is done, release it with done=true.",
    ),
    "hand_over": PromptText(
        "Hand your claims over to another agent",
        "to",
        "the agent's id, name#number",
        "Hand your work over to {0}. Write in one sentence what is done, what is not, and what fails, and call "
        "ctx_agent action=hand_over to={0} note=that sentence: it makes a checkpoint and gives all your claims away. "
        "Then leave STUCK (action=deposit) where you gave up. Tell the other agent what the answer says.",
    ),
}
