// An MCP server whose tools change while it runs: `grow` adds `grown` and changes its own description,
// `shrink` takes it away again, `later` gives `trip` other arguments after a while.

import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { StdioServerTransport } from "@modelcontextprotocol/sdk/server/stdio.js";
import { z } from "zod";

const server = new McpServer({ name: "changing", version: "1.0.0" });
let grown;

const answer = (text) => ({ content: [{ type: "text", text }] });

const grow = server.registerTool("grow", { description: "Adds a tool." }, async () => {
  grown ??= server.registerTool("grown", { description: "Was added." }, async () => answer("I am new."));
  grow.update({ description: "Added a tool." });
  return answer("Grew.");
});

server.registerTool(
  "shrink",
  { description: "Takes the added tool away.", annotations: { destructiveHint: true } },
  async () => {
    grown?.remove();
    grown = undefined;
    return answer("Shrank.");
  },
);

const [city, days] = [z.string(), z.number().int()];
const trip = server.registerTool(
  "trip",
  { description: "Plans a trip.", inputSchema: { extra: z.string().optional(), city, days: days.optional(), note: z.string().optional() } },
  async () => answer("Planned."),
);

server.registerTool("later", { description: "Changes a tool after a while." }, async () => {
  setTimeout(() => trip.update({ paramsSchema: { city, days: days.min(1).optional() } }), 3000);
  return answer("Later.");
});

await server.connect(new StdioServerTransport());
