"""Where the gateway of a state folder serves: a file there that it writes, and that its clients read.

Light: clients that have to start at once read it.
"""

from __future__ import annotations

import contextlib
import json
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Final

from actors.runtime.errors import NOT_OURS, Corrupt, Misuse

FILE_NAME: Final = "gateway.json"


@dataclass(frozen=True, slots=True)
class GatewayAddress:
    """The gateway's URL, which namespace it serves, and whether it asks MCP clients for the token."""

    url: str
    namespace: str
    needs_token: bool


def write_address(state_dir: Path, address: GatewayAddress) -> None:
    """Tell clients where the gateway serves now. Raises `Misuse` where nothing can be written."""
    from coordinator.folder import private_folder, write_private  # slow to load, and who only reads is waited for

    text = json.dumps(asdict(address))
    write_private(private_folder(state_dir) / FILE_NAME, text.encode(), may_replace=True)


def read_address(state_dir: Path) -> GatewayAddress | None:
    """Where it serves, or last served; None if none ever did. Raises `Corrupt` for a file that says nothing."""
    path = state_dir / FILE_NAME
    try:
        told = json.loads(path.read_bytes())
        return GatewayAddress(str(told["url"]), str(told["namespace"]), bool(told["needs_token"]))
    except FileNotFoundError:
        return None
    except OSError as error:
        raise Misuse(f"{path} cannot be read ({error.strerror}): see who owns it") from error
    except NOT_OURS as error:
        raise Corrupt(f"{path} does not say where the gateway is: delete it, and run `scentfield up`") from error


def forget_address(state_dir: Path) -> None:
    """No gateway serves any more."""
    with contextlib.suppress(OSError):
        (state_dir / FILE_NAME).unlink()
