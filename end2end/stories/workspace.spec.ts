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
