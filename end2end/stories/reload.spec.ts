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
  await expect(page.getByText("The forecast, first.").first()).toBeVisible();
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
  await expect(page.getByText("This session continues as it began")).toBeVisible({ timeout: 60_000 });
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
  await expect(page.getByText("This session continues as it began")).toHaveCount(0);
  await begun.ask("And now?");
  await begun.choose("forecast");
  await expect(page.getByText("The forecast, the second.").first()).toBeVisible();
  await begun.run();
  await expect(begun.call(1)).toContainText("sun, the second");

  // From the workspace's head, the palette and the list, at any time.
  write("a third");
  await page.locator(".stage-head").getByRole("button", { name: "Reload" }).click();
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
