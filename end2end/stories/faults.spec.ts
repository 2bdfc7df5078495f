// Agents that cannot be loaded, and files that cannot be written: the reason, the remedy, a retry.

import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { Rehearsal } from "../rehearsal";
import { expect, hydrated, MATH_ONLY, open, startHost, test } from "../fixtures";

const CONFIG = `
[[agent]]
name = "Maths"
source = "native"
example = "math"

[[agent]]
name = "Broken"
source = "adk_python"
folder = "broken"
`;

test("an agent that cannot be imported stays in the list and can be retried", async ({ page, picture, accessible }) => {
  test.skip(!process.env.REHEARSAL_TEST_PYTHON, "SKIPPED, NOT PASSED: REHEARSAL_TEST_PYTHON is not set");
  const host = await startHost({ config: CONFIG });
  const folder = join(host.folder, "broken");
  mkdirSync(folder);
  writeFileSync(join(folder, "__init__.py"), "from . import agent\n");
  writeFileSync(join(folder, "agent.py"), "import no_such_module_here\n");
  await open(page, `${host.url}/`);
  const card = page.getByRole("article").filter({ hasText: "Broken" });
  await card.getByRole("button", { name: /Retry/ }).click();
  await expect(card).toContainText("no_such_module_here", { timeout: 60_000 });
  await card.getByRole("button", { name: /traceback/i }).click();
  await expect(card).toContainText("ModuleNotFoundError");
  await picture("faulted");
  await accessible();
  // The other agent is untouched.
  await expect(page.getByRole("link", { name: "Maths" })).toBeVisible();
  // Its own page shows the same.
  await open(page, `${host.url}/rehearse/broken`);
  await expect(page).toHaveTitle(/Broken/);
  await expect(page.locator(".fault")).toContainText("no_such_module_here");
  await picture("faulted-page");
  await accessible();
  // A failed retry keeps the shown fault and the focus.
  const again = page.locator(".fault").getByRole("button", { name: /Retry/ });
  await again.focus();
  await page.keyboard.press("Enter");
  await expect(page.getByText("Reloading the agent…")).toBeVisible();
  await expect(again).toBeFocused({ timeout: 60_000 });
  await page.locator(".fault").getByRole("button", { name: /traceback/i }).click();
  await expect(page.locator(".fault")).toContainText("ModuleNotFoundError");
  await page.getByRole("link", { name: "View agents" }).click();

  // By keyboard: the focus stays where Retry was.
  await card.getByRole("button", { name: /Retry/ }).focus();
  await page.keyboard.press("Enter");
  await expect(card.getByRole("button", { name: /Retry/ })).toBeFocused({ timeout: 60_000 });

  writeFileSync(
    join(folder, "agent.py"),
    "from google.adk.agents import LlmAgent\nroot_agent = LlmAgent(name='repaired', model='gemini-2.5-flash', instruction='Hi.')\n",
  );
  await page.keyboard.press("Enter");
  await expect(page.getByRole("link", { name: "Broken" })).toBeFocused({ timeout: 60_000 });
  expect(await host.stop()).toBe(0);
});

test("a file that cannot be extended is unchanged, and the session is kept", async ({ page, host, picture, accessible }) => {
  const folder = join(host.folder, "evals");
  mkdirSync(folder, { recursive: true });
  const file = join(folder, "poet_evals.evalset.json");
  writeFileSync(file, '{"eval_set_id": "poet_evals", "eval_cases": [');
  const rehearsal = await Rehearsal.at(page, "poet");
  await rehearsal.ask("Autumn?");
  await page.getByRole("textbox", { name: "Final response" }).fill("leaves");
  await rehearsal.finish();
  await page.locator("#export").click();
  await expect(page.getByRole("heading", { name: "Not exported" })).toBeVisible();
  await expect(page.getByRole("alert").filter({ hasText: /line 1/ })).toBeVisible();
  await picture("invalid-file");
  await accessible();
  expect(readFileSync(file, "utf8")).toBe('{"eval_set_id": "poet_evals", "eval_cases": [');
  // Once the file is fixed, the same session can be exported.
  writeFileSync(file, '{"eval_set_id": "poet_evals", "eval_cases": []}');
  chmodSync(file, 0o644);
  await page.locator("#export").click();
  await expect(page.getByRole("heading", { name: /^Exported( into a new eval set)?$/ })).toBeVisible();
  expect(JSON.parse(readFileSync(file, "utf8")).eval_cases).toHaveLength(1);
});

test("a case whose file cannot be extended is downloaded, or exported to another file", async ({ page, picture, accessible }) => {
  // Of its own, because other stories export into the same files.
  const host = await startHost();
  const file = join(host.folder, "evals", "poet_evals.evalset.json");
  mkdirSync(join(host.folder, "evals"), { recursive: true });
  writeFileSync(file, "[");
  const rehearsal = await Rehearsal.at(page, "poet", host.url);
  await rehearsal.ask("Winter?");
  await page.getByRole("textbox", { name: "Final response" }).fill("snow");
  await rehearsal.finish();
  await page.locator("#export").click();
  await expect(page.getByRole("heading", { name: "Not exported" })).toBeVisible();
  const downloaded = page.waitForEvent("download");
  await page.getByRole("link", { name: "Download case" }).click();
  const saved = JSON.parse(readFileSync(await (await downloaded).path(), "utf8"));
  expect(saved.eval_cases[0].conversation[0].final_response.parts[0].text).toBe("snow");
  await picture("other-file");
  await accessible();
  await page.getByRole("combobox", { name: "File" }).selectOption("math_agent_evals.evalset.json");
  // The panel is about the chosen file now, which can be chosen again.
  await expect(page.getByRole("heading", { name: "Not exported" })).toBeHidden();
  await expect(page.locator("#export")).toContainText("Export to math_agent_evals.evalset.json");
  await expect(page.getByRole("combobox", { name: "File" })).toBeFocused();
  const panel = page.getByRole("region", { name: "Export" });
  await expect(panel.getByText("A trace with").locator("code")).toHaveText("math_agent_evals.evalset.json");
  // The choice outlives a reload of the page.
  await page.reload();
  await expect(panel.getByText("A trace with").locator("code")).toHaveText("math_agent_evals.evalset.json");
  expect(await rehearsal.export()).toContain("math_agent_evals.evalset.json");
  await page.getByRole("link", { name: "Open in eval set" }).click();
  await expect(page.getByText("snow")).toBeVisible();
  expect(await host.stop()).toBe(0);
});

test("starting over asks while a session is under way", async ({ page, picture, accessible }) => {
  const rehearsal = await Rehearsal.at(page, "math-agent");
  await rehearsal.ask("What is 1 + 1?");
  await page.getByRole("button", { name: "Start over" }).click();
  const dialog = page.getByRole("dialog");
  await expect(dialog).toBeVisible();
  await picture("dialog");
  await accessible();
  await page.keyboard.press("Escape");
  await expect(dialog).toBeHidden();
  await expect(page.getByText("What is 1 + 1?")).toBeVisible();
});

test("two tabs have sessions of their own", async ({ page, context }) => {
  const first = await Rehearsal.at(page, "math-agent");
  await first.ask("First tab");
  const second = await Rehearsal.at(await context.newPage(), "travel-desk");
  await second.fill("query", "Second tab");
  await second.fill("max_results", "1");
  await second.begin();
  await first.choose("add");
  await first.fill("a", "1");
  await first.fill("b", "2");
  await first.run();
  await expect(first.call(1)).toContainText("→ 3");
  await expect(second.page.getByText("Second tab")).toBeVisible();
  await expect(second.call(1)).toHaveCount(0);
});

test("a host restart is marked in the history", async ({ page, picture, accessible }) => {
  const folder = mkdtempSync(join(tmpdir(), "rehearsal-restart-"));
  const first = await startHost({ folder, config: MATH_ONLY });
  const rehearsal = await Rehearsal.at(page, "math-agent", first.url);
  const add = async (number: number) => {
    await rehearsal.choose("add");
    await rehearsal.fill("a", "5");
    await rehearsal.fill("b", "3");
    await rehearsal.run();
    await expect(rehearsal.call(number)).toContainText("→ 8");
  };
  await rehearsal.ask("What is 5 + 3, twice?");
  await add(1);
  const mark = page.getByText("The session was reopened on the host at this point. State, conversation and active agent are restored.");
  await expect(mark).toHaveCount(0);
  expect(await first.stop()).toBe(0);
  const second = await startHost({ folder, listen: new URL(first.url).host });
  await expect(mark).toBeVisible({ timeout: 60_000 });
  await picture("restarted");
  await accessible();
  // The notice disappears with the next step, the mark stays between the two calls.
  await add(2);
  await expect(page.getByText("The session continues with its state")).toHaveCount(0);
  const items = page.locator(".timeline > li").filter({ hasText: /add\(|session was reopened/ });
  await expect(items).toHaveText([/add\(/, /session was reopened on the host at this point/, /add\(/]);
  expect(await second.stop()).toBe(0);
  rmSync(folder, { recursive: true });
});

test("an address of an unknown agent shows Not found and returns 404", async ({ page, host, picture, accessible }) => {
  for (const address of ["/rehearse/nobody", "/rehearse/No%20Body"]) {
    const answered = await page.goto(`${host.url}${address}`);
    expect(answered?.status()).toBe(404);
    await expect(page.getByRole("heading", { name: "Rehearsal cannot be opened" })).toBeVisible();
  }
  await hydrated(page);
  await picture("no-agent");
  await accessible();
  expect((await page.goto(`${host.url}/rehearse/math-agent`))?.status()).toBe(200);
  await hydrated(page);
  for (const [address, status] of [
    ["/evalsets/nothing", 404],
    ["/evalsets/nothing/case", 404],
    ["/evalsets/math-agent", 200],
    ["/live/nothing", 404],
    ["/live/00000000-0000-4000-8000-000000000000", 404],
    ["/reports/nothing", 404],
    ["/live", 200],
  ] as const) {
    expect([address, (await page.request.get(`${host.url}${address}`)).status()]).toEqual([address, status]);
  }
});
