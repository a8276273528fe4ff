"""Asks a Prometheus server over its HTTP API, with the limits of whoever only looks."""

from __future__ import annotations

import json
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Mapping
from typing import Any, Final, NamedTuple

from actors.runtime.errors import Misuse, Unavailable

TIMEOUT_S: Final = 30.0
MAX_BYTES: Final = 32 * 2**20


class Series(NamedTuple):
    """One line of a graph: its labels, and its values with their times in seconds since the epoch."""

    labels: Mapping[str, str]
    points: tuple[tuple[float, float], ...]


class Prometheus:
    """One server."""

    def __init__(self, url: str) -> None:
        self._url = url.rstrip("/")

    def between(self, expr: str, from_s: float, to_s: float, step_s: float) -> list[Series]:
        """An expression over time, each `step_s` seconds. Raises `Unavailable`, or `Misuse` for one that is refused."""
        result = self._asked("query_range", query=expr, start=from_s, end=to_s, step=step_s)
        return [_series(one["metric"], one["values"]) for one in result]

    def at(self, expr: str, at_s: float) -> list[Series]:
        """An expression at one moment, each series with one value. Raises as `between`."""
        result = self._asked("query", query=expr, time=at_s)
        return [_series(one["metric"], [one["value"]]) for one in result]

    def _asked(self, path: str, **parameters: Any) -> list[dict[str, Any]]:
        url = f"{self._url}/api/v1/{path}?{urllib.parse.urlencode(parameters)}"
        try:
            with urllib.request.urlopen(url, timeout=TIMEOUT_S) as answer:
                data = json.loads(answer.read(MAX_BYTES))["data"]
                result = data["result"] if data["resultType"] in ("vector", "matrix") else None
        except urllib.error.HTTPError as error:
            with error:
                said = error.read(2_000).decode("utf-8", "replace")
            raise Misuse(f"{self._url} refuses {parameters['query']!r} ({error.code}): {said}") from error
        except (OSError, ValueError, KeyError, TypeError) as error:
            raise Unavailable(f"no Prometheus answers at {self._url} ({error}): start one, or name it") from error
        if not isinstance(result, list):
            raise Misuse(f"{parameters['query']!r} is no expression of series")
        return result


def _series(labels: Mapping[str, str], values: list[tuple[float, str]]) -> Series:
    return Series(labels, tuple((float(at_s), float(value)) for at_s, value in values))
