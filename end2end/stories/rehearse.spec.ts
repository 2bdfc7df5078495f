// Rehearsals of the agents that ship, from the query to the file.

import { readFileSync } from "node:fs";

import { Player } from "../player";
import { expect, test } from "../stage";

test("add(5, 3) shows 8", async ({ page, picture, accessible }) => {
  const player = await Player.at(page, "math-agent");
  await picture("query");
  await accessible();
  await player.ask("What is 5 + 3?");
  await player.choose("add");
  await picture("form");
  await accessible();
  await player.fill("a", "5");
  await player.fill("b", "3");
  await player.run();
  await expect(player.call(1)).toContainText(/add\(a: 5, b: 3\).*→.*8/);
  await player.call(1).getByRole("button").first().click();
  await picture("result");
  await accessible();
});

test("an integer keeps every digit", async ({ page }) => {
  const player = await Player.at(page, "math-agent");
  await player.ask("Add nothing.");
  await player.choose("add");
  await player.fill("a", "9007199254740993");
  await player.fill("b", "0");
  await player.run();
  await expect(player.call(1)).toContainText("→ 9007199254740993");
});

test("a field that is wrong says so where it stands, and nothing is sent", async ({ page, picture, accessible }) => {
  const player = await Player.at(page, "math-agent");
  await player.ask("What is five?");
  await player.choose("add");
  await player.fill("a", "five");
  await player.run();
  await expect(player.field("a")).toHaveAttribute("aria-invalid", "true");
  await expect(player.field("b")).toHaveAttribute("aria-invalid", "true");
  await expect(page.getByText("2 fields need attention", { exact: true })).toBeVisible();
  await expect(player.call(1)).toHaveCount(0);
  await picture("faults");
  await accessible();
});

test("search(query, limit = 10) shows a required text and an optional number", async ({ page, picture }) => {
  const player = await Player.at(page, "travel-desk");
  await player.fill("query", "A city by the sea");
  await player.fill("max_results", "3");
  await player.begin();
  await player.choose("search_places");
  await expect(page.getByText("query (required)")).toBeVisible();
  await expect(player.field("limit")).toHaveAttribute("placeholder", /10/);
  await expect(player.field("limit")).toHaveValue("");
  await picture("form");
  await player.fill("query", "jazz");
  await player.run();
  // The default was shown, not sent.
  await expect(player.call(1)).toContainText('search_places(query: "jazz")');
  await expect(player.call(1)).toContainText("YUL");
});

test("an enum is a select, and a nested list takes rows in any order", async ({ page, picture, accessible }) => {
  const player = await Player.at(page, "travel-desk");
  await player.fill("query", "Oslo to Lisbon for two");
  await player.fill("max_results", "1");
  await player.begin();
  await player.choose("quote_trip");
  await player.fill("from", "OSL");
  await player.fill("to", "LIS");
  const cabin = page.locator("form select").first();
  await expect(cabin.locator("option")).toContainText(["economy", "premium", "business"]);
  await cabin.selectOption({ label: "premium" });
  const name = page.locator("form").getByRole("textbox", { name: /^name\b/ });
  const age = page.locator("form").getByRole("textbox", { name: /^age\b/ });
  // A list that must hold one item opens with one.
  if ((await name.count()) === 0) {
    await page.getByRole("button", { name: /add/i }).first().click();
  }
  await name.nth(0).fill("Ada");
  await age.nth(0).fill("36");
  await page.getByRole("button", { name: /add/i }).first().click();
  await name.nth(1).fill("Grace");
  await age.nth(1).fill("37");
  await picture("two-travellers");
  await accessible();
  await page.getByRole("button", { name: /remove/i }).first().click();
  await expect(name).toHaveCount(1);
  await expect(name.nth(0)).toHaveValue("Grace");
  await player.run();
  await expect(player.call(1)).toContainText("OSLLIS-1");
  await expect(player.call(1)).toContainText("210.0");
});

test("two tools and an answer become a case in the agent's file", async ({ page, host, picture, accessible }) => {
  const player = await Player.at(page, "math-agent");
  await player.ask("Calculate 5 * 5 + 10");
  await player.choose("multiply");
  await player.fill("a", "5");
  await player.fill("b", "5");
  await player.run();
  await expect(player.call(1)).toContainText("→ 25");
  await player.choose("add");
  await player.fill("a", "25");
  await player.fill("b", "10");
  await player.run();
  await expect(player.call(2)).toContainText("→ 35");
  await player.answer("The answer is 35.");
  await picture("completed");
  const path = await player.export();
  await picture("exported");
  await accessible();
  expect(path.startsWith(host.folder) || path.includes("rehearsal-story-")).toBeTruthy();
  const set = JSON.parse(readFileSync(path, "utf8"));
  expect(set.eval_set_id).toBe("math_agent_evals");
  const invocation = set.eval_cases.at(-1).conversation[0];
  expect(invocation.user_content.parts[0].text).toBe("Calculate 5 * 5 + 10");
  const names = invocation.intermediate_data.tool_uses.map((call: { name: string }) => call.name);
  expect(names).toEqual(["multiply", "add"]);
  // The same session again adds nothing.
  await page.getByRole("button", { name: /Export again/ }).click();
  await expect(page.getByText(/Already exported\. Nothing was added/)).toBeVisible();
  expect(JSON.parse(readFileSync(path, "utf8")).eval_cases.length).toBe(set.eval_cases.length);
});

test("a failing tool is told, and the session goes on", async ({ page, picture, accessible }) => {
  const player = await Player.at(page, "travel-desk");
  await player.fill("query", "A hotel");
  await player.fill("max_results", "1");
  await player.begin();
  await player.choose("book_hotel");
  await player.fill("query", "with a pool");
  await player.run();
  await expect(player.call(1)).toHaveClass(/failed/);
  await expect(player.call(1)).toContainText("Unavailable: the hotel partner does not answer");
  await player.call(1).getByRole("button").first().click();
  await picture("failed");
  await accessible();
  await player.choose("search_places");
  await player.fill("query", "sauna");
  await player.run();
  await expect(player.call(2)).toContainText("HEL");
});

test("a slow tool shows its stopwatch and is cancelled", async ({ page, picture, accessible }) => {
  const player = await Player.at(page, "travel-desk");
  await player.fill("query", "When?");
  await player.fill("max_results", "1");
  await player.begin();
  await player.choose("slow_timetable");
  await player.run();
  const clock = page.getByRole("timer");
  await expect(clock).toBeVisible();
  await expect(clock).not.toHaveText("0:00.0");
  await picture("running");
  await accessible();
  await page.keyboard.press("Escape");
  await expect(player.call(1)).toHaveClass(/cancelled/);
  await expect(player.call(1)).toContainText("Cancelled");
});

test("tools are found by their arguments, and say what they return", async ({ page, picture, accessible }) => {
  const player = await Player.at(page, "travel-desk");
  await player.fill("query", "Where?");
  await player.fill("max_results", "1");
  await player.begin();
  const filter = page.getByRole("searchbox", { name: "Filter tools" });
  await filter.fill("airport");
  const tools = page.getByRole("list", { name: "Tools" });
  await expect(tools.getByText("city_file", { exact: true })).toBeVisible();
  await expect(tools.getByText("slow_timetable", { exact: true })).toBeHidden();
  await filter.fill("");
  await player.choose("book_trip");
  await page.getByText("Result schema").click();
  await expect(page.getByRole("group", { name: "Result schema" })).toContainText('"type"');
  await picture("returns");
  await accessible();
});

test("nothing is said of what is missing before something is entered", async ({ page }) => {
  const player = await Player.at(page, "math-agent");
  await page.getByRole("button", { name: /Start session/ }).click();
  await expect(page.getByText("Enter the user message.", { exact: true })).toBeVisible();
  await expect(page.getByRole("textbox", { name: "User message" })).toBeFocused();
  await player.ask("What is 5 + 3?");
  await player.choose("add");
  await player.field("a").focus();
  await page.keyboard.press("Tab");
  await page.getByRole("heading", { name: "History" }).click();
  // What an untouched form lacks would be said 180 ms after the focus left.
  await page.waitForTimeout(400);
  await expect(player.field("a")).not.toHaveAttribute("aria-invalid", "true");
  await player.fill("b", "3");
  await player.field("a").focus();
  await page.keyboard.press("Tab");
  await expect(player.field("a")).toHaveAttribute("aria-invalid", "true");
  await page.getByRole("tab", { name: /Final response/ }).click();
  await page.getByRole("button", { name: /Send response/ }).click();
  await expect(page.getByText("Enter the final response.", { exact: true })).toBeVisible();
  await expect(page.getByRole("textbox", { name: "Final response" })).toBeFocused();
  await player.answer("8");
});

test("megabytes stay on the host and are shown in part", async ({ page, picture }) => {
  const player = await Player.at(page, "travel-desk");
  await player.fill("query", "Everything");
  await player.fill("max_results", "1");
  await player.begin();
  await player.choose("flight_archive");
  await player.run();
  await expect(player.call(1)).toContainText("stored on the host", { timeout: 60_000 });
  await player.call(1).getByRole("button").first().click();
  await expect(page.getByRole("button", { name: /show more/i })).toBeVisible();
  await picture("held");
});

test("an agent without tools answers at once", async ({ page, picture, accessible }) => {
  const player = await Player.at(page, "poet");
  await player.ask("What is spring?");
  await expect(page.getByText("This agent has no callable tools")).toBeVisible();
  await picture("no-tools");
  await accessible();
  await page.getByRole("textbox", { name: "Final response" }).fill("buds on bare branches");
  await player.finish();
});

test("input and output schemas are forms that must be valid", async ({ page, picture, accessible }) => {
  const player = await Player.at(page, "travel-desk");
  await page.getByRole("button", { name: /Start session/ }).click();
  await expect(player.field("query")).toHaveAttribute("aria-invalid", "true");
  await player.fill("query", "Where to?");
  await player.fill("max_results", "2");
  await picture("input");
  await accessible();
  await player.begin();
  await page.getByRole("tab", { name: /Final response/ }).click();
  await player.fill("answer", "Lisbon.");
  await page.getByRole("button", { name: /Send response/ }).click();
  await expect(player.field("confidence")).toHaveAttribute("aria-invalid", "true");
  await player.fill("confidence", "1.5");
  await page.getByRole("button", { name: /Send response/ }).click();
  await expect(player.field("confidence")).toHaveAttribute("aria-invalid", "true");
  await picture("output");
  await accessible();
  await player.fill("confidence", "0.9");
  await player.finish();
});
