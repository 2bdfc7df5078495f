// A host with people: logging in and out, a wrong password, access without a login, and the name that
// answers carry. Off loopback a host serves in no other way.

import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import type { Page } from "@playwright/test";

import { answer, complete } from "../live-session";
import { binary, expect, hydrated, open, startHost, test as base, type Host } from "../fixtures";

const PASSWORD = "correct horse";

const CONFIG = `
[[agent]]
name = "Maths"
source = "native"
example = "math"

[security]
audit_file = "audit.jsonl"
`;

interface Guarded extends Host {
  /** A token of a program called `nightly`. */
  token: string;
}

/** A host with the logins of Ann and Bo and a token, in its own folder. */
const test = base.extend<{ guarded: Guarded }>({
  guarded: async ({}, use) => {
    const folder = mkdtempSync(join(tmpdir(), "rehearsal-access-"));
    writeFileSync(join(folder, "rehearsal.toml"), CONFIG);
    const add = (what: string, name: string) =>
      spawnSync(binary(), [what, "add", name], { cwd: folder, input: `${PASSWORD}\n`, encoding: "utf8" });
    for (const name of ["Ann", "Bo"]) {
      expect(add("user", name).status).toBe(0);
    }
    const token = add("token", "nightly").stdout.trim();
    const host = await startHost({ folder });
    await use({ ...host, token });
    expect(await host.stop()).toBe(0);
    rmSync(folder, { recursive: true, force: true });
  },
});

async function logIn(page: Page, name: string, password = PASSWORD): Promise<void> {
  await page.getByRole("textbox", { name: "Name" }).fill(name);
  await page.getByLabel("Password").fill(password);
  await page.getByRole("button", { name: "Log in" }).click();
}

/** Asks as an agent of any framework would, with the token as its key; gives what it is answered. */
async function ask(host: Guarded, words: string): Promise<string> {
  const answered = await fetch(`${host.url}/s/guarded/a/planner/v1/chat/completions`, {
    method: "POST",
    headers: { authorization: `Bearer ${host.token}`, "content-type": "application/json" },
    body: JSON.stringify({ model: "gpt-test", messages: [{ role: "user", content: words }] }),
  });
  const body = (await answered.json()) as any;
  return body.choices[0].message.content;
}

function audit(host: Host): any[] {
  const lines = readFileSync(join(host.folder, "audit.jsonl"), "utf8").trim().split("\n");
  return lines.map((line) => JSON.parse(line));
}

test("without WebSockets the page knows who is logged in", async ({ page, guarded, picture, accessible }) => {
  await page.routeWebSocket(/\/api\/events/, (socket) => socket.close());
  await page.goto(`${guarded.url}/live`);
  await logIn(page, "Ann");
  await expect(page.getByRole("button", { name: "Log out" })).toBeVisible();
  await expect(page.getByRole("contentinfo")).toContainText("connecting to the host");
  await expect(page.getByRole("banner")).toContainText("Ann");
  const address = guarded.url.replace("://", "://token:TOKEN@");
  await expect(page.getByText(`pip install ${address}/python/rehearsal_adk-`)).toBeVisible();
  await expect(page.getByText("export REHEARSAL_TOKEN=TOKEN")).toBeVisible();
  await picture("no WebSockets");
  await accessible();
  await page.getByRole("button", { name: "Log out" }).click();
  await expect(page.getByRole("button", { name: "Log in" })).toBeVisible();
});

test("without a login only the login page is served", async ({ page, guarded, picture, accessible }) => {
  await page.goto(`${guarded.url}/live?x=1`);
  await expect(page).toHaveURL(`${guarded.url}/login?next=/live%3Fx%3D1`);
  await expect(page.getByRole("button", { name: "Log in" })).toBeVisible();
  await picture("login");
  await accessible();
  for (const [path, status] of [
    ["/pkg/rehearsal.js", 401],
    ["/api/events", 401],
    ["/v1/models", 401],
    ["/api/live/0b0f7a36-5a39-4b9e-8a65-3c6c1a1f2d10/1/0", 401],
    ["/login", 200],
  ] as const) {
    expect((await page.request.get(`${guarded.url}${path}`)).status(), path).toBe(status);
  }
  const known = await page.request.get(`${guarded.url}/v1/models`, {
    headers: { authorization: `Bearer ${guarded.token}` },
  });
  expect(known.status(), "a bearer token opens the door").toBe(200);

  await logIn(page, "Ann");
  await expect(page).toHaveURL(`${guarded.url}/live?x=1`);
  await expect(page.getByTitle("You are logged in with this name.")).toHaveText("Ann");
  const [cookie] = await page.context().cookies();
  expect(cookie).toMatchObject({ httpOnly: true, sameSite: "Lax", secure: false });
  // The host ends with the story, and a part of the client that is still being fetched would fail loudly.
  await hydrated(page);
  await page.waitForLoadState("networkidle");
});

test("wrong passwords are rejected and rate-limited", async ({ page, guarded, picture, accessible }) => {
  await page.goto(`${guarded.url}/login`);
  await logIn(page, "Ann", "guess");
  await expect(page.getByRole("alert")).toHaveText("Incorrect name or password.");
  await expect(page.getByRole("textbox", { name: "Name" })).toHaveValue("Ann");
  await expect(page.getByLabel("Password")).toBeFocused();
  await picture("wrong");
  await accessible();
  for (let left = 4; left > 0; left -= 1) {
    await logIn(page, "Ann", "guess");
    await expect(page.getByRole("alert")).toBeVisible();
  }
  await logIn(page, "Ann");
  await expect(page.getByRole("alert")).toContainText("Too many attempts. Try again in");
  await picture("limited");
  // Another person can still log in.
  await logIn(page, "Bo");
  await expect(page).toHaveURL(`${guarded.url}/`);
  // The host ends with the story, and a client that is still being fetched would fail loudly.
  await hydrated(page);
  const refused = audit(guarded).filter((line) => line.what === "refused");
  expect(refused.map((line) => line.who)).toEqual(["Ann", "Ann", "Ann", "Ann", "Ann"]);
});

test("responses, leases and exports carry the name of the login", async ({ page, browser, guarded, picture, accessible }) => {
  const first = ask(guarded, "Rain?");
  await page.goto(`${guarded.url}/live`);
  await logIn(page, "Ann");
  await page.getByRole("row").filter({ hasText: "guarded" }).getByRole("link").click();
  await expect(page.getByText("Rain?")).toBeVisible();
  // Nobody is asked for a name that the host knows.
  await expect(page.getByText("Enter your name")).toHaveCount(0);
  const context = await browser.newContext();
  const other = await context.newPage();
  await other.goto(page.url());
  await logIn(other, "Bo");
  await expect(other.getByText("Rain?")).toBeVisible();
  await page.getByRole("tab", { name: /Text/ }).click();
  await page.getByRole("textbox", { name: "Text", exact: true }).fill("No");
  await expect(other.getByText("Ann holds the lease.")).toBeVisible();
  await picture("held");
  await accessible();
  await answer(page, "No rain.");
  expect(await first).toBe("No rain.");
  await page.getByRole("button", { name: "Session", exact: true }).click();
  await expect(page.getByRole("list", { name: "Events" }).getByText("Ann", { exact: true })).toHaveCount(1);
  await complete(other);
  await expect(page.getByRole("heading", { name: "Session completed" })).toBeVisible();
  await page.getByRole("button", { name: /^Export to/ }).click();
  await expect(page.getByRole("heading", { name: /^Exported( into a new eval set)?$/ })).toBeVisible();
  await context.close();
  const seen = audit(guarded).map(({ what, who, how }) => [what, who, how]);
  expect(seen).toEqual([
    ["login", "Ann", "password"],
    ["login", "Bo", "password"],
    ["decision", "Ann", "password"],
    ["complete", "Bo", "password"],
    ["export", "Ann", "password"],
  ]);
});

test("a person does not see the rehearsal of another who used the tab before", async ({ page, guarded }) => {
  await page.goto(`${guarded.url}/`);
  await logIn(page, "Ann");
  await page.getByRole("link", { name: "Maths" }).click();
  const message = page.getByRole("textbox", { name: "User message" });
  await message.fill("What did Ann ask?");
  await message.press("Control+Enter");
  const asked = page.getByRole("region", { name: "History" }).getByText("What did Ann ask?");
  await expect(asked).toBeVisible();
  await page.reload();
  await expect(asked, "she sees it after a reload").toBeVisible();
  // The login expires.
  await page.context().clearCookies();
  await page.reload();
  await logIn(page, "Bo");
  await expect(page.getByTitle("You are logged in with this name.")).toHaveText("Bo");
  await expect(message).toBeVisible();
  await expect(asked).toHaveCount(0);
});

test("logging out disconnects every page at once, and logging in again resumes them", async ({ page, guarded, picture, accessible }) => {
  const asked = ask(guarded, "Rain?");
  await page.goto(`${guarded.url}/live`);
  await logIn(page, "Ann");
  await page.getByRole("row").filter({ hasText: "guarded" }).getByRole("link").click();
  await page.getByRole("tab", { name: /Text/ }).click();
  await page.getByRole("textbox", { name: "Text", exact: true }).fill("Half an ans");
  // In another tab of the same browser.
  const tab = await page.context().newPage();
  await open(tab, `${guarded.url}/`);
  await tab.getByRole("button", { name: "Log out" }).click();
  await expect(tab).toHaveURL(`${guarded.url}/login`);
  await expect(page.getByText("logged out", { exact: true })).toBeVisible();
  await expect(page.getByRole("alert").filter({ hasText: "You are logged out." })).toBeVisible();
  await picture("logged-out");
  await accessible();
  const [opened] = await Promise.all([page.context().waitForEvent("page"), page.getByRole("link", { name: "Log in" }).click()]);
  await logIn(opened, "Ann");
  await expect(page.getByText("host connected")).toBeVisible({ timeout: 30_000 });
  await expect(page.getByText("You are logged out.")).toHaveCount(0);
  await expect(page.getByRole("textbox", { name: "Text", exact: true })).toHaveValue("Half an ans");
  await answer(page, "Half an answer is none: no rain.");
  expect(await asked).toBe("Half an answer is none: no rain.");
  // And out for good.
  await page.getByRole("button", { name: "Log out" }).click();
  await expect(page.getByRole("button", { name: "Log in" })).toBeVisible();
  expect((await page.request.get(`${guarded.url}/v1/models`)).status()).toBe(401);
});
