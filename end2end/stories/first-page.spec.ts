// The first page: the agents that ship, on a host that needs no configuration.

import { expect, open, test } from "../stage";

test("the list names every agent that ships", async ({ page, picture, accessible }) => {
  await open(page, "/");
  await expect(page).toHaveTitle(/Rehearsal/);
  for (const name of ["Math Agent", "Travel Desk", "Poet", "Smart Home"]) {
    await expect(page.getByText(name, { exact: true })).toBeVisible();
  }
  await picture("agents");
  await accessible();
});

test("an address that is none is told and leads back", async ({ page, picture }) => {
  await open(page, "/no/such/page");
  await expect(page.getByRole("link", { name: /agents|rehearsal/i }).first()).toBeVisible();
  await picture("not-found");
});

test("the first page is small", async ({ page, host }) => {
  let bytes = 0;
  const session = await page.context().newCDPSession(page);
  await session.send("Network.enable");
  session.on("Network.loadingFinished", ({ encodedDataLength }) => {
    bytes += encodedDataLength;
  });
  await open(page, host.url);
  expect(bytes).toBeGreaterThan(10_000);
  expect(bytes).toBeLessThan(350_000);
});

test("a page of another origin is turned away", async ({ request, host }) => {
  const foreign = await request.get(host.url, { headers: { Origin: "http://evil.example" } });
  expect(foreign.status()).toBe(403);
  const rebound = await request.get(host.url, { headers: { Host: "evil.example" } });
  expect(rebound.status()).toBe(403);
});
