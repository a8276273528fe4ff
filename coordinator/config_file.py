"""Where settings files lie. Light: for whoever cannot wait for the settings themselves."""

from __future__ import annotations

from pathlib import Path
from typing import Final

import platformdirs

PROJECT_FILE: Final = "scentfield.toml"
DEFAULT_NAMESPACE: Final = "scentfield"
_APP: Final = "scentfield"


def files_around(here: Path) -> tuple[Path, Path]:
    """The project's file (of the nearest folder at or above `here`) and the user's, whether or not they exist."""
    project = next((folder for folder in (here, *here.parents) if (folder / PROJECT_FILE).is_file()), here)
    user = Path(platformdirs.user_config_dir(_APP, appauthor=False))
    return project / PROJECT_FILE, user / PROJECT_FILE


def default_state_dir(namespace: str) -> Path:
    """Where a namespace keeps its state unless a data folder was set."""
    return Path(platformdirs.user_state_dir(_APP, appauthor=False)) / namespace
