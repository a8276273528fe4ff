"""The HTTP generator against servers on this machine, good ones and bad ones."""

import json
import socket
import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest

from actors.runtime.errors import Misuse, ScentfieldError, Unavailable
from coordinator.feedback.chat_endpoint import ChatEndpoint
from coordinator.feedback.loop import QualityFeedbackLoop
from coordinator.feedback.settings import AskSettings
from coordinator.retrieval.passage import Passage

KEY = "sk-0123456789abcdef"
VARIABLE = "SOMEBODYS_KEY"
PASSAGE = Passage("a.md", "Leases", "A lease ends.", 1.0, "0" * 64, 3, 9)


def completion(content: object) -> bytes:
    return json.dumps({"choices": [{"message": {"role": "assistant", "content": content}}]}).encode()


class Server:
    """Answers as `reply` says; keeps what it was sent."""

    def __init__(self) -> None:
        self.reply: Callable[[Any], None] = self.says(200, completion("It ends."))
        self.requests: list[tuple[str, dict[str, str], Any]] = []
        self.opened = threading.Event()
        outer = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers["Content-Length"]))
                outer.requests.append((self.path, dict(self.headers), json.loads(body)))
                outer.reply(self)

            def log_message(self, *_: object) -> None:
                pass

        self.httpd = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.httpd.daemon_threads = True
        self.httpd.handle_error = lambda *_: None  # type: ignore[method-assign]  # clients that go away are the point
        self.url = f"http://127.0.0.1:{self.httpd.server_port}/v1"
        threading.Thread(target=self.httpd.serve_forever, args=(0.01,), daemon=True).start()

    @staticmethod
    def says(status: int, body: bytes, **headers: str) -> Callable[[Any], None]:
        def reply(handler: Any) -> None:
            handler.send_response(status)
            for name, value in headers.items():
                handler.send_header(name, value)
            handler.send_header("Content-Length", str(len(body)))
            handler.end_headers()
            handler.wfile.write(body)

        return reply

    def close(self) -> None:
        self.opened.set()
        self.httpd.shutdown()
        self.httpd.server_close()


@pytest.fixture
def server() -> Iterator[Server]:
    made = Server()
    yield made
    made.close()


def ask(server: Server, passages: tuple[Passage, ...] = (PASSAGE,), **given: Any) -> str:
    return ChatEndpoint(server.url, "small", timeout_s=given.pop("timeout_s", 30.0), **given)("When?", passages)


def test_the_question_and_the_numbered_passages_are_sent(server: Server) -> None:
    assert ask(server, max_tokens=50) == "It ends."
    ((path, headers, body),) = server.requests
    assert path == "/v1/chat/completions"
    assert "Authorization" not in headers
    assert (body["model"], body["max_tokens"], body["temperature"]) == ("small", 50, 0)
    system, user = body["messages"]
    assert (system["role"], user["role"]) == ("system", "user")
    assert user["content"] == "[1] a.md:3-9 Leases\nA lease ends.\n\n\nQuestion: When?"


def test_without_passages_it_says_so(server: Server) -> None:
    ask(server, ())
    assert "(no passages were found)" in server.requests[0][2]["messages"][1]["content"]


def test_what_does_not_fit_is_left_out_the_last_first(server: Server) -> None:
    ask(server, (PASSAGE,) * 9, max_context_characters=100)
    content = server.requests[0][2]["messages"][1]["content"]
    assert "[2]" in content
    assert "[3]" not in content


def test_the_key_comes_from_the_environment_at_each_call(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    endpoint = ChatEndpoint(server.url, "small", key_variable=VARIABLE)
    monkeypatch.setenv(VARIABLE, f" {KEY}\n")
    endpoint("When?", ())
    assert server.requests[0][1]["Authorization"] == f"Bearer {KEY}"
    assert KEY not in repr(endpoint) + str(vars(endpoint))
    monkeypatch.delenv(VARIABLE)
    with pytest.raises(Misuse, match=f"{VARIABLE} is not set"):
        endpoint("When?", ())
    assert len(server.requests) == 1


@pytest.mark.parametrize("key", ["two\nlines", "k\u00e9y", "nul\x7f"])
def test_a_key_that_is_no_header_is_refused_without_being_shown(
    server: Server, monkeypatch: pytest.MonkeyPatch, key: str
) -> None:
    monkeypatch.setenv(VARIABLE, key)
    with pytest.raises(Misuse, match="characters that no key has") as refused:
        ask(server, key_variable=VARIABLE)
    assert key not in refused.value.message
    assert server.requests == []


def test_a_key_is_not_sent_in_the_clear_to_another_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(VARIABLE, KEY)

    def connect(*_: object) -> None:
        raise AssertionError("nothing may be sent")

    monkeypatch.setattr(socket, "create_connection", connect)
    with pytest.raises(Misuse, match="has no TLS: the key is not sent there"):
        ChatEndpoint("http://192.0.2.1/v1", "small", key_variable=VARIABLE)("When?", ())


@pytest.mark.parametrize(
    ("reply", "message"),
    [
        (Server.says(401, b'{"error": {"message": "bad key ' + KEY.encode() + b'"}}'), "answered 401: bad key ***"),
        (Server.says(500, b"<html>\n" + KEY.encode() + b"</html>"), "answered 500: <html> ***</html>"),
        (Server.says(503, b""), "answered 503: nothing"),
        (Server.says(404, b"\xff\x00\x1b[31mred"), "answered 404"),
        (Server.says(302, b"", Location="http://127.0.0.1:1/"), "answered 302"),
        (Server.says(200, b"<html>"), "said what is no chat completion: 6 bytes"),
        (Server.says(200, b'{"choices": []}'), "said what is no chat completion"),
        (Server.says(200, b"[]"), "said what is no chat completion"),
        (Server.says(200, b"[" * 100_000), "said what is no chat completion"),
        (Server.says(200, completion(["part"])), "gave a content that is list"),
        (Server.says(200, completion("x" * 2**21)), "says more than 1,048,576 bytes"),
        (lambda handler: handler.connection.close(), "cannot be asked"),
        (lambda handler: handler.wfile.write(b"no http at all\r\n\r\n"), "cannot be asked (BadStatusLine"),
    ],
)
def test_a_server_that_misbehaves_is_told_of_in_one_line_without_the_key(
    server: Server, monkeypatch: pytest.MonkeyPatch, reply: Callable[[Any], None], message: str
) -> None:
    monkeypatch.setenv(VARIABLE, KEY)
    server.reply = reply
    with pytest.raises(Unavailable) as failed:
        ask(server, key_variable=VARIABLE)
    told = failed.value.message
    assert message in told
    assert KEY not in told
    assert told.isprintable()
    assert len(told) < 500
    assert failed.value.__cause__ is None
    assert len(server.requests) == 1  # redirections are not followed


def test_no_content_is_an_empty_answer(server: Server) -> None:
    server.reply = Server.says(200, completion(None))
    assert ask(server) == ""


def test_a_server_that_says_nothing_is_late(server: Server) -> None:
    server.reply = lambda _handler: server.opened.wait()
    with pytest.raises(Unavailable, match=r"gave no whole answer within 0\.2 s"):
        ask(server, timeout_s=0.2)


def test_a_server_that_drips_is_late_too(server: Server) -> None:
    def drip(handler: Any) -> None:
        handler.send_response(200)
        handler.end_headers()
        while not server.opened.wait(0.02):
            handler.wfile.write(b" ")
            handler.wfile.flush()

    server.reply = drip
    with pytest.raises(Unavailable, match=r"gave no whole answer within 0\.3 s"):
        ask(server, timeout_s=0.3)


def test_headers_that_drip_are_late_too(server: Server) -> None:
    def drip(handler: Any) -> None:
        handler.wfile.write(b"HTTP/1.1 200 OK\r\nX-Slow: ")
        while not server.opened.wait(0.02):
            handler.wfile.write(b"x")
            handler.wfile.flush()

    server.reply = drip
    with pytest.raises(Unavailable, match=r"gave no whole answer within 0\.3 s"):
        ask(server, timeout_s=0.3)


def test_a_server_that_is_not_there_cannot_be_asked(server: Server) -> None:
    server.close()
    with pytest.raises(Unavailable, match="cannot be asked"):
        ask(server)


def test_a_host_whose_name_is_none_cannot_be_asked(shelf: Any) -> None:
    with pytest.raises(Unavailable, match="cannot be asked"):
        ChatEndpoint("http://a..b/v1", "small")("claim?", shelf.retrieve("claim?", top_k=1, level=0.0))


@pytest.mark.parametrize(
    "url",
    [
        "",
        "host/v1",
        "ftp://host/v1",
        "https://",
        "https://user:secret@host/v1",
        "https://host/v1?key=secret",
        "https://host/v1#x",
        "https://host:port/v1",
        "https://host/a b",
        "https://host/v1\r\nX: y",
        "https://h\u00f6st/v1",
        "http://[::1/v1",
    ],
)
def test_an_address_that_is_none_is_refused_without_being_repeated(url: str) -> None:
    with pytest.raises(Misuse, match="the endpoint's address is none") as refused:
        ChatEndpoint(url, "small")
    assert "secret" not in refused.value.message


@pytest.mark.parametrize(
    "wrong", [{"timeout_s": 0.0}, {"max_tokens": 0}, {"max_context_characters": 0}, {"max_reply_bytes": 0}]
)
def test_numbers_of_an_endpoint_that_cannot_be_are_refused(wrong: dict[str, Any]) -> None:
    with pytest.raises(Misuse, match=next(iter(wrong))):
        ChatEndpoint("https://host/v1", "small", **wrong)


def test_an_endpoint_needs_a_model() -> None:
    with pytest.raises(Misuse, match="no model is named"):
        ChatEndpoint("https://host/v1", " ")


def test_the_loop_asks_it_in_each_round_and_reports_it(server: Server, make_shelf: Any) -> None:
    loop = QualityFeedbackLoop()
    generator = AskSettings(url=server.url, model="small").generator()
    answer = loop.run("claim lease?", retriever=make_shelf(), generator=generator)
    assert answer.text == "It ends."
    assert len(server.requests) == answer.n_refinements + 1 > 1
    server.reply = Server.says(500, b"overloaded")
    failed = loop.run("claim lease?", retriever=make_shelf(), generator=generator)
    assert failed.best is None
    assert "answered 500: overloaded" in failed.iterations[0].outcome.problem
    assert isinstance(Unavailable("x"), ScentfieldError)


def test_settings_without_an_address_answer_by_extraction(make_shelf: Any) -> None:
    answer = QualityFeedbackLoop().run("claim?", retriever=make_shelf(), generator=AskSettings().generator())
    assert answer.quality.relevance == 1.0
