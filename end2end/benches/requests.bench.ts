// What large requests and long lists of live sessions cost in Chromium: from the address to the frame
// that shows the last message, from Send to the frame that shows the response, a scroll step, and what
// the host keeps of a large request. Medians, each beside its bound; a missed bound fails the bench.

import { execFile } from "node:child_process";
import { randomUUID } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";

import { expect, test, type Browser, type Page } from "@playwright/test";

import { startHost } from "../fixtures";
import { introduce } from "../live-session";
import { Figures } from "./figures";

const MESSAGES = 10_000;
const SESSIONS = 2_500;
/** About what fits into a request of 64 MiB. */
const LINES = 1_000_000;
const LINE = "The weather report of a small town, line by line, to be read";
const TIMES = 5;
const NATIVE_ONLY = '[[agent]]\nname = "Maths"\nsource = "native"\nexample = "math"\n';

test(`a request of ${MESSAGES} messages`, async ({ browser }) => {
  test.setTimeout(600_000);
  const host = await startHost({ config: NATIVE_ONLY });
  try {
    const address = new URL(host.url).host;
    const figures = new Figures();
    const opened: Record<string, number[]> = { few: [], many: [] };
    const sent: Record<string, number[]> = { few: [], many: [] };
    // In turns, so that other work of the machine disturbs both alike.
    for (let turn = 0; turn <= TIMES; turn += 1) {
      for (const [name, messages] of [["few", 10], ["many", MESSAGES]] as const) {
        const [session] = await write(address, 1, messages);
        const took = await inNewBrowser(browser, async (page) => {
          const opened = await openedAt(page, `${host.url}/live/${session}`, `Message ${messages}.`);
          return [opened, await respond(page)] as const;
        });
        // The first of each warms the host up.
        if (turn > 0) {
          opened[name]?.push(took[0]);
          sent[name]?.push(took[1]);
        }
      }
    }
    figures.add("10 messages, from the address to the last one shown", opened.few ?? [], 1000);
    figures.add(`${MESSAGES} messages, from the address to the last one shown`, opened.many ?? [], 1000);
    figures.add("10 messages, from Send to the response shown", sent.few ?? [], 100);
    figures.add(`${MESSAGES} messages, from Send to the response shown`, sent.many ?? [], 100);
    figures.check();
  } finally {
    await host.stop();
  }
});

test(`a text of ${LINES} lines`, async ({ browser }) => {
  test.setTimeout(600_000);
  const host = await startHost({ config: NATIVE_ONLY });
  try {
    const text = `First line.\n${`${LINE}\n`.repeat(LINES)}`;
    const figures = new Figures();
    const [opened, more, sent]: number[][] = [[], [], []];
    for (let turn = 0; turn < TIMES; turn += 1) {
      const session = randomUUID();
      const asked = request(host.url, session, text);
      await inNewBrowser(browser, async (page) => {
        await expect.poll(async () => (await page.request.get(`${host.url}/live/${session}`)).status(), { timeout: 60_000 }).toBe(200);
        opened?.push(await openedAt(page, `${host.url}/live/${session}`, "First line."));
        more?.push(await shownMore(page));
        sent?.push(await respond(page));
      });
      expect((await asked).status).toBe(200);
    }
    const megabytes = Math.round(text.length / 1e6);
    figures.add(`a text of ${megabytes} MB, from the address to its beginning shown`, opened ?? [], 1000);
    figures.add("its next part shown", more ?? [], 100);
    figures.add("from Send to the response shown", sent ?? [], 100);
    // The host checks every five seconds what it may return.
    let kept = NaN;
    await expect.poll(() => (kept = memory(host.pid)), { timeout: 30_000 }).toBeLessThan(200);
    console.log(`host memory after ${TIMES} of them: ${kept} MB; bound 200 MB, ratio ${(kept / 200).toFixed(2)}`);
    figures.check();
  } finally {
    await host.stop();
  }
});

test(`a list of ${SESSIONS} sessions`, async ({ browser }) => {
  test.setTimeout(600_000);
  const host = await startHost({ config: NATIVE_ONLY });
  try {
    await write(new URL(host.url).host, SESSIONS, 1);
    const figures = new Figures();
    const opened: number[] = [];
    for (let turn = 0; turn <= TIMES; turn += 1) {
      await inNewBrowser(browser, async (page) => {
        const took = await openedAt(page, `${host.url}/live?show=all`, `${SESSIONS} sessions`);
        if (turn > 0) {
          opened.push(took);
        }
        if (turn === TIMES) {
          const steps = await scrolled(page);
          figures.add("a scroll step", steps, 16);
        }
      });
    }
    figures.add(`${SESSIONS} sessions, from the address to their rows`, opened, 1000);
    figures.check();
  } finally {
    await host.stop();
  }
});

/** Writes sessions with a request each, and returns their ids. */
async function write(address: string, sessions: number, messages: number): Promise<string[]> {
  const python = process.env.REHEARSAL_TEST_PYTHON ?? "python3";
  const script = join(import.meta.dirname, "..", "live_sessions.py");
  // Not synchronous: this thread also reads the log of the host.
  const wrote = await promisify(execFile)(python, [script, address, String(sessions), String(messages)], { maxBuffer: 1 << 24 });
  return wrote.stdout.trim().split("\n");
}

/** Sends a request with this text through a model endpoint; it ends with the response. */
function request(host: string, session: string, text: string): Promise<Response> {
  return fetch(`${host}/s/${session}/a/planner/v1/chat/completions`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ model: "m", messages: [{ role: "user", content: text }] }),
  });
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

/** From the navigation to the frame that shows a text in the page's main part, in ms. */
async function openedAt(page: Page, address: string, text: string): Promise<number> {
  await page.addInitScript((text) => {
    const look = () => {
      // The last rows are drawn last.
      const drawn = document.querySelectorAll(".timeline.spoken li, .live-filters, .live-list tbody");
      if ([...drawn].some((it) => it.textContent?.slice(0, 4000).includes(text))) {
        requestAnimationFrame(() => requestAnimationFrame(() => ((window as any).shownAt = performance.now())));
      } else {
        requestAnimationFrame(look);
      }
    };
    requestAnimationFrame(look);
  }, text);
  await page.goto(address);
  const took = await page.waitForFunction(() => (window as any).shownAt as number | undefined, undefined, { timeout: 120_000 });
  return (await took.jsonValue()) ?? NaN;
}

/** Responds with a text, from the press of Send to the frame that shows the response, in ms. */
async function respond(page: Page): Promise<number> {
  await introduce(page, "Ann");
  await page.getByRole("tab", { name: /Text|Response/ }).click();
  await page.getByRole("textbox", { name: "Text", exact: true }).fill("Noted.");
  await expect(page.locator("#send")).toBeEnabled();
  return page.evaluate(async () => {
    const start = performance.now();
    document.querySelector<HTMLElement>("#send")?.click();
    const isThere = () => {
      const rows = [...document.querySelectorAll(".timeline.spoken li.answered")];
      return rows.some((row) => row.querySelector("p")?.textContent === "Noted.");
    };
    while (!isThere()) {
      await new Promise(requestAnimationFrame);
    }
    await new Promise(requestAnimationFrame);
    return performance.now() - start;
  });
}

/** From the press of "Show more" to the frame that shows more, in ms. */
async function shownMore(page: Page): Promise<number> {
  return page.evaluate(async () => {
    const text = () => document.querySelector(".timeline.spoken li p")?.textContent?.length ?? 0;
    const before = text();
    const more = [...document.querySelectorAll<HTMLElement>(".timeline.spoken button")];
    const start = performance.now();
    more.find((button) => button.textContent?.trim() === "Show more")?.click();
    while (text() <= before) {
      await new Promise(requestAnimationFrame);
    }
    await new Promise(requestAnimationFrame);
    return performance.now() - start;
  });
}

/** Scrolls the list from its beginning to its end, and returns the time of each step with the layout. */
async function scrolled(page: Page): Promise<number[]> {
  return page.evaluate(async () => {
    const frame = document.querySelector<HTMLElement>(".live-rows");
    if (!frame) {
      throw new Error("no list");
    }
    const times: number[] = [];
    for (let step = 0; step < 240; step += 1) {
      await new Promise(requestAnimationFrame);
      const start = performance.now();
      frame.scrollTop = ((frame.scrollHeight - frame.clientHeight) * (step + 1)) / 240;
      frame.dispatchEvent(new Event("scroll"));
      // What it changes runs in microtasks; then style and layout are asked for at once.
      await new Promise<void>((next) => {
        const { port1, port2 } = new MessageChannel();
        port1.onmessage = () => next();
        port2.postMessage(undefined);
      });
      void document.body.offsetHeight;
      times.push(performance.now() - start);
    }
    return times;
  });
}

/** The host's memory apart from mapped files, in MB. */
function memory(pid: number): number {
  const line = /RssAnon:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, "utf8"));
  return Math.round(Number(line?.[1]) / 1000);
}
