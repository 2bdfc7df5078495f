// What a person does with a form: the travel desk's booking has one of everything.

import { join } from "node:path";

import { type Locator, type Page } from "@playwright/test";

import { Player } from "../player";
import { expect, startHost, startShapes, test, type Host } from "../stage";

/** Opens the booking's form. */
async function booking(page: Page): Promise<Player> {
  const player = await Player.at(page, "travel-desk");
  await player.fill("query", "Book the fare to Lisbon");
  await player.fill("max_results", "1");
  await expect(preview(page)).toContainText('"query":"Book the fare to Lisbon","max_results":1');
  await player.begin();
  await player.choose("book_trip");
  return player;
}

/** A host with the tools of `mcp/files.mjs`, and a session on it. */
async function files(page: Page): Promise<{ host: Host; player: Player }> {
  const program = join(import.meta.dirname, "..", "mcp", "files.mjs");
  const host = await startHost({
    config: `
[[agent]]
name = "Files and settings"
source = "mcp"
instruction = "Store and change."
[[agent.server]]
name = "files"
command = "node"
args = [${JSON.stringify(program)}]
`,
  });
  const player = await Player.at(page, "files-and-settings", host.url);
  await player.ask("Store it.");
  return { host, player };
}

/** Puts text on the clipboard's event at the page itself, as Ctrl+V does with the focus nowhere. */
async function pasteAnywhere(page: Page, text: string): Promise<void> {
  await page.evaluate((text) => {
    (document.activeElement as HTMLElement | null)?.blur();
    const clipboardData = new DataTransfer();
    clipboardData.setData("text/plain", text);
    document.body.dispatchEvent(new ClipboardEvent("paste", { clipboardData, bubbles: true, cancelable: true }));
  }, text);
}

/** What would be sent. */
function preview(page: Page): Locator {
  return page.getByRole("region", { name: "What will be sent" });
}

/** The row of a field. */
function row(page: Page, label: string): Locator {
  return page.locator(".field").filter({
    has: page.locator(`xpath=./*[contains(@class, "field-label")][starts-with(normalize-space(), "${label}")]`),
  }).last();
}

test("a form shows what its schema says", async ({ page, picture, accessible }) => {
  await booking(page);
  await expect(page.getByText("The fare's code, as quote_trip gives it.")).toBeVisible();
  await expect(page.locator(".described code", { hasText: "quote_trip" })).toBeVisible();
  await expect(row(page, "bags").locator(".unit")).toHaveText("pieces");
  await expect(preview(page)).toContainText('{"payment":{"method":"card"}}');
  await picture("untouched");
  await accessible();
  // An example fills its field.
  await page.getByRole("button", { name: '"OSLLIS-2"' }).click();
  await expect(preview(page)).toContainText('"fare":"OSLLIS-2"');
});

test("formats are text with something that helps to write it", async ({ page, picture, accessible }) => {
  const player = await booking(page);
  await page.getByRole("button", { name: "New request_id" }).click();
  await expect(player.field("request_id")).toHaveValue(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  // What is not in its format stays as it was typed, is said, and would be sent.
  await player.fill("depart", "next Friday");
  await expect(page.getByText("Sent unchanged, but not a date such as 2026-11-21.")).toBeVisible();
  await expect(preview(page)).toContainText('"depart":"next Friday"');
  // The browser's picker writes into the text.
  const native = row(page, "depart").locator("input[type=date]");
  await expect(native).toHaveValue("");
  await native.evaluate((input: HTMLInputElement) => {
    input.value = "2026-12-24";
    input.dispatchEvent(new Event("change", { bubbles: true }));
  });
  await expect(player.field("depart")).toHaveValue("2026-12-24");
  await player.fill("remind_at", "2026-12-23T18:00:00+01:00");
  const moment = row(page, "remind_at").locator("input[type=datetime-local]");
  await expect(moment).toHaveValue(/^2026-12-23T18:00/);
  await moment.evaluate((input: HTMLInputElement) => {
    input.value = "2026-12-23T19:30";
    input.dispatchEvent(new Event("change", { bubbles: true }));
  });
  await expect(player.field("remind_at")).toHaveValue("2026-12-23T19:30:00+01:00");
  await player.fill("email", "ada");
  await picture("formats");
  await accessible();
});

test("a button opens the browser's own picker", async ({ page }) => {
  const player = await booking(page);
  const native = row(page, "depart").locator("input[type=date]");
  // The picker itself is the browser's and outside the page: what is asked of it is seen.
  await native.evaluate((input: HTMLInputElement) => {
    const show = input.showPicker.bind(input);
    input.showPicker = () => {
      show();
      input.dataset["shown"] = "yes";
    };
  });
  await page.getByRole("button", { name: "Pick depart" }).click();
  await expect(native).toHaveAttribute("data-shown", "yes");
  await page.keyboard.press("Escape");
  await player.fill("depart", "2026-12-24");
  await expect(native).toHaveValue("2026-12-24");
});

test("a file is chosen for its bytes", async ({ page, picture, accessible }) => {
  const { host, player } = await files(page);
  await player.choose("upload");
  const chooser = page.waitForEvent("filechooser");
  await page.getByRole("button", { name: "content from a file" }).click();
  const bytes = Buffer.from([0, 1, 2, 254, 255]);
  await (await chooser).setFiles({ name: "five.bin", mimeType: "application/octet-stream", buffer: bytes });
  await expect(player.field("content")).toHaveValue("AAEC/v8=");
  await picture("file");
  await accessible();
  await player.run();
  await expect(player.call(1)).toContainText("AAEC/v8=");
  await page.close();
  expect(await host.stop()).toBe(0);
});

test("a file's bytes are encoded as the schema asks, and a long file is refused in words", async ({ page, picture, accessible }) => {
  const host = await startShapes();
  const player = await Player.at(page, "shapes", host.url);
  await player.ask("Take it.");
  await player.choose("upload");
  const choose = async (name: string, buffer: Buffer) => {
    const chooser = page.waitForEvent("filechooser");
    await page.getByRole("button", { name: "bytes from a file" }).click();
    await (await chooser).setFiles({ name, mimeType: "application/octet-stream", buffer });
  };
  const field = player.field("bytes");
  await choose("film.bin", Buffer.alloc(6_000_000));
  await expect(row(page, "bytes")).toContainText("film.bin has 6.0 MB, and the limit is 5.0 MB");
  await expect(field).toHaveValue("");
  await picture("file-too-long");
  await accessible();
  // One that nobody would read is told by its length, and sent whole.
  await choose("long.bin", Buffer.alloc(300_000, 7));
  await expect(field).toHaveValue("300 KB");
  await expect(row(page, "bytes")).not.toContainText("film.bin");
  await picture("file-long");
  await player.run();
  await player.call(1).getByRole("button").first().click();
  await expect(player.call(1)).toContainText("BwcHBwcH");
  await choose("five.bin", Buffer.from([0, 1, 2, 254, 255]));
  await expect(field).toHaveValue("AAEC/v8=");
  await player.run();
  await expect(player.call(2)).toContainText("AAEC/v8=");
  await page.close();
  expect(await host.stop()).toBe(0);
});

test("of two files the one that was chosen last stands, and typing ends a reading", async ({ page, picture, accessible }) => {
  const host = await startShapes();
  const player = await Player.at(page, "shapes", host.url);
  await player.ask("Take one of them.");
  await player.choose("upload");
  // A file whose name says so is read no earlier than the story wants.
  await page.evaluate(() => {
    const read = FileReader.prototype.readAsDataURL;
    const waiting: (() => Promise<void>)[] = [];
    Object.assign(window, { readOn: () => waiting.shift()?.() });
    FileReader.prototype.readAsDataURL = function (file: Blob) {
      if (!(file instanceof File && file.name.startsWith("slow"))) {
        read.call(this, file);
        return;
      }
      waiting.push(async () => {
        const ended = new Promise((told) => this.addEventListener("loadend", told));
        read.call(this, file);
        await ended;
      });
    };
  });
  const readOn = () => page.evaluate(() => (window as unknown as { readOn(): Promise<void> }).readOn());
  const choose = async (name: string, ...bytes: number[]) => {
    const chooser = page.waitForEvent("filechooser");
    await page.getByRole("button", { name: "bytes from a file" }).click();
    await (await chooser).setFiles({ name, mimeType: "application/octet-stream", buffer: Buffer.from(bytes) });
  };
  const field = player.field("bytes");
  await choose("slow.bin", 0, 0, 0);
  await choose("five.bin", 0, 1, 2, 254, 255);
  await expect(field).toHaveValue("AAEC/v8=");
  await readOn();
  await expect(field).toHaveValue("AAEC/v8=");
  await choose("slow.bin", 0, 0, 0);
  await field.fill("QUJD");
  await readOn();
  await expect(field).toHaveValue("QUJD");
  await expect(preview(page)).toHaveText('{"bytes":"QUJD"}');
  // Who waits for it may be elsewhere by then, and stays there.
  await choose("slow.bin", 0, 0, 0);
  const filter = page.getByRole("searchbox", { name: "Filter tools" });
  await filter.focus();
  await readOn();
  await expect(field).toHaveValue("AAAA");
  await expect(filter).toBeFocused();
  // An empty file leaves what is there.
  await choose("empty.bin");
  await expect(row(page, "bytes")).toContainText("empty.bin is empty");
  await expect(field).toHaveValue("AAAA");
  await picture("file-empty");
  await accessible();
  // And whoever chose another one instead does not get the earlier one after all.
  await choose("slow.bin", 7, 7, 7);
  await choose("empty.bin");
  await readOn();
  await expect(field).toHaveValue("AAAA");
  await field.fill("");
  await expect(row(page, "bytes")).not.toContainText("empty.bin");
  await page.close();
  expect(await host.stop()).toBe(0);
});

test("one of twenty thousand values is found by typing, with the keyboard alone", async ({ page, picture, accessible }) => {
  const host = await startShapes();
  const player = await Player.at(page, "shapes", host.url);
  await player.ask("Find it.");
  await player.choose("station");
  const field = page.getByRole("combobox", { name: /^code/ });
  await expect(field).toBeFocused();
  const options = page.getByRole("listbox", { name: "Options for code" }).getByRole("option");
  const said = row(page, "code").getByRole("status");
  // No list of thousands is made, and of those that are listed the person is told.
  await expect(options).toHaveCount(0);
  await page.keyboard.press("ArrowDown");
  await expect(options).toHaveCount(200);
  await expect(said).toHaveText("200 of 20,000 shown. Type to filter.");
  await picture("long-choice");
  await accessible();
  await page.keyboard.type("199");
  await expect(options).toHaveCount(140);
  await page.keyboard.type("87");
  await expect(options).toHaveText(["ST-19987"]);
  await expect(said).toHaveText("1 of 20,000.");
  await page.keyboard.press("Enter");
  await expect(options).toHaveCount(0);
  await expect(field).toHaveValue("ST-19987");
  // What is typed is a search: Escape takes it back, and leaving takes a label that is written out.
  await page.keyboard.press("Control+a");
  await page.keyboard.type("nowhere");
  await expect(said).toHaveText("None of 20,000 options match.");
  await page.keyboard.press("Escape");
  await expect(field).toHaveValue("ST-19987");
  await page.keyboard.press("Control+a");
  await page.keyboard.type("st-00042");
  await page.keyboard.press("Tab");
  await expect(field).toHaveValue("ST-00042");
  await picture("long-choice-chosen");
  await field.click();
  await options.nth(7).click();
  await expect(field).toHaveValue("ST-00007");
  await player.run();
  await expect(player.call(1)).toContainText("ST-00007");
  // It may leave the page while it has the focus and its list is open.
  await field.focus();
  await page.keyboard.press("ArrowDown");
  await page.getByRole("list", { name: "Tools" }).getByText("upload", { exact: true }).dispatchEvent("click");
  await expect(player.field("bytes")).toBeVisible();
  await page.close();
  expect(await host.stop()).toBe(0);
});

test("what the form knows is said at its place", async ({ page, picture, accessible }) => {
  const host = await startShapes();
  const player = await Player.at(page, "shapes", host.url);
  await player.ask("Know it.");
  // A schema that says nothing takes an object all the same.
  await player.choose("anything");
  await expect(preview(page)).toHaveText("{}");
  const add = page.getByRole("button", { name: "+ add entry" });
  await expect(add).toBeVisible();
  await expect(page.locator("form").getByRole("combobox")).toHaveCount(0);
  // Nothing is asked for, so Enter runs it; what might be added is one step back.
  await expect(page.getByRole("button", { name: /^Run/ })).toBeFocused();
  await page.keyboard.press("Enter");
  await expect(player.call(1)).toContainText("anything");
  await add.click();
  await page.getByRole("textbox", { name: "Name of the entry" }).fill("tea");
  await player.choose("ask");
  await player.choose("anything");
  await expect(page.getByRole("textbox", { name: "Name of the entry" })).toBeFocused();
  // Branches go by what they require.
  await player.choose("locate");
  const kinds = page.locator("form").getByRole("radiogroup").first();
  await expect(kinds.getByRole("radio")).toHaveCount(2);
  await expect(kinds).toContainText("city");
  await expect(kinds).toContainText("lat, lon");
  await picture("branches");
  // A name without a value is no value that is left out.
  await player.choose("prices");
  await expect(add).toBeFocused();
  await add.click();
  await page.getByRole("textbox", { name: "Name of the entry" }).fill("tea");
  await expect(preview(page)).toHaveText('{"tea":?}');
  await player.run();
  const form = page.locator("#tool-form");
  await expect(form).toContainText("Give tea a value, or remove the entry.");
  await picture("entry-without-value");
  // What no reader of JSON holds is told where it stands.
  const value = page.getByRole("textbox", { name: "Value of the entry" });
  await value.fill("1e309");
  await player.run();
  await expect(form.locator(".entry")).toContainText("1e309 is out of range");
  await expect(value).toHaveAttribute("aria-invalid", "true");
  await picture("beyond-reading");
  await accessible();
  // JSON that would lose a member on its way stays JSON, says where, and is not sent.
  const edit = (name: string) => form.getByRole("group", { name: "Edit as" }).getByRole("button", { name });
  await edit("JSON").click();
  await form.getByRole("textbox", { name: "JSON" }).fill('{"tea": 1, "tea": 2}');
  await edit("Form").click();
  const twice = "The member tea is repeated at line 1, column 12";
  await expect(form).toContainText(twice);
  await picture("member-twice");
  await player.run();
  await expect(form.getByRole("textbox", { name: "JSON" })).toBeFocused();
  await expect(form).toContainText(twice);
  await form.getByRole("textbox", { name: "JSON" }).fill('{"tea": 2}');
  await edit("Form").click();
  await expect(page.getByRole("textbox", { name: "Value of the entry" })).toHaveValue("2");
  // The same where the schema gives no form.
  await player.choose("unresolved");
  await form.getByRole("textbox", { name: "JSON" }).fill('{"in": {}, "in": {}}');
  await expect(form).toContainText("As JSON:");
  await expect(form).toContainText("The member in is repeated at line 1, column 12");
  await page.close();
  expect(await host.stop()).toBe(0);
});

test("many members under a condition are drawn as they come near", async ({ page }) => {
  const { host, player } = await files(page);
  await player.choose("configure");
  const everything = page.locator("form").getByRole("radiogroup", { name: /^everything/ });
  await expect(everything).toBeVisible();
  await expect(player.field("setting_1")).toHaveCount(0);
  await everything.getByRole("radio", { name: "true" }).check();
  await expect(everything.getByRole("radio", { name: "true" })).toBeFocused();
  await player.fill("setting_1", "first");
  await expect(player.field("setting_200")).toHaveCount(0);
  // Every one is reached by scrolling, and what was typed stays.
  await expect(async () => {
    await page.locator("form .batch").last().scrollIntoViewIfNeeded();
    await expect(player.field("setting_200")).toBeVisible({ timeout: 500 });
  }).toPass();
  await player.fill("setting_200", "last");
  await expect(preview(page)).toContainText('"setting_200":"last"');
  // A member that goes is not sent, and is found again as it was.
  await everything.getByRole("radio", { name: "false" }).check();
  await expect(page.locator("form .batch")).toHaveCount(0);
  await expect(preview(page)).not.toContainText("setting_200");
  await expect(player.field("setting_2")).toHaveCount(0);
  await everything.getByRole("radio", { name: "true" }).check();
  await expect(preview(page)).toContainText('"setting_200":"last"');
  await page.close();
  expect(await host.stop()).toBe(0);
});

test("a secret is shown when it is asked for", async ({ page }) => {
  await booking(page);
  const code = row(page, "code").locator("input").first();
  await code.fill("123");
  await expect(code).toHaveAttribute("type", "password");
  await row(page, "code").getByRole("button", { name: "show" }).click();
  await expect(code).toHaveAttribute("type", "text");
  await expect(code).toHaveValue("123");
  // And it needs the holder beside it, said where the holder is missing.
  await expect(row(page, "holder")).toContainText("Required with code");
});

test("a range has a slider, and the text is what is sent", async ({ page, picture }) => {
  const player = await booking(page);
  const bags = player.field("bags");
  await bags.pressSequentially("-");
  await expect(bags).toHaveValue("-");
  await bags.fill("");
  await page.getByRole("slider", { name: "bags" }).press("ArrowRight");
  await expect(bags).toHaveValue("2");
  await bags.press("ArrowUp");
  await expect(bags).toHaveValue("3");
  const discount = player.field("discount");
  for (const text of ["0", "0.", "0.1"]) {
    await discount.fill(text);
    await expect(discount).toHaveValue(text);
  }
  await page.getByRole("slider", { name: "discount" }).press("ArrowRight");
  await page.getByRole("slider", { name: "discount" }).press("ArrowRight");
  // Exact: not 0.15000000000000002.
  await expect(discount).toHaveValue("0.2");
  await expect(preview(page)).toContainText('"bags":3,"discount":0.2');
  await picture("ranges");
});

test("a condition brings its members while one types", async ({ page, picture, accessible }) => {
  const player = await booking(page);
  await expect(player.field("birth_date")).toHaveCount(0);
  const insured = row(page, "insured").getByRole("radio", { name: "true" });
  await insured.check();
  await expect(player.field("birth_date")).toBeVisible();
  await expect(insured).toBeFocused();
  await player.fill("birth_date", "1815-12-10");
  await expect(preview(page)).toContainText('"birth_date":"1815-12-10"');
  await picture("insured");
  await accessible();
  await row(page, "insured").getByRole("radio", { name: "false" }).check();
  await expect(player.field("birth_date")).toHaveCount(0);
  await expect(preview(page)).not.toContainText("birth_date");
  // Found again as it was.
  await insured.check();
  await expect(player.field("birth_date")).toHaveValue("1815-12-10");
});

test("an entry's name chooses its schema", async ({ page, picture, accessible }) => {
  await booking(page);
  await row(page, "extras").getByRole("radio", { name: "object" }).check();
  await row(page, "extras").getByRole("button", { name: "+ add entry" }).click();
  const name = page.getByRole("textbox", { name: "Name of the entry" });
  await expect(name).toBeFocused();
  await name.fill("fee_pet");
  const value = page.locator(".entry .field-control").locator("input, textarea").first();
  await value.fill("-3");
  await expect(page.locator(".entry")).toContainText("At least 0 (minimum).");
  await value.fill("30");
  await expect(preview(page)).toContainText('"extras":{"fee_pet":30}');
  await name.fill("colour");
  await expect(page.locator(".entry")).toContainText("does not match ^note_ or ^fee_");
  await picture("entry");
  await accessible();
  await name.fill("fee_dog");
  await expect(preview(page)).toContainText('"extras":{"fee_dog":30}');
});

test("switching the kind of value keeps what both have, and is taken back", async ({ page, picture }) => {
  await booking(page);
  await row(page, "holder").locator("textarea").fill("Ada");
  await row(page, "number").locator("textarea").fill("441712345678");
  const payment = row(page, "payment");
  await payment.getByRole("radio", { name: "invoice" }).check();
  await expect(row(page, "holder").locator("textarea")).toHaveValue("Ada");
  await expect(preview(page)).toContainText('{"method":"invoice","holder":"Ada"');
  await picture("switched");
  await page.getByRole("button", { name: "Undo type change" }).click();
  await expect(preview(page)).toContainText('"method":"card","holder":"Ada","number":"441712345678"');
  // The same by key, from a control that has no typing to take back.
  const card = '"method":"card","holder":"Ada","number":"441712345678"';
  await payment.getByRole("radio", { name: "invoice" }).check();
  await page.keyboard.press("Control+z");
  await expect(preview(page)).toContainText(card);
  // What was typed since is taken back first, then the switch.
  const company = row(page, "company").locator("textarea");
  await payment.getByRole("radio", { name: "invoice" }).check();
  await company.fill("Far & Away");
  await page.getByRole("button", { name: "Undo typing" }).click();
  await expect(company).toHaveValue("");
  await page.getByRole("button", { name: "Undo type change" }).click();
  await expect(preview(page)).toContainText(card);
  // By key too: the input takes its letter back, and with nothing left to it the form goes on.
  await payment.getByRole("radio", { name: "invoice" }).check();
  await company.pressSequentially("F");
  await page.keyboard.press("Control+z");
  await expect(company).toHaveValue("");
  await page.keyboard.press("Control+z");
  await expect(preview(page)).toContainText(card);
});

test("a number is typed in peace, also where somebody was before", async ({ page }) => {
  await booking(page);
  const bags = row(page, "bags");
  const input = bags.getByRole("textbox");
  await input.fill("1e");
  await input.blur();
  await expect(bags).toContainText("A whole number, such as 12.");
  for (const begun of ["-", "1.", "1e", "1e-"]) {
    await input.fill(begun);
    await expect(preview(page)).toContainText(`"bags":${begun}`);
    await expect(bags).not.toContainText("A whole number");
  }
  await input.blur();
  await expect(bags).toContainText("A whole number, such as 12.");
});

test("any field can be text, and comes back as it was", async ({ page, picture, accessible }) => {
  await booking(page);
  await row(page, "holder").locator("textarea").fill("Ada");
  const payment = row(page, "payment");
  await payment.hover();
  await page.getByRole("button", { name: "Edit payment as JSON" }).click();
  const text = payment.getByRole("textbox");
  await expect(text).toBeFocused();
  await expect(text).toHaveValue(/"holder": "Ada"/);
  await text.fill('{\n  "method": "card",\n  "number": nope\n}');
  await text.blur();
  await expect(payment).toContainText(/Not JSON: .* at line 3, column/);
  await picture("json");
  await accessible();
  await text.fill('{"method": "invoice", "company": "Far & Away"}');
  await payment.getByRole("button", { name: "as a form" }).click();
  await expect(row(page, "company").locator("textarea")).toHaveValue("Far & Away");
  // From a field of its own by key, and back.
  await row(page, "company").locator("textarea").press("Alt+j");
  await expect(row(page, "company").getByRole("textbox")).toHaveValue('"Far & Away"');
  await row(page, "company").getByRole("textbox").press("Alt+j");
  await expect(row(page, "company").locator("textarea")).toHaveValue("Far & Away");
});

test("arguments are pasted from wherever they were copied", async ({ page, picture, accessible }) => {
  await booking(page);
  await page.getByRole("button", { name: "Paste…", exact: true }).click();
  const box = page.getByRole("textbox", { name: "Arguments to paste" });
  await expect(box).toBeFocused();
  await box.fill("{fare: 1}");
  await expect(page.locator(".paste-box")).toContainText(/Not JSON: .*line 1/);
  const call = {
    type: "function",
    function: { name: "book_trip", arguments: JSON.stringify({ fare: "OSLLIS-2", payment: { method: "invoice", company: "Far & Away" }, colour: "red" }) },
  };
  await box.fill(JSON.stringify(call));
  await expect(box).toHaveCount(0);
  await expect(page.getByRole("status").filter({ hasText: "Filled in from a call of `book_trip`" })).toContainText("`colour`");
  await expect(row(page, "company").locator("textarea")).toHaveValue("Far & Away");
  await picture("pasted");
  await accessible();
  await page.getByRole("button", { name: /^Undo/ }).first().click();
  await expect(preview(page)).toContainText('{"payment":{"method":"card"}}');
});

test("arguments are pasted anywhere on the page", async ({ page }) => {
  const player = await booking(page);
  await pasteAnywhere(page, '```json\n{"fare": "OSLLIS-2"}\n```');
  await expect(preview(page)).toContainText('"fare":"OSLLIS-2"');
  await expect(page.getByRole("status").filter({ hasText: "Pasted values filled in." })).toBeVisible();
  // What is no call is told, and nothing is lost.
  await pasteAnywhere(page, "[{}, {}]");
  await expect(page.getByText("ound a list of 2: copy one call or one object of it")).toBeVisible();
  await expect(preview(page)).toContainText('"fare":"OSLLIS-2"');
  // In a field a paste is the field's own.
  await player.field("fare").focus();
  await page.evaluate(() => {
    const clipboardData = new DataTransfer();
    clipboardData.setData("text/plain", '{"fare": "elsewhere"}');
    document.activeElement?.dispatchEvent(new ClipboardEvent("paste", { clipboardData, bubbles: true, cancelable: true }));
  });
  await expect(preview(page)).toContainText('"fare":"OSLLIS-2"');
});

test("what a schema says of its fields is beside them, and references become fields", async ({ page, picture, accessible }) => {
  const host = await startShapes();
  const player = await Player.at(page, "shapes", host.url);
  await player.ask("Take it.");
  await player.choose("documented");
  await expect(row(page, "number")).toContainText("Read-only: set by the tool");
  await expect(row(page, "note")).toContainText("Deprecated");
  await expect(row(page, "speed")).toContainText("Speed (km/h)");
  // A default is shown and not sent; of many examples the last ones wait behind a word.
  await expect(row(page, "speed")).toContainText("50");
  await expect(preview(page)).not.toContainText("speed");
  const last = row(page, "speed").getByRole("button", { name: "120" });
  await expect(last).toBeHidden();
  await row(page, "speed").getByText("2 more").click();
  await last.click();
  await expect(player.field("speed")).toHaveValue("120");
  await picture("documented");
  await accessible();
  // Of an enum, many at once: what is none of its values is told at its place.
  await row(page, "colours").getByRole("button", { name: "paste…" }).click();
  await page.getByRole("textbox", { name: "Items to add to colours" }).fill("red\nblue\npink");
  await page.getByRole("button", { name: "Add 3 items" }).click();
  await expect(preview(page)).toContainText('"colours":["red","blue","pink"]');
  await player.field("speed").focus();
  await expect(row(page, "colours")).toContainText("Item 3");
  await picture("many-pasted");
  await accessible();
  // An anchor and a dynamic one lead to fields, and not to JSON.
  await pasteAnywhere(page, '{"speed": 120, "at": {"x": 1, "y": 2}, "tree": {"name": "a", "children": [{"name": "b"}]}}');
  const form = page.locator("form");
  await expect(form.getByRole("textbox", { name: /^x\b/ })).toHaveValue("1");
  const names = form.getByRole("textbox", { name: /^name\b/ });
  await expect(names).toHaveCount(2);
  await names.last().fill("c");
  await expect(preview(page)).toContainText('"children":[{"name":"c"}]');
  await picture("references");
  await accessible();

  // Nine calls, of which eight are offered at first.
  for (let speed = 1; speed <= 9; speed += 1) {
    await player.fill("speed", `${speed}`);
    await player.run();
    await expect(player.call(speed)).toBeVisible();
  }
  await page.getByText("Recent 9").click();
  const sent = page.getByRole("list", { name: "Previous arguments" }).getByRole("button");
  await expect(sent).toHaveCount(8);
  await page.getByRole("button", { name: "Show more" }).click();
  await expect(sent).toHaveCount(9);
  await sent.last().click();
  await expect(player.field("speed")).toHaveValue("1");
  await page.close();
  expect(await host.stop()).toBe(0);
});

test("many items are pasted into a list", async ({ page }) => {
  await booking(page);
  await row(page, "seats").getByRole("button", { name: "paste…" }).click();
  await page.getByRole("textbox", { name: "Items to add to seats" }).fill("12A\n12B\nwindow");
  await page.getByRole("button", { name: "Add 3 items" }).click();
  await expect(preview(page)).toContainText('"seats":["12A","12B","window"]');
  await expect(page.getByText("Does not match ^[0-9]+[A-F]$ (pattern).")).toBeVisible();
  // An item is carried to the end by the keyboard, and the focus goes with it.
  const up = page.getByRole("button", { name: "Move seats item 3 up" });
  await up.focus();
  await page.keyboard.press("Enter");
  await expect(page.getByRole("button", { name: "Move seats item 2 up" })).toBeFocused();
  await page.keyboard.press("Enter");
  const first = page.getByRole("button", { name: "Move seats item 1 up" });
  await expect(first).toBeFocused();
  await expect(first).toHaveAttribute("aria-disabled", "true");
  await page.keyboard.press("Enter");
  await expect(first).toBeFocused();
});

test("what was sent before is filled in with one click", async ({ page, picture, accessible }) => {
  const player = await booking(page);
  await player.fill("fare", "OSLLIS-2");
  await row(page, "payment").getByRole("radio", { name: "invoice" }).check();
  await row(page, "company").locator("textarea").fill("Far & Away");
  await player.run();
  await expect(player.call(1)).toContainText("BK-OSLLIS-2");
  await page.getByRole("button", { name: "Clear" }).click();
  await page.getByText("Recent 1").click();
  await picture("recent");
  await accessible();
  await page.getByRole("list", { name: "Previous arguments" }).getByRole("button").click();
  await expect(preview(page)).toContainText('"company":"Far & Away"');
});

test("what the host finds stands at the same field", async ({ page, picture, accessible }) => {
  const host = await startShapes();
  const player = await Player.at(page, "shapes", host.url);
  await player.ask("Check in.");
  await player.choose("check_in");
  await player.fill("seat", "12A");
  await player.fill("code", "000");
  // The form has nothing against it: only the host can tell.
  await player.field("seat").focus();
  await expect(player.field("code")).toHaveAttribute("aria-invalid", "false");
  await expect(page.getByText(/needs? attention/)).toHaveCount(0);
  await player.run();
  await expect(player.field("code")).toHaveAttribute("aria-invalid", "true");
  await expect(player.field("code")).toBeFocused();
  await expect(row(page, "code")).toContainText("Does not match");
  await expect(player.field("seat")).toHaveAttribute("aria-invalid", "false");
  await expect(player.call(1)).toHaveCount(0);
  await picture("host");
  await accessible();
  await player.fill("code", "123");
  await expect(player.field("code")).toHaveAttribute("aria-invalid", "false");
  // A member that no schema has looked at is refused where it stands.
  await pasteAnywhere(page, '{"code": "123", "guest": {"name": "Ada", "zz": 1}}');
  await player.run();
  await expect(page.getByText("1 field needs attention", { exact: true })).toBeVisible();
  await expect(row(page, "guest").getByText("does not allow the member zz here")).toBeInViewport({ ratio: 0.95 });
  await expect(player.call(1)).toHaveCount(0);
  await picture("unevaluated");
  // In JSON mode it has a line and a column, and on the way back it finds its field again.
  await page.getByRole("group", { name: "Edit as" }).getByRole("button", { name: "JSON" }).click();
  await expect(page.getByText(/^guest\.zz at line \d+, column \d+: .*does not allow the member zz here/)).toBeVisible();
  await page.getByRole("group", { name: "Edit as" }).getByRole("button", { name: "Form" }).click();
  await expect(row(page, "guest").getByText("does not allow the member zz here")).toBeVisible();
  await pasteAnywhere(page, '{"code": "123", "guest": {"name": "Ada"}}');
  await player.run();
  await expect(player.call(1)).toContainText("Ada");
  await page.close();
  expect(await host.stop()).toBe(0);
});

test("what is wrong with the whole stands above its fields", async ({ page, picture, accessible }) => {
  const host = await startShapes();
  const player = await Player.at(page, "shapes", host.url);
  await player.ask("A pair.");
  await player.choose("pair");
  await player.fill("a", "one");
  await player.run();
  await expect(player.call(1)).toHaveCount(0);
  const whole = page.locator("#tool-form-root");
  await expect(whole).toContainText(/2/);
  await expect(whole).toBeFocused();
  await expect(whole).toBeInViewport({ ratio: 1 });
  await picture("whole");
  await accessible();
  await player.fill("b", "two");
  await expect(whole).toBeEmpty();
  await player.run();
  await expect(player.call(1)).toHaveClass(/returned|failed/);
  await page.close();
  expect(await host.stop()).toBe(0);
});

test("a whole number is typed in any spelling and sent as digits", async ({ page }) => {
  const host = await startShapes();
  const player = await Player.at(page, "shapes", host.url);
  await player.ask("Choose.");
  await player.choose("choose");
  const count = player.field("count");
  // From the default, as a slider would go.
  await count.press("ArrowUp");
  await expect(count).toHaveValue("4");
  await count.fill("");
  for (const [typed, sent] of [["1", "1"], ["1e3", "1000"], ["1.0", "1"]] as const) {
    await count.fill("");
    await count.pressSequentially(typed);
    await expect(count).toHaveValue(typed);
    await expect(preview(page)).toHaveText(`{"count":${sent}}`);
  }
  await count.fill("1e999999");
  await expect(row(page, "count")).toContainText("choose a smaller exponent");
  await count.fill("1e3");
  await player.field("mode").focus();
  await expect(count).toHaveValue("1000");
  await player.run();
  await expect(player.call(1)).toContainText("1000");
  await page.close();
  expect(await host.stop()).toBe(0);
});

test("a message about JSON text stays in sight", async ({ page, picture }) => {
  const host = await startShapes();
  const player = await Player.at(page, "shapes", host.url);
  await player.ask("Plant.");
  await player.choose("plant");
  await page.locator("#tool-form").getByRole("button", { name: "JSON", exact: true }).click();
  const json = page.getByRole("textbox", { name: "JSON" });
  // Who pauses at what is no JSON is told of it, and who types on is not.
  await json.fill('{"root": {"name": "oak", "children": [tru]}}');
  await expect(page.getByText(/^Not JSON: .*tru/)).toBeVisible();
  await json.fill('{"root": {"name": "oak", "children": []}}');
  await expect(page.getByText(/^Not JSON/)).toHaveCount(0);
  await json.fill(`{\n  "root": {\n    "name": "oak",\n    "children": [\n${"      1,\n".repeat(60)}      nil\n    ]\n  }\n}`);
  await player.run();
  const told = page.getByText(/^Not JSON: .* at line 65, column/);
  await expect(told).toBeInViewport({ ratio: 1 });
  const foot = await page.locator(".tool-form .panel-foot").boundingBox();
  const message = await told.boundingBox();
  expect((message?.y ?? 0) + (message?.height ?? 0)).toBeLessThanOrEqual(foot?.y ?? 0);
  await picture("json-message");
  await page.close();
  expect(await host.stop()).toBe(0);
});

test("options that look alike are told apart, and large integers are told of", async ({ page, picture, accessible }) => {
  const host = await startShapes();
  const player = await Player.at(page, "shapes", host.url);
  await player.ask("Choose.");
  await player.choose("choose");
  const mode = player.field("mode");
  await expect(mode.locator("option")).toHaveText(["not sent", "null", '"1"', "1", '"null"', "fast"]);
  await mode.selectOption({ label: '"1"' });
  await expect(preview(page)).toContainText('"mode":"1"');
  await mode.selectOption({ label: "1" });
  await expect(preview(page)).toContainText('"mode":1');
  await player.fill("count", "18446744073709551616");
  await expect(row(page, "count")).toContainText("does not fit 64 bits");
  await picture("alike");
  await accessible();
  await player.fill("count", "18446744073709551615");
  await expect(row(page, "count")).not.toContainText("64 bits");
  await player.run();
  await expect(player.call(1)).toContainText("18446744073709551615");
  await page.close();
  expect(await host.stop()).toBe(0);
});

test("a list of texts is written with the keyboard alone", async ({ page }) => {
  const host = await startShapes();
  const player = await Player.at(page, "shapes", host.url);
  await player.ask("Choose.");
  await player.choose("choose");
  // The new field has the focus in the next frame; a person's next key comes later than that.
  const fresh = () =>
    expect.poll(() => page.evaluate(() => (document.activeElement as HTMLTextAreaElement | null)?.value)).toBe("");
  // So has what was moved.
  const focused = () => expect.poll(() => page.evaluate(() => document.activeElement?.tagName)).not.toBe("BODY");
  await row(page, "tags").getByRole("button", { name: "+ add" }).focus();
  await page.keyboard.press("Enter");
  await fresh();
  await page.keyboard.type("one");
  await page.keyboard.press("Enter");
  await fresh();
  await page.keyboard.type("three");
  // Between them: Enter adds after the item, not at the end.
  await page.keyboard.press("Shift+Tab");
  for (let step = 0; step < 4; step += 1) {
    const text = await page.evaluate(() => (document.activeElement as HTMLTextAreaElement | null)?.value);
    if (text === "one") {
      break;
    }
    await page.keyboard.press("Shift+Tab");
  }
  await page.keyboard.press("Enter");
  await fresh();
  await page.keyboard.type("two");
  await expect(preview(page)).toContainText('"tags":["one","two","three"]');
  // Nothing follows an item without words, and Shift begins a line.
  await page.keyboard.press("Shift+Enter");
  await page.keyboard.type("lines");
  await expect(preview(page)).toContainText('"two\\nlines"');
  // What is moved and taken back keeps the focus.
  await page.keyboard.press("Alt+ArrowUp");
  await expect(preview(page)).toContainText('"tags":["two\\nlines","one","three"]');
  await page.getByRole("button", { name: "Move tags item 1 down" }).focus();
  await page.keyboard.press("Enter");
  await expect(preview(page)).toContainText('"tags":["one","two\\nlines","three"]');
  await focused();
  await page.keyboard.press("Control+z");
  await expect(preview(page)).toContainText('"tags":["two\\nlines","one","three"]');
  await focused();
  // An empty item is filled before another is added.
  await page.getByRole("button", { name: "+ add" }).last().focus();
  await page.keyboard.press("Enter");
  await fresh();
  await page.keyboard.press("Shift+Tab");
  for (let step = 0; step < 4; step += 1) {
    const text = await page.evaluate(() => (document.activeElement as HTMLTextAreaElement | null)?.value);
    if (text === "three") {
      break;
    }
    await page.keyboard.press("Shift+Tab");
  }
  await page.keyboard.press("Enter");
  await fresh();
  await page.keyboard.type("four");
  await expect(preview(page)).toContainText('"tags":["two\\nlines","one","three","four"]');
  await page.close();
  expect(await host.stop()).toBe(0);
});

test("a new field has the focus, however deep", async ({ page, picture }) => {
  const host = await startShapes();
  const player = await Player.at(page, "shapes", host.url);
  await player.ask("Plant.");
  await player.choose("plant");
  await page.locator("form").getByRole("textbox", { name: /^name/ }).first().focus();
  for (let level = 0; level < 7; level += 1) {
    await page.keyboard.type(`n${level}`);
    const add = page.locator("form").getByRole("button", { name: "+ add" }).last();
    await add.focus();
    await page.keyboard.press("Enter");
    await expect(add).not.toBeFocused();
  }
  await page.keyboard.type("last");
  await expect(preview(page)).toContainText('"name":"last"');
  await picture("deep");
  // However deep, nothing reaches beyond its panel.
  const beyond = await page.locator(".panel-body").evaluate((body) => body.scrollWidth - body.clientWidth);
  expect(beyond).toBe(0);
  await page.close();
  expect(await host.stop()).toBe(0);
});

test("quotes and backslashes stay as they are typed", async ({ page }) => {
  const host = await startShapes();
  const player = await Player.at(page, "shapes", host.url);
  await player.ask("Say it.");
  await player.choose("echo");
  const text = player.field("text");
  await text.pressSequentially('a"\\b');
  await expect(text).toHaveValue('a"\\b');
  await expect(preview(page)).toContainText(String.raw`{"text":"a\"\\b"}`);
  await text.press("Alt+j");
  const json = row(page, "text").getByRole("textbox");
  await expect(json).toHaveValue(String.raw`"a\"\\b"`);
  await json.fill("");
  await json.pressSequentially(String.raw`"c\"\\d"`);
  await expect(json).toHaveValue(String.raw`"c\"\\d"`);
  await expect(preview(page)).toContainText(String.raw`{"text":"c\"\\d"}`);
  await json.press("Alt+j");
  await expect(text).toHaveValue('c"\\d');
  await player.run();
  // On one line it is written out as JSON writes it.
  await expect(player.call(1)).toContainText(String.raw`"c\"\\d"`);
  await page.close();
  expect(await host.stop()).toBe(0);
});
