"""What agents have found out and want to know again: playbooks and facts."""
