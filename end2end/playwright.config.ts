import { defineConfig } from "@playwright/test";

import { chromium } from "./support/chromium";

/** One worker: browser and server share two cores, and a worker starts a demo of its own. */
export default defineConfig({
  testDir: "tests",
  outputDir: "test-results/run",
  workers: 1,
  // What holds only at the second try is told apart: `flaky` here, and in the table of `cargo xtask test`.
  retries: 1,
  forbidOnly: process.env.CI !== undefined,
  timeout: 60_000,
  expect: { timeout: 10_000 },
  reporter: [["list"]],
  use: { ...chromium, viewport: { width: 1440, height: 900 }, locale: "zh-CN", actionTimeout: 15_000, trace: "retain-on-failure" },
});
