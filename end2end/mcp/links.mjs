// An MCP server whose tool returns links to resources: texts, an image, bytes without a type, a long text, one
// that is gone, one that ends the server, one on the web; and an embedded resource.

import { Server } from "@modelcontextprotocol/sdk/server/index.js";
import { StdioServerTransport } from "@modelcontextprotocol/sdk/server/stdio.js";
import { CallToolRequestSchema, ListToolsRequestSchema, ReadResourceRequestSchema } from "@modelcontextprotocol/sdk/types.js";

const link = (uri, name, more = {}) => ({ type: "resource_link", uri, name, ...more });

const links = [
  link("notes://today.md", "today", { title: "Today's notes", description: "What to buy.", mimeType: "text/markdown", size: 26 }),
  link("notes://flag.svg", "flag"),
  link("notes://raw", "raw"),
  link("notes://long.txt", "long"),
  link("notes://gone", "gone"),
  link("notes://end", "end"),
  link("https://example.com/", "web"),
];

const flag = '<svg xmlns="http://www.w3.org/2000/svg" width="60" height="20"><rect width="60" height="20" fill="red"/></svg>';

function contents(uri) {
  switch (uri) {
    case "notes://today.md":
      return [{ uri, mimeType: "text/markdown", text: "Buy *oats*, not **beans**." }];
    case "notes://flag.svg":
      return [{ uri, mimeType: "image/svg+xml", blob: Buffer.from(flag).toString("base64") }];
    case "notes://raw":
      return [{ uri, blob: Buffer.from([0, 1, 2, 255]).toString("base64") }];
    case "notes://long.txt":
      return [{ uri, mimeType: "text/plain", text: "x".repeat(2_000_000) }];
    case "notes://end":
      return process.exit(3);
    default:
      throw new Error(`No note ${uri}`);
  }
}

const server = new Server({ name: "links", version: "1.0.0" }, { capabilities: { tools: {}, resources: {} } });
server.setRequestHandler(ListToolsRequestSchema, async () => ({
  tools: [{ name: "find_notes", description: "Finds notes.", inputSchema: { type: "object", properties: {} } }],
}));
server.setRequestHandler(CallToolRequestSchema, async () => ({
  content: [...links, { type: "resource", resource: { uri: "notes://bytes.bin", blob: "AAEC" } }],
}));
server.setRequestHandler(ReadResourceRequestSchema, async ({ params }) => ({ contents: contents(params.uri) }));
await server.connect(new StdioServerTransport());
