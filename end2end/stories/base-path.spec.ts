// A host below a path, behind nginx and behind Caddy with the configurations of `packaging/`: the page,
// a login, and what programs send. Each proxy that is not installed is skipped.

import { execFile, spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { promisify } from "node:util";

import type { Page } from "@playwright/test";

import { binary, expect, hydrated, open, startHost, test as base, type Host } from "../fixtures";
import { answer, introduce } from "../live-session";
import { freePorts, isInstalled, startProxy, startStripping, startWithoutSockets, type Proxy, type ProxyName } from "../proxy";
import { Rehearsal } from "../rehearsal";

const PASSWORD = "correct horse";
const python = process.env.REHEARSAL_TEST_PYTHON;

const AGENT = `
[[agent]]
name = "Maths"
source = "native"
example = "math"
eval_set_path = "maths.evalset.json"
`;

const CASE = {
  eval_id: "sum/of two",
  conversation: [
    {
      user_content: { parts: [{ text: "Add 1 and 2" }], role: "user" },
      final_response: { parts: [{ text: "3" }], role: "model" },
      intermediate_data: { tool_uses: [{ name: "add", args: { a: 1, b: 2 } }] },
    },
  ],
};

/** A host below `/team`, and the proxy in front of it. */
interface Place {
  host: Host;
  proxy: Proxy;
  /** The host's address for everybody: `PROXY/team`. */
  url: string;
}

type Start = (name: ProxyName, people?: string[]) => Promise<Place>;

const test = base.extend<{ start: Start }>({
  start: async ({}, use) => {
    const places: Place[] = [];
    await use(async (name, people = []) => {
      const ports = await freePorts(name);
      const folder = mkdtempSync(join(tmpdir(), "rehearsal-base-path-"));
      const origins = [ports.web, ports.grpc].map((port) => `"http://127.0.0.1:${port}"`);
      const security = `[security]\nallowed_origins = [${origins.join()}]\ntrusted_proxies = ["127.0.0.1"]\n`;
      writeFileSync(join(folder, "rehearsal.toml"), security + AGENT);
      writeFileSync(join(folder, "maths.evalset.json"), JSON.stringify({ eval_set_id: "m", eval_cases: [CASE] }));
      for (const person of people) {
        const added = spawnSync(binary(), ["user", "add", person], { cwd: folder, input: `${PASSWORD}\n` });
        expect(added.status).toBe(0);
      }
      const host = await startHost({ folder, arguments: ["--base-path", "/team"] });
      const proxy = await startProxy(name, ports, host.url);
      const place = { host, proxy, url: `${proxy.url}/team` };
      places.push(place);
      return place;
    });
    for (const { host, proxy } of places) {
      await proxy.stop();
      expect(await host.stop(), host.log()).toBe(0);
      rmSync(host.folder, { recursive: true, force: true });
    }
  },
});

/** Records every address that the page asks for, and what failed. */
function watch(page: Page, url: string): { asked: string[]; wrong: string[] } {
  const seen = { asked: [] as string[], wrong: [] as string[] };
  const ask = (address: string) => {
    seen.asked.push(address);
    const below = address.replace(/^ws/, "http");
    if (!below.startsWith("data:") && !below.startsWith(`${url}/`) && below !== url) {
      seen.wrong.push(`outside: ${address}`);
    }
  };
  page.on("request", (request) => ask(request.url()));
  page.on("websocket", (socket) => ask(socket.url()));
  page.on("response", (response) => {
    if (response.status() >= 400) {
      seen.wrong.push(`${response.status()}: ${response.url()}`);
    }
  });
  page.on("requestfailed", (request) => {
    // A reload aborts what is under way.
    if (request.failure()?.errorText !== "net::ERR_ABORTED") {
      seen.wrong.push(`${request.failure()?.errorText}: ${request.url()}`);
    }
  });
  return seen;
}

for (const name of ["nginx", "caddy"] as const) {
  test.describe(`behind ${name}`, () => {
    test.skip(!isInstalled(name), `SKIPPED, NOT PASSED: ${name} is not installed`);

    test("a rehearsal, a reload and deep links stay below the path", async ({ page, start }) => {
      const { url } = await start(name);
      const seen = watch(page, url);
      // The address that people type.
      await page.goto(url);
      await expect(page).toHaveURL(`${url}/`);
      await hydrated(page);
      await expect(page.getByRole("link", { name: "Rehearse" })).toHaveAttribute("aria-current", "true");
      await page.getByRole("link", { name: "Maths" }).click();
      await expect(page).toHaveURL(`${url}/rehearse/maths`);
      const rehearsal = new Rehearsal(page);
      await rehearsal.ask("Add 1 and 2");
      await rehearsal.choose("add");
      await rehearsal.fill("a", "1");
      await rehearsal.fill("b", "2");
      await rehearsal.run();
      await expect(rehearsal.call(1)).toContainText("add(a: 1, b: 2)");
      await page.reload();
      await hydrated(page);
      await expect(rehearsal.call(1)).toContainText("add(a: 1, b: 2)");

      await page.getByRole("link", { name: "Live", exact: true }).click();
      await expect(page).toHaveURL(`${url}/live`);
      await expect(page.getByRole("link", { name: "Live", exact: true })).toHaveAttribute("aria-current", "true");
      await expect(page.getByText(`pip install ${url}/python/rehearsal_adk-`)).toBeVisible();
      await page.getByRole("link", { name: "Eval sets" }).click();
      await page.getByRole("row").filter({ hasText: "Maths" }).getByRole("link").first().click();
      await expect(page).toHaveURL(`${url}/evalsets/maths`);
      await page.getByRole("list", { name: "Cases" }).getByRole("link").click();
      await expect(page).toHaveURL(`${url}/evalsets/maths/sum%2Fof%20two`);
      await expect(page.getByText("add(a: 1, b: 2)")).toBeVisible();
      // A choice in the query of the address.
      await page.getByRole("link", { name: "Open as a rehearsal" }).click();
      await expect(page).toHaveURL(`${url}/rehearse/maths?case=sum%2Fof%20two`);

      await open(page, `${url}/evalsets/maths/sum%2Fof%20two`);
      await expect(page.getByText("add(a: 1, b: 2)")).toBeVisible();
      await page.keyboard.press("Control+k");
      await page.getByRole("combobox", { name: "Search or jump" }).fill("All agents");
      await page.keyboard.press("Enter");
      await expect(page).toHaveURL(`${url}/`);
      await expect(page.getByRole("heading", { name: "Maths" })).toBeVisible();
      await page.goBack();
      await expect(page).toHaveURL(`${url}/evalsets/maths/sum%2Fof%20two`);

      expect(seen.wrong).toEqual([]);
      expect(seen.asked).toContain(`${url.replace("http", "ws")}/api/events`);
      expect(seen.asked).toContain(`${url}/api/start_call`);
      // A part of the client that is loaded later.
      expect(seen.asked.filter((it) => it.startsWith(`${url}/pkg/`) && it.endsWith(".wasm")).length).toBeGreaterThan(1);
    });

    test("a login leads back to the address below the path", async ({ page, start }) => {
      const { url } = await start(name, ["Ann"]);
      const seen = watch(page, url);
      await page.goto(`${url}/evalsets/maths`);
      await expect(page).toHaveURL(`${url}/login?next=/evalsets/maths`);
      await page.getByRole("textbox", { name: "Name" }).fill("Ann");
      await page.getByLabel("Password").fill(PASSWORD);
      await page.getByRole("button", { name: "Log in" }).click();
      await expect(page).toHaveURL(`${url}/evalsets/maths`);
      await expect(page.getByTitle("You are logged in with this name.")).toHaveText("Ann");
      const [cookie] = await page.context().cookies();
      expect(cookie).toMatchObject({ path: "/team/", httpOnly: true, sameSite: "Lax" });
      expect(seen.wrong).toEqual([]);
      await page.getByRole("button", { name: "Log out" }).click();
      await expect(page).toHaveURL(`${url}/login`);
      expect(await page.context().cookies()).toEqual([]);
      // The page may ask once why its WebSocket has ended.
      expect(seen.wrong.filter((it) => !it.startsWith("401: "))).toEqual([]);
    });

    test("programs stream through the proxy, and a person responds", async ({ page, start }) => {
      const { url, proxy } = await start(name);
      // A model's endpoint, whose first bytes arrive before the person responds.
      const asked = await fetch(`${url}/s/path/a/planner/v1/chat/completions`, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify({ model: "m", stream: true, messages: [{ role: "user", content: "Rain?" }] }),
      });
      expect(asked.status).toBe(200);
      await open(page, `${url}/live`);
      await page.locator(".live-list tbody").getByRole("link").first().click();
      await expect(page).toHaveURL(new RegExp(`^${url}/live/[0-9a-f-]+$`));
      await introduce(page, "Ann");
      await answer(page, "Through the proxy.");
      expect(await asked.text()).toContain("Through the proxy.");

      const wheel = await fetch(`${url}/python/rehearsal_adk-0.1.0-py3-none-any.whl`);
      expect(wheel.status).toBe(200);
      const large = await fetch(`${url}/api/list_agents`, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: `{}${" ".repeat(32 * 1024 * 1024)}`,
      });
      expect(large.status, "a body of 32 MB").toBe(200);

      test.skip(!python, "SKIPPED, NOT PASSED: REHEARSAL_TEST_PYTHON is not set; gRPC through the proxy was not tried");
      const script = resolve(import.meta.dirname, "../live_sessions.py");
      const { stdout } = await promisify(execFile)(python ?? "", [script, `${proxy.grpc}/team`, "1", "1"]);
      await open(page, `${url}/live/${stdout.trim()}`);
      await expect(page.getByRole("heading", { name: "Session 1" })).toBeVisible();
    });
  });
}

test("a proxy that strips the prefix, or none, gets the reason", async ({ start }) => {
  test.skip(!isInstalled("nginx"), "SKIPPED, NOT PASSED: nginx is not installed");
  const { host } = await start("nginx");
  const stripping = await startStripping(host.url);
  for (const address of [`${stripping.url}/team/live`, `${host.url}/live`]) {
    const refused = await fetch(address);
    expect(refused.status).toBe(404);
    expect(await refused.text()).toContain("This host is served below /team: open /team/. A proxy in front of it must pass");
  }
  await stripping.stop();
  expect((await fetch(`${host.url}/readyz`)).status).toBe(200);
  expect(host.log()).toContain(`serving at ${host.url}/team`);
});

test("a proxy that passes no WebSocket on is named at the foot of the page", async ({ page, picture, accessible }) => {
  test.skip(!isInstalled("nginx"), "SKIPPED, NOT PASSED: nginx is not installed");
  const ports = await freePorts("nginx");
  const config = `[security]\nallowed_origins = ["http://127.0.0.1:${ports.web}"]\n${AGENT}`;
  const host = await startHost({ config });
  const proxy = await startWithoutSockets(ports, host.url);
  await open(page, proxy.url);
  const foot = page.getByRole("contentinfo");
  await expect(foot).toContainText("no news from the host: a proxy must pass WebSockets on");
  await picture("no WebSockets");
  await accessible();
  // The host itself is there, and reached without the proxy.
  await open(page, host.url);
  await expect(foot).toContainText("host connected");
  await proxy.stop();
  expect(await host.stop()).toBe(0);
});
