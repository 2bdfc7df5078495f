// The host reads its configuration again at SIGHUP: pages that are open follow its list of agents, and a rehearsal
// of an agent that was replaced or removed loses nothing.

import { writeFileSync } from "node:fs";
import { join } from "node:path";

import { expect, hydrated, MATH_ONLY, open, startHost, test } from "../fixtures";
import { Rehearsal } from "../rehearsal";

const POET = `
[[agent]]
name = "Poet"
source = "native"
example = "poet"
`;

/** An agent that is being loaded for as long as the story lasts. */
const SLOW = `
[[agent]]
name = "Slow"
source = "mcp"
instruction = "Wait."
[[agent.server]]
name = "silent"
command = "node"
args = ["-e", "setInterval(() => {}, 1000)"]
`;

test("agents are added, replaced and removed while pages are open", async ({ page, context, picture, accessible }) => {
  const host = await startHost({ config: `${MATH_ONLY}${POET}` });
  const reload = async (config: string) => {
    writeFileSync(join(host.folder, "rehearsal.toml"), config);
    const before = host.log().length;
    process.kill(host.pid, "SIGHUP");
    await expect.poll(() => host.log().slice(before)).toContain("configuration");
  };
  const list = await context.newPage();
  await open(list, `${host.url}/`);
  const names = list.locator(".agents h2");
  await expect(names).toHaveText(["Math Agent", "Poet"]);
  const rehearsal = await Rehearsal.at(page, "math-agent", host.url);
  await rehearsal.ask("What is 5 + 3?");
  await rehearsal.choose("add");
  await rehearsal.fill("a", "5");
  await rehearsal.fill("b", "3");
  await rehearsal.run();
  await expect(rehearsal.call(1)).toContainText("→ 8");
  await page.getByRole("tab", { name: /Final response/ }).click();
  const draft = page.getByRole("textbox", { name: "Final response" });
  await draft.fill("It is 8");

  // In the order of the file, and the agent that is as before goes on.
  await reload(`${SLOW}${MATH_ONLY}`);
  await expect(names).toHaveText(["Slow", "Math Agent"]);
  await expect(list.getByRole("article").filter({ hasText: "Slow" })).toContainText("Starting…");
  await expect(page.locator(".notices")).toBeEmpty();

  // Another one takes its place, and takes up the session.
  const moved = `${MATH_ONLY}eval_set_path = "moved.evalset.json"\n`;
  await reload(`${moved}${POET}`);
  await expect(names).toHaveText(["Math Agent", "Poet"]);
  await expect(page.locator(".notices")).toContainText(
    "The host's configuration of this agent changed. The session continues with its state",
  );
  await expect(page.locator(".timeline .restart")).toContainText("reopened on the host at this point");
  await expect(draft).toHaveValue("It is 8");
  await picture("replaced");
  await accessible();

  await reload(POET);
  await expect(names).toHaveText(["Poet"]);
  const removed = page.getByText("This agent was removed from the host:");
  await expect(removed).toBeVisible();
  await expect(draft).toHaveValue("It is 8");
  await picture("removed");
  await accessible();

  // The tab keeps the session over a reload, and the agent that comes back goes on with it.
  await page.reload();
  await hydrated(page);
  await expect(removed).toBeVisible();
  await expect(rehearsal.call(1)).toContainText("→ 8");
  await reload(`${POET}${moved}`);
  await expect(removed).toHaveCount(0);
  await expect(names).toHaveText(["Poet", "Math Agent"]);
  await page.getByRole("tab", { name: /Call a tool/ }).click();
  await rehearsal.choose("add");
  await rehearsal.fill("a", "1");
  await rehearsal.fill("b", "1");
  await rehearsal.run();
  await expect(rehearsal.call(2)).toContainText("→ 2");

  // What was recorded with an agent that is gone can be exported.
  await reload(POET);
  await expect(removed).toBeVisible();
  await rehearsal.answer("It is 8.");
  expect(await rehearsal.export()).toContain("moved.evalset.json");
  await expect(removed).toHaveCount(1);
  await picture("exported");
  await accessible();

  // A broken file changes nothing.
  await reload("[[agent]\n");
  await expect(names).toHaveText(["Poet"]);
  expect(host.log()).toContain("the configuration is unchanged: rehearsal.toml:1:");
  expect(await host.stop()).toBe(0);
});
