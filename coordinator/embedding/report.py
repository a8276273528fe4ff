"""How the embedding model is, as lines for people."""

from __future__ import annotations

from actors.embedding.status import Status


def status_lines(seen: Status) -> list[str]:
    """The section `Embedding` of the report."""
    if seen.is_ready:
        return ["Embedding", f"  {seen.model}: ready, {seen.n_dims} dimensions ({seen.model_id})"]
    return ["Embedding", f"  {seen.model or 'no model'}: {seen.state}: {seen.reason}"]
