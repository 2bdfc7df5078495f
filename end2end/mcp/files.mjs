// An MCP server with the fields that no example has: bytes from a file, and more members than are
// drawn at once, under a condition.

import { Server } from "@modelcontextprotocol/sdk/server/index.js";
import { StdioServerTransport } from "@modelcontextprotocol/sdk/server/stdio.js";
import { CallToolRequestSchema, ListToolsRequestSchema } from "@modelcontextprotocol/sdk/types.js";

const upload = {
  name: "upload",
  description: "Stores the bytes of a file.",
  inputSchema: {
    type: "object",
    properties: { content: { type: "string", format: "byte", description: "The bytes, in base64." } },
    required: ["content"],
  },
};

const settings = Object.fromEntries(
  Array.from({ length: 200 }, (_, at) => [`setting_${at + 1}`, { type: "string", description: "A setting." }]),
);

const configure = {
  name: "configure",
  description: "Changes settings, all of them on request.",
  inputSchema: {
    type: "object",
    properties: { everything: { type: "boolean", description: "Whether to change all." } },
    if: { properties: { everything: { const: true } }, required: ["everything"] },
    then: { properties: settings },
  },
};

const server = new Server({ name: "files", version: "1.0.0" }, { capabilities: { tools: {} } });
server.setRequestHandler(ListToolsRequestSchema, async () => ({ tools: [upload, configure] }));
server.setRequestHandler(CallToolRequestSchema, async ({ params }) => ({
  content: [{ type: "text", text: JSON.stringify(params.arguments) }],
}));
await server.connect(new StdioServerTransport());
