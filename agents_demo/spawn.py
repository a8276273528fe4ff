"""Processes of the demo's own: the same Python, this package, and nothing from the current folder on the path."""

from __future__ import annotations

import os
import subprocess
import sys
import sysconfig
from collections.abc import Mapping
from pathlib import Path
from typing import IO

PACKAGES = Path(__file__).resolve().parent.parent
"""The folder that holds this package and those it stands on."""


def spawn(module: str, folder: Path, log: IO[bytes]) -> subprocess.Popen[str]:
    """Start `python -P -m module` in `folder`, with pipes for its input and output and `log` for its errors.

    `-P` keeps the current folder off the path, where a user's own `actors` would shadow ours. The process is in a
    session of its own: Ctrl-C reaches only whoever started it, who then ends it.
    """
    return subprocess.Popen(
        [sys.executable, "-P", "-m", module],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=log,
        cwd=folder,
        env=environment(os.environ),
        text=True,
        encoding="utf-8",
        start_new_session=True,
    )


def environment(environ: Mapping[str, str]) -> dict[str, str]:
    """The environment, with this package's folder first on the path unless Python looks there anyway."""
    installed = {Path(sysconfig.get_path(name)).resolve() for name in ("purelib", "platlib")}
    if PACKAGES in installed:
        return dict(environ)
    path = os.pathsep.join(part for part in (str(PACKAGES), environ.get("PYTHONPATH", "")) if part)
    return {**environ, "PYTHONPATH": path}
