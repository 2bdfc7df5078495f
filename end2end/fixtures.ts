// The fixtures of every story: a host per worker, pictures, and the check for accessibility.
//
// Import `test` and `expect` from here. `host` is the running binary, started once per worker with
// an empty working folder; `picture` keeps screenshots in light and in dark, if they are asked for;
// `accessible` fails on any axe violation.

import { spawn, type ChildProcess } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, dirname, join, resolve } from "node:path";

import { expect, test as base, type Page } from "@playwright/test";
import axe from "axe-core";

const ROOT = resolve(import.meta.dirname, "..");
/** Where npm puts the programs of the MCP servers. */
export const MCP_SERVERS = join(import.meta.dirname, "node_modules", ".bin");
/** The rules of axe whose outcome depends on colors. */
const COLOR_RULES = ["color-contrast", "link-in-text-block"];
const START_MS = 60_000;
const STOP_MS = 5_000;

/** A running host. */
export interface Host {
  /** Such as `http://127.0.0.1:40123`, without a slash at the end. */
  readonly url: string;
  /** The working folder, which relative eval-set paths refer to. */
  readonly folder: string;
  /** The process id, for stories that check which processes remain. */
  readonly pid: number;
  /** What the host has logged so far. */
  log(): string;
  /** Stops the host as a terminal would, and returns its exit code. */
  stop(): Promise<number | null>;
}

/** How to start a host. */
export interface HostOptions {
  /** Arguments after `serve`. */
  arguments?: string[];
  /** The text of a `rehearsal.toml` to write into the working folder. */
  config?: string;
  /** An existing working folder, which is kept. */
  folder?: string;
  /** The address to serve; a free port of this machine unless given. */
  listen?: string;
  /** Environment variables in addition to those of this process. */
  environment?: Record<string, string>;
}

/** A configuration for stories that need no agent in a process of its own: starting those takes seconds. */
export const MATH_ONLY = `
[[agent]]
name = "Math Agent"
source = "native"
example = "math"
`;

/** The binary under test. */
export function binary(): string {
  const named = process.env.REHEARSAL_TEST_BINARY;
  const built = join(process.env.CARGO_TARGET_DIR ?? join(ROOT, "target"), "release", "rehearsal");
  const path = named ?? built;
  if (!existsSync(path)) {
    throw new Error(`${path} is missing: \`cargo xtask build\` makes it`);
  }
  return path;
}

/** Starts a host on a free port in a new folder and waits until it serves. */
export async function startHost(options: HostOptions = {}): Promise<Host> {
  const folder = options.folder ?? mkdtempSync(join(tmpdir(), "rehearsal-story-"));
  if (options.config !== undefined) {
    writeFileSync(join(folder, "rehearsal.toml"), options.config);
  }
  const python = process.env.REHEARSAL_TEST_PYTHON;
  const child = spawn(binary(), ["serve", ...(options.arguments ?? [])], {
    cwd: folder,
    env: {
      ...process.env,
      ...(python ? { REHEARSAL_PYTHON: python } : {}),
      PATH: [process.env.PATH, MCP_SERVERS, python && dirname(python)].filter(Boolean).join(delimiter),
      REHEARSAL_LISTEN: options.listen ?? "127.0.0.1:0",
      ...options.environment,
    },
    stdio: ["ignore", "pipe", "pipe"],
  });
  // A failed story does not stop its host, and its worker exits.
  const end = () => child.kill("SIGTERM");
  process.once("exit", end);
  child.once("exit", () => process.off("exit", end));
  let log = "";
  const url = await new Promise<string>((found, failed) => {
    const timer = setTimeout(() => {
      child.kill("SIGKILL");
      failed(new Error(`the host named no address within ${START_MS} ms:\n${log}`));
    }, START_MS);
    const read = (chunk: Buffer) => {
      log += chunk.toString();
      const address = /http:\/\/127\.0\.0\.1:\d+/.exec(log);
      if (address) {
        clearTimeout(timer);
        found(address[0]);
      }
    };
    child.stdout.on("data", read);
    child.stderr.on("data", read);
    child.once("error", failed);
    child.once("exit", (code) => {
      clearTimeout(timer);
      failed(new Error(`the host ended with ${code} before it served:\n${log}`));
    });
  });
  return {
    url,
    folder,
    pid: child.pid ?? 0,
    log: () => log,
    stop: async () => {
      const code = await stopped(child);
      if (options.folder === undefined) {
        rmSync(folder, { recursive: true, force: true });
      }
      return code;
    },
  };
}

/** A host with one MCP agent, `shapes`, on `mcp/shapes.mjs`. */
export function startShapes(): Promise<Host> {
  const program = join(import.meta.dirname, "mcp", "shapes.mjs");
  return startHost({
    config: `
[[agent]]
name = "Shapes"
source = "mcp"
instruction = "Be ready for anything."
[[agent.server]]
name = "shapes"
command = "node"
args = [${JSON.stringify(program)}]
`,
  });
}

async function stopped(child: ChildProcess): Promise<number | null> {
  if (child.exitCode !== null || child.signalCode !== null) {
    return child.exitCode;
  }
  return new Promise((ended) => {
    const timer = setTimeout(() => child.kill("SIGKILL"), STOP_MS);
    child.once("exit", (code) => {
      clearTimeout(timer);
      ended(code);
    });
    child.kill("SIGTERM");
  });
}

/** Opens `path` and waits until its page is hydrated. */
export async function open(page: Page, path: string): Promise<void> {
  await page.goto(path);
  await hydrated(page);
}

/** Waits until the page's event handlers and first effects are in place (see `frontend/src/lib.rs`). */
export async function hydrated(page: Page): Promise<void> {
  await page.locator("html[data-hydrated]").waitFor({ state: "attached" });
}

/** The pages that a story left while they may have been fetching something. */
const leftPages = new WeakSet<Page>();

/**
 * Leaves the page by `go`. What it was fetching fails then, which the client reports and which is no fault. The report may
 * arrive at any time later. A part of the next page that fails to load is seen there: the page says so in its place.
 */
export async function leave(page: Page, go: () => Promise<unknown>): Promise<void> {
  leftPages.add(page);
  await go();
}

/** Runs `look` in the dark theme. */
async function inDark<T>(page: Page, look: () => Promise<T>): Promise<T> {
  await page.emulateMedia({ colorScheme: "dark" });
  const seen = await look();
  await page.emulateMedia({ colorScheme: "light" });
  return seen;
}

/** The violations of `rules`, or of every rule, that axe finds after the animations, each with its elements. */
async function violations(page: Page, rules?: string[]): Promise<string[]> {
  // A row that fades in has its final colors only at the end.
  await page.evaluate(async () => {
    const passing = document
      .getAnimations()
      .filter((it) => it.effect?.getComputedTiming().iterations !== Infinity);
    await Promise.allSettled(passing.map((it) => it.finished));
  });
  // Run in the page: `@axe-core/playwright` takes five times as long.
  if (!(await page.evaluate(() => "axe" in window))) {
    await page.evaluate(axe.source);
  }
  return page.evaluate(async (rules) => {
    const { axe } = window as unknown as { axe: typeof import("axe-core") };
    const found = await axe.run(document, { resultTypes: ["violations"], ...(rules && { runOnly: rules }) });
    return found.violations.map(
      ({ id, help, nodes }) => `${id}: ${help}\n${nodes.map(({ html }) => `    ${html}`).join("\n")}`,
    );
  }, rules);
}

interface ForEachStory {
  /**
   * Keeps two pictures, `artifacts/{story}-{name}-{light|dark}.png`, with REHEARSAL_TEST_PICTURES set: to look at,
   * as no story compares them.
   */
  picture(name: string): Promise<void>;
  /** Fails on any violation that axe finds on the current page: of every rule in light, of the color rules in dark. */
  accessible(): Promise<void>;
}

interface ForEachWorker {
  /** The host of this worker, with the examples. */
  host: Host;
}

export const test = base.extend<ForEachStory, ForEachWorker>({
  host: [
    async ({}, use) => {
      const host = await startHost();
      await use(host);
      const code = await host.stop();
      expect(code, `the host did not stop cleanly:\n${host.log()}`).toBe(0);
    },
    { scope: "worker" },
  ],
  baseURL: async ({ host }, use) => use(host.url),
  // An error in the client's code would otherwise show only as a click without effect.
  page: async ({ page }, use) => {
    const errors: string[] = [];
    page.on("pageerror", (error) => errors.push(error.stack || error.message));
    page.on("console", (message) => {
      // The browser logs failed requests itself; a story that expects one checks it.
      const ofNetwork = /^(Failed to load resource|WebSocket connection to|WebSocket is already in CLOSING)/;
      if (message.type() === "error" && !ofNetwork.test(message.text())) {
        errors.push(message.text());
      }
    });
    await use(page);
    const isOfLeftPage = (error: string) => leftPages.has(page) && error.includes("Failed to fetch");
    expect(errors.filter((error) => !isOfLeftPage(error)), "the client reported errors").toEqual([]);
  },
  picture: async ({ page }, use, info) => {
    if (!process.env.REHEARSAL_TEST_PICTURES) {
      await use(async () => {});
      return;
    }
    const folder = join(ROOT, "end2end", "artifacts");
    const keep = async (name: string, scheme: "light" | "dark") => {
      const story = info.titlePath.slice(1).join(" ");
      const file = `${story} ${name} ${scheme}`.toLowerCase().replace(/[^a-z0-9]+/g, "-");
      const path = join(folder, `${file}.png`);
      await page.screenshot({ path, animations: "disabled" });
      await info.attach(`${name}, ${scheme}`, { path, contentType: "image/png" });
    };
    await use(async (name) => {
      mkdirSync(folder, { recursive: true });
      await keep(name, "light");
      await inDark(page, () => keep(name, "dark"));
    });
  },
  accessible: async ({ page }, use) => {
    await use(async () => {
      const light = await violations(page);
      expect(light, light.join("\n")).toEqual([]);
      const dark = await inDark(page, () => violations(page, COLOR_RULES));
      expect(dark, `in dark:\n${dark.join("\n")}`).toEqual([]);
    });
  },
});

export { expect };
