// The room that the parts of a workspace take: the catalog gives way to the form, names and labels are
// shown in full, errors stand on their rows, and columns are resized.

import { type Locator } from "@playwright/test";

import { expect, startShapes, test } from "../fixtures";
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
