// The client comes in two parts: the list of agents needs the first, a rehearsal the second too.

import { expect, open, test } from "../stage";

const SECOND = /\/pkg\/split_scene\.[0-9a-f]+\.wasm$/;

test("the list leaves the second part alone until somebody points at it", async ({ page }) => {
  const fetched: string[] = [];
  page.on("request", (request) => fetched.push(new URL(request.url()).pathname));
  await open(page, "/");
  expect(fetched).toContain("/pkg/rehearsal_bg.wasm");
  expect(fetched.filter((path) => SECOND.test(path))).toEqual([]);
  const second = page.waitForResponse(SECOND);
  await page.getByRole("link", { name: "Math Agent" }).hover();
  expect((await second).status()).toBe(200);
  // In the same document: the link is the router's, not the browser's.
  const documents = fetched.filter((path) => path === "/" || path.startsWith("/rehearse")).length;
  await page.getByRole("link", { name: "Math Agent" }).click();
  await expect(page.locator(".columns")).not.toHaveAttribute("aria-busy");
  await expect(page.getByRole("button", { name: "Start over" })).toBeVisible();
  expect(fetched.filter((path) => path === "/" || path.startsWith("/rehearse"))).toHaveLength(documents);
  expect(fetched.filter((path) => SECOND.test(path))).toHaveLength(1);
});

test("the keyboard fetches the second part as well", async ({ page }) => {
  await open(page, "/");
  const second = page.waitForResponse(SECOND);
  await page.getByRole("link", { name: "Math Agent" }).focus();
  expect((await second).status()).toBe(200);
});

test("a rehearsal is opened by its address, again and by going back", async ({ page }) => {
  await open(page, "/rehearse/math-agent");
  const stage = page.getByRole("button", { name: "Start over" });
  await expect(stage).toBeVisible();
  await page.reload();
  await expect(stage).toBeVisible();
  await page.getByRole("link", { name: "Rehearse", exact: true }).click();
  await expect(page.getByRole("link", { name: "Math Agent" })).toBeVisible();
  await page.goBack();
  await expect(stage).toBeVisible();
});

test("a second part that does not come is told, and fetched anew", async ({ page: quiet }) => {
  // A page of its own: the client logs the failure, which is an error in every other story.
  const page = await quiet.context().newPage();
  await page.route(SECOND, (route) => route.abort());
  await open(page, "/rehearse/math-agent");
  await expect(page.getByRole("heading", { name: "Math Agent" })).toBeVisible();
  const alert = page.getByRole("alert").filter({ hasText: "could not be fetched" });
  await expect(alert).toBeVisible();
  // A host of another build has no such file: it answers with its page.
  await page.unroute(SECOND);
  await page.route(SECOND, (route) => route.fulfill({ status: 404, contentType: "text/html", body: "<p>" }));
  const again = page.waitForResponse(SECOND);
  await alert.getByRole("button", { name: "Try again" }).click();
  expect((await again).status()).toBe(404);
  await expect(alert).toBeVisible();
  await page.unroute(SECOND);
  await alert.getByRole("button", { name: "Try again" }).click();
  await expect(page.getByRole("button", { name: "Start over" })).toBeVisible();
  await expect(alert).toBeHidden();
  await page.close();
});
