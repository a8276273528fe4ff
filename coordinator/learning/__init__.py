"""What the coordinator learns from outcomes, on the side of the agents and of those who start it."""
