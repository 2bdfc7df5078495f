// Runs between a host and an MCP server on standard input and output, and keeps what each of the
// two read: `node tap.mjs LOG COMMAND [ARGUMENT...]`. Messages pass unchanged.
//
// Each line of LOG is `> MESSAGE` (the server read it) or `< MESSAGE` (the host read it); the first
// is `pid N`, the server's process.

import { spawn } from "node:child_process";
import { appendFileSync } from "node:fs";

const [log, command, ...args] = process.argv.slice(2);
const server = spawn(command, args, { stdio: ["pipe", "pipe", "inherit"] });
appendFileSync(log, `pid ${server.pid}\n`);

/** Passes `from` on to `to`, and keeps each whole line behind `mark`. */
function pass(from, to, mark) {
  let rest = "";
  from.on("data", (chunk) => {
    const lines = (rest + chunk.toString("utf8")).split("\n");
    rest = lines.pop() ?? "";
    appendFileSync(log, lines.map((line) => `${mark} ${line}\n`).join(""));
    to.write(chunk);
  });
  from.on("end", () => to.end());
}

pass(process.stdin, server.stdin, ">");
pass(server.stdout, process.stdout, "<");
server.on("exit", (code, signal) => process.exit(code ?? (signal ? 1 : 0)));
