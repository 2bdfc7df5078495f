// Eval sets: exported cases are listed, searched and read step by step, and a broken file shows
// where.

import { mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { expect, type Host, open, startHost, test } from "../fixtures";
import { Rehearsal } from "../rehearsal";

test("an exported case is found and read step by step", async ({ page, host, picture, accessible }) => {
  void host;
  const rehearsal = await Rehearsal.at(page, "math-agent");
  await rehearsal.ask("Calculate 9007199254740993 + 1");
  await rehearsal.choose("add");
  await rehearsal.fill("a", "9007199254740993");
  await rehearsal.fill("b", "1");
  await rehearsal.run();
  await expect(rehearsal.call(1)).toBeVisible();
  await rehearsal.answer("It is **9007199254740994**.\n\n- exact\n- whole");
  await rehearsal.export();
  await page.getByRole("link", { name: "Eval sets" }).click();
  const set = page.getByRole("row").filter({ hasText: "Math Agent" });
  await expect(set).toContainText("math_agent_evals.evalset.json");
  await expect(page.getByRole("row").filter({ hasText: "Poet" })).toContainText("no cases");
  await picture("sets");
  await accessible();
  await set.getByRole("link").first().click();
  const list = page.getByRole("list", { name: "Cases" });
  await page.getByRole("searchbox", { name: "Filter cases" }).fill("9007199254740993");
  const line = list.getByRole("link").filter({ hasText: "Calculate 9007199254740993 + 1" }).last();
  await line.click();
  await expect(page).toHaveURL(/\/evalsets\/math-agent\/math_agent_/);
  const call = page.locator(".case-steps .row.returned");
  await expect(call).toContainText("add(a: 9007199254740993, b: 1)");
  await call.getByRole("button").first().click();
  await expect(page.getByRole("tree", { name: "Response" })).toContainText("9007199254740994");
  await expect(page.locator(".case-steps").getByRole("listitem").filter({ hasText: "exact" }).last()).toBeVisible();
  await picture("case");
  await accessible();
  // The address leads back to it.
  await page.reload();
  await expect(page.locator(".case-steps .row.returned")).toContainText("9007199254740993");
  await page.getByRole("group", { name: "Case view" }).getByRole("button", { name: "JSON" }).click();
  await expect(page.getByRole("tree", { name: "Case as JSON" })).toContainText("eval_id");
  await accessible();
});

test("a set of another format, with a broken case, is read as far as it goes", async ({ page, picture, accessible }) => {
  const config = `
[[agent]]
name = "Weather"
source = "native"
example = "poet"
eval_set_path = "weather.evalset.json"

[[agent]]
name = "Broken"
source = "native"
example = "poet"
eval_set_path = "broken.evalset.json"
`;
  const host = await startHost({ config });
  const message = (content: string, role = "user") => ({ role, content });
  const cases = [
    {
      eval_id: "rain/today ünd mehr",
      tags: ["smoke"],
      conversation: [
        {
          invocation_id: "i",
          user_content: message("Does it rain?"),
          expected_tool_trajectory: [{ name: "get_weather", args: { city: "Tokyo" }, result: { rain: false } }],
          expected_final_response: message("No.", "assistant"),
        },
      ],
    },
    { eval_id: "without a query", conversation: [{ invocation_id: "x" }] },
    { eval_id: "plain", conversation: [{ invocation_id: "y", user_content: message("Hello") }] },
  ];
  writeFileSync(join(host.folder, "weather.evalset.json"), JSON.stringify({ eval_set_id: "w", eval_cases: cases }));
  writeFileSync(join(host.folder, "broken.evalset.json"), '{"eval_set_id": "b", "eval_cases": [{"eval_id": "a"}, nonsense');
  await open(page, `${host.url}/evalsets/weather`);
  await expect(page.getByText("AgentFlow")).toBeVisible();
  const list = page.getByRole("list", { name: "Cases" });
  await expect(list.getByRole("link")).toHaveCount(3);
  await expect(list.getByRole("link").nth(1)).toContainText('needs "user_content"; add it');
  await list.getByRole("link").first().focus();
  await page.keyboard.press("ArrowDown");
  await expect(list.getByRole("link").nth(1)).toBeFocused();
  await page.keyboard.press("ArrowUp");
  await page.keyboard.press("Enter");
  await expect(page.locator(".case-steps .row.returned")).toContainText('get_weather(city: "Tokyo") → { rain: false }');
  await page.reload();
  await expect(page.getByRole("heading", { name: "rain/today ünd mehr" })).toBeVisible();
  await picture("agentflow");
  await accessible();
  await page.getByRole("searchbox", { name: "Filter cases" }).fill("smoke");
  await expect(list.getByRole("link")).toHaveCount(1);
  await list.getByRole("link").first().click();
  await page.getByRole("searchbox", { name: "Filter cases" }).fill("");
  await list.getByRole("link").nth(1).click();
  await expect(page.getByRole("alert").filter({ hasText: "user_content" })).toBeVisible();
  await expect(page.getByRole("tree", { name: "Case as JSON" })).toContainText("without a query");

  await open(page, `${host.url}/evalsets/broken`);
  await expect(page.getByRole("alert").filter({ hasText: /line 1/ })).toBeVisible();
  await open(page, `${host.url}/evalsets/nobody`);
  await expect(page.getByRole("alert").filter({ hasText: "Eval set nobody was not found" })).toBeVisible();
  await page.close();
  expect(await host.stop()).toBe(0);
});

test("a case is edited through forms, duplicated, deleted and restored", async ({ page, host, picture, accessible }) => {
  void host;
  const rehearsal = await Rehearsal.at(page, "math-agent");
  await rehearsal.ask("What is 2 + 2?");
  await rehearsal.choose("add");
  await rehearsal.fill("a", "2");
  await rehearsal.fill("b", "2");
  await rehearsal.run();
  await expect(rehearsal.call(1)).toContainText("→ 4");
  await rehearsal.answer("Four.");
  const file = await rehearsal.export();
  await page.getByRole("link", { name: "Open in eval set" }).click();
  const steps = page.locator(".case-steps");
  const call = steps.locator(".row.returned");
  await expect(call).toContainText("add(a: 2, b: 2)");

  // Arguments through the tool's own form, which knows what it takes.
  await call.hover();
  await call.getByRole("button", { name: "Edit: the call" }).click();
  const editor = page.getByRole("form", { name: "Expected call" });
  const argument = editor.getByRole("textbox", { name: /^a\b/ });
  await expect(argument).toHaveValue("2", { timeout: 60_000 });
  await argument.fill("two");
  await editor.getByRole("button", { name: /^Save/ }).click();
  await expect(argument).toHaveAttribute("aria-invalid", "true");
  await argument.fill("9007199254740993");
  await picture("editor");
  await accessible();
  await page.keyboard.press("Control+Enter");
  await expect(call).toContainText("add(a: 9007199254740993, b: 2)");
  await expect(page.getByText("Call changed.")).toBeVisible();
  expect(readFileSync(file, "utf8")).toContain("9007199254740993");

  // User message, by the keyboard.
  await steps.getByRole("button", { name: "Edit: User message" }).focus();
  await page.keyboard.press("Enter");
  const query = page.getByRole("textbox", { name: "User message" });
  await expect(query).toBeFocused();
  await query.fill("What is a lot + 2?");
  await page.keyboard.press("Control+Enter");
  await expect(steps).toContainText("What is a lot + 2?");

  // Another tool, by its name and the key that saves.
  await call.hover();
  await call.getByRole("button", { name: "Edit: the call" }).click();
  const tool = page.getByRole("combobox", { name: "Tool" });
  await tool.fill("multiply");
  await page.keyboard.press("Control+Enter");
  await expect(call).toContainText("multiply(a: 9007199254740993, b: 2)");
  await call.hover();
  await call.getByRole("button", { name: "Edit: the call" }).click();
  await tool.fill("ad");
  await page.keyboard.press("Control+Enter");
  await expect(page.getByRole("alert").filter({ hasText: "The agent has no tool with this name" })).toBeVisible();
  await tool.fill("add");
  await page.keyboard.press("Control+Enter");
  await expect(call).toContainText("add(a: 9007199254740993, b: 2)");

  // Another call, the other way round, and out again.
  await page.getByRole("button", { name: "+ expected call" }).click();
  await page.getByRole("combobox", { name: "Tool" }).fill("multiply");
  await page.keyboard.press("Tab");
  await editor.getByRole("textbox", { name: /^a\b/ }).fill("3");
  await editor.getByRole("textbox", { name: /^b\b/ }).fill("4");
  await editor.getByRole("button", { name: /^Save/ }).click();
  await expect(call.nth(1)).toContainText("multiply(a: 3, b: 4)");
  await call.nth(1).hover();
  await call.nth(1).getByRole("button", { name: "Move the call up" }).click();
  await expect(call.first()).toContainText("multiply");
  await call.first().hover();
  await picture("changed");
  await accessible();
  await call.first().getByRole("button", { name: "Remove call" }).click();
  await expect(call).toHaveCount(1);
  await page.getByRole("button", { name: "Undo" }).click();
  await expect(call).toHaveCount(2);

  // The copy is inserted after it, and removed; the case is deleted, and restored.
  const before = readFileSync(file, "utf8");
  await page.getByRole("button", { name: "Duplicate" }).click();
  await expect(page).toHaveURL(/_2$/);
  await page.getByRole("button", { name: "Undo" }).click();
  // Back to the case that was copied.
  await expect(page).not.toHaveURL(/_2$/);
  expect(readFileSync(file, "utf8")).toBe(before);
  const lots = page.getByRole("list", { name: "Cases" }).getByRole("link").filter({ hasText: "What is a lot" });
  await expect(lots).toHaveCount(1);
  await lots.click();
  await page.getByRole("button", { name: "Delete" }).click();
  await expect(page.getByText("Case deleted.")).toBeVisible();
  await expect(page.getByRole("list", { name: "Cases" }).getByText("What is a lot")).toBeHidden();
  await page.keyboard.press("Control+z");
  await expect(steps).toContainText("What is a lot + 2?");
  expect(readFileSync(file, "utf8")).toBe(before);
});

test("changes by another program are not overwritten", async ({ page, host, picture, accessible }) => {
  void host;
  const rehearsal = await Rehearsal.at(page, "poet");
  await rehearsal.ask("A poem.");
  await page.getByRole("textbox", { name: "Final response" }).fill("Roses.");
  await rehearsal.finish();
  const file = await rehearsal.export();
  await page.getByRole("link", { name: "Open in eval set" }).click();
  await expect(page.locator(".case-steps")).toContainText("Roses.");
  const theirs = readFileSync(file, "utf8").replace("Roses.", "Violets.");
  writeFileSync(file, theirs);
  await page.getByRole("button", { name: "Edit: Expected response" }).focus();
  await page.keyboard.press("Enter");
  await page.getByRole("textbox", { name: "Expected response" }).fill("Tulips.");
  await page.keyboard.press("Control+Enter");
  await expect(page.getByText("changed this case after it was loaded")).toBeVisible();
  // What was entered is still there.
  const response = page.getByRole("textbox", { name: "Expected response" });
  await expect(response).toHaveValue("Tulips.");
  expect(readFileSync(file, "utf8")).toBe(theirs);
  // Reloaded, it is shown beside the draft, which is saved only on request.
  await page.getByRole("button", { name: "Reload" }).click();
  const editor = page.getByRole("form", { name: "Expected response" });
  await expect(editor).toContainText("The file now contains: Violets.");
  await expect(response).toHaveValue("Tulips.");
  await picture("reloaded");
  await accessible();
  await response.press("Escape");
  const steps = page.locator(".case-steps");
  await expect(steps).toContainText("Violets.");
  await expect(page.getByRole("button", { name: "Edit: Expected response" })).toBeFocused();
  await page.keyboard.press("Enter");
  await response.fill("Tulips.");
  writeFileSync(file, theirs.replace("Violets.", "Lilies."));
  await page.keyboard.press("Control+Enter");
  await page.getByRole("button", { name: "Reload" }).click();
  await expect(editor).toContainText("The file now contains: Lilies.");
  await expect(response).toBeFocused();
  await page.keyboard.press("Control+Enter");
  await expect(steps).toContainText("Tulips.");
  expect(readFileSync(file, "utf8")).toBe(theirs.replace("Violets.", "Tulips."));
  // A change that cannot be undone any more is not offered again.
  writeFileSync(file, theirs);
  await page.getByRole("button", { name: "Undo" }).click();
  await page.getByRole("alert").getByRole("button", { name: "Reload" }).click();
  await expect(steps).toContainText("Violets.");
  await expect(page.getByRole("button", { name: "Undo" })).toBeHidden();
});

/** A host with one agent whose eval set has these cases. */
async function withCases(cases: object[]): Promise<{ host: Host; file: string }> {
  const config = `
[[agent]]
name = "Home"
source = "native"
example = "poet"
eval_set_path = "home.evalset.json"
`;
  const host = await startHost({ config });
  const file = join(host.folder, "home.evalset.json");
  writeFileSync(file, JSON.stringify({ eval_set_id: "home", eval_cases: cases }, undefined, 2));
  return { host, file };
}

const message = (text: string, role: string) => ({ role, parts: [{ text }] });

test("focus that moves before a change is drawn stays there", async ({ page }) => {
  const { host } = await withCases([
    { eval_id: "plan", conversation_scenario: { starting_prompt: "Hello", conversation_plan: "Ask for the garage." } },
  ]);
  // Frames as on a machine that has more to do.
  await page.addInitScript(() => {
    const frame = window.requestAnimationFrame.bind(window);
    window.requestAnimationFrame = (then) => frame(() => setTimeout(() => frame(then), 200));
  });
  await open(page, `${host.url}/evalsets/home/plan`);
  const steps = page.locator(".case-steps");
  await steps.getByRole("button", { name: "Edit: Simulated user's plan" }).click();
  const plan = page.getByRole("textbox", { name: "Simulated user's plan" });
  await plan.fill("Ask for the hall.");
  await page.keyboard.press("Control+Enter");
  await expect(steps).toContainText("Ask for the hall.");
  const next = steps.getByRole("button", { name: "Edit: User message" });
  await next.focus();
  const frames = (count: number): Promise<void> =>
    page.evaluate(async (count) => {
      for (let frame = 0; frame < count; frame += 1) {
        await new Promise((then) => requestAnimationFrame(then));
      }
    }, count);
  await frames(4);
  await expect(next).toBeFocused();
  // Without another focus, the button is focused again.
  await page.keyboard.press("Enter");
  await page.getByRole("textbox", { name: "User message" }).fill("Good morning");
  await page.keyboard.press("Control+Enter");
  await expect(steps).toContainText("Good morning");
  await expect(next).toBeFocused();
});

test("a scenario is edited, and the expected state of a case is shown, edited and compared", async ({ page, picture, accessible }) => {
  const recorded = (eval_id: string, state: object) => ({
    eval_id,
    conversation: [
      {
        invocation_id: `${eval_id}-1`,
        user_content: message("Close the garage.", "user"),
        final_response: message("It is closed.", "model"),
        rubrics: [{ rubric_id: "short", rubric_content: { text_property: "The answer is short." } }],
      },
    ],
    final_session_state: state,
    accepted_trajectories: { "#0": [[{ name: "close_garage", args: { code: 4417 } }]] },
  });
  const { host, file } = await withCases([
    { eval_id: "plan", conversation_scenario: { starting_prompt: "Hello", conversation_plan: "Ask for the garage." } },
    recorded("golden", { garage: "closed", tries: { $lte: 2 } }),
    recorded("run", { garage: "open", tries: 1 }),
  ]);
  await open(page, `${host.url}/evalsets/home/plan`);
  const steps = page.locator(".case-steps");
  await expect(steps.getByRole("button", { name: "Edit: Simulated user's plan" })).toBeVisible();
  await expect(page.getByRole("button", { name: "+ expected call" })).toHaveCount(0);
  await expect(page.getByRole("button", { name: "+ expected response" })).toHaveCount(0);
  await steps.getByRole("button", { name: "Edit: Simulated user's plan" }).focus();
  await page.keyboard.press("Enter");
  const plan = page.getByRole("textbox", { name: "Simulated user's plan" });
  await expect(plan).toBeFocused();
  await plan.fill("Ask for the garage, then for the hall.");
  await page.keyboard.press("Control+Enter");
  await expect(steps).toContainText("then for the hall.");
  await steps.getByRole("button", { name: "Edit: User message" }).focus();
  await page.keyboard.press("Enter");
  await page.getByRole("textbox", { name: "User message" }).fill("Good morning");
  await page.keyboard.press("Control+Enter");
  await expect(steps).toContainText("Good morning");
  expect(JSON.parse(readFileSync(file, "utf8")).eval_cases[0].conversation_scenario).toEqual({
    starting_prompt: "Good morning",
    conversation_plan: "Ask for the garage, then for the hall.",
  });
  await picture("scenario");
  await accessible();

  await open(page, `${host.url}/evalsets/home/golden`);
  await expect(steps).toContainText('Also accepted: close_garage({"code":4417})');
  await expect(steps).toContainText("Rubric: The answer is short.");
  await expect(page.getByRole("tree", { name: "Expected final state" })).toContainText("closed");
  await picture("expected-state");
  await accessible();
  await page.getByRole("combobox", { name: "Compare with another case" }).selectOption({ label: "Close the garage. · run" });
  await expect(page.getByText('garage is "open", expected "closed"')).toBeVisible();
  const both = page.getByRole("region", { name: "Both cases, side by side" });
  await expect(both.locator(".pair.differs")).toContainText(["garage"]);
  await expect(page.locator(".score").filter({ hasText: "final state" })).toContainText("0.000");
  await picture("compared-state");
  await accessible();
  await page.getByRole("button", { name: "Back to the case" }).click();
  await page.getByRole("button", { name: "Edit: Expected final state" }).click();
  const editor = page.getByRole("form", { name: "Expected final state" });
  await editor.getByRole("textbox").fill('{"garage": "open", "tries": {"$lte": 2}}');
  await page.keyboard.press("Control+Enter");
  await expect(page.getByText("Expected state changed.")).toBeVisible();
  expect(JSON.parse(readFileSync(file, "utf8")).eval_cases[1].final_session_state).toEqual({ garage: "open", tries: { $lte: 2 } });
  await page.close();
  expect(await host.stop()).toBe(0);
});

test("each edit keeps the focus", async ({ page }) => {
  const call = (id: string, name: string) => ({ id, name, args: {} });
  const one = (eval_id: string) => ({
    eval_id,
    conversation: [
      {
        invocation_id: `${eval_id}-1`,
        user_content: message(`Do ${eval_id}.`, "user"),
        intermediate_data: { tool_uses: [call("1", "f"), call("2", "g"), call("3", "h")], tool_responses: [] },
        final_response: message("Done.", "model"),
      },
    ],
  });
  const { host } = await withCases([one("a"), one("b")]);
  await open(page, `${host.url}/evalsets/home/a`);
  const rows = page.locator(".case-steps .row.returned");
  const button = (name: string, at = 0) => rows.nth(at).getByRole("button", { name });
  await expect(rows).toHaveCount(3);

  // Cancelled, and saved.
  const query = page.getByRole("button", { name: "Edit: User message" });
  await query.focus();
  for (const key of ["Escape", "Control+Enter"]) {
    await page.keyboard.press("Enter");
    await expect(page.getByRole("textbox", { name: "User message" })).toBeFocused();
    await page.keyboard.press(key);
    await expect(query).toBeFocused();
  }
  // A moved call keeps the focus; a removed one passes it to the next, or the last.
  await button("Move the call down").focus();
  await page.keyboard.press("Enter");
  await expect(rows.nth(1)).toContainText("f()");
  await expect(button("Move the call down", 1)).toBeFocused();
  await button("Remove call", 1).focus();
  await page.keyboard.press("Enter");
  await expect(rows).toHaveCount(2);
  await expect(button("Remove call", 1)).toBeFocused();
  await page.keyboard.press("Enter");
  await expect(rows).toHaveCount(1);
  await expect(button("Remove call")).toBeFocused();
  await page.keyboard.press("Enter");
  await expect(rows).toHaveCount(0);
  await expect(page.getByRole("button", { name: "+ expected call" })).toBeFocused();
  await page.keyboard.press("Control+z");
  await expect(rows).toHaveCount(1);
  await expect(page.getByRole("button", { name: "+ expected call" })).toBeFocused();
  await page.getByRole("button", { name: "Remove expected response" }).focus();
  await page.keyboard.press("Enter");
  await expect(page.getByRole("button", { name: "+ expected response" })).toBeFocused();

  // Into a comparison and back.
  await page.getByRole("combobox", { name: "Compare with another case" }).selectOption({ label: "Do b." });
  await expect(page.getByRole("heading", { name: "a", exact: true })).toBeFocused();
  await page.getByRole("button", { name: "Back to the case" }).click();
  await expect(page.getByRole("combobox", { name: "Compare with another case" })).toBeFocused();

  // Unsaved changes keep the editor open; a deletion can be undone at once.
  await query.focus();
  await page.keyboard.press("Enter");
  await page.getByRole("textbox", { name: "User message" }).fill("Do it.");
  await page.getByRole("list", { name: "Cases" }).getByRole("link").nth(1).click();
  await expect(page.getByRole("alert").filter({ hasText: "Save or cancel your changes first" })).toBeVisible();
  await expect(page.getByRole("textbox", { name: "User message" })).toHaveValue("Do it.");
  const ways: [string, () => Promise<unknown>][] = [
    ["a button of the case", () => page.getByRole("button", { name: "Duplicate" }).click()],
    ["another row", () => button("Remove call").click()],
    ["as JSON", () => page.getByRole("group", { name: "Case view" }).getByRole("button", { name: "JSON" }).click()],
    ["a comparison", () => page.getByRole("combobox", { name: "Compare with another case" }).selectOption({ label: "Do b." })],
    ["a link of the page", () => page.getByRole("link", { name: "Reports" }).click()],
    ["the way back", () => page.evaluate(() => history.back())],
  ];
  for (const [way, go] of ways) {
    await page.getByRole("textbox", { name: "User message" }).fill(`Do it by ${way}.`);
    await page.getByRole("textbox", { name: "User message" }).press("Tab");
    await go();
    await expect(page.getByRole("textbox", { name: "User message" }), way).toBeFocused();
    await expect(page.getByRole("textbox", { name: "User message" })).toHaveValue(`Do it by ${way}.`);
    await expect(page).toHaveURL(/\/home\/a$/);
  }
  await expect(rows).toHaveCount(1);
  await page.keyboard.press("Control+k");
  await page.keyboard.type("Reports");
  await page.keyboard.press("Enter");
  await expect(page.getByRole("textbox", { name: "User message" })).toHaveValue("Do it by the way back.");
  await page.getByRole("textbox", { name: "User message" }).focus();
  await page.keyboard.press("Escape");
  await page.getByRole("list", { name: "Cases" }).getByRole("link").nth(1).click();
  await expect(page).toHaveURL(/\/home\/b$/);
  // Until it is loaded, no button changes the case that is still shown.
  await expect(page.getByRole("heading", { name: "b", exact: true })).toBeVisible();
  await page.getByRole("button", { name: "Delete" }).focus();
  await page.keyboard.press("Enter");
  await expect(page.getByRole("button", { name: "Undo" })).toBeFocused();
  await page.keyboard.press("Enter");
  await expect(page).toHaveURL(/\/home\/b$/);
  await page.close();
  expect(await host.stop()).toBe(0);
});

test("a case opens with any id", async ({ page }) => {
  const ids = ["", "..", "C:\\cases\\one", "a%2Fb", "two\nlines", "tests/a.test.json", "pay \u202eevil"];
  const { host } = await withCases(
    ids.map((eval_id) => ({
      eval_id,
      conversation: [{ invocation_id: "1", user_content: message(`The case ${JSON.stringify(eval_id)}.`, "user") }],
    })),
  );
  await open(page, `${host.url}/evalsets/home`);
  const list = page.getByRole("list", { name: "Cases" });
  for (const eval_id of ids) {
    // A character that turns text around is written out.
    const words = `The case ${JSON.stringify(eval_id)}.`.replace("\u202e", "\\u202e");
    await list.getByRole("link").filter({ hasText: words }).click();
    await expect(page.locator(".case-steps")).toContainText(words);
    await page.reload();
    await expect(page.locator(".case-steps")).toContainText(words);
  }
  await expect(page.locator("h2.case-id")).toHaveText("pay \\u202eevil");
  expect(await page.locator("body").innerText()).not.toContain("\u202e");
  await page.close();
  expect(await host.stop()).toBe(0);
});

test("a case is rehearsed again, step by step", async ({ page, host, picture, accessible }) => {
  void host;
  const rehearsal = await Rehearsal.at(page, "math-agent");
  await rehearsal.ask("What is 7 + 8?");
  await rehearsal.choose("add");
  await rehearsal.fill("a", "7");
  await rehearsal.fill("b", "8");
  await rehearsal.run();
  await expect(rehearsal.call(1)).toContainText("→ 15");
  await rehearsal.answer("Fifteen.");
  await rehearsal.export();
  await page.getByRole("link", { name: "Open in eval set" }).click();
  // By its address, see the story below.
  await page.goto((await page.getByRole("link", { name: "Open as a rehearsal" }).getAttribute("href")) ?? "");
  const strip = page.getByRole("region", { name: "Case to rehearse" });
  await expect(strip).toContainText("0 of 3 steps");
  await strip.getByRole("button", { name: /^Fill in/ }).click();
  await expect(page.getByRole("textbox", { name: "User message" })).toHaveValue("What is 7 + 8?");
  await rehearsal.begin();
  await expect(strip).toContainText("add(a: 7, b: 8)");
  await strip.getByRole("button", { name: /^Fill in/ }).click();
  await expect(rehearsal.field("a")).toHaveValue("7");
  await picture("replay");
  await accessible();
  await page.keyboard.press("Control+Enter");
  await expect(rehearsal.call(1)).toContainText("→ 15");
  await expect(strip).toContainText("same result as recorded");
  await page.keyboard.press("Escape");
  await page.keyboard.press("n");
  await expect(page.getByRole("textbox", { name: "Final response" })).toHaveValue("Fifteen.");
  await strip.getByRole("button", { name: "Continue without the case" }).click();
  await expect(strip).toBeHidden();
  await rehearsal.finish();
});

test("two cases are compared side by side, with their differences", async ({ page, picture, accessible }) => {
  const call = (id: string, name: string, args: object) => ({ id, name, args });
  const turn = (calls: object[], text: string) => ({
    invocation_id: "i",
    user_content: { role: "user", parts: [{ text: "Make the office comfortable." }] },
    intermediate_data: { tool_uses: calls, tool_responses: [] },
    final_response: { role: "model", parts: [{ text }] },
  });
  const cases = [
    {
      eval_id: "golden",
      conversation: [
        turn(
          [
            call("1", "list_rooms", {}),
            call("2", "set_temperature", { room: "office", degrees: 21 }),
            call("3", "close_garage", { code: 4417 }),
          ],
          "The office is set to 21 °C. The garage is closed.",
        ),
      ],
    },
    {
      eval_id: "run 14/2",
      conversation: [
        turn(
          [
            call("a", "list_rooms", {}),
            call("b", "list_rooms", {}),
            call("c", "set_temperature", { room: "office", degrees: 23 }),
          ],
          "The office is set to 23 °C.",
        ),
      ],
    },
  ];
  const host = await startHost({
    config: `
[[agent]]
name = "Home"
source = "native"
example = "poet"
eval_set_path = "home.evalset.json"
`,
  });
  writeFileSync(join(host.folder, "home.evalset.json"), JSON.stringify({ eval_set_id: "home", eval_cases: cases }));
  await open(page, `${host.url}/evalsets/home/golden`);
  await page.getByRole("combobox", { name: "Compare with another case" }).selectOption("Make the office comfortable. · run 14/2");
  const both = page.getByRole("region", { name: "Both cases, side by side" });
  await expect(both.locator(".pair.differs", { hasText: "set_temperature" }).locator("mark")).toHaveText([
    "degrees: 21",
    "degrees: 23",
  ]);
  await expect(both.locator(".pair.lacks")).toHaveCount(2);
  await expect(both.locator("del").first()).toHaveText("21");
  await expect(page.getByText("set_temperature was called with degrees 23, not 21")).toBeVisible();
  await expect(page.locator(".score").first()).toContainText("0.000");
  await picture("compared");
  await accessible();
  await page.getByRole("button", { name: "Show differences only" }).click();
  await expect(both.getByText("Make the office comfortable.").first()).toBeHidden();
  // The address leads to the comparison.
  await page.reload();
  await expect(both.locator(".pair.lacks")).toHaveCount(2);
  await page.getByRole("button", { name: "Back to the case" }).click();
  await expect(page.locator(".case-steps")).toContainText("close_garage");
  expect(await host.stop()).toBe(0);
});

test("files in configured folders are listed, sorted, edited and compared", async ({ page, picture, accessible }) => {
  const config = `
[[agent]]
name = "Poet"
source = "native"
example = "poet"
eval_set_path = "poet.evalset.json"

[folders]
eval_sets = ["evals", "missing"]
`;
  const host = await startHost({ config });
  mkdirSync(join(host.folder, "evals", "below"), { recursive: true });
  const one = (eval_id: string, at: number, calls: number) => ({
    eval_id,
    creation_timestamp: at,
    session_input: { app_name: "poet", user_id: "user", state: {} },
    conversation: [
      {
        invocation_id: "i",
        user_content: { role: "user", parts: [{ text: `Do ${eval_id}.` }] },
        intermediate_data: { tool_uses: Array.from({ length: calls }, (_, at) => ({ id: `${at}`, name: "f", args: {} })), tool_responses: [] },
        final_response: { role: "model", parts: [{ text: "Roses." }] },
      },
    ],
  });
  const file = join(host.folder, "evals", "below", "house.test.json");
  const cases = [one("b", 200, 1), one("c", 100, 3), one("a", 300, 0)];
  writeFileSync(file, JSON.stringify({ eval_set_id: "house", eval_cases: cases }, undefined, 2));
  const home = join(host.folder, "evals", "below", "home.test.json");
  writeFileSync(home, JSON.stringify({ eval_set_id: "home", eval_cases: [one("a", 400, 2), one("z", 500, 1)] }));
  await open(page, `${host.url}/evalsets`);
  const house = page.getByRole("row").filter({ hasText: "below/house.test.json" });
  await expect(house.getByRole("cell")).toHaveText(["", "3", "ADK", /KB|bytes/, /ago|now/]);
  // The heads sort, the largest first.
  await page.getByRole("columnheader", { name: "Cases" }).getByRole("button").click();
  await expect(page.getByRole("columnheader", { name: "Cases" })).toHaveAttribute("aria-sort", "descending");
  await expect(page.locator("table.sets tbody th a")).toHaveText([/below\/house/, /below\/home/]);
  // A link shows the same, and the third press of a head gives back the order there was.
  await expect(page).toHaveURL(/\/evalsets\?sort=-cases$/);
  await page.reload();
  await expect(page.locator("table.sets tbody th a")).toHaveText([/below\/house/, /below\/home/]);
  for (const order of ["ascending", "none"]) {
    await page.getByRole("columnheader", { name: "Cases" }).getByRole("button").click();
    await expect(page.getByRole("columnheader", { name: "Cases" })).toHaveAttribute("aria-sort", order);
  }
  await expect(page).toHaveURL(/\/evalsets$/);
  await expect(page.getByRole("list", { name: "Folders" })).toContainText("missing does not exist");
  await picture("folders");
  await accessible();
  await page.getByRole("link", { name: "below/house.test.json" }).click();
  await expect(page).toHaveURL(/\/evalsets\/below-house$/);
  const titles = page.getByRole("list", { name: "Cases" }).locator(".case-title");
  await expect(titles).toHaveText(["Do b.", "Do c.", "Do a."]);
  const order = page.getByRole("combobox", { name: "Sort order" });
  await order.selectOption("Newest");
  await expect(titles).toHaveText(["Do a.", "Do b.", "Do c."]);
  await expect(page).toHaveURL(/sort=newest/);
  await order.selectOption("Most calls");
  await expect(titles).toHaveText(["Do c.", "Do b.", "Do a."]);
  await picture("sorted");
  await accessible();
  await titles.first().click();
  await expect(page).toHaveURL(/below-house\/c\?sort=-calls/);
  await page.reload();
  await expect(titles).toHaveText(["Do c.", "Do b.", "Do a."]);

  // Edited with the safety of an agent's own file.
  const steps = page.locator(".case-steps");
  await steps.getByRole("button", { name: "Edit: User message" }).click();
  await page.getByRole("textbox", { name: "User message" }).fill("Do c, please.");
  await page.keyboard.press("Control+Enter");
  await expect(page.getByText(/ changed\./)).toBeVisible();
  expect(readFileSync(file, "utf8")).toContain("Do c, please.");
  await page.getByRole("button", { name: "Undo" }).click();
  await expect(steps).not.toContainText("please");

  // Held against the case of the same id in another set; where there is none, that set's are offered.
  await page.goto(`${host.url}/evalsets/below-house/a`);
  const chooser = page.getByRole("combobox", { name: "Compare with another case" });
  // Its label is whole.
  const missing = await chooser.evaluate((select: HTMLElement) => {
    const { width } = select.getBoundingClientRect();
    select.style.maxWidth = "none";
    const whole = select.getBoundingClientRect().width;
    select.style.maxWidth = "";
    return whole - width;
  });
  expect(missing).toBeLessThan(1);
  await chooser.selectOption("below/home.test.json…");
  await expect(page).toHaveURL(/below-house\/a\?.*of=below-home/);
  const sides = page.getByRole("region", { name: "Both cases, side by side" });
  await expect(sides.locator(".pair.lacks")).toHaveCount(2);
  await expect(page.getByText("of below-home")).toBeVisible();
  await picture("other-set");
  await accessible();
  await page.goto(`${host.url}/evalsets/below-house/b`);
  await chooser.selectOption("below/home.test.json…");
  await expect(chooser).toContainText("Choose from below/home.test.json…");
  await chooser.selectOption("Do z.");
  await expect(page).toHaveURL(/against=z/);
  await expect(sides).toContainText("Do z.");

  // The agent that the case names can rehearse it, and the rehearsal is compared with the case.
  await page.goto(`${host.url}/evalsets/below-house/a`);
  await expect(page.getByRole("link", { name: "Open as a rehearsal" })).toHaveAttribute("href", "/rehearse/poet?case=a&set=below-house");
  await page.goto(`${host.url}/rehearse/poet?case=a&set=below-house`);
  const strip = page.getByRole("region", { name: "Case to rehearse" });
  await expect(strip).toContainText("0 of 2 steps");
  await strip.getByRole("button", { name: /^Fill in/ }).click();
  await page.keyboard.press("Control+Enter");
  const response = page.getByRole("textbox", { name: "Final response" });
  await response.fill("Violets.");
  await page.keyboard.press("Control+Enter");
  await page.getByRole("button", { name: "Compare with a case…" }).click();
  const both = page.getByRole("region", { name: "Both cases, side by side" });
  await expect(both.locator("del")).toHaveText("Roses.");
  await expect(both.locator("ins")).toHaveText("Violets.");
  await expect(page.getByText("Differences:")).toBeVisible();
  await picture("rehearsal-compared");
  await accessible();
  await page.getByRole("button", { name: "Choose another case" }).click();
  await page.getByRole("dialog").getByRole("button", { name: /Do b\./ }).click();
  await expect(both.locator(".pair.lacks")).toHaveCount(1);
  await page.keyboard.press("Escape");
  await expect(both).toBeHidden();
  await page.close();
  expect(await host.stop()).toBe(0);
});

test("a case is opened as a rehearsal from its own page", async ({ page, host }) => {
  void host;
  const rehearsal = await Rehearsal.at(page, "poet");
  await rehearsal.ask("A poem.");
  await page.getByRole("textbox", { name: "Final response" }).fill("Roses.");
  await rehearsal.finish();
  await rehearsal.export();
  await page.getByRole("link", { name: "Open in eval set" }).click();
  await page.getByRole("link", { name: "Open as a rehearsal" }).click();
  const strip = page.getByRole("region", { name: "Case to rehearse" });
  await expect(strip).toContainText("0 of 2 steps");
});

test("input by a click is not lost, and the rest of the case can be read meanwhile", async ({ page }) => {
  const call = (eval_id: string) => ({
    eval_id,
    conversation: [
      {
        invocation_id: eval_id,
        user_content: message(`Ask ${eval_id}.`, "user"),
        final_response: { role: "model", parts: [{ text: "I think so.", thought: true }, { text: "Yes." }] },
        intermediate_data: { tool_uses: [{ id: "1", name: "nobody", args: { tags: ["one", "two"] } }] },
      },
    ],
  });
  const { host, file } = await withCases([call("b"), call("a")]);
  await open(page, `${host.url}/evalsets/home/b?sort=id`);
  // What a button does counts as entered.
  await page.getByRole("button", { name: "Edit: the call" }).click();
  const form = page.getByRole("form", { name: "Expected call" });
  await form.getByRole("button", { name: "Form" }).click();
  await form.getByRole("button", { name: /^Remove .*1$/ }).first().click();
  await page.getByRole("list", { name: "Cases" }).getByRole("link").first().click();
  const warning = page.getByRole("alert").filter({ hasText: "Save or cancel your changes first" });
  await expect(warning).toBeVisible();
  await form.getByRole("button", { name: "Cancel" }).click();
  // What does not lead away may be looked at.
  await page.getByRole("button", { name: "Edit: User message" }).click();
  await page.getByRole("textbox", { name: "User message" }).fill("Ask again.");
  const row = page.locator(".case-steps .row").filter({ hasText: "nobody" });
  await row.click();
  await expect(row).toHaveClass(/open/);
  await expect(warning).toBeHidden();
  await page.getByRole("button", { name: "Duplicate" }).click();
  await expect(warning).toBeVisible();
  await page.keyboard.press("Control+Enter");
  await expect(page.locator(".case-steps")).toContainText("Ask again.");
  await expect(page, "the order stays").toHaveURL(/sort=id/);
  // Saving without an edit changes nothing; a thought is part of the edited steps.
  const before = readFileSync(file, "utf8");
  await page.getByRole("button", { name: "Edit: Expected response" }).click();
  await expect(page.getByRole("textbox", { name: "Expected response" })).toBeFocused();
  await page.keyboard.press("Control+Enter");
  await expect(page.getByRole("form")).toBeHidden();
  expect(readFileSync(file, "utf8")).toBe(before);
  await page.close();
  expect(await host.stop()).toBe(0);
});

test("cases without an id are deleted separately, and a failed undo shows an error", async ({ page }) => {
  const one = (query: string, more: object) => ({
    ...more,
    conversation: [{ invocation_id: query, user_content: message(query, "user") }],
  });
  const { host, file: path } = await withCases([one("None.", {}), one("Empty.", { eval_id: "" }), one("Plain.", { eval_id: "plain" })]);
  const before = readFileSync(path, "utf8");
  await open(page, `${host.url}/evalsets/home`);
  const lines = page.getByRole("list", { name: "Cases" }).getByRole("link");
  const shown = page.getByRole("region", { name: "Case", exact: true });
  for (const [at, query] of ["None.", "Empty."].entries()) {
    await lines.nth(at).click();
    await expect(shown).toContainText(query);
    await expect(lines.nth(at)).toHaveAttribute("aria-current", "true");
    await expect(lines.nth(1 - at)).not.toHaveAttribute("aria-current", "true");
    await page.getByRole("button", { name: "Delete" }).click();
    await expect(lines).toHaveCount(2);
    expect(readFileSync(path, "utf8")).not.toContain(query);
    await page.getByRole("button", { name: "Undo" }).click();
    await expect(lines).toHaveCount(3);
    await expect(shown).toContainText(query);
    expect(readFileSync(path, "utf8")).toBe(before);
  }
  await page.getByRole("button", { name: "Delete" }).click();
  await expect(lines).toHaveCount(2);
  renameSync(path, `${path}.away`);
  await page.getByRole("button", { name: "Undo" }).click();
  await expect(page.getByRole("alert").filter({ hasText: "home.evalset.json" })).toBeVisible();
  renameSync(`${path}.away`, path);
  await page.getByRole("button", { name: "Undo" }).click();
  await expect(lines).toHaveCount(3);
  expect(readFileSync(path, "utf8")).toBe(before);
  await page.close();
  expect(await host.stop()).toBe(0);
});

test("cases with the same id are opened, rehearsed, edited and deleted separately", async ({ page }) => {
  const config = `
[[agent]]
name = "Math Agent"
source = "native"
example = "math"
eval_set_path = "twice.evalset.json"
`;
  const host = await startHost({ config });
  const message = (text: string, role = "user") => ({ parts: [{ text }], role });
  const twin = (query: string) => ({
    eval_id: "twin",
    conversation: [{ invocation_id: query, user_content: message(query), final_response: message(`Of ${query}`, "model") }],
  });
  const path = join(host.folder, "twice.evalset.json");
  writeFileSync(path, JSON.stringify({ eval_set_id: "t", eval_cases: [twin("First?"), twin("Second?"), { ...twin("Other?"), eval_id: "other" }] }, null, 2));
  await open(page, `${host.url}/evalsets/math-agent`);
  const lines = page.getByRole("list", { name: "Cases" }).getByRole("link");
  await lines.nth(1).click();
  await expect(page).toHaveURL(/\/twin\?at=1$/);
  await expect(page.locator(".case-steps")).toContainText("Of Second?");
  await expect(lines.nth(1)).toHaveAttribute("aria-current", "true");
  await expect(lines.nth(0)).not.toHaveAttribute("aria-current", "true");
  await lines.nth(0).click();
  await expect(page).toHaveURL(/\/twin\?at=0$/);
  await expect(page.locator(".case-steps")).toContainText("Of First?");
  await lines.nth(2).click();
  await expect(page).toHaveURL(/\/other$/);
  // The link opens exactly that case, and so does its rehearsal.
  await open(page, `${host.url}/evalsets/math-agent/twin?at=1`);
  await expect(page.locator(".case-steps")).toContainText("Of Second?");
  await page.getByRole("link", { name: "Open as a rehearsal" }).click();
  await expect(page.getByRole("region", { name: "Case to rehearse" })).toContainText("Second?");
  await page.getByRole("link", { name: "twin" }).click();
  await expect(page.locator(".case-steps")).toContainText("Of Second?");
  // That case is removed, and restored beside the other one.
  await page.getByRole("button", { name: "Delete" }).click();
  await expect(lines).toHaveCount(2);
  expect(JSON.parse(readFileSync(path, "utf8")).eval_cases.map((it: { eval_id: string }) => it.eval_id)).toEqual(["twin", "other"]);
  await page.getByRole("button", { name: "Undo" }).click();
  await expect(lines).toHaveCount(3);
  await expect(page).toHaveURL(/\/twin\?at=1$/);
  await expect(page.locator(".case-steps")).toContainText("Of Second?");
  // A new name takes it out of the pair.
  await page.getByRole("button", { name: "Rename" }).click();
  await page.getByRole("textbox", { name: "Case ID" }).fill("second");
  await page.getByRole("button", { name: /^Save/ }).click();
  await expect(page).toHaveURL(/\/second$/);
  await expect(page.locator(".case-steps")).toContainText("Of Second?");
  // The list has the new names when its links need no position.
  await expect(lines.nth(0)).toHaveAttribute("href", /\/twin$/);
  await lines.nth(0).click();
  await expect(page).toHaveURL(/\/twin$/);
  await page.close();
  expect(await host.stop()).toBe(0);
});

/** A host with an eval set of two cases with the same id and a third case, and its file. */
async function withTwins(): Promise<{ host: Host; path: string }> {
  const config = `
[[agent]]
name = "Poet"
source = "native"
example = "poet"
eval_set_path = "twice.evalset.json"
`;
  const host = await startHost({ config });
  const message = (text: string, role = "user") => ({ parts: [{ text }], role });
  const one = (eval_id: string, query: string) => ({
    eval_id,
    conversation: [{ invocation_id: query, user_content: message(query), final_response: message(`Of ${query}`, "model") }],
  });
  const cases = [one("twin", "First?"), one("twin", "Second?"), one("other", "Other?")];
  const path = join(host.folder, "twice.evalset.json");
  writeFileSync(path, JSON.stringify({ eval_set_id: "t", eval_cases: cases }, undefined, 2));
  return { host, path };
}

test("cases with the same id are compared separately", async ({ page, picture, accessible }) => {
  const { host } = await withTwins();
  const both = page.getByRole("region", { name: "Both cases, side by side" });
  const chooser = page.getByRole("combobox", { name: "Compare with another case" });
  const differ = async (one: string, other: string) => {
    await expect(both.locator("del")).toHaveText([one, one]);
    await expect(both.locator("ins")).toHaveText([other, other]);
  };
  // With its twin, by a link that stays.
  await open(page, `${host.url}/evalsets/poet/twin?at=0`);
  await expect(chooser.getByRole("option")).toHaveText(["Compare with…", "Second? · twin #1", "Other?"]);
  await chooser.selectOption("Second? · twin #1");
  await expect(page).toHaveURL(/\/twin\?at=0&against=twin&against_at=1$/);
  await differ("First?", "Second?");
  await expect(page.getByRole("heading", { name: "twin #0" })).toBeVisible();
  await picture("twins");
  await accessible();
  await page.reload();
  await differ("First?", "Second?");
  await page.getByRole("link", { name: "twin #1" }).click();
  await expect(page).toHaveURL(/\/twin\?at=1$/);
  await expect(page.locator(".case-steps")).toContainText("Of Second?");
  await chooser.selectOption("First? · twin #0");
  await differ("Second?", "First?");

  // A third case with either.
  await open(page, `${host.url}/evalsets/poet/other`);
  await chooser.selectOption("Second? · twin #1");
  await differ("Other?", "Second?");
  await page.getByRole("button", { name: "Back to the case" }).click();
  await expect(page).toHaveURL(/\/other$/);
  await chooser.selectOption("First? · twin #0");
  await differ("Other?", "First?");

  // Compares the rehearsal with its case.
  await open(page, `${host.url}/evalsets/poet/twin?at=1`);
  await page.getByRole("link", { name: "Open as a rehearsal" }).click();
  const strip = page.getByRole("region", { name: "Case to rehearse" });
  await strip.getByRole("button", { name: /^Fill in/ }).click();
  await expect(page.getByRole("textbox", { name: "User message" })).toHaveValue("Second?");
  await page.keyboard.press("Control+Enter");
  await strip.getByRole("button", { name: /^Fill in/ }).click();
  await expect(page.getByRole("textbox", { name: "Final response" })).toHaveValue("Of Second?");
  await page.keyboard.press("Control+Enter");
  await page.getByRole("button", { name: "Compare with a case…" }).click();
  await expect(page.getByRole("heading", { name: "twin #1" })).toBeVisible();
  await expect(page.getByText("No differences")).toBeVisible();
  await page.getByRole("button", { name: "Choose another case" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "First? twin #0" }).click();
  await differ("First?", "Second?");
  await page.close();
  expect(await host.stop()).toBe(0);
});

test("a case that shares its id is restored, however it was opened", async ({ page }) => {
  const { host, path } = await withTwins();
  const before = readFileSync(path, "utf8");
  const lines = page.getByRole("list", { name: "Cases" }).getByRole("link");
  const steps = page.locator(".case-steps");
  for (const [address, message, place] of [
    ["twin?at=1", "Of Second?", 1],
    ["twin?at=0", "Of First?", 0],
    ["twin", "Of First?", 0],
  ] as const) {
    await open(page, `${host.url}/evalsets/poet/${address}`);
    await expect(steps).toContainText(message);
    await page.getByRole("button", { name: "Delete" }).click();
    await expect(lines).toHaveCount(2);
    expect(readFileSync(path, "utf8")).not.toContain(message);
    await page.getByRole("button", { name: "Undo" }).click();
    await expect(lines).toHaveCount(3);
    await expect(page).toHaveURL(new RegExp(`/twin\\?at=${place}$`));
    await expect(steps).toContainText(message);
    expect(readFileSync(path, "utf8")).toBe(before);
  }
  // A new name is taken back as well.
  await open(page, `${host.url}/evalsets/poet/twin`);
  await page.getByRole("button", { name: "Rename" }).click();
  await page.getByRole("textbox", { name: "Case ID" }).fill("first");
  await page.getByRole("button", { name: /^Save/ }).click();
  await expect(page).toHaveURL(/\/first$/);
  await page.getByRole("button", { name: "Undo" }).click();
  await expect(page).toHaveURL(/\/twin\?at=0$/);
  await expect(steps).toContainText("Of First?");
  expect(readFileSync(path, "utf8")).toBe(before);
  await page.close();
  expect(await host.stop()).toBe(0);
});

test("cases of ADK's legacy lists are read and compared, and are read-only", async ({ page, picture, accessible }) => {
  const config = `
[[agent]]
name = "Poet"
source = "native"
example = "poet"
eval_set_path = "poet.evalset.json"

[folders]
eval_sets = ["evals"]
`;
  const host = await startHost({ config });
  mkdirSync(join(host.folder, "evals"));
  const session = (name: string, room: string, reference: string) => ({
    name,
    data: [
      {
        query: "Make it warm.",
        expected_tool_use: [{ tool_name: "set_temperature", tool_input: { room, degrees: 21 } }],
        expected_intermediate_agent_responses: [],
        reference,
      },
    ],
    initial_session: { state: {}, app_name: "poet", user_id: "user" },
  });
  const path = join(host.folder, "evals", "old.test.json");
  const text = JSON.stringify([session("office", "office", "The office is warm."), session("hall", "hall", "The hall is warm.")], undefined, 2);
  writeFileSync(path, text);
  await open(page, `${host.url}/evalsets/old`);
  await expect(page.getByText("ADK, legacy list")).toBeVisible();
  await page.getByRole("list", { name: "Cases" }).getByRole("link").nth(1).click();
  await expect(page).toHaveURL(/\/old\/hall$/);
  await expect(page.locator(".case-steps")).toContainText('set_temperature(room: "hall", degrees: 21)');
  await expect(page.getByText("Cases in ADK's legacy lists are read-only.")).toBeVisible();
  await expect(page.getByRole("button", { name: "Delete" })).toHaveCount(0);
  await picture("older");
  await accessible();
  await page.getByRole("combobox", { name: "Compare with another case" }).selectOption("Make it warm. · office");
  const both = page.getByRole("region", { name: "Both cases, side by side" });
  await expect(both.locator("mark")).toHaveText(['room: "hall"', 'room: "office"']);
  expect(readFileSync(path, "utf8")).toBe(text);
  // The other legacy list contains the turns of one case, named after the file.
  const turns = [...session("office", "office", "It is warm.").data, { query: "Thanks.", reference: "Welcome." }];
  writeFileSync(join(host.folder, "evals", "turns.test.json"), JSON.stringify(turns));
  await open(page, `${host.url}/evalsets/turns/turns`);
  await expect(page.locator(".case-steps")).toContainText('set_temperature(room: "office", degrees: 21)');
  await expect(page.locator(".case-steps")).toContainText("Thanks.");
  await expect(page.getByText("Cases in ADK's legacy lists are read-only.")).toBeVisible();
  await page.close();
  expect(await host.stop()).toBe(0);
});

test("another result is marked where a session is compared with a case", async ({ page, picture, accessible }) => {
  const host = await startHost({
    config: `
[[agent]]
name = "Math Agent"
source = "native"
example = "math"
eval_set_path = "math.evalset.json"
`,
  });
  const call = (id: string, name: string, a: number, b: number) => ({ id, name, args: { a, b } });
  const result = (id: string, name: string, value: number) => ({ id, name, response: { result: value } });
  const set = {
    eval_set_id: "math",
    eval_cases: [
      {
        eval_id: "sums",
        conversation: [
          {
            user_content: { role: "user", parts: [{ text: "2 + 2, times 3?" }] },
            final_response: { role: "model", parts: [{ text: "12" }] },
            intermediate_data: {
              tool_uses: [call("1", "add", 2, 2), call("2", "multiply", 4, 3)],
              tool_responses: [result("1", "add", 5), result("2", "multiply", 12)],
            },
          },
        ],
      },
    ],
  };
  writeFileSync(join(host.folder, "math.evalset.json"), JSON.stringify(set));
  await open(page, `${host.url}/rehearse/math-agent?case=sums`);
  const rehearsal = new Rehearsal(page);
  await rehearsal.ask("2 + 2, times 3?");
  for (const [number, name, a, b] of [[1, "add", "2", "2"], [2, "multiply", "4", "3"]] as const) {
    await rehearsal.choose(name);
    await rehearsal.fill("a", a);
    await rehearsal.fill("b", b);
    await rehearsal.run();
    await expect(rehearsal.call(number)).toBeVisible();
  }
  await rehearsal.answer("12");
  await page.getByRole("button", { name: "Compare with a case…" }).click();
  const both = page.getByRole("region", { name: "Both cases, side by side" });
  // Only the sum has another result. The calls are equal all the same.
  await expect(both.getByText("different result", { exact: true })).toHaveCount(1);
  const sum = both.locator(".pair").filter({ hasText: "different result" });
  await expect(sum).toContainText("add");
  await expect(sum).toContainText("equal, with a different result");
  await expect(page.locator(".why").filter({ hasText: "Different results:" })).toHaveText("Different results: add. Scores ignore results.");
  await expect(page.getByText("No differences")).toBeVisible();
  await picture("other result");
  await accessible();
  await page.close();
  expect(await host.stop()).toBe(0);
});
