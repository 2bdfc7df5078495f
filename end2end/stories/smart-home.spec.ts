// The Python example on a real google-adk: its real tools, a worker that dies, and `adk eval` on
// what was exported.
//
// Needs REHEARSAL_TEST_PYTHON, which `cargo xtask test` sets.

import { execFileSync, spawnSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";

import { Rehearsal, unfoldTools } from "../rehearsal";
import { expect, type Host, startHost, test as base } from "../fixtures";

const ROOT = resolve(import.meta.dirname, "../..");
const EXAMPLE = join(ROOT, "examples/smart_home/smart_home");
const python = process.env.REHEARSAL_TEST_PYTHON;

interface Home {
  host: Host;
  journal: string;
}

const test = base.extend<{ home: Home }>({
  home: async ({}, use) => {
    const folder = mkdtempSync(join(tmpdir(), "rehearsal-home-"));
    cpSync(EXAMPLE, join(folder, "smart_home"), { recursive: true });
    const journal = join(folder, "journal.jsonl");
    const host = await startHost({
      arguments: [join(folder, "smart_home")],
      environment: { SMART_HOME_JOURNAL: journal },
    });
    await use({ host, journal });
    expect(await host.stop()).toBe(0);
    rmSync(folder, { recursive: true, force: true });
  },
  baseURL: async ({ home }, use) => use(home.host.url),
});

test.skip(!python, "SKIPPED, NOT PASSED: REHEARSAL_TEST_PYTHON is not set; cargo xtask test sets it");

function workers(host: Host): number[] {
  const listed = execFileSync("ps", ["-o", "pid=", "--ppid", String(host.pid)], { encoding: "utf8" });
  return listed.split("\n").map(Number).filter((pid) => pid > 0);
}

/** Waits until the file `go` is beside it. */
const LATE = `
import pathlib, time

from google.adk.agents import LlmAgent

while not pathlib.Path(__file__).with_name("go").exists():
    time.sleep(0.05)
root_agent = LlmAgent(name="late", model="gemini-2.5-flash", instruction="Be brief.")
`;

test("no message can be sent to an agent that has not started", async ({ page }) => {
  const folder = mkdtempSync(join(tmpdir(), "rehearsal-late-"));
  mkdirSync(join(folder, "late"));
  writeFileSync(join(folder, "late", "agent.py"), LATE);
  const host = await startHost({ arguments: [join(folder, "late")] });
  await page.goto(`${host.url}/rehearse/late`);
  await expect(page.getByText("Starting the agent…")).toBeVisible();
  const start = page.getByRole("button", { name: /Start session/ });
  await expect(start).toHaveAttribute("aria-disabled", "true");
  // It is not disabled for the browser, so that it keeps the focus.
  await start.click({ force: true });
  await page.keyboard.press("Control+Enter");
  writeFileSync(join(folder, "late", "go"), "");
  await expect(page.getByRole("textbox", { name: "User message" })).toBeVisible({ timeout: 60_000 });
  await expect(page.getByRole("heading", { name: "User message" })).toBeVisible();
  await page.close();
  expect(await host.stop()).toBe(0);
  rmSync(folder, { recursive: true });
});

test("the model's input is on the page", async ({ page, picture, accessible }) => {
  const rehearsal = await Rehearsal.at(page, "smart_home");
  await rehearsal.ask("Make the office comfortable for tonight.");
  await expect(page.getByText("You run the smart home of")).toBeVisible();
  // None of the instruction's placeholders has a value yet.
  await expect(page.locator(".filled-in.nothing")).toHaveCount(3);
  const tools = page.getByRole("list", { name: "Tools" });
  await expect(tools.getByText("transfer_to_agent", { exact: true })).toBeVisible();
  await rehearsal.choose("set_temperature");
  await picture("set-temperature");
  // What the palette chooses is in sight, whatever the catalog was filtered by.
  await page.getByRole("searchbox", { name: "Filter tools" }).fill("temperature");
  await page.keyboard.press("ControlOrMeta+k");
  await page.keyboard.type("transfer_to_agent");
  await page.keyboard.press("Enter");
  await expect(page.getByRole("heading", { name: "transfer_to_agent", exact: true })).toBeVisible();
  await unfoldTools(page);
  await expect(tools.getByText("transfer_to_agent", { exact: true })).toBeInViewport({ ratio: 1 });
  await rehearsal.choose("set_temperature");
  await accessible();
});

test("a worker that is killed during a call fails that call, and the session continues", async ({ page, home, picture }) => {
  const rehearsal = await Rehearsal.at(page, "smart_home");
  await rehearsal.ask("Remember that I get up at six.");
  await rehearsal.choose("remember_preference");
  await rehearsal.fill("name", "wake_up_time");
  await rehearsal.fill("value", "06:00");
  await rehearsal.run();
  await expect(rehearsal.call(1)).toHaveClass(/returned/);
  await rehearsal.choose("calibrate_heating");
  await rehearsal.fill("seconds", "30");
  await rehearsal.run();
  await expect(page.getByRole("timer")).toBeVisible();
  for (const pid of workers(home.host)) {
    process.kill(pid, "SIGKILL");
  }
  await expect(rehearsal.call(2)).toHaveClass(/failed/);
  await expect(rehearsal.call(2)).toContainText("WorkerExited");
  await expect(rehearsal.call(2)).not.toContainText("would end the run");
  await picture("worker-killed");
  await rehearsal.choose("recall_preferences");
  await rehearsal.run();
  await expect(rehearsal.call(3)).toContainText("06:00", { timeout: 60_000 });
  await expect(page.locator(".timeline .restart")).toContainText("continued the session");
  await page.getByRole("button", { name: "Log", exact: true }).click();
  await expect(page.locator(".log .by-host")).toContainText(/smart_home \(process \d+\) ended with signal 9/);
  await picture("log-of-two-workers");
  await rehearsal.answer("At six.");
  const panel = page.getByRole("region", { name: "Export" });
  await expect(panel).toContainText("restarted during the session");
  await expect(panel.getByRole("group", { name: "Interrupted calls" })).toBeVisible();
  await picture("export-after-a-restart");
});

test("a tool asks for confirmation, and a long-running one waits for its result", async ({ page, picture, accessible }) => {
  const rehearsal = await Rehearsal.at(page, "smart_home");
  await rehearsal.ask("Pay the plumber and order a valve.");
  await rehearsal.choose("pay_bill");
  await rehearsal.fill("amount", "250");
  await rehearsal.run();
  const question = page.getByRole("group", { name: "Confirmation", exact: true });
  await expect(question).toContainText("Pay 250.00 euros?");
  await picture("confirmation");
  await accessible();
  await question.getByRole("button", { name: /^Confirm/ }).click();
  await expect(rehearsal.call(1)).toContainText("paid");
  await rehearsal.run();
  await question.getByRole("button", { name: /^Deny/ }).click();
  await expect(rehearsal.call(2)).toContainText("ConfirmationDenied");
  await rehearsal.choose("order_part");
  await rehearsal.fill("part", "valve");
  await rehearsal.run();
  await expect(page.locator(".wanted")).toContainText("valve-1");
  await picture("long-running");
  await accessible();
  // Escape leaves the field first: typed text is not lost with the call.
  const result = page.locator(".wanted textarea");
  // What is typed at once is the result, in the place of what the tool returned at first.
  await expect(result).toBeFocused();
  await page.keyboard.type("[1, 2, 3]");
  await expect(result).toHaveValue("[1, 2, 3]");
  await page.keyboard.press("Escape");
  await expect(result).not.toBeFocused();
  await expect(result).toHaveValue("[1, 2, 3]");
  // Whichever kind of result is chosen, what is typed next is the result. A reload keeps the kind, with nothing typed.
  await page.getByRole("button", { name: "Enter text" }).click();
  const text = page.getByRole("textbox", { name: "Result as text" });
  await expect(text).toBeFocused();
  await page.reload();
  await expect(text).toHaveValue("");
  await expect(text).toBeFocused();
  await page.keyboard.type("two tins of tea");
  await expect(text).toHaveValue("two tins of tea");
  await page.getByRole("button", { name: "Enter JSON" }).click();
  await expect(result).toBeFocused();
  await expect(result).toHaveValue(/^\[1, ?2, ?3\]$/);
  await page.locator(".wanted").getByRole("button", { name: "JSON", exact: true }).click();
  await expect(result).toBeFocused();
  // Escape leaves, from other fields too, and does not cancel what waits for the person: a letter leads back.
  await page.keyboard.press("Escape");
  await page.keyboard.press("Escape");
  await rehearsal.field("part").focus();
  await page.keyboard.press("Escape");
  await page.keyboard.press("r");
  await expect(result).toBeFocused();
  await expect(result).toHaveValue(/^\[1, ?2, ?3\]$/);
  // In the form, what is typed goes into its first field, and does not choose another kind of value. That is also where
  // a letter leads back to.
  await page.locator(".wanted").getByRole("button", { name: "Form", exact: true }).click();
  const kind = page.locator(".wanted").getByRole("combobox", { name: "Kind of value" }).first();
  const list = await kind.inputValue();
  const item = page.locator(".wanted").getByRole("textbox").first();
  await expect(item).toBeFocused();
  await page.keyboard.type("4");
  await expect(item).toHaveValue(/4/);
  await expect(kind).toHaveValue(list);
  await page.keyboard.press("Escape");
  await expect(item).not.toBeFocused();
  await page.keyboard.press("r");
  await expect(item).toBeFocused();
  await page.locator(".row.pending").getByRole("button", { name: "Cancel", exact: true }).click();
  await expect(rehearsal.call(3)).toContainText("Cancelled: The person canceled the call.");
});

test("an ADK tool with a confirmation is denied and confirmed by a key", async ({ page, picture }) => {
  const rehearsal = await Rehearsal.at(page, "smart_home");
  await rehearsal.ask("Let the neighbour in.");
  await rehearsal.choose("unlock_door");
  await page.getByRole("radio", { name: "front" }).or(page.getByRole("combobox", { name: /^door/ })).first().focus();
  await page.keyboard.press("f");
  await rehearsal.run();
  const question = page.getByRole("group", { name: "Confirmation", exact: true });
  await expect(question).toContainText("The tool requires confirmation.");
  await expect(question).toBeFocused();
  await picture("unlock");
  await page.keyboard.press("n");
  await expect(rehearsal.call(1)).toContainText("ConfirmationDenied");
  await rehearsal.run();
  await expect(question).toBeFocused();
  await page.keyboard.press("y");
  await expect(rehearsal.call(2)).toHaveClass(/returned/);
});

test("two tabs share a worker: one cancels a blocking tool, the other's call continues", async ({ page, context, home }) => {
  const first = await Rehearsal.at(page, "smart_home");
  await first.ask("Calibrate the heating.");
  const second = await Rehearsal.at(await context.newPage(), "smart_home");
  await second.ask("Calibrate the other heating.");
  const before = workers(home.host);
  expect(before).toHaveLength(1);
  for (const [rehearsal, seconds] of [[first, "60"], [second, "6"]] as const) {
    await rehearsal.choose("calibrate_heating");
    await rehearsal.fill("seconds", seconds);
    await rehearsal.run();
    await expect(rehearsal.page.getByRole("timer")).toBeVisible();
  }
  const asked = Date.now();
  await first.page.getByRole("button", { name: /^Cancel/ }).click();
  await expect(first.call(1)).toHaveClass(/cancelled/);
  // The person waited this long; the bound itself is in docs/performance.md.
  console.log(`cancelled after ${Date.now() - asked} ms`);
  await expect(second.page.getByRole("timer")).toBeVisible();
  // The next call gets a working worker, and the first tab keeps its history.
  await first.choose("remember_preference");
  await first.fill("name", "heating");
  await first.fill("value", "later");
  await first.run();
  await expect(first.call(2)).toHaveClass(/returned/, { timeout: 60_000 });
  await expect(second.call(1)).toHaveClass(/returned/, { timeout: 60_000 });
  await second.choose("recall_preferences");
  await second.run();
  await expect(second.call(2)).toHaveClass(/returned/, { timeout: 60_000 });
  await expect(second.call(2)).not.toContainText("later");

  // A model cannot cancel a call, so the export offers to leave it out.
  await first.answer("It was canceled.");
  const panel = first.page.getByRole("region", { name: "Export" });
  const choice = panel.getByRole("group", { name: "Canceled calls" });
  await choice.getByRole("button", { name: "Leave out" }).click();
  await expect(choice.getByRole("button", { name: "Leave out" })).toHaveAttribute("aria-pressed", "true");
  const exported = JSON.parse(readFileSync(await first.export(), "utf8")).eval_cases.at(-1);
  const calls = exported.conversation[0].intermediate_data.tool_uses.map((it: { name: string }) => it.name);
  expect(calls).toEqual(["remember_preference"]);
});

test("a failed tool shows its traceback on request", async ({ page, picture }) => {
  const rehearsal = await Rehearsal.at(page, "smart_home");
  await rehearsal.ask("Open the garage.");
  await rehearsal.choose("transfer_to_agent");
  // There is only one agent to transfer to, so that nothing has to be chosen.
  await expect(page.locator("#tool-form")).toContainText("garage_agent");
  const filter = page.getByRole("searchbox", { name: "Filter tools" });
  await filter.fill("transfer");
  await rehearsal.run();
  await expect(rehearsal.call(1)).toHaveClass(/returned/);
  // The page names the active agent, and the filter for the first agent hides no tool of this one.
  await expect(page.locator(".page-head")).toContainText("→ garage_agent");
  await expect(filter).toHaveValue("");
  await rehearsal.choose("open_garage");
  await rehearsal.fill("code", "4417");
  await rehearsal.run();
  await expect(rehearsal.call(2)).toContainText("PermissionError: The garage refused the code 4417.");
  await rehearsal.call(2).getByRole("button").first().click();
  await page.getByRole("button", { name: "Show the traceback" }).click();
  await expect(page.getByText("raise PermissionError")).toBeVisible();
  await picture("traceback");
});

test("adk eval passes the exported case, and fails it once an argument is changed", async ({ page, home, picture }) => {
  // The script in place of a model was fixed before this rehearsal; a nonce shows that the
  // real tool ran, for the script's entry is what the person types.
  const nonce = `nonce ${crypto.randomUUID()}`;
  const folder = dirname(home.journal);
  const eval_agent = join(folder, "tests/fixtures/adk/scripted_home");
  cpSync(join(ROOT, "tests/fixtures/adk/scripted_home"), eval_agent, { recursive: true });
  cpSync(join(ROOT, "examples"), join(folder, "examples"), { recursive: true });
  const script = join(eval_agent, "script.json");
  writeFileSync(script, readFileSync(script, "utf8").replace("The office is warm.", nonce));

  const rehearsal = await Rehearsal.at(page, "smart_home");
  await rehearsal.ask("Make the office comfortable for tonight.");
  await rehearsal.choose("list_rooms");
  await rehearsal.run();
  await expect(rehearsal.call(1)).toContainText("office");
  await rehearsal.choose("set_temperature");
  await page.locator("form select").first().selectOption({ label: "office" });
  await rehearsal.fill("degrees", "21");
  const tags = page.getByRole("textbox", { name: /^tags\b|tag/i }).first();
  if ((await tags.count()) === 0) {
    await page.getByRole("button", { name: /add/i }).last().click();
  }
  await tags.fill("tonight");
  await rehearsal.run();
  await expect(rehearsal.call(2)).toContainText("tonight");
  await rehearsal.choose("write_journal");
  await rehearsal.fill("entry", nonce);
  await page.locator("form select").last().selectOption({ label: "good" });
  await rehearsal.run();
  await expect(rehearsal.call(3)).toHaveClass(/returned/);
  expect(readFileSync(home.journal, "utf8")).toContain(nonce);
  await rehearsal.answer("The office will be at 21 degrees tonight.");
  const path = await rehearsal.export();
  await picture("exported");

  const passed = adkEval(eval_agent, path);
  expect(passed.status, passed.output).toBe(1);
  expect(passed.scores).toEqual({ tool_trajectory_avg_score: 1, response_match_score: 1 });

  const changed = join(folder, "changed.evalset.json");
  const text = readFileSync(path, "utf8");
  expect(text).toMatch(/"degrees": 21(\.0)?\b/);
  writeFileSync(changed, text.replace(/"degrees": 21(\.0)?\b/, '"degrees": 22'));
  const failed = adkEval(eval_agent, changed);
  expect(failed.status, failed.output).toBe(2);
  expect(failed.scores["tool_trajectory_avg_score"]).toBe(0);
});

/** Runs `adk eval` and reads its result file: 1 is passed, 2 is failed. */
function adkEval(agent: string, file: string) {
  const history = join(agent, ".adk/eval_history");
  rmSync(history, { recursive: true, force: true });
  const adk = join(dirname(python ?? ""), "adk");
  const ran = spawnSync(
    adk,
    ["eval", agent, file, "--config_file_path", join(agent, "test_config.json")],
    {
      encoding: "utf8",
      stdio: ["ignore", "pipe", "pipe"],
      // What the scripted agents share; ADK's loader shows a package no sibling.
      env: { ...process.env, PYTHONPATH: join(ROOT, "tests/fixtures/adk") },
    },
  );
  const output = `${ran.stdout}\n${ran.stderr}`;
  expect(existsSync(history), `adk eval wrote no result:
${output}`).toBeTruthy();
  const [result] = readdirSync(history);
  let read = JSON.parse(readFileSync(join(history, result ?? ""), "utf8"));
  if (typeof read === "string") {
    read = JSON.parse(read);
  }
  const [one] = read.eval_case_results;
  const scores: Record<string, number> = {};
  for (const { metric_name, score, threshold } of one.overall_eval_metric_results) {
    if (threshold !== null) {
      scores[metric_name] = score;
    }
  }
  return { status: one.final_eval_status as number, scores, output };
}
