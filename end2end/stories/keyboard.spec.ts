// The keyboard: nothing typed is lost or becomes a shortcut, and the focus never falls to the body.

import { type Page } from "@playwright/test";

import { expect, test } from "../fixtures";
import { Rehearsal } from "../rehearsal";

/** The tag of the focused element, after the frame that is being drawn. */
async function focused(page: Page): Promise<string> {
  return page.evaluate(async () => {
    await new Promise(requestAnimationFrame);
    await new Promise(requestAnimationFrame);
    return document.activeElement?.tagName ?? "";
  });
}

test("? lists the shortcuts, except in a field", async ({ page, host, picture, accessible }) => {
  void host;
  const rehearsal = await Rehearsal.at(page, "math-agent");
  await page.keyboard.type("Why?");
  await expect(page.getByRole("textbox", { name: "User message" })).toHaveValue("Why?");
  await rehearsal.begin();
  await page.keyboard.press("Escape");
  await page.keyboard.press("?");
  const list = page.getByRole("dialog", { name: "Keyboard shortcuts" });
  await expect(list).toContainText("Final response");
  await expect(list).toContainText("Edit the field as JSON");
  await picture("shortcuts");
  await accessible();
  await page.keyboard.press("Escape");
  await expect(list).toBeHidden();
  expect(await focused(page)).not.toBe("BODY");
  // The palette leads to it, too.
  await page.keyboard.press("Control+k");
  await page.keyboard.type("shortcuts");
  await page.keyboard.press("Enter");
  await expect(list).toBeVisible();
});

test("a click on a side of the panel puts the focus into its field", async ({ page, host }) => {
  void host;
  const rehearsal = await Rehearsal.at(page, "math-agent");
  await rehearsal.ask("5 + 3?");
  await page.getByRole("tab", { name: /Final response/ }).click();
  await expect(page.getByRole("textbox", { name: "Final response" })).toBeFocused();
  await page.getByRole("tab", { name: /Call a tool/ }).click();
  await expect(page.getByRole("searchbox", { name: "Filter tools" })).toBeFocused();
  await rehearsal.choose("add");
  await page.getByRole("tab", { name: /Final response/ }).click();
  await page.getByRole("tab", { name: /Call a tool/ }).click();
  await expect(rehearsal.field("a")).toBeFocused();
});

test("one Esc cancels a call, also from a field, and another leads back to the form", async ({ page, host }) => {
  void host;
  const rehearsal = await Rehearsal.at(page, "travel-desk");
  await rehearsal.fill("query", "When do we fly?");
  await rehearsal.fill("max_results", "1");
  await rehearsal.begin();
  await rehearsal.choose("slow_timetable");
  await rehearsal.fill("seconds", "30");
  await page.keyboard.press("Control+Enter");
  await expect(page.getByRole("timer")).toBeVisible();
  await expect(rehearsal.field("seconds")).toBeFocused();
  await page.keyboard.press("Escape");
  await expect(rehearsal.call(1)).toHaveClass(/cancelled/);
  // From a row of the history to the form: one key, and few stops of the Tab key.
  await page.keyboard.press("Escape");
  await page.keyboard.press("h");
  expect(await page.evaluate(() => document.activeElement?.id)).toMatch(/^row-/);
  await page.keyboard.press("Escape");
  await expect(rehearsal.field("seconds")).toBeFocused();
});

test("the focus never falls to the body", async ({ page, host }) => {
  void host;
  const rehearsal = await Rehearsal.at(page, "math-agent");
  await rehearsal.ask("5 + 3?");
  await rehearsal.choose("add");
  await rehearsal.fill("a", "x");
  await page.keyboard.press("Escape");
  expect(await focused(page)).not.toBe("BODY");
  // Each of these buttons is removed by its press.
  await rehearsal.fill("a", "1");
  await page.getByRole("button", { name: /^Undo/ }).click();
  expect(await focused(page)).not.toBe("BODY");
  await page.getByRole("button", { name: "Log", exact: true }).click();
  await page.getByRole("region", { name: "Log" }).getByRole("button", { name: "Close" }).click();
  expect(await focused(page)).not.toBe("BODY");
  await rehearsal.answer("8");
  expect(await focused(page)).not.toBe("BODY");
});
