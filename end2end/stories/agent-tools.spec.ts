// An agent that has agents as tools: a call runs their models only if the person chooses so.
//
// Needs REHEARSAL_TEST_PYTHON, which `cargo xtask test` sets.

import { resolve } from "node:path";

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
  await expect(page.locator(".tool-head")).toContainText("agent: runs echo only if you choose so");
  await rehearsal.fill("request", "Why?");
  await rehearsal.run();
  const choice = page.getByRole("group", { name: "Confirmation" });
  await expect(choice).toContainText("expert is an agent.");
  await picture("choice");
  await accessible();
  await choice.getByRole("button", { name: /^Supply the result/ }).click();
  const result = page.getByRole("form", { name: "Result of the agent" });
  await expect(result).toContainText("This tool is an agent. You supply its result.");
  await result.getByRole("textbox", { name: "JSON" }).fill('"Because."');
  await picture("supply");
  await result.getByRole("button", { name: /^Send result/ }).click();
  await expect(rehearsal.call(1)).toContainText("Because.");
  await rehearsal.run();
  await choice.getByRole("button", { name: /^Run its model/ }).click();
  await expect(rehearsal.call(2)).toContainText("the model was asked: Why?");
  await page.close();
  expect(await host.stop()).toBe(0);
});
