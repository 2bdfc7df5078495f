// The history as one reads it: it follows along until the reader looks back, rows are copied whole,
// and a session in progress is not left by accident.

import { expect, test } from "../stage";
import { Player } from "../player";

test("what ends while one reads further up is announced", async ({ page, host, picture, accessible }) => {
  void host;
  const player = await Player.at(page, "travel-desk");
  await player.fill("query", "When do we fly?");
  await player.fill("max_results", "1");
  await player.begin();
  await player.choose("city_file");
  await player.fill("airport", "LIS");
  await player.run();
  // Open, the row is higher than the window.
  await player.call(1).getByRole("button").first().click();
  await player.choose("slow_timetable");
  await player.fill("seconds", "3");
  await player.run();
  const cancel = page.getByRole("button", { name: /^Cancel/ });
  await expect(cancel).toBeInViewport();
  await page.locator(".timeline").evaluate((list) => {
    list.scrollTop = 0;
  });
  const pill = page.getByRole("button", { name: "1 new entry" });
  await expect(pill).toBeVisible({ timeout: 60_000 });
  await expect(player.call(1)).toBeInViewport();
  await picture("looking-back");
  await accessible();
  await pill.click();
  await expect(player.call(2)).toBeInViewport();
  await expect(pill).toBeHidden();
  // Whoever reads along needs no word about it.
  await player.fill("seconds", "0");
  await player.run();
  await expect(player.call(3)).toBeInViewport();
  await expect(page.getByRole("button", { name: /new entr/ })).toHaveCount(0);
});

test("the log opens below the rows and hides none that were read", async ({ page, host, picture }) => {
  void host;
  const player = await Player.at(page, "math-agent");
  await player.ask("Add a lot.");
  await player.choose("add");
  for (let number = 1; number <= 22; number += 1) {
    await player.fill("a", String(number));
    await player.fill("b", "1");
    await player.run();
    await expect(player.call(number)).toContainText(`→ ${number + 1}`);
  }
  await expect(player.call(22)).toBeInViewport();
  await page.getByRole("button", { name: "Log", exact: true }).click();
  await expect(page.getByRole("region", { name: "Log" })).toBeVisible();
  const hidden = () =>
    page.evaluate(() => {
      const list = document.querySelector(".timeline") as HTMLElement;
      return list.scrollHeight - list.scrollTop - list.clientHeight;
    });
  await expect.poll(hidden).toBeLessThan(2);
  await picture("log");
});

test("a row, its arguments and its result are copied", async ({ page, host }) => {
  void host;
  await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
  const clipboard = () => page.evaluate(() => navigator.clipboard.readText());
  const player = await Player.at(page, "math-agent");
  await player.ask("5 + 3?");
  await player.choose("add");
  await player.fill("a", "9007199254740993");
  await player.fill("b", "3");
  await player.run();
  await player.call(1).getByRole("button").first().click();
  await page.getByRole("button", { name: "Copy the arguments" }).click();
  await expect.poll(clipboard).toContain("9007199254740993");
  await page.getByRole("button", { name: "Copy the entry as JSON" }).click();
  await expect.poll(clipboard).toContain('"type": "tool_output"');
  expect(await clipboard()).toContain('"tool_name": "add"');
  await player.answer("Copied.");
  await page.getByRole("button", { name: "Copy Final response" }).click();
  await expect.poll(clipboard).toBe("Copied.");
});

test("copying works on a page that came over plain HTTP from another machine", async ({ page, host }) => {
  void host;
  // Such a page has no clipboard of its own to write to.
  await page.addInitScript(() => {
    Object.defineProperty(Navigator.prototype, "clipboard", { get: () => undefined });
  });
  const player = await Player.at(page, "math-agent");
  await player.ask("5 + 3?");
  await player.choose("add");
  await player.fill("a", "9007199254740993");
  await player.fill("b", "3");
  await player.run();
  await player.call(1).getByRole("button").first().click();
  const copy = page.getByRole("button", { name: "Copy the arguments" });
  await copy.focus();
  await page.keyboard.press("Enter");
  // The focus is where it was, and what was copied is pasted as anything else.
  await expect(copy).toBeFocused();
  await page.keyboard.press("Escape");
  await page.keyboard.press("f");
  const response = page.getByRole("textbox", { name: "Final response" });
  await expect(response).toBeFocused();
  await page.keyboard.press("ControlOrMeta+v");
  await expect(response).toHaveValue(/9007199254740993/);
});

test("a session in progress is not left by accident", async ({ page, host }) => {
  void host;
  let asked = 0;
  page.on("dialog", async (dialog) => {
    expect(dialog.type()).toBe("beforeunload");
    asked += 1;
    await dialog.accept();
  });
  const player = await Player.at(page, "poet");
  // Nothing is under way yet.
  await page.reload();
  await player.ask("A poem.");
  expect(asked).toBe(0);
  await page.reload();
  expect(asked).toBe(1);
  await expect(page.getByRole("heading", { name: "User message" })).toBeVisible();
  await player.ask("Another.");
  await page.getByRole("textbox", { name: "Final response" }).fill("Roses.");
  await player.finish();
  await player.export();
  // Exported: nothing would be lost.
  await page.reload();
  expect(asked).toBe(1);
});
