// What large values cost: from the click that shows one to the frame that has it, from the click
// that opens or closes one of its values to the layout that has it, and each step of scrolling.
// Medians, each beside its bound; a missed bound fails the bench.

import { expect, test, type Page } from "@playwright/test";

import { unfoldTools } from "../rehearsal";
import { withAgent, type Figures } from "./figures";

test("large values", async ({ page }) => {
  await withAgent(page, "large_values", (figures) => measure(page, figures));
});

async function measure(page: Page, figures: Figures): Promise<void> {
  await call(page, "thousand", 1);
  figures.add("1,000 values, row opened and tree shown", await shown(page, 0), 50);
  figures.add("1,000 values, every level opened", await pressed(page, "Expand all", "Collapse all"), 50);
  expect(await press(page, "Expand all")).toBeGreaterThan(990);
  figures.add("1,000 values, all visible, the list of 166 closed and opened", await toggled(page, 0), 16);
  figures.add("1,000 values, all visible, one of six closed and opened", await toggled(page, 1), 16);

  await call(page, "hundred_thousand", 2);
  figures.add("100,000 values, row opened and tree shown", await shown(page, 1), 100);
  expect(await press(page, "Expand all")).toBeGreaterThan(99_000);
  figures.add("100,000 values, all visible, one of 195 closed and opened", await toggled(page, 1), 16);
  figures.add("100,000 values, a step of scrolling", await scrolled(page, 240), 16);
  await press(page, "Expand all");

  await call(page, "long_text", 3);
  figures.add("a line of 900 KB, row opened and text shown", await shown(page, 2), 100);
}

/** Calls a tool and waits until its row is there. */
async function call(page: Page, tool: string, calls: number): Promise<void> {
  await unfoldTools(page);
  await page.getByRole("list", { name: "Tools" }).getByText(tool, { exact: true }).click();
  await page.getByRole("button", { name: /^Run/ }).click();
  await expect(page.locator(".row.returned")).toHaveCount(calls, { timeout: 20_000 });
}

/** From the click on a row to the frame after which its result is there, in ms; five times. */
async function shown(page: Page, call: number): Promise<number[]> {
  return page.evaluate(async (call) => {
    const frame = () => new Promise<void>((drawn) => requestAnimationFrame(() => setTimeout(drawn, 0)));
    const button = document.querySelectorAll<HTMLElement>(".row.returned .signature")[call];
    const times: number[] = [];
    for (let turn = 0; turn < 5; turn += 1) {
      await frame();
      const start = performance.now();
      button?.click();
      while (!document.querySelector("[role=tree][aria-label=Result] [role=treeitem]")) {
        await frame();
        if (performance.now() - start > 20_000) {
          throw new Error("no result shows");
        }
      }
      await frame();
      times.push(performance.now() - start);
      if (turn < 4) {
        button?.click();
        await frame();
      }
    }
    return times;
  }, call);
}

/** Clicks a button of the result, and returns how many rows of one height there are then. */
async function press(page: Page, name: string): Promise<number> {
  await page.getByRole("group", { name: "Result", exact: true }).last().getByRole("button", { name }).click();
  return page.locator("[role=tree][aria-label=Result]").last().evaluate((tree) => tree.scrollHeight / 20);
}

/** From a click on a button of the result to the layout that follows, in ms. */
async function pressed(page: Page, name: string, back: string): Promise<number[]> {
  return page.evaluate(
    async ({ name, back }) => {
      const task = () =>
        new Promise<void>((next) => {
          const { port1, port2 } = new MessageChannel();
          port1.onmessage = () => next();
          port2.postMessage(undefined);
        });
      const button = (label: string) => {
        const found = [...document.querySelectorAll<HTMLElement>(".pane[aria-label=Result] button")];
        return found.filter((it) => it.getAttribute("aria-label") === label).at(-1);
      };
      const times: number[] = [];
      for (let turn = 0; turn < 10; turn += 1) {
        button(back)?.click();
        await new Promise<void>((drawn) => requestAnimationFrame(() => setTimeout(drawn, 0)));
        const start = performance.now();
        button(name)?.click();
        await task();
        void document.body.offsetHeight;
        times.push(performance.now() - start);
      }
      return times;
    },
    { name, back },
  );
}

/** From a click on a row of the last result to the layout that follows, in ms. */
async function toggled(page: Page, row: number): Promise<number[]> {
  return page.evaluate(async (row) => {
    const task = () =>
      new Promise<void>((next) => {
        const { port1, port2 } = new MessageChannel();
        port1.onmessage = () => next();
        port2.postMessage(undefined);
      });
    const tree = [...document.querySelectorAll<HTMLElement>("[role=tree][aria-label=Result]")].at(-1);
    const rows = () => tree?.scrollHeight ?? 0;
    tree?.scrollTo(0, 0);
    const times: number[] = [];
    for (let turn = 0; turn < 20; turn += 1) {
      await new Promise<void>((drawn) => requestAnimationFrame(() => setTimeout(drawn, 0)));
      const before = rows();
      const start = performance.now();
      tree?.querySelectorAll<HTMLElement>("[role=treeitem]")[row]?.click();
      await task();
      void document.body.offsetHeight;
      times.push(performance.now() - start);
      if (rows() === before) {
        throw new Error("nothing opened or closed");
      }
    }
    return times;
  }, row);
}

/** What each of `steps` steps from the top to the end costs, in ms: rows drawn and laid out. */
async function scrolled(page: Page, steps: number): Promise<number[]> {
  return page.evaluate(async (steps) => {
    const task = () =>
      new Promise<void>((next) => {
        const { port1, port2 } = new MessageChannel();
        port1.onmessage = () => next();
        port2.postMessage(undefined);
      });
    const tree = [...document.querySelectorAll<HTMLElement>("[role=tree][aria-label=Result]")].at(-1);
    if (!tree) {
      throw new Error("no tree");
    }
    const height = tree.scrollHeight - tree.clientHeight;
    const times: number[] = [];
    const drawn = new Set<string>();
    for (let step = 1; step <= steps; step += 1) {
      await new Promise<void>((frame) => requestAnimationFrame(() => setTimeout(frame, 0)));
      const start = performance.now();
      // Every other step is a screen, as with the keyboard; the others jump on, as with the bar.
      tree.scrollTop = step % 2 === 0 ? tree.scrollTop + tree.clientHeight : (height * step) / steps;
      tree.dispatchEvent(new Event("scroll"));
      await task();
      void document.body.offsetHeight;
      times.push(performance.now() - start);
      const box = tree.getBoundingClientRect();
      const middle = box.top + box.height / 2;
      const row = [...tree.querySelectorAll("[role=treeitem]")].find((it) => {
        const { top, bottom } = it.getBoundingClientRect();
        return top <= middle && middle < bottom;
      });
      if (!row) {
        throw new Error(`nothing is drawn after step ${step}`);
      }
      drawn.add(row.id);
    }
    if (drawn.size < steps / 2) {
      throw new Error(`only ${drawn.size} rows came by`);
    }
    return times;
  }, steps);
}
