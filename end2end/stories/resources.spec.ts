// Resources that the results of MCP tools link to are read, shown and saved; each failure says why.

import { readFileSync } from "node:fs";
import { join } from "node:path";

import { expect, MCP_SERVERS, startHost, test, type Host } from "../fixtures";
import { Rehearsal } from "../rehearsal";

function serve(command: string, args: string[]): Promise<Host> {
  return startHost({
    config: `
[[agent]]
name = "Librarian"
source = "mcp"
instruction = "Find notes."
[[agent.server]]
name = "library"
command = ${JSON.stringify(command)}
args = ${JSON.stringify(args)}
`,
  });
}

test("linked resources are shown and saved", async ({ page, picture, accessible }) => {
  const host = await serve("node", [join(import.meta.dirname, "..", "mcp", "links.mjs")]);
  const rehearsal = await Rehearsal.at(page, "librarian", host.url);
  await rehearsal.ask("What do I have to buy?");
  await rehearsal.run();
  const call = rehearsal.call(1);
  await call.getByRole("button").first().click();
  const links = call.getByRole("group", { name: "Content" }).locator(":scope > div.resource");
  const link = (name: string) => links.filter({ has: page.getByRole("button", { name, exact: true }) });
  const open = (name: string) => link(name).getByRole("button", { name, exact: true }).click();

  await expect(link("Today's notes")).toContainText("What to buy.");
  await expect(link("Today's notes")).toContainText("26 bytes");
  await open("Today's notes");
  await expect(link("Today's notes").locator("em")).toHaveText("oats");
  await open("flag");
  const image = link("flag").getByRole("img");
  await expect(image).toBeVisible();
  expect(await image.evaluate((it: HTMLImageElement) => it.naturalWidth)).toBe(60);
  await open("raw");
  await expect(link("raw")).toContainText("4 bytes without a type. Save it to open it in another program.");
  await open("long");
  await expect(link("long")).toContainText("2.0 MB, not shown here. Save it to open it in another program.");
  await open("gone");
  await expect(link("gone").getByRole("alert")).toContainText("The server library rejected the request: ");
  await expect(link("gone").getByRole("alert")).toContainText("No note notes://gone");
  await picture("opened");
  await accessible();

  for (const [name, file, bytes] of [
    ["raw", "raw", Buffer.from([0, 1, 2, 255])],
    ["long", "long.txt", Buffer.alloc(2_000_000, "x")],
    ["flag", "flag.svg", undefined],
  ] as const) {
    const download = page.waitForEvent("download");
    await link(name).getByRole("link", { name: `Save ${file}` }).click();
    const saved = await download;
    expect(saved.suggestedFilename()).toBe(file);
    const actual = readFileSync(await saved.path());
    expect(bytes === undefined ? actual.includes("<svg ") : actual.equals(bytes)).toBe(true);
  }
  const embedded = page.waitForEvent("download");
  await links.last().getByRole("link", { name: "Save bytes.bin" }).click();
  expect([...readFileSync(await (await embedded).path())]).toEqual([0, 1, 2]);

  const web = link("web").getByRole("link", { name: "https://example.com/" });
  await expect(web).toHaveAttribute("target", "_blank");
  await expect(web).toHaveAttribute("rel", "noopener noreferrer");

  await open("end");
  await expect(link("end").getByRole("alert")).toContainText("ended with exit status 3 while it read the resource");
  await open("flag");
  await open("flag");
  await expect(link("flag").getByRole("img")).toBeVisible();
  expect(await host.stop()).toBe(0);
});

test("the links of the reference server open", async ({ page }) => {
  const host = await serve(join(MCP_SERVERS, "mcp-server-everything"), ["stdio"]);
  const rehearsal = await Rehearsal.at(page, "librarian", host.url);
  await rehearsal.ask("Which resources are there?");
  await rehearsal.choose("get-resource-links");
  await rehearsal.run();
  const call = rehearsal.call(1);
  await expect(call).toContainText("Here are 3 resource links", { timeout: 60_000 });
  await call.getByRole("button").first().click();
  await call.getByRole("button", { name: "Text Resource 2" }).click();
  await expect(call).toContainText("Resource 2: This is a plaintext resource created at");
  await call.getByRole("button", { name: "Blob Resource 1" }).click();
  await expect(call).toContainText("Resource 1: This is a base64 blob created at");
  expect(await host.stop()).toBe(0);
});
