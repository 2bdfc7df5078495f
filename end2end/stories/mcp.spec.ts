// Agents on MCP servers: the reference server over stdio and over HTTP with each of its tools, a
// server that is killed mid-call, one that cannot be started, and the two examples that ship.

import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import type { Page } from "@playwright/test";

import { overHttp, overStdio, type Everything, type Message } from "../mcp/everything";
import { Rehearsal } from "../rehearsal";
import { expect, open, startHost, startShapes, test, type Host } from "../fixtures";

/** Every tool that the server offers to a client that can do what the page can. */
const TOOLS = [
  "echo",
  "get-annotated-message",
  "get-env",
  "get-resource-links",
  "get-resource-reference",
  "get-roots-list",
  "get-structured-content",
  "get-sum",
  "get-tiny-image",
  "gzip-file-as-resource",
  "simulate-research-query",
  "toggle-simulated-logging",
  "toggle-subscriber-updates",
  "trigger-elicitation-request",
  "trigger-long-running-operation",
  "trigger-sampling-request",
  "trigger-url-elicitation",
];

function config(server: Everything): string {
  return `
[[agent]]
name = "Everything"
source = "mcp"
instruction = "Try every tool for {owner}."
state = { owner = "Ada" }

[[agent.server]]
name = "everything"
${server.table}`;
}

/** A host with the reference server, and a session on it. */
async function everything(page: Page, server: Everything): Promise<{ host: Host; rehearsal: Rehearsal }> {
  const host = await startHost({ config: config(server) });
  await open(page, `${host.url}/`);
  await expect(page.getByRole("link", { name: "Everything" })).toBeVisible({ timeout: 60_000 });
  const rehearsal = await Rehearsal.at(page, "everything", host.url);
  return { host, rehearsal };
}

/** Whether the process runs. A zombie process does not. */
function runs(pid: number): boolean {
  try {
    return !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, "utf8"));
  } catch {
    return false;
  }
}

const question = (page: Page) => page.locator("#question");

for (const [name, start] of [
  ["stdio", async () => overStdio()],
  ["HTTP", overHttp],
] as const) {
  test(`every tool of the reference server is used over ${name}`, async ({ page, picture, accessible }) => {
    const server = await start();
    const { host, rehearsal } = await everything(page, server);
    await rehearsal.ask("Try everything.");
    await expect(page.getByText("Try every tool for Ada.")).toBeVisible();
    const listed = page.getByRole("list", { name: "Tools" }).locator("b");
    await expect(listed).toHaveCount(TOOLS.length);
    expect((await listed.allTextContents()).sort()).toEqual(TOOLS);
    let calls = 0;
    const used = new Set<string>();
    /** Calls a tool and gives its line once it has ended. */
    const call = async (tool: string, fill: Record<string, string> = {}, during?: () => Promise<void>) => {
      used.add(tool);
      await rehearsal.choose(tool);
      for (const [field, value] of Object.entries(fill)) {
        await rehearsal.fill(field, value);
      }
      await rehearsal.run();
      await during?.();
      calls += 1;
      await expect(rehearsal.call(calls)).toBeVisible({ timeout: 60_000 });
      return rehearsal.call(calls);
    };

    await expect(await call("echo", { message: "hello" })).toContainText("Echo: hello");
    await expect(await call("get-sum", { a: "2", b: "40" })).toContainText("42");
    await expect(await call("get-env")).toContainText("PATH");
    await call("get-tiny-image");
    await rehearsal.call(calls).getByRole("button").first().click();
    await expect(rehearsal.call(calls).getByRole("img").first()).toBeVisible();
    await picture(`image-${name}`);
    await rehearsal.choose("get-annotated-message");
    await page.locator("form").getByLabel(/^messageType/).first().selectOption("success").catch(async () => {
      await page.getByRole("radio", { name: "success" }).check();
    });
    await rehearsal.run();
    calls += 1;
    used.add("get-annotated-message");
    await expect(rehearsal.call(calls)).toContainText("Operation completed successfully");
    await expect(await call("get-resource-links")).toContainText("Here are 3 resource links");
    await call("get-resource-reference");
    await rehearsal.call(calls).getByRole("button").first().click();
    await expect(rehearsal.call(calls)).toContainText("demo://resource");
    await rehearsal.call(calls).getByRole("button").first().click();
    await rehearsal.choose("get-structured-content");
    await page.locator("form").getByLabel(/^location/).first().selectOption("Chicago").catch(async () => {
      await page.getByRole("radio", { name: "Chicago" }).check();
    });
    await rehearsal.run();
    calls += 1;
    used.add("get-structured-content");
    await expect(rehearsal.call(calls)).toContainText("temperature");
    await expect(await call("gzip-file-as-resource", { data: "data:text/plain,hello" })).toContainText("README.md.gz");
    await expect(await call("get-roots-list")).toContainText("file://");
    await call("toggle-subscriber-updates");
    await call("toggle-subscriber-updates");

    // Log messages come on their own time, into the log panel.
    await call("toggle-simulated-logging");
    await page.getByRole("button", { name: /^Log/ }).click();
    await expect(page.getByRole("region", { name: "Log" })).toContainText(/\[everything\] \w+ .*level/i, { timeout: 60_000 });
    await call("toggle-simulated-logging");
    await page.getByRole("button", { name: /^Log/ }).click();

    // Progress draws a bar while the tool runs; the server wrote it.
    await call("trigger-long-running-operation", { duration: "1", steps: "4" }, async () => {
      await expect(page.getByRole("progressbar", { name: "Progress of the call" })).toBeVisible();
      await picture(`progress-${name}`);
    });
    const progress = server.wrote().filter((message) => message.method === "notifications/progress");
    expect(progress.length).toBeGreaterThanOrEqual(3);

    // A cancel is sent.
    await call("trigger-long-running-operation", { duration: "60", steps: "60" }, async () => {
      await expect(page.getByRole("progressbar", { name: "Progress of the call" })).toBeVisible();
      await page.getByRole("button", { name: /^Cancel/ }).click();
    });
    await expect(rehearsal.call(calls)).toContainText("Cancelled");
    await expect
      .poll(() => server.read().filter((message) => message.method === "notifications/cancelled").length)
      .toBe(1);

    // The server asks with a form; what does not fit is not sent.
    const asked = await call("trigger-elicitation-request", {}, async () => {
      await expect(question(page)).toBeVisible();
      await picture(`elicitation-${name}`);
      await accessible();
      await question(page).getByRole("button", { name: "Send answer" }).click();
      await expect(question(page)).toContainText(/Required/i);
      await question(page).getByRole("textbox", { name: /name/i }).first().fill("Ada Lovelace");
      await page.keyboard.press("Control+Enter");
      await expect(question(page)).toBeHidden();
    });
    await expect(asked).toContainText("User provided the requested information");
    const answered = server.read().filter((message) => message.result?.action === "accept");
    expect(answered.at(-1)?.result?.content).toMatchObject({
      name: "Ada Lovelace",
      // The schema's defaults.
      integer: 42,
      untitledSingleSelectEnum: "Monica",
    });
    await expect(
      await call("trigger-elicitation-request", {}, async () => {
        await question(page).getByRole("button", { name: "Decline" }).click();
      }),
    ).toContainText("declined");

    // An address is shown, not opened.
    await call("trigger-url-elicitation", { url: "http://127.0.0.1:9/sign-in" }, async () => {
      await expect(question(page).getByRole("link", { name: "http://127.0.0.1:9/sign-in" })).toBeVisible();
      await picture(`address-${name}`);
      await question(page).getByRole("button", { name: "Done" }).click();
    });
    expect(page.context().pages()).toHaveLength(1);

    // The person answers as the model.
    const sampled = await call("trigger-sampling-request", { prompt: "Who are you?" }, async () => {
      await expect(question(page)).toContainText("Who are you?");
      await picture(`sampling-${name}`);
      await accessible();
      await question(page).getByRole("textbox", { name: "Model response" }).fill("A person, 4711.");
      await page.keyboard.press("Control+Enter");
    });
    await sampled.getByRole("button").first().click();
    await expect(sampled).toContainText("A person, 4711.");
    const samples = server.read().filter((message) => message.result?.model === "rehearsal-person");
    expect(samples).toHaveLength(1);

    // A tool that runs as a task only: its progress is shown, and its question is asked.
    const researched = await call("simulate-research-query", { topic: "python" }, async () => {
      await expect(page.locator(".pending")).toContainText(/(Gathering sources|Analyzing content|Synthesizing findings|Generating report)\.\.\./);
      await picture(`task-${name}`);
    });
    await expect(researched).toContainText("Research Report: python");
    const asksForTask = (message: Message) => message.method === "tools/call" && "task" in (message.params ?? {});
    expect(server.read().filter(asksForTask)).toHaveLength(1);
    await rehearsal.choose("simulate-research-query");
    await rehearsal.fill("topic", "python");
    const ambiguous = page.locator("form").getByRole("radiogroup", { name: /^ambiguous/ });
    await ambiguous.getByRole("radio", { name: "true" }).check();
    await rehearsal.run();
    await expect(question(page)).toContainText("multiple interpretations");
    await picture(`task-asks-${name}`);
    await question(page).getByRole("combobox").selectOption({ label: "Monty Python comedy group" });
    await question(page).getByRole("button", { name: "Send answer" }).click();
    calls += 1;
    await expect(rehearsal.call(calls)).toContainText("Research Report: python (comedy)", { timeout: 60_000 });
    // A canceled task is stopped on the server, and its question disappears.
    await call("simulate-research-query", { topic: "tides" }, async () => {
      await expect(page.locator(".pending")).toContainText(/(Gathering sources|Analyzing content|Synthesizing findings|Generating report)\.\.\./);
      await page.getByRole("button", { name: /^Cancel Esc/ }).click();
    });
    await expect(rehearsal.call(calls)).toContainText("Cancelled");
    expect(server.read().filter((message) => message.method === "tasks/cancel")).toHaveLength(1);
    await picture(`history-${name}`);
    expect([...used].sort()).toEqual(TOOLS);

    await rehearsal.answer("All tried.");
    const file = await rehearsal.export();
    const set = JSON.parse(readFileSync(file, "utf8"));
    expect(set.eval_cases[0].conversation[0].intermediate_data.tool_uses).toHaveLength(calls);
    await page.close();
    expect(await host.stop()).toBe(0);
    await server.stop();
  });
}

test("a server killed mid-call fails its call, and the next one starts it again", async ({ page, picture }) => {
  const server = overStdio();
  const { host, rehearsal } = await everything(page, server);
  await rehearsal.ask("Survive.");
  await rehearsal.choose("trigger-long-running-operation");
  await rehearsal.fill("duration", "60");
  await rehearsal.run();
  await expect(page.getByRole("progressbar", { name: "Progress of the call" })).toBeVisible({ timeout: 60_000 });
  process.kill(server.pid(), "SIGKILL");
  await expect(rehearsal.call(1)).toContainText("ServerExited");
  await picture("killed");
  await rehearsal.choose("echo");
  await rehearsal.fill("message", "back again");
  await rehearsal.run();
  await expect(rehearsal.call(2)).toContainText("Echo: back again", { timeout: 60_000 });
  await page.close();
  expect(await host.stop()).toBe(0);
  expect(runs(server.pid()), "the server outlived the host").toBe(false);
});

/** A host with an agent on a server whose tools change while it runs. */
function changing(): Promise<Host> {
  const program = join(import.meta.dirname, "..", "mcp", "changing.mjs");
  return startHost({
    config: `
[[agent]]
name = "Changing"
source = "mcp"
instruction = "Grow."
[[agent.server]]
name = "changing"
command = "node"
args = [${JSON.stringify(program)}]
`,
  });
}

test("a reload starts the server again, and its new tools are shown", async ({ page, picture, accessible }) => {
  const folder = mkdtempSync(join(tmpdir(), "rehearsal-listed-"));
  const names = join(folder, "tools.txt");
  writeFileSync(names, "look\n");
  const host = await startHost({
    folder,
    config: `
[[agent]]
name = "Listed"
source = "mcp"
instruction = "Tidy up."
[[agent.server]]
name = "listed"
command = "node"
args = [${JSON.stringify(join(import.meta.dirname, "..", "mcp", "listed.mjs"))}, ${JSON.stringify(names)}]
`,
  });
  await Rehearsal.at(page, "listed", host.url);
  await expect(page.getByText("Look before you remove.")).toBeVisible();
  const described = page.getByText(/A tool of process \d+\./).filter({ visible: true }).first();
  await expect(described).toBeVisible();
  const before = await described.innerText();
  await picture("server-instructions");
  await accessible();
  writeFileSync(names, "look\nremove\n");
  await page.locator(".page-head").getByRole("button", { name: "Reload" }).click();
  await expect(page.getByText("remove", { exact: true }).filter({ visible: true }).first()).toBeVisible({ timeout: 60_000 });
  expect(await described.innerText(), "it is another process").not.toBe(before);
  expect(await host.stop()).toBe(0);
  rmSync(folder, { recursive: true });
});

test("a tool whose arguments change meanwhile keeps what was entered", async ({ page, picture, accessible }) => {
  const host = await changing();
  const rehearsal = await Rehearsal.at(page, "changing", host.url);
  await rehearsal.ask("Plan a trip.");
  await rehearsal.choose("later");
  await rehearsal.run();
  await rehearsal.choose("trip");
  await rehearsal.fill("note", "keep me");
  await rehearsal.fill("days", "3");
  await rehearsal.fill("city", "Rome");
  await page.getByRole("textbox", { name: /^city/ }).focus();
  await expect(page.locator(".notice").filter({ hasText: "changed trip" })).toBeVisible();
  const city = page.getByRole("textbox", { name: /^city/ });
  await expect(city).toHaveValue("Rome");
  // Continued typing does not enter another argument or trigger a shortcut.
  await page.keyboard.type("that fits, h/!");
  await expect(page.locator(".panel-preview")).toContainText('"note":"keep me"');
  await expect(page.locator(".panel-preview")).toContainText('"days":3');
  await expect(page.locator(".panel-preview")).toContainText('"city":"Rome"');
  await expect(page.locator(".panel-preview")).not.toContainText("fits");
  await expect(page.getByRole("tab", { name: /^Call a tool/ })).toHaveAttribute("aria-selected", "true");
  await expect(page.locator(".columns > section.right")).toBeFocused();
  // With the next key that leads somewhere they are again.
  await page.keyboard.press("Escape");
  await page.keyboard.press("f");
  await expect(page.getByRole("tab", { name: /^Final response/ })).toHaveAttribute("aria-selected", "true");
  await picture("kept");
  await accessible();
  await page.close();
  expect(await host.stop()).toBe(0);
});

test("a changed catalog shows what changed", async ({ page, picture, accessible }) => {
  const host = await changing();
  const rehearsal = await Rehearsal.at(page, "changing", host.url);
  await rehearsal.ask("Grow.");
  await rehearsal.choose("grow");
  await rehearsal.run();
  const notice = page.locator(".notice").filter({ hasText: "The tools changed" });
  await expect(notice).toContainText("added grown");
  await expect(notice).toContainText("changed grow");
  await picture("changed");
  await accessible();
  await rehearsal.choose("grown");
  await rehearsal.run();
  await expect(rehearsal.call(2)).toContainText("I am new.");
  // A destructive tool asks for confirmation.
  await rehearsal.choose("shrink");
  await expect(page.getByText("destructive", { exact: true })).toBeVisible();
  await rehearsal.run();
  await page.getByRole("button", { name: /^Confirm/ }).click();
  await expect(notice).toContainText("removed grown");
  await expect(page.locator("#tools").getByText("grown", { exact: true })).toHaveCount(0);
  await page.close();
  expect(await host.stop()).toBe(0);
});

test("a tool nested too deep is listed with the reason, and the others stay", async ({ page, picture, accessible }) => {
  const host = await startShapes();
  const rehearsal = await Rehearsal.at(page, "shapes", host.url);
  await rehearsal.ask("Go deep.");
  await rehearsal.choose("echo");
  // What marks a description in markdown is drawn and not shown.
  await expect(page.locator(".tool-description strong")).toHaveText("what");
  await rehearsal.choose("deep");
  await expect(page.locator(".tool-description")).toContainText("nested 303 levels deep");
  await picture("deep");
  await accessible();
  await rehearsal.run();
  await expect(rehearsal.call(1)).toContainText("cannot be called");
  // A response that is nested too deep fails its call.
  await rehearsal.choose("bottomless");
  await rehearsal.run();
  await expect(rehearsal.call(2)).toContainText("nested deeper than 127 levels");
  await page.close();
  expect(await host.stop()).toBe(0);
});

test("an unchecked part of a schema is listed, and a long question leaves its form in sight", async ({ page, picture, accessible }) => {
  const host = await startShapes();
  const rehearsal = await Rehearsal.at(page, "shapes", host.url);
  await page.getByText(/^\d+ warnings$/).click();
  const warnings = page.getByRole("list", { name: "Warnings" });
  await expect(warnings.first()).toContainText("The input schema of broken: The schema at /properties/label is not checked");
  await rehearsal.ask("Ask me.");
  const line = (tool: string) => page.getByRole("list", { name: "Tools" }).getByRole("button").filter({ has: page.getByText(tool, { exact: true }) });
  await expect(line("pay")).toContainText("3 arguments");
  await rehearsal.choose("ask");
  await rehearsal.run();
  await expect(question(page)).toBeVisible();
  const send = question(page).getByRole("button", { name: "Send answer" });
  await expect(send).toBeInViewport();
  const code = question(page).getByRole("textbox", { name: /^code/ });
  await expect(code).toBeInViewport();
  await expect(question(page).getByRole("list", { name: "Warnings" })).toContainText("/properties/label is not checked");
  await picture("long-question");
  await accessible();
  // The server's pattern is checked, although the MCP library drops it.
  await code.fill("abc");
  await send.click();
  await expect(question(page)).toContainText("pattern");
  await code.fill("ABC");
  await send.click();
  await expect(rehearsal.call(1)).toContainText("ABC");
  await page.close();
  expect(await host.stop()).toBe(0);
});

test("images and audio in resources are shown, and a very large image is shown on request", async ({ page, picture, accessible }) => {
  const host = await startShapes();
  const rehearsal = await Rehearsal.at(page, "shapes", host.url);
  await rehearsal.ask("Show me.");
  await rehearsal.choose("gallery");
  // There is nothing to fill in: Enter calls it.
  await expect(page.getByRole("button", { name: /^Run/ })).toBeFocused();
  await page.keyboard.press("Enter");
  const call = rehearsal.call(1);
  await call.getByRole("button").first().click();
  const resource = (uri: string) => call.locator("div.resource").filter({ has: page.getByText(uri, { exact: true }) });
  const pixel = resource("art://pixel").getByRole("img");
  await expect(pixel).toBeVisible();
  await expect(pixel).toHaveAttribute("src", /^data:image\/png;base64,/);
  // One that would unpack into gigabytes is shown on request.
  await expect(resource("art://poster")).toContainText("Decoded, it takes");
  await expect(resource("art://poster").getByRole("img")).toHaveCount(0);
  await expect(resource("art://poster").getByRole("button", { name: "Show image" })).toBeVisible();
  const sound = resource("art://silence").locator("audio");
  await expect(sound).toHaveAttribute("src", /^data:audio\/wav;base64,/);
  await expect.poll(() => sound.evaluate((audio: HTMLAudioElement) => audio.duration)).toBeCloseTo(0.1, 2);
  // A damaged one is drawn on request, and then has a message.
  await expect(resource("art://torn")).toContainText("It is damaged");
  await resource("art://torn").getByRole("button", { name: "Show image" }).click();
  await expect(resource("art://torn")).toContainText("The browser cannot show this image");
  await expect(resource("art://torn").getByRole("img")).toHaveCount(0);
  await expect(resource("art://noise")).toContainText("The browser cannot play this audio");
  await picture("resources");
  await accessible();
  await page.close();
  expect(await host.stop()).toBe(0);
});

test("structured content that violates its schema is kept and marked", async ({ page, picture, accessible }) => {
  const host = await startShapes();
  const rehearsal = await Rehearsal.at(page, "shapes", host.url);
  await rehearsal.ask("Weigh it.");
  await rehearsal.choose("weigh");
  const fits = page.locator("form").getByRole("radiogroup", { name: /^fits/ });
  await fits.getByRole("radio", { name: "true" }).check();
  await rehearsal.run();
  const notice = (call: number) => rehearsal.call(call).getByRole("note");
  await rehearsal.call(1).getByRole("button").first().click();
  await expect(rehearsal.call(1)).toContainText("12.5");
  await expect(notice(1)).toHaveCount(0);
  await fits.getByRole("radio", { name: "false" }).check();
  await rehearsal.run();
  await rehearsal.call(2).getByRole("button").first().click();
  await expect(notice(2)).toContainText("violates the tool's output schema");
  await expect(notice(2)).toContainText("/grams");
  await expect(notice(2)).toContainText("/unit");
  await expect(rehearsal.call(2)).toContainText("stone");
  await picture("schema-violation");
  await accessible();
  // Only the page marks it: the case contains the unchanged result.
  await rehearsal.answer("It weighs.");
  const set = readFileSync(await rehearsal.export(), "utf8");
  expect(set).toContain("stone");
  expect(set).not.toContain("promise");
  await page.close();
  expect(await host.stop()).toBe(0);
});

test("a server that cannot be started does not affect the others", async ({ page, picture, accessible }) => {
  const host = await startHost({
    config: `
[[agent]]
name = "Missing"
source = "mcp"
instruction = "x"
[[agent.server]]
name = "missing"
command = "no-such-mcp-server"

[[agent]]
name = "Talker"
source = "mcp"
instruction = "x"
[[agent.server]]
name = "talker"
command = "sh"
args = ["-c", "echo Listening on port 3000; echo started >&2; sleep 60"]
timeout_seconds = 2

[[agent]]
name = "Maths"
source = "native"
example = "math"
`,
  });
  await open(page, `${host.url}/`);
  const missing = page.getByRole("article").filter({ hasText: "Missing" });
  await expect(missing).toContainText("there is no program no-such-mcp-server", { timeout: 60_000 });
  const talker = page.getByRole("article").filter({ hasText: "Talker" });
  await expect(talker).toContainText("wrote a line that is not an MCP message: Listening on port 3000", { timeout: 60_000 });
  await expect(talker.getByRole("button", { name: /Retry/ })).toBeVisible();
  await expect(page.getByRole("link", { name: "Maths" })).toBeVisible();
  await picture("faults");
  await accessible();
  await page.close();
  expect(await host.stop()).toBe(0);
});

test("the example on files reads a note and asks before it overwrites one", async ({ page, host, picture }) => {
  void host;
  const rehearsal = await Rehearsal.at(page, "files");
  await rehearsal.ask("What do I need to buy?");
  await rehearsal.choose("list_allowed_directories");
  await rehearsal.run();
  await expect(rehearsal.call(1)).toContainText("notes");
  await picture("files");
  await rehearsal.choose("write_file");
  await rehearsal.fill("path", "/etc/passwd");
  await rehearsal.fill("content", "x");
  await rehearsal.run();
  await expect(page.getByRole("group", { name: "Confirmation" })).toContainText("destructive");
  await page.getByRole("button", { name: /^Confirm/ }).click();
  await expect(rehearsal.call(2)).toContainText("ToolError");
  await expect(rehearsal.call(2)).toContainText("outside allowed directories");
});

test("the example clock converts a time", async ({ page, host }) => {
  test.skip(!process.env.REHEARSAL_TEST_PYTHON, "SKIPPED, NOT PASSED: REHEARSAL_TEST_PYTHON is not set");
  void host;
  const rehearsal = await Rehearsal.at(page, "world-clock");
  await rehearsal.ask("09:00 in Lisbon is what in Tokyo?");
  await rehearsal.choose("convert_time");
  await rehearsal.fill("source_timezone", "Europe/Lisbon");
  await rehearsal.fill("time", "09:00");
  await rehearsal.fill("target_timezone", "Asia/Tokyo");
  await rehearsal.run();
  await expect(rehearsal.call(1)).toContainText("Asia/Tokyo");
  await rehearsal.call(1).getByRole("button").first().click();
  await expect(rehearsal.call(1)).toContainText("time_difference");
});
