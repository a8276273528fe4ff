"""The house on real processes that are killed and stopped, and a judge of what they and the journals say."""
