// An agent that has agents as tools: the person plays them, supplies their results, or runs their models.
//
// Needs REHEARSAL_TEST_PYTHON, which `cargo xtask test` sets.

import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";

import { expect, startHost, test } from "../fixtures";
import { Rehearsal } from "../rehearsal";

const AGENT = resolve(import.meta.dirname, "../../tests/python/fixtures/agent_tools");

test("an agent as a tool takes its result from the person, or runs its model", async ({ page, picture, accessible }) => {
  test.skip(!process.env.REHEARSAL_TEST_PYTHON, "SKIPPED, NOT PASSED: REHEARSAL_TEST_PYTHON is not set");
  const host = await startHost({ arguments: [AGENT] });
  const rehearsal = await Rehearsal.at(page, "agent_tools", host.url);
  await rehearsal.ask("Ask the expert.");
  const line = page.getByRole("list", { name: "Tools" }).getByRole("button", { name: /^expert/ });
  await expect(line).toHaveAccessibleName(/an agent/);
  await rehearsal.choose("expert");
  await expect(page.locator(".tool-head")).toContainText("agent: runs echo only if you choose to");
  await rehearsal.fill("request", "Why?");
  await rehearsal.run();
  const choice = page.getByRole("group", { name: "Confirmation" });
  await expect(choice).toContainText("expert is an agent.");
  await picture("choice");
  await accessible();
  await choice.getByRole("button", { name: /^Supply the result/ }).click();
  const result = page.getByRole("form", { name: "Result of the agent" });
  await expect(result).toContainText("This tool is an agent. You supply its result.");
  await result.getByRole("textbox", { name: "Result as text" }).fill("Because.");
  await picture("supply");
  await result.getByRole("button", { name: /^Send result/ }).click();
  await expect(rehearsal.call(1)).toContainText("Because.");
  await rehearsal.run();
  await choice.getByRole("button", { name: /^Run its model/ }).click();
  await expect(rehearsal.call(2)).toContainText("the model was asked: Why?");
  await page.close();
  expect(await host.stop()).toBe(0);
});

test("an agent as a tool is played, with its own instructions and tools, and its response is the result", async ({ page, picture, accessible }) => {
  test.skip(!process.env.REHEARSAL_TEST_PYTHON, "SKIPPED, NOT PASSED: REHEARSAL_TEST_PYTHON is not set");
  const folder = mkdtempSync(join(tmpdir(), "rehearsal-story-"));
  const agent = join(folder, "agent_tools");
  cpSync(AGENT, agent, { recursive: true, filter: (path) => !path.endsWith("__pycache__") });
  const host = await startHost({ arguments: [agent] });
  const rehearsal = await Rehearsal.at(page, "agent_tools", host.url);
  await rehearsal.ask("Is Mars far away?");
  await rehearsal.choose("researcher");
  await rehearsal.fill("request", "How far is Mars?");
  await rehearsal.run();
  const choice = page.getByRole("group", { name: "Confirmation" });
  await expect(choice).toBeFocused();
  await picture("choice");

  // The agent's own instructions and tools.
  await page.keyboard.press("p");
  await expect(page.getByText("You act as researcher. Call its tools")).toBeVisible();
  await expect(page.getByText("You are the researcher. Look things up.")).toBeVisible();
  const tools = page.getByRole("list", { name: "Tools" });
  await expect(tools.getByRole("button", { name: /^look_up/ })).toBeVisible();
  await expect(tools.getByRole("button", { name: /^expert/ })).toHaveCount(0);
  await expect(page.locator("#tool-filter")).toBeFocused();
  await rehearsal.choose("look_up");
  await rehearsal.fill("topic", "Mars");
  await rehearsal.run();
  await expect(rehearsal.call(1)).toContainText("researcher › look_up");
  await picture("playing");
  await accessible();

  // Its worker dies: what the person did is kept.
  await rehearsal.choose("crash");
  await rehearsal.run();
  await expect(rehearsal.call(2)).toContainText("WorkerExited");
  await expect(page.getByText("You act as researcher. Call its tools")).toBeVisible();

  // Esc does not end it.
  await page.keyboard.press("Escape");
  await expect(page.getByText("You act as researcher. Call its tools")).toBeVisible();

  // Its final response returns to the caller.
  await page.getByRole("tab", { name: /Final response/ }).click();
  await expect(page.getByText("You act as researcher. Its final response becomes the result of the call.")).toBeVisible();
  await page.getByRole("textbox", { name: "Final response" }).fill("Mars is far away.");
  await picture("response");
  await page.keyboard.press("Control+Enter");
  await expect(rehearsal.call(1)).toContainText("researcher");
  await expect(rehearsal.call(1)).toContainText("Mars is far away.");
  await expect(rehearsal.call(2)).toContainText("researcher › look_up");
  await expect(page.locator("#row-1")).toBeFocused();
  await expect(page.getByText("You are an agent. Your internal name is \"boss\"")).toBeVisible();
  await picture("returned");

  await page.getByRole("tab", { name: /Final response/ }).click();
  await expect(page.getByRole("textbox", { name: "Final response" })).toHaveValue("");
  await rehearsal.answer("Yes, it is.");
  await expect(page.getByText("1 tool call and a final response")).toBeVisible();
  const file = await rehearsal.export();
  const [{ conversation: [turn], session_input: input }] = JSON.parse(readFileSync(file, "utf8")).eval_cases;
  expect(turn.intermediate_data.tool_uses.map((use: { name: string }) => use.name)).toEqual(["researcher"]);
  expect(turn.intermediate_data.tool_responses[0].response).toEqual({ result: "Mars is far away." });
  expect(input.app_name).toBe("agent_tools");
  await page.close();
  expect(await host.stop()).toBe(0);
  rmSync(folder, { recursive: true });
});

test("a play is rejected by a schema at its field, and canceled", async ({ page }) => {
  test.skip(!process.env.REHEARSAL_TEST_PYTHON, "SKIPPED, NOT PASSED: REHEARSAL_TEST_PYTHON is not set");
  const host = await startHost({ arguments: [AGENT] });
  const rehearsal = await Rehearsal.at(page, "agent_tools", host.url);
  await rehearsal.ask("Rate it.");
  // What the person wrote as the caller stays.
  await page.getByRole("tab", { name: /Final response/ }).click();
  await page.getByRole("textbox", { name: "Final response" }).fill("A draft.");
  await page.getByRole("tab", { name: /Call a tool/ }).click();
  await rehearsal.choose("rater");
  await rehearsal.fill("request", "How good is it?");
  await rehearsal.run();
  await page.getByRole("button", { name: /^Act as the agent/ }).click();
  await expect(page.getByText("You act as rater. Call its tools")).toBeVisible();
  await page.getByRole("spinbutton", { name: /^stars/ }).or(rehearsal.field("stars")).first().fill("many");
  await page.getByRole("button", { name: /Send response/ }).click();
  await expect(page.getByText(/1 field needs attention/).first()).toBeVisible();
  await rehearsal.field("stars").fill("4");
  await page.getByRole("button", { name: /Send response/ }).click();
  await expect(rehearsal.call(1)).toContainText("stars: 4");
  await page.getByRole("tab", { name: /Final response/ }).click();
  await expect(page.getByRole("textbox", { name: "Final response" })).toHaveValue("A draft.");

  await page.getByRole("tab", { name: /Call a tool/ }).click();
  await rehearsal.run();
  await page.getByRole("button", { name: /^Act as the agent/ }).click();
  await expect(page.getByText("You act as rater. Call its tools")).toBeVisible();
  await page.getByRole("button", { name: /^Cancel/ }).click();
  await expect(rehearsal.call(2)).toContainText("Cancelled");
  await expect(page.getByText("You are an agent. Your internal name is \"boss\"")).toBeVisible();
  await page.close();
  expect(await host.stop()).toBe(0);
});

const SINGLE_TURN = `
from google.adk.agents import LlmAgent


def measure(place: str) -> dict:
    raise ValueError("No such place.")


clerk = LlmAgent(
    name="clerk", description="Measures.", instruction="You are the clerk.", mode="single_turn", tools=[measure]
)
root_agent = LlmAgent(name="desk", model="gemini-2.5-flash", sub_agents=[clerk])
`;

test("a sub-agent of a single turn is played, and an open traceback stays open", async ({ page, picture }) => {
  test.skip(!process.env.REHEARSAL_TEST_PYTHON, "SKIPPED, NOT PASSED: REHEARSAL_TEST_PYTHON is not set");
  const folder = mkdtempSync(join(tmpdir(), "rehearsal-story-"));
  mkdirSync(join(folder, "desk"));
  writeFileSync(join(folder, "desk", "agent.py"), SINGLE_TURN);
  const host = await startHost({ arguments: [join(folder, "desk")] });
  const rehearsal = await Rehearsal.at(page, "desk", host.url);
  await rehearsal.ask("How warm is it?");
  await rehearsal.choose("clerk");
  await rehearsal.fill("request", "Measure the hall.");
  await rehearsal.run();
  await page.getByRole("button", { name: /^Act as the agent/ }).click();
  await expect(page.getByText("You are the clerk.")).toBeVisible();
  await rehearsal.choose("measure");
  await rehearsal.fill("place", "hall");
  await rehearsal.run();
  await expect(rehearsal.call(1)).toContainText("ValueError");
  await rehearsal.call(1).getByRole("button").first().click();
  await page.getByRole("button", { name: "Show the traceback" }).click();
  const traceback = page.getByText("Traceback (most recent call last)");
  await expect(traceback).toBeVisible();
  // The agent ends: its call comes before the failed one, whose row is drawn again.
  await page.getByRole("tab", { name: /Final response/ }).click();
  await page.getByRole("textbox", { name: "Final response" }).fill("It cannot be measured.");
  await page.keyboard.press("Control+Enter");
  await expect(rehearsal.call(1)).toContainText("It cannot be measured.");
  await expect(rehearsal.call(2)).toContainText("clerk › measure");
  await expect(traceback).toBeVisible();
  await picture("traceback");
  await page.getByRole("button", { name: "Hide the traceback" }).click();
  await expect(traceback).toHaveCount(0);
  await page.close();
  expect(await host.stop()).toBe(0);
  rmSync(folder, { recursive: true });
});
