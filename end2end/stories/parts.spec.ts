// The client is loaded in parts, one for each area: the list of agents needs only the first.

import type { Page } from "@playwright/test";

import { expect, open, test } from "../fixtures";

/** The part of the workspace. */
const WORKSPACE = /\/pkg\/split_rehearse\.[0-9a-f]+\.wasm$/;
/** What is drawn once a session is under way. */
const SESSION = /\/pkg\/split_session\.[0-9a-f]+\.wasm$/;
/** Any part. */
const PART = /\/pkg\/(split|chunk)_\w+\.[0-9a-f]+\.wasm$/;

/** Waits for the agents: one that takes long to load shows its output, which is in the part of the workspace. */
async function loaded(page: Page) {
  const statuses = async () => {
    const response = await page.request.post("/api/list_agents", { data: {} });
    return (await response.json()).map((agent: { status: unknown }) => agent.status);
  };
  await expect.poll(statuses, { timeout: 60_000 }).not.toContain("Starting");
}

test("the list loads no other part until the pointer is on it", async ({ page }) => {
  const fetched: string[] = [];
  page.on("request", (request) => fetched.push(new URL(request.url()).pathname));
  await loaded(page);
  await open(page, "/");
  await page.waitForLoadState("networkidle");
  expect(fetched).toContain("/pkg/rehearsal_bg.wasm");
  expect(fetched.filter((path) => PART.test(path))).toEqual([]);
  const workspace = page.waitForResponse(WORKSPACE);
  await page.getByRole("link", { name: "Math Agent" }).hover();
  expect((await workspace).status()).toBe(200);
  // In the same document: the link is the router's, not the browser's.
  const documents = fetched.filter((path) => path === "/" || path.startsWith("/rehearse")).length;
  await page.getByRole("link", { name: "Math Agent" }).click();
  await expect(page.locator(".columns")).not.toHaveAttribute("aria-busy");
  await expect(page.getByRole("button", { name: "Start over" })).toBeVisible();
  expect(fetched.filter((path) => path === "/" || path.startsWith("/rehearse"))).toHaveLength(documents);
  expect(fetched.filter((path) => WORKSPACE.test(path))).toHaveLength(1);
});

test("the keyboard fetches the workspace as well", async ({ page }) => {
  await loaded(page);
  await open(page, "/");
  const workspace = page.waitForResponse(WORKSPACE);
  await page.getByRole("link", { name: "Math Agent" }).focus();
  expect((await workspace).status()).toBe(200);
});

test("a rehearsal opens by its address, by a reload and by going back", async ({ page }) => {
  await open(page, "/rehearse/math-agent");
  const startOver = page.getByRole("button", { name: "Start over" });
  await expect(startOver).toBeVisible();
  await page.reload();
  await expect(startOver).toBeVisible();
  await page.getByRole("link", { name: "Rehearse", exact: true }).click();
  await expect(page.getByRole("link", { name: "Math Agent" })).toBeVisible();
  await page.goBack();
  await expect(startOver).toBeVisible();
});

test("a part that fails to load shows an error and is retried", async ({ page: quiet }) => {
  // Its own page: the client logs the failure, which is an error in every other story.
  const page = await quiet.context().newPage();
  await page.route(WORKSPACE, (route) => route.abort());
  await open(page, "/rehearse/math-agent");
  await expect(page.getByRole("heading", { name: "Math Agent" })).toBeVisible();
  const alert = page.getByRole("alert").filter({ hasText: "cannot be loaded" });
  await expect(alert).toBeVisible();
  // A host of another build has no such file: it answers with its page.
  await page.unroute(WORKSPACE);
  await page.route(WORKSPACE, (route) => route.fulfill({ status: 404, contentType: "text/html", body: "<p>" }));
  const again = page.waitForResponse(WORKSPACE);
  await alert.getByRole("button", { name: "Retry" }).click();
  expect((await again).status()).toBe(404);
  await expect(alert).toBeVisible();
  await page.unroute(WORKSPACE);
  await alert.getByRole("button", { name: "Retry" }).click();
  await expect(page.getByRole("button", { name: "Start over" })).toBeVisible();
  await expect(alert).toBeHidden();
  await page.close();
});

test("an area loads its own part only", async ({ page }) => {
  const fetched: string[] = [];
  page.on("request", (request) => fetched.push(new URL(request.url()).pathname));
  const parts = () => fetched.flatMap((path) => /\/pkg\/split_(\w+)\./.exec(path)?.[1] ?? []);
  for (const [path, part] of [
    ["/live", "live"],
    ["/evalsets", "evalsets"],
    ["/runs", "runs"],
    ["/runs/1", "run"],
    ["/reports", "reports"],
    ["/rehearse/math-agent", "rehearse"],
  ] as const) {
    fetched.length = 0;
    await open(page, path);
    await page.waitForLoadState("networkidle");
    expect(parts()).toEqual([part]);
  }
});

test("the workspace is small until a session is under way", async ({ page, host }) => {
  let bytes = 0;
  const session = await page.context().newCDPSession(page);
  await session.send("Network.enable");
  session.on("Network.loadingFinished", ({ encodedDataLength }) => {
    bytes += encodedDataLength;
  });
  await open(page, `${host.url}/rehearse/math-agent`);
  await expect(page.getByRole("button", { name: "Start over" })).toBeVisible();
  await page.waitForLoadState("networkidle");
  expect(bytes).toBeGreaterThan(350_000);
  expect(bytes).toBeLessThan(690_000);
  // The other part loads while the person types.
  const rest = page.waitForResponse(SESSION);
  await page.getByLabel("User message").fill("What is 2 and 3?");
  expect((await rest).status()).toBe(200);
});

test("a session starts once its part is loaded", async ({ page: quiet }) => {
  const page = await quiet.context().newPage();
  await page.route(SESSION, (route) => route.abort());
  await open(page, "/rehearse/math-agent");
  await page.getByLabel("User message").fill("What is 2 and 3?");
  await page.getByRole("button", { name: /Start session/ }).click();
  const alert = page.getByRole("alert").filter({ hasText: "cannot be loaded" });
  await expect(alert.first()).toBeVisible();
  await expect(page.getByLabel("User message")).toHaveValue("What is 2 and 3?");
  await page.unroute(SESSION);
  await page.getByRole("button", { name: /Start session/ }).click();
  await expect(page.getByText("You are the agent.")).toBeVisible();
  await page.close();
});
