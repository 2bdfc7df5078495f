// An agent's files change: the page offers a reload, new sessions get the new code, and a session under way
// keeps the code that it began with.

import { mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { Rehearsal } from "../rehearsal";
import { expect, open, startHost, test } from "../fixtures";

const CONFIG = `
[[agent]]
name = "Weather"
source = "adk_python"
folder = "weather"
`;

/** An agent whose every part names its version. */
function code(version: string): string {
  return `
from google.adk.agents import LlmAgent

def forecast() -> str:
    """The forecast, ${version}."""
    return "sun, ${version}"

root_agent = LlmAgent(
    name="weather", model="gemini-2.5-flash", instruction="Be ${version}.", tools=[forecast]
)
`;
}

test("an agent whose files changed is reloaded, and a session under way keeps its code", async ({
  page,
  context,
  picture,
  accessible,
}) => {
  test.skip(!process.env.REHEARSAL_TEST_PYTHON, "SKIPPED, NOT PASSED: REHEARSAL_TEST_PYTHON is not set");
  const parent = mkdtempSync(join(tmpdir(), "rehearsal-reload-"));
  const folder = join(parent, "weather");
  mkdirSync(folder);
  // As editors save: a new file takes the place of the old one.
  const write = (version: string) => {
    writeFileSync(join(folder, "agent.py.new"), code(version));
    renameSync(join(folder, "agent.py.new"), join(folder, "agent.py"));
  };
  write("first");
  const host = await startHost({ config: CONFIG, folder: parent });
  const offer = page.getByText("The agent's files changed");

  // One session is under way, another has not begun.
  const begun = await Rehearsal.at(page, "weather", host.url);
  await expect(page.getByText("Be first.")).toBeVisible();
  await begun.ask("How is the weather?");
  await begun.choose("forecast");
  await expect(page.getByText("The forecast, first.").filter({ visible: true })).toBeVisible();
  await begun.run();
  await expect(begun.call(1)).toContainText("sun, first");
  const waiting = await context.newPage();
  await Rehearsal.at(waiting, "weather", host.url);
  await expect(waiting.getByText("Be first.")).toBeVisible();

  // What ADK, Python and Rehearsal write there is no change.
  mkdirSync(join(folder, "__pycache__"), { recursive: true });
  writeFileSync(join(folder, "__pycache__", "agent.cpython-311.pyc"), "");
  writeFileSync(join(folder, "weather_evals.evalset.json"), "{}");
  await page.waitForTimeout(2_500);
  await expect(offer).toHaveCount(0);

  write("the second");
  await expect(offer).toBeVisible();
  await expect(waiting.getByText("The agent's files changed")).toBeVisible();
  await picture("offer");
  await accessible();
  await page.locator(".notices").getByRole("button", { name: "Reload" }).click();
  await expect(page.getByText("This session still uses the version it started with")).toBeVisible({ timeout: 60_000 });
  await expect(offer).toHaveCount(0);
  await picture("reloaded");
  await accessible();
  await expect(page.getByText("Be first.")).toBeVisible();
  await begun.run();
  await expect(begun.call(2)).toContainText("sun, first");

  // The other session shows the new code by itself.
  await expect(waiting.getByText("Be the second.")).toBeVisible();
  await expect(waiting.locator("[data-change=changed]")).toContainText("forecast");

  await page.locator(".notices").getByRole("button", { name: "Start over" }).click();
  await page.getByRole("dialog").getByRole("button", { name: /Start over|Discard/ }).click();
  await expect(page.getByText("Be the second.")).toBeVisible();
  await expect(page.getByText("This session still uses the version it started with")).toHaveCount(0);
  await begun.ask("And now?");
  await begun.choose("forecast");
  await expect(page.getByText("The forecast, the second.").filter({ visible: true })).toBeVisible();
  await begun.run();
  await expect(begun.call(1)).toContainText("sun, the second");

  // From the workspace's head, the palette and the list, at any time.
  write("a third");
  await page.locator(".page-head").getByRole("button", { name: "Reload" }).click();
  await expect(waiting.getByText("Be a third.")).toBeVisible({ timeout: 60_000 });
  write("a fourth one");
  await page.keyboard.press("Control+k");
  await page.getByRole("combobox", { name: "Search or jump" }).fill("reload weather");
  await page.keyboard.press("Enter");
  await expect(waiting.getByText("Be a fourth one.")).toBeVisible({ timeout: 60_000 });
  await waiting.getByRole("link", { name: "Rehearse" }).click();
  write("the fifth of them");
  const card = waiting.getByRole("article").filter({ hasText: "Weather" });
  const changed = card.getByRole("button", { name: /Agent changed: reload/ });
  await expect(changed).toBeVisible();
  await changed.focus();
  await waiting.keyboard.press("Enter");
  await expect(card.getByRole("link", { name: "Weather" })).toBeFocused({ timeout: 60_000 });
  await waiting.keyboard.press("Enter");
  await expect(waiting.getByText("Be the fifth of them.")).toBeVisible({ timeout: 60_000 });
  expect(await host.stop()).toBe(0);
  rmSync(parent, { recursive: true });
});

test("an agent that hangs at import shows its last output and can be stopped", async ({ page, picture, accessible }) => {
  test.skip(!process.env.REHEARSAL_TEST_PYTHON, "SKIPPED, NOT PASSED: REHEARSAL_TEST_PYTHON is not set");
  const folder = mkdtempSync(join(tmpdir(), "rehearsal-hang-"));
  mkdirSync(join(folder, "weather"));
  writeFileSync(
    join(folder, "weather", "agent.py"),
    'import time\nprint("waiting for the database")\ntime.sleep(600)\n',
  );
  const host = await startHost({ config: CONFIG, folder });
  await open(page, `${host.url}/`);
  const card = page.getByRole("article").filter({ hasText: "Weather" });
  await expect(card).toContainText("Still loading", { timeout: 30_000 });
  await expect(card).toContainText("waiting for the database", { timeout: 30_000 });
  await expect(card).toContainText("time.sleep(600)", { timeout: 30_000 });
  await picture("hangs");
  await accessible();
  await card.getByRole("button", { name: "Stop" }).click();
  await expect(card).toContainText(/Loading was stopped after \d+ seconds with .*python/);
  await card.getByRole("button", { name: /traceback/ }).click();
  await expect(card).toContainText("time.sleep(600)");
  await picture("stopped");
  // The same in the workspace, which was opened while the agent loads.
  await card.getByRole("button", { name: "Retry" }).click();
  await open(page, `${host.url}/rehearse/weather`);
  await expect(page.getByText("Still loading")).toBeVisible({ timeout: 30_000 });
  await picture("hangs-in-workspace");
  await page.getByRole("button", { name: "Stop" }).click();
  await expect(page.getByText(/Loading was stopped after/)).toBeVisible();
  expect(await host.stop()).toBe(0);
  rmSync(folder, { recursive: true });
});

test("a folder of agents lists each of them, with its fault", async ({ page, picture }) => {
  test.skip(!process.env.REHEARSAL_TEST_PYTHON, "SKIPPED, NOT PASSED: REHEARSAL_TEST_PYTHON is not set");
  const folder = mkdtempSync(join(tmpdir(), "rehearsal-parent-"));
  for (const [name, text] of [
    ["weather", code("first")],
    ["broken", "import no_such_module_here\n"],
    [".git", ""],
  ] as const) {
    mkdirSync(join(folder, name));
    writeFileSync(join(folder, name, "agent.py"), text);
  }
  mkdirSync(join(folder, "notes"));
  const host = await startHost({ arguments: [folder] });
  await open(page, `${host.url}/`);
  await expect(page.getByRole("link", { name: "weather" })).toBeVisible({ timeout: 60_000 });
  const broken = page.getByRole("article").filter({ hasText: "broken" });
  await expect(broken).toContainText("no_such_module_here", { timeout: 60_000 });
  await expect(broken).toContainText(/It was loaded with .*python/);
  await expect(page.getByRole("article")).toHaveCount(2);
  await picture("parent");
  expect(await host.stop()).toBe(0);
  rmSync(folder, { recursive: true });
});
