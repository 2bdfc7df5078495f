// Values: results read as what they are, by pointer and by keyboard, and hostile ones without harm.

import { join } from "node:path";

import type { Locator, Page } from "@playwright/test";

import { expect, startHost, startShapes, test, type Host } from "../fixtures";
import { Rehearsal } from "../rehearsal";

/** Calls the travel desk's `tool` and opens its row. */
async function called(page: Page, host: Host, tool: string, fill: Record<string, string>): Promise<Rehearsal> {
  void host;
  const rehearsal = await Rehearsal.at(page, "travel-desk");
  await rehearsal.fill("query", "What is Lisbon like?");
  await rehearsal.fill("max_results", "3");
  await rehearsal.begin();
  await rehearsal.choose(tool);
  for (const [field, value] of Object.entries(fill)) {
    await rehearsal.fill(field, value);
  }
  await rehearsal.run();
  await rehearsal.call(1).getByRole("button").first().click();
  return rehearsal;
}

const pane = (page: Page) => page.getByRole("group", { name: "Result", exact: true });
const tree = (page: Page) => page.getByRole("tree", { name: "Result" });
const row = (page: Page, name: string | RegExp) => tree(page).getByRole("treeitem", { name }).first();
/** Opens or closes a row by its name. */
const toggle = (page: Page, name: RegExp) => row(page, name).click({ position: { x: 20, y: 10 } });
const clipboard = (page: Page) => page.evaluate(() => navigator.clipboard.readText());
const allowCopying = (page: Page) => page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
const raw = (line: Locator) => line.getByRole("button", { name: "Raw" });

test("a result shows the contents of its strings", async ({ page, host, picture, accessible }) => {
  await called(page, host, "city_file", { airport: "LIS" });
  // Markdown, drawn.
  await expect(tree(page).getByRole("listitem").filter({ hasText: "Alfama" })).toBeVisible();
  await picture("markdown");
  await accessible();
  // Raw is one click away, and truly is the text.
  await pane(page).getByRole("button", { name: "Collapse all" }).click();
  await raw(row(page, /^guide/)).click();
  await expect(tree(page).locator("pre")).toContainText("1. **Alfama** by tram 28, early.");
  await expect(tree(page).getByRole("listitem")).toHaveCount(0);
  await row(page, /^guide/).getByRole("button", { name: "Markdown" }).click();
  await expect(tree(page).getByRole("listitem").first()).toBeVisible();
  await toggle(page, /^guide/);
  // A table of like objects, and JSON that was encoded twice.
  await pane(page).getByRole("button", { name: "Expand all" }).click();
  await expect(tree(page).getByText("RH2048")).toHaveCount(2);
  await tree(page).focus();
  await page.keyboard.press("End");
  await expect(row(page, /^run/)).toContainText("9007199254740993");
  await expect(row(page, /^kmh/)).toContainText("18");
  await picture("every-level");
  await accessible();
  await pane(page).getByRole("button", { name: "Collapse all" }).click();
  await toggle(page, /^fares/);
  await expect(tree(page).getByRole("treeitem", { name: /flight: "RH2048"/ })).toBeVisible();
  await toggle(page, /^tariff_change/);
  await expect(tree(page).locator(".diff-added").first()).toHaveText("+single 3.20 EUR");
  await toggle(page, /^rule/);
  await expect(tree(page).locator(".code-line").first()).toContainText("def cheapest(fares):");
  await picture("diff-and-code");
  await toggle(page, /^rule/);
  await toggle(page, /^tariff_change/);
  await toggle(page, /^map/);
  const image = tree(page).getByRole("img");
  await expect(image).toBeVisible();
  expect(await image.evaluate((it: HTMLImageElement) => it.naturalWidth)).toBe(160);
  const address = tree(page).getByRole("link", { name: /visitlisboa/ });
  await expect(address.locator("b")).toHaveText("www.visitlisboa.com");
  await expect(address).toHaveAttribute("rel", "noopener noreferrer");
  await address.scrollIntoViewIfNeeded();
  await picture("image");
  await accessible();
});

test("a value is searched, and its paths and values are copied", async ({ page, host, picture, accessible }) => {
  await allowCopying(page);
  await called(page, host, "city_file", { airport: "LIS" });
  await pane(page).getByRole("button", { name: "Collapse all" }).click();
  await expect(tree(page).getByRole("treeitem")).toHaveCount(7);
  await pane(page).getByRole("button", { name: "Find in value" }).click();
  const field = page.getByRole("searchbox", { name: "Find in value" });
  await expect(field).toBeFocused();
  await field.fill("nw");
  // Inside JSON in a string, below three collapsed levels.
  await expect(row(page, /^from/)).toBeVisible();
  await expect(pane(page).locator("footer code")).toHaveText("json(json($.forecast)).days[0].wind.from");
  await field.fill("rh");
  await expect(pane(page).getByText("1 of 4")).toBeVisible();
  await field.press("Enter");
  await field.press("Enter");
  await expect(pane(page).getByText("3 of 4")).toBeVisible();
  await expect(tree(page).locator(".current")).toContainText("RH0771");
  await picture("found");
  await accessible();
  await field.press("Shift+Enter");
  await expect(pane(page).getByText("2 of 4")).toBeVisible();
  await field.fill("nowhere");
  await expect(pane(page).getByText("none")).toBeVisible();
  await field.press("Escape");
  await expect(field).toBeHidden();
  await expect(tree(page)).toBeFocused();

  await toggle(page, /^1/);
  await pane(page).getByRole("button", { name: "Copy the path" }).click();
  expect(await clipboard(page)).toBe("$.fares[1]");
  await pane(page).getByRole("button", { name: "Copy the value" }).click();
  expect(JSON.parse(await clipboard(page))).toMatchObject({ flight: "RH0340" });
  await page.getByRole("button", { name: "Copy the result" }).click();
  expect(JSON.parse(await clipboard(page))).toHaveProperty("website");
});

test("a value is navigated by the keyboard", async ({ page, host }) => {
  await allowCopying(page);
  await called(page, host, "city_file", { airport: "LIS" });
  await pane(page).getByRole("button", { name: "Collapse all" }).click();
  await tree(page).focus();
  const current = tree(page).locator(".current");
  await expect(current).toContainText("guide");
  const active = async () => {
    const id = await tree(page).getAttribute("aria-activedescendant");
    return page.locator(`[id="${id}"]`);
  };
  await page.keyboard.press("ArrowDown");
  await expect(current).toContainText("fares");
  await expect(await active()).toHaveAttribute("aria-level", "1");
  await page.keyboard.press("ArrowRight");
  await expect(current).toHaveAttribute("aria-expanded", "true");
  await page.keyboard.press("ArrowRight");
  await expect(current).toContainText("RH0112");
  await expect(await active()).toHaveAttribute("aria-level", "2");
  await expect(await active()).toHaveAttribute("aria-posinset", "1");
  await expect(await active()).toHaveAttribute("aria-setsize", "4");
  await page.keyboard.press("Enter");
  await page.keyboard.press("ArrowDown");
  await expect(current).toContainText("flight");
  await page.keyboard.press("Control+c");
  await expect.poll(() => clipboard(page)).toBe("RH0112");
  await page.keyboard.press("ArrowLeft");
  await page.keyboard.press("ArrowLeft");
  await page.keyboard.press("ArrowLeft");
  await expect(current).toContainText("fares");
  await page.keyboard.press("r");
  await expect(current.getByRole("button", { name: "Raw" })).toHaveAttribute("aria-pressed", "true");
  await page.keyboard.press("End");
  await expect(current).toContainText("website");
  await page.keyboard.press("Home");
  await expect(current).toContainText("guide");
  await page.keyboard.press("/");
  await expect(page.getByRole("searchbox", { name: "Find in value" })).toBeFocused();
});

test("expanded rows stay expanded while the session continues", async ({ page, host }) => {
  const rehearsal = await called(page, host, "city_file", { airport: "LIS" });
  await pane(page).getByRole("button", { name: "Collapse all" }).click();
  await toggle(page, /^forecast/);
  await expect(row(page, /^station/)).toBeVisible();
  await rehearsal.run();
  await expect(rehearsal.call(2)).toBeVisible();
  await expect(row(page, /^station/)).toBeVisible();
  await expect(row(page, /^guide/)).toHaveAttribute("aria-expanded", "false");
  // Its row closed and opened again.
  await rehearsal.call(1).getByRole("button").first().click();
  await expect(tree(page)).toBeHidden();
  await rehearsal.call(1).getByRole("button").first().click();
  await expect(row(page, /^station/)).toBeVisible();
  // However far a tree is scrolled, the history is no longer than its rows.
  await tree(page).focus();
  await page.keyboard.press("End");
  const history = page.locator("ol.timeline");
  expect(await history.evaluate((it) => it.scrollHeight)).toBeLessThan(2_500);
  // Another tree has its own.
  await rehearsal.call(1).getByRole("button").first().click();
  await rehearsal.call(2).getByRole("button").first().click();
  await expect(row(page, /^guide/)).toHaveAttribute("aria-expanded", "true");
});

test("an expanded state stays expanded when a tool changes it", async ({ page, host }) => {
  void host;
  const rehearsal = await Rehearsal.at(page, "travel-desk");
  await rehearsal.fill("query", "Oslo to Lisbon");
  await rehearsal.fill("max_results", "1");
  await rehearsal.begin();
  const state = page.getByRole("tree", { name: "State" });
  await state.getByRole("treeitem", { name: /^agency/ }).click();
  await rehearsal.choose("quote_trip");
  await rehearsal.fill("from", "OSL");
  await rehearsal.fill("to", "LIS");
  const name = page.locator("form").getByRole("textbox", { name: /^name\b/ });
  if ((await name.count()) === 0) {
    await page.getByRole("button", { name: /add/i }).first().click();
  }
  await name.first().fill("Ada");
  await page.locator("form").getByRole("textbox", { name: /^age\b/ }).first().fill("36");
  await rehearsal.run();
  await expect(state.getByRole("treeitem", { name: /^last_fare/ })).toContainText("OSLLIS-1");
  await expect(state.locator(".current")).toContainText("agency");
  // The same member with another value.
  await rehearsal.fill("from", "HEL");
  await rehearsal.run();
  await expect(state.getByRole("treeitem", { name: /^last_fare/ })).toContainText("HELLIS-1");
});

test("the history and the exported case are shown as values, too", async ({ page, host, picture, accessible }) => {
  void host;
  const rehearsal = await Rehearsal.at(page, "math-agent");
  await rehearsal.ask("5 + 3?");
  await rehearsal.choose("add");
  await rehearsal.fill("a", "5");
  await rehearsal.fill("b", "3");
  await rehearsal.run();
  await expect(rehearsal.call(1)).toBeVisible();
  const how = page.getByRole("group", { name: "History view" });
  await how.getByRole("button", { name: "JSON" }).click();
  const history = page.getByRole("tree", { name: "History as JSON" });
  await expect(history.locator("[aria-setsize='3']").first()).toBeVisible();
  await picture("history");
  await accessible();
  await rehearsal.run();
  // The history grows while it is shown.
  await expect(history.locator("[aria-setsize='5']").first()).toBeVisible();
  await how.getByRole("button", { name: "Entries" }).click();
  await rehearsal.answer("## The sum\n\n- is **8**\n- twice");
  await expect(page.getByRole("tree", { name: "Value" }).getByRole("listitem").first()).toHaveText("is 8");
  await rehearsal.export();
  const exported = page.getByRole("tree", { name: "The exported case" });
  await expect(exported.getByRole("treeitem", { name: /^eval_id/ })).toBeVisible();
  await picture("case");
  await accessible();
});

test("a value with a hundred thousand entries is shown and searched", async ({ page, host, picture }) => {
  await called(page, host, "flight_archive", { megabytes: "2" });
  await pane(page).getByRole("button", { name: "Load all" }).click();
  await expect(tree(page)).toBeVisible({ timeout: 60_000 });
  expect(await tree(page).getByRole("treeitem").count()).toBeLessThan(120);
  await tree(page).focus();
  await page.keyboard.press("End");
  const last = tree(page).locator(".current");
  await expect(last).toContainText("RH032767");
  await picture("the-end");
  await pane(page).getByRole("button", { name: "Expand all" }).click();
  await page.keyboard.press("End");
  await pane(page).getByRole("button", { name: "Find in value" }).click();
  await page.getByRole("searchbox", { name: "Find in value" }).fill("RH020000");
  await expect(pane(page).getByText("1 of 1", { exact: true })).toBeVisible({ timeout: 60_000 });
  await expect(pane(page).locator("footer code")).toHaveText("$[20000].number");
  await expect(tree(page).locator(".current")).toBeInViewport();
});

test("a repeated result is shown once, and opens at its list", async ({ page, picture, accessible }) => {
  const host = await startShapes();
  const rehearsal = await Rehearsal.at(page, "shapes", host.url);
  await rehearsal.ask("What was ordered?");
  await rehearsal.choose("orders");
  await rehearsal.run();
  await rehearsal.call(1).getByRole("button").first().click();
  const content = page.getByRole("tree", { name: "Content, structured" });
  await expect(content.getByText("Customer 1", { exact: true }).or(content.getByText('"Customer 1"')).first()).toBeVisible();
  await expect(page.getByRole("tree")).toHaveCount(2);
  // The names of the columns stay while the rows pass below them.
  await content.focus();
  await page.keyboard.press("End");
  await expect(content.locator(".current")).toContainText("Customer 60");
  await expect(content.locator(".columns-kept").getByText("customer")).toBeInViewport();
  await picture("orders");
  await accessible();
  // The object that the model gets is behind a click.
  await page.getByRole("button", { name: "As sent to the model" }).click();
  await expect(page.getByRole("tree", { name: "As sent to the model" })).toContainText("structuredContent");
  await page.close();
  expect(await host.stop()).toBe(0);
});

test("resources are shown by their MIME type", async ({ page, picture, accessible }) => {
  const host = await startShapes();
  const rehearsal = await Rehearsal.at(page, "shapes", host.url);
  await rehearsal.ask("Report.");
  await rehearsal.choose("report");
  await rehearsal.run();
  await rehearsal.call(1).getByRole("button").first().click();
  const content = page.getByRole("group", { name: "Content", exact: true });
  await expect(content.locator("em")).toHaveText("short");
  await expect(content).toContainText("6 bytes, binary");
  await picture("resources");
  await accessible();
  await content.getByRole("button", { name: "Raw" }).click();
  await expect(content.getByText("A *short* report.")).toBeVisible();
  await page.close();
  expect(await host.stop()).toBe(0);
});

test("a very large image is shown on request", async ({ page, picture, accessible }) => {
  const program = join(import.meta.dirname, "..", "mcp", "hostile.mjs");
  const host = await startHost({
    config: `
[[agent]]
name = "Hostile"
source = "mcp"
instruction = "Beware."
[[agent.server]]
name = "hostile"
command = "node"
args = [${JSON.stringify(program)}]
`,
  });
  const rehearsal = await Rehearsal.at(page, "hostile", host.url);
  await rehearsal.ask("Show me.");
  await rehearsal.choose("pictures");
  await rehearsal.run();
  await rehearsal.call(1).getByRole("button").first().click();
  const content = page.getByRole("group", { name: "Content", exact: true });
  await expect(content.getByText("Decoded, it takes hundreds of megabytes.")).toBeVisible();
  await expect(content.getByText("An SVG drawing can make the page slow")).toBeVisible();
  await expect(content.locator("img")).toHaveCount(0);
  await expect(content).toContainText("PNG · 60000 × 60000");
  await expect(content.getByRole("button", { name: "Raw" })).toHaveCount(2);
  await picture("images");
  await accessible();
  await content.getByRole("button", { name: "Show image" }).last().click();
  await expect(content.locator("img")).toHaveCount(1);
  await page.close();
  expect(await host.stop()).toBe(0);
});

/** A host with the tools of `mcp/hostile.mjs`. */
function startHostile(): Promise<Host> {
  const program = join(import.meta.dirname, "..", "mcp", "hostile.mjs");
  const config = `
[[agent]]
name = "Hostile"
source = "mcp"
instruction = "Beware."
[[agent.server]]
name = "hostile"
command = "node"
args = [${JSON.stringify(program)}]
`;
  return startHost({ config });
}

test("a match far down in a long text is shown", async ({ page, picture, accessible }) => {
  const host = await startHostile();
  const rehearsal = await Rehearsal.at(page, "hostile", host.url);
  await rehearsal.ask("What happened?");
  await rehearsal.choose("journal");
  await rehearsal.run();
  await rehearsal.call(1).getByRole("button").first().click();
  const content = page.getByRole("tree", { name: "Content" });
  const pane = page.getByRole("group", { name: "Content", exact: true });
  await pane.getByRole("button", { name: "Find in value" }).click();
  await page.getByRole("searchbox", { name: "Find in value" }).fill("NEEDLE");
  await expect(pane.getByText("1 of 1")).toBeVisible();
  await expect(content).toContainText("From line 3210:");
  await expect(content.locator("mark")).toHaveText("needle");
  await expect(content.locator("mark")).toBeInViewport();
  await picture("needle");
  await accessible();
  await page.close();
  expect(await host.stop()).toBe(0);
});

test("hostile values harm nothing", async ({ page, picture, accessible }) => {
  const host = await startHostile();
  const elsewhere: string[] = [];
  page.on("request", (request) => {
    if (!request.url().startsWith(host.url) && !request.url().startsWith("data:")) {
      elsewhere.push(request.url());
    }
  });
  const rehearsal = await Rehearsal.at(page, "hostile", host.url);
  await rehearsal.ask("Harm me.");
  const content = page.getByRole("tree", { name: "Content" });
  const named = (name: string) => content.getByRole("treeitem", { name }).first();
  const opened = async (tool: string, number: number) => {
    await rehearsal.choose(tool);
    await rehearsal.run();
    const line = rehearsal.call(number).getByRole("button").first();
    await line.click();
    await expect(content).toBeVisible();
    return line;
  };

  let line = await opened("markup", 1);
  await expect(content.getByRole("listitem").first()).toHaveText("one");
  await expect(content.getByText('<script>window.harmed = "script"</script>')).toBeVisible();
  await expect(content.locator("script, iframe, a[href^=javascript]")).toHaveCount(0);
  await picture("markup");
  await accessible();
  // What turns text around or hides in it is written out.
  await expect(named("reversed")).toContainText("invoice\\u202egpj.exe");
  await expect(named("hidden")).toContainText("a\\u200bb\\u0000c");
  // A drawing and an image that would fill the memory wait to be asked for.
  for (const image of ["drawing", "bomb"]) {
    const row = named(image);
    if ((await row.getAttribute("aria-expanded")) === "false") {
      await row.click({ position: { x: 20, y: 10 } });
    }
  }
  await expect(content.getByText("An SVG drawing can make the page slow")).toBeVisible();
  await expect(content.getByText("Decoded, it takes hundreds of megabytes.")).toBeVisible();
  await expect(content.locator("img")).toHaveCount(0);
  await content.getByRole("button", { name: "Show image" }).first().click();
  await expect(content.locator("img")).toHaveCount(1);
  // An address that hides where it leads is no link.
  await expect(content.getByRole("link", { name: /evil/ })).toHaveCount(0);
  await picture("doubts");
  await line.click();

  line = await opened("depth", 2);
  const pane = page.getByRole("group", { name: "Content", exact: true });
  await pane.getByRole("button", { name: "Expand all" }).click();
  await content.focus();
  await page.keyboard.press("End");
  await expect(content.locator(".current")).toContainText("1");
  await expect(content.locator(".current .deeper")).toContainText(/^\d{4}$/);
  await picture("depth");
  await line.click();

  line = await opened("length", 3);
  await pane.getByRole("button", { name: "Expand all" }).click();
  expect(await content.getByRole("treeitem").count()).toBeLessThan(120);
  for (const text of ["line", "quotes"]) {
    // A text that is open stays open when levels are opened.
    if ((await named(text).getAttribute("aria-expanded")) === "false") {
      await named(text).click({ position: { x: 20, y: 10 } });
    }
  }
  await expect(content.getByText(/of 400 KB shown/)).toBeVisible();
  await picture("length");
  // The page still answers.
  await line.click();
  await expect(content).toBeHidden();

  // A name that turns text around is written out wherever it stands.
  await rehearsal.choose("pay");
  const name = "to\\u202ebob";
  // A field is looked for by a pattern.
  await rehearsal.fill(name.replace("\\", "\\\\"), "mallory");
  await expect(page.getByRole("region", { name: "What will be sent" })).toContainText(`"${name}"`);
  await picture("names");
  await rehearsal.run();
  await expect(rehearsal.call(4)).toContainText(name);
  expect(await page.locator("body").innerText()).not.toContain("\u202e");

  expect(await page.evaluate(() => "harmed" in window)).toBe(false);
  expect(elsewhere).toEqual([]);
  await page.close();
  expect(await host.stop()).toBe(0);
});
