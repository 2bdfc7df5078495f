// What a person does with a form: the travel desk's booking has one of everything.

import { join } from "node:path";

import { type Locator, type Page } from "@playwright/test";

import { Rehearsal } from "../rehearsal";
import { expect, startHost, startShapes, test, type Host } from "../fixtures";

/** Opens the booking's form. */
async function booking(page: Page): Promise<Rehearsal> {
  const rehearsal = await Rehearsal.at(page, "travel-desk");
  await rehearsal.fill("query", "Book the fare to Lisbon");
  await rehearsal.fill("max_results", "1");
  await expect(preview(page)).toContainText('"query":"Book the fare to Lisbon","max_results":1');
  await rehearsal.begin();
  await rehearsal.choose("book_trip");
  return rehearsal;
}

/** A host with the tools of `mcp/files.mjs`, and a session on it. */
async function files(page: Page): Promise<{ host: Host; rehearsal: Rehearsal }> {
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
  const rehearsal = await Rehearsal.at(page, "files-and-settings", host.url);
  await rehearsal.ask("Store it.");
  return { host, rehearsal };
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

test("a form shows the titles, defaults and limits of its schema", async ({ page, picture, accessible }) => {
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

test("formats are text inputs with an aid", async ({ page, picture, accessible }) => {
  const rehearsal = await booking(page);
  await page.getByRole("button", { name: "Generate request_id" }).click();
  await expect(rehearsal.field("request_id")).toHaveValue(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  // Text that does not match the format is kept, gets advice, and would be sent.
  await rehearsal.fill("depart", "next Friday");
  await expect(page.getByText("This is not a date such as 2026-11-21. It is sent unchanged.")).toBeVisible();
  await expect(preview(page)).toContainText('"depart":"next Friday"');
  // The browser's picker writes into the text.
  const native = row(page, "depart").locator("input[type=date]");
  await expect(native).toHaveValue("");
  await native.evaluate((input: HTMLInputElement) => {
    input.value = "2026-12-24";
    input.dispatchEvent(new Event("change", { bubbles: true }));
  });
  await expect(rehearsal.field("depart")).toHaveValue("2026-12-24");
  await rehearsal.fill("remind_at", "2026-12-23T18:00:00+01:00");
  const moment = row(page, "remind_at").locator("input[type=datetime-local]");
  await expect(moment).toHaveValue(/^2026-12-23T18:00/);
  await moment.evaluate((input: HTMLInputElement) => {
    input.value = "2026-12-23T19:30";
    input.dispatchEvent(new Event("change", { bubbles: true }));
  });
  await expect(rehearsal.field("remind_at")).toHaveValue("2026-12-23T19:30:00+01:00");
  await rehearsal.fill("email", "ada");
  await picture("formats");
  await accessible();
});

test("a button opens the browser's own picker", async ({ page }) => {
  const rehearsal = await booking(page);
  const native = row(page, "depart").locator("input[type=date]");
  // The browser's picker is outside the page: only the request to open it is observed.
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
  await rehearsal.fill("depart", "2026-12-24");
  await expect(native).toHaveValue("2026-12-24");
});

test("a file is chosen and its bytes are sent", async ({ page, picture, accessible }) => {
  const { host, rehearsal } = await files(page);
  await rehearsal.choose("upload");
  const chooser = page.waitForEvent("filechooser");
  await page.getByRole("button", { name: "Load file for content" }).click();
  const bytes = Buffer.from([0, 1, 2, 254, 255]);
  await (await chooser).setFiles({ name: "five.bin", mimeType: "application/octet-stream", buffer: bytes });
  await expect(rehearsal.field("content")).toHaveValue("AAEC/v8=");
  await picture("file");
  await accessible();
  await rehearsal.run();
  await expect(rehearsal.call(1)).toContainText("AAEC/v8=");
  await page.close();
  expect(await host.stop()).toBe(0);
});

test("a file's bytes are encoded as the schema asks, and a large file is rejected with a message", async ({ page, picture, accessible }) => {
  const host = await startShapes();
  const rehearsal = await Rehearsal.at(page, "shapes", host.url);
  await rehearsal.ask("Take it.");
  await rehearsal.choose("upload");
  const choose = async (name: string, buffer: Buffer) => {
    const chooser = page.waitForEvent("filechooser");
    await page.getByRole("button", { name: "Load file for bytes" }).click();
    await (await chooser).setFiles({ name, mimeType: "application/octet-stream", buffer });
  };
  const field = rehearsal.field("bytes");
  await choose("film.bin", Buffer.alloc(6_000_000));
  await expect(row(page, "bytes")).toContainText("film.bin is 6.0 MB. The limit is 5.0 MB.");
  await expect(field).toHaveValue("");
  await picture("file-too-long");
  await accessible();
  // A very long one is shown by its size, and sent whole.
  await choose("long.bin", Buffer.alloc(300_000, 7));
  await expect(field).toHaveValue("300 KB");
  await expect(row(page, "bytes")).not.toContainText("film.bin");
  await picture("file-long");
  await rehearsal.run();
  await rehearsal.call(1).getByRole("button").first().click();
  await expect(rehearsal.call(1)).toContainText("BwcHBwcH");
  await choose("five.bin", Buffer.from([0, 1, 2, 254, 255]));
  await expect(field).toHaveValue("AAEC/v8=");
  await rehearsal.run();
  await expect(rehearsal.call(2)).toContainText("AAEC/v8=");
  await page.close();
  expect(await host.stop()).toBe(0);
});

test("the file chosen last is used, and typing cancels a read", async ({ page, picture, accessible }) => {
  const host = await startShapes();
  const rehearsal = await Rehearsal.at(page, "shapes", host.url);
  await rehearsal.ask("Take one of them.");
  await rehearsal.choose("upload");
  // A file with this name is read only when the story allows it.
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
        const ended = new Promise((ended) => this.addEventListener("loadend", ended));
        read.call(this, file);
        await ended;
      });
    };
  });
  const readOn = () => page.evaluate(() => (window as unknown as { readOn(): Promise<void> }).readOn());
  const choose = async (name: string, ...bytes: number[]) => {
    const chooser = page.waitForEvent("filechooser");
    await page.getByRole("button", { name: "Load file for bytes" }).click();
    await (await chooser).setFiles({ name, mimeType: "application/octet-stream", buffer: Buffer.from(bytes) });
  };
  const field = rehearsal.field("bytes");
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
  // A focus that moved meanwhile stays.
  await choose("slow.bin", 0, 0, 0);
  const filter = page.getByRole("searchbox", { name: "Filter tools" });
  await filter.focus();
  await readOn();
  await expect(field).toHaveValue("AAAA");
  await expect(filter).toBeFocused();
  // An empty file changes nothing.
  await choose("empty.bin");
  await expect(row(page, "bytes")).toContainText("empty.bin is empty");
  await expect(field).toHaveValue("AAAA");
  await picture("file-empty");
  await accessible();
  // A file chosen later replaces one that is still being read.
  await choose("slow.bin", 7, 7, 7);
  await choose("empty.bin");
  await readOn();
  await expect(field).toHaveValue("AAAA");
  await field.fill("");
  await expect(row(page, "bytes")).not.toContainText("empty.bin");
  await page.close();
  expect(await host.stop()).toBe(0);
});

test("one of twenty thousand options is found by typing, with the keyboard alone", async ({ page, picture, accessible }) => {
  const host = await startShapes();
  const rehearsal = await Rehearsal.at(page, "shapes", host.url);
  await rehearsal.ask("Find it.");
  await rehearsal.choose("station");
  const field = page.getByRole("combobox", { name: /^code/ });
  await expect(field).toBeFocused();
  const options = page.getByRole("listbox", { name: "Options for code" }).getByRole("option");
  const status = row(page, "code").getByRole("status");
  // Only some of the thousands of options are listed, and a status gives their number.
  await expect(options).toHaveCount(0);
  await page.keyboard.press("ArrowDown");
  await expect(options).toHaveCount(200);
  await expect(status).toHaveText("200 of 20,000 shown. Type to filter.");
  await picture("long-choice");
  await accessible();
  await page.keyboard.type("199");
  await expect(options).toHaveCount(140);
  await page.keyboard.type("87");
  await expect(options).toHaveText(["ST-19987"]);
  await expect(status).toHaveText("1 of 20,000.");
  await page.keyboard.press("Enter");
  await expect(options).toHaveCount(0);
  await expect(field).toHaveValue("ST-19987");
  // What is typed is a search: Escape takes it back, and leaving takes a label that is written out.
  await page.keyboard.press("Control+a");
  await page.keyboard.type("nowhere");
  await expect(status).toHaveText("None of 20,000 options match.");
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
  await rehearsal.run();
  await expect(rehearsal.call(1)).toContainText("ST-00007");
  // It may leave the page while it has the focus and its list is open.
  await field.focus();
  await page.keyboard.press("ArrowDown");
  await page.locator("#tools").getByText("upload", { exact: true }).dispatchEvent("click");
  await expect(rehearsal.field("bytes")).toBeVisible();
  await page.close();
  expect(await host.stop()).toBe(0);
});

test("local violations are shown at their fields", async ({ page, picture, accessible }) => {
  const host = await startShapes();
  const rehearsal = await Rehearsal.at(page, "shapes", host.url);
  await rehearsal.ask("Know it.");
  // An empty schema still requires an object.
  await rehearsal.choose("anything");
  await expect(preview(page)).toHaveText("{}");
  const add = page.getByRole("button", { name: "+ add property" });
  await expect(add).toBeVisible();
  await expect(page.locator("form").getByRole("combobox")).toHaveCount(0);
  // Nothing is asked for, so Enter runs it; what might be added is one step back.
  await expect(page.getByRole("button", { name: /^Run/ })).toBeFocused();
  await page.keyboard.press("Enter");
  await expect(rehearsal.call(1)).toContainText("anything");
  await add.click();
  await page.getByRole("textbox", { name: "Name of the property" }).fill("tea");
  await rehearsal.choose("ask");
  await rehearsal.choose("anything");
  await expect(page.getByRole("textbox", { name: "Name of the property" })).toBeFocused();
  // Branches go by what they require.
  await rehearsal.choose("locate");
  const kinds = page.locator("form").getByRole("radiogroup").first();
  await expect(kinds.getByRole("radio")).toHaveCount(2);
  await expect(kinds).toContainText("city");
  await expect(kinds).toContainText("lat, lon");
  await picture("branches");
  // A name without a value is no value that is left out.
  await rehearsal.choose("prices");
  await expect(add).toBeFocused();
  await add.click();
  await page.getByRole("textbox", { name: "Name of the property" }).fill("tea");
  await expect(preview(page)).toHaveText('{"tea":?}');
  await rehearsal.run();
  const form = page.locator("#tool-form");
  await expect(form).toContainText("Give tea a value, or remove the property.");
  await picture("entry-without-value");
  // A number that JSON parsers cannot represent is marked at its field.
  const value = page.getByRole("textbox", { name: "Value of the property" });
  await value.fill("1e309");
  await rehearsal.run();
  await expect(form.locator(".entry")).toContainText("1e309 is out of range");
  await expect(value).toHaveAttribute("aria-invalid", "true");
  await picture("beyond-reading");
  await accessible();
  // JSON with a duplicate member stays JSON, shows where, and is not sent.
  const edit = (name: string) => form.getByRole("group", { name: "Edit as" }).getByRole("button", { name });
  await edit("JSON").click();
  await form.getByRole("textbox", { name: "JSON" }).fill('{"tea": 1, "tea": 2}');
  await edit("Form").click();
  const twice = "The property tea is repeated at line 3, column 3";
  await expect(form).toContainText(twice);
  await picture("member-twice");
  await rehearsal.run();
  await expect(form.getByRole("textbox", { name: "JSON" })).toBeFocused();
  await expect(form).toContainText(twice);
  await form.getByRole("textbox", { name: "JSON" }).fill('{"tea": 2}');
  await edit("Form").click();
  await expect(page.getByRole("textbox", { name: "Value of the property" })).toHaveValue("2");
  // The same where the schema gives no form.
  await rehearsal.choose("unresolved");
  await form.getByRole("textbox", { name: "JSON" }).fill('{"in": {}, "in": {}}');
  await expect(form).toContainText("Only JSON is available:");
  await expect(form).toContainText("The property in is repeated at line 1, column 12");
  await page.close();
  expect(await host.stop()).toBe(0);
});

test("many conditional members are drawn when they come near", async ({ page }) => {
  const { host, rehearsal } = await files(page);
  await rehearsal.choose("configure");
  const everything = page.locator("form").getByRole("radiogroup", { name: /^everything/ });
  await expect(everything).toBeVisible();
  await expect(rehearsal.field("setting_1")).toHaveCount(0);
  await everything.getByRole("radio", { name: "true" }).check();
  await expect(everything.getByRole("radio", { name: "true" })).toBeFocused();
  await rehearsal.fill("setting_1", "first");
  await expect(rehearsal.field("setting_200")).toHaveCount(0);
  // Scrolling reaches every field, and typed text stays.
  await expect(async () => {
    await page.locator("form .batch").last().scrollIntoViewIfNeeded();
    await expect(rehearsal.field("setting_200")).toBeVisible({ timeout: 500 });
  }).toPass();
  await rehearsal.fill("setting_200", "last");
  await expect(preview(page)).toContainText('"setting_200":"last"');
  // A hidden member is not sent, and keeps its value.
  await everything.getByRole("radio", { name: "false" }).check();
  await expect(page.locator("form .batch")).toHaveCount(0);
  await expect(preview(page)).not.toContainText("setting_200");
  await expect(rehearsal.field("setting_2")).toHaveCount(0);
  await everything.getByRole("radio", { name: "true" }).check();
  await expect(preview(page)).toContainText('"setting_200":"last"');
  await page.close();
  expect(await host.stop()).toBe(0);
});

test("a password is shown on request", async ({ page }) => {
  await booking(page);
  const code = row(page, "code").locator("input").first();
  await code.fill("123");
  await expect(code).toHaveAttribute("type", "password");
  await row(page, "code").getByRole("button", { name: "Show" }).click();
  await expect(code).toHaveAttribute("type", "text");
  await expect(code).toHaveValue("123");
  // It also requires the holder, and the fault is shown at the missing holder.
  await expect(row(page, "holder")).toContainText("Required with code");
});

test("a range has a slider, and the text is what is sent", async ({ page, picture }) => {
  const rehearsal = await booking(page);
  const bags = rehearsal.field("bags");
  await bags.pressSequentially("-");
  await expect(bags).toHaveValue("-");
  await bags.fill("");
  await page.getByRole("slider", { name: "bags" }).press("ArrowRight");
  await expect(bags).toHaveValue("2");
  await bags.press("ArrowUp");
  await expect(bags).toHaveValue("3");
  const discount = rehearsal.field("discount");
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

test("conditional members appear while typing", async ({ page, picture, accessible }) => {
  const rehearsal = await booking(page);
  await expect(rehearsal.field("birth_date")).toHaveCount(0);
  const insured = row(page, "insured").getByRole("radio", { name: "true" });
  await insured.check();
  await expect(rehearsal.field("birth_date")).toBeVisible();
  await expect(insured).toBeFocused();
  await rehearsal.fill("birth_date", "1815-12-10");
  await expect(preview(page)).toContainText('"birth_date":"1815-12-10"');
  await picture("insured");
  await accessible();
  await row(page, "insured").getByRole("radio", { name: "false" }).check();
  await expect(rehearsal.field("birth_date")).toHaveCount(0);
  await expect(preview(page)).not.toContainText("birth_date");
  // Found again as it was.
  await insured.check();
  await expect(rehearsal.field("birth_date")).toHaveValue("1815-12-10");
});

test("an entry's name chooses its schema", async ({ page, picture, accessible }) => {
  await booking(page);
  await row(page, "extras").getByRole("radio", { name: "object" }).check();
  await row(page, "extras").getByRole("button", { name: "+ add property" }).click();
  const name = page.getByRole("textbox", { name: "Name of the property" });
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

test("switching a union's branch keeps common members and can be undone", async ({ page, picture }) => {
  await booking(page);
  await row(page, "holder").locator("textarea").fill("Ada");
  await row(page, "number").locator("textarea").fill("441712345678");
  const payment = row(page, "payment");
  await payment.getByRole("radio", { name: "invoice" }).check();
  await expect(row(page, "holder").locator("textarea")).toHaveValue("Ada");
  await expect(preview(page)).toContainText('{"method":"invoice","holder":"Ada"');
  await picture("switched");
  await payment.getByRole("button", { name: "Undo type change" }).click();
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
  await payment.getByRole("button", { name: "Undo type change" }).click();
  await expect(preview(page)).toContainText(card);
  // By key, too: the input undoes its typing first, then the form undoes.
  await payment.getByRole("radio", { name: "invoice" }).check();
  await company.pressSequentially("F");
  await page.keyboard.press("Control+z");
  await expect(company).toHaveValue("");
  await page.keyboard.press("Control+z");
  await expect(preview(page)).toContainText(card);
});

test("a partly typed number shows no fault, even in a field that was left before", async ({ page }) => {
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

test("any field can become JSON text and back without loss", async ({ page, picture, accessible }) => {
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
  await payment.getByRole("button", { name: "Edit as a form" }).click();
  await expect(row(page, "company").locator("textarea")).toHaveValue("Far & Away");
  // By key from the field, and back.
  await row(page, "company").locator("textarea").press("Alt+j");
  await expect(row(page, "company").getByRole("textbox")).toHaveValue('"Far & Away"');
  await row(page, "company").getByRole("textbox").press("Alt+j");
  await expect(row(page, "company").locator("textarea")).toHaveValue("Far & Away");
});

test("arguments are pasted from several formats", async ({ page, picture, accessible }) => {
  await booking(page);
  await page.locator("#tool-form-paste-button").click();
  const box = page.getByRole("textbox", { name: "Arguments to paste" });
  await expect(box).toBeFocused();
  await box.fill("{fare: 1}");
  await expect(page.locator(".paste-box")).toContainText(/Not JSON: .*line 1/);
  // Esc leaves, and what is typed is there again.
  await box.press("Escape");
  await expect(box).toHaveCount(0);
  await page.locator("#tool-form-paste-button").click();
  await expect(box).toHaveValue("{fare: 1}");
  const call = {
    type: "function",
    function: { name: "book_trip", arguments: JSON.stringify({ fare: "OSLLIS-2", payment: { method: "invoice", company: "Far & Away" }, colour: "red" }) },
  };
  await box.fill(JSON.stringify(call));
  await expect(box).toHaveCount(0);
  await expect(page.getByRole("status").filter({ hasText: "Filled in from a call to `book_trip`" })).toContainText("`colour`");
  await expect(row(page, "company").locator("textarea")).toHaveValue("Far & Away");
  await picture("pasted");
  await accessible();
  await page.getByRole("button", { name: /^Undo/ }).first().click();
  await expect(preview(page)).toContainText('{"payment":{"method":"card"}}');
});

test("arguments are pasted anywhere on the page", async ({ page }) => {
  const rehearsal = await booking(page);
  await pasteAnywhere(page, '```json\n{"fare": "OSLLIS-2"}\n```');
  await expect(preview(page)).toContainText('"fare":"OSLLIS-2"');
  await expect(page.getByRole("status").filter({ hasText: "Pasted values filled in." })).toBeVisible();
  // Text that is not a call shows an error, and nothing is lost.
  await pasteAnywhere(page, "[{}, {}]");
  await expect(page.getByText("ound a list of 2 items: copy one call or one object from it")).toBeVisible();
  await expect(preview(page)).toContainText('"fare":"OSLLIS-2"');
  // In a field a paste is the field's own.
  await rehearsal.field("fare").focus();
  await page.evaluate(() => {
    const clipboardData = new DataTransfer();
    clipboardData.setData("text/plain", '{"fare": "elsewhere"}');
    document.activeElement?.dispatchEvent(new ClipboardEvent("paste", { clipboardData, bubbles: true, cancelable: true }));
  });
  await expect(preview(page)).toContainText('"fare":"OSLLIS-2"');
});

test("descriptions and limits are beside their fields, and references become fields", async ({ page, picture, accessible }) => {
  const host = await startShapes();
  const rehearsal = await Rehearsal.at(page, "shapes", host.url);
  await rehearsal.ask("Take it.");
  await rehearsal.choose("documented");
  await expect(row(page, "number")).toContainText("Read-only: set by the tool");
  await expect(row(page, "note")).toContainText("Deprecated");
  await expect(row(page, "speed")).toContainText("Speed (km/h)");
  // Characters that turn text around are written out, and sent as they are.
  await expect(row(page, "payee")).toContainText("To \\u202eevil");
  await expect(row(page, "payee")).toContainText("Pays \\u202eevil\\u202c");
  await rehearsal.field("payee").selectOption({ label: "\\u202eevil" });
  await expect(preview(page)).toContainText('"payee":"\\u202eevil"');
  expect(await page.locator("body").innerText()).not.toContain("\u202e");
  await rehearsal.field("payee").selectOption({ label: "not sent" });
  // A default is shown and not sent; of many examples the last ones wait behind a word.
  await expect(row(page, "speed")).toContainText("50");
  await expect(preview(page)).not.toContainText("speed");
  const last = row(page, "speed").getByRole("button", { name: "120" });
  await expect(last).toBeHidden();
  await row(page, "speed").getByText("2 more").click();
  await last.click();
  await expect(rehearsal.field("speed")).toHaveValue("120");
  await picture("documented");
  await accessible();
  // Many values of an enum at once: an unknown one is marked at its item.
  await row(page, "colours").getByRole("button", { name: "Paste…" }).click();
  const items = page.getByRole("textbox", { name: "Items to add to colours" });
  await items.fill("red\nblue\npink");
  await items.press("Escape");
  await expect(items).toHaveCount(0);
  await row(page, "colours").getByRole("button", { name: "Paste…" }).click();
  await expect(items).toHaveValue("red\nblue\npink");
  await page.getByRole("button", { name: "Add 3 items" }).click();
  await expect(preview(page)).toContainText('"colours":["red","blue","pink"]');
  await rehearsal.field("speed").focus();
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

  // Nine calls, eight of them offered at first.
  for (let speed = 1; speed <= 9; speed += 1) {
    await rehearsal.fill("speed", `${speed}`);
    await rehearsal.run();
    await expect(rehearsal.call(speed)).toBeVisible();
  }
  await page.getByText("Recent 9").click();
  const sent = page.getByRole("list", { name: "Previous arguments" }).getByRole("button");
  await expect(sent).toHaveCount(8);
  await page.getByRole("button", { name: "Show more" }).click();
  await expect(sent).toHaveCount(9);
  await sent.last().click();
  await expect(rehearsal.field("speed")).toHaveValue("1");
  await page.close();
  expect(await host.stop()).toBe(0);
});

test("many items are pasted into a list", async ({ page }) => {
  await booking(page);
  await row(page, "seats").getByRole("button", { name: "Paste…" }).click();
  await page.getByRole("textbox", { name: "Items to add to seats" }).fill("12A\n12B\nwindow");
  await page.getByRole("button", { name: "Add 3 items" }).click();
  await expect(preview(page)).toContainText('"seats":["12A","12B","window"]');
  await expect(page.getByText("Does not match ^[0-9]+[A-F]$ (pattern).")).toBeVisible();
  // The keyboard moves an item to the end, with the focus.
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

test("previous arguments are filled in with one click", async ({ page, picture, accessible }) => {
  const rehearsal = await booking(page);
  await rehearsal.fill("fare", "OSLLIS-2");
  await row(page, "payment").getByRole("radio", { name: "invoice" }).check();
  await row(page, "company").locator("textarea").fill("Far & Away");
  await rehearsal.run();
  await expect(rehearsal.call(1)).toContainText("BK-OSLLIS-2");
  await page.getByRole("button", { name: "Clear" }).click();
  await page.getByText("Recent 1").click();
  await picture("recent");
  await accessible();
  await page.getByRole("list", { name: "Previous arguments" }).getByRole("button").click();
  await expect(preview(page)).toContainText('"company":"Far & Away"');
});

test("violations that the host finds are shown at the same field", async ({ page, picture, accessible }) => {
  const host = await startShapes();
  const rehearsal = await Rehearsal.at(page, "shapes", host.url);
  await rehearsal.ask("Check in.");
  await rehearsal.choose("check_in");
  await rehearsal.fill("seat", "12A");
  await rehearsal.fill("code", "000");
  // Valid for the form: only the host can check it.
  await rehearsal.field("seat").focus();
  await expect(rehearsal.field("code")).toHaveAttribute("aria-invalid", "false");
  await expect(page.getByText(/needs? attention/)).toHaveCount(0);
  await rehearsal.run();
  await expect(rehearsal.field("code")).toHaveAttribute("aria-invalid", "true");
  await expect(rehearsal.field("code")).toBeFocused();
  await expect(row(page, "code")).toContainText("Does not match");
  await expect(rehearsal.field("seat")).toHaveAttribute("aria-invalid", "false");
  await expect(rehearsal.call(1)).toHaveCount(0);
  await picture("host");
  await accessible();
  await rehearsal.fill("code", "123");
  await expect(rehearsal.field("code")).toHaveAttribute("aria-invalid", "false");
  // An unevaluated member is rejected at its place.
  await pasteAnywhere(page, '{"code": "123", "guest": {"name": "Ada", "zz": 1}}');
  await rehearsal.run();
  await expect(page.getByText("1 field needs attention", { exact: true })).toBeVisible();
  await expect(row(page, "guest").getByText("does not allow the property zz here")).toBeInViewport({ ratio: 0.95 });
  await expect(rehearsal.call(1)).toHaveCount(0);
  await picture("unevaluated");
  // In JSON mode it has a line and a column, and on the way back it finds its field again.
  await page.getByRole("group", { name: "Edit as" }).getByRole("button", { name: "JSON" }).click();
  await expect(page.getByText(/^guest\.zz at line \d+, column \d+: .*does not allow the property zz here/)).toBeVisible();
  await page.getByRole("group", { name: "Edit as" }).getByRole("button", { name: "Form" }).click();
  await expect(row(page, "guest").getByText("does not allow the property zz here")).toBeVisible();
  await pasteAnywhere(page, '{"code": "123", "guest": {"name": "Ada"}}');
  await rehearsal.run();
  await expect(rehearsal.call(1)).toContainText("Ada");
  await page.close();
  expect(await host.stop()).toBe(0);
});

test("violations of the whole object are shown above its fields", async ({ page, picture, accessible }) => {
  const host = await startShapes();
  const rehearsal = await Rehearsal.at(page, "shapes", host.url);
  await rehearsal.ask("A pair.");
  await rehearsal.choose("pair");
  await rehearsal.fill("a", "one");
  await rehearsal.run();
  await expect(rehearsal.call(1)).toHaveCount(0);
  const whole = page.locator("#tool-form-root");
  await expect(whole).toContainText(/2/);
  await expect(whole).toBeFocused();
  await expect(whole).toBeInViewport({ ratio: 1 });
  await picture("whole");
  await accessible();
  await rehearsal.fill("b", "two");
  await expect(whole).toBeEmpty();
  await rehearsal.run();
  await expect(rehearsal.call(1)).toHaveClass(/returned|failed/);
  await page.close();
  expect(await host.stop()).toBe(0);
});

test("a whole number is typed in any spelling and sent as digits", async ({ page }) => {
  const host = await startShapes();
  const rehearsal = await Rehearsal.at(page, "shapes", host.url);
  await rehearsal.ask("Choose.");
  await rehearsal.choose("choose");
  const count = rehearsal.field("count");
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
  await rehearsal.field("mode").focus();
  await expect(count).toHaveValue("1000");
  await rehearsal.run();
  await expect(rehearsal.call(1)).toContainText("1000");
  await page.close();
  expect(await host.stop()).toBe(0);
});

test("a message about JSON text stays in sight", async ({ page, picture }) => {
  const host = await startShapes();
  const rehearsal = await Rehearsal.at(page, "shapes", host.url);
  await rehearsal.ask("Plant.");
  await rehearsal.choose("plant");
  await page.locator("#tool-form").getByRole("button", { name: "JSON", exact: true }).click();
  const json = page.getByRole("textbox", { name: "JSON" });
  // A pause at invalid JSON shows a fault, continued typing does not.
  await json.fill('{"root": {"name": "oak", "children": [tru]}}');
  await expect(page.getByText(/^Not JSON: .*tru/)).toBeVisible();
  await json.fill('{"root": {"name": "oak", "children": []}}');
  await expect(page.getByText(/^Not JSON/)).toHaveCount(0);
  await json.fill(`{\n  "root": {\n    "name": "oak",\n    "children": [\n${"      1,\n".repeat(60)}      nil\n    ]\n  }\n}`);
  await rehearsal.run();
  const fault = page.getByText(/^Not JSON: .* at line 65, column/);
  await expect(fault).toBeInViewport({ ratio: 1 });
  const foot = await page.locator(".tool-form .panel-foot").boundingBox();
  const message = await fault.boundingBox();
  expect((message?.y ?? 0) + (message?.height ?? 0)).toBeLessThanOrEqual(foot?.y ?? 0);
  await picture("json-message");
  await page.close();
  expect(await host.stop()).toBe(0);
});

test("options that look alike are distinguished, and large integers are sent to an MCP server", async ({ page, picture, accessible }) => {
  const host = await startShapes();
  const rehearsal = await Rehearsal.at(page, "shapes", host.url);
  await rehearsal.ask("Choose.");
  await rehearsal.choose("choose");
  const mode = rehearsal.field("mode");
  await expect(mode.locator("option")).toHaveText(["not sent", "null", '"1"', "1", '"null"', "fast", '"fast "']);
  await mode.selectOption({ label: '"1"' });
  await expect(preview(page)).toContainText('"mode":"1"');
  await mode.selectOption({ label: "1" });
  await expect(preview(page)).toContainText('"mode":1');
  await rehearsal.fill("count", "123456789012345678901");
  await picture("alike");
  await accessible();
  await rehearsal.run();
  await expect(rehearsal.call(1)).toContainText("123456789012345678901");
  await page.close();
  expect(await host.stop()).toBe(0);
});

test("what a page cannot show as it is stays as it is", async ({ page, picture, accessible }) => {
  const host = await startShapes();
  const rehearsal = await Rehearsal.at(page, "shapes", host.url);
  await rehearsal.ask("Take it.");
  // Line ends of Windows survive an edit of the text.
  await rehearsal.choose("echo");
  await pasteAnywhere(page, '{"text": "one\\r\\ntwo"}');
  await rehearsal.field("text").press("End");
  await rehearsal.field("text").press("ControlOrMeta+End");
  await rehearsal.field("text").pressSequentially("!");
  await expect(preview(page)).toContainText('"one\\r\\ntwo!"');
  // Names of entries that look alike.
  await rehearsal.choose("prices");
  await pasteAnywhere(page, '{"tea": 1, "tea ": 2}');
  const quoted = page.locator(".entry-quoted");
  await expect(quoted).toHaveText(['"tea "']);
  await picture("entries");
  await accessible();
  // JSON mode is laid out over lines, with a number that is not one yet too.
  await rehearsal.choose("choose");
  await rehearsal.fill("count", "1e");
  const mode = page.getByRole("group", { name: "Edit as" });
  await mode.getByRole("button", { name: "JSON" }).click();
  await expect(page.getByRole("textbox", { name: "JSON" })).toHaveValue('{\n  "count": 1e\n}');
  // A tool that has no form keeps the switch.
  await rehearsal.choose("unresolved");
  await expect(mode.getByRole("button", { name: "Form" })).toBeDisabled();
  await expect(mode.getByRole("button", { name: "JSON" })).toBeVisible();
  await picture("json-only");
  await page.close();
  expect(await host.stop()).toBe(0);
});

test("a format is advice, and a required field starts with its default", async ({ page }) => {
  const host = await startShapes();
  const rehearsal = await Rehearsal.at(page, "shapes", host.url);
  await rehearsal.ask("Which day?");
  await rehearsal.choose("dated");
  await expect(rehearsal.field("unit")).toHaveValue("celsius");
  await rehearsal.fill("day", "tomorrow");
  await expect(row(page, "day")).toContainText("This is not a date such as 2026-11-21. It is sent unchanged.");
  await rehearsal.run();
  await expect(rehearsal.call(1)).toContainText('dated(day: "tomorrow", unit: "celsius")');
  await page.close();
  expect(await host.stop()).toBe(0);
});

test("a list of texts is typed with the keyboard alone", async ({ page }) => {
  const host = await startShapes();
  const rehearsal = await Rehearsal.at(page, "shapes", host.url);
  await rehearsal.ask("Choose.");
  await rehearsal.choose("choose");
  // The new field has the focus in the next frame; a person's next key comes later than that.
  const fresh = () =>
    expect.poll(() => page.evaluate(() => (document.activeElement as HTMLTextAreaElement | null)?.value)).toBe("");
  // So has a moved item.
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

test("a new field has the focus at any depth", async ({ page, picture }) => {
  const host = await startShapes();
  const rehearsal = await Rehearsal.at(page, "shapes", host.url);
  await rehearsal.ask("Plant.");
  await rehearsal.choose("plant");
  await page.locator("form").getByRole("textbox", { name: /^name/ }).first().focus();
  for (let level = 0; level < 7; level += 1) {
    await page.keyboard.type(`n${level}`);
    const add = page.locator("form").getByRole("button", { name: "+ add" }).last();
    await add.focus();
    await page.keyboard.press("Enter");
    // Another "+ add" is the last one before the focus moves.
    await expect(page.locator("form :focus")).toHaveRole("textbox");
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
  const rehearsal = await Rehearsal.at(page, "shapes", host.url);
  await rehearsal.ask("Say it.");
  await rehearsal.choose("echo");
  const text = rehearsal.field("text");
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
  await rehearsal.run();
  // On one line it is written out as JSON writes it.
  await expect(rehearsal.call(1)).toContainText(String.raw`"c\"\\d"`);
  await page.close();
  expect(await host.stop()).toBe(0);
});
