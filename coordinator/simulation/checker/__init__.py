"""Judges histories. Apart from the code that it judges: it imports messages and events, and nothing that decides."""
