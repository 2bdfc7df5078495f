// Stored eval runs in the page: the list, a run, a result, and a fork of it that shows which step was the cause.

import { spawnSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";

import { binary, expect, MATH_ONLY, open, startHost, test } from "../fixtures";

const EXAMPLE = resolve(import.meta.dirname, "../../examples/smart_home/smart_home");

/** The agent sets 25 degrees, and the case wants 22. */
const SUITE = `
subject: { adk: smart_home }
tools:
  read_sensor: { returns: { room: office, sensor: temperature, value: 17.5 } }
  set_temperature: sealed
cases:
  - name: warms the office
    first_message: It is cold in the office.
    model:
      scripted:
        - calls: [{ tool: read_sensor, args: { room: office } }]
        - calls: [{ tool: set_temperature, args: { room: office, degrees: 25 } }]
        - The office is set.
    metrics:
      - state: { name: set_as_agreed, key: temperatures.office.degrees, is: 22 }
  - name: greets
    first_message: Hello!
    model: { scripted: ["Hello!"] }
    metrics:
      - event_count: { name: calls_nothing, event: tool_call, is: 0 }
`;

test("a fork of a failed result shows which step was the cause", async ({ page, picture, accessible }) => {
  const folder = mkdtempSync(join(tmpdir(), "rehearsal-runs-"));
  const host = await startHost({ folder, config: MATH_ONLY });
  try {
    await open(page, `${host.url}/runs`);
    await expect(page.getByText("No stored runs yet")).toBeVisible();
    await expect(page.getByText("rehearsal eval init")).toBeVisible();
    await accessible();

    cpSync(EXAMPLE, join(folder, "smart_home"), { recursive: true });
    writeFileSync(join(folder, "office.eval.yaml"), SUITE);
    const python = process.env.REHEARSAL_TEST_PYTHON;
    const ran = spawnSync(binary(), ["eval", "office.eval.yaml"], {
      cwd: folder,
      encoding: "utf8",
      env: { ...process.env, ...(python ? { REHEARSAL_PYTHON: python } : {}) },
    });
    expect(ran.status, ran.stdout + ran.stderr).toBe(1);

    await open(page, `${host.url}/runs`);
    const run = page.getByRole("table", { name: "Runs" }).getByRole("row").filter({ hasText: "office.eval.yaml" });
    await expect(run).toContainText("1 of 2");
    await picture("list");
    await accessible();

    // By the keyboard alone: the run, its failed result, the response of the model that sets the temperature.
    await page.keyboard.press("j");
    await page.keyboard.press("Enter");
    await expect(page.getByRole("heading", { name: "Run 1" })).toBeVisible();
    const results = page.getByRole("table", { name: "Results" });
    await expect(results.getByRole("row").nth(1)).toContainText("failed");
    await picture("run");
    await accessible();
    await page.keyboard.press("j");
    await page.keyboard.press("Enter");
    await expect(page.getByRole("heading", { name: "warms the office" })).toBeVisible();
    await expect(page.getByText("calls set_temperature")).toBeVisible();
    await picture("result");
    await accessible();
    const step = page.getByRole("link", { name: "Fork from here, step 4" });
    await expect(async () => {
      await page.keyboard.press("j");
      await expect(step).toBeFocused({ timeout: 100 });
    }).toPass();
    await page.keyboard.press("b");
    await expect(page).toHaveURL(/fork=4/);
    const panel = page.getByRole("region", { name: "Fork", exact: true });
    await expect(panel.getByRole("radio", { name: "Do this step again" })).toBeFocused();
    await page.keyboard.press("Escape");
    await expect(panel).toBeHidden();
    await expect(step).toBeFocused();

    await page.keyboard.press("b");
    await page.keyboard.press("ArrowDown");
    const change = panel.getByRole("textbox", { name: "Change as JSON" });
    await expect(change).toHaveValue(/"degrees": 25/);
    await picture("fork-panel");
    await accessible();
    await change.fill((await change.inputValue()).replace("25", "22"));
    await panel.getByRole("spinbutton", { name: "Continuations" }).fill("2");
    await page.keyboard.press("Control+Enter");

    await expect(page.getByRole("status").filter({ hasText: "Step 4 was the cause" })).toBeVisible();
    await expect(page.getByRole("region", { name: "With the edit" })).toContainText("2 of 2 passed");
    await expect(page.getByRole("region", { name: "Without it" })).toContainText("0 of 2 passed");
    await picture("fork");
    await accessible();

    // What was right becomes a case with one key, and passes as one.
    await page.keyboard.press("e");
    const kept = page.getByRole("status").filter({ hasText: "Kept as warms_the_office_" });
    await expect(kept).toContainText("smart_home_evals.evalset.json");
    const set = join("smart_home", "smart_home_evals.evalset.json");
    const replayed = spawnSync(binary(), ["eval", set, "--model", "replay", "--sealed-tools", "set_temperature"], {
      cwd: folder,
      encoding: "utf8",
      env: { ...process.env, ...(python ? { REHEARSAL_PYTHON: python } : {}) },
    });
    expect(replayed.status, replayed.stdout + replayed.stderr).toBe(0);

    // The cases run again, after the page has said what that means.
    await page.goto(`${host.url}/runs/1`);
    await page.getByRole("button", { name: "Run what did not pass…" }).click();
    const form = page.getByRole("region", { name: "Run again" });
    await expect(form.getByLabel("Repeats of each case")).toBeFocused();
    await expect(form).toContainText("Sealed tools: set_temperature.");
    await form.getByLabel("Repeats of each case").fill("0");
    await expect(form.getByRole("alert")).toContainText("from 1 to 100");
    await form.getByLabel("Repeats of each case").fill("2");
    await expect(form).toContainText("1 case, 2 runs.");
    await picture("run-again");
    await accessible();
    await page.keyboard.press("Enter");
    await expect(page).toHaveURL(/\/runs\/5$/);
    await expect(results.getByRole("row").filter({ hasText: "warms the office" })).toHaveCount(2);

    await page.goto(`${host.url}/runs`);
    await expect(page.getByText("fork of run 1, step 4, with an edit")).toBeVisible();
  } finally {
    await host.stop();
    rmSync(folder, { recursive: true, force: true });
  }
});

test("a suite that never ran is run from the page, and so is an eval set", async ({ page, picture, accessible }) => {
  const folder = mkdtempSync(join(tmpdir(), "rehearsal-suites-"));
  cpSync(EXAMPLE, join(folder, "smart_home"), { recursive: true });
  mkdirSync(join(folder, "suites"));
  writeFileSync(join(folder, "suites", "office.eval.yaml"), SUITE.replace("adk: smart_home", "adk: ../smart_home"));
  writeFileSync(join(folder, "broken.eval.yaml"), "cases:\n  - nam: greets\n");
  const host = await startHost({ folder, arguments: ["smart_home"] });
  try {
    await open(page, `${host.url}/runs`);
    await expect(page.getByText("Run a suite to see its results here.")).toBeVisible();
    const suites = page.getByRole("table", { name: "Suites" });
    const office = suites.getByRole("row").filter({ hasText: "office.eval.yaml" });
    await expect(office).toContainText("not run yet");
    const broken = suites.getByRole("row").filter({ hasText: "broken.eval.yaml" });
    await expect(broken).toContainText("line 2");
    await picture("suites");
    await accessible();

    // What was wrong is read again from its row.
    writeFileSync(join(folder, "broken.eval.yaml"), SUITE);
    await broken.getByRole("button", { name: "Read again" }).click();
    await expect(broken.getByRole("button", { name: "Run broken.eval.yaml" })).toBeVisible();

    // By the keyboard alone: the last row, its form, and back.
    await page.keyboard.press("End");
    const run = office.getByRole("button", { name: "Run suites/office.eval.yaml" });
    await expect(run).toBeFocused();
    await page.keyboard.press("Enter");
    const form = page.getByRole("region", { name: "Run suites/office.eval.yaml" });
    await expect(form.getByLabel("Repeats of each case")).toBeFocused();
    await expect(form).toContainText("2 cases, 2 runs.");
    await expect(form).toContainText("Sealed tools: set_temperature.");
    await expect(form).toContainText("No model is asked");
    await page.keyboard.press("Escape");
    await expect(run).toBeFocused();
    await page.keyboard.press("Enter");
    await form.getByRole("radio", { name: "Another model" }).check();
    await expect(form.getByRole("alert")).toContainText("Give the name of the model");
    await form.getByRole("radio", { name: "The models of the cases" }).check();
    await picture("suite-form");
    await accessible();
    await form.getByRole("button", { name: "Run", exact: true }).press("Enter");
    await expect(page).toHaveURL(/\/runs\/1$/);
    const results = page.getByRole("table", { name: "Results" });
    await expect(results.getByRole("row").filter({ hasText: "greets" })).toContainText("passed");

    // What is kept of it is an eval set, which runs with its recorded responses.
    await page.getByRole("link", { name: "greets" }).click();
    await expect(page.getByRole("heading", { name: "greets" })).toBeVisible();
    await page.getByRole("button", { name: "Keep greets, repeat 1, as a case" }).click();
    await expect(page.getByRole("status").filter({ hasText: "Kept as greets_" })).toBeVisible();
    await open(page, `${host.url}/runs`);
    await expect(office.getByRole("link", { name: "Run 1" })).toBeVisible();
    await expect(office).toContainText("1 of 2");
    const set = suites.getByRole("row").filter({ hasText: "eval set" });
    await set.getByRole("button", { name: /^Run smart_home/ }).click();
    const replay = page.getByRole("region", { name: /^Run smart_home/ });
    await expect(replay).toContainText("The models of the agents are asked.");
    await replay.getByRole("radio", { name: "Recorded responses, without a model" }).check();
    await expect(replay).toContainText("No model is asked");
    await replay.getByRole("button", { name: "Run", exact: true }).click();
    await expect(page).toHaveURL(/\/runs\/2$/);
    await expect(results.getByRole("row").nth(1)).toContainText("passed");
  } finally {
    await host.stop();
    rmSync(folder, { recursive: true, force: true });
  }
});

/** The recorded model says hello, and the scripted one says good day. */
const MODELS = `
subject: { adk: smart_home }
models: [replay, { scripted: ["Good day!"] }]
cases:
  - name: greets
    golden: { eval_set: recorded.evalset.json }
    first_message: Hello!
    tags: [polite]
    repeats: 2
    metrics:
      - event_count: { name: says_hello, event: message, filter: { text: "Hello!" }, is: 1 }
  - name: answers
    golden: { eval_set: recorded.evalset.json }
    first_message: Hello!
    metrics:
      - event_count: { name: calls_nothing, event: tool_call, is: 0 }
`;

/** A conversation without a call, as google-adk records it. */
const RECORDED = {
  eval_set_id: "recorded",
  name: "recorded",
  eval_cases: [
    {
      eval_id: "greeting",
      conversation: [
        {
          invocation_id: "1",
          user_content: { role: "user", parts: [{ text: "Hello!" }] },
          final_response: { role: "model", parts: [{ text: "Hello!" }] },
          intermediate_data: { tool_uses: [], intermediate_responses: [] },
        },
      ],
      session_input: { app_name: "smart_home", user_id: "user", state: {} },
    },
  ],
};

test("models stand beside each other, and two runs are compared", async ({ page, picture, accessible }) => {
  const folder = mkdtempSync(join(tmpdir(), "rehearsal-models-"));
  cpSync(EXAMPLE, join(folder, "smart_home"), { recursive: true });
  writeFileSync(join(folder, "recorded.evalset.json"), JSON.stringify(RECORDED));
  const suite = join(folder, "models.eval.yaml");
  writeFileSync(suite, MODELS);
  const python = process.env.REHEARSAL_TEST_PYTHON;
  const run = () =>
    spawnSync(binary(), ["eval", "models.eval.yaml"], {
      cwd: folder,
      encoding: "utf8",
      env: { ...process.env, ...(python ? { REHEARSAL_PYTHON: python } : {}) },
    });
  const first = run();
  expect(first.status, first.stdout + first.stderr).toBe(1);
  const host = await startHost({ folder, config: MATH_ONLY });
  try {
    await open(page, `${host.url}/runs/1`);
    const models = page.getByRole("table", { name: "Passed by model" });
    const greets = models.getByRole("row").filter({ hasText: "greets" });
    await expect(greets.getByRole("cell")).toHaveText([/^2 of 2/, /^0 of 2/]);
    const all = models.getByRole("row").filter({ hasText: "All cases" });
    await expect(all.getByRole("cell")).toHaveText([/^3 of 3/, /^1 of 3/]);
    await expect(page.getByRole("link", { name: "Compare with…" })).toBeHidden();
    await picture("models");
    await accessible();
    const results = page.getByRole("table", { name: "Results" }).getByRole("row");
    await expect(results.filter({ hasText: "greets" })).toHaveCount(4);
    await page.getByRole("combobox", { name: "Tag" }).selectOption("polite");
    await expect(results.filter({ hasText: "answers" })).toHaveCount(0);
    await page.getByRole("combobox", { name: "Model" }).selectOption("replay");
    await expect(page).toHaveURL(/tag=polite&model=replay/);
    await expect(results.filter({ hasText: "greets [replay]" })).toHaveCount(2);
    await expect(results.filter({ hasText: "scripted" })).toHaveCount(0);
    await page.getByRole("combobox", { name: "Metric not passed" }).selectOption("says_hello");
    await expect(results.filter({ hasText: "greets" })).toHaveCount(0);
    await open(page, `${host.url}/runs/1?metric=says_hello`);
    await expect(results.filter({ hasText: "greets [scripted]" })).toHaveCount(2);
    await expect(results.filter({ hasText: "replay" })).toHaveCount(0);
    await greets.getByRole("link", { name: "0 of 2" }).click();
    await expect(page.getByRole("heading", { name: "greets [scripted]" })).toBeVisible();

    // The scripted model is better now, and the recording is not what the case wants any more.
    writeFileSync(
      suite,
      MODELS.replace("Good day!", "Good evening!").replace('filter: { text: "Hello!" }', 'filter: { text: "Good evening!" }'),
    );
    const second = run();
    expect(second.status, second.stdout + second.stderr).toBe(1);
    await open(page, `${host.url}/runs/2`);
    await page.getByRole("link", { name: "Compare with…" }).click();
    await expect(page).toHaveURL(/\/runs\/2\?compare=1$/);
    const comparison = page.getByRole("region", { name: "Comparison" });
    await expect(comparison.getByRole("status")).toContainText("no difference shown");
    const rows = comparison.getByRole("row");
    await expect(rows.nth(1)).toContainText("regressed");
    await expect(rows.nth(1)).toContainText("greets [replay]");
    await expect(rows.nth(4)).toContainText("improved");
    await expect(rows.nth(4)).toContainText("greets [scripted] repeat 2");
    await expect(comparison.getByText("answers [replay]")).toBeHidden();
    await picture("compared");
    await accessible();
    await comparison.getByText("2 unchanged").click();
    await expect(comparison.getByText("answers [replay]")).toBeVisible();
    await accessible();

    // By the keyboard alone: a result, back to the comparison, and out of it.
    await page.keyboard.press("j");
    await page.keyboard.press("Enter");
    await expect(page.getByRole("heading", { name: "greets [replay]" })).toBeVisible();
    await page.goBack();
    await expect(comparison.getByRole("combobox", { name: "Compared with" })).toHaveValue("1");
    await page.keyboard.press("Escape");
    await expect(page).toHaveURL(/\/runs\/2$/);
    await expect(models).toBeVisible();

    // A link restores it; the first run has only the one after it.
    await open(page, `${host.url}/runs/1?compare=2`);
    await expect(comparison.getByRole("row").nth(1)).toContainText("greets [scripted]");
    await open(page, `${host.url}/runs/1?compare=7`);
    await expect(page.getByText("has no run 7")).toBeVisible();
  } finally {
    await host.stop();
    rmSync(folder, { recursive: true, force: true });
  }
});
