"""The gateway: HTTP and MCP for agents that have no Ray in their process."""
