"""What `doctor` says of the embedding model: nothing depends on it, so being without one is no fault."""

from __future__ import annotations

from typing import Final

from actors.embedding.status import State
from actors.runtime.errors import ScentfieldError
from coordinator.cli.embedding import model_status
from coordinator.cli.finding import Finding, failed, ok, skipped
from coordinator.cli.invocation import Invocation
from coordinator.embedding.report import change_note, is_another

_NAME: Final = "embedding"


def model_finding(call: Invocation) -> Finding:
    """Whether the model answers, and is the one that the settings name."""
    try:
        seen = model_status(call)
    except ScentfieldError:
        return skipped(_NAME, "there is no cluster to ask")
    wanted = call.settings.model.model
    if is_another(seen, wanted):
        return failed(_NAME, change_note(seen, wanted), "run `scentfield up`")
    if seen.state is State.FAILED:
        return failed(_NAME, f"{seen.model}: {seen.reason}", "mend that, then run `scentfield embedding warm`")
    return ok(_NAME, f"{seen.model_id} is ready") if seen.is_ready else skipped(_NAME, f"{seen.state}: {seen.reason}")
