// The picture in the README: the smart home in the middle of a rehearsal.

import { Player } from "../player";
import { expect, test } from "../stage";

test.skip(!process.env.REHEARSAL_TEST_PYTHON, "SKIPPED, NOT PASSED: REHEARSAL_TEST_PYTHON is not set");

test("the page as the README shows it", async ({ page, host, picture }) => {
  await expect
    .poll(async () => (await page.request.post(`${host.url}/api/list_agents`, { data: {} })).text(), { timeout: 60_000 })
    .not.toContain("Starting");
  const player = await Player.at(page, "smart-home");
  await player.ask("Make the office comfortable for tonight and close up the garage.");
  await player.choose("list_rooms");
  await player.run();
  await expect(player.call(1)).toContainText("office");
  await player.choose("read_sensor");
  await page.locator("form select").first().selectOption({ label: "office" });
  await player.run();
  await expect(player.call(2)).toContainText("20.5");
  await player.call(2).getByRole("button").first().click();
  await player.choose("calibrate_heating");
  await player.fill("seconds", "-1");
  await player.run();
  await expect(player.call(3)).toHaveClass(/failed/);
  await player.choose("set_temperature");
  await page.locator("form select").first().selectOption({ label: "office" });
  await player.fill("degrees", "21");
  await picture("readme");
});
