"""What every actor that speaks HTTP shares: a listener, a server, and how it is started and found."""
