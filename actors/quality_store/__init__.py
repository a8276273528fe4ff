"""What came of reads and edits, and what follows for the next read."""
