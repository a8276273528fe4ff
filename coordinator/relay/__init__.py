"""`scentfield mcp`: an MCP client's lines to the gateway. Starts at once: no Ray, no settings, no MCP library."""
