"""The resident reader and the MCP server: one view held in memory for many questions."""
