"""What an agent keeps for later: playbooks and facts, on the side of the agents."""
