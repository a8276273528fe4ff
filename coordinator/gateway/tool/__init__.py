"""The MCP tools, one module each: what it takes, what it gives, and how it is done."""
