// Shared by the benches in the browser: serves an agent, and prints and checks measured times.

import { cpSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { expect, type Page } from "@playwright/test";

import { startHost } from "../fixtures";

/** Checks medians against their bounds. */
export class Figures {
  private readonly missed: string[] = [];

  /** Prints the times of one action, in ms, and records a median above the bound. */
  add(what: string, times: number[], bound: number): void {
    const sorted = [...times].sort((one, other) => one - other);
    const median = sorted[Math.floor(sorted.length / 2)] ?? NaN;
    const worst = sorted.at(-1) ?? NaN;
    const line =
      `${what}: median ${median.toFixed(1)} ms, worst ${worst.toFixed(1)} ms of ${times.length}; ` +
      `bound ${bound} ms, ratio ${(median / bound).toFixed(2)}`;
    console.log(line);
    if (!(median < bound)) {
      this.missed.push(line);
    }
  }

  /** Fails when a bound was missed. */
  check(): void {
    expect(this.missed, this.missed.join("\n")).toEqual([]);
  }
}

/** Serves the agent in the folder `name` next to this file, and starts a session with it. */
export async function withAgent(page: Page, name: string, measure: (figures: Figures) => Promise<void>): Promise<void> {
  // A copy, because Python writes its cache next to the loaded files.
  const folder = mkdtempSync(join(tmpdir(), "rehearsal-bench-"));
  cpSync(join(import.meta.dirname, name), join(folder, name), { recursive: true });
  const host = await startHost({ arguments: [join(folder, name)] });
  try {
    await page.goto(`${host.url}/rehearse/${name}`);
    await page.getByRole("textbox", { name: "User message" }).fill("Begin.");
    await page.getByRole("button", { name: /Start session/ }).click();
    await expect(page.getByRole("tab", { name: /Call a tool/ })).toBeVisible();
    const figures = new Figures();
    await measure(figures);
    figures.check();
  } finally {
    await host.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}
