// Validates every file that a story exported with google-adk's own model, once all stories have run.

import { execFileSync } from "node:child_process";
import { randomUUID } from "node:crypto";
import { copyFileSync, existsSync, mkdirSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";

const FOLDER = join(import.meta.dirname, "artifacts", "exported");

const READ = `
import pathlib, sys
from google.adk.evaluation.eval_set import EvalSet
files = sorted(pathlib.Path(sys.argv[1]).iterdir())
for file in files:
    if not EvalSet.model_validate_json(file.read_text("utf-8")).eval_cases:
        sys.exit(f"{file} has no case")
print(f"google-adk reads each of the {len(files)} files that stories exported")
`;

/** Keeps a copy of an exported file for the end. */
export function keep(path: string): void {
  mkdirSync(FOLDER, { recursive: true });
  copyFileSync(path, join(FOLDER, `${randomUUID()}.json`));
}

/** Playwright calls this before the stories, and the returned function after them. */
export default function begin(): () => void {
  rmSync(FOLDER, { recursive: true, force: true });
  return () => {
    const python = process.env.REHEARSAL_TEST_PYTHON;
    if (!existsSync(FOLDER) || readdirSync(FOLDER).length === 0) {
      return;
    }
    if (!python) {
      console.warn("SKIPPED: no REHEARSAL_TEST_PYTHON to read the exported files with google-adk");
      return;
    }
    // A failure here fails the run.
    console.log(execFileSync(python, ["-c", READ, FOLDER], { encoding: "utf-8" }).trim());
  };
}
