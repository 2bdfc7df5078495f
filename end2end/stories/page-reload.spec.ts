// A reload of the page does not end a rehearsal: history, drafts, active agent and state are there again.
//
// The first three need REHEARSAL_TEST_PYTHON, which `cargo xtask test` sets.

import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import type { Page } from "@playwright/test";

import { expect, hydrated, leave, open, startHost, test } from "../fixtures";
import { Rehearsal } from "../rehearsal";

const CODE = `
import asyncio
import os

from google.adk.agents import LlmAgent
from google.adk.tools import LongRunningFunctionTool
from google.genai import types


async def count(tool_context) -> int:
    number = tool_context.state["count"] = tool_context.state.get("count", 0) + 1
    await tool_context.save_artifact("count.txt", types.Part(text=str(number)))
    return number


async def wait(file: str) -> str:
    open(file + ".awaited", "x").close()
    while not os.path.exists(file):
        await asyncio.sleep(0.02)
    return "It is there."


def approve(amount: int) -> dict:
    return {"status": "pending"}


tools = [count, wait, LongRunningFunctionTool(func=approve)]
billing = LlmAgent(name="billing", model="gemini-2.5-flash", tools=tools)
root_agent = LlmAgent(name="desk", model="gemini-2.5-flash", tools=tools, sub_agents=[billing])
`;

/** A folder with the agent. */
function desk(): { folder: string; agent: string } {
  const folder = mkdtempSync(join(tmpdir(), "rehearsal-page-reload-"));
  const agent = join(folder, "desk");
  mkdirSync(agent);
  writeFileSync(join(agent, "agent.py"), CODE);
  return { folder, agent };
}

/** Waits until the tool `wait` runs: a request that is under way would not survive the page. */
async function isAwaited(file: string): Promise<void> {
  await expect.poll(() => existsSync(`${file}.awaited`)).toBe(true);
}

/** Waits until the tab has kept a session with this text, a moment after the page shows it. */
async function isKept(page: Page, text: string): Promise<void> {
  await page.waitForFunction((wanted) => {
    const kept = Object.entries({ ...sessionStorage });
    return kept.some(([key, value]) => key.startsWith("rehearsal.session.") && value.includes(wanted));
  }, text);
}

/** Reloads the page by the key. Fails if the browser asks before it leaves. */
async function reload(page: Page): Promise<void> {
  const asked: string[] = [];
  const accept = async (dialog: import("@playwright/test").Dialog) => {
    asked.push(dialog.type());
    await dialog.accept();
  };
  page.on("dialog", accept);
  // What the old document logs of its loads may arrive when the new one is there.
  await leave(page, async () => {
    await page.keyboard.press("F5");
    await page.reload();
    await hydrated(page);
  });
  page.off("dialog", accept);
  expect(asked, "the browser asked before it left").toEqual([]);
}

test("a rehearsal goes on where it was after a reload", async ({ page, picture, accessible }) => {
  test.skip(!process.env.REHEARSAL_TEST_PYTHON, "SKIPPED, NOT PASSED: REHEARSAL_TEST_PYTHON is not set");
  const { folder, agent } = desk();
  const host = await startHost({ folder, arguments: [agent] });
  const rehearsal = await Rehearsal.at(page, "desk", host.url);
  const message = page.getByRole("textbox", { name: "User message" });
  // What is typed before the session begins is kept too.
  await message.fill("Count, ple");
  await expect(page.getByRole("button", { name: /Start session/ })).toBeVisible();
  await page.waitForFunction(() => Object.values({ ...sessionStorage }).some((it) => it.includes("Count, ple")));
  await reload(page);
  await expect(message).toHaveValue("Count, ple");
  await rehearsal.ask("Count.");
  await rehearsal.choose("count");
  await rehearsal.run();
  await expect(rehearsal.call(1)).toContainText("→ 1");
  await rehearsal.choose("transfer_to_agent");
  await rehearsal.run();
  const left = page.getByRole("region", { name: "What the model sees" });
  await expect(left).toContainText("billing");
  await rehearsal.choose("approve");
  await rehearsal.fill("amount", "12");
  await page.getByRole("tab", { name: /Final response/ }).click();
  await page.getByRole("textbox", { name: "Final response" }).fill("It is on");

  await reload(page);
  await expect(rehearsal.call(1)).toContainText("→ 1");
  await expect(left).toContainText("billing");
  await expect(page.getByRole("textbox", { name: "Final response" })).toHaveValue("It is on");
  await picture("after the reload");
  await accessible();
  await page.setViewportSize({ width: 1920, height: 1080 });
  await picture("after the reload, large");
  await page.setViewportSize({ width: 1280, height: 720 });
  await page.getByRole("tab", { name: /Call a tool/ }).click();
  await rehearsal.choose("approve");
  await expect(rehearsal.field("amount")).toHaveValue("12");
  // The long-running tool waits for the person, and keeps what they type.
  await rehearsal.run();
  const supplied = page.getByRole("form", { name: "Result of the long-running tool" });
  await supplied.getByRole("button", { name: "Enter text" }).click();
  await supplied.getByRole("textbox", { name: "Result as text" }).fill("appro");
  // What is typed before the host has answered stays, and so does the focus.
  let answer = () => {};
  const answered = new Promise<void>((resolve) => (answer = resolve));
  await page.route("**/api/restore_session", async (route) => {
    await answered;
    await route.continue();
  });
  await reload(page);
  const result = supplied.getByRole("textbox", { name: "Result as text" });
  await expect(result).toBeFocused();
  await expect(result).toHaveValue("appro");
  await page.keyboard.press("End");
  await page.keyboard.type("ved, a");
  answer();
  await expect(left).toContainText("billing");
  await page.evaluate(() => new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn))));
  await expect(result).toBeFocused();
  await page.keyboard.type("ll of it");
  await page.unroute("**/api/restore_session");
  await supplied.getByRole("button", { name: /Send result/ }).click();
  await expect(rehearsal.call(3)).toContainText("approved, all of it");
  // The session on the host is the same.
  await expect(page.locator(".timeline .restart")).toHaveCount(0);
  await rehearsal.choose("count");
  await rehearsal.run();
  await expect(rehearsal.call(4)).toContainText("→ 2");
  await rehearsal.answer("It is one.");

  // A completed session, and an exported one.
  await reload(page);
  await expect(page.getByText("Session completed")).toBeVisible();
  // An id that is being typed is kept too.
  const id = page.getByRole("textbox", { name: "Case ID" });
  await id.fill("counted_once");
  await page.waitForFunction(() => Object.values({ ...sessionStorage }).some((it) => it.includes("counted_once")));
  await reload(page);
  await expect(id).toHaveValue("counted_once");
  const file = await rehearsal.export();
  await reload(page);
  await expect(page.locator("dl.receipt dd.path").first()).toContainText(file);
  const cases = JSON.parse(readFileSync(file, "utf8")).eval_cases;
  expect(cases).toHaveLength(1);
  expect(cases[0].eval_id).toBe("counted_once");
  expect(cases[0].conversation[0].intermediate_data.tool_uses).toHaveLength(4);

  // Start over keeps its meaning.
  await page.getByRole("button", { name: "Start over" }).first().click();
  await expect(page.getByRole("heading", { name: "User message" })).toBeVisible();
  await reload(page);
  await expect(page.getByRole("heading", { name: "User message" })).toBeVisible();
  await expect(message).toHaveValue("");
  expect(await host.stop()).toBe(0);
  rmSync(folder, { recursive: true });
});

test("a call that ran during a reload ends with its result", async ({ page }) => {
  test.skip(!process.env.REHEARSAL_TEST_PYTHON, "SKIPPED, NOT PASSED: REHEARSAL_TEST_PYTHON is not set");
  const { folder, agent } = desk();
  const host = await startHost({ folder, arguments: [agent] });
  const rehearsal = await Rehearsal.at(page, "desk", host.url);
  await rehearsal.ask("Wait.");
  await rehearsal.choose("wait");
  const [during, after] = [join(folder, "during"), join(folder, "after")];
  const pending = page.locator(".row.pending");
  await rehearsal.fill("file", after);
  await rehearsal.run();
  await expect(pending).toBeVisible();
  await isAwaited(after);
  await isKept(page, after);
  await reload(page);
  await expect(pending).toBeVisible();
  writeFileSync(after, "");
  await expect(rehearsal.call(1)).toContainText("It is there.");
  // The tool returns while the page is not open.
  await rehearsal.fill("file", during);
  await rehearsal.run();
  await expect(pending).toBeVisible();
  await isAwaited(during);
  await isKept(page, during);
  await page.goto("about:blank");
  writeFileSync(during, "");
  await page.goBack();
  await hydrated(page);
  await expect(rehearsal.call(2)).toContainText("It is there.");
  expect(await host.stop()).toBe(0);
  rmSync(folder, { recursive: true });
});

test("a reload after a restart of the host names what is lost", async ({ page, picture }) => {
  test.skip(!process.env.REHEARSAL_TEST_PYTHON, "SKIPPED, NOT PASSED: REHEARSAL_TEST_PYTHON is not set");
  const { folder, agent } = desk();
  const first = await startHost({ folder, arguments: [agent] });
  const rehearsal = await Rehearsal.at(page, "desk", first.url);
  await rehearsal.ask("Count, then wait.");
  await rehearsal.choose("count");
  await rehearsal.run();
  await expect(rehearsal.call(1)).toContainText("→ 1");
  await rehearsal.choose("wait");
  await rehearsal.fill("file", join(folder, "never"));
  await rehearsal.run();
  await expect(page.locator(".row.pending")).toBeVisible();
  const address = page.url();
  await page.goto("about:blank");
  await first.stop();
  const second = await startHost({ folder, arguments: [agent], listen: new URL(first.url).host });
  await page.goto(address);
  await hydrated(page);
  const mark = page.locator(".timeline .restart");
  await expect(mark).toContainText("State, conversation and active agent are restored.", { timeout: 60_000 });
  await expect(mark).toContainText("Lost artifacts: count.txt.");
  await expect(rehearsal.call(2)).toContainText("while the page was not open");
  await picture("restored");
  await rehearsal.choose("count");
  await rehearsal.run();
  await expect(rehearsal.call(3)).toContainText("→ 2");
  expect(await second.stop()).toBe(0);
  rmSync(folder, { recursive: true });
});

test("a page that the browser lost without a word goes on after a reload", async ({ page, host }) => {
  void host;
  // As after a crash, no code of the page learns that it is left.
  await page.addInitScript(() => addEventListener("pagehide", (event) => event.stopImmediatePropagation(), true));
  const rehearsal = await Rehearsal.at(page, "math-agent");
  await rehearsal.ask("5 + 3?");
  await reload(page);
  await expect(page.locator(".timeline")).toContainText("5 + 3?");
});

test("a duplicate of the tab has a session of its own", async ({ page, host }) => {
  void host;
  const rehearsal = await Rehearsal.at(page, "math-agent");
  await rehearsal.ask("5 + 3?");
  // As a duplicate of a tab, the new page begins with a copy of the tab's storage.
  const opened = page.waitForEvent("popup");
  await page.evaluate(() => void window.open(location.href));
  const duplicate = await opened;
  await hydrated(duplicate);
  await expect(duplicate.getByRole("heading", { name: "User message" })).toBeVisible();
  const other = new Rehearsal(duplicate);
  await other.ask("1 + 1?");
  await duplicate.reload();
  await expect(duplicate.locator(".timeline")).toContainText("1 + 1?");
  await reload(page);
  await expect(page.locator(".timeline")).toContainText("5 + 3?");
  await expect(page.locator(".timeline")).not.toContainText("1 + 1?");
  await duplicate.close();
});

test("what cannot be kept is said, and asked about before it is lost", async ({ page, host, picture, accessible }) => {
  void host;
  let asked = 0;
  page.on("dialog", async (dialog) => {
    expect(dialog.type()).toBe("beforeunload");
    asked += 1;
    await dialog.accept();
  });
  const rehearsal = await Rehearsal.at(page, "math-agent");
  // The browser's storage is full.
  await page.evaluate(() => {
    let part = "x".repeat(1_000_000);
    while (part) {
      try {
        sessionStorage.setItem(`full-${sessionStorage.length}`, part);
      } catch {
        part = part.slice(0, part.length / 2);
      }
    }
  });
  await rehearsal.ask("5 + 3?");
  await expect(page.getByText("does not fit in the browser's storage")).toBeVisible();
  await picture("does not fit");
  await accessible();
  await page.reload();
  await hydrated(page);
  expect(asked).toBe(1);
  await expect(page.getByRole("heading", { name: "User message" })).toBeVisible();

  // With room, nothing is asked when the page is reloaded. What cannot be read does not crash the page.
  await page.evaluate(() => {
    Object.keys(sessionStorage).filter((key) => key.startsWith("full-")).forEach((key) => sessionStorage.removeItem(key));
  });
  await rehearsal.ask("1 + 1?");
  await expect(page.getByText("does not fit in the browser's storage")).toHaveCount(0);
  // The tab has kept it.
  await page.waitForFunction(() => Object.values(sessionStorage).some((kept) => kept.includes("1 + 1?")));
  await page.keyboard.press("F5");
  await page.reload();
  expect(asked).toBe(1);
  await expect(page.locator(".timeline")).toContainText("1 + 1?");
  await page.evaluate(() => {
    const kept = Object.keys(sessionStorage).filter((key) => /^rehearsal\.(session|input)\./.test(key));
    addEventListener("pagehide", () => kept.forEach((key) => sessionStorage.setItem(key, '{"session": 1')));
  });
  await page.reload();
  await expect(page.getByText("earlier session of the agent cannot be read")).toBeVisible();
  await expect(page.getByRole("heading", { name: "User message" })).toBeVisible();
  await picture("unreadable");
  await open(page, "/");
});

test("the browser asks before a tab is closed whose session was not exported", async ({ page, host }) => {
  void host;
  const rehearsal = await Rehearsal.at(page, "math-agent");
  await rehearsal.ask("5 + 3?");
  await rehearsal.answer("8");
  const asked = page.waitForEvent("dialog");
  await page.close({ runBeforeUnload: true });
  const dialog = await asked;
  expect(dialog.type()).toBe("beforeunload");
  await dialog.dismiss();
  await expect(page.getByText("Session completed")).toBeVisible();
  await rehearsal.export();
  const closed = page.waitForEvent("close");
  await page.close({ runBeforeUnload: true });
  await closed;
});

test("a page of another version asks to be reloaded, and keeps the draft", async ({ page, host, picture, accessible }) => {
  let isUpdated = true;
  await page.routeWebSocket(/\/api\/events/, (socket) => {
    const server = socket.connectToServer();
    server.onMessage((message) => {
      const text = message.toString();
      socket.send(isUpdated ? text.replace(/"version":"[^"]*"/, '"version":"9.8.7"') : text);
    });
  });
  await open(page, `${host.url}/rehearse/math-agent`);
  await page.getByLabel("User message").fill("What is 2 and 3?");
  const alert = page.getByRole("alert").filter({ hasText: "The host was updated to version 9.8.7." });
  await expect(alert).toBeVisible();
  await picture("another version");
  await accessible();
  isUpdated = false;
  await alert.getByRole("button", { name: "Reload page" }).press("Enter");
  await hydrated(page);
  await expect(page.getByLabel("User message")).toHaveValue("What is 2 and 3?");
  await expect(alert).toHaveCount(0);
});
