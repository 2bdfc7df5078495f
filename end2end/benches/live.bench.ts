// What a live session of 100,000 events costs in Chromium: from the address to the frame that shows
// its last event, and to its first one and back. Medians, each beside its bound; a missed bound fails
// the bench.

import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";

import { expect, test, type Browser, type Page } from "@playwright/test";

import { open, startHost } from "../fixtures";
import { Figures } from "./figures";

const EVENTS = 100_000;
/** A peer, opened in the same way: what any session costs. */
const FEW = 40;
const NATIVE_ONLY = '[[agent]]\nname = "Maths"\nsource = "native"\nexample = "math"\n';

test(`a live session of ${EVENTS} events`, async ({ browser }) => {
  test.setTimeout(900_000);
  const host = await startHost({ config: NATIVE_ONLY });
  try {
    const address = new URL(host.url).host;
    const [few, many] = [await write(address, FEW), await write(address, EVENTS)];
    const figures = new Figures();
    // In turns, so that other work of the machine disturbs both alike.
    const opened: Record<string, number[]> = { few: [], many: [] };
    for (let turn = 0; turn < 6; turn += 1) {
      for (const [name, session, last] of [["few", few, FEW], ["many", many, EVENTS]] as const) {
        const took = await inNewBrowser(browser, (page) => openedAt(page, `${host.url}/live/${session}`, last));
        // The first of each warms the host up.
        if (turn > 0) {
          opened[name]?.push(took);
        }
      }
    }
    figures.add(`${FEW} events, from the address to the last one shown`, opened.few ?? [], 1000);
    figures.add(`${EVENTS} events, from the address to the last one shown`, opened.many ?? [], 1000);
    await inNewBrowser(browser, async (page) => {
      const chosen: number[] = [];
      for (let times = 0; times < 10; times += 1) {
        await open(page, `${host.url}/live?show=all`);
        await page.locator(`a[href="/live/${many}"]`).waitFor();
        chosen.push(await shown(page, `a[href="/live/${many}"]`, `event-${EVENTS}`));
      }
      figures.add(`${EVENTS} events, from the list to the last one shown`, chosen, 250);
      await expect(page.getByText(`${EVENTS} events`)).toBeVisible();
      const jumps: number[] = [];
      for (let times = 0; times < 10; times += 1) {
        jumps.push(await jump(page, "Home", "event-1"), await jump(page, "End", `event-${EVENTS}`));
      }
      figures.add("to the first event and back", jumps, 100);
    });
    figures.check();
  } finally {
    await host.stop();
  }
});

/** Writes a session of so many events, and returns its id. */
async function write(address: string, events: number): Promise<string> {
  const python = process.env.REHEARSAL_TEST_PYTHON ?? "python3";
  const script = join(import.meta.dirname, "long_session.py");
  // Not synchronous: this thread also reads the log of the host.
  const wrote = await promisify(execFile)(python, [script, address, String(events)]);
  return wrote.stdout.trim();
}

/** Runs `measure` in a new browser, so that nothing is cached from the one before. */
async function inNewBrowser<T>(browser: Browser, measure: (page: Page) => Promise<T>): Promise<T> {
  const context = await browser.newContext({ viewport: { width: 1280, height: 720 } });
  try {
    return await measure(await context.newPage());
  } finally {
    await context.close();
  }
}

/** From the navigation to the frame that shows the last event, in ms. */
async function openedAt(page: Page, address: string, last: number): Promise<number> {
  await page.addInitScript(watch, `event-${last}`);
  await page.goto(address);
  const took = await page.waitForFunction(() => (window as any).shownAt as number | undefined);
  return (await took.jsonValue()) ?? NaN;
}

/** In the page: notes when the element with this id has been drawn, in ms since the navigation. */
function watch(id: string): void {
  const look = () => {
    if (document.getElementById(id)) {
      // The frame after the one that draws it.
      requestAnimationFrame(() => requestAnimationFrame(() => ((window as any).shownAt = performance.now())));
    } else {
      requestAnimationFrame(look);
    }
  };
  requestAnimationFrame(look);
}

/** From a press of what fits `selector` to the frame that shows the element with this id, in ms. */
async function shown(page: Page, selector: string, id: string): Promise<number> {
  return page.evaluate(
    async ([selector, id]) => {
      const start = performance.now();
      document.querySelector<HTMLElement>(selector)?.click();
      while (!document.getElementById(id)) {
        await new Promise(requestAnimationFrame);
      }
      await new Promise(requestAnimationFrame);
      return performance.now() - start;
    },
    [selector, id] as const,
  );
}

/** From a key to the frame that shows the event with this id, fetched where it was not there, in ms. */
async function jump(page: Page, key: string, id: string): Promise<number> {
  return page.evaluate(
    async ([key, id]) => {
      const list = document.querySelector(".events");
      const start = performance.now();
      list?.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true }));
      while (!document.getElementById(id)) {
        await new Promise(requestAnimationFrame);
      }
      await new Promise(requestAnimationFrame);
      return performance.now() - start;
    },
    [key, id] as const,
  );
}
