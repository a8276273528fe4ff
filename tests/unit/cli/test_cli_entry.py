"""The console script before it has loaded anything."""

import subprocess
import sys

import pytest

from coordinator.cli import entry
from coordinator.cli.exit_code import ExitCode

_STUB = """
import sys, types
from coordinator.cli.entry import run
loading = types.ModuleType("coordinator.cli.main")
def interrupted(name):
    raise KeyboardInterrupt
loading.__getattr__ = interrupted
sys.modules["coordinator.cli.main"] = loading
sys.argv = ["scentfield", "sync"]
run()
"""


def test_an_interrupt_while_it_loads_ends_it_without_a_traceback():
    done = subprocess.run([sys.executable, "-c", _STUB], capture_output=True, text=True, timeout=60, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (ExitCode.INTERRUPTED, "", "")


def test_the_exit_code_is_the_command_line_s(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(entry, "_run", lambda: (_ for _ in ()).throw(KeyboardInterrupt))
    with pytest.raises(SystemExit) as ended:
        entry.run()
    assert ended.value.code == ExitCode.INTERRUPTED
