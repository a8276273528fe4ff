"""What is learned as text that can be shared: JSON of names, numbers and nothing else.

    {"origins": {"<random id>": {
       "era": 0,
       "thresholds": {"rs": {"day": 19700, "delta": 0.041, "revision": 27, "samples": 27}},
       "placement": {"claude-code": {
          "days": {"19700": [begin hits, begin misses, end hits, end misses]},
          "rest": {"counts": [the same, as they weigh on the day], "through": 19669}}},
       "rankings": {"py": {"day": 19700, "revision": 28, "samples": 120, "shifts": {"words": 0.2, ...}}}}},
     "schema": "scentfield-learning", "version": 1}

`rankings` is left out where there is none. Days are UTC days since 1970. The same state gives the same bytes. What
comes in is trusted in nothing: a bundle is taken whole or refused whole, with the place of the first fault.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Sequence
from typing import Any, Final, NoReturn

from actors.runtime.errors import Misuse
from actors.thresholds.contribution import Contribution, rounded
from actors.thresholds.daily_count import NO_REST, DailyCounts, as_kept
from actors.thresholds.limit import (
    MAX_BUNDLE_BYTES,
    MAX_DAY_COUNT,
    MAX_DAYS_AHEAD,
    MAX_DELTA,
    MAX_ERA,
    MAX_EXTENSIONS,
    MAX_ORIGINS,
    MAX_PROFILES,
    MAX_REST_COUNT,
    MAX_REVISION,
    MAX_SAMPLES,
    N_DAYS,
)
from actors.thresholds.merge import kept_profiles
from actors.thresholds.name import OTHER, is_label, is_origin
from actors.thresholds.origin import NOTHING_YET, Origin, Origins
from actors.thresholds.placement import WIDTH
from actors.thresholds.ranking import LEARNED, MAX_RANKINGS, MAX_SHIFT, Ranking, clamped_shifts

SCHEMA: Final = "scentfield-learning"
VERSION: Final = 1
_DAY: Final = re.compile(r"0|[1-9][0-9]{0,5}")
_SHOWN: Final = 60
_KINDS: Final = {dict: "an object", list: "an array", str: "a text", bool: "true or false", type(None): "null"}


def bundle_text(origins: Origins) -> bytes:
    """The canonical text, in UTF-8. Origins that say nothing are left out."""
    told = {name: _told(origin) for name, origin in origins.items() if origin != NOTHING_YET}
    text = json.dumps(
        {"schema": SCHEMA, "version": VERSION, "origins": told}, sort_keys=True, separators=(",", ":"), allow_nan=False
    )
    return text.encode() + b"\n"


def _told(origin: Origin) -> dict[str, Any]:
    thresholds = {extension: one._asdict() for extension, one in origin.thresholds.items()}
    placement = {profile: _told_counts(counts) for profile, counts in origin.placement.items()}
    told: dict[str, Any] = {"era": origin.era, "thresholds": thresholds, "placement": placement}
    if origin.rankings:
        told["rankings"] = {extension: _told_ranking(one) for extension, one in origin.rankings.items()}
    return told


def _told_ranking(ranking: Ranking) -> dict[str, Any]:
    return ranking._asdict() | {"shifts": dict(zip(LEARNED, ranking.shifts, strict=True))}


def _told_counts(counts: DailyCounts) -> dict[str, Any]:
    told: dict[str, Any] = {"days": {str(day): list(row) for day, row in counts.days.items()}}
    if counts.through != NO_REST:
        told["rest"] = {"counts": list(counts.rest), "through": counts.through}
    return told


def read_bundle(text: bytes, today: int) -> dict[str, Origin]:
    """The origins of a bundle; those that say nothing are left out.

    `today` is the UTC day: a bundle may be two days ahead, for clocks differ. Raises `Misuse` for whatever this version
    would not write itself.
    """
    if len(text) > MAX_BUNDLE_BYTES:
        raise Misuse(f"the bundle of {len(text)} bytes is over the limit of {MAX_BUNDLE_BYTES}: it is none of ours")
    bundle = _loaded(text)
    _check_version(bundle)
    _fields(bundle, "the bundle", ("origins", "schema", "version"))
    names = _named(bundle["origins"], "origins", is_origin, "8 to 32 hexadecimal digits", MAX_ORIGINS)
    origins = {name: _origin(value, f"origins.{name}", today) for name, value in names.items()}
    return {name: origin for name, origin in origins.items() if origin != NOTHING_YET}


def _loaded(text: bytes) -> Any:
    try:
        return json.loads(text.decode(), object_pairs_hook=_without_twins, parse_constant=_refused_constant)
    except UnicodeDecodeError as error:
        raise Misuse(f"the bundle is not UTF-8 ({error.reason} at byte {error.start}): export it again") from None
    except RecursionError:
        raise Misuse("the bundle is nested too deep: it is none of ours") from None
    except ValueError as error:
        raise Misuse(f"the bundle is not JSON ({str(error)[:200]}): export it again") from None


def _without_twins(pairs: Sequence[tuple[str, Any]]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for name, value in pairs:
        if name in found:
            raise Misuse(f"the bundle names {name[:_SHOWN]!r} twice in one object: which of them counts is not clear")
        found[name] = value
    return found


def _refused_constant(constant: str) -> NoReturn:
    raise Misuse(f"the bundle holds {constant}, which is no number")


def _check_version(bundle: Any) -> None:
    """Said first, because another version may have other fields."""
    schema = bundle.get("schema") if type(bundle) is dict else None
    if schema != SCHEMA:
        raise Misuse(f"this is no bundle of what was learned: its schema is {_shown(schema)}, not {SCHEMA!r}")
    version = bundle.get("version")
    if type(version) is not int or version != VERSION:
        raise Misuse(
            f"the bundle is of version {_shown(version)}, this coordinator reads {VERSION}: update one of them"
        )


def _origin(value: Any, where: str, today: int) -> Origin:
    _fields(value, where, ("era", "placement", "thresholds"), optional=("rankings",))
    era = _whole(value["era"], f"{where}.era", 0, MAX_ERA)
    extensions = _labelled(value["thresholds"], f"{where}.thresholds", MAX_EXTENSIONS)
    profiles = _profiles(value["placement"], f"{where}.placement")
    thresholds = {name: _contribution(one, f"{where}.thresholds.{name}", today) for name, one in extensions.items()}
    counted = {name: _daily_counts(one, f"{where}.placement.{name}", today) for name, one in profiles.items()}
    placement = {name: counts for name, counts in counted.items() if counts.days or counts.rest}
    ranked = _labelled(value.get("rankings", {}), f"{where}.rankings", MAX_RANKINGS)
    rankings = {name: _ranking(one, f"{where}.rankings.{name}", today) for name, one in ranked.items()}
    return Origin(era, thresholds, placement, rankings)


def _ranking(value: Any, where: str, today: int) -> Ranking:
    _fields(value, where, Ranking._fields)
    shifts = value["shifts"]
    _fields(shifts, f"{where}.shifts", LEARNED)
    return Ranking(
        revision=_whole(value["revision"], f"{where}.revision", 1, MAX_REVISION),
        shifts=clamped_shifts(
            _number(shifts[name], f"{where}.shifts.{name}", -MAX_SHIFT, MAX_SHIFT) for name in LEARNED
        ),
        day=_whole(value["day"], f"{where}.day", 0, today + MAX_DAYS_AHEAD),
        samples=_whole(value["samples"], f"{where}.samples", 0, MAX_SAMPLES),
    )


def _contribution(value: Any, where: str, today: int) -> Contribution:
    _fields(value, where, Contribution._fields)
    return Contribution(
        revision=_whole(value["revision"], f"{where}.revision", 1, MAX_REVISION),
        delta=rounded(_number(value["delta"], f"{where}.delta", -MAX_DELTA, MAX_DELTA)),
        day=_whole(value["day"], f"{where}.day", 0, today + MAX_DAYS_AHEAD),
        samples=_whole(value["samples"], f"{where}.samples", 0, MAX_SAMPLES),
    )


def _daily_counts(value: Any, where: str, today: int) -> DailyCounts:
    _fields(value, where, ("days",), optional=("rest",))
    through, rest = _rest(value["rest"], f"{where}.rest", today) if "rest" in value else (NO_REST, ())
    names = _named(value["days"], f"{where}.days", _is_day, "UTC days since 1970", N_DAYS)
    days = {}
    for name, counts in names.items():
        at = f"{where}.days.{name}"
        day = _whole(int(name), at, through + 1, today + MAX_DAYS_AHEAD)
        row = tuple([_whole(count, at, 0, MAX_DAY_COUNT) for count in _row(counts, at)])
        if any(row):
            days[day] = row
    return DailyCounts(through, rest, days)


def _rest(value: Any, where: str, today: int) -> tuple[int, tuple[float, ...]]:
    _fields(value, where, ("counts", "through"))
    counts = _row(value["counts"], f"{where}.counts")
    rest = as_kept([_number(count, f"{where}.counts", 0, MAX_REST_COUNT) for count in counts])
    return _whole(value["through"], f"{where}.through", 0, today), rest


def _is_day(text: str) -> bool:
    return _DAY.fullmatch(text) is not None


def _labelled(value: Any, where: str, most: int) -> dict[str, Any]:
    return _named(value, where, is_label, "1 to 16 of a-z 0-9 + _ -", most)


def _profiles(value: Any, where: str) -> dict[str, Any]:
    profiles = _labelled(value, where, MAX_PROFILES)
    if len(kept_profiles(profiles)) < len(profiles):
        raise Misuse(f"{where} has {len(profiles)} entries, the limit is {MAX_PROFILES - 1} and {OTHER!r}")
    return profiles


def _named(value: Any, where: str, is_name: Callable[[str], bool], names: str, most: int) -> dict[str, Any]:
    """An object whose keys are names of one kind, at most so many."""
    if type(value) is not dict:
        raise Misuse(f"{where} must be an object, not {_shown(value)}")
    if len(value) > most:
        raise Misuse(f"{where} has {len(value)} entries, the limit is {most}")
    for name in value:
        if not is_name(name):
            raise Misuse(f"{where} may only name {names}, not {_shown(name)}: anything else could carry secrets")
    return value


def _fields(value: Any, where: str, required: Sequence[str], *, optional: Sequence[str] = ()) -> None:
    """Raise `Misuse` unless the value is an object with these fields and no others."""
    if type(value) is not dict:
        raise Misuse(f"{where} must be an object, not {_shown(value)}")
    missing = [name for name in required if name not in value]
    unknown = [name for name in value if name not in required and name not in optional]
    if missing:
        raise Misuse(f"{where} lacks {', '.join(missing)}")
    if unknown:
        raise Misuse(f"{where} has the unknown field {_shown(unknown[0])}: it could carry secrets")


def _row(value: Any, where: str) -> list[Any]:
    if type(value) is not list or len(value) != WIDTH:
        raise Misuse(f"{where} must be an array of {WIDTH} counts, not {_shown(value)}")
    return value


def _whole(value: Any, where: str, low: int, high: int) -> int:
    if type(value) is not int or not low <= value <= high:
        raise Misuse(f"{where} must be a whole number from {low} to {high}, not {_shown(value)}")
    return value


def _number(value: Any, where: str, low: float, high: float) -> float:
    if type(value) not in (int, float) or not low <= value <= high:
        raise Misuse(f"{where} must be a number from {low} to {high}, not {_shown(value)}")
    return float(value)


def _shown(value: Any) -> str:
    """A value for an error message; of what could be long, only the kind."""
    kind = _KINDS.get(type(value))
    if isinstance(value, str):
        return repr(value[:_SHOWN])
    return kind if kind is not None and kind != "true or false" else repr(value)[:_SHOWN]
