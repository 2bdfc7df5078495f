// What large forms cost: from the click that shows one to the frame that has it, and from a key to
// the frame that has its letter. Medians, each beside its bound; a missed bound fails the bench.

import { expect, test, type Page } from "@playwright/test";

import { withAgent, type Figures } from "./figures";

const FIELDS = 1_000;

/** More than the panel has room for. */
const IN_SIGHT = 20;

test("large forms", async ({ page }) => {
  await withAgent(page, "large_forms", (figures) => measure(page, figures));
});

async function measure(page: Page, figures: Figures): Promise<void> {
  await expect(page.getByRole("list", { name: "Tools" }).getByText("union_of_86")).toBeVisible();

  // Each form is built once and only drawn after that.
  figures.add("oneOf of 86 branches, built and shown", [await shown(page, "union_of_86", 14)], 100);
  figures.add("1,000 fields, built and all in sight shown", [await shown(page, "thousand_fields", IN_SIGHT)], 100);
  const again: number[] = [];
  for (let turn = 0; turn < 5; turn += 1) {
    await shown(page, "nothing", 0);
    again.push(await shown(page, "thousand_fields", IN_SIGHT));
  }
  figures.add("1,000 fields, shown again", again, 100);
  figures.add("1,000 fields, jump to the last", [await jumped(page, "f999")], 100);
  // The worst case: every field was in sight once, and is there.
  await drawAll(page);
  expect(await page.locator(".schema-form .field").count()).toBe(FIELDS);
  figures.add("keystroke among 1,000 drawn fields, text", await keystrokes(page, "f500", "seven"), 16);
  figures.add("keystroke among 1,000 drawn fields, a fault comes and goes", await keystrokes(page, "f501", "1001"), 16);
  await shown(page, "union_of_86", 14);
  figures.add("keystroke in a oneOf of 86 branches", await keystrokes(page, "m3", "seven"), 16);
  figures.add("another of 86 branches chosen", await switches(page), 50);
}

/** From the click on a tool to the frame after which all of its fields are drawn, in ms. */
async function shown(page: Page, tool: string, fields: number): Promise<number> {
  return page.evaluate(
    async ({ tool, fields }) => {
      const tools = [...document.querySelectorAll<HTMLElement>("[aria-label='Tools'] *")];
      const button = tools.find((element) => element.textContent?.trim() === tool);
      if (!button) {
        throw new Error(`no tool ${tool}`);
      }
      const frame = () =>
        new Promise<void>((drawn) => requestAnimationFrame(() => setTimeout(drawn, 0)));
      const inputs = () => document.querySelectorAll(".schema-form .field :is(input, textarea)").length;
      await frame();
      const start = performance.now();
      button.click();
      for (let turn = 0; turn < 600; turn += 1) {
        await frame();
        const title = document.querySelector(".tool-head h2")?.textContent?.trim();
        if (title === tool && inputs() >= fields) {
          return performance.now() - start;
        }
      }
      throw new Error(`${tool} shows ${inputs()} fields`);
    },
    { tool, fields },
  );
}

/** From the jump to the end of the form to the frame that has its last field, in ms. */
async function jumped(page: Page, last: string): Promise<number> {
  return page.evaluate(async (last) => {
    const start = performance.now();
    document.querySelector(".schema-form .batch:last-of-type")?.scrollIntoView({ block: "end" });
    for (let turn = 0; turn < 600; turn += 1) {
      await new Promise<void>((drawn) => requestAnimationFrame(() => setTimeout(drawn, 0)));
      const labels = [...document.querySelectorAll(".schema-form .field-label")];
      if (labels.some((label) => label.textContent?.trim() === last)) {
        return performance.now() - start;
      }
    }
    throw new Error(`${last} did not come`);
  }, last);
}

/** Brings every batch of rows into sight once. */
async function drawAll(page: Page): Promise<void> {
  await page.evaluate(async () => {
    for (;;) {
      const ahead = document.querySelector(".schema-form .batch.ahead");
      if (!ahead) {
        return;
      }
      ahead.scrollIntoView({ block: "start" });
      await new Promise<void>((drawn) => requestAnimationFrame(() => setTimeout(drawn, 0)));
    }
  });
}

/** Types each letter several times into a field, and answers with the time each took to be drawn. */
async function keystrokes(page: Page, label: string, text: string): Promise<number[]> {
  return page.evaluate(
    async ({ label, text }) => {
      const named = [...document.querySelectorAll<HTMLElement>(".schema-form .field-label")];
      const of = named.find((element) => element.textContent?.trim().startsWith(label));
      const input = of?.closest(".field")?.querySelector<HTMLInputElement>("input, textarea");
      if (!input) {
        throw new Error(`no field ${label}`);
      }
      input.scrollIntoView({ block: "center" });
      input.focus();
      const frame = () => new Promise<void>((drawn) => requestAnimationFrame(() => drawn()));
      const setter = Object.getOwnPropertyDescriptor(Object.getPrototypeOf(input), "value")?.set;
      const times: number[] = [];
      for (let turn = 0; turn < 8; turn += 1) {
        for (let end = 0; end <= text.length; end += 1) {
          await frame();
          const start = performance.now();
          setter?.call(input, text.slice(0, end));
          input.dispatchEvent(new InputEvent("input", { bubbles: true }));
          // What the key changed runs in microtasks; then style and layout are asked for at once.
          await Promise.resolve();
          await new Promise<void>((next) => queueMicrotask(next));
          await new Promise<void>((next) => {
            const { port1, port2 } = new MessageChannel();
            port1.onmessage = () => next();
            port2.postMessage(undefined);
          });
          void document.body.offsetHeight;
          times.push(performance.now() - start);
        }
      }
      return times;
    },
    { label, text },
  );
}

/** Chooses other branches of the union, and answers with the time each took to be drawn. */
async function switches(page: Page): Promise<number[]> {
  return page.evaluate(async () => {
    const select = document.querySelector<HTMLSelectElement>(".schema-form select");
    if (!select) {
      throw new Error("no choice of branches");
    }
    const times: number[] = [];
    for (let branch = 1; branch < 40; branch += 2) {
      await new Promise<void>((drawn) => requestAnimationFrame(() => drawn()));
      const start = performance.now();
      select.selectedIndex = branch;
      select.dispatchEvent(new Event("change", { bubbles: true }));
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
