"""`scentfield mcp`: the way from an MCP client to the gateway, over standard input and output."""

from __future__ import annotations

from typing import Annotated

import typer

from coordinator.cli.invocation import Invocation
from coordinator.cli.outcome import Outcome


def mcp(
    call: Invocation,
    url: Annotated[str, typer.Option(help="The gateway; else the one that `up` started.", metavar="URL")] = "",
) -> Outcome:
    """Speak MCP on standard input and output, for clients that start their servers. Needs a gateway that runs."""
    # It reads the settings' files by itself.
    from coordinator.relay.line_settings import Flags
    from coordinator.relay.main import run

    values = call.flags.values
    given = {name: str(values[name]) for name in ("agent", "root", "namespace", "data_dir") if name in values}
    run(Flags(url=url, **given))
    return Outcome({"served": True})
