// A rehearsal of three tools by the pointer alone (and typing where text is wanted), and by the
// keyboard alone. Clicks and keystrokes are counted and reported.

import { type Page } from "@playwright/test";

import { expect, open, test } from "../fixtures";
import { unfoldTools } from "../rehearsal";

/** How long a person takes, in milliseconds: a generous pace. */
const PACE = { click: 1_200, key: 200 };

interface Effort {
  clicks: number;
  keys: number;
}

function report(how: string, { clicks, keys }: Effort): void {
  const seconds = (clicks * PACE.click + keys * PACE.key) / 1_000;
  const summary = `${how}: ${clicks} clicks, ${keys} keystrokes, ${seconds.toFixed(0)} s at a human pace`;
  console.log(summary);
  test.info().annotations.push({ type: "effort", description: summary });
  expect(seconds, summary).toBeLessThan(120);
}

const CALLS = [
  { tool: "multiply", a: "5", b: "5", result: "→ 25" },
  { tool: "add", a: "25", b: "10", result: "→ 35" },
  { tool: "add", a: "35", b: "7", result: "→ 42" },
];
const QUERY = "What is 5 * 5 + 10 + 7?";
const ANSWER = "It is 42.";

async function calls(page: Page, number: number, result: string): Promise<void> {
  await expect(page.locator(".row.returned").nth(number)).toContainText(result);
}

test("three tools by the pointer", async ({ page }) => {
  const effort: Effort = { clicks: 0, keys: 0 };
  const click = async (role: "button" | "link" | "tab" | "textbox", name: string | RegExp) => {
    effort.clicks += 1;
    await page.getByRole(role, { name, exact: true }).first().click();
  };
  const type = async (role: "textbox", name: string | RegExp, text: string) => {
    await click(role, name);
    await page.keyboard.press("ControlOrMeta+a");
    await page.keyboard.type(text);
    effort.keys += text.length + 1;
  };
  await open(page, "/");
  await click("link", /Math Agent/);
  await type("textbox", "User message", QUERY);
  await click("button", /Start session/);
  for (const [number, { tool, a, b, result }] of CALLS.entries()) {
    if (number > 0) {
      // The form of the tool before has folded the catalog.
      effort.clicks += 1;
      // The result that has just come moves the focus to the catalog, which may fold it once more.
      await expect(async () => {
        await unfoldTools(page);
        await expect(page.getByRole("list", { name: "Tools" })).toBeVisible({ timeout: 200 });
      }).toPass();
    }
    effort.clicks += 1;
    await page.getByRole("list", { name: "Tools" }).getByText(tool, { exact: true }).click();
    await type("textbox", /^a\b/, a);
    await type("textbox", /^b\b/, b);
    await click("button", /^Run/);
    await calls(page, number, result);
  }
  await click("tab", /Final response/);
  await type("textbox", "Final response", ANSWER);
  await click("button", /Send response/);
  effort.clicks += 1;
  await page.locator("#export").click();
  await expect(page.getByRole("heading", { name: /^Exported( into a new eval set)?$/ })).toBeVisible();
  report("pointer", effort);
});

test("three tools by the keyboard", async ({ page }) => {
  const effort: Effort = { clicks: 0, keys: 0 };
  const press = async (key: string) => {
    effort.keys += 1;
    await page.keyboard.press(key);
  };
  const type = async (text: string) => {
    effort.keys += text.length;
    await page.keyboard.type(text);
  };
  await open(page, "/");
  await press("ControlOrMeta+k");
  await type("math");
  await press("Enter");
  await expect(page.getByRole("textbox", { name: "User message" })).toBeFocused();
  await type(QUERY);
  await press("ControlOrMeta+Enter");
  const filter = page.getByRole("searchbox", { name: "Filter tools" });
  await expect(filter).toBeFocused();
  for (const [number, { tool, a, b, result }] of CALLS.entries()) {
    if (number > 0) {
      // Leaves the field, then goes to the filter.
      await press("Escape");
      await press("/");
      await expect(filter).toBeFocused();
      await expect(filter).toHaveValue("");
    }
    await type(tool);
    await press("Enter");
    await expect(page.getByRole("textbox", { name: /^a\b/ })).toBeFocused();
    await press("ControlOrMeta+a");
    await type(a);
    await press("Tab");
    while (!(await page.getByRole("textbox", { name: /^b\b/ }).evaluate((it) => it === document.activeElement))) {
      await press("Tab");
    }
    await press("ControlOrMeta+a");
    await type(b);
    await press("ControlOrMeta+Enter");
    await calls(page, number, result);
  }
  await press("Escape");
  await press("f");
  await expect(page.getByRole("textbox", { name: "Final response" })).toBeFocused();
  await type(ANSWER);
  await press("ControlOrMeta+Enter");
  await expect(page.locator("#export")).toBeFocused();
  await press("Enter");
  await expect(page.getByRole("heading", { name: /^Exported( into a new eval set)?$/ })).toBeVisible();
  expect(effort.clicks).toBe(0);
  report("keyboard", effort);
});

test("no typed letter is lost while the other side of the panel opens", async ({ page }) => {
  await open(page, "/rehearse/math-agent");
  const query = page.getByRole("textbox", { name: "User message" });
  await query.fill(QUERY);
  await page.keyboard.press("ControlOrMeta+Enter");
  const filter = page.getByRole("searchbox", { name: "Filter tools" });
  const response = page.getByRole("textbox", { name: "Final response" });
  await expect(filter).toBeFocused();
  for (const _ of [1, 2, 3]) {
    await page.keyboard.press("Escape");
    // As fast as the browser accepts them. "T" would switch back if it were not part of the response.
    await page.keyboard.type("fto do");
    await expect(response).toHaveValue("to do");
    await response.fill("");
    await page.keyboard.press("Escape");
    await page.keyboard.type("/multiply");
    await expect(filter).toHaveValue("multiply");
    await filter.fill("");
  }
});
