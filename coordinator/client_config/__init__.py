"""How coding agents are told of Scentfield: their configuration, and a few lines for the agent itself."""
