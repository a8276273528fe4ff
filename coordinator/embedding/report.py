"""How the embedding model is, as lines for people."""

from __future__ import annotations

from actors.embedding.status import Status


def status_lines(seen: Status, wanted: str = "") -> list[str]:
    """The section `Embedding` of the report; `wanted` is the model that the settings name now, if they are known."""
    if seen.is_ready:
        lines = ["Embedding", f"  {seen.model}: ready, {seen.n_dims} dimensions ({seen.model_id})"]
    else:
        lines = ["Embedding", f"  {seen.model or 'no model'}: {seen.state}: {seen.reason}"]
    return [*lines, f"  {change_note(seen, wanted)}"] if is_another(seen, wanted) else lines


def is_another(seen: Status, wanted: str) -> bool:
    """Whether an actor runs with another model than the settings name: they have changed since it was started."""
    return bool(wanted and seen.model) and seen.model != wanted


def change_note(seen: Status, wanted: str) -> str:
    """What to do then."""
    return f"the settings name {wanted!r} by now: `scentfield up` puts it in the place of {seen.model!r}"
