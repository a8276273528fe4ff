"""Views of a file: what an agent is shown, and what it was not."""
