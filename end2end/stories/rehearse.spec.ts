// Rehearsals of the agents that ship, from the query to the file.

import { readFileSync } from "node:fs";

import { Rehearsal } from "../rehearsal";
import { expect, test } from "../fixtures";

test("add(5, 3) shows 8", async ({ page, picture, accessible }) => {
  const rehearsal = await Rehearsal.at(page, "math-agent");
  await picture("query");
  await accessible();
  await rehearsal.ask("What is 5 + 3?");
  await rehearsal.choose("add");
  await picture("form");
  await accessible();
  await rehearsal.fill("a", "5");
  await rehearsal.fill("b", "3");
  await rehearsal.run();
  await expect(rehearsal.call(1)).toContainText(/add\(a: 5, b: 3\).*→.*8/);
  await rehearsal.call(1).getByRole("button").first().click();
  await picture("result");
  await accessible();
});

test("an integer keeps every digit", async ({ page }) => {
  const rehearsal = await Rehearsal.at(page, "math-agent");
  await rehearsal.ask("Add nothing.");
  await rehearsal.choose("add");
  await rehearsal.fill("a", "9007199254740993");
  await rehearsal.fill("b", "0");
  await rehearsal.run();
  await expect(rehearsal.call(1)).toContainText("→ 9007199254740993");
});

test("an invalid field shows its fault, and nothing is sent", async ({ page, picture, accessible }) => {
  const rehearsal = await Rehearsal.at(page, "math-agent");
  await rehearsal.ask("What is five?");
  await rehearsal.choose("add");
  await rehearsal.fill("a", "five");
  await rehearsal.run();
  await expect(rehearsal.field("a")).toHaveAttribute("aria-invalid", "true");
  await expect(rehearsal.field("b")).toHaveAttribute("aria-invalid", "true");
  const attention = page.getByRole("status").getByRole("link", { name: "2 fields need attention", exact: true });
  await expect(attention).toBeVisible();
  await rehearsal.field("b").focus();
  await attention.click();
  await expect(rehearsal.field("a")).toBeFocused();
  await expect(rehearsal.call(1)).toHaveCount(0);
  await picture("faults");
  await accessible();
});

test("search(query, limit = 10) shows a required text and an optional number", async ({ page, picture }) => {
  const rehearsal = await Rehearsal.at(page, "travel-desk");
  await rehearsal.fill("query", "A city by the sea");
  await rehearsal.fill("max_results", "3");
  await rehearsal.begin();
  await rehearsal.choose("search_places");
  await expect(page.getByText("query (required)")).toBeVisible();
  await expect(rehearsal.field("limit")).toHaveAttribute("placeholder", /10/);
  await expect(rehearsal.field("limit")).toHaveValue("");
  await picture("form");
  await rehearsal.fill("query", "jazz");
  await rehearsal.run();
  // The default was shown, not sent.
  await expect(rehearsal.call(1)).toContainText('search_places(query: "jazz")');
  await expect(rehearsal.call(1)).toContainText("YUL");
});

test("an enum is a select, and a nested list takes rows in any order", async ({ page, picture, accessible }) => {
  const rehearsal = await Rehearsal.at(page, "travel-desk");
  await rehearsal.fill("query", "Oslo to Lisbon for two");
  await rehearsal.fill("max_results", "1");
  await rehearsal.begin();
  await rehearsal.choose("quote_trip");
  await rehearsal.fill("from", "OSL");
  await rehearsal.fill("to", "LIS");
  const cabin = page.locator("form select").first();
  await expect(cabin.locator("option")).toContainText(["economy", "premium", "business"]);
  await cabin.selectOption({ label: "premium" });
  const name = page.locator("form").getByRole("textbox", { name: /^name\b/ });
  const age = page.locator("form").getByRole("textbox", { name: /^age\b/ });
  // A list with a minimum of one item opens with one.
  if ((await name.count()) === 0) {
    await page.getByRole("button", { name: /add/i }).first().click();
  }
  await name.nth(0).fill("Ada");
  await age.nth(0).fill("36");
  await page.getByRole("button", { name: /add/i }).first().click();
  await name.nth(1).fill("Grace");
  await age.nth(1).fill("37");
  await picture("two-travelers");
  await accessible();
  await page.getByRole("button", { name: /remove/i }).first().click();
  await expect(name).toHaveCount(1);
  await expect(name.nth(0)).toHaveValue("Grace");
  await rehearsal.run();
  await expect(rehearsal.call(1)).toContainText("OSLLIS-1");
  await expect(rehearsal.call(1)).toContainText("210.0");
});

test("two calls and a response become a case in the agent's file", async ({ page, host, picture, accessible }) => {
  const rehearsal = await Rehearsal.at(page, "math-agent");
  await rehearsal.ask("Calculate 5 * 5 + 10");
  await rehearsal.choose("multiply");
  await rehearsal.fill("a", "5");
  await rehearsal.fill("b", "5");
  await rehearsal.run();
  await expect(rehearsal.call(1)).toContainText("→ 25");
  await rehearsal.choose("add");
  await rehearsal.fill("a", "25");
  await rehearsal.fill("b", "10");
  await rehearsal.run();
  await expect(rehearsal.call(2)).toContainText("→ 35");
  await rehearsal.answer("The answer is 35.");
  await picture("completed");
  const path = await rehearsal.export();
  await picture("exported");
  await accessible();
  expect(path.startsWith(host.folder), `${path} is not in ${host.folder}`).toBe(true);
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

test("a failed tool shows its error, and the session continues", async ({ page, picture, accessible }) => {
  const rehearsal = await Rehearsal.at(page, "travel-desk");
  await rehearsal.fill("query", "A hotel");
  await rehearsal.fill("max_results", "1");
  await rehearsal.begin();
  await rehearsal.choose("book_hotel");
  await rehearsal.fill("query", "with a pool");
  await rehearsal.run();
  await expect(rehearsal.call(1)).toHaveClass(/failed/);
  await expect(rehearsal.call(1)).toContainText("Unavailable: the hotel partner does not answer");
  await rehearsal.call(1).getByRole("button").first().click();
  await picture("failed");
  await accessible();
  await rehearsal.choose("search_places");
  await rehearsal.fill("query", "sauna");
  await rehearsal.run();
  await expect(rehearsal.call(2)).toContainText("HEL");
});

test("a slow tool shows a stopwatch and can be canceled", async ({ page, picture, accessible }) => {
  const rehearsal = await Rehearsal.at(page, "travel-desk");
  await rehearsal.fill("query", "When?");
  await rehearsal.fill("max_results", "1");
  await rehearsal.begin();
  await rehearsal.choose("slow_timetable");
  await rehearsal.run();
  const clock = page.getByRole("timer");
  await expect(clock).toBeVisible();
  await expect(clock).not.toHaveText("0:00.0");
  await picture("running");
  await accessible();
  await page.keyboard.press("Escape");
  await expect(rehearsal.call(1)).toHaveClass(/cancelled/);
  await expect(rehearsal.call(1)).toContainText("Cancelled");
});

test("tools are found by their arguments, and show their result type", async ({ page, picture, accessible }) => {
  const rehearsal = await Rehearsal.at(page, "travel-desk");
  await rehearsal.fill("query", "Where?");
  await rehearsal.fill("max_results", "1");
  await rehearsal.begin();
  const filter = page.getByRole("searchbox", { name: "Filter tools" });
  await filter.fill("airport");
  const tools = page.getByRole("list", { name: "Tools" });
  await expect(tools.getByText("city_file", { exact: true })).toBeVisible();
  await expect(tools.getByText("slow_timetable", { exact: true })).toBeHidden();
  await filter.fill("");
  await rehearsal.choose("book_trip");
  await page.getByText("Result schema").click();
  await expect(page.getByRole("group", { name: "Result schema" })).toContainText('"type"');
  await picture("returns");
  await accessible();
});

test("missing fields show no fault before any input", async ({ page }) => {
  const rehearsal = await Rehearsal.at(page, "math-agent");
  await page.getByRole("button", { name: /Start session/ }).click();
  await expect(page.getByText("Enter the user message.", { exact: true })).toBeVisible();
  await expect(page.getByRole("textbox", { name: "User message" })).toBeFocused();
  await rehearsal.ask("What is 5 + 3?");
  await rehearsal.choose("add");
  await rehearsal.field("a").focus();
  await page.keyboard.press("Tab");
  await page.getByRole("heading", { name: "History" }).click();
  // Faults would appear 180 ms after the focus left.
  await page.waitForTimeout(400);
  await expect(rehearsal.field("a")).not.toHaveAttribute("aria-invalid", "true");
  await rehearsal.fill("b", "3");
  await rehearsal.field("a").focus();
  await page.keyboard.press("Tab");
  await expect(rehearsal.field("a")).toHaveAttribute("aria-invalid", "true");
  await page.getByRole("tab", { name: /Final response/ }).click();
  await page.getByRole("button", { name: /Send response/ }).click();
  await expect(page.getByText("Enter the final response.", { exact: true })).toBeVisible();
  await expect(page.getByRole("textbox", { name: "Final response" })).toBeFocused();
  await rehearsal.answer("8");
});

test("a result of megabytes is stored on the host and shown in part", async ({ page, picture }) => {
  const rehearsal = await Rehearsal.at(page, "travel-desk");
  await rehearsal.fill("query", "Everything");
  await rehearsal.fill("max_results", "1");
  await rehearsal.begin();
  await rehearsal.choose("flight_archive");
  await rehearsal.run();
  await expect(rehearsal.call(1)).toContainText("stored on the host", { timeout: 60_000 });
  await rehearsal.call(1).getByRole("button").first().click();
  await expect(page.getByRole("button", { name: /show more/i })).toBeVisible();
  await picture("held");
});

test("an agent without tools responds at once", async ({ page, picture, accessible }) => {
  const rehearsal = await Rehearsal.at(page, "poet");
  await rehearsal.ask("What is spring?");
  await expect(page.getByText("This agent has no callable tools")).toBeVisible();
  await picture("no-tools");
  await accessible();
  await page.getByRole("textbox", { name: "Final response" }).fill("buds on bare branches");
  await rehearsal.finish();
});

test("input and output schemas are forms that must be valid", async ({ page, picture, accessible }) => {
  const rehearsal = await Rehearsal.at(page, "travel-desk");
  await page.getByRole("button", { name: /Start session/ }).click();
  await expect(rehearsal.field("query")).toHaveAttribute("aria-invalid", "true");
  await rehearsal.fill("query", "Where to?");
  await rehearsal.fill("max_results", "2");
  await picture("input");
  await accessible();
  await rehearsal.begin();
  await page.getByRole("tab", { name: /Final response/ }).click();
  await rehearsal.fill("answer", "Lisbon.");
  await page.getByRole("button", { name: /Send response/ }).click();
  await expect(rehearsal.field("confidence")).toHaveAttribute("aria-invalid", "true");
  await rehearsal.fill("confidence", "1.5");
  await page.getByRole("button", { name: /Send response/ }).click();
  await expect(rehearsal.field("confidence")).toHaveAttribute("aria-invalid", "true");
  await picture("output");
  await accessible();
  await rehearsal.fill("confidence", "0.9");
  await rehearsal.finish();
});

test("a program that was compiled without the client's flags has the same page", async ({ page }) => {
  // What a program that uses the library sends, before the page's code runs: markup without the marker at the
  // end of elements that `--cfg erase_components` adds.
  await page.addInitScript(() => {
    document.addEventListener("readystatechange", () => {
      const root = document.documentElement;
      if (document.readyState !== "interactive" || root.dataset.markup !== "erased") {
        return;
      }
      root.dataset.markup = "typed";
      for (const element of document.body.querySelectorAll("*")) {
        if (element.lastChild instanceof Comment) {
          element.lastChild.remove();
        }
      }
    });
  });
  const rehearsal = await Rehearsal.at(page, "math-agent");
  await expect(page.locator("html[data-markup=typed]")).toHaveCount(1);
  await expect(page.getByRole("banner")).toHaveCount(1);
  await rehearsal.ask("What is 5 + 3?");
  await rehearsal.choose("add");
  await rehearsal.fill("a", "5");
  await rehearsal.fill("b", "3");
  await rehearsal.run();
  await expect(rehearsal.call(1)).toContainText("→ 8");
  await page.getByRole("link", { name: "Eval sets" }).click();
  await expect(page.getByRole("heading", { name: "Eval sets" })).toBeVisible();
});
