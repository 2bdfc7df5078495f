// What a person does at the page, in the words of a person: ask, choose a tool, fill, run, answer.

import { expect, type Locator, type Page } from "@playwright/test";

import { keep } from "./exported";
import { open } from "./stage";

/** One rehearsal, driven as a person would. */
export class Player {
  constructor(readonly page: Page) {}

  /** Opens the page of an agent, on `host` or the story's own, and waits until its session is open. */
  static async at(page: Page, agent: string, host = ""): Promise<Player> {
    await open(page, `${host}/rehearse/${agent}`);
    // A worker or a server may have to start first.
    await expect(page.getByRole("heading", { name: "User message" })).toBeVisible({ timeout: 60_000 });
    return new Player(page);
  }

  /** Plays the user. */
  async ask(query: string): Promise<void> {
    await this.page.getByRole("textbox", { name: "User message" }).fill(query);
    await this.begin();
  }

  /** Starts the session with what stands in the form. */
  async begin(): Promise<void> {
    await this.page.getByRole("button", { name: /Start session/ }).click();
    await expect(this.page.getByRole("tab", { name: /Call a tool/ })).toBeVisible();
  }

  /** Chooses a tool in the catalogue. */
  async choose(tool: string): Promise<void> {
    await this.page.getByRole("list", { name: "Tools" }).getByText(tool, { exact: true }).click();
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

  /** Ends the session with what stands in the form. */
  async finish(): Promise<void> {
    await this.page.getByRole("button", { name: /Send response/ }).click();
    await expect(this.page.getByText("Session complete")).toBeVisible();
  }

  /** Exports and answers with the path of the file. */
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
