// The HTML report of `rehearsal score`: one file, opened from the disk.

import { report } from "../recorded";
import { expect, test } from "../fixtures";

// The report needs no host.
test.use({ baseURL: undefined });

let address: string;

test.beforeAll(() => {
  address = report(300);
});

test("a failed case shows why, side by side, and its address opens it again", async ({ page, picture, accessible }) => {
  const requests: string[] = [];
  page.on("request", (request) => requests.push(request.url()));

  await page.goto(address);
  const shown = page.locator("#case");
  await expect(shown.getByRole("heading", { name: "Office tonight, garage" })).toBeVisible();
  await expect(shown.locator(".why")).toContainText("set_temperature was called with degrees 23, not 21");
  const changed = shown.locator(".pair.diff").first();
  await expect(changed.locator("mark")).toHaveText(["21", "23"]);
  await expect(shown.locator(".pair.extra")).toContainText("not expected");
  await expect(shown.locator(".pair.miss")).toContainText("never called");
  await expect(shown.locator("del").first()).toHaveText("21");
  await expect(shown.locator("ins")).toHaveText("23");
  await picture("failed");
  await accessible();

  await page.keyboard.press("n");
  await expect(shown.locator(".case-head .id").getByText("guest_mode", { exact: true })).toBeVisible();
  await expect(shown.locator(".why")).toContainText("the actual side has no case with this id");
  const link = page.url();
  expect(link).toContain("#case=guest_mode");
  await page.goto("about:blank");
  await page.goto(link);
  await expect(shown.locator(".case-head .id").getByText("guest_mode", { exact: true })).toBeVisible();

  // Nothing but the file itself is loaded.
  expect(requests.filter((url) => !url.startsWith("file:") && url !== "about:blank")).toEqual([]);
});

test("markup in a file is shown as text, and characters that reverse it as escapes", async ({ page }) => {
  await page.goto(address);
  await page.getByRole("searchbox").fill("onerror");
  await expect(page.locator("#rows a")).toHaveCount(1);
  await expect(page.locator("#case h2")).toHaveText(/^<\/script><img src=x/);
  await expect(page.locator("#case h2")).toHaveText(/<!--\\u202eevil$/);
  await expect(page.locator("#case .sig").first()).toContainText("</script><img");
  await expect(page.locator("#case .sig .k").first()).toHaveText(/<!--\\u202eevil$/);
  await expect(page.locator("#case .sig mark").first()).toBeVisible();
  expect(await page.locator("body").innerText()).not.toContain("\u202e");
  await expect(page.locator("img")).toHaveCount(0);
  expect(await page.title()).toBe("Home automation · scores");
});

test("cases are found by verdict, criterion, score, tag and text", async ({ page, picture }) => {
  await page.goto(address);
  const count = page.getByRole("status");
  const first = page.locator("#rows a").first();
  await page.getByRole("button", { name: /^unscored/ }).click();
  await expect(first).toContainText("unplanned");
  await expect(count).toHaveText("1 of 304 cases");
  await page.keyboard.press("Escape");
  await expect(count).toBeHidden();

  await page.keyboard.press("x");
  const failures = Number(((await count.textContent()) ?? "").split(" ")[0]);
  expect(failures).toBeGreaterThan(10);
  await page.keyboard.press("x");

  await page.getByRole("combobox", { name: "Tag" }).selectOption("night");
  await expect(count).toHaveText("1 of 304 cases");
  await page.keyboard.press("Escape");

  await page.getByRole("combobox", { name: "Criterion" }).selectOption("response_match_score");
  const scores = await page.locator("#rows a > small").allTextContents();
  const sorted = [...scores].sort((one, other) => Number(one) - Number(other));
  expect(scores).toEqual(sorted);
  await page.locator(".criterion").nth(1).locator(".hit").last().click();
  await expect(count).toContainText("of 304 cases");
  await picture("filtered");
  const link = page.url();
  expect(link).toContain("metric=response_match_score");
  const text = await count.textContent();
  await page.goto("about:blank");
  await page.goto(link);
  await expect(count).toHaveText(text ?? "");
  await page.keyboard.press("Escape");

  await page.keyboard.press("/");
  await page.keyboard.type("set_garage");
  await expect(page.locator("#case .case-head .id").first()).toHaveText(/^garage_/);
  // A row begins with the user's message, and its id is beside it.
  await expect(first).toHaveText(/^Set the garage in room /);
  const found = await page.locator("#rows span small").allTextContents();
  expect(found.filter((eval_id) => !eval_id.trim().startsWith("garage_"))).toEqual([]);
  await page.keyboard.press("Enter");
  await page.keyboard.press("ArrowDown");
  await expect(page.locator("#rows [aria-selected=true]")).toBeVisible();
  await page.keyboard.press("?");
  await expect(page.getByRole("dialog")).toContainText("next and previous case");
});

test("the theme follows the system and can be switched", async ({ page }) => {
  const paper = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
  for (const [colorScheme, background] of [["light", "rgb(251, 250, 248)"], ["dark", "rgb(22, 20, 18)"]] as const) {
    await page.emulateMedia({ colorScheme });
    await page.goto(address);
    expect(await paper()).toBe(background);
    await page.keyboard.press("t");
    expect(await paper()).not.toBe(background);
  }
});
