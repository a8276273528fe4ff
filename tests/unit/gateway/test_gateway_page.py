"""The page's files, its stream and its one action, over real HTTP and real actors."""

from __future__ import annotations

import http.client
import json
import threading
import time
from collections.abc import Callable, Iterator
from typing import Any

import httpx2
import pytest

from actors.scent_field.messages import Claim, FieldStatistics, LeaveSignal
from coordinator.conversation import Conversation
from coordinator.domain import DOMAINS, SCENT_FIELD
from coordinator.page.asset import FOLDER
from coordinator.page.broadcast import MAX_WATCHERS
from coordinator.session import AgentSession, new_token, register
from coordinator.step import drive_async

TOKEN = "a-token-of-this-test-0123456789abcdef"
OWN = {"authorization": f"Bearer {TOKEN}"}


class Stream:
    """A watcher; `next()` gives (name, id, document)."""

    def __init__(self, gateway: Any, path: str = "/events", **headers: str) -> None:
        self._connection = http.client.HTTPConnection("127.0.0.1", gateway.port, timeout=30.0)
        self._connection.request("GET", path, headers={name.replace("_", "-"): text for name, text in headers.items()})
        self.answer = self._connection.getresponse()

    def next(self) -> tuple[str, str, Any]:
        fields: dict[str, str] = {}
        while (line := self.answer.readline().decode().rstrip("\n")) or not fields:
            name, _, text = line.partition(": ")
            fields[name] = text
        return fields["event"], fields.get("id", ""), json.loads(fields["data"])

    def until(self, table: str) -> dict[str, Any]:
        """The rows of a table, when it is told of next."""
        deadline_s = time.monotonic() + 30.0
        while time.monotonic() < deadline_s:
            _, _, document = self.next()
            if table in document.get("put", {}):
                return dict(document["put"][table])
        raise AssertionError(f"nothing was told of {table}")

    def close(self) -> None:
        self.answer.close()
        self._connection.close()


@pytest.fixture
def listen() -> Iterator[Callable[..., Stream]]:
    opened: list[Stream] = []

    def listen_to(gateway: Any, path: str = "/events", **headers: str) -> Stream:
        opened.append(Stream(gateway, path, **headers))
        return opened[-1]

    yield listen_to
    for stream in opened:
        stream.close()


def act(gateway: Any, name: str, *commands: Any) -> AgentSession:
    """An agent comes and does these things."""

    async def story() -> AgentSession:
        session = await drive_async(
            register(
                name=name, parent="", kept_by="heartbeat", ttl_s=60.0, token=new_token(), now_s=0.0, timeout_s=9.0
            ),
            gateway.site._batcher,
        )
        for command in commands:
            _, raw = session.conversations[SCENT_FIELD].numbered([command])
            await gateway.line.call_async(SCENT_FIELD, raw, 9.0)
        return session

    session: AgentSession = gateway.on_loop(story())
    return session


def claim(path: str = "src/a.py") -> Claim:
    return Claim("test", (path,), "exclusive", 0.0, "tidy up")


def release(gateway: Any, headers: dict[str, str] | None = None, **asked: Any) -> httpx2.Response:
    body = {"space": "test", "target": "src/a.py", "reason": "gone", **asked}
    return httpx2.post(
        f"{gateway.url}/api/v1/page/release", json=body, headers=OWN if headers is None else headers, timeout=30.0
    )


# Files


def test_the_page_and_all_its_files_are_served_with_their_types(open_gateway: Callable[..., Any]) -> None:
    gateway = open_gateway()
    assert "<title>Scentfield</title>" in gateway.get("/").text
    kinds = {".js": "text/javascript", ".css": "text/css", ".html": "text/html", ".svg": "image/svg+xml"}
    names = [path.name for path in FOLDER.iterdir()]
    assert {"main.js", "style.css", "index.html"} <= set(names)
    for name in names:
        told = gateway.get(f"/page/{name}")
        assert told.status_code == 200
        assert told.headers["content-type"].startswith(kinds[name[name.rindex(".") :]])
        assert told.content == (FOLDER / name).read_bytes()


def test_only_its_own_files_run_and_nobody_frames_it(open_gateway: Callable[..., Any]) -> None:
    headers = open_gateway().get("/").headers
    policy = headers["content-security-policy"]
    assert "default-src 'none'; script-src 'self'; style-src 'self'" in policy
    assert "frame-ancestors 'none'" in policy
    assert "unsafe" not in policy
    assert headers["x-content-type-options"] == "nosniff"
    assert headers["cross-origin-resource-policy"] == "same-origin"


def test_no_file_needs_anything_that_the_policy_forbids() -> None:
    for path in FOLDER.iterdir():
        text = path.read_text(encoding="utf-8")
        for word in ("innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "eval(", " style=", " onclick="):
            assert word not in text, f"{path.name}: {word}"
        assert "http://" not in text.replace("http://www.w3.org/2000/svg", ""), path.name
        assert "https://" not in text, path.name


def test_a_browser_that_has_a_file_is_not_sent_it_again(open_gateway: Callable[..., Any]) -> None:
    gateway = open_gateway()
    etag = gateway.get("/page/main.js").headers["etag"]
    told = gateway.get("/page/main.js", **{"If-None-Match": etag})
    assert (told.status_code, told.content) == (304, b"")
    assert gateway.get("/page/style.css", **{"If-None-Match": etag}).status_code == 200


@pytest.mark.parametrize("path", ["../site.py", "..%2fsite.py", "%2e%2e/site.py", "none.js", "%00", "a" * 3_000, "."])
def test_there_are_no_other_files(open_gateway: Callable[..., Any], path: str) -> None:
    told = open_gateway().get(f"/page/{path}")
    assert told.status_code == 404
    assert b"import" not in told.content


def test_files_need_no_token_and_the_stream_does(
    open_gateway: Callable[..., Any], listen: Callable[..., Stream]
) -> None:
    gateway = open_gateway(token="always")
    assert gateway.get("/").status_code == 200
    assert gateway.get("/page/main.js").status_code == 200
    assert gateway.get("/page/main.js", Host="evil.example").status_code == 421
    assert gateway.get("/", Origin="https://evil.example").status_code == 403
    assert gateway.get("/events").status_code == 401
    assert gateway.get(f"/events?token={TOKEN}").status_code == 401
    assert listen(gateway, **OWN).next()[0] == "whole"


# The stream


def test_a_watcher_is_told_the_whole_field_and_then_each_change(
    open_gateway: Callable[..., Any], listen: Callable[..., Stream]
) -> None:
    gateway = open_gateway()
    act(gateway, "ann", claim())
    stream = listen(gateway)
    assert stream.answer.headers["content-type"] == "text/event-stream"
    name, _, whole = stream.next()
    assert (name, whole["space"], whole["spaces"]) == ("whole", "test", ["test"])
    assert whole["half_lives_s"]["HOT"] == 600.0
    (held,) = whole["put"]["claims"].values()
    assert (held["targets"], held["holder"], held["intent"]) == (["src/a.py"], "ann#1", "tidy up")
    assert list(whole["put"]["signals"]) == ["CLAIMED\tsrc/a.py"]
    act(gateway, "bob", claim(), LeaveSignal("test", "STUCK", "src/b.py", 1.0))
    assert "STUCK\tsrc/b.py" in stream.until("signals")


def test_refusals_are_told_though_they_change_nothing(
    open_gateway: Callable[..., Any], listen: Callable[..., Stream]
) -> None:
    gateway = open_gateway()
    act(gateway, "ann", claim())
    stream = listen(gateway)
    stream.next()
    act(gateway, "bob", claim())
    (row,) = stream.until("refusals").values()
    assert (row["asker"], row["holder"], row["reason"]) == ("bob#2", "ann#1", "claimed")


def test_who_comes_back_goes_on_after_what_it_heard_last(
    open_gateway: Callable[..., Any], listen: Callable[..., Stream]
) -> None:
    gateway = open_gateway()
    first = listen(gateway)
    _, last_id, _ = first.next()
    first.close()
    second = listen(gateway, last_event_id=last_id)
    assert second.next()[0] in ("beat", "change"), "not everything anew"
    assert listen(gateway, last_event_id="of another gateway").next()[0] == "whole"


def test_one_silent_actor_is_told_as_trouble_and_the_others_go_on(
    open_gateway: Callable[..., Any], listen: Callable[..., Stream]
) -> None:
    gateway = open_gateway(gone=("memory",))
    stream = listen(gateway)
    _, _, whole = stream.next()
    assert "claims" in whole["put"]
    trouble = whole["put"].get("trouble") or stream.until("trouble")
    assert trouble == {"memory": {"why": "memory cannot be reached"}}


def test_without_the_field_the_page_says_so_instead_of_waiting(
    open_gateway: Callable[..., Any], listen: Callable[..., Stream]
) -> None:
    stream = listen(open_gateway(gone=("scent_field",)))
    _, _, whole = stream.next()
    assert "scent_field" in whole["put"]["trouble"]


def test_pages_of_others_may_not_even_open_the_stream(open_gateway: Callable[..., Any]) -> None:
    gateway = open_gateway()
    for site in ("cross-site", "same-site"):
        assert gateway.get("/events", **{"Sec-Fetch-Site": site}).status_code == 403


def test_only_the_spaces_of_its_trees_are_shown(
    open_gateway: Callable[..., Any], listen: Callable[..., Stream]
) -> None:
    gateway = open_gateway()
    told = gateway.get("/events?space=other")
    assert (told.status_code, told.json()["error"]) == (404, "this gateway shows no space 'other': it shows test")
    assert listen(gateway, "/events?space=test").next()[0] == "whole"


def test_watchers_are_bounded_and_those_who_leave_make_room(
    open_gateway: Callable[..., Any], listen: Callable[..., Stream]
) -> None:
    gateway = open_gateway()
    streams = [listen(gateway) for _ in range(MAX_WATCHERS)]
    for stream in streams:
        stream.next()
    told = gateway.get("/events")
    assert (told.status_code, told.headers["retry-after"]) == (503, "30")
    assert "64 pages are open, which is the limit: close one" in told.json()["error"]
    streams[0].close()
    deadline_s = time.monotonic() + 30.0
    while (again := listen(gateway)).answer.status != 200:
        assert time.monotonic() < deadline_s
    assert again.next()[0] == "whole"


def test_all_watchers_are_one_to_the_actors(open_gateway: Callable[..., Any], listen: Callable[..., Stream]) -> None:
    gateway = open_gateway()
    streams = [listen(gateway) for _ in range(20)]
    for stream in streams:
        stream.next()

    async def n_watchers() -> int:
        stranger = Conversation(DOMAINS[SCENT_FIELD].schema, "", "")
        raw = await gateway.line.call_async(SCENT_FIELD, stranger.unnumbered([FieldStatistics()]), 9.0)
        return {one.name: one.value for one in stranger.answers(raw, 1)[0].gauges}["watchers"]

    deadline_s = time.monotonic() + 30.0
    while (n := gateway.on_loop(n_watchers())) == 0:  # it rests between two questions
        assert time.monotonic() < deadline_s
    assert n == 1


# The action


def test_a_claim_is_taken_away_with_the_token_and_stands_in_the_audit(
    open_gateway: Callable[..., Any], listen: Callable[..., Stream]
) -> None:
    gateway = open_gateway()
    act(gateway, "ann", claim())
    told = release(gateway)
    assert (told.status_code, told.json()["n_released"]) == (200, 0)
    assert "its holder ann#1 is alive" in told.json()["not_released"][0]["why"]
    told = release(gateway, even_if_alive=True, by="Kate Smith")
    assert (told.json()["n_released"], told.json()["by"].partition("#")[0]) == (1, "Kate-Smith")
    _, _, whole = listen(gateway).next()
    (line,) = whole["put"]["audit"].values()
    assert (line["target"], line["reason"], line["from_session"], line["was_alive"]) == (
        "src/a.py",
        "gone",
        "ann#1",
        True,
    )
    assert whole["put"]["claims"] == {}
    assert whole["put"]["agents"].keys() == {"ann#1"}, "whoever took it away is not there any more"


@pytest.mark.parametrize("headers", [{}, {"authorization": "Bearer wrong"}, {"cookie": f"token={TOKEN}"}])
def test_without_the_token_nothing_is_taken_away(open_gateway: Callable[..., Any], headers: dict[str, str]) -> None:
    gateway = open_gateway()
    session = act(gateway, "ann", claim())
    assert release(gateway, headers, even_if_alive=True).status_code == 401
    assert release(gateway, {**OWN, "origin": "https://evil.example"}, even_if_alive=True).status_code == 403
    assert release(gateway, {**OWN, "host": "evil.example"}, even_if_alive=True).status_code == 421
    assert "its holder ann#1 is alive" in release(gateway).json()["not_released"][0]["why"], session.session_id


@pytest.mark.parametrize(
    ("asked", "why"),
    [
        ({"reason": ""}, "reason: String should have at least 1 character"),
        ({"reason": "x" * 201}, "reason: String should have at most 200 characters"),
        ({"reason": "a\nb"}, "a reason"),
        ({"target": "../etc/passwd"}, "target"),
        ({"target": 7}, "target: Input should be a valid string"),
        ({"even_if_alive": "yes"}, "even_if_alive: Input should be a valid boolean"),
        ({"space": "other"}, "this gateway shows no space 'other'"),
        ({"more": 1}, "more: Extra inputs are not permitted"),
    ],
)
def test_what_makes_no_sense_is_refused_and_says_why(
    open_gateway: Callable[..., Any], asked: dict[str, Any], why: str
) -> None:
    told = release(open_gateway(), **asked)
    assert told.status_code == 400
    assert why in told.json()["error"]


def test_a_body_that_is_no_json_is_refused(open_gateway: Callable[..., Any]) -> None:
    told = open_gateway().post("/api/v1/page/release", b"\xff{", **OWN)
    assert (told.status_code, told.json()["error"].startswith("this is no release: ")) == (400, True)


def test_many_take_the_same_away_and_one_does(open_gateway: Callable[..., Any]) -> None:
    gateway = open_gateway()
    act(gateway, "ann", claim())
    answers: list[int] = []
    threads = [
        threading.Thread(target=lambda: answers.append(release(gateway, even_if_alive=True).json()["n_released"]))
        for _ in range(8)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(30.0)
    assert sorted(answers) == [0] * 7 + [1]
