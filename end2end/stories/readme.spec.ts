// The pictures in the README: the smart home in the middle of a rehearsal, and the support desk's fork.

import { spawnSync } from "node:child_process";
import { cpSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";

import { Rehearsal } from "../rehearsal";
import { binary, expect, MATH_ONLY, open, startHost, test } from "../fixtures";

test.skip(!process.env.REHEARSAL_TEST_PYTHON, "SKIPPED, NOT PASSED: REHEARSAL_TEST_PYTHON is not set");

test("the page as the README shows it", async ({ page, host, picture }) => {
  await expect
    .poll(async () => (await page.request.post(`${host.url}/api/list_agents`, { data: {} })).text(), { timeout: 60_000 })
    .not.toContain("Starting");
  const rehearsal = await Rehearsal.at(page, "smart-home");
  await rehearsal.ask("Make the office comfortable for tonight and close up the garage.");
  await rehearsal.choose("list_rooms");
  await rehearsal.run();
  await expect(rehearsal.call(1)).toContainText("office");
  await rehearsal.choose("read_sensor");
  await page.locator("form select").first().selectOption({ label: "office" });
  await rehearsal.run();
  await expect(rehearsal.call(2)).toContainText("20.5");
  await rehearsal.call(2).getByRole("button").first().click();
  await rehearsal.choose("calibrate_heating");
  await rehearsal.fill("seconds", "-1");
  await rehearsal.run();
  await expect(rehearsal.call(3)).toHaveClass(/failed/);
  await rehearsal.choose("set_temperature");
  await page.locator("form select").first().selectOption({ label: "office" });
  await rehearsal.fill("degrees", "21");
  await picture("readme");
});

test("a fork as the README shows it", async ({ page, picture }) => {
  const folder = mkdtempSync(join(tmpdir(), "rehearsal-readme-"));
  const host = await startHost({ folder, config: MATH_ONLY });
  try {
    const example = join("examples", "support_desk");
    cpSync(resolve(import.meta.dirname, "../..", example), join(folder, example), { recursive: true });
    const ran = spawnSync(binary(), ["eval", join(example, "support_desk.eval.yaml")], {
      cwd: folder,
      encoding: "utf8",
      env: { ...process.env, REHEARSAL_PYTHON: process.env.REHEARSAL_TEST_PYTHON },
    });
    expect(ran.status, ran.stdout + ran.stderr).toBe(1);

    await open(page, `${host.url}/runs/1`);
    await page.getByRole("link", { name: "refund a broken kettle" }).click();
    await page.getByRole("link", { name: "Fork from here, step 3" }).click();
    const panel = page.getByRole("region", { name: "Fork", exact: true });
    await expect(panel.getByRole("radio", { name: "Do this step again" })).toBeFocused();
    await page.keyboard.press("ArrowDown");
    const change = panel.getByRole("textbox", { name: "Change as JSON" });
    await change.fill((await change.inputValue()).replace("4990", "49.90"));
    await page.keyboard.press("Control+Enter");
    await expect(page.getByRole("status").filter({ hasText: "Step 3 was the cause" })).toBeVisible();
    await expect(page.getByRole("region", { name: "With the edit" })).toContainText("5 of 5 passed");
    await expect(page.getByRole("region", { name: "Without it" })).toContainText("0 of 5 passed");
    await expect(page.getByText("running", { exact: true })).toBeHidden();
    await picture("fork");
  } finally {
    await host.stop();
    rmSync(folder, { recursive: true, force: true });
  }
});
