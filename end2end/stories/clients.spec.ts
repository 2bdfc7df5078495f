// A vendor's own Python client whose read timeout is a second, answered in Chromium after longer than
// that: a stream survives it, and a request that is asked again finds its own turn. And a custom tool.
//
// Needs REHEARSAL_TEST_PYTHON, which `cargo xtask test` sets.

import { spawn, type ChildProcess } from "node:child_process";
import { randomUUID } from "node:crypto";
import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";

import { answer, choose, field, introduce } from "../live-session";
import { expect, open, test as base } from "../fixtures";

const ROOT = resolve(import.meta.dirname, "../..");
const python = process.env.REHEARSAL_TEST_PYTHON;

/** A client in its own process. */
class Client {
  private printed = "";
  private readonly child: ChildProcess;
  readonly ended: Promise<number | null>;

  constructor(vendor: string, manner: string, url: string) {
    this.child = spawn(python ?? "python3", [join(ROOT, "tests/fixtures/clients/ask.py"), vendor, manner, url], {
      stdio: ["ignore", "pipe", "pipe"],
    });
    const read = (chunk: Buffer) => (this.printed += chunk.toString());
    this.child.stdout?.on("data", read);
    this.child.stderr?.on("data", read);
    this.ended = new Promise((ended) => this.child.once("exit", ended));
  }

  output(): string {
    return this.printed;
  }

  /** How often it has sent its request. */
  asked(): number {
    return this.printed.split("\n").filter((line) => line === "asked").length;
  }

  kill(): void {
    this.child.kill("SIGKILL");
  }
}

type Ask = (vendor: string, manner: string, session: string) => Client;

const test = base.extend<{ ask: Ask }>({
  ask: async ({ host }, use) => {
    const started: Client[] = [];
    await use((vendor, manner, session) => {
      const client = new Client(vendor, manner, `${host.url}/s/${session}/a/planner`);
      started.push(client);
      return client;
    });
    started.forEach((client) => client.kill());
  },
});

test.skip(!python, "SKIPPED, NOT PASSED: REHEARSAL_TEST_PYTHON is not set; cargo xtask test sets it");
test.setTimeout(180_000);

const PIXEL =
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

for (const vendor of ["chat", "responses", "anthropic", "gemini"]) {
  test(`${vendor}: a person who takes longer than the client's read timeout`, async ({ page, host, ask }) => {
    const session = randomUUID();
    const streamed = ask(vendor, "stream", session);
    await expect.poll(() => streamed.output(), { timeout: 60_000 }).toContain("asked");
    await expect
      .poll(async () => (await page.request.get(`${host.url}/live/${session}`)).status(), { timeout: 30_000 })
      .toBe(200);
    await open(page, `/live/${session}`);
    await expect(page.getByText("Will it rain in Lisbon?")).toBeVisible();
    await introduce(page, "Ann");
    await expect.poll(() => streamed.output(), { timeout: 60_000 }).toContain("waited");
    await answer(page, "No rain, after a long look.");
    expect(await streamed.ended, streamed.output()).toBe(0);
    expect(streamed.output()).toContain("answered: No rain, after a long look.");
    expect(streamed.asked(), "the stream was never given up").toBe(1);
    await expect(page.getByText(/^No pending requests/)).toBeVisible();

    const whole = ask(vendor, "whole", session);
    const facts = page.getByRole("region", { name: "Turn", exact: true });
    await expect(facts.locator("dd").last()).toHaveText("3", { timeout: 60_000 });
    // It has given up twice, and asked again.
    await expect.poll(() => whole.asked(), { timeout: 60_000 }).toBeGreaterThanOrEqual(3);
    await expect(page.getByText(/^1 waiting/)).toBeVisible();
    await answer(page, "Still none.");
    expect(await whole.ended, whole.output()).toBe(0);
    expect(whole.output()).toContain("answered: Still none.");

    // Two questions, two answers, however often they were asked.
    await page.getByRole("button", { name: "Session", exact: true }).click();
    const events = page.getByRole("list", { name: "Events" });
    await expect(events.getByRole("listitem")).toHaveCount(4);
    await expect(events.getByText("Ann", { exact: true })).toHaveCount(2);
  });
}

test("a custom tool takes the text that a person types, in several lines", async ({ page, host, picture, accessible }) => {
  const session = randomUUID();
  const asked = fetch(`${host.url}/s/${session}/a/planner/v1/responses`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({
      model: "gpt-test",
      input: "How many are there?",
      tools: [
        {
          type: "custom",
          name: "query",
          description: "Asks the archive.",
          format: { type: "grammar", syntax: "lark", definition: "start: WORD+" },
        },
      ],
    }),
  });
  await expect
    .poll(async () => (await page.request.get(`${host.url}/live/${session}`)).status(), { timeout: 30_000 })
    .toBe(200);
  await open(page, `/live/${session}`);
  await introduce(page, "Ann");
  await choose(page, "query");
  await expect(page.locator("#choice").getByText("start: WORD+")).toBeVisible();
  await field(page, "input").fill('select "all"\nfrom archive');
  await picture("query");
  await accessible();
  await page.locator("#send").click();
  const answered = (await (await asked).json()) as any;
  expect(answered.output).toHaveLength(1);
  expect(answered.output[0]).toMatchObject({
    type: "custom_tool_call",
    name: "query",
    input: 'select "all"\nfrom archive',
  });
});

test("a large image is shown, a large file is saved unchanged, and media that cannot be shown or played have a message", async ({ page, host }) => {
  const session = randomUUID();
  // Image decoders ignore the bytes after the end.
  const picture = Buffer.concat([Buffer.from(PIXEL, "base64"), Buffer.alloc(5 << 20, 7)]);
  const paper = Buffer.concat([Buffer.from("%PDF-1.7\n"), Buffer.alloc(6 << 20, 65)]);
  const inline = (mimeType: string, data: Buffer, displayName?: string) => ({
    inlineData: { mimeType, data: data.toString("base64"), displayName },
  });
  const parts = [
    { text: "What is on it?" },
    inline("image/png", picture),
    inline("application/pdf", paper, "paper.pdf"),
    inline("audio/wav", Buffer.alloc(1000)),
    inline("image/heic", Buffer.alloc(1000)),
    inline("text/plain", Buffer.from("as it is read"), "notes.txt"),
  ];
  const asked = fetch(`${host.url}/s/${session}/a/planner/v1beta/models/m:generateContent`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ contents: [{ role: "user", parts }] }),
  });
  await expect
    .poll(async () => (await page.request.get(`${host.url}/live/${session}`)).status(), { timeout: 30_000 })
    .toBe(200);
  await open(page, `/live/${session}`);
  await introduce(page, "Ann");
  const seen = page.getByRole("img", { name: "Image in the conversation, image/png" });
  await expect.poll(() => seen.evaluate((image: HTMLImageElement) => image.naturalWidth)).toBe(1);
  await expect(page.getByText("image/png · 5.2 MB")).toBeVisible();
  await expect(page.getByText("The browser cannot play this audio")).toBeVisible();
  await expect(page.getByText("The browser cannot show this image")).toBeVisible();
  for (const name of ["file.png", "file.wav", "file.heic", "notes.txt"]) {
    await expect(page.getByRole("link", { name: `Save ${name}` })).toBeVisible();
  }
  await expect(page.getByText("as it is read")).toBeVisible();
  const saving = page.waitForEvent("download");
  await page.getByRole("link", { name: "Save paper.pdf" }).click();
  const saved = await saving;
  expect(saved.suggestedFilename()).toBe("paper.pdf");
  expect(readFileSync(await saved.path()).equals(paper)).toBe(true);
  await expect(page, "the page stays").toHaveURL(new RegExp(`/live/${session}`));
  await answer(page, "A point.");
  expect((await asked).status).toBe(200);
});

test("instructions of fifty thousand lines are read and searched to the last", async ({ page, host }) => {
  const session = randomUUID();
  const instructions = Array.from({ length: 50_000 }, (_, at) => `- rule ${at + 1}`).join("\n");
  const asked = fetch(`${host.url}/s/${session}/a/planner/v1/chat/completions`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({
      model: "m",
      messages: [
        { role: "system", content: instructions },
        { role: "user", content: "Which is the last?" },
      ],
    }),
  });
  await expect
    .poll(async () => (await page.request.get(`${host.url}/live/${session}`)).status(), { timeout: 30_000 })
    .toBe(200);
  await open(page, `/live/${session}`);
  const left = page.getByRole("region", { name: "Model input" });
  await expect(left.locator(".prose li").first()).toHaveText("rule 1");
  await left.getByRole("button", { name: "Show all" }).click();
  await expect(left.locator(".prose li").last()).toHaveText("rule 50000");
  await left.getByRole("searchbox", { name: "Search instructions" }).fill("rule 50000");
  await expect(left.getByText("1 of 1")).toBeVisible();
  await expect(left.locator("mark")).toBeInViewport();
  await introduce(page, "Ann");
  await answer(page, "The fifty thousandth.");
  expect((await asked).status).toBe(200);
});
