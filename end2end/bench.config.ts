// How the benches of the page run: one after the other, in Chromium alone, against the shipped
// binary. `cargo xtask bench` runs them last, `cargo xtask bench -- page` alone.

import { defineConfig } from "@playwright/test";

import stories from "./playwright.config";

export default defineConfig({
  ...stories,
  testDir: "benches",
  testMatch: "*.bench.ts",
  fullyParallel: false,
  workers: 1,
  timeout: 120_000,
  retries: 0,
  reporter: "line",
  use: { ...stories.use, trace: "off", screenshot: "off" },
});
