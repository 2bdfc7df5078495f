// What a live session of 100,000 events costs in Chromium: from the address to the frame that shows
// its last event, and to its first one and back. Medians, each beside its bound; a missed bound fails
// the bench.

import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";

import { expect, test, type Page } from "@playwright/test";

import { startHost } from "../stage";
import { Figures } from "./figures";

const EVENTS = 100_000;
const NATIVE_ONLY = '[[agent]]\nname = "Maths"\nsource = "native"\nexample = "math"\n';

test(`a live session of ${EVENTS} events`, async ({ browser }) => {
  test.setTimeout(900_000);
  const host = await startHost({ config: NATIVE_ONLY });
  try {
    const session = await write(new URL(host.url).host);
    const figures = new Figures();
    const opened: number[] = [];
    for (let turn = 0; turn < 6; turn += 1) {
      // A browser of its own each time, so that nothing is kept.
      const context = await browser.newContext({ viewport: { width: 1280, height: 720 } });
      const page = await context.newPage();
      await page.addInitScript(watch, `event-${EVENTS}`);
      await page.goto(`${host.url}/live/${session}`);
      const took = await page.waitForFunction(() => (window as any).shownAt as number | undefined);
      // The first one warms the host's own caches up.
      if (turn > 0) {
        opened.push((await took.jsonValue()) ?? NaN);
      } else {
        console.log(`the first time: ${(await took.jsonValue())?.toFixed(1)} ms`);
      }
      if (turn === 5) {
        figures.tell(`${EVENTS} events opened, the last one shown`, opened, 1000);
        await expect(page.getByText(`${EVENTS} events`)).toBeVisible();
        const jumps: number[] = [];
        for (let times = 0; times < 10; times += 1) {
          jumps.push(await jump(page, "Home", "event-1"), await jump(page, "End", `event-${EVENTS}`));
        }
        figures.tell("to the first event and back", jumps, 100);
      }
      await context.close();
    }
    figures.check();
  } finally {
    await host.stop();
  }
});

/** Has the session written; gives its id. */
async function write(address: string): Promise<string> {
  const python = process.env.REHEARSAL_TEST_PYTHON ?? "python3";
  const script = join(import.meta.dirname, "long_session.py");
  // Not waited for in this thread, which reads what the host logs.
  const wrote = await promisify(execFile)(python, [script, address, String(EVENTS)]);
  return wrote.stdout.trim();
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
