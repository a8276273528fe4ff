"""The house in one process, under a clock, a network and a disk that fail on purpose: one seed, one history."""
