// The reference server `@modelcontextprotocol/server-everything`, over stdio and over streamable
// HTTP, and what it read and wrote while a story ran.

import { spawn, type ChildProcess } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync } from "node:fs";
import { createServer, request, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { MCP_SERVERS } from "../fixtures";

/** One message on the wire. */
export interface Message {
  readonly method?: string;
  readonly params?: Record<string, unknown>;
  readonly result?: Record<string, unknown>;
}

/** A server for one story. */
export interface Everything {
  /** The `[[agent.server]]` table that reaches it. */
  readonly table: string;
  /** What the server has read so far. */
  read(): Message[];
  /** What the server has written so far. */
  wrote(): Message[];
  /** The server's process. */
  pid(): number;
  stop(): Promise<void>;
}

const PROGRAM = join(MCP_SERVERS, "mcp-server-everything");

/** The server behind a tap that records its standard input and output. The host starts it. */
export function overStdio(): Everything {
  const log = join(mkdtempSync(join(tmpdir(), "rehearsal-mcp-")), "wire.log");
  const lines = () => (existsSync(log) ? readFileSync(log, "utf8").split("\n") : []);
  const behind = (mark: string) =>
    lines()
      .filter((line) => line.startsWith(`${mark} {`))
      .map((line) => JSON.parse(line.slice(2)) as Message);
  const args = [join(import.meta.dirname, "tap.mjs"), log, PROGRAM, "stdio"];
  return {
    table: `command = "node"\nargs = ${JSON.stringify(args)}\nroots = [${JSON.stringify(tmpdir())}]\n`,
    read: () => behind(">"),
    wrote: () => behind("<"),
    pid: () => Number(lines().filter((line) => line.startsWith("pid ")).at(-1)?.slice(4)),
    stop: async () => {},
  };
}

/** The server on its own port, behind a proxy that records the traffic. */
export async function overHttp(): Promise<Everything> {
  const port = await freePort();
  const server = spawn(PROGRAM, ["streamableHttp"], {
    env: { ...process.env, PORT: String(port) },
    stdio: ["ignore", "pipe", "pipe"],
  });
  await listening(server, port);
  const read: Message[] = [];
  const wrote: Message[] = [];
  const proxy = createServer((incoming, outgoing) => {
    const body: Buffer[] = [];
    incoming.on("data", (chunk: Buffer) => body.push(chunk));
    incoming.on("end", () => {
      const whole = Buffer.concat(body);
      if (whole.length > 0) {
        read.push(JSON.parse(whole.toString("utf8")) as Message);
      }
      const { host: _, ...headers } = incoming.headers;
      const onward = request(
        { host: "127.0.0.1", port, path: incoming.url, method: incoming.method, headers },
        (answer) => {
          outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
          outgoing.flushHeaders();
          let rest = "";
          answer.on("data", (chunk: Buffer) => {
            const lines = (rest + chunk.toString("utf8")).split("\n");
            rest = lines.pop() ?? "";
            for (const line of lines.filter((line) => line.startsWith("data: {"))) {
              wrote.push(JSON.parse(line.slice("data: ".length)) as Message);
            }
            outgoing.write(chunk);
          });
          answer.on("end", () => outgoing.end());
        },
      );
      onward.on("error", () => outgoing.destroy());
      outgoing.on("close", () => onward.destroy());
      onward.end(whole);
    });
  });
  const at = await new Promise<number>((found) => {
    proxy.listen(0, "127.0.0.1", () => found((proxy.address() as AddressInfo).port));
  });
  return {
    table: `url = "http://127.0.0.1:${at}/mcp"\nroots = [${JSON.stringify(tmpdir())}]\n`,
    read: () => read,
    wrote: () => wrote,
    pid: () => server.pid ?? 0,
    stop: async () => {
      server.kill("SIGKILL");
      await closed(proxy);
    },
  };
}

async function freePort(): Promise<number> {
  const probe = createServer();
  const port = await new Promise<number>((found) => {
    probe.listen(0, "127.0.0.1", () => found((probe.address() as AddressInfo).port));
  });
  await closed(probe);
  return port;
}

function closed(server: Server): Promise<void> {
  server.closeAllConnections();
  return new Promise((done) => server.close(() => done()));
}

/** Waits until the server answers at all. */
async function listening(server: ChildProcess, port: number): Promise<void> {
  let output = "";
  server.stdout?.on("data", (chunk: Buffer) => (output += chunk.toString()));
  server.stderr?.on("data", (chunk: Buffer) => (output += chunk.toString()));
  for (let attempt = 0; attempt < 150; attempt += 1) {
    if (server.exitCode !== null) {
      break;
    }
    try {
      await fetch(`http://127.0.0.1:${port}/mcp`, { method: "OPTIONS" });
      return;
    } catch {
      await new Promise((later) => setTimeout(later, 100));
    }
  }
  throw new Error(`server-everything does not listen on port ${port}:\n${output}`);
}
