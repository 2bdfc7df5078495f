// An MCP server with schemas and results of unusual shapes: nested beyond what parsers read, options
// that look alike, lists of texts, a schema within itself, repeated content, keywords that
// only the host checks or that cannot be checked, a union as the whole, a long question, images and sounds in
// resources, structured content that breaks its own schema, bytes as an argument, an enum of many
// thousand values, long names.

import { Server } from "@modelcontextprotocol/sdk/server/index.js";
import { StdioServerTransport } from "@modelcontextprotocol/sdk/server/stdio.js";
import { CallToolRequestSchema, ElicitResultSchema, ListToolsRequestSchema } from "@modelcontextprotocol/sdk/types.js";

const object = (properties, more = {}) => ({ type: "object", properties, ...more });

let nested = { type: "string" };
for (let level = 0; level < 150; level += 1) {
  nested = object({ in: nested });
}

const tools = [
  { name: "echo", description: "Says **what** it was told, as `JSON`.", inputSchema: object({ text: { type: "string" } }) },
  { name: "deep", description: "Takes what is nested without end.", inputSchema: object({ in: nested }) },
  {
    name: "unresolved",
    description: "Refers to a schema that is not there.",
    inputSchema: { type: "object", $ref: "#/$defs/missing" },
  },
  {
    name: "choose",
    description: "Takes one of several.",
    inputSchema: object({
      mode: { enum: ["1", 1, "null", null, "fast", "fast "] },
      count: { type: "integer", default: 3 },
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
  {
    name: "check_in",
    description: "Takes what only a whole validator can judge.",
    inputSchema: object(
      {
        // What looks ahead is left to the host, and so is `unevaluatedProperties`.
        code: { type: "string", pattern: "^(?!000)[0-9]{3}$" },
        seat: { type: "string" },
        guest: { allOf: [object({ name: { type: "string" } })], unevaluatedProperties: false },
      },
      { required: ["code"] },
    ),
  },
  {
    name: "broken",
    description: "Has a pattern that is none.",
    inputSchema: object({ label: { type: "string", pattern: "(" }, size: { type: "integer" } }),
  },
  {
    name: "pay",
    description: "Takes one of two.",
    inputSchema: {
      type: "object",
      anyOf: [
        object({ card: { type: "string" } }, { title: "card", required: ["card"] }),
        object({ iban: { type: "string" }, name: { type: "string" } }, { title: "transfer", required: ["iban"] }),
      ],
    },
  },
  {
    name: "pair",
    description: "Takes two of three.",
    inputSchema: {
      ...object({ a: { type: "string" }, b: { type: "string" }, c: { type: "string" } }),
      minProperties: 2,
    },
  },
  { name: "ask", description: "Asks at length.", inputSchema: object({}) },
  { name: "orders", description: "Lists orders.", inputSchema: object({}) },
  { name: "report", description: "Answers with a page of markdown.", inputSchema: object({}) },
  { name: "gallery", description: "Answers with images and a sound in resources.", inputSchema: object({}) },
  {
    name: "weigh",
    description: "Answers with structured content, as it was told to.",
    inputSchema: object({ fits: { type: "boolean" } }, { required: ["fits"] }),
    outputSchema: object(
      { grams: { type: "number", minimum: 0 }, unit: { enum: ["g", "kg"] } },
      { required: ["grams", "unit"] },
    ),
  },
  {
    name: "upload",
    description: "Takes bytes.",
    inputSchema: object({ bytes: { type: "string", contentEncoding: "base64" } }),
  },
  {
    name: "station",
    description: "Takes one of 20,000 stations.",
    inputSchema: object({ code: { enum: Array.from({ length: 20_000 }, (_, at) => `ST-${String(at).padStart(5, "0")}`) } }),
  },
  { name: "anything", description: "Says nothing of what it takes.", inputSchema: {} },
  {
    name: "prices",
    description: "Takes amounts by name.",
    inputSchema: object({}, { additionalProperties: { type: "number" } }),
  },
  {
    name: "locate",
    description: "Takes a city or a place on the map.",
    inputSchema: object(
      { city: { type: "string" }, lat: { type: "number" }, lon: { type: "number" } },
      { anyOf: [{ required: ["city"] }, { required: ["lat", "lon"] }] },
    ),
  },
  {
    name: "documented",
    description: "Takes what its schema has much to say of.",
    inputSchema: object(
      {
        number: { type: "string", description: "What the shop calls it.", readOnly: true },
        note: { type: "string", deprecated: true },
        payee: { title: "To \u202eevil", description: "Pays \u202eevil\u202c", enum: ["\u202eevil", "live"] },
        speed: { type: "number", title: "Speed (km/h)", default: 50, examples: [30, 50, 70, 90, 120] },
        colours: { type: "array", uniqueItems: true, items: { enum: ["red", "green", "blue"] } },
        at: { $ref: "#point" },
        tree: { $ref: "#/$defs/tree" },
      },
      {
        $defs: {
          point: object({ x: { type: "integer" }, y: { type: "integer" } }, { $anchor: "point" }),
          tree: object(
            { name: { type: "string" }, children: { type: "array", items: { $dynamicRef: "#node" } } },
            { $dynamicAnchor: "node" },
          ),
        },
      },
    ),
  },
  {
    name: "dated",
    description: "Takes a date, as the reference servers declare it.",
    inputSchema: {
      $schema: "http://json-schema.org/draft-07/schema#",
      ...object(
        { day: { type: "string", format: "date" }, unit: { type: "string", default: "celsius" } },
        { required: ["day", "unit"] },
      ),
    },
  },
  {
    name: "reserve_conference_room_with_catering_and_equipment",
    description: "Reserves a room for a meeting, with everything that is eaten and used in it.",
    inputSchema: object(
      {
        name_of_the_person_who_reserves: { type: "string", description: "Who reserves." },
        is_recurring_every_week: { type: "boolean" },
        equipment_and_furniture: {
          type: "array",
          items: object({ serial_number_of_the_manufacturer: { type: "string" }, count: { type: "integer" } }),
        },
        catering_for_the_participants: object({
          dietary_restrictions_of_guests: { type: "array", items: { type: "string" } },
          contact_at_the_caterer: object({
            telephone_number_during_the_day: { type: "string" },
            address: object({ postal_code_of_the_delivery: { type: "string" }, is_accessible_by_truck: { type: "boolean" } }),
          }),
        }),
      },
      { required: ["name_of_the_person_who_reserves"] },
    ),
  },
  { name: "bottomless", description: "Answers with what is nested without end.", inputSchema: object({}) },
];

const orders = Array.from({ length: 60 }, (_, at) => ({ id: at + 1, customer: `Customer ${at + 1}`, total: at * 1.5 }));
/** The pixel of a PNG image whose header claims `side` × `side` of them. */
function png(side) {
  const image = Buffer.from(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
    "base64",
  );
  image.writeUInt32BE(side, 16);
  image.writeUInt32BE(side, 20);
  return image.toString("base64");
}

/** A tenth of a second of silence. */
function wav() {
  const samples = Buffer.alloc(800, 128);
  const head = Buffer.alloc(44);
  head.write("RIFF", 0);
  head.writeUInt32LE(36 + samples.length, 4);
  head.write("WAVEfmt ", 8);
  head.writeUInt32LE(16, 16);
  head.writeUInt16LE(1, 20);
  head.writeUInt16LE(1, 22);
  head.writeUInt32LE(8_000, 24);
  head.writeUInt32LE(8_000, 28);
  head.writeUInt16LE(1, 32);
  head.writeUInt16LE(8, 34);
  head.write("data", 36);
  head.writeUInt32LE(samples.length, 40);
  return Buffer.concat([head, samples]).toString("base64");
}

const resource = (uri, mimeType, blob) => ({ type: "resource", resource: { uri, mimeType, blob } });
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
    case "gallery":
      return {
        content: [
          resource("art://pixel", "image/png", png(1)),
          resource("art://poster", "image/png", png(30_000)),
          resource("art://silence", "audio/wav", wav()),
          // Damaged: no browser can draw or play them.
          resource("art://torn", "image/png", png(2)),
          resource("art://noise", "audio/wav", Buffer.from("no sound").toString("base64")),
        ],
      };
    case "weigh": {
      const structuredContent = given?.fits ? { grams: 12.5, unit: "g" } : { grams: -1, unit: "stone", seen: true };
      return { content: [text(structuredContent)], structuredContent };
    }
    case "bottomless":
      return { content: [], structuredContent: nested };
    default:
      return { content: [text(given ?? {})] };
  }
}

const server = new Server({ name: "shapes", version: "1.0.0" }, { capabilities: { tools: {} } });

/** Asks for a code and a label: more text than a page holds, a pattern, and a pattern that is none. */
async function ask() {
  const requestedSchema = object(
    { code: { type: "string", pattern: "^[A-Z]{3}$" }, label: { type: "string", pattern: "(" } },
    { required: ["code"] },
  );
  const lines = Array.from({ length: 200 }, (_, at) => `Clause ${at + 1} of the terms that come before the form.`);
  const params = { message: lines.join("\n"), requestedSchema };
  return server.request({ method: "elicitation/create", params }, ElicitResultSchema);
}

server.setRequestHandler(ListToolsRequestSchema, async () => ({ tools }));
server.setRequestHandler(CallToolRequestSchema, async ({ params }) =>
  params.name === "ask" ? { content: [text(await ask())] } : answer(params.name, params.arguments),
);
await server.connect(new StdioServerTransport());
