"""Functions that turn decoded msgpack values into messages and check them, one straight function a class.

A message's function is written out as source once, as `namedtuple` and `dataclass` do, because every claim goes through
it: a loop over its fields costs about three times as much. What such a function looks like:

    def decode(value):
        if type(value) is list and len(value) == 2:
            field_space, field_targets, = value
            if type(field_space) is str and len(field_space) <= 4096:
                try:
                    return new(kind, (field_space, decode_targets(field_targets),))
                except WireError:
                    pass
        raise fault(value)

`fault` then looks for the first bad field, to name it.
"""

from __future__ import annotations

import types
import typing
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any, Final, NamedTuple, Union

from actors.runtime.errors import WireError

Decode = Callable[[Any], Any]
_UNBOUNDED: Final = 2**63 - 1


@dataclass(frozen=True, slots=True)
class Bounds:
    """How long a text or an array may be, and how far from zero a number."""

    max_string: int
    max_items: int
    max_number: int


FROM_OUTSIDE: Final = Bounds(max_string=4096, max_items=4096, max_number=2**53)
OUR_OWN: Final = Bounds(max_string=_UNBOUNDED, max_items=_UNBOUNDED, max_number=_UNBOUNDED)
"""For what the machines wrote themselves: a fact in the journal must always be readable again, whatever its size."""


class _Scalar(NamedTuple):
    """A plain type on the wire: what an error calls it, its test and its value as source of the field `{x}`."""

    called: str
    test: str
    value: str = "{x}"


_SCALARS: Final[dict[Any, _Scalar]] = {
    str: _Scalar("text of at most {max_string} characters", "type({x}) is str and len({x}) <= {max_string}"),
    int: _Scalar("a whole number", "type({x}) is int and -{max_number} <= {x} <= {max_number}"),
    float: _Scalar(
        "a finite number",
        "(type({x}) is float or type({x}) is int) and -{max_number} <= {x} <= {max_number}",
        "float({x})",
    ),
    bool: _Scalar("true or false", "type({x}) is bool"),
    bytes: _Scalar("bytes", "type({x}) is bytes"),
}


@cache  # messages are written once, and many tables and messages hold the same ones
def make_decoder(hint: Any, bounds: Bounds = FROM_OUTSIDE) -> Decode:
    """A function that decodes one value of the annotated type, or raises `WireError`.

    Types are `str`, `int`, `float`, `bool`, `bytes`, a NamedTuple, `X | None` and `tuple[X, ...]`; raises `TypeError`
    for any other.
    """
    if hint in _SCALARS:
        return _scalar_decoder(hint, bounds)
    if isinstance(hint, type) and issubclass(hint, tuple) and hasattr(hint, "_fields"):
        return _message_decoder(hint, bounds)
    origin, parts = typing.get_origin(hint), typing.get_args(hint)
    if origin is tuple and len(parts) == 2 and parts[1] is ...:
        return _items_decoder(make_decoder(parts[0], bounds), bounds.max_items)
    if origin in (Union, types.UnionType) and len(parts) == 2 and parts[1] is type(None):
        return _optional_decoder(make_decoder(parts[0], bounds))
    raise TypeError(f"{hint} has no wire form: use a plain type, a NamedTuple, X | None or tuple[X, ...]")


def _optional_decoder(decode: Decode) -> Decode:
    return lambda value: None if value is None else decode(value)


def _items_decoder(decode: Decode, max_items: int) -> Decode:
    def decode_items(value: Any) -> tuple[Any, ...]:
        if type(value) is not list or len(value) > max_items:
            raise WireError(f"expects an array of at most {max_items} items, not {shown(value)}")
        return tuple([decode(item) for item in value])

    return decode_items


def _scalar_decoder(hint: Any, bounds: Bounds) -> Decode:
    called = _SCALARS[hint].called.format(max_string=bounds.max_string)

    def fault(value: Any) -> WireError:
        return WireError(f"expects {called}, not {shown(value)}")

    _, test, value = _source(hint, "_value", bounds)
    return _compiled(f"def decode(_value):\n if {test}:\n  return {value}\n raise _fault(_value)", {"_fault": fault})


def _source(hint: Any, name: str, bounds: Bounds) -> _Scalar:
    """A scalar's test and value for the variable `name`."""
    limits = {"max_string": bounds.max_string, "max_number": bounds.max_number}
    return _Scalar(*(part.format(x=name, **limits) for part in _SCALARS[hint]))


def _message_decoder(kind: type, bounds: Bounds) -> Decode:
    hints = typing.get_type_hints(kind)
    names: tuple[str, ...] = tuple(kind._fields)  # type: ignore[attr-defined]  # make_decoder saw that it is a NamedTuple
    if not names:
        return _empty_message_decoder(kind)
    decoders = {f"decode_{name}": make_decoder(hints[name], bounds) for name in names}
    scalars = {name: _source(hints[name], f"field_{name}", bounds) for name in names if hints[name] in _SCALARS}
    fields = ", ".join(f"field_{name}" for name in names)
    tests = " and ".join(scalar.test for scalar in scalars.values()) or "True"
    values = ", ".join(scalars[name].value if name in scalars else f"decode_{name}(field_{name})" for name in names)
    source = "\n".join(
        (
            "def decode(value):",
            f" if type(value) is list and len(value) == {len(names)}:",
            f"  {fields}, = value",
            f"  if {tests}:",
            "   try:",
            f"    return new(kind, ({values},))",
            "   except WireError:",
            "    pass",
            " raise fault(value)",
        )
    )

    def fault(value: Any) -> WireError:
        return _first_fault(names, list(decoders.values()), value)

    return _compiled(source, {"new": tuple.__new__, "kind": kind, "WireError": WireError, "fault": fault, **decoders})


def _empty_message_decoder(kind: type) -> Decode:
    empty: Any = tuple.__new__(kind, ())

    def decode(value: Any) -> Any:
        if value == []:
            return empty
        raise WireError(f"expects no fields, not {shown(value)}")

    return decode


def _compiled(source: str, names: dict[str, Any]) -> Decode:
    exec(source, names)
    decode: Decode = names["decode"]
    return decode


def _first_fault(names: Sequence[str], decoders: Sequence[Decode], value: Any) -> WireError:
    if type(value) is not list or len(value) != len(names):
        return WireError(f"expects the {len(names)} fields {', '.join(names)}, not {shown(value)}")
    for name, decode, item in zip(names, decoders, value, strict=True):
        try:
            decode(item)
        except WireError as error:
            return WireError(f"{name}: {error.message}")
    raise AssertionError(f"no field of {value!r} is at fault")


def shown(value: Any) -> str:
    """A value for an error message, cut short before it is formatted."""
    if isinstance(value, (str, bytes)):
        return f"{value[:60]!r}{'...' if len(value) > 60 else ''} ({len(value)} long)"
    if isinstance(value, (list, dict)):
        return f"{type(value).__name__} of {len(value)}"
    return repr(value)[:80]
