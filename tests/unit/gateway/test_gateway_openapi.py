"""What `/api/v1` says of itself is so; the answers come from a gateway that really listens."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from coordinator.domain import DOMAINS, EMBEDDING, GATEWAY
from coordinator.gateway.api import Api
from coordinator.gateway.embedding_api import EmbeddingApi
from coordinator.gateway.openapi import DOCUMENT_PATH, document
from coordinator.gateway.timeout_header import MAX_TIMEOUT_S, TIMEOUT_HEADER

TOKEN = "a-token-of-this-test-0123456789abcdef"
AUTHORIZED = {"Authorization": f"Bearer {TOKEN}"}


def test_every_route_is_described_with_its_methods_and_nothing_else(open_gateway: Callable[..., Any]) -> None:
    told = open_gateway().get(DOCUMENT_PATH, **AUTHORIZED).json()
    described = {path: set(methods) for path, methods in told["paths"].items()}
    api = Api(None, None, 1.0)  # type: ignore[arg-type]  # nobody asks it
    routes = [*api.routes, *EmbeddingApi(None, 1.0, 1).routes]
    assert described == {
        route.path: {method.lower() for method in route.methods or () if method != "HEAD"} for route in routes
    }


def test_it_names_the_actors_and_the_limits_that_there_are() -> None:
    told = document(DOMAINS, ["x"], TIMEOUT_HEADER, MAX_TIMEOUT_S)
    domain, waiting = told["paths"]["/api/v1/submit/{domain}"]["post"]["parameters"]
    assert domain["schema"]["enum"] == list(DOMAINS)
    assert (waiting["name"], waiting["schema"]["maximum"]) == ("scentfield-timeout-s", 1_200.0)
    assert told["paths"]["/api/v1/describe/{domain}"]["get"]["parameters"][0]["schema"]["enum"] == ["x"]


def test_the_document_is_behind_the_token_as_all_of_the_api(open_gateway: Callable[..., Any]) -> None:
    assert open_gateway().get(DOCUMENT_PATH).status_code == 401


@pytest.mark.timeout(240)
def test_schemathesis_finds_no_fault(open_gateway: Callable[..., Any], tmp_path: Path) -> None:
    gateway = open_gateway(requests_per_s=1e6)
    of_actors = gateway.line.describe_async

    async def describe(domain: str, timeout_s: float) -> dict[str, Any]:
        return {"pid": 1} if domain in (EMBEDDING, GATEWAY) else await of_actors(domain, timeout_s)

    gateway.line.describe_async = describe  # these two are no state actors, and not in this process
    ended = subprocess.run(
        [
            *(str(Path(sys.executable).with_name("schemathesis")), "run", f"{gateway.url}{DOCUMENT_PATH}"),
            *("--header", f"Authorization: Bearer {TOKEN}", "--seed", "1", "--max-examples", "25"),
            *("--exclude-checks", "positive_data_acceptance"),  # a request is more than any bytes: most are refused
        ],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=200,
        check=False,
    )
    assert ended.returncode == 0, ended.stdout[-6_000:] + ended.stderr[-2_000:]
    counted = re.search(r"(\d+) generated, (\d+) passed", ended.stdout)
    assert counted is not None
    assert int(counted[2]) > 50, "it has really asked"
