"""What every state actor shares: the mailbox, the journal, the clock, the wire, and the errors."""
