"""`scentfield top`: what is wrong with a call is said at once, before there is a screen."""

from __future__ import annotations

from typing import Any

import pytest


@pytest.mark.parametrize("url", ["nonsense", "ftp://127.0.0.1:1", "http://"])
def test_a_url_that_is_none_is_wrong_usage(alone: Any, url: str) -> None:
    error = alone.json("top", "--once", "--url", url, expect=2)["error"]
    assert error["code"] == "misuse"
    assert repr(url) in error["message"]


def test_without_a_gateway_it_is_said_how_to_get_one(alone: Any) -> None:
    result = alone("top", "--once")
    assert (result.exit_code, result.stdout) == (4, "")
    assert "`scentfield up` starts one" in result.stderr
