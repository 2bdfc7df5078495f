// The actions of a person in a live session: enter a name, choose a tool, fill in its form, respond,
// complete.

import { expect, type Browser, type Locator, type Page } from "@playwright/test";

import { open } from "./fixtures";
import { unfoldTools } from "./rehearsal";

/** Enters the name that is recorded with each response. */
export async function introduce(page: Page, name: string): Promise<void> {
  await page.getByRole("textbox", { name: /Enter your name/ }).fill(name);
  await page.getByRole("button", { name: "Save" }).click();
  await expect(page.getByRole("button", { name, exact: true })).toBeVisible();
}

/** Responds to the current turn with a text. */
export async function answer(page: Page, text: string): Promise<void> {
  await page.getByRole("tab", { name: /Text|Response/ }).click();
  await page.getByRole("textbox", { name: "Text", exact: true }).fill(text);
  await page.locator("#send").click();
}

/** Chooses a tool of the turn. */
export async function choose(page: Page, tool: string): Promise<void> {
  await unfoldTools(page);
  await page.getByRole("list", { name: "Tools" }).getByText(tool, { exact: true }).click();
  await expect(page.getByRole("heading", { name: tool, exact: true })).toBeVisible();
}

/** The input of the response whose label starts with `label`. */
export function field(page: Page, label: string): Locator {
  return page.locator("#choice").getByRole("textbox", { name: new RegExp(`^${label}\\b`) }).first();
}

/** Completes the session. */
export async function complete(page: Page): Promise<void> {
  await page.getByRole("button", { name: "Complete session" }).click();
  await page.getByRole("dialog").getByRole("button", { name: /omplete$/ }).click();
}

/** The browser of another person. */
export async function otherPerson(browser: Browser, address: string): Promise<Page> {
  const context = await browser.newContext();
  const page = await context.newPage();
  await open(page, address);
  return page;
}
