// Eval sets: what was exported is listed, searched and read step by step, and what is broken says
// where.

import { writeFileSync } from "node:fs";
import { join } from "node:path";

import { expect, open, startHost, test } from "../stage";
import { Player } from "../player";

test("an exported case is found and read step by step", async ({ page, host, picture, accessible }) => {
  void host;
  const player = await Player.at(page, "math-agent");
  await player.ask("Calculate 9007199254740993 + 1");
  await player.choose("add");
  await player.fill("a", "9007199254740993");
  await player.fill("b", "1");
  await player.run();
  await expect(player.call(1)).toBeVisible();
  await player.answer("It is **9007199254740994**.\n\n- exact\n- whole");
  await player.export();
  await page.getByRole("link", { name: "Eval sets" }).click();
  const set = page.getByRole("row").filter({ hasText: "Math Agent" });
  await expect(set).toContainText("math_agent_evals.evalset.json");
  await expect(page.getByRole("row").filter({ hasText: "Poet" })).toContainText("nothing yet");
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
  await page.getByRole("group", { name: "How the case is shown" }).getByRole("button", { name: "JSON" }).click();
  await expect(page.getByRole("tree", { name: "The case as JSON" })).toContainText("eval_id");
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
  const said = (content: string, role = "user") => ({ role, content });
  const cases = [
    {
      eval_id: "rain/today ünd mehr",
      tags: ["smoke"],
      conversation: [
        {
          invocation_id: "i",
          user_content: said("Does it rain?"),
          expected_tool_trajectory: [{ name: "get_weather", args: { city: "Tokyo" }, result: { rain: false } }],
          expected_final_response: said("No.", "assistant"),
        },
      ],
    },
    { eval_id: "without a query", conversation: [{ invocation_id: "x" }] },
    { eval_id: "plain", conversation: [{ invocation_id: "y", user_content: said("Hello") }] },
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
  await expect(page.getByRole("tree", { name: "The case as JSON" })).toContainText("without a query");

  await open(page, `${host.url}/evalsets/broken`);
  await expect(page.getByRole("alert").filter({ hasText: /line 1/ })).toBeVisible();
  await open(page, `${host.url}/evalsets/nobody`);
  await expect(page.getByRole("alert").filter({ hasText: "There is no agent nobody" })).toBeVisible();
  await page.close();
  expect(await host.stop()).toBe(0);
});
