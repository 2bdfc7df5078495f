// A session goes on in its state after the host restarts, and what is lost is named.
//
// The first story needs REHEARSAL_TEST_PYTHON, which `cargo xtask test` sets.

import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import type { Page } from "@playwright/test";

import { expect, type Host, startHost, test } from "../fixtures";
import { Rehearsal } from "../rehearsal";

const CODE = `
from google.adk.agents import LlmAgent
from google.genai import types


async def count(tool_context) -> int:
    number = tool_context.state["count"] = tool_context.state.get("count", 0) + 1
    await tool_context.save_artifact("count.txt", types.Part(text=str(number)))
    return number


billing = LlmAgent(name="billing", model="gemini-2.5-flash", tools=[count])
root_agent = LlmAgent(name="desk", model="gemini-2.5-flash", tools=[count], sub_agents=[billing])
`;

test("a session keeps its state and active agent when the host restarts", async ({ page, picture, accessible }) => {
  test.skip(!process.env.REHEARSAL_TEST_PYTHON, "SKIPPED, NOT PASSED: REHEARSAL_TEST_PYTHON is not set");
  const folder = mkdtempSync(join(tmpdir(), "rehearsal-restart-"));
  const agent = join(folder, "desk");
  mkdirSync(agent);
  writeFileSync(join(agent, "agent.py"), CODE);
  const first = await startHost({ folder, arguments: [agent] });
  const rehearsal = await Rehearsal.at(page, "desk", first.url);
  await rehearsal.ask("Count.");
  await rehearsal.choose("count");
  await rehearsal.run();
  await expect(rehearsal.call(1)).toContainText("→ 1");
  await rehearsal.choose("transfer_to_agent");
  await rehearsal.run();
  await expect(rehearsal.call(2)).toContainText("transfer_to_agent");
  const left = page.getByRole("region", { name: "What the model sees" });
  await expect(left).toContainText("billing");

  expect(await first.stop()).toBe(0);
  const second = await startHost({ folder, arguments: [agent], listen: new URL(first.url).host });
  const mark = page.locator(".timeline .restart");
  await expect(mark).toContainText("State, conversation and active agent are restored.", { timeout: 60_000 });
  await expect(mark).toContainText("Lost artifacts: count.txt.");
  await expect(page.getByText("This session still uses the version it started with")).toHaveCount(0);
  await picture("restored");
  await accessible();

  // The state goes on where it was, in the agent that was active.
  await rehearsal.choose("count");
  await rehearsal.run();
  await expect(rehearsal.call(3)).toContainText("→ 2");
  await rehearsal.answer("Two.");
  await expect(page.getByText("State, conversation and active agent were restored, but artifacts")).toBeVisible();
  await expect(page.getByText("which reset its state, artifacts and active agent")).toHaveCount(0);
  const file = await rehearsal.export();
  const [exported] = JSON.parse(readFileSync(file, "utf8")).eval_cases;
  expect(exported.session_input.state ?? {}).toEqual({});
  expect(exported.conversation[0].intermediate_data.tool_responses.map((one: { response: unknown }) => one.response)).toContainEqual({ result: 2 });
  expect(await second.stop()).toBe(0);
  rmSync(folder, { recursive: true });
});

const TRAVEL = `
[[agent]]
name = "Travel desk"
source = "native"
example = "travel"
`;

/** A session with a result of megabytes, on a host whose files are in `folder`. */
async function withArchive(page: Page, host: string): Promise<Rehearsal> {
  const rehearsal = await Rehearsal.at(page, "travel-desk", host);
  await rehearsal.fill("query", "Everything");
  await rehearsal.fill("max_results", "1");
  await rehearsal.begin();
  await rehearsal.choose("flight_archive");
  await rehearsal.run();
  await expect(rehearsal.call(1)).toContainText("stored on the host", { timeout: 60_000 });
  return rehearsal;
}

/** Restarts the host at its address. */
async function restarted(page: Page, host: Host, meanwhile = () => {}): Promise<Host> {
  expect(await host.stop()).toBe(0);
  meanwhile();
  const second = await startHost({ folder: host.folder, config: TRAVEL, listen: new URL(host.url).host });
  await expect(page.locator(".timeline .restart")).toBeVisible({ timeout: 60_000 });
  return second;
}

async function respond(rehearsal: Rehearsal): Promise<void> {
  await rehearsal.page.getByRole("tab", { name: /Final response/ }).click();
  await rehearsal.fill("answer", "All of it.");
  await rehearsal.fill("confidence", "1.0");
  await rehearsal.finish();
}

test("a result of megabytes is exported after the host restarts", async ({ page }) => {
  const folder = mkdtempSync(join(tmpdir(), "rehearsal-results-"));
  const first = await startHost({ folder, config: TRAVEL });
  const rehearsal = await withArchive(page, first.url);
  const second = await restarted(page, first);
  await respond(rehearsal);
  await expect(page.getByText("can be exported as a case to")).toBeVisible();
  const file = await rehearsal.export();
  expect(statSync(file).size).toBeGreaterThan(4_000_000);
  expect(await second.stop()).toBe(0);
  rmSync(folder, { recursive: true });
});

test("a result that is gone is named, and its call is left out", async ({ page, picture, accessible }) => {
  const folder = mkdtempSync(join(tmpdir(), "rehearsal-results-"));
  const first = await startHost({ folder, config: TRAVEL });
  const rehearsal = await withArchive(page, first.url);
  const results = join(folder, ".rehearsal", "live.sqlite-results");
  const second = await restarted(page, first, () => rmSync(results, { recursive: true }));
  await respond(rehearsal);
  await expect(page.getByText("The host no longer has the large result of flight_archive.")).toBeVisible();
  await expect(page.getByText("cannot be exported as it is")).toBeVisible();
  await expect(page.getByText("can be exported as a case to")).toHaveCount(0);
  await picture("gone");
  await accessible();
  await page.getByRole("button", { name: "Leave out 1 call" }).click();
  await expect(page.getByText("can be exported as a case to")).toBeVisible();
  const file = await rehearsal.export();
  expect(readFileSync(file, "utf8")).not.toContain("flight_archive");
  expect(await second.stop()).toBe(0);
  rmSync(folder, { recursive: true });
});
