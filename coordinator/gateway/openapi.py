"""What `/api/v1` offers, as an OpenAPI document (OpenAPI 3.1), for programs and for whoever tests it."""

from __future__ import annotations

from collections.abc import Iterable
from importlib.metadata import version
from typing import Any, Final

OPENAPI_VERSION: Final = "3.1.0"
DOCUMENT_PATH: Final = "/api/v1/openapi.json"
EMBEDDING_PATH: Final = "/api/v1/embedding"
_REFUSALS: Final = {
    "400": "What was sent is no request, or something about it is wrong; nothing was done.",
    "401": "The token is missing or wrong.",
    "403": "The page that asks may not.",
    "404": "There is no such actor, or none is wanted here.",
    "408": "The body was not here in time; nothing was done.",
    "413": "The body is too large; nothing was done.",
    "421": "The request names this server by a name that is not its own.",
    "429": "This address asks too often; `Retry-After` says when to come back.",
    "503": "The actor cannot be reached, or nothing more can be taken: this is no permission.",
}
_BYTES: Final = "application/octet-stream"


def document(
    submitted: Iterable[str], described: Iterable[str], timeout_header: str, max_timeout_s: float
) -> dict[str, Any]:
    """The document; `submitted` and `described` are the names of actors that take requests, and that say how they are.

    `timeout_header` is the header that says how many seconds a caller waits, `max_timeout_s` at most.
    """
    return {
        "openapi": OPENAPI_VERSION,
        "info": {
            "title": "Scentfield gateway",
            "version": version("scentfield"),
            "description": (
                "The state actors' own messages over HTTP. They are msgpack; the Python client speaks them: "
                "`Coordinator.connect(url)`. Everything else speaks MCP at `/mcp`."
            ),
        },
        "security": [{"token": []}],
        "paths": {
            "/api/v1/submit/{domain}": {"post": _submit(list(submitted), timeout_header, max_timeout_s)},
            "/api/v1/describe/{domain}": {"get": _describe(list(described))},
            EMBEDDING_PATH: {"post": _embedding(timeout_header, max_timeout_s)},
            DOCUMENT_PATH: {"get": _document()},
        },
        "components": {
            "securitySchemes": {"token": {"type": "http", "scheme": "bearer"}},
            "schemas": {
                "Error": {
                    "type": "object",
                    "required": ["error"],
                    "properties": {"error": {"type": "string", "description": "what is wrong, and the next step"}},
                },
            },
        },
    }


def _waiting(timeout_header: str, max_timeout_s: float) -> dict[str, Any]:
    return {
        "name": timeout_header,
        "in": "header",
        "description": "how many seconds the caller waits; a claim that waits for its turn needs them",
        "schema": {"type": "number", "exclusiveMinimum": 0, "maximum": max_timeout_s},
    }


def _embedding(timeout_header: str, max_timeout_s: float) -> dict[str, Any]:
    return {
        "operationId": "embedding",
        "summary": "Hand a call to the embedding actor, and its answer back",
        "parameters": [_waiting(timeout_header, max_timeout_s)],
        "requestBody": {"required": True, "content": {_BYTES: {"schema": {"type": "string", "format": "binary"}}}},
        "responses": {
            "200": {
                "description": "The answer: also that the model is not ready, or busy.",
                "content": {_BYTES: {"schema": {"type": "string", "format": "binary"}}},
            },
            **_refusals("400", "404", "408", "413"),
        },
    }


def _submit(names: list[str], timeout_header: str, max_timeout_s: float) -> dict[str, Any]:
    return {
        "operationId": "submit",
        "summary": "Hand a request to a state actor, and its reply back",
        "parameters": [_domain(names), _waiting(timeout_header, max_timeout_s)],
        "requestBody": {"required": True, "content": {_BYTES: {"schema": {"type": "string", "format": "binary"}}}},
        "responses": {
            "200": {
                "description": "The reply, with an answer to each command: also those that were refused.",
                "content": {_BYTES: {"schema": {"type": "string", "format": "binary"}}},
            },
            **_refusals("400", "404", "408", "413"),
        },
    }


def _describe(names: list[str]) -> dict[str, Any]:
    return {
        "operationId": "describe",
        "summary": "How an actor is, and where it runs",
        "parameters": [_domain(names)],
        "responses": {
            "200": {"description": "Its account.", "content": {"application/json": {"schema": {"type": "object"}}}},
            **_refusals("404"),
        },
    }


def _document() -> dict[str, Any]:
    return {
        "operationId": "document",
        "summary": "This document",
        "responses": {
            "200": {
                "description": "The document.",
                "content": {"application/json": {"schema": {"type": "object", "required": ["openapi", "paths"]}}},
            },
            **_refusals(),
        },
    }


def _domain(names: list[str]) -> dict[str, Any]:
    return {"name": "domain", "in": "path", "required": True, "schema": {"type": "string", "enum": names}}


def _refusals(*of_its_own: str) -> dict[str, Any]:
    """Those that every request may get, and further ones."""
    content = {"application/json": {"schema": {"$ref": "#/components/schemas/Error"}}}
    codes = sorted({"401", "403", "421", "429", "503", *of_its_own})
    return {code: {"description": _REFUSALS[code], "content": content} for code in codes}
