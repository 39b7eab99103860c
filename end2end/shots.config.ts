import { defineConfig } from "@playwright/test";

import everyday from "./playwright.config";

/** Pictures of all pages, into `test-results/shots`; what they show is looked at by a person. */
export default defineConfig(everyday, { testDir: "shots", outputDir: "test-results/shots-run", timeout: 120_000 });
