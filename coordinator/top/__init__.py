"""The terminal view that people leave open: who works where, how fast, and whether it helps."""
