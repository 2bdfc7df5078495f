// Recorded cases as sources of forks: a session of adk web, a case of an eval set, a rehearsal.
//
// Needs REHEARSAL_TEST_PYTHON, which `cargo xtask test` sets.

import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { expect, type Host, open, startHost, test } from "../fixtures";
import { answer, choose, field, introduce } from "../live-session";
import { Rehearsal } from "../rehearsal";

/** Its model is a rule, which refunds cents where the order has euros. */
const DESK = `
from google.adk.agents import LlmAgent
from google.adk.models import BaseLlm, LlmResponse
from google.adk.tools import ToolContext
from google.genai import types


def find_order(order: int) -> dict:
    """Finds an order."""
    return {"order": order, "euros": 42}


def refund(order: int, cents: int, tool_context: ToolContext) -> dict:
    """Refunds an order."""
    tool_context.state["refunded"] = cents
    return {"refunded": cents}


class Rule(BaseLlm):
    model: str = "rule"

    async def generate_content_async(self, llm_request, stream=False):
        last = llm_request.contents[-1].parts[-1].function_response
        call = lambda name, args: types.Part(function_call=types.FunctionCall(name=name, args=args))
        if last is None:
            part = call("find_order", {"order": 7})
        elif last.name == "find_order":
            part = call("refund", {"order": 7, "cents": 42})
        else:
            part = types.Part(text=f"Refunded {last.response['refunded']} cents.")
        yield LlmResponse(content=types.Content(role="model", parts=[part]))


root_agent = LlmAgent(name="desk", model=Rule(), instruction="Refund what was paid.", tools=[find_order, refund])
`;

/** google-adk runs the agent, in a session that it keeps where adk web does. */
const SESSION = `
import asyncio

from google.adk.cli.utils.local_storage import create_local_database_session_service
from google.adk.runners import Runner
from google.genai import types

import desk.agent


async def main():
    sessions = create_local_database_session_service(base_dir="desk")
    runner = Runner(app_name="desk", agent=desk.agent.root_agent, session_service=sessions)
    await sessions.create_session(app_name="desk", user_id="user", session_id="yesterday")
    said = types.Content(role="user", parts=[types.Part(text="Refund my order 7")])
    async for _ in runner.run_async(user_id="user", session_id="yesterday", new_message=said):
        pass


asyncio.run(main())
`;

async function desk(): Promise<Host> {
  const folder = mkdtempSync(join(tmpdir(), "rehearsal-recorded-"));
  mkdirSync(join(folder, "desk"));
  writeFileSync(join(folder, "desk", "__init__.py"), "from . import agent\n");
  writeFileSync(join(folder, "desk", "agent.py"), DESK);
  const ran = spawnSync(process.env.REHEARSAL_TEST_PYTHON ?? "", ["-c", SESSION], { cwd: folder, encoding: "utf8" });
  expect(ran.status, ran.stderr).toBe(0);
  return startHost({ folder, arguments: [join(folder, "desk")] });
}

async function ended(host: Host): Promise<void> {
  expect(await host.stop()).toBe(0);
  rmSync(host.folder, { recursive: true });
}

test("what went wrong in adk web is forked, decided and kept", async ({ page, picture, accessible }) => {
  test.skip(!process.env.REHEARSAL_TEST_PYTHON, "SKIPPED, NOT PASSED: REHEARSAL_TEST_PYTHON is not set");
  const host = await desk();
  await open(page, `${host.url}/runs`);
  const sessions = page.getByRole("region", { name: "Sessions of adk web" });
  await expect(sessions.getByRole("row").nth(1)).toContainText("6");
  await picture("sessions");
  await accessible();

  // By the keyboard alone: the session, the call with the wrong amount, the right one.
  await sessions.getByRole("button", { name: "Refund my order 7" }).focus();
  await page.keyboard.press("Enter");
  await expect(page.getByRole("heading", { name: "yesterday" })).toBeVisible();
  await expect(page.getByText("session of adk web", { exact: true })).toBeVisible();
  const step = page.getByRole("link", { name: "Fork from here, step 4" });
  await expect(async () => {
    await page.keyboard.press("j");
    await expect(step).toBeFocused({ timeout: 100 });
  }).toPass();
  await page.keyboard.press("b");
  const panel = page.getByRole("region", { name: "Fork", exact: true });
  await expect(panel.getByRole("radio", { name: "if I say so, once it has ended" })).toBeChecked();
  await page.keyboard.press("ArrowDown");
  const change = panel.getByRole("textbox", { name: "Change as JSON" });
  await change.fill((await change.inputValue()).replace("42", "4200"));
  await panel.getByText("Choose what tools do after the step").click();
  await panel.getByLabel("refund").selectOption("run, without effects");
  await panel.getByRole("spinbutton", { name: "Continuations" }).fill("2");
  await picture("fork-panel");
  await accessible();
  await page.keyboard.press("Control+Enter");

  await expect(page.getByRole("status").filter({ hasText: "4 continuations wait for your verdict." })).toBeVisible();
  const right = page.getByRole("region", { name: "With the edit" });
  const wrong = page.getByRole("region", { name: "Without it" });
  await expect(right.getByRole("listitem").first()).toContainText("Refunded 4200 cents.");
  await expect(wrong.getByRole("listitem").first()).toContainText("Refunded 42 cents.");
  await picture("undecided");
  await accessible();

  // A note that is being written stays while others are decided, and the focus goes on to the next one.
  await wrong.getByRole("textbox").last().fill("42 cents of 42 euros");
  await right.getByRole("button", { name: "Pass: repeat 1 of yesterday" }).focus();
  await page.keyboard.press("Enter");
  await expect(right.getByRole("button", { name: "Pass: repeat 2 of yesterday" })).toBeFocused();
  await page.keyboard.press("Enter");
  await expect(wrong.getByRole("button", { name: "Pass: repeat 1 of yesterday" })).toBeFocused();
  await wrong.getByRole("button", { name: "Fail: repeat 1 of yesterday" }).click();
  await expect(wrong.getByRole("textbox")).toHaveCount(1);
  await expect(wrong.getByRole("textbox")).toHaveValue("42 cents of 42 euros");
  await wrong.getByRole("button", { name: "Fail: repeat 2 of yesterday" }).click();
  await expect(page.getByRole("status").filter({ hasText: "Step 4 was the cause" })).toBeVisible();
  await expect(wrong).toContainText("42 cents of 42 euros");
  await picture("decided");
  await page.getByRole("heading", { name: "With the edit" }).click();
  await page.keyboard.press("e");
  await expect(page.getByRole("status").filter({ hasText: "Kept as " })).toContainText("desk_evals.evalset.json");

  // The kept case forks in its turn, from the eval set.
  await page.goto(`${host.url}/evalsets/desk`);
  await page.getByText("find_order → refund").click();
  await page.getByRole("button", { name: "Fork", exact: false }).click();
  await expect(page.getByText("recorded case", { exact: true })).toBeVisible();
  await page.goto(`${host.url}/runs`);
  await expect(page.getByRole("row").filter({ hasText: "recorded case" })).toHaveCount(1);
  await ended(host);
});

test("the model tries what a person has done", async ({ page, picture, accessible }) => {
  test.skip(!process.env.REHEARSAL_TEST_PYTHON, "SKIPPED, NOT PASSED: REHEARSAL_TEST_PYTHON is not set");
  const host = await desk();
  const rehearsal = await Rehearsal.at(page, "desk", host.url);
  await rehearsal.ask("Refund my order 7");
  await page.getByRole("tab", { name: /Final response/ }).click();
  await page.getByRole("textbox", { name: "Final response" }).fill("What is the order's number?");
  await rehearsal.finish();
  const model = page.getByRole("region", { name: "Model", exact: true });
  await expect(model.getByRole("button", { name: "Let the model try" })).toBeInViewport();
  await picture("completed");
  await accessible();
  await model.getByRole("button", { name: "Let the model try" }).click();
  await expect(page.getByRole("region", { name: "Continuations" })).toContainText("5 continuations");
  await expect(page.getByRole("status").filter({ hasText: "From step 2 on, " })).toBeVisible();
  await picture("tried");
  await accessible();
  await ended(host);
});

/** A workflow, of which a rehearsal has only the first agent. */
const NEWSROOM = `
from google.adk.agents import LlmAgent, SequentialAgent


def look_up(topic: str) -> dict:
    """Looks a topic up."""
    return {"topic": topic, "facts": ["It rains in May."]}


writer = LlmAgent(name="writer", model="gemini-2.5-flash", instruction="Write.", tools=[look_up])
editor = LlmAgent(name="editor", model="gemini-2.5-flash", instruction="Edit.")
root_agent = SequentialAgent(name="newsroom", sub_agents=[writer, editor])
`;

test("a person acts as every agent of a workflow through its runner", async ({ page, picture, accessible }) => {
  test.skip(!process.env.REHEARSAL_TEST_PYTHON, "SKIPPED, NOT PASSED: REHEARSAL_TEST_PYTHON is not set");
  const folder = mkdtempSync(join(tmpdir(), "rehearsal-acted-"));
  mkdirSync(join(folder, "newsroom"));
  writeFileSync(join(folder, "newsroom", "__init__.py"), "from . import agent\n");
  writeFileSync(join(folder, "newsroom", "agent.py"), NEWSROOM);
  const host = await startHost({ folder, arguments: [join(folder, "newsroom")] });
  await open(page, `${host.url}/rehearse/newsroom`);
  await page.getByRole("textbox", { name: "User message" }).fill("Write about rain");
  await page.getByRole("link", { name: "Act through the runner" }).click();
  const act = page.getByRole("region", { name: "Act through the runner" });
  const message = act.getByRole("textbox", { name: "User message" });
  await expect(message).toHaveValue("Write about rain");
  await expect(message).toBeFocused();
  await expect(act.getByRole("radio", { name: "Tools run, with all their effects" })).toBeChecked();
  await message.fill("");
  await page.keyboard.press("Control+Enter");
  await expect(act.getByRole("alert")).toHaveText("Enter the user message.");
  await message.fill("Write about rain");
  await picture("message");
  await accessible();
  await page.keyboard.press("Control+Enter");

  await expect(page).toHaveURL(/\/live$/);
  await page.getByRole("link", { name: /Write about rain/ }).click();
  await introduce(page, "Ann");
  await choose(page, "look_up");
  await field(page, "topic").fill("rain");
  await page.locator("#send").click();
  const conversation = page.getByRole("list", { name: "Conversation" });
  await expect(conversation).toContainText("It rains in May.");
  await picture("live");
  await accessible();
  await answer(page, "It rains in May, mostly.");
  // The workflow's second agent asks by itself.
  await expect(page.getByText("Edit.")).toBeVisible();
  await answer(page, "It rains in May.");
  // The turn has ended, and the person is the user.
  await page.getByRole("tab", { name: /Call tools/ }).click();
  await choose(page, "end_conversation");
  await page.locator("#send").click();
  // A page that is left takes back what it sends.
  await expect(page.getByText(/^No pending requests/)).toBeVisible();

  await page.goto(`${host.url}/runs`);
  await page.getByRole("link", { name: "Run 1" }).click();
  const results = page.getByRole("table", { name: "Results" });
  await expect(results).toContainText("Write about rain");
  await results.getByRole("link").first().click();
  await expect(page.getByText("calls look_up")).toBeVisible();
  await expect(page.getByText("It rains in May, mostly.")).toBeVisible();
  await picture("result");
  await page.keyboard.press("e");
  await expect(page.getByRole("status").filter({ hasText: "Kept as " })).toContainText("newsroom_evals.evalset.json");
  await ended(host);
});
