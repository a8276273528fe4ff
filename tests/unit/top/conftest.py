"""The example that the tests of the screen share; its file, beside this one, also draws the picture for the docs."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path

_spec = importlib.util.spec_from_file_location("top_example", Path(__file__).parent / "example.py")
assert _spec is not None
assert _spec.loader is not None
_example = importlib.util.module_from_spec(_spec)
sys.modules["top_example"] = _example  # test folders are no packages, so that nothing else makes it known
_spec.loader.exec_module(_example)
