// What an HTML report of 10,000 cases costs: from the address to the frame that shows it, a case
// chosen, a search typed. Medians, each beside its bound; a missed bound fails the bench.

import { statSync } from "node:fs";
import { fileURLToPath } from "node:url";

import { expect, test, type Page } from "@playwright/test";

import { report } from "../recorded";
import { Figures } from "./figures";

test("a report of 10,000 cases", async ({ browser }) => {
  const url = report(10_000);
  console.log(`${(statSync(fileURLToPath(url)).size / 1e6).toFixed(1)} MB`);
  const figures = new Figures();
  const opened: number[] = [];
  for (let turn = 0; turn < 5; turn += 1) {
    // A new page each time, so that nothing is cached.
    const page = await browser.newPage({ viewport: { width: 1280, height: 720 } });
    await page.goto(url);
    opened.push(await shown(page));
    if (turn === 4) {
      figures.add("10,000 cases opened and shown", opened, 1000);
      await expect(page.getByRole("option")).not.toHaveCount(0);
      figures.add("another case chosen", await pressed(page, "j", 40), 50);
      figures.add("a letter of a search", await typed(page, "room heating"), 100);
    }
    await page.close();
  }
  figures.check();
});

/** From the navigation to the frame after which the report is there, in ms. */
async function shown(page: Page): Promise<number> {
  await page.waitForSelector("html[data-drawn]");
  return page.evaluate(async () => {
    const [navigation] = performance.getEntriesByType("navigation");
    const paint = await new Promise<number>((found) => {
      new PerformanceObserver((list) => found(list.getEntries().at(-1)?.startTime ?? NaN)).observe({ type: "paint", buffered: true });
    });
    // The last of all: the first paint, the end of the page's own script, the load.
    const loaded = (navigation as PerformanceNavigationTiming).loadEventEnd;
    const drawn = performance.getEntriesByName("drawn")[0]?.startTime ?? Infinity;
    return Math.max(paint, loaded, drawn);
  });
}

/** From a key to the frame after it, in ms. */
async function pressed(page: Page, key: string, times: number): Promise<number[]> {
  return page.evaluate(
    async ([key, times]) => {
      const took: number[] = [];
      for (let turn = 0; turn < times; turn += 1) {
        await new Promise(requestAnimationFrame);
        const start = performance.now();
        document.body.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true }));
        document.body.getBoundingClientRect();
        took.push(performance.now() - start);
      }
      return took;
    },
    [key, times] as const,
  );
}

/** Types a text into the search: from each letter to the layout that follows, in ms. */
async function typed(page: Page, text: string): Promise<number[]> {
  return page.evaluate(async (text) => {
    const field = document.querySelector<HTMLInputElement>("#find");
    const took: number[] = [];
    for (let length = 1; field && length <= text.length; length += 1) {
      await new Promise(requestAnimationFrame);
      const start = performance.now();
      field.value = text.slice(0, length);
      field.dispatchEvent(new Event("input", { bubbles: true }));
      document.body.getBoundingClientRect();
      took.push(performance.now() - start);
    }
    return took;
  }, text);
}
