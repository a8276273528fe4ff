"""A playbook and facts as text: lines that stay byte for byte as they are for as long as they stand.

So nothing that changes (votes, ages, counts) is printed: a longer rendering begins with the bytes of the one before it,
unless an entry was evicted in between, and caches of prompts hold.
"""

from __future__ import annotations

from collections.abc import Iterable

from actors.memory.entry import Entry
from actors.memory.fact import Found
from actors.memory.messages import Statistics


def entry_line(entry: Entry) -> str:
    """`[12] Pitfall (src/a.py): ...`, what an entry is about only where its content does not say it."""
    about = f" ({entry.about})" if entry.about and entry.about not in entry.content else ""
    return f"[{entry.entry_id}] {entry.kind}{about}: {entry.content}"


def playbook_text(entries: Iterable[Entry]) -> str:
    """One line an entry, in the order of their numbers, each with a line end."""
    ordered = sorted(entries, key=lambda entry: entry.entry_id)
    return "".join(f"{entry_line(entry)}\n" for entry in ordered)


def found_line(found: Found) -> str:
    """`[7] api/base_url: ...`, and whether its key has another value too."""
    return f"[{found.fact.fact_id}] {found.fact.line}{' (another value is known too)' if found.in_conflict else ''}"


def survival_line(seen: Statistics) -> str:
    """How many of the entries that came to be ten turns old are there and have helped more than harmed."""
    if not seen.n_became_lasting:
        return "  playbook survival: not yet known, no entry is ten turns old"
    return (
        f"  playbook survival: of {seen.n_became_lasting} that came to be ten turns old {seen.n_lasting} are there, "
        f"{seen.n_lasting_helpful} net helpful"
    )
