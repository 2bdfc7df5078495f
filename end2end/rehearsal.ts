// The actions of a person in a rehearsal: write the user message, choose a tool, fill in its form, run
// it, respond, export.

import { expect, type Locator, type Page } from "@playwright/test";

import { keep } from "./exported";
import { open } from "./fixtures";

/** Shows the tools if the form of one has folded them. */
export async function unfoldTools(page: Page): Promise<void> {
  const unfold = page.getByRole("button", { name: "Tools", exact: true, expanded: false });
  if (await unfold.isVisible()) {
    await unfold.click();
  }
}

/** One rehearsal on a page. */
export class Rehearsal {
  constructor(readonly page: Page) {}

  /** Opens the page of an agent, on `host` or the story's own, and waits until its session is open. */
  static async at(page: Page, agent: string, host = ""): Promise<Rehearsal> {
    await open(page, `${host}/rehearse/${agent}`);
    // A worker or a server may have to start first.
    await expect(page.getByRole("heading", { name: "User message" })).toBeVisible({ timeout: 60_000 });
    return new Rehearsal(page);
  }

  /** Sends the user message. */
  async ask(query: string): Promise<void> {
    await this.page.getByRole("textbox", { name: "User message" }).fill(query);
    await this.begin();
  }

  /** Starts the session with the entered message. */
  async begin(): Promise<void> {
    await this.page.getByRole("button", { name: /Start session/ }).click();
    await expect(this.page.getByRole("tab", { name: /Call a tool/ })).toBeVisible();
    // That tab is there before the session is. The browser keeps a session as soon as it has begun, unless there is no room.
    await this.page.waitForFunction(() => {
      const isKept = Object.keys(sessionStorage).some((key) => key.startsWith("rehearsal.session."));
      return isKept || document.body.textContent.includes("does not fit in the browser's storage");
    });
  }

  /** Chooses a tool in the catalog, which the form of another one may have folded. */
  async choose(tool: string): Promise<void> {
    const line = this.page.getByRole("list", { name: "Tools" }).getByText(tool, { exact: true });
    // The only tool is chosen by itself, which may fold the catalog just now.
    await expect(async () => {
      await unfoldTools(this.page);
      await line.click({ timeout: 1_000 });
    }).toPass();
    await expect(this.page.getByRole("heading", { name: tool, exact: true })).toBeVisible();
  }

  /** The input whose label starts with `label`. */
  field(label: string): Locator {
    const name = new RegExp(`^${label}\\b`);
    const form = this.page.locator("form");
    return form.getByRole("textbox", { name }).or(form.getByRole("combobox", { name })).first();
  }

  /** Types into a field. */
  async fill(label: string, text: string): Promise<void> {
    await this.field(label).fill(text);
  }

  /** Runs the tool in the form, without waiting for its end. */
  async run(): Promise<void> {
    await this.page.getByRole("button", { name: /^Run/ }).click();
  }

  /** The line of the `number`th ended call, counted from 1. */
  call(number: number): Locator {
    return this.page.locator(".row:is(.returned, .warned, .failed, .cancelled)").nth(number - 1);
  }

  /** Sends the final response. */
  async answer(text: string): Promise<void> {
    await this.page.getByRole("tab", { name: /Final response/ }).click();
    await this.page.getByRole("textbox", { name: "Final response" }).fill(text);
    await this.finish();
  }

  /** Ends the session with the entered response. */
  async finish(): Promise<void> {
    await this.page.getByRole("button", { name: /Send response/ }).click();
    await expect(this.page.getByText("Session completed")).toBeVisible();
  }

  /** Exports, and returns the path of the file. */
  async export(): Promise<string> {
    await this.page.locator("#export").click();
    const receipt = this.page.locator("dl.receipt dd.path").first();
    await expect(receipt).toBeVisible();
    const path = (await receipt.textContent()) ?? "";
    const file = /\S+\.json/.exec(path)?.[0] ?? path;
    keep(file);
    return file;
  }
}
