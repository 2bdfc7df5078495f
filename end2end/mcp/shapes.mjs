// An MCP server with schemas and results of unusual shapes: nested beyond what parsers read, options
// that look alike, lists of texts, a schema within itself, content that is said twice.

import { Server } from "@modelcontextprotocol/sdk/server/index.js";
import { StdioServerTransport } from "@modelcontextprotocol/sdk/server/stdio.js";
import { CallToolRequestSchema, ListToolsRequestSchema } from "@modelcontextprotocol/sdk/types.js";

const object = (properties, more = {}) => ({ type: "object", properties, ...more });

let nested = { type: "string" };
for (let level = 0; level < 150; level += 1) {
  nested = object({ in: nested });
}

const tools = [
  { name: "echo", description: "Says **what** it was told, as `JSON`.", inputSchema: object({ text: { type: "string" } }) },
  { name: "deep", description: "Takes what is nested without end.", inputSchema: object({ in: nested }) },
  {
    name: "choose",
    description: "Takes one of several.",
    inputSchema: object({
      mode: { enum: ["1", 1, "null", null, "fast"] },
      count: { type: "integer" },
      tags: { type: "array", items: { type: "string" } },
    }),
  },
  {
    name: "plant",
    description: "Takes a tree.",
    inputSchema: object(
      { root: { $ref: "#/$defs/node" } },
      {
        required: ["root"],
        $defs: {
          node: object(
            { name: { type: "string" }, children: { type: "array", items: { $ref: "#/$defs/node" } } },
            { required: ["name"] },
          ),
        },
      },
    ),
  },
  { name: "orders", description: "Lists orders.", inputSchema: object({}) },
  { name: "report", description: "Answers with a page of markdown.", inputSchema: object({}) },
  { name: "bottomless", description: "Answers with what is nested without end.", inputSchema: object({}) },
];

const orders = Array.from({ length: 60 }, (_, at) => ({ id: at + 1, customer: `Customer ${at + 1}`, total: at * 1.5 }));
const text = (value) => ({ type: "text", text: JSON.stringify(value) });

function answer(name, given) {
  switch (name) {
    case "orders":
      return { content: [text({ orders })], structuredContent: { orders } };
    case "report":
      return {
        content: [
          { type: "resource", resource: { uri: "notes://report", mimeType: "text/markdown", text: "A *short* report." } },
          { type: "resource", resource: { uri: "notes://bytes", mimeType: "application/x-odd", blob: "AAECAwQF" } },
        ],
      };
    case "bottomless":
      return { content: [], structuredContent: nested };
    default:
      return { content: [text(given ?? {})] };
  }
}

const server = new Server({ name: "shapes", version: "1.0.0" }, { capabilities: { tools: {} } });
server.setRequestHandler(ListToolsRequestSchema, async () => ({ tools }));
server.setRequestHandler(CallToolRequestSchema, async ({ params }) => answer(params.name, params.arguments));
await server.connect(new StdioServerTransport());
