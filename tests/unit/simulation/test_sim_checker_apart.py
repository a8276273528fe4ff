"""The checker stands apart from what it judges: it imports messages and facts, and nothing that decides."""

import ast
from pathlib import Path

import coordinator.simulation.checker as checker
from coordinator.simulation import universe

FACTS = {
    "actors.quality_store.event": None,  # nothing but facts
    "actors.runtime.outbox": {"BOUNCE", "EDIT_FAILURE", "Note", "NotePut", "NotesSent"},
    "actors.runtime.received": {"NotesApplied"},
    "actors.runtime.request_memory": {"Abandoned", "Answered", "AnsweredIdly", "Parked"},
    "actors.runtime.wire": {"unpack_own"},
    "actors.scent_field.event": None,  # nothing but facts
    "actors.sessions.registry": {"SessionEnded", "SessionRegistered"},
}


def house_imports(file: Path) -> list[tuple[str, str]]:
    """(module, name) of all that a file takes from the house itself."""
    found = []
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and node.module:
            found += [(node.module, one.name) for one in node.names]
        elif isinstance(node, ast.Import):
            found += [(one.name, "") for one in node.names]
    return [one for one in found if one[0].split(".")[0] in ("actors", "coordinator")]


def test_the_checker_imports_nothing_that_decides() -> None:
    files = sorted(Path(checker.__file__).parent.glob("*.py"))
    assert len(files) > 8
    for file in files:
        for module, name in house_imports(file):
            if module.startswith("coordinator."):
                assert module.startswith(("coordinator.simulation.checker", "coordinator.simulation.history")) or (
                    module == "coordinator.simulation.universe"
                ), (file.name, module)
            else:
                assert module in FACTS, (file.name, module)
                assert FACTS[module] is None or name in FACTS[module], (file.name, module, name)


def test_its_overlap_is_its_own() -> None:
    assert house_imports(Path(universe.__file__)) == []
