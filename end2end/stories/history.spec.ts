// The history as one reads it: it follows along until the reader looks back, rows are copied whole,
// and a session in progress is not left by accident.

import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { expect, startHost, test } from "../fixtures";
import { Rehearsal } from "../rehearsal";

test("a call that ends while the reader has scrolled up is announced", async ({ page, host, picture, accessible }) => {
  void host;
  const rehearsal = await Rehearsal.at(page, "travel-desk");
  await rehearsal.fill("query", "When do we fly?");
  await rehearsal.fill("max_results", "1");
  await rehearsal.begin();
  await rehearsal.choose("city_file");
  await rehearsal.fill("airport", "LIS");
  await rehearsal.run();
  // Open, the row is higher than the window.
  await rehearsal.call(1).getByRole("button").first().click();
  await rehearsal.choose("slow_timetable");
  await rehearsal.fill("seconds", "3");
  await rehearsal.run();
  const cancel = page.getByRole("button", { name: /^Cancel/ });
  await expect(cancel).toBeInViewport();
  await page.locator(".timeline").evaluate((list) => {
    list.scrollTop = 0;
  });
  const pill = page.getByRole("button", { name: "1 new entry" });
  await expect(pill).toBeVisible({ timeout: 60_000 });
  await expect(rehearsal.call(1)).toBeInViewport();
  await picture("looking-back");
  await accessible();
  await pill.click();
  await expect(rehearsal.call(2)).toBeInViewport();
  await expect(pill).toBeHidden();
  // Whoever reads along needs no word about it.
  await rehearsal.fill("seconds", "0");
  await rehearsal.run();
  await expect(rehearsal.call(3)).toBeInViewport();
  await expect(page.getByRole("button", { name: /new entr/ })).toHaveCount(0);
});

test("the log opens below the entries and keeps the newest in sight", async ({ page, host, picture }) => {
  void host;
  const rehearsal = await Rehearsal.at(page, "math-agent");
  await rehearsal.ask("Add a lot.");
  await rehearsal.choose("add");
  for (let number = 1; number <= 22; number += 1) {
    await rehearsal.fill("a", String(number));
    await rehearsal.fill("b", "1");
    await rehearsal.run();
    await expect(rehearsal.call(number)).toContainText(`→ ${number + 1}`);
  }
  await expect(rehearsal.call(22)).toBeInViewport();
  await page.getByRole("button", { name: "Log", exact: true }).click();
  await expect(page.getByRole("region", { name: "Log" })).toBeVisible();
  const hidden = () =>
    page.evaluate(() => {
      const list = document.querySelector(".timeline") as HTMLElement;
      return list.scrollHeight - list.scrollTop - list.clientHeight;
    });
  await expect.poll(hidden).toBeLessThan(2);
  await picture("log");
});

test("a row, its arguments and its result are copied", async ({ page, host }) => {
  void host;
  await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
  const clipboard = () => page.evaluate(() => navigator.clipboard.readText());
  const rehearsal = await Rehearsal.at(page, "math-agent");
  await rehearsal.ask("5 + 3?");
  await rehearsal.choose("add");
  await rehearsal.fill("a", "9007199254740993");
  await rehearsal.fill("b", "3");
  await rehearsal.run();
  await rehearsal.call(1).getByRole("button").first().click();
  await page.getByRole("button", { name: "Copy the arguments" }).click();
  await expect.poll(clipboard).toContain("9007199254740993");
  await page.getByRole("button", { name: "Copy the entry as JSON" }).click();
  await expect.poll(clipboard).toContain('"type": "tool_output"');
  expect(await clipboard()).toContain('"tool_name": "add"');
  await rehearsal.answer("Copied.");
  await page.getByRole("button", { name: "Copy Final response" }).click();
  await expect.poll(clipboard).toBe("Copied.");
});

test("copying works on a page served over plain HTTP from another machine", async ({ page, host }) => {
  void host;
  // Such a page has no clipboard API.
  await page.addInitScript(() => {
    Object.defineProperty(Navigator.prototype, "clipboard", { get: () => undefined });
  });
  const rehearsal = await Rehearsal.at(page, "math-agent");
  await rehearsal.ask("5 + 3?");
  await rehearsal.choose("add");
  await rehearsal.fill("a", "9007199254740993");
  await rehearsal.fill("b", "3");
  await rehearsal.run();
  await rehearsal.call(1).getByRole("button").first().click();
  const copy = page.getByRole("button", { name: "Copy the arguments" });
  await copy.focus();
  await page.keyboard.press("Enter");
  // The focus stays, and the copied text can be pasted.
  await expect(copy).toBeFocused();
  await page.keyboard.press("Escape");
  await page.keyboard.press("f");
  const response = page.getByRole("textbox", { name: "Final response" });
  await expect(response).toBeFocused();
  await page.keyboard.press("ControlOrMeta+v");
  await expect(response).toHaveValue(/9007199254740993/);
});

test("no call is cut while there is room below, and each has one line otherwise", async ({ page, host, picture }) => {
  void host;
  const rehearsal = await Rehearsal.at(page, "travel-desk");
  await rehearsal.fill("query", "When do we fly?");
  await rehearsal.fill("max_results", "1");
  await rehearsal.begin();
  const list = page.locator("#timeline");
  const cut = () => list.locator(".signature").evaluateAll((calls) => calls.filter((it) => it.scrollWidth > it.clientWidth).length);
  const overflows = () => list.evaluate((it) => it.scrollHeight > it.clientHeight);
  await rehearsal.choose("city_file");
  await rehearsal.fill("airport", "LIS");
  for (let call = 1; call <= 2; call += 1) {
    await rehearsal.run();
    await expect(rehearsal.call(call)).toBeVisible();
  }
  await expect.poll(cut).toBe(0);
  expect(await overflows()).toBe(false);
  await picture("with-room");
  // What is opened takes no line from the calls.
  const first = rehearsal.call(1).getByRole("button").first();
  await first.click();
  await expect(rehearsal.call(1).getByText("Arguments", { exact: true })).toBeVisible();
  expect(await cut()).toBe(0);
  await first.click();
  // In a lower window the same calls have one line each.
  const size = page.viewportSize();
  await page.setViewportSize({ width: size?.width ?? 1280, height: 300 });
  await expect.poll(cut).toBe(2);
  await page.setViewportSize(size ?? { width: 1280, height: 720 });
  await expect.poll(cut).toBe(0);
});

/** An ADK agent whose tool logs a warning and fails. */
const FAILING = `
import logging

from google.adk.agents import LlmAgent


def measure(place: str) -> dict:
    """Measures a place."""
    logging.getLogger("google_adk").warning("The sensor is deprecated.")
    raise ValueError("No such place.")


root_agent = LlmAgent(name="failing", model="gemini-2.5-flash", instruction="Measure.", tools=[measure])
`;

test("a failed call shows its error beside long arguments, and what was logged meanwhile", async ({ page, picture, accessible }) => {
  test.skip(!process.env.REHEARSAL_TEST_PYTHON, "SKIPPED, NOT PASSED: REHEARSAL_TEST_PYTHON is not set; cargo xtask test sets it");
  const folder = mkdtempSync(join(tmpdir(), "rehearsal-failing-"));
  mkdirSync(join(folder, "failing"));
  writeFileSync(join(folder, "failing/__init__.py"), "from . import agent\n");
  writeFileSync(join(folder, "failing/agent.py"), FAILING);
  const host = await startHost({ arguments: [join(folder, "failing")] });
  const rehearsal = await Rehearsal.at(page, "failing", host.url);
  await rehearsal.ask("How warm is it?");
  await rehearsal.choose("measure");
  await rehearsal.fill("place", "a very long place ".repeat(40));
  await rehearsal.run();
  const row = rehearsal.call(1);
  await expect(row).toHaveClass(/failed/);
  const [outcome, line] = [await row.locator(".outcome").boundingBox(), await row.locator(".signature").boundingBox()];
  expect(outcome?.width).toBeGreaterThan(150);
  expect((outcome?.x ?? 0) + (outcome?.width ?? 0)).toBeLessThanOrEqual((line?.x ?? 0) + (line?.width ?? 0) + 1);
  await expect(row.getByRole("list", { name: "Logged during the call" })).toContainText("The sensor is deprecated.");
  await expect(page.getByRole("button", { name: "Log", exact: true })).toContainText(/Log *\d/);
  await picture("failed");
  await accessible();
  await page.close();
  expect(await host.stop()).toBe(0);
  rmSync(folder, { recursive: true, force: true });
});
