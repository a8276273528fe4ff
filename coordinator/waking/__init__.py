"""What a session is given to begin with: facts in chunks, at the beginning and the end, under a hard cap. Pure."""
