"""What happened to a target or an agent, told from the journals."""
