"""The way to the embedding actor: settings, launch, and a client that never keeps a hot path waiting."""
