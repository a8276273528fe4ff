"""Server-sent events (WHATWG HTML, section 9.2), as far as MCP uses them: the data of each event. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Iterator


def events(lines: Iterable[bytes]) -> Iterator[str]:
    """The data of each event, from a stream's lines; comments, names and numbers of events are passed over."""
    data: list[str] = []
    for raw in lines:
        line = raw.decode("utf-8", "replace").rstrip("\r\n")
        if not line:
            if data:
                yield "\n".join(data)
            data = []
        elif line.startswith("data:"):
            data.append(line[5:].removeprefix(" "))
