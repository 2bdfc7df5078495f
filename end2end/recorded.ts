// Eval sets for the stories about reports: expected and actual cases of a smart home.

import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

import { binary } from "./fixtures";

/** A tool called. */
interface Call {
  name: string;
  args: object;
}

/** A case of ADK's format. */
interface Case {
  eval_id: string;
  conversation: object[];
  agentflow?: { name?: string; tags: string[] };
}

function turn(user: string, calls: Call[], response: string, duration?: number): object {
  return {
    user_content: { parts: [{ text: user }], role: "user" },
    final_response: { parts: [{ text: response }], role: "model" },
    intermediate_data: { tool_uses: calls },
    ...(duration === undefined ? {} : { duration }),
  };
}

/** Pseudo-random numbers, the same in every run. */
function chance(): () => number {
  let seed = 2026;
  return () => {
    seed = (Math.imul(seed, 1_664_525) + 1_013_904_223) >>> 0;
    return seed / 2 ** 32;
  };
}

const THINGS = ["lights", "blinds", "heating", "music", "garage", "alarm"];

/** Both sides: a case with every kind of failure, one that is missing on each side, one with markup and a character that reverses text, and many others. */
export function recorded(many: number): { expected: Case[]; actual: Case[] } {
  const office = "Make the office comfortable for tonight and close up the garage.";
  const degrees = (degrees: number): Call => ({
    name: "set_temperature",
    args: { room: "office", degrees, schedule: { start: "21:30" } },
  });
  const rooms = { name: "list_rooms", args: {} };
  const garage = { name: "close_garage", args: { code: 4417 } };
  const hostile = `</script><img src=x onerror="document.title='broken'"><!--\u202eevil`;
  const expected: Case[] = [
    {
      eval_id: "office_tonight",
      agentflow: { name: "Office tonight, garage", tags: ["night", "heating"] },
      conversation: [turn(office, [rooms, degrees(21), garage], "The office is set to 21 °C from 21:30. The garage controller did not answer; I tried code 4417 once.")],
    },
    { eval_id: "guest_mode", conversation: [turn("Guest mode, two rooms", [], "Done."), turn("And the lights?", [], "Off.")] },
    { eval_id: hostile, conversation: [turn(hostile, [{ name: hostile, args: { [hostile]: hostile } }], hostile)] },
  ];
  const actual: Case[] = [
    { eval_id: "office_tonight", conversation: [turn(office, [rooms, rooms, degrees(23)], "The office is set to 23 °C from 21:30.", 4.1)] },
    { eval_id: hostile, conversation: [turn(hostile, [{ name: hostile, args: { [hostile]: "x" } }], "x")] },
    { eval_id: "unplanned", conversation: [turn("What is this?", [], "I do not know.")] },
  ];
  const next = chance();
  for (let number = 0; number < many; number += 1) {
    const thing = THINGS[Math.floor(next() * THINGS.length)] ?? "lights";
    const level = 1 + Math.floor(next() * 9);
    const user = `Set the ${thing} in room ${number} to ${level}.`;
    const response = `The ${thing} in room ${number} is set to level ${level} for the whole evening, as you asked.`;
    const call = (level: number): Call => ({ name: `set_${thing}`, args: { room: number, level, why: { asked: true, by: "ada" } } });
    const shortened = response.split(" ").filter(() => next() < 0.9).join(" ");
    const eval_id = `${thing}_${number}`;
    expected.push({ eval_id, agentflow: { tags: [thing] }, conversation: [turn(user, [rooms, call(level)], response)] });
    actual.push({ eval_id, conversation: [turn(user, [rooms, call(next() < 0.8 ? level : level + 1)], shortened, next() * 3)] });
  }
  return { expected, actual };
}

/** Scores both sides with the binary under test. Returns the address of the HTML report. */
export function report(many: number): string {
  const folder = mkdtempSync(join(tmpdir(), "rehearsal-report-"));
  process.once("exit", () => rmSync(folder, { recursive: true, force: true }));
  return pathToFileURL(score(folder, "report.html", recorded(many))).href;
}

/** Scores both sides into a file of `folder`, in the format of its name. Returns the path of the report. */
export function score(folder: string, name: string, { expected, actual }: { expected: Case[]; actual: Case[] }): string {
  const workshop = mkdtempSync(join(tmpdir(), "rehearsal-score-"));
  const put = (name: string, value: unknown) => writeFileSync(join(workshop, name), JSON.stringify(value, undefined, 2));
  put("home.evalset.json", { eval_set_id: "home_evals", name: "Home automation", eval_cases: expected });
  put("run14.evalset.json", { eval_set_id: "home_evals", name: "Home automation", eval_cases: actual });
  put("test_config.json", {
    criteria: {
      tool_trajectory_avg_score: 1.0,
      response_match_score: 0.8,
      aligned_f1: { metric: "trajectory", score: "f1", threshold: 0.9 },
    },
  });
  const path = join(folder, name);
  const format = name.endsWith(".html") ? "html" : "json";
  try {
    execFileSync(binary(), ["score", "--expected", "home.evalset.json", "--actual", "run14.evalset.json", "--format", format, "--output", path], { cwd: workshop, stdio: ["ignore", "ignore", "pipe"] });
  } catch (error) {
    // 1 means that a case failed, as some do.
    if ((error as { status?: number }).status !== 1) {
      throw error;
    }
  } finally {
    rmSync(workshop, { recursive: true, force: true });
  }
  return path;
}
