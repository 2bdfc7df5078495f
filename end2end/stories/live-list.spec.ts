// The list of live sessions: what waits comes first, rows keep their places, only visible ones are
// drawn, and the keyboard leads from session to session.
//
// Needs REHEARSAL_TEST_PYTHON, which `cargo xtask test` sets.

import { execFile } from "node:child_process";
import { randomUUID } from "node:crypto";
import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { promisify } from "node:util";

import { expect, MATH_ONLY, open, startHost, test as base } from "../fixtures";
import { answer, introduce } from "../live-session";

const python = process.env.REHEARSAL_TEST_PYTHON;

/** Writes sessions with a request each, every third of them completed, and returns their ids. */
async function write(host: string, sessions: number, messages = 1): Promise<string[]> {
  const script = resolve(import.meta.dirname, "../live_sessions.py");
  const arguments_ = [script, new URL(host).host, String(sessions), String(messages)];
  const { stdout } = await promisify(execFile)(python ?? "", arguments_);
  return stdout.trim().split("\n");
}

const SESSIONS = 300;

const test = base.extend<{ url: string }>({
  url: async ({}, use) => {
    const host = await startHost({ config: MATH_ONLY });
    await use(host.url);
    expect(await host.stop()).toBe(0);
  },
});

test.skip(!python, "SKIPPED, NOT PASSED: REHEARSAL_TEST_PYTHON is not set; cargo xtask test sets it");

test("the list opens on what waits, oldest first, and draws only the rows in sight", async ({ page, url, picture, accessible }) => {
  await write(url, SESSIONS);
  await open(page, `${url}/live`);
  const rows = page.locator(".live-list tbody tr:not(.space)");
  await expect(rows.first()).toContainText("Session 1 ");
  await expect(page.getByRole("button", { name: "Waiting 200" })).toHaveAttribute("aria-pressed", "true");
  await expect(page.getByRole("button", { name: "Completed 100" })).toBeVisible();
  await expect(page.getByText("200 of 300 sessions", { exact: true })).toBeVisible();
  expect(await page.locator("*").count()).toBeLessThan(2_000);
  await picture("waiting");
  await accessible();

  // The arrow keys work at once, and Enter opens.
  await expect(rows.first().getByRole("link")).toBeFocused();
  await page.keyboard.press("ArrowDown");
  await expect(rows.nth(1).getByRole("link")).toBeFocused();
  await page.keyboard.press("End");
  await expect(page.getByRole("row").filter({ hasText: "Session 299 " }).getByRole("link")).toBeFocused();
  await page.keyboard.press("ArrowUp");
  await page.keyboard.press("Enter");
  await expect(page.getByRole("heading", { name: "Session 298" })).toBeVisible();
  await page.goBack();

  // From the search, Arrow Down goes to the list.
  await page.getByRole("searchbox").fill("Session 29");
  await expect(rows.first()).toContainText("Session 29");
  await page.getByRole("searchbox").press("ArrowDown");
  await expect(rows.first().getByRole("link")).toBeFocused();
  await page.keyboard.press("ArrowDown");
  await expect(rows.nth(1).getByRole("link")).toBeFocused();
  await page.getByRole("searchbox").fill("");
  await expect(page.getByText("200 of 300 sessions", { exact: true })).toBeVisible();

  // A link restores the filter.
  await page.getByRole("button", { name: "Completed 100" }).click();
  await expect(page).toHaveURL(/show=completed/);
  await expect(rows.first()).toContainText("Session 300 ");
  await page.reload();
  await expect(rows.first()).toContainText("Session 300 ");
  await page.getByRole("button", { name: "Mine 0" }).click();
  await expect(page.getByText("You hold no lease and have no draft")).toBeVisible();
  await picture("mine");
});

test("rows keep their places while sessions arrive", async ({ page, url }) => {
  await write(url, 30);
  await open(page, `${url}/live`);
  const row = page.getByRole("row").filter({ hasText: "Session 5 " });
  await row.hover();
  const before = await row.boundingBox();
  await write(url, 3);
  await expect(page.getByRole("button", { name: "Waiting 22" })).toBeVisible();
  expect(await row.boundingBox()).toEqual(before);
  // The newest are first here, so that the new ones wait for a press.
  await page.getByRole("button", { name: "All 33" }).click();
  const first = page.locator(".live-list tbody tr:not(.space)").first();
  const shown = await first.getByRole("link").getAttribute("href");
  await write(url, 3);
  const news = page.getByRole("button", { name: "3 new sessions" });
  await expect(news).toBeVisible();
  expect(await first.getByRole("link").getAttribute("href")).toBe(shown);
  await news.click();
  await expect(news).toBeHidden();
  expect(await first.getByRole("link").getAttribute("href")).not.toBe(shown);
});

test("one key leads to the next waiting session, or none is needed", async ({ page, url, picture }) => {
  await write(url, 5);
  await open(page, `${url}/live`);
  await page.getByRole("row").filter({ hasText: "Session 1 " }).getByRole("link").click();
  await introduce(page, "Ann");
  const heading = (number: number) => page.getByRole("heading", { name: `Session ${number}` });
  const field = page.getByRole("textbox", { name: "Text", exact: true });
  await answer(page, "One.");
  await page.keyboard.press("Alt+n");
  await expect(heading(2)).toBeVisible();
  await expect(field).toBeFocused();
  await page.getByRole("button", { name: "Open next session after response" }).click();
  await field.focus();
  for (const number of [2, 4]) {
    await expect(heading(number)).toBeVisible();
    await expect(field).toBeFocused();
    await page.keyboard.type("For you.");
    await page.keyboard.press("Control+Enter");
  }
  await expect(heading(5)).toBeVisible();
  await picture("last");
  await page.keyboard.press("Alt+n");
  await expect(page.getByRole("alert")).toContainText("No other session is waiting for a response.");
  await expect(field).toBeFocused();
});

test("the beginning of a long text is shown in parts, and the whole is saved", async ({ page, url, picture, accessible }) => {
  const session = randomUUID();
  const text = `First line.\n${"The weather report of a small town, line by line.\n".repeat(100_000)}`;
  const asked = fetch(`${url}/s/${session}/a/planner/v1/chat/completions`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ model: "m", messages: [{ role: "user", content: text }] }),
  });
  await expect.poll(async () => (await page.request.get(`${url}/live/${session}`)).status()).toBe(200);
  await open(page, `${url}/live/${session}`);
  const message = page.getByRole("list", { name: "Conversation" }).getByRole("listitem").first();
  await expect(message.getByText(/^First line\./)).toBeAttached();
  const length = () => message.locator("p").first().evaluate((it) => it.textContent?.length);
  expect(await length()).toBe(64 * 1024);
  await expect(message.getByText(/^66 KB of 1.0 MB shown/)).toBeVisible();
  await picture("long text");
  await accessible();
  await message.getByRole("button", { name: "Show more" }).click();
  expect(await length()).toBe(2 * 64 * 1024);
  const file = page.getByRole("list", { name: "Conversation" }).getByRole("listitem").nth(1);
  await expect(file).toContainText("text/plain · 5.0 MB");
  const download = page.waitForEvent("download");
  await file.getByRole("link", { name: "Save whole text.txt" }).click();
  expect(readFileSync(await (await download).path(), "utf8") === text).toBe(true);
  await introduce(page, "Ann");
  await answer(page, "Read.");
  expect((await asked).status).toBe(200);
});

test("a request of 10,000 messages draws only those in sight", async ({ page, url, picture, accessible }) => {
  const [session] = await write(url, 1, 10_000);
  await open(page, `${url}/live/${session}`);
  const messages = page.getByRole("list", { name: "Conversation" });
  await expect(messages.getByText(/^Message 10000\./)).toBeInViewport();
  expect(await page.locator("*").count()).toBeLessThan(2_000);
  await picture("end");
  await accessible();
  // The frame scrolls through all of them.
  const frame = page.getByRole("group", { name: "Messages" });
  await frame.focus();
  await page.keyboard.press("Home");
  await expect(messages.getByText(/^Message 1\./)).toBeInViewport();
  await page.keyboard.press("End");
  await expect(messages.getByText(/^Message 10000\./)).toBeInViewport();
  await introduce(page, "Ann");
  await answer(page, "It rains.");
  await expect(messages.getByText("It rains.", { exact: true })).toBeInViewport();
});
