// Reverse proxies in front of a host, with the configurations of `packaging/`: only the addresses and
// ports are replaced.

import { spawn, spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";

const PACKAGING = resolve(import.meta.dirname, "../packaging");
const START_MS = 30_000;

/** A proxy that the host is behind. */
export type ProxyName = "nginx" | "caddy";

/** A running proxy. */
export interface Proxy {
  /** Such as `http://127.0.0.1:40123`; the host is below a path of it. */
  readonly url: string;
  /** `HOST:PORT` at which gRPC clients reach it without TLS. */
  readonly grpc: string;
  /** What it has logged so far. */
  log(): string;
  /** Stops it. */
  stop(): Promise<void>;
}

/** Whether the program of this proxy is installed. */
export function isInstalled(name: ProxyName): boolean {
  return spawnSync(name, [name === "nginx" ? "-v" : "version"]).status === 0;
}

/** A port of this machine that is free now. */
async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((listens) => server.listen(0, "127.0.0.1", listens));
  const { port } = server.address() as AddressInfo;
  await new Promise((closed) => server.close(closed));
  return port;
}

/** The ports of a proxy. */
export interface Ports {
  web: number;
  /** For gRPC: without TLS, nginx needs a port for HTTP/2 alone. */
  grpc: number;
}

/** The ports of a proxy that is started later: the host must allow its addresses. */
export async function freePorts(name: ProxyName): Promise<Ports> {
  const web = await freePort();
  return { web, grpc: name === "nginx" ? await freePort() : web };
}

/** Starts the proxy at these ports, in front of the host at the address `host`. */
export async function startProxy(name: ProxyName, ports: Ports, host: string): Promise<Proxy> {
  const given = readFileSync(join(PACKAGING, name === "nginx" ? "nginx.conf" : "Caddyfile"), "utf8");
  const packaged = given.replaceAll("127.0.0.1:4180", new URL(host).host);
  return name === "nginx"
    ? await startNginx(ports, packaged)
    : await started("caddy", ports, (folder) => {
        const site = packaged.replace("rehearsal.example {", `http://127.0.0.1:${ports.web} {\n\tbind 127.0.0.1`);
        // Without TLS, HTTP/2 must be allowed. The lines about the admin endpoint and the storage keep
        // it inside the folder.
        const options = `{\n\tadmin off\n\tstorage file_system ${folder}\n\tservers {\n\t\tprotocols h1 h2c\n\t}\n}\n`;
        writeFileSync(join(folder, "Caddyfile"), options + site);
        return ["run", "--config", join(folder, "Caddyfile"), "--adapter", "caddyfile"];
      });
}

/** Starts an nginx that takes the prefix off, as many examples do. */
export async function startStripping(host: string): Promise<Proxy> {
  return startNginx(await freePorts("nginx"), `location /team/ { proxy_pass ${host}/; proxy_set_header Host $http_host; }`);
}

/** Starts an nginx that passes no WebSocket on. */
export async function startWithoutSockets(ports: Ports, host: string): Promise<Proxy> {
  return startNginx(ports, `location / { proxy_pass ${host}; proxy_set_header Host $http_host; }`);
}

/** Starts nginx with these locations. */
function startNginx(ports: Ports, locations: string): Promise<Proxy> {
  return started("nginx", ports, (folder) => {
    writeFileSync(join(folder, "rehearsal.conf"), locations);
    const kinds = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"];
    const folders = kinds.map((kind) => `${kind}_temp_path ${join(folder, kind)};`).join("\n");
    const server = (listen: string) => `server { listen ${listen}; include ${join(folder, "rehearsal.conf")}; }`;
    const config = `
daemon off;
master_process off;
pid ${join(folder, "nginx.pid")};
error_log stderr;
events {}
http {
access_log off;
${folders}
${server(`127.0.0.1:${ports.web}`)}
${server(`127.0.0.1:${ports.grpc} http2`)}
}
`;
    writeFileSync(join(folder, "nginx.conf"), config);
    return ["-e", "stderr", "-c", join(folder, "nginx.conf")];
  });
}

/** Starts a program and waits until its port accepts requests. */
async function started(program: string, ports: Ports, configure: (folder: string) => string[]): Promise<Proxy> {
  const folder = mkdtempSync(join(tmpdir(), `rehearsal-${program}-`));
  const child = spawn(program, configure(folder), {
    env: { ...process.env, HOME: folder, XDG_DATA_HOME: folder, XDG_CONFIG_HOME: folder },
    stdio: ["ignore", "pipe", "pipe"],
  });
  // A failed story does not stop its proxy, and its worker exits.
  const end = () => child.kill("SIGTERM");
  process.once("exit", end);
  let log = "";
  const read = (chunk: Buffer) => (log += chunk.toString());
  child.stdout.on("data", read);
  child.stderr.on("data", read);
  const ended = new Promise<void>((ended) => child.once("exit", () => ended()));
  const url = `http://127.0.0.1:${ports.web}`;
  const until = Date.now() + START_MS;
  while (!(await fetch(url).then(() => true, () => false))) {
    if (child.exitCode !== null || Date.now() > until) {
      child.kill("SIGKILL");
      throw new Error(`${program} does not serve:\n${log}`);
    }
    await new Promise((passed) => setTimeout(passed, 50));
  }
  return {
    url,
    grpc: `127.0.0.1:${ports.grpc}`,
    log: () => log,
    stop: async () => {
      child.kill("SIGTERM");
      await ended;
      process.off("exit", end);
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
