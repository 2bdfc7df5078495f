// Stored eval runs in the page: the list, a run, a result, and a fork of it that shows which step was the cause.

import { spawnSync } from "node:child_process";
import { cpSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
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
    const run = page.getByRole("row").filter({ hasText: "office.eval.yaml" });
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
