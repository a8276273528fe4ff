"""The gateway of this state folder, if it answers: the quick way to the actors, without Ray in this process."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Final

from actors.runtime.errors import ScentfieldError
from coordinator.gateway.address_file import read_address
from coordinator.gateway.token import read_token
from coordinator.http_transport import HttpTransport

if TYPE_CHECKING:
    from coordinator.settings import Settings

_ANSWER_S: Final = 2.0
_ASKED: Final = "scent_field"


def near_gateway(settings: Settings) -> HttpTransport | None:
    """A transport through the gateway that `up` started for this folder and namespace.

    None where there is none, where it does not answer, and where a cluster was named: then that one is meant.
    """
    if settings.address or os.environ.get("RAY_ADDRESS"):
        return None
    try:
        address = read_address(settings.state_dir)
        if address is None or address.namespace != settings.namespace:
            return None
        token = read_token(settings.state_dir)
        transport = HttpTransport(address.url, token)
        transport.describe(_ASKED, _ANSWER_S)
    except ScentfieldError:
        return None  # the way over Ray says what is wrong
    return transport
