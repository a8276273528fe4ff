"""What every tool is made of."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any, Final, TypeVar

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from actors.runtime.errors import Misuse
from coordinator.aio import AsyncCoordinator

Input = TypeVar("Input", bound="ToolInput")
Report = Callable[[float, float, str], Awaitable[None]]
"""Tells the client how far a long call is: (seconds so far, seconds at most, what it waits for)."""
_SUB_AGENT: Final = r"^([A-Za-z0-9][A-Za-z0-9._@:+-]{0,63})?$"


class Strict(BaseModel):
    """Arguments; one that is not known is refused."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class ToolInput(Strict):
    """A tool's arguments, and which sub-agent of the session calls, if any."""

    agent: str = Field(default="", pattern=_SUB_AGENT, description="your sub-agent that calls")


@dataclass(frozen=True, slots=True)
class Answer:
    """What a tool found out: `text` for the model, `document` for programs; `is_error` if it could not be done."""

    text: str
    document: dict[str, Any]
    is_error: bool = False


@dataclass(frozen=True, slots=True)
class Tool:
    """One tool. `run` gets the agent that calls, the arguments, and how to report progress."""

    name: str
    about: str
    input: type[ToolInput]
    output: dict[str, Any]
    run: Callable[[AsyncCoordinator, Any, Report], Awaitable[Answer]]
    changes: bool = True

    def input_schema(self) -> dict[str, Any]:
        """The JSON schema of the arguments, without what a model can do without."""
        schema: dict[str, Any] = _slim(self.input.model_json_schema())
        return schema

    def arguments(self, given: dict[str, Any]) -> Any:
        """The arguments, checked. Raises `Misuse` that names each fault and the arguments that there are."""
        try:
            return self.input.model_validate(given)
        except ValidationError as error:
            faults = "; ".join(
                f"{'.'.join(map(str, one['loc'])) or 'arguments'}: {one['msg']}" for one in error.errors()
            )
            known = ", ".join(self.input.model_fields)
            raise Misuse(f"{self.name} was called wrongly ({faults}): its arguments are {known}") from error


def output_schema(**properties: str) -> dict[str, Any]:
    """An object's schema: the type of each property by its name; those whose type ends with `!` are always there."""
    kinds = {name: {"type": kind.rstrip("!")} for name, kind in properties.items()}
    required = [name for name, kind in properties.items() if kind.endswith("!")]
    return {"type": "object", "properties": kinds, "required": required}


def _slim(schema: Any) -> Any:
    """The schema without titles, which repeat the names."""
    if isinstance(schema, list):
        return [_slim(one) for one in schema]
    if not isinstance(schema, dict):
        return schema
    properties = schema.get("properties")
    slim = {key: _slim(value) for key, value in schema.items() if key not in ("title", "properties", "description")}
    if isinstance(schema.get("description"), str) and "properties" not in schema:
        slim["description"] = schema["description"]
    if isinstance(properties, dict):
        slim["properties"] = {name: _slim(value) for name, value in properties.items()}
    return slim
