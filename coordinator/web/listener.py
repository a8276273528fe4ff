"""Listening sockets, and how an address is written in a URL."""

from __future__ import annotations

import socket
from typing import Final

_BACKLOG: Final = 64


def listen(host: str, port: int) -> socket.socket:
    """A listening socket. Raises `OSError` if the address cannot be had."""
    family, kind, protocol, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
    listener = socket.socket(family, kind, protocol)
    try:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind(address)
        listener.listen(_BACKLOG)
    except BaseException:
        listener.close()
        raise
    return listener


def origin(host: str, port: int) -> str:
    """`http://host:port`, with an IPv6 address in brackets."""
    return f"http://{f'[{host}]' if ':' in host else host}:{port}"
