// JSON reports in the page: opened from the reader's disk or from a configured folder, read case by
// case, and compared with a baseline.

import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import type { Locator, Page } from "@playwright/test";

import { recorded, score } from "../recorded";
import { expect, open, startHost, test } from "../fixtures";

const MANY = 300;

let folder: string;

test.beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "rehearsal-reports-"));
  const before = recorded(MANY);
  score(folder, "before.json", before);
  const after = recorded(MANY);
  const of = (eval_id: string) => after.actual.findIndex((it) => it.eval_id === eval_id);
  // What passed calls something else now, what failed does as expected, one is gone, one is new.
  const passed = (wanted: boolean) => {
    const report = JSON.parse(readFileSync(join(folder, "before.json"), "utf8"));
    return report.results.filter((it: { passed: boolean; error: string | null }) => it.passed === wanted && !it.error);
  };
  const worse = passed(true)[0].eval_id;
  const better = passed(false).find((it: { eval_id: string }) => /^[a-z]+_\d+$/.test(it.eval_id)).eval_id;
  const copy = structuredClone(after.actual[of(worse)]);
  const turn = copy?.conversation[0] as { intermediate_data: { tool_uses: { name: string; args: { room?: number } }[] } };
  for (const call of turn.intermediate_data.tool_uses) {
    call.args.room = -1;
  }
  after.actual[of(worse)] = copy as (typeof after.actual)[number];
  after.actual[of(better)] = after.expected.find((it) => it.eval_id === better) as (typeof after.actual)[number];
  after.expected = after.expected.filter((it) => it.eval_id !== "guest_mode");
  after.expected.push({ eval_id: "brand_new", conversation: after.expected[0]?.conversation ?? [] });
  after.actual.push({ eval_id: "brand_new", conversation: after.actual[0]?.conversation ?? [] });
  score(folder, "after.json", after);
});

test.afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Chooses a file as a person would. */
async function choose(page: Page, label: string, file: string): Promise<void> {
  const chooser = page.waitForEvent("filechooser");
  await page.locator("button").filter({ hasText: label }).click();
  await (await chooser).setFiles(file);
}

test("a local report shows why cases failed, and is not uploaded", async ({ page, host, picture, accessible }) => {
  void host;
  const sent: string[] = [];
  page.on("request", (request) => sent.push(request.postData() ?? ""));
  await open(page, "/reports");
  await expect(page.getByRole("heading", { name: "Reports" })).toBeVisible();
  await expect(page.getByText("[folders]")).toBeVisible();
  await picture("empty");
  await accessible();

  await choose(page, "Open a report…", join(folder, "after.json"));
  await expect(page).toHaveURL(/\/reports\/~1$/);
  await expect(page.getByRole("heading", { name: "Home automation" })).toBeVisible();
  const table = page.getByRole("table", { name: "Cases" });
  const rows = table.getByRole("row");
  await expect(page.getByRole("status").filter({ hasText: "304 cases" })).toBeVisible();
  await expect(page.getByRole("img", { name: /^response_match_score: / })).toBeVisible();
  // Only visible rows are drawn.
  expect(await rows.count()).toBeLessThan(60);
  await picture("whole");
  await accessible();

  const counts = page.getByRole("group", { name: "Show only", exact: true });
  await counts.getByRole("button", { name: /unscored/ }).click();
  await expect(page).toHaveURL(/show=unscored/);
  await expect(table.getByRole("row").nth(1)).toContainText("the expected side has no case with this id");
  await counts.getByRole("button", { name: /unscored/ }).click();

  await page.getByRole("searchbox", { name: "Filter cases" }).fill("office");
  await table.getByRole("link", { name: "office_tonight" }).or(table.getByRole("link", { name: "Office tonight, garage" })).click();
  await expect(page).toHaveURL(/\/reports\/~1\/office_tonight/);
  const shown = page.getByRole("region", { name: "Case", exact: true });
  await expect(shown.locator(".report-score.bad .why").first()).toContainText("set_temperature was called with degrees 23, not 21");
  // The words that only one of the responses has.
  await expect(shown.locator(".pair.differs del").first()).toBeVisible();
  await expect(shown.locator(".pair.differs ins").first()).toBeVisible();
  await expect(shown.locator(".pair.differs mark").first()).toContainText("degrees: 21");
  await expect(shown.locator(".pair.lacks").first()).toBeVisible();
  await picture("case");
  await accessible();
  await shown.getByRole("button", { name: "Show JSON" }).first().click();
  await expect(shown.getByRole("tree", { name: "Details as JSON" })).toContainText("why");
  await page.keyboard.press("Escape");
  await expect(shown).toBeHidden();
  expect(sent.filter((body) => body.includes("office_tonight"))).toEqual([]);

  // A reload loses it, with a message, and it can be opened again at the same address.
  await page.goto("/reports/~1/office_tonight");
  await expect(page.getByRole("heading", { name: "Report opened in another tab" })).toBeVisible();
  await choose(page, "Open a report…", join(folder, "after.json"));
  await expect(page.getByRole("region", { name: "Case", exact: true }).locator(".report-score .why").first()).toContainText("degrees 23");
});

/** Lets go of a file over the page, as the mouse would: the browser gives no way to bring one from the desktop. */
async function drop(page: Page, onto: Locator, name: string, text: string): Promise<void> {
  const carried = await page.evaluateHandle(
    ([name, text]) => {
      const transfer = new DataTransfer();
      transfer.items.add(new File([text], name, { type: "application/json" }));
      return transfer;
    },
    [name, text] as const,
  );
  await onto.dispatchEvent("dragover", { dataTransfer: carried });
  await expect(page.locator(".report-over")).toBeVisible();
  await onto.dispatchEvent("drop", { dataTransfer: carried });
  await expect(page.locator(".report-over")).toBeHidden();
}

test("a report is dropped on the page, and another file shows an error", async ({ page, host, picture }) => {
  void host;
  await open(page, "/reports");
  const place = page.locator(".report-drop");
  await drop(page, place, "notes.json", '{"results": 7');
  await expect(page.getByRole("main")).toContainText("notes.json");
  await expect(page.getByRole("main")).toContainText(/line 1/);
  await picture("no-report");
  await open(page, "/reports");
  await drop(page, place, "after.json", readFileSync(join(folder, "after.json"), "utf8"));
  await expect(page).toHaveURL(/\/reports\/~\d+$/);
  await expect(page.getByRole("heading", { name: "Home automation" })).toBeVisible();
});

/** The heads of columns and charts in sight whose text is cut at widths in which there is room. */
async function cutHeads(page: Page): Promise<string[]> {
  const cut: string[] = [];
  for (const width of [1280, 1920]) {
    await page.setViewportSize({ width, height: 720 });
    const heads = page.getByRole("columnheader").or(page.locator("figcaption"));
    const found = await heads.evaluateAll((heads) => {
      const isCut = (it: Element) => it.scrollWidth > it.clientWidth + 1 && getComputedStyle(it).overflowX !== "visible";
      return heads.filter((head) => [head, ...head.querySelectorAll("*")].some(isCut)).map((head) => head.textContent ?? "");
    });
    cut.push(...found.map((head) => `${width}: ${head}`));
  }
  return cut;
}

test("the run of a case is shown as a timeline", async ({ page, host, picture, accessible }) => {
  void host;
  const events = [
    { at_ms: 0, type: "initial_state", state: { user: "Ann" } },
    { at_ms: 2, type: "user_message", text: "Book a room" },
    { at_ms: 40, type: "tool_call", call_id: "1", name: "book", args: { room: "a" }, agent: "clerk" },
    { at_ms: 55, type: "tool_result", call_id: "1", name: "book", result: { booked: true }, from: "mock" },
    { at_ms: 55, type: "state_change", changes: { booked: ["a"] }, by: "mock" },
    { at_ms: 90, type: "message", agent: "clerk", text: "It is booked. Anything else?" },
    { at_ms: 91, type: "yield", kind: "loop", invocation_id: "i", awaiting_input: true },
    { at_ms: 95, type: "termination", reason: "max_turns", state: { booked: ["a"] } },
  ];
  const result = {
    eval_id: "books a room", name: null, passed: false, error: null, duration_seconds: 0.1, tags: [], run: null,
    run_seconds: 0.1, tokens: null, models: [],
    criterion_results: [
      { criterion: "booked", score: 1, passed: true, threshold: 1, details: { evidence: ["booked is [\"a\"]"] } },
    ],
    eval_run: { status: "terminated", termination_reason: "max_turns", turns: 1, at_fault: null, events },
  };
  const report = { report_id: "r", eval_set_id: "rooms", results: [result], duration_seconds: 0.1 };
  const own = mkdtempSync(join(tmpdir(), "rehearsal-run-"));
  writeFileSync(join(own, "run.json"), JSON.stringify(report));
  await open(page, "/reports");
  await choose(page, "Open a report", join(own, "run.json"));
  const counts = page.getByRole("group", { name: "Show only" });
  await expect(counts.getByRole("button", { name: /^1 terminated/ })).toBeVisible();
  // The browser reads the file only after it was chosen.
  rmSync(own, { recursive: true });
  await expect(page.getByText("Pass rate 0.000 (0 of 1 case), 95 % interval 0.000 to 0.853")).toBeVisible();
  await page.getByRole("link", { name: "books a room" }).click();
  const happened = page.getByRole("list", { name: "What happened" }).getByRole("listitem");
  await expect(happened).toHaveText([
    /0\.000 s.*session.*begins with the state/,
    /0\.002 s.*user.*Book a room/,
    /clerk.*calls book/,
    /book.*returns.*mock/,
    /session.*changes its state.*mock/,
    /clerk.*It is booked/,
    /agent.*waits for the user/,
    /run.*is ended by max_turns with the state/,
  ]);
  const run = page.getByRole("region", { name: "Run" });
  await expect(run).toContainText("terminated · 1 turn · ended by max_turns");
  await expect(page.getByText('booked is ["a"]')).toBeVisible();
  await picture("run");
  await accessible();
  await run.getByRole("button", { name: "Show JSON" }).click();
  await expect(run.getByRole("button", { name: "Hide JSON" })).toBeVisible();
});

test("regressions since the baseline come first", async ({ page, picture, accessible }) => {
  writeFileSync(join(folder, "cut.json"), readFileSync(join(folder, "after.json"), "utf8").slice(0, 5000));
  const host = await startHost({
    config: `
[folders]
reports = [${JSON.stringify(folder)}, "nowhere"]
`,
  });
  await open(page, `${host.url}/reports`);
  const row = page.getByRole("row").filter({ hasText: "after.json" });
  // The list distinguishes the runs.
  await expect(row.getByRole("cell").nth(1)).toHaveText(/^\d+ of \d+/);
  await expect(page.getByRole("alert").filter({ hasText: "nowhere does not exist" })).toBeVisible();
  await expect(page.getByRole("row").filter({ hasText: "cut.json" })).toContainText("Unreadable");
  rmSync(join(folder, "cut.json"));
  expect(await cutHeads(page)).toEqual([]);
  await picture("listed");
  await accessible();
  await page.getByRole("link", { name: "after.json" }).click();
  await page.getByRole("combobox", { name: "Baseline" }).selectOption("before.json");
  await expect(page).toHaveURL(/baseline=before/);
  const changes = page.getByRole("group", { name: "Show changes only" });
  await expect(changes.getByRole("button", { name: /^1 regressed/ })).toBeVisible();
  await expect(changes.getByRole("button", { name: /^1 improved/ })).toBeVisible();
  await expect(changes.getByRole("button", { name: /^1 new/ })).toBeVisible();
  await expect(changes.getByRole("button", { name: /^1 removed/ })).toBeVisible();
  expect(await cutHeads(page)).toEqual([]);
  const rows = page.getByRole("table", { name: "Cases" }).getByRole("row");
  await expect(rows.nth(1)).toContainText("regressed −");
  await expect(rows.nth(2)).toContainText("improved +");
  await expect(rows.nth(3)).toContainText("brand_new");
  await expect(rows.nth(4)).toContainText("guest_mode");
  await picture("baseline");
  await accessible();

  // By the keyboard: down to the first row, into the case, on to the next, and out again.
  await rows.nth(1).getByRole("link").focus();
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("ArrowUp");
  await expect(rows.nth(1).getByRole("link")).toBeFocused();
  await page.keyboard.press("Enter");
  const shown = page.getByRole("region", { name: "Case", exact: true });
  await expect(shown.locator(".report-score").first()).toContainText("−1.000");
  await picture("regressed");
  const link = page.url();
  await page.goto("about:blank");
  await page.goto(link);
  await expect(shown.locator(".report-score").first()).toContainText("−1.000");
  await changes.getByRole("button", { name: /removed/ }).click();
  await rows.nth(1).getByRole("link").click();
  await expect(shown).toContainText("Only the baseline has this case");
  await page.getByRole("button", { name: "No baseline" }).click();
  await expect(changes).toBeHidden();

  // Sorted by a score, and the other way round.
  await page.keyboard.press("Escape");
  const head = page.getByRole("columnheader", { name: "response_match_score" });
  await head.getByRole("button").click();
  await expect(head).toHaveAttribute("aria-sort", "ascending");
  await head.getByRole("button").click();
  await expect(head).toHaveAttribute("aria-sort", "descending");
  await expect(rows.nth(1)).toContainText("1.000");
  await page.close();
  expect(await host.stop()).toBe(0);
});

test("a file that is not a report shows where it fails and what to do", async ({ page, host, picture, accessible }) => {
  void host;
  const broken = join(folder, "broken.json");
  const text = readFileSync(join(folder, "after.json"), "utf8");
  await open(page, "/reports");
  const cases: [string, string][] = [
    [text.slice(0, 5000), "is not valid JSON"],
    ['{"eval_set_id": "s", "eval_cases": []}', "This is an eval set, not a report"],
    ["", "The file is empty"],
    [text.replace('"threshold":0.8', '"threshold":"much"'), "criterion_results[1].threshold (line"],
    ["\0\u0001 PNG", "Line 1, column 1 is not valid JSON"],
  ];
  for (const [wrong, message] of cases) {
    writeFileSync(broken, wrong);
    await page.goto("/reports");
    await choose(page, "Open a report…", broken);
    await expect(page.getByRole("alert")).toContainText(message);
    await expect(page.getByRole("main")).toContainText("broken.json");
  }
  await picture("broken");
  await accessible();
  // Mended, it opens in its place.
  writeFileSync(broken, text);
  await choose(page, "Open a report…", broken);
  await expect(page.getByRole("table", { name: "Cases" })).toBeVisible();
  // A case that it does not have.
  await page.evaluate(() => history.replaceState(null, "", location.href));
  await page.goto("/reports/none");
  await expect(page.getByRole("alert")).toContainText("Report none was not found");
});

test("markup in a report is shown as text, and characters that reverse it as escapes", async ({ page, host }) => {
  void host;
  await open(page, "/reports");
  await choose(page, "Open a report…", join(folder, "after.json"));
  await page.getByRole("searchbox", { name: "Filter cases" }).fill("onerror");
  await page.getByRole("table", { name: "Cases" }).getByRole("row").nth(1).getByRole("link").click();
  const shown = page.getByRole("region", { name: "Case", exact: true });
  await expect(shown.getByRole("heading").first()).toHaveText(/^<\/script><img src=x.*<!--\\u202eevil$/);
  await expect(shown.locator(".call b").first()).toHaveText(/<!--\\u202eevil$/);
  await expect(page.locator("img")).toHaveCount(0);
  expect(await page.locator("body").innerText()).not.toContain("\u202e");
  expect(await page.title()).not.toBe("broken");
});

test("ten thousand cases stay fluid", async ({ page, host }) => {
  void host;
  test.slow();
  const large = mkdtempSync(join(tmpdir(), "rehearsal-large-"));
  score(large, "large.json", recorded(10_000));
  await open(page, "/reports");
  await choose(page, "Open a report…", join(large, "large.json"));
  const table = page.getByRole("table", { name: "Cases" });
  await expect(page.getByRole("status").filter({ hasText: "10,004 cases" })).toBeVisible({ timeout: 30_000 });
  await table.getByRole("row").nth(1).getByRole("link").focus();
  await page.keyboard.press("End");
  await expect(table.locator("#report-row-10003")).toBeFocused();
  expect(await table.getByRole("row").count()).toBeLessThan(60);
  await page.getByRole("columnheader", { name: "Case" }).getByRole("button").click();
  await expect(table.getByRole("row").nth(1)).toContainText("script");
  await expect(table.locator("#report-row-0")).toBeVisible();
  rmSync(large, { recursive: true, force: true });
});

test("an empty folder of reports has a message", async ({ page }) => {
  const host = await startHost({ config: '[folders]\nreports = ["reports"]\n' });
  mkdirSync(join(host.folder, "reports"));
  await open(page, `${host.url}/reports`);
  await expect(page.getByText("No reports")).toBeVisible();
  await page.close();
  expect(await host.stop()).toBe(0);
});
