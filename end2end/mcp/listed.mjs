// An MCP server whose tools are the names in a file, read at its start, and that says how to use them.

import { readFileSync } from "node:fs";

import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { StdioServerTransport } from "@modelcontextprotocol/sdk/server/stdio.js";

const server = new McpServer(
  { name: "listed", version: "1.0.0" },
  { instructions: "Look before you remove." },
);
for (const name of readFileSync(process.argv[2], "utf8").split("\n").filter(Boolean)) {
  server.registerTool(name, { description: `A tool of process ${process.pid}.` }, async () => ({
    content: [{ type: "text", text: name }],
  }));
}
await server.connect(new StdioServerTransport());
