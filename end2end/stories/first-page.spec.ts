// The first page: the agents that ship, on a host that needs no configuration.

import { expect, open, startHost, test } from "../fixtures";

test("the list names every example agent", async ({ page, picture, accessible }) => {
  await open(page, "/");
  await expect(page).toHaveTitle(/Rehearsal/);
  for (const name of ["Math Agent", "Travel Desk", "Poet", "Smart Home"]) {
    await expect(page.getByRole("link", { name, exact: true })).toBeVisible();
  }
  await picture("agents");
  await accessible();
});

test("an unknown address shows Not found", async ({ page, picture }) => {
  await open(page, "/no/such/page");
  await expect(page.getByRole("link", { name: /agents|rehearsal/i }).first()).toBeVisible();
  await picture("not-found");
});

test("the first page is small", async ({ page, browser, host }) => {
  // An agent that takes long to load shows its output, with code of the workspace.
  const before = await browser.newContext();
  const list = await before.newPage();
  await open(list, host.url);
  await expect(list.getByText(/^\d+ agents ready\./)).toBeVisible({ timeout: 60_000 });
  await before.close();
  let bytes = 0;
  const session = await page.context().newCDPSession(page);
  await session.send("Network.enable");
  session.on("Network.loadingFinished", ({ encodedDataLength }) => {
    bytes += encodedDataLength;
  });
  await open(page, host.url);
  // Every request counts, also those after the page is interactive.
  await page.waitForLoadState("networkidle");
  expect(bytes).toBeGreaterThan(10_000);
  expect(bytes).toBeLessThan(350_000);
});

test("a page of another origin is rejected", async ({ request, host }) => {
  const foreign = await request.get(host.url, { headers: { Origin: "http://evil.example" } });
  expect(foreign.status()).toBe(403);
  const rebound = await request.get(host.url, { headers: { Host: "evil.example" } });
  expect(rebound.status()).toBe(403);
});

test("an agent that became ready before the page listened is shown as ready", async ({ page }) => {
  // Started late enough that the page is sent with "Starting…", and ready long before it listens.
  const config = `
[[agent]]
name = "Late"
source = "mcp"
instruction = "x"
[[agent.server]]
name = "late"
command = "sh"
args = ["-c", "sleep 2; exit 3"]
`;
  const host = await startHost({ config });
  let connect = () => {};
  const connected = new Promise<void>((done) => {
    connect = done;
  });
  await page.routeWebSocket(/\/api\/|\/events/, async (socket) => {
    await connected;
    socket.connectToServer();
  });
  await page.goto(host.url);
  const late = page.getByRole("article").filter({ hasText: "Late" });
  await expect(late).toContainText("Starting…");
  await expect.poll(() => host.log(), { timeout: 60_000 }).toContain("cannot be used");
  await expect(late).toContainText("Starting…");
  connect();
  await expect(late).toContainText("ended", { timeout: 60_000 });
  await page.close();
  expect(await host.stop()).toBe(0);
});
