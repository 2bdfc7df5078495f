// The picture in the README: the smart home in the middle of a rehearsal.

import { Rehearsal } from "../rehearsal";
import { expect, test } from "../fixtures";

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
