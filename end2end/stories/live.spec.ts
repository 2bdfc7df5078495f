// Live sessions: a real google-adk agent with the plugin and no model key, answered at the page.
//
// Needs REHEARSAL_TEST_PYTHON, which `cargo xtask test` sets.

import { spawn, spawnSync, type ChildProcess } from "node:child_process";
import { cpSync, existsSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";

import { answer, choose, complete, field, introduce, otherPerson } from "../live-session";
import { expect, MATH_ONLY, open, startHost, test as base } from "../fixtures";

const ROOT = resolve(import.meta.dirname, "../..");
const FIXTURES = join(ROOT, "tests/fixtures/adk");
const python = process.env.REHEARSAL_TEST_PYTHON;

/** An agent in its own process. */
class Agent {
  private printed = "";
  private readonly child: ChildProcess;
  readonly ended: Promise<number | null>;

  constructor(host: string, mode: string, description: string, messages: string[] = []) {
    this.child = spawn(python ?? "python3", [join(FIXTURES, "live_weather/run.py"), mode, ...messages], {
      env: { ...process.env, REHEARSAL_SERVER_URL: host, REHEARSAL_SESSION_DESCRIPTION: description },
      stdio: ["ignore", "pipe", "pipe"],
    });
    const read = (chunk: Buffer) => (this.printed += chunk.toString());
    this.child.stdout?.on("data", read);
    this.child.stderr?.on("data", read);
    this.ended = new Promise((ended) => this.child.once("exit", ended));
  }

  /** The address that the plugin prints. */
  async session(): Promise<string> {
    await expect.poll(() => this.printed, { timeout: 60_000 }).toContain("Rehearsal: respond at ");
    return /respond at (\S+)/.exec(this.printed)?.[1] ?? "";
  }

  output(): string {
    return this.printed;
  }

  kill(): void {
    this.child.kill("SIGKILL");
  }
}

type Start = (mode: string, description: string, messages?: string[]) => Agent;

const test = base.extend<{ start: Start }>({
  start: async ({ host }, use) => {
    const started: Agent[] = [];
    await use((mode, description, messages) => {
      const agent = new Agent(host.url, mode, description, messages);
      started.push(agent);
      return agent;
    });
    started.forEach((agent) => agent.kill());
  },
});

test.skip(!python, "SKIPPED, NOT PASSED: REHEARSAL_TEST_PYTHON is not set; cargo xtask test sets it");

test("a person responds to a real agent with a call and a text, and adk eval passes the export", async ({ page, host, start, picture, accessible }) => {
  const agent = start("alone", "Rain in Lisbon");
  await open(page, await agent.session());
  // What the model would see.
  await expect(page.getByText("Will it rain in Lisbon?")).toBeVisible();
  await expect(page.getByText("You answer about the")).toBeVisible();
  await expect(page.getByText("gemini-2.5-flash")).toBeVisible();
  await introduce(page, "Ann");
  await choose(page, "forecast");
  await field(page, "city").fill("Lisbon");
  await field(page, "days").fill("2");
  await picture("call");
  await accessible();
  await page.locator("#send").click();
  // The agent ran its real tool and asks again.
  await expect(page.getByRole("list", { name: "Conversation" })).toContainText("forecast(");
  await expect(page.getByRole("list", { name: "Conversation" })).toContainText("21.5");
  await answer(page, "No rain in Lisbon.");
  expect(await agent.ended).toBe(0);
  expect(agent.output()).toContain("weather said: No rain in Lisbon.");
  await expect(page.getByText(/^No pending requests/)).toBeVisible();

  await page.getByRole("button", { name: "Session", exact: true }).click();
  const events = page.getByRole("list", { name: "Events" });
  await expect(events.getByRole("listitem")).toHaveCount(6);
  await expect(events).toContainText("the run is complete");
  await expect(events.getByText("Ann", { exact: true })).toHaveCount(2);
  await events.getByRole("button").nth(2).click();
  await expect(page.locator(".event-detail")).toContainText("clear");
  await picture("events");
  await accessible();

  await complete(page);
  await expect(page.getByRole("heading", { name: "Session completed" })).toBeVisible();
  await picture("complete");
  await accessible();
  await page.getByRole("button", { name: /^Export to weather_evals.evalset.json/ }).click();
  await expect(page.getByRole("heading", { name: /^Exported( into a new eval set)?$/ })).toBeVisible();
  await picture("exported");
  const path = join(host.folder, "evals/weather_evals.evalset.json");
  const [one] = JSON.parse(readFileSync(path, "utf8")).eval_cases.slice(-1);
  const [turn] = one.conversation;
  expect(turn.user_content.parts).toEqual([{ text: "Will it rain in Lisbon?" }]);
  expect(turn.final_response.parts).toEqual([{ text: "No rain in Lisbon." }]);
  expect(turn.intermediate_data.tool_uses).toMatchObject([{ name: "forecast", args: { city: "Lisbon", days: 2 } }]);
  expect(turn.intermediate_data.tool_responses[0].id).toBe(turn.intermediate_data.tool_uses[0].id);

  const passed = adkEval(path);
  expect(passed.status, passed.output).toBe(1);
  expect(passed.scores).toEqual({ tool_trajectory_avg_score: 1, response_match_score: 1 });
});

test("a completed session is compared with a case of its agent before the export", async ({ page, picture, accessible }) => {
  const folder = mkdtempSync(join(tmpdir(), "rehearsal-expected-"));
  const file = join(folder, "expected.evalset.json");
  const content = (role: string, text: string) => ({ role, parts: [{ text }] });
  const expected = {
    eval_id: "rain_in_lisbon",
    conversation: [{
      invocation_id: "one",
      user_content: content("user", "Will it rain in Lisbon?"),
      final_response: content("model", "No rain in Lisbon."),
      intermediate_data: { tool_uses: [{ name: "forecast", args: { city: "Lisbon", days: 3 } }] },
    }],
  };
  writeFileSync(file, JSON.stringify({ eval_set_id: "expected", eval_cases: [expected] }));
  const host = await startHost({
    config: `
[[agent]]
name = "Weather"
source = "adk_python"
folder = ${JSON.stringify(join(FIXTURES, "live_weather"))}
eval_set_path = ${JSON.stringify(file)}
`,
  });
  const agent = new Agent(host.url, "alone", "Rain in Lisbon");
  await open(page, await agent.session());
  await introduce(page, "Ann");
  await choose(page, "forecast");
  await field(page, "city").fill("Lisbon");
  await field(page, "days").fill("2");
  await page.locator("#send").click();
  await expect(page.getByRole("list", { name: "Conversation" })).toContainText("21.5");
  await answer(page, "No rain today.");
  expect(await agent.ended).toBe(0);
  await complete(page);

  await page.getByRole("button", { name: "Compare with a case…" }).click();
  await expect(page.getByRole("dialog").getByRole("searchbox", { name: "Filter cases" })).toBeFocused();
  await page.getByRole("dialog").getByRole("button", { name: /Will it rain/ }).click();
  const both = page.getByRole("region", { name: "Both cases, side by side" });
  await expect(both.locator(".pair.differs").first()).toContainText("days: 3");
  await expect(both.locator(".pair.differs").first()).toContainText("days: 2");
  await expect(both.locator("del").last()).toHaveText(/Lisbon/);
  await expect(both.locator("ins").last()).toHaveText(/today/);
  await expect(page.getByText("Differences:")).toBeVisible();
  await picture("compared");
  await accessible();
  await page.keyboard.press("Escape");
  await expect(both).toBeHidden();
  await page.locator("#export").click();
  await expect(page.getByRole("heading", { name: /^Exported( into a new eval set)?$/ })).toBeVisible();
  expect(JSON.parse(readFileSync(file, "utf8")).eval_cases).toHaveLength(2);
  await page.close();
  expect(await host.stop()).toBe(0);
  rmSync(folder, { recursive: true, force: true });
});

test("three agents in one session get responses in the order of the queue", async ({ page, start, picture, accessible }) => {
  const agent = start("three", "Three watches");
  await open(page, await agent.session());
  await introduce(page, "Ann");
  const queue = page.getByRole("navigation", { name: "Pending requests" });
  await expect(queue.getByRole("link")).toHaveCount(3);
  // A request that is not at the head is shown, and not answered.
  const second = await queue.getByRole("link").nth(1).textContent();
  await queue.getByRole("link").nth(1).click();
  await expect(page.getByText("One earlier request is in the queue.")).toBeVisible();
  await expect(page.getByText(`You watch the ${second?.trim()}.`)).toBeVisible();
  await picture("behind");
  await accessible();
  await page.getByRole("link", { name: "Go to the current request" }).click();
  const facts = page.getByRole("region", { name: "Turn", exact: true });
  for (let left = 3; left > 0; left -= 1) {
    const name = await facts.locator("dd").first().textContent();
    await answer(page, `Calm in the ${name}.`);
    if (left > 1) {
      await expect(facts.locator("dd").first()).not.toHaveText(name ?? "");
    }
  }
  expect(await agent.ended).toBe(0);
  for (const name of ["north", "south", "west"]) {
    expect(agent.output()).toContain(`${name} said: Calm in the ${name}.`);
  }
});

test("responses sent by the keyboard lead from turn to turn", async ({ page, start }) => {
  const agent = start("three", "Three watches by hand");
  await open(page, await agent.session());
  await introduce(page, "Ann");
  const facts = page.getByRole("region", { name: "Turn", exact: true });
  for (let left = 3; left > 0; left -= 1) {
    const name = (await facts.locator("dd").first().textContent()) ?? "";
    await page.getByRole("tab", { name: /Text|Answer/ }).click();
    await page.getByRole("textbox", { name: "Text", exact: true }).fill(`Calm in the ${name}.`);
    // The field is removed while it has the focus: the browser reports a change.
    await page.keyboard.press("Control+Enter");
    if (left > 1) {
      await expect(facts.locator("dd").first()).not.toHaveText(name);
      await expect(page.getByText(/responded first/)).toHaveCount(0);
    }
  }
  expect(await agent.ended).toBe(0);
});

test("two people in one session see each other's lease, and no draft is lost", async ({ page, browser, start, picture, accessible }) => {
  const agent = start("alone", "Two people");
  const address = await agent.session();
  await open(page, address);
  await introduce(page, "Ann");
  const other = await otherPerson(browser, address);
  await introduce(other, "Bo");
  // Bo begins to type while the lease is free; Ann sees it.
  await other.getByRole("tab", { name: /Text/ }).click();
  await other.getByRole("textbox", { name: "Text", exact: true }).fill("Bo thinks it will.");
  await expect(page.getByText("Bo holds the lease.")).toBeVisible();
  await expect(page.getByRole("button", { name: /^Send/ })).toHaveAttribute("aria-disabled", "true");
  await picture("held");
  await accessible();
  // The error is fully in sight.
  await page.keyboard.press("Control+Enter");
  const notice = page.locator(".middle .notice");
  await expect(notice).toBeVisible();
  const [shown, column] = [await notice.boundingBox(), await page.locator(".middle").boundingBox()];
  expect((shown?.x ?? 0) + (shown?.width ?? 0)).toBeLessThanOrEqual((column?.x ?? 0) + (column?.width ?? 0));
  await notice.getByRole("button", { name: "Dismiss" }).click();
  await expect(notice).toBeHidden();
  // Bo hands the lease to Ann, and keeps the draft.
  await other.getByRole("button", { name: "Hand over" }).click();
  await other.getByRole("dialog").getByRole("textbox").fill("Ann");
  await other.getByRole("dialog").getByRole("button", { name: "Hand over" }).click();
  await expect(other.getByText("Lease offered to Ann.").first()).toBeVisible();
  await page.getByRole("button", { name: "Take lease" }).click();
  await expect(other.getByText("Ann holds the lease.")).toBeVisible();
  const draft = other.getByRole("textbox", { name: "Text", exact: true });
  await draft.click();
  await other.keyboard.press("Control+End");
  await answer(page, "It will not.");
  // The answer is everywhere at once, and Bo, who has the cursor in the text, goes on typing.
  await expect(other.getByRole("heading", { name: "Ann responded first" })).toBeVisible();
  await other.keyboard.type(" Surely.");
  await expect(draft).toHaveValue("Bo thinks it will. Surely.");
  await other.keyboard.press("Control+Enter");
  await expect(other.getByText("Not sent. Ann responded first.")).toBeVisible();
  // They are offered again until they are discarded; a draft of a session that is long gone is removed.
  const drafts = () => other.evaluate(() => Object.keys(localStorage).filter((key) => key.startsWith("rehearsal.draft.")));
  await other.evaluate(() => {
    // Another project's host may serve at this address: its drafts are kept.
    const days = (count: number) => Date.now() - count * 24 * 60 * 60 * 1000;
    for (const [name, typed_ms] of [["gone", days(8)], ["elsewhere", days(6)]]) {
      const draft = { entered: { text: "x" }, session: "00000000-0000-4000-8000-000000000000", typed_ms };
      localStorage.setItem(`rehearsal.draft.${name}`, JSON.stringify(draft));
    }
  });
  await other.reload();
  await expect(other.getByRole("heading", { name: "Ann responded first" })).toBeVisible();
  await expect(draft).toHaveValue("Bo thinks it will. Surely.");
  await expect.poll(drafts).toHaveLength(2);
  await other.getByRole("button", { name: "Discard draft" }).click();
  await expect(other.getByText(/^No pending requests/)).toBeVisible();
  await expect.poll(drafts).toEqual(["rehearsal.draft.elsewhere"]);
  expect(await agent.ended).toBe(0);
  await other.context().close();
});

test("what is typed while a response is rejected stays, and the response is offered again", async ({ page, browser, start, picture, accessible }) => {
  const agent = start("three", "A slow connection");
  const address = await agent.session();
  await open(page, address);
  await introduce(page, "Bo");
  const ann = await otherPerson(browser, address);
  await introduce(ann, "Ann");
  // Bo's requests for the lease are lost, and his response is under way while Ann responds.
  await page.route("**/api/take_live_lease", (route) => route.abort());
  let release = () => {};
  const late = new Promise<void>((resolve) => (release = resolve));
  await page.route("**/api/respond_to_turn", async (route) => {
    await late;
    await route.continue();
  });
  const text = page.getByRole("textbox", { name: "Text", exact: true });
  await page.getByRole("tab", { name: /Text/ }).click();
  await text.click();
  await page.keyboard.type("alpha one");
  await page.keyboard.press("Control+Enter");
  await expect(text).toHaveValue("");
  await page.keyboard.type("bravo two");
  await answer(ann, "Ann was faster.");
  await expect(page.getByText("2 waiting", { exact: true })).toBeVisible();
  const rejected = page.waitForResponse("**/api/respond_to_turn");
  release();
  const typing = page.keyboard.type(" charlie three", { delay: 20 });
  await rejected;
  await typing;
  await page.keyboard.type(" delta four");
  await expect(text).toHaveValue("bravo two charlie three delta four");
  const offered = page.getByRole("textbox", { name: "Response that was not sent" });
  await expect(offered).toHaveValue("alpha one");
  await expect(page.getByText("Ann responded first.")).toBeVisible();
  await picture("rejected");
  await accessible();
  // It stays while Bo responds to the next request, and then becomes part of anpage response.
  await page.keyboard.press("Control+Enter");
  await expect(text).toHaveValue("");
  await expect(page.getByText(/^\d waiting$/)).toHaveCount(0);
  await expect(offered).toHaveValue("alpha one");
  await page.getByRole("button", { name: "Insert below" }).click();
  await expect(text).toHaveValue("alpha one");
  await expect(offered).toHaveCount(0);
  await page.keyboard.press("Control+Enter");
  expect(await agent.ended).toBe(0);
  await ann.context().close();
});

test("a reload keeps a rejected call, and what is moved to the next response", async ({ page, browser, start }) => {
  const agent = start("alone", "A call too late", ["Will it rain?", "And tomorrow?"]);
  const address = await agent.session();
  await open(page, address);
  await introduce(page, "Bo");
  const ann = await otherPerson(browser, address);
  await introduce(ann, "Ann");
  await page.route("**/api/take_live_lease", (route) => route.abort());
  await page.route("**/api/respond_to_turn", (route) => route.abort());
  await choose(page, "forecast");
  await field(page, "city").fill("Porto");
  await page.reload();
  await expect(field(page, "city")).toHaveValue("Porto");
  // His call is not sent in time.
  await page.keyboard.press("Control+Enter");
  await answer(ann, "Ann was faster.");
  await page.unroute("**/api/respond_to_turn");
  await page.reload();
  const move = page.getByRole("button", { name: "Move to next response" });
  await move.click();
  await expect(field(page, "city")).toHaveValue("Porto");
  await page.reload();
  await expect(field(page, "city")).toHaveValue("Porto");
  // What is typed ahead of a request that may follow is kept as well.
  await page.unroute("**/api/take_live_lease");
  await page.keyboard.press("Control+Enter");
  // The agent has run its tool and asks again.
  await expect(page.getByText("weather sees 5 messages")).toBeVisible();
  await answer(page, "Clear in Porto.");
  const text = page.getByRole("textbox", { name: "Text", exact: true });
  await expect(text).toHaveValue("");
  await text.fill("And warm.");
  await page.reload();
  const stored = () => page.evaluate(() => Object.values(localStorage).join());
  await expect.poll(stored).toContain("And warm.");
  await ann.context().close();
});

test("a host restart loses no draft", async ({ page }) => {
  const folder = mkdtempSync(join(tmpdir(), "rehearsal-live-"));
  const first = await startHost({ folder, config: MATH_ONLY });
  const agent = new Agent(first.url, "alone", "A restart");
  try {
    await open(page, await agent.session());
    await introduce(page, "Ann");
    await choose(page, "forecast");
    await field(page, "city").fill("Porto");
    await page.getByRole("button", { name: "Add call" }).click();
    await expect(page.getByRole("group", { name: "Also in this response" })).toContainText('forecast(');
    await page.getByRole("tab", { name: /Text/ }).click();
    await page.getByRole("textbox", { name: "Text", exact: true }).fill("Let me look.");
    expect(await first.stop()).toBe(0);
    await expect(page.getByText("host not reachable, reconnecting")).toBeVisible();
    await page.locator("#send").click();
    await expect(page.getByRole("alert").filter({ hasText: "Not sent" })).toBeVisible();
    const second = await startHost({ folder, listen: new URL(first.url).host });
    await expect(page.getByText("host connected")).toBeVisible({ timeout: 60_000 });
    await expect(page.getByRole("textbox", { name: "Text", exact: true })).toHaveValue("Let me look.");
    // A reload keeps it too.
    await page.reload();
    await page.getByRole("tab", { name: /Text/ }).click();
    await expect(page.getByRole("textbox", { name: "Text", exact: true })).toHaveValue("Let me look.");
    await page.locator("#send").click();
    await expect(page.getByRole("list", { name: "Conversation" })).toContainText("Let me look.", { timeout: 60_000 });
    await answer(page, "Clear in Porto.");
    expect(await agent.ended).toBe(0);
    expect(agent.output()).toContain("weather said: Clear in Porto.");
    expect(await second.stop()).toBe(0);
  } finally {
    agent.kill();
    rmSync(folder, { recursive: true, force: true });
  }
});

test("a response with a schema is filled in through its form, by the keyboard alone", async ({ page, start, picture, accessible }) => {
  const agent = start("report", "A report");
  await open(page, await agent.session());
  await page.getByRole("textbox", { name: /Enter your name/ }).focus();
  await page.keyboard.type("Ann");
  await page.keyboard.press("Enter");
  await page.keyboard.press("Escape");
  await page.keyboard.press("f");
  await expect(page.locator("#response").getByRole("textbox").first().or(field(page, "sky"))).toBeFocused();
  await page.keyboard.type("clear");
  await page.keyboard.press("Control+Enter");
  // The missing field is marked and has the focus.
  await expect(field(page, "degrees")).toBeFocused();
  await picture("missing");
  await accessible();
  await page.keyboard.type("21");
  await page.keyboard.press("Control+Enter");
  expect(await agent.ended).toBe(0);
  expect(agent.output()).toMatch(/reporter said: \{"sky": ?"clear", ?"degrees": ?21\}/);
});

test("what is entered into the form of a response survives a reload", async ({ page, start }) => {
  const agent = start("report", "A kept report");
  await open(page, await agent.session());
  await introduce(page, "Ann");
  await field(page, "sky").fill("cloudy");
  await page.reload();
  await expect(field(page, "sky")).toHaveValue("cloudy");
  // Not a number yet: it is kept as typed.
  await field(page, "degrees").fill("7.");
  await page.reload();
  await expect(page.locator("#response").getByRole("textbox").first()).toHaveValue(/"cloudy"[^]*7\./);
  await page.locator("#response").getByRole("textbox").first().fill('{"sky": "cloudy", "degrees": 7}');
  await page.reload();
  await expect(field(page, "degrees")).toHaveValue("7");
  await expect(field(page, "sky")).toHaveValue("cloudy");
  await page.locator("#send").click();
  expect(await agent.ended).toBe(0);
  expect(agent.output()).toMatch(/reporter said: \{"sky": ?"cloudy", ?"degrees": ?7\}/);
});

test("a response contains several calls, and a sub-agent keeps its name in the export", async ({ page, host, start, picture, accessible }) => {
  const agent = start("helped", "Two runs", ["The sea?", "And the air?"]);
  await open(page, await agent.session());
  await introduce(page, "Ann");
  await choose(page, "transfer_to_agent");
  await page.locator("#send").click();
  const facts = page.getByRole("region", { name: "Turn", exact: true });
  await expect(facts.locator("dd").first()).toHaveText("helper");
  await answer(page, "The sea is calm.");
  await expect(page.getByText("And the air?")).toBeVisible();
  await answer(page, "The air is clear.");
  expect(await agent.ended).toBe(0);
  await complete(page);
  await expect(page.getByRole("list", { name: "Runs" }).locator(":scope > li > label").getByRole("checkbox")).toHaveCount(2);
  await page.getByRole("button", { name: /^Export to/ }).click();
  await expect(page.getByRole("heading", { name: /^Exported( into a new eval set)?$/ })).toBeVisible();
  const path = join(host.folder, "evals/weather_evals.evalset.json");
  const [one] = JSON.parse(readFileSync(path, "utf8")).eval_cases.slice(-1);
  expect(one.conversation.map((turn: any) => turn.user_content.parts[0].text)).toEqual(["The sea?", "And the air?"]);
  const authors = one.conversation[0].intermediate_data.invocation_events.map((event: any) => event.author);
  expect(authors).toContain("weather");
  expect(one.conversation[0].final_response.parts).toEqual([{ text: "The sea is calm." }]);

  // A case need not show every turn: here the helper answered by itself.
  await page.getByRole("button", { name: "Choose responses" }).click();
  const first = page.getByRole("list", { name: "Runs" }).locator(":scope > li").first();
  await first.getByText("Choose responses").click();
  await first.getByRole("checkbox", { name: /^transfer_to_agent/ }).uncheck();
  await expect(first.getByText("1 of 2 responses")).toBeVisible();
  await picture("turns");
  await accessible();
  await page.getByRole("button", { name: /^Export to/ }).click();
  await expect(page.getByRole("heading", { name: /^Exported( into a new eval set)?$/ })).toBeVisible();
  const [shorter] = JSON.parse(readFileSync(path, "utf8")).eval_cases.slice(-1);
  expect(shorter.eval_id).not.toEqual(one.eval_id);
  expect(JSON.stringify(shorter)).not.toContain("transfer_to_agent");
  expect(shorter.conversation[0].final_response).toEqual(one.conversation[0].final_response);
});

test("unfinished input on the other side has a warning before it is left out", async ({ page, start, picture }) => {
  const agent = start("alone", "Two minds");
  await open(page, await agent.session());
  await introduce(page, "Ann");
  await choose(page, "forecast");
  await field(page, "city").fill("Lisbon");
  await answer(page, "It will not.");
  const notice = page.locator(".middle .notice");
  await expect(notice).toContainText("Your unfinished call to forecast is not in this response");
  await picture("left-behind");
  // It is still there, and can be sent alone.
  await page.getByRole("tab", { name: /Call tools/ }).click();
  await expect(field(page, "city")).toHaveValue("Lisbon");
  await field(page, "days").fill("2");
  await page.locator("#send").click();
  await expect(page.getByRole("list", { name: "Conversation" })).toContainText("It will not.");
  await expect(page.getByRole("list", { name: "Conversation" })).toContainText("21.5");
  // Sending again confirms it.
  await choose(page, "forecast");
  await field(page, "city").fill("Porto");
  await answer(page, "No rain.");
  await expect(notice).toContainText("send again to leave it out");
  await page.locator("#send").click();
  expect(await agent.ended).toBe(0);
  expect(agent.output()).toContain("weather said: No rain.");
});

test("completing a session without pending requests asks for the name", async ({ page, browser, start }) => {
  const agent = start("alone", "Nothing waits");
  const address = await agent.session();
  await open(page, address);
  await introduce(page, "Ann");
  await answer(page, "No rain.");
  expect(await agent.ended).toBe(0);
  const other = await otherPerson(browser, address);
  await other.getByRole("button", { name: "Complete session" }).click();
  const dialog = other.getByRole("dialog");
  // Whoever presses a key too many keeps what there is.
  await expect(dialog.getByRole("button", { name: "Keep open" })).toBeFocused();
  const done = dialog.getByRole("button", { name: "Complete", exact: true });
  await done.click();
  await expect(dialog.getByRole("textbox", { name: /Enter your name/ })).toBeFocused();
  await other.keyboard.type("Bo");
  await other.keyboard.press("Enter");
  await expect(done).toBeFocused();
  await other.keyboard.press("Enter");
  await expect(other.getByRole("heading", { name: "Session completed" })).toBeVisible();
  await other.context().close();
});

test("a completed session is deleted, and leaves every list", async ({ page, browser, host, start, picture, accessible }) => {
  const agent = start("alone", "Not for long");
  const address = await agent.session();
  await open(page, address);
  await introduce(page, "Ann");
  await expect(page.getByRole("button", { name: "Delete session" })).toHaveCount(0);
  await answer(page, "No rain.");
  expect(await agent.ended).toBe(0);
  await complete(page);
  const other = await otherPerson(browser, `${host.url}/live`);
  const completed = (list: typeof page) => list.getByRole("button", { name: /^Completed \d/ });
  const row = other.getByRole("row").filter({ hasText: "Not for long" });
  await completed(other).click();
  await expect(row).toBeVisible();
  const watching = await otherPerson(browser, address);
  await expect(watching.getByRole("heading", { name: "Session completed" })).toBeVisible();
  await page.getByRole("button", { name: "Delete session" }).press("Enter");
  const dialog = page.getByRole("dialog");
  await expect(dialog.getByRole("button", { name: "Keep session" })).toBeFocused();
  await picture("delete a session");
  await accessible();
  await page.keyboard.press("Escape");
  await expect(page.getByRole("button", { name: "Delete session" })).toBeFocused();
  await page.keyboard.press("Enter");
  await page.keyboard.press("Tab");
  await page.keyboard.press("Enter");
  await expect(page).toHaveURL(`${host.url}/live`);
  await completed(page).click();
  await expect(page.getByRole("row").filter({ hasText: "Not for long" })).toHaveCount(0);
  await expect(row).toHaveCount(0);
  const notice = watching.getByRole("alert").filter({ hasText: "This session was deleted" });
  await expect(notice).toBeVisible();
  await expect(watching.getByText("A deleted session cannot be exported.")).toBeVisible();
  await expect(watching.getByRole("button", { name: /^Export to|^Delete session/ })).toHaveCount(0);
  await notice.getByRole("link", { name: "View live sessions" }).click();
  await expect(watching).toHaveURL(`${host.url}/live`);
  await watching.context().close();
  await other.goto(address);
  await expect(other.getByRole("heading", { name: "Session cannot be shown" })).toBeVisible();
  await other.context().close();
});

test("the list shows pending requests, and notifies on request", async ({ page, context, start, picture, accessible }) => {
  await context.grantPermissions(["notifications"]);
  await page.addInitScript(() => {
    const notified: string[] = [];
    Object.assign(window, { notified });
    Object.defineProperty(document, "hidden", { get: () => true });
    class Told {
      static permission = "granted";
      static requestPermission = async () => "granted";
      onclick = null;
      constructor(title: string) {
        notified.push(title);
      }
    }
    Object.assign(window, { Notification: Told });
  });
  await open(page, "/live");
  const call = page.getByRole("button", { name: /Notify me/ });
  await expect(call).toBeVisible();
  await expect(page.getByText("host connected")).toBeVisible();
  const before = await page.title();
  expect(before).not.toMatch(/^\(/);
  await call.click();
  await expect(page.getByRole("button", { name: /Notifications on/ })).toBeVisible();
  const agent = start("alone", "Somebody waits");
  const address = await agent.session();
  const row = page.getByRole("row").filter({ hasText: "Somebody waits" });
  await expect(row).toContainText("weather");
  await expect(row).toContainText("waiting for a response");
  await expect(page).toHaveTitle(/^\(\d+\) /);
  await expect.poll(() => page.evaluate(() => (window as any).notified)).toContain("weather is waiting for a response");
  await picture("list");
  await accessible();
  await page.getByRole("searchbox", { name: "Search descriptions and agents" }).fill("nobody has these words");
  await expect(page.getByText("No matching sessions")).toBeVisible();
  await page.getByRole("searchbox", { name: "Search descriptions and agents" }).fill("somebody");
  await row.getByRole("link").click();
  await expect(page).toHaveURL(address);
  await introduce(page, "Ann");
  // The agent gets the reason of the cancellation.
  await page.getByRole("button", { name: "Cancel request" }).click();
  await picture("cancel");
  await accessible();
  await page.getByRole("dialog").getByRole("textbox").fill("Not today.");
  await page.getByRole("dialog").getByRole("button", { name: "Cancel request" }).click();
  expect(await agent.ended).not.toBe(0);
  expect(agent.output()).toContain("Not today.");
});

test("a late response about the session loses no input", async ({ page, start }) => {
  await open(page, "/live");
  const agent = start("alone", "Somebody is slow");
  await agent.session();
  let release = () => {};
  const late = new Promise<void>((resolve) => (release = resolve));
  await page.route("**/api/read_live_session", async (route) => {
    await late;
    await route.continue();
  });
  const read = page.waitForResponse("**/api/read_live_session");
  // The list knows the session, so the page shows it before the host responds.
  await page.getByRole("row").filter({ hasText: "Somebody is slow" }).getByRole("link").click();
  const name = page.getByRole("textbox", { name: /Enter your name/ });
  await name.fill("Ann");
  const typed = await name.elementHandle();
  release();
  await (await read).finished();
  expect(await typed?.evaluate((field) => field.isConnected)).toBe(true);
  await page.getByRole("button", { name: "Save" }).click();
  await expect(page.getByRole("button", { name: "Ann", exact: true })).toBeVisible();
  await answer(page, "Here.");
  expect(await agent.ended).toBe(0);
});

test("a failed run and a missing turn show their errors", async ({ page, start, accessible }) => {
  const agent = start("broken", "A sensor is gone", ["Read \u202eit"]);
  const address = await agent.session();
  await open(page, address);
  await introduce(page, "Ann");
  await choose(page, "measure");
  await page.locator("#send").click();
  expect(await agent.ended).toBe(1);
  const right = page.getByRole("region", { name: "Response" });
  await expect(right).toContainText("The run failed.");
  await expect(right).toContainText("no such sensor");
  const spoken = page.getByRole("list", { name: "Conversation" });
  await expect(spoken).toContainText("The run failed.");
  // A character that turns text around is written out.
  await expect(spoken).toContainText("Read \\u202eit");
  await accessible();
  for (const turn of ["936da01f-9abd-4d9d-80c7-02af85c822a8", "nonsense"]) {
    await open(page, `${address}/${turn}`);
    await expect(page.getByText(`This session has no turn ${turn}.`)).toBeVisible();
    await expect(page.getByText("The conversation cannot be shown")).toBeVisible();
    await expect(right.getByText("This request cannot be shown.")).toBeVisible();
  }
  await right.getByRole("link", { name: "Go to the session" }).click();
  await expect(page).toHaveURL(address);
});

test("a second window of the same person shows that the other one holds the lease", async ({ page, start }) => {
  const agent = start("alone", "Two windows");
  const address = await agent.session();
  await open(page, address);
  await introduce(page, "Ann");
  await page.getByRole("tab", { name: /Text/ }).click();
  await page.getByRole("textbox", { name: "Text", exact: true }).pressSequentially("No rain");
  const other = await page.context().newPage();
  await open(other, address);
  await expect(other.getByText("Ann holds the lease in another window.")).toBeVisible();
  await expect(other.locator("#send")).toHaveAttribute("aria-disabled", "true");
  await other.getByRole("button", { name: "Cancel request" }).click();
  await expect(other.getByRole("dialog")).toContainText("Ann holds the lease in another window.");
  await other.keyboard.press("Escape");
  // Each window keeps its own words, and a reload keeps the turn.
  await other.getByRole("tab", { name: /Text/ }).click();
  await other.getByRole("textbox", { name: "Text", exact: true }).fill("Perhaps");
  await page.reload();
  await expect(page.getByRole("textbox", { name: "Text", exact: true })).toHaveValue("No rain");
  await expect(page.locator("#send")).toHaveAttribute("aria-disabled", "false");
  await expect(page.getByText("in another window")).toHaveCount(0);
  await other.reload();
  await expect(other.getByRole("textbox", { name: "Text", exact: true })).toHaveValue("Perhaps");
  await expect(other.getByText("Ann holds the lease in another window.")).toBeVisible();
  await other.close();
  // A duplicate of the tab starts with the same storage and counts as another window.
  const opened = page.context().waitForEvent("page");
  await page.evaluate(() => void window.open(location.href));
  const copy = await opened;
  await expect(copy.getByText("Ann holds the lease in another window.")).toBeVisible();
  expect(await copy.evaluate(() => sessionStorage.getItem("rehearsal.tab"))).not.toBe(
    await page.evaluate(() => sessionStorage.getItem("rehearsal.tab")),
  );
  await copy.close();
  await expect(page.getByText("in another window")).toHaveCount(0);
  await page.locator("#send").click();
  expect(await agent.ended).toBe(0);
});

test("an unknown session shows an error, and an empty list shows how to connect", async ({ page, picture, accessible }) => {
  const fresh = await startHost({ config: MATH_ONLY });
  await open(page, `${fresh.url}/live`);
  await expect(page.getByRole("heading", { name: "No live sessions yet" })).toBeVisible();
  await expect(page.getByText("plugins=[RehearsalPlugin()]")).toBeVisible();
  await picture("empty");
  await accessible();
  await open(page, `${fresh.url}/live/936da01f-9abd-4d9d-80c7-02af85c822a8`);
  await expect(page.getByRole("alert")).toContainText("Live session 936da01f");
  await accessible();
  await open(page, `${fresh.url}/live/nonsense`);
  await expect(page.getByRole("alert")).toContainText("Live session nonsense was not found");
  await expect(page.getByRole("link", { name: "View live sessions" })).toBeInViewport({ ratio: 1 });
  // The palette leads to the list.
  await page.keyboard.press("Control+k");
  await page.keyboard.type("live");
  await page.keyboard.press("Enter");
  await expect(page).toHaveURL(`${fresh.url}/live`);
  expect(await fresh.stop()).toBe(0);
});

/** Runs `adk eval` on a copy of the scripted agent and reads its result: 1 is passed, 2 is failed. */
function adkEval(file: string) {
  const folder = mkdtempSync(join(tmpdir(), "rehearsal-eval-"));
  for (const name of ["live_weather", "scripted_weather"]) {
    cpSync(join(FIXTURES, name), join(folder, name), { recursive: true });
  }
  const agent = join(folder, "scripted_weather");
  const ran = spawnSync(
    python ?? "",
    ["-m", "google.adk.cli", "eval", agent, file, "--config_file_path", join(agent, "test_config.json")],
    {
      encoding: "utf8",
      stdio: ["ignore", "pipe", "pipe"],
      env: { ...process.env, PYTHONPATH: FIXTURES },
    },
  );
  const output = `${ran.stdout}\n${ran.stderr}`;
  const history = join(agent, ".adk/eval_history");
  expect(existsSync(history), `adk eval wrote no result:
${output}`).toBeTruthy();
  const [result] = readdirSync(history);
  let read = JSON.parse(readFileSync(join(history, result ?? ""), "utf8"));
  if (typeof read === "string") {
    read = JSON.parse(read);
  }
  const [one] = read.eval_case_results.slice(-1);
  const scores: Record<string, number> = {};
  for (const { metric_name, score, threshold } of one.overall_eval_metric_results) {
    if (threshold !== null) {
      scores[metric_name] = score;
    }
  }
  rmSync(folder, { recursive: true, force: true });
  return { status: one.final_eval_status as number, scores, output };
}
