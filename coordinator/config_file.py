"""Where settings files lie. Light: for whoever cannot wait for the settings themselves."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Final

PROJECT_FILE: Final = "scentfield.toml"
DEFAULT_NAMESPACE: Final = "scentfield"
_APP: Final = "scentfield"


def files_around(here: Path) -> tuple[Path, Path]:
    """The project's file (of the nearest folder at or above `here`) and the user's, whether or not they exist."""
    project = next((folder for folder in (here, *here.parents) if (folder / PROJECT_FILE).is_file()), here)
    return project / PROJECT_FILE, _user_folder("config") / PROJECT_FILE


def default_state_dir(namespace: str) -> Path:
    """Where a namespace keeps its state unless a data folder was set."""
    return _user_folder("state") / namespace


_XDG: Final = {"config": ("XDG_CONFIG_HOME", ".config"), "state": ("XDG_STATE_HOME", ".local/state")}


def _user_folder(what: str) -> Path:
    """The user's folder for our configuration or state.

    platformdirs knows it everywhere. On Linux the usual two cases of the XDG base directory specification are answered
    here, as loading that library takes hooks, which somebody waits for, a tenth of their time.
    """
    if sys.platform == "linux":
        variable, below_home = _XDG[what]
        given, home = os.environ.get(variable, ""), os.environ.get("HOME", "")
        if given.startswith("/"):
            return Path(given, _APP)
        if home.startswith("/"):
            return Path(home, below_home, _APP)
    import platformdirs  # slow to load

    folder = platformdirs.user_config_dir if what == "config" else platformdirs.user_state_dir
    return Path(folder(_APP, appauthor=False))
