"""Changing files: exact, atomic, explained when refused, and undoable."""
