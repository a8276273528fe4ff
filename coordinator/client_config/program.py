"""How others start us: clients and hooks, which run in no environment of ours."""

from __future__ import annotations

import os
import shutil
import sys
from pathlib import Path
from typing import Final

_NAME: Final = "scentfield"


def own_program() -> str:
    """The path of this program: as it was called, so that it stays right when what it links to is renewed."""
    called = Path(sys.argv[0])
    if called.name == _NAME and called.parent != Path():
        return str(called.absolute())
    found = shutil.which(sys.argv[0]) if called.name == _NAME else None
    return str(Path(found).absolute()) if found else str(Path(sys.executable).with_name(_NAME))


def short_program() -> str:
    """The plain name where everybody's shell finds this program by it, else its path.

    A virtual environment that is active now does not count: clients are started without it.
    """
    own = own_program()
    found = shutil.which(_NAME, path=_path_without(Path(sys.prefix) / "bin"))
    return _NAME if found is not None and Path(own).exists() and Path(found).samefile(own) else own


def _path_without(folder: Path) -> str:
    """The search path without one folder."""
    kept = [part for part in os.environ.get("PATH", os.defpath).split(os.pathsep) if part]
    return os.pathsep.join(part for part in kept if os.path.realpath(part) != os.path.realpath(folder))
