// How the stories run: each once, against the shipped binary on a free loopback port. What a story
// looks at, it looks at in light and in dark; its pictures are kept under artifacts/.
//
// `cargo xtask test --only stories` sets the variables; without them the binary of the default
// target folder and Playwright's own browser are used.

import { availableParallelism } from "node:os";

import { defineConfig, devices } from "@playwright/test";

const browser = process.env.REHEARSAL_TEST_BROWSER;
/** How long a story waits for what it expects: a step that never happens is named, not only its story. */
const WAIT_MS = 60_000;

export default defineConfig({
  testDir: "stories",
  globalSetup: "./exported",
  outputDir: "test-results",
  // A host for each worker, so that stories can run side by side and still count sessions. They wait
  // for processes and for the page as long as they use a processor.
  fullyParallel: true,
  workers: Number(process.env.REHEARSAL_TEST_WORKERS ?? 2 * availableParallelism()),
  // A story that passes only the second time is listed by `cargo xtask test`, and the next change fixes it.
  // Its second run leaves a trace; tracing every story would slow all of them down.
  retries: 1,
  forbidOnly: !!process.env.CI,
  // Ends a story that hangs. Nothing is measured by it: stories also run on machines that are busy.
  timeout: 300_000,
  expect: { timeout: WAIT_MS, toPass: { timeout: WAIT_MS } },
  reporter: [
    ["list"],
    ["html", { outputFolder: "artifacts/report", open: "never" }],
    // `cargo xtask test` names another file.
    ["junit", { outputFile: "artifacts/report.xml", includeRetries: true }],
  ],
  use: {
    ...devices["Desktop Chrome"],
    viewport: { width: 1280, height: 720 },
    colorScheme: "light",
    trace: "on-first-retry",
    screenshot: "only-on-failure",
    actionTimeout: WAIT_MS,
    navigationTimeout: WAIT_MS,
    launchOptions: {
      executablePath: browser,
      args: [
        // Chromium's sandbox refuses to run as root, as it is in containers.
        ...(process.getuid?.() === 0 ? ["--no-sandbox"] : []),
        "--disable-gpu",
        "--disable-quic",
        "--no-first-run",
        "--disable-background-networking",
        "--disable-component-update",
        "--disable-sync",
      ],
    },
  },
});
