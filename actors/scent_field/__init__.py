"""Who may work on what, and what others should know about it: leases and decaying signals."""
