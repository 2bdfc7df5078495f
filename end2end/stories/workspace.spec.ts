// The room that the parts of a workspace take: the catalog gives way to the form, names and labels are
// shown in full, errors stand on their rows, and columns are resized.

import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { type Locator, type Page } from "@playwright/test";

import { expect, startHost, startShapes, test, type Host } from "../fixtures";
import { Rehearsal } from "../rehearsal";

const LONG_NAME = "reserve_conference_room_with_catering_and_equipment";

interface Box {
  left: number;
  top: number;
  right: number;
  bottom: number;
}

/** The box of an element that is shown. */
async function box(element: Locator): Promise<Box> {
  return element.evaluate((it) => {
    const { left, top, right, bottom } = it.getBoundingClientRect();
    return { left, top, right, bottom };
  });
}

/** A host with one ADK agent, `desk`, whose module is `text`. */
async function desk(text: string): Promise<{ host: Host; end(): Promise<void> }> {
  const folder = mkdtempSync(join(tmpdir(), "rehearsal-desk-"));
  mkdirSync(join(folder, "desk"));
  writeFileSync(join(folder, "desk/__init__.py"), "from . import agent\n");
  writeFileSync(join(folder, "desk/agent.py"), text);
  const host = await startHost({ arguments: [join(folder, "desk")] });
  const end = async () => {
    expect(await host.stop()).toBe(0);
    rmSync(folder, { recursive: true, force: true });
  };
  return { host, end };
}

/** How far the page reaches beyond the window to the right. */
function beyond(page: Page): Promise<number> {
  return page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
}

test("the catalog folds to one line for the form of a chosen tool", async ({ page, host, picture, accessible }) => {
  void host;
  const rehearsal = await Rehearsal.at(page, "math-agent");
  await rehearsal.ask("5 + 3?");
  const tools = page.getByRole("list", { name: "Tools" });
  const filter = page.getByRole("searchbox", { name: "Filter tools" });
  const unfold = page.getByRole("button", { name: "Tools", exact: true });
  await expect(tools).toBeVisible();
  await expect(unfold).toBeHidden();
  await tools.getByText("add", { exact: true }).click();
  await expect(rehearsal.field("a")).toBeFocused();
  await expect(tools).toBeHidden();
  const catalog = await box(page.locator(".catalog"));
  expect(catalog.bottom - catalog.top).toBeLessThan(50);
  await picture("folded");
  await accessible();
  // One click shows the tools, and choosing one folds them again.
  await unfold.click();
  await expect(unfold).toHaveAttribute("aria-expanded", "true");
  await picture("unfolded");
  await accessible();
  await tools.getByText("multiply", { exact: true }).click();
  await expect(page.getByRole("heading", { name: "multiply", exact: true })).toBeVisible();
  await expect(tools).toBeHidden();
  // So does one key, and Esc folds them.
  await page.keyboard.press("Escape");
  await page.keyboard.press("/");
  await expect(filter).toBeFocused();
  await expect(tools).toBeVisible();
  await page.keyboard.press("Escape");
  await expect(tools).toBeHidden();
  // Nothing moves under a press: the list that is open stays when a field takes the focus.
  await filter.click();
  await expect(tools).toBeVisible();
  await rehearsal.field("a").click();
  await expect(rehearsal.field("a")).toBeFocused();
  await expect(tools).toBeVisible();
  // A choice in the palette folds it too, although the focus then goes back to the filter.
  await filter.click();
  await page.keyboard.press("ControlOrMeta+k");
  await page.keyboard.type("add");
  await page.keyboard.press("Enter");
  await expect(page.getByRole("heading", { name: "add", exact: true })).toBeVisible();
  await expect(tools).toBeHidden();
  await unfold.click();
  await tools.getByText("multiply", { exact: true }).click();
  // With enough room, nothing folds.
  await page.setViewportSize({ width: 1920, height: 1080 });
  await page.keyboard.press("Escape");
  await page.keyboard.press("/");
  await page.keyboard.type("add");
  await page.keyboard.press("Enter");
  await expect(page.getByRole("heading", { name: "add", exact: true })).toBeVisible();
  await expect(tools).toBeVisible();
  await expect(unfold).toBeHidden();
  await picture("wide");
});

test("the name of a tool is shown in full, and its description is cut", async ({ page, picture }) => {
  const host = await startShapes();
  const rehearsal = await Rehearsal.at(page, "shapes", host.url);
  await rehearsal.ask("Reserve.");
  const tool = page.getByRole("list", { name: "Tools" }).getByRole("button").filter({ hasText: LONG_NAME });
  await tool.scrollIntoViewIfNeeded();
  for (const [width, height] of [[1280, 720], [1920, 1080], [900, 720]] as const) {
    await page.setViewportSize({ width, height });
    const hidden = await tool.locator("b").evaluate((name) => name.scrollWidth - name.clientWidth);
    expect(hidden, `at ${width}`).toBeLessThanOrEqual(0);
    const [name, line] = [await box(tool.locator("b")), await box(tool)];
    expect(name.right, `at ${width}`).toBeLessThanOrEqual(line.right);
    await picture(`names-${width}`);
  }
  // A short name leaves the description more than two fifths of the line.
  await page.setViewportSize({ width: 1280, height: 720 });
  const short = page.getByRole("list", { name: "Tools" }).getByRole("button").filter({ hasText: "Takes one of 20,000" });
  const [summary, whole] = [await box(short.locator(".tool-summary")), await box(short)];
  expect(summary.right - summary.left).toBeGreaterThan((whole.right - whole.left) * 0.4);
  await page.close();
  expect(await host.stop()).toBe(0);
});

test("the button that edits a field as JSON covers no label", async ({ page, picture }) => {
  const host = await startShapes();
  const rehearsal = await Rehearsal.at(page, "shapes", host.url);
  await rehearsal.ask("Reserve.");
  await rehearsal.choose(LONG_NAME);
  const form = page.locator("#tool-form");
  // Every optional object is opened, and every list gets an item.
  for (const name of ["catering_for_the_participants", "contact_at_the_caterer", "address"]) {
    await form.getByRole("group", { name, exact: true }).locator("> .field-control").getByRole("radio").last().check();
  }
  for (const add of await form.getByRole("button", { name: "+ add" }).all()) {
    await add.click();
  }
  for (const width of [1280, 1000, 1920]) {
    await page.setViewportSize({ width, height: 720 });
    const covered = await form.evaluate((form) => {
      const overlaps = (a: DOMRect, b: DOMRect) =>
        a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom;
      // Of a label the words that are seen, and not the box that they could fill.
      const words = (label: Element) => {
        const walker = document.createTreeWalker(label, NodeFilter.SHOW_TEXT);
        const boxes: DOMRect[] = [];
        while (walker.nextNode()) {
          if (!walker.currentNode.parentElement?.closest(".unseen")) {
            const range = document.createRange();
            range.selectNode(walker.currentNode);
            boxes.push(...range.getClientRects());
          }
        }
        return boxes;
      };
      const texts = [...form.querySelectorAll(".field-label, .field-help, input, textarea, select")].map((element) => ({
        text: element.textContent || element.id,
        boxes: element.matches(".field-label, .field-help") ? words(element) : [element.getBoundingClientRect()],
      }));
      const found: string[] = [];
      for (const button of form.querySelectorAll(".to-json")) {
        const at = button.getBoundingClientRect();
        for (const { text, boxes } of texts) {
          if (at.width > 0 && boxes.some((box) => overlaps(at, box))) {
            found.push(`${button.getAttribute("aria-label")} covers ${text}`);
          }
        }
      }
      return found;
    });
    expect(covered, `at ${width}`).toEqual([]);
    await form.locator(".field").last().hover();
    await picture(`labels-${width}`);
  }
  await page.close();
  expect(await host.stop()).toBe(0);
});

/** An ADK agent whose arguments are described in a docstring, whose result only warns, and which can
 * transfer to several agents. */
const DESK = `
import logging

from google.adk.agents import LlmAgent


def measure(place: str, unit: str = "celsius") -> dict:
    """Measures a place.

    Some sensors are old.

    Args:
      place: Where the sensor is,
        such as the office.
      unit: The unit of the result.

    Returns:
      The readings.
    """
    logging.getLogger("google_adk").warning("The sensor is deprecated.")
    return {"readings": [20.5 + minute for minute in range(60)], "error": "The sensor is offline."}


helpers = [
    LlmAgent(name=name, model="gemini-2.5-flash", description=f"Helps with {name}.", instruction="Help.")
    for name in ["garage_agent", "garden_agent", "kitchen_agent"]
]
root_agent = LlmAgent(name="desk", model="gemini-2.5-flash", instruction="Measure.", tools=[measure], sub_agents=helpers)
`;

test("arguments that a docstring describes have their descriptions at their fields", async ({ page, picture, accessible }) => {
  test.skip(!process.env.REHEARSAL_TEST_PYTHON, "SKIPPED, NOT PASSED: REHEARSAL_TEST_PYTHON is not set; cargo xtask test sets it");
  const { host, end } = await desk(DESK);
  const rehearsal = await Rehearsal.at(page, "desk", host.url);
  await rehearsal.ask("How warm is it?");
  await rehearsal.choose("measure");
  const help = (label: string) => page.locator("#tool-form .field").filter({ hasText: label }).locator(".field-help");
  await expect(help("place")).toHaveText("Where the sensor is, such as the office.");
  await expect(help("unit")).toHaveText("The unit of the result.");
  await expect(rehearsal.field("place")).toHaveAccessibleDescription(/Where the sensor is/);
  await picture("described");
  await accessible();
  await page.close();
  await end();
});

test("a result that only warns shows its error beside long arguments, and what was logged meanwhile", async ({ page, picture, accessible }) => {
  test.skip(!process.env.REHEARSAL_TEST_PYTHON, "SKIPPED, NOT PASSED: REHEARSAL_TEST_PYTHON is not set; cargo xtask test sets it");
  const { host, end } = await desk(DESK);
  const rehearsal = await Rehearsal.at(page, "desk", host.url);
  await rehearsal.ask("How warm is it?");
  await rehearsal.choose("measure");
  await rehearsal.fill("place", "a very long place ".repeat(40));
  await rehearsal.run();
  const row = rehearsal.call(1);
  await expect(row).toHaveClass(/warned/);
  // What matters is first, and in sight.
  await expect(row.locator(".outcome")).toHaveText(/^\{ error: "The sensor is offline\."/);
  const error = row.locator(".outcome .ink-text").first();
  expect((await box(error)).right).toBeLessThanOrEqual((await box(row.locator(".signature"))).right);
  // With room below, nothing is cut.
  const signature = row.locator(".signature");
  const lines = async () => Math.round(((await box(signature)).bottom - (await box(signature)).top) / 19);
  expect(await signature.evaluate((it) => it.scrollWidth > it.clientWidth)).toBe(false);
  expect(await lines()).toBeGreaterThan(2);
  await picture("warned-with-room");
  // Without, the name is whole, and the arguments are cut.
  await page.setViewportSize({ width: 1280, height: 260 });
  await expect.poll(lines).toBe(1);
  expect((await box(error)).right).toBeLessThanOrEqual((await box(signature)).right);
  const cut = (part: string) => row.locator(`.signature > ${part}`).evaluate((it) => it.scrollWidth > it.clientWidth);
  expect([await cut("b"), await cut(".given")]).toEqual([false, true]);
  await expect(row.getByRole("list", { name: "Logged during the call" })).toContainText("The sensor is deprecated.");
  await expect(page.getByRole("button", { name: "Log", exact: true })).toContainText(/Log *\d/);
  await picture("warned");
  await accessible();
  await page.close();
  await end();
});

test("a transfer goes to any of several agents", async ({ page, picture, accessible }) => {
  test.skip(!process.env.REHEARSAL_TEST_PYTHON, "SKIPPED, NOT PASSED: REHEARSAL_TEST_PYTHON is not set; cargo xtask test sets it");
  const { host, end } = await desk(DESK);
  const rehearsal = await Rehearsal.at(page, "desk", host.url);
  await rehearsal.ask("Water the garden.");
  await rehearsal.choose("transfer_to_agent");
  const target = rehearsal.field("agent_name");
  await expect(target.locator("option")).toHaveText(["choose…", "garage_agent", "garden_agent", "kitchen_agent"]);
  await expect(target).toHaveValue("");
  // Nothing is chosen for the person.
  await rehearsal.run();
  await expect(target).toHaveAttribute("aria-invalid", "true");
  await target.selectOption("garden_agent");
  await picture("transfer");
  await accessible();
  await rehearsal.run();
  await expect(page.locator(".page-head")).toContainText("→ garden_agent");
  // The sub-agent has other targets, and none of them is chosen.
  await rehearsal.choose("transfer_to_agent");
  await expect(target.locator("option")).toContainText(["desk", "garage_agent", "kitchen_agent"]);
  await expect(target.locator("option", { hasText: "garden_agent" })).toHaveCount(0);
  await expect(target).toHaveValue("");
  await expect(target).toHaveAttribute("aria-invalid", "false");
  await picture("transfer-back");
  await target.selectOption("desk");
  await rehearsal.run();
  await expect(rehearsal.call(2)).toContainText('agent_name: "desk"');
  await page.close();
  await end();
});

test("columns are resized by the pointer and by keys, and keep their widths", async ({ page, host, picture, accessible }) => {
  void host;
  const rehearsal = await Rehearsal.at(page, "travel-desk");
  const instructions = page.getByRole("separator", { name: "Width of the left column" });
  const panel = page.getByRole("separator", { name: "Width of the right column" });
  const width = async (column: string) => {
    const { left, right } = await box(page.locator(column));
    return Math.round(right - left);
  };
  const drag = async (separator: Locator, by: number) => {
    const { left, right, top, bottom } = await box(separator);
    const [x, y] = [(left + right) / 2, (top + bottom) / 2];
    await page.mouse.move(x, y);
    await page.mouse.down();
    await page.mouse.move(x + by / 2, y, { steps: 4 });
    await page.mouse.move(x + by, y, { steps: 4 });
    await page.mouse.up();
  };
  const [left, right] = [await width(".left"), await width(".right")];
  await drag(instructions, 80);
  expect(Math.abs((await width(".left")) - left - 80)).toBeLessThan(6);
  await drag(panel, -60);
  expect(Math.abs((await width(".right")) - right - 60)).toBeLessThan(6);
  // By keys, one percent of the window at a time.
  await panel.focus();
  const before = Number(await panel.getAttribute("aria-valuenow"));
  await page.keyboard.press("ArrowLeft");
  await page.keyboard.press("ArrowLeft");
  await expect(panel).toHaveAttribute("aria-valuenow", String(before + 2));
  await page.keyboard.press("ArrowRight");
  await expect(panel).toHaveAttribute("aria-valuenow", String(before + 1));
  await accessible();
  // Kept in this browser.
  const kept = [await width(".left"), await width(".right")];
  await page.reload();
  await expect(page.getByRole("heading", { name: "User message" })).toBeVisible({ timeout: 60_000 });
  expect([await width(".left"), await width(".right")]).toEqual(kept);
  // As wide as they get, nothing reaches beyond the window, and the history keeps its room.
  await rehearsal.fill("query", "Where?");
  await rehearsal.fill("max_results", "1");
  await rehearsal.begin();
  await rehearsal.choose("book_trip");
  await instructions.focus();
  await page.keyboard.press("End");
  await panel.focus();
  await page.keyboard.press("End");
  expect(await beyond(page)).toBe(0);
  expect(await width(".middle")).toBeGreaterThan(240);
  await picture("widest");
  await accessible();
  await instructions.focus();
  await page.keyboard.press("Home");
  await panel.focus();
  await page.keyboard.press("Home");
  expect(await beyond(page)).toBe(0);
  expect(await width(".right")).toBeGreaterThan(300);
  await picture("narrowest");
  // A double click brings back the width that fits the window.
  await instructions.dblclick();
  await panel.dblclick();
  expect([await width(".left"), await width(".right")]).toEqual([left, right]);
  await page.reload();
  // The session goes on.
  await expect(page.getByRole("heading", { name: "book_trip", exact: true })).toBeVisible({ timeout: 60_000 });
  expect([await width(".left"), await width(".right")]).toEqual([left, right]);
  // In a wide window, the catalog is beside the form as long as both have room.
  await page.setViewportSize({ width: 1920, height: 1080 });
  const catalog = page.locator(".catalog");
  expect((await box(catalog)).right).toBeLessThanOrEqual((await box(page.locator(".tool-form"))).left + 1);
  await drag(panel, 260);
  expect((await box(catalog)).bottom).toBeLessThanOrEqual((await box(page.locator(".tool-form"))).top + 1);
  await picture("wide-narrowed");
});

test("an item that is added after a failed Run has no error yet", async ({ page, host, picture }) => {
  void host;
  const rehearsal = await Rehearsal.at(page, "travel-desk");
  await rehearsal.fill("query", "Book it.");
  await rehearsal.fill("max_results", "1");
  await rehearsal.begin();
  await rehearsal.choose("book_trip");
  await rehearsal.run();
  await expect(rehearsal.field("fare")).toHaveAttribute("aria-invalid", "true");
  const faults = page.locator("#tool-form .field-faults:not(:empty)");
  const shown = await faults.count();
  const before = await page.locator("#tool-form .item").count();
  await page.locator("#tool-form").getByRole("button", { name: "+ add" }).first().click();
  await expect(page.locator("#tool-form .item")).toHaveCount(before + 1);
  // Faults would appear 180 ms after the last edit.
  await page.waitForTimeout(400);
  await expect(faults).toHaveCount(shown);
  await picture("added");
});
